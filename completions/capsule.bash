# bash completion for capsule. Made by 'capsule completions bash'.

_capsule() {
  local -a words=() lines=()
  local index token joined=0
  # Readline breaks words at '=' and ':'; they are put together again.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    token=${COMP_WORDS[index]}
    if ((index > 1)) && { [[ $token == [=:] ]] || ((joined)); }; then
      words[${#words[@]} - 1]+=$token
      joined=0
      [[ $token == [=:] ]] && joined=1
    else
      words+=("$token")
    fi
  done
  # A quoted word is asked for without its quote.
  local -a plain=()
  for token in "${words[@]}"; do
    token=${token#[\"\']}
    token=${token%[\"\']}
    plain+=("${token//\\/}")
  done
  local current=${plain[${#plain[@]} - 1]-} lead=
  # Readline keeps the text before the last '=' or ':', unless it is quoted.
  [[ $current == --*=* ]] && lead=${current%%=*}=
  [[ ${COMP_WORDS[COMP_CWORD]} == [\"\']* ]] || lead=${current%"${current##*[:=]}"}

  local line program=${COMP_WORDS[0]/#\~\//$HOME/}
  type -P -- "$program" >/dev/null || program=capsule
  while IFS= read -r line; do lines+=("$line"); done < <(
    "$program" __complete -- "${plain[@]}" 2>/dev/null
  )
  COMPREPLY=()
  local typed=${COMP_WORDS[COMP_CWORD]}
  [[ $typed == [=:] ]] && typed=
  case ${lines[0]-} in
    paths | directories)
      local kind=-f
      [[ ${lines[0]} == directories ]] && kind=-d
      compopt -o filenames 2>/dev/null
      local path=$current kept=$lead
      [[ $current == --*=* ]] && path=${current#*=} && kept=${lead#--*=}
      [[ $typed == [\"\']* ]] && kept=
      while IFS= read -r line; do COMPREPLY+=("${line#"$kept"}"); done < <(
        compgen "$kind" -- "$path"
      )
      ;;
    words)
      # Readline quotes a word that was begun with a quote; elsewhere it leaves '`' and '$' raw.
      local quote=1
      [[ $typed == [\"\']* ]] && quote=0 && compopt -o filenames 2>/dev/null
      for line in "${lines[@]:1}"; do
        line=${line%%$'\t'*}
        line=${line#"$lead"}
        ((quote)) && printf -v line %q "$line"
        COMPREPLY+=("$line")
      done
      ;;
  esac
}

complete -F _capsule capsule
