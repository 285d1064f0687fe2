import CapsuleCore

/// `capsule version`.
enum VersionCommand {
  static let command = Command(
    "version", summary: "Show the version",
    outputs: .json,
    examples: [Example("capsule version --json", "Read the version in a script")],
    run: { _, session in try show(session) })

  static func show(_ session: Session) throws -> ExitCode {
    try session.console.render(
      json: ["version": .string(Version.text)],
      text: { $0.line("capsule \(Version.text)") })
  }
}
