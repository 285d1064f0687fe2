# fish completion for capsule. Made by 'capsule completions fish'.

function __capsule_complete
    set -l before (commandline -opc)
    # A quote that is still open is no part of the word.
    set -l current (commandline -ct | string replace -r -- '^["\']' '')
    set -l lines (command $before[1] __complete -- $before[2..-1] "$current" 2>/dev/null)
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
