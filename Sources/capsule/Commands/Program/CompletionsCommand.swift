/// `capsule completions`.
enum CompletionsCommand {
  static let shell = Parameter.operand("SHELL", ValueType<Shell>.choice, "The shell")

  static let command = Command(
    "completions", summary: "Print the completion script for a shell",
    discussion: """
      The script completes commands, options, paths, ids and titles. For bash, add this line to \
      `~/.bashrc`:

        source <(capsule completions bash)

      For zsh, save the script as `_capsule` in a directory of `$fpath`. For fish:

        capsule completions fish > ~/.config/fish/completions/capsule.fish
      """,
    operands: [shell],
    examples: [
      Example("capsule completions zsh > _capsule", "Save the script for zsh")
    ],
    run: { invocation, session in
      let script = try invocation[shell].script
      return try session.console.render { $0.bytes(script.utf8) }
    })
}
