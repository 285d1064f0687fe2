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
