import CapsuleCore

/// `capsule trash`.
enum TrashCommand {
  static let command = Command(
    "trash", summary: "List what was deleted and can be brought back",
    discussion: "`capsule restore` brings it back, `capsule purge` removes it for good.",
    outputs: [.json, .ndjson],
    examples: [Example("capsule trash", "See what can be brought back")],
    exitCodes: [.partial, .damaged, .version]
  ) { _, session in
    try RestoreCommand.list(session)
  }
}
