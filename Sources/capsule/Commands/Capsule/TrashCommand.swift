import CapsuleCore

/// `capsule trash`.
enum TrashCommand {
  static let command = Command(
    "trash", summary: "List deleted records that can be restored",
    discussion: "`capsule restore` restores a record; `capsule purge` removes it for good.",
    outputs: [.json, .ndjson],
    examples: [Example("capsule trash", "See what can be restored")],
    exitCodes: [.partial, .damaged, .version]
  ) { _, session in
    try RestoreCommand.list(session)
  }
}
