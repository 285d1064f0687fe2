/// A shell that completes command lines.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The script's name in a package's `completions` folder.
  var fileName: String {
    switch self {
    case .bash: "capsule.bash"
    case .zsh: "_capsule"
    case .fish: "capsule.fish"
    }
  }

  /// The script, which asks the program itself for every word.
  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  private static let bashScript = #"""
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

    """#

  private static let zshScript = #"""
    #compdef capsule
    # zsh completion for capsule. Made by 'capsule completions zsh'.

    _capsule() {
      local -a lines described asked
      local line value meaning
      asked=("${(@Q)words[2,CURRENT]}")
      # An open quote is not part of the word.
      asked[-1]=${asked[-1]#[\"\']}
      local program=${${(Q)words[1]}/#\~\//$HOME/}
      whence -p -- $program >/dev/null || program=capsule
      lines=("${(@f)$($program __complete -- "${(@)asked}" 2>/dev/null)}")
      case $lines[1] in
        paths | directories)
          [[ $words[CURRENT] == --*=* ]] && compset -P '*='
          if [[ $lines[1] == paths ]]; then _files; else _files -/; fi
          ;;
        words)
          for line in "${(@)lines[2,-1]}"; do
            value=${line%%$'\t'*}
            meaning=${line#*$'\t'}
            value=${value//\\/\\\\}
            meaning=${meaning//\\/\\\\}
            described+=("${value//:/\\:}:$meaning")
          done
          _describe -V capsule described
          ;;
      esac
    }

    if [[ $funcstack[1] == _capsule ]]; then
      _capsule "$@"
    else
      compdef _capsule capsule
    fi

    """#

  private static let fishScript = #"""
    # fish completion for capsule. Made by 'capsule completions fish'.

    function __capsule_complete
        set -l before (commandline -opc)
        # An open quote is not part of the word, and neither are backslashes.
        set -l current (commandline -ct | string collect)
        if string match -q -r -- '^["\']' "$current"
            set current (string replace -r -- '^["\']' '' "$current" | string collect)
        else
            set current (string unescape -- "$current" | string collect)
        end
        set -l program (string replace -r -- '^~/' "$HOME/" $before[1])
        type -q -- $program; or set program capsule
        set -l lines (command $program __complete -- $before[2..-1] "$current" 2>/dev/null)
        set -l lead (string match -r -- '^--[^=]*=' "$current")
        set -l typed (string replace -r -- '^--[^=]*=' '' "$current")
        switch "$lines[1]"
            case paths
                for path in (__fish_complete_path "$typed")
                    printf '%s%s\n' "$lead" $path
                end
            case directories
                for path in (__fish_complete_directories "$typed" '')
                    printf '%s%s\n' "$lead" $path
                end
            case words
                printf '%s\n' $lines[2..-1]
        end
    end

    complete -c capsule -f -k -a '(__capsule_complete)'

    """#
}
