import CapsuleCore

/// `capsule repair`.
enum RepairCommand {
  static let command = Command(
    "repair", summary: "Mend what can be mended, after a backup of it",
    discussion: """
      A record that was changed by hand is accepted as it stands, unless its unlock time is earlier \
      than the one inside its seal; a lost identity is made again from the copy in the store. Each \
      file is copied into `backups/` before it is changed. What is lost cannot be mended: restore it \
      from a backup of your own.

      For a capsule that is locked with a passphrase or to recipients, give what opens it: else its \
      unlock time cannot be compared, and it is not accepted.
      """,
    options: [
      KeyOptions.identity, PassphraseOptions.file, PassphraseOptions.command,
    ], outputs: .json,
    examples: [Example("capsule repair", "Mend the store")],
    exitCodes: [.damaged, .busy, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    guard let store = try session.existingStore() else { return try tell([], session) }
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    if let passphrase = try PassphraseOptions.given(invocation, session) {
      identities.append(ScryptIdentity(passphrase))
    }
    return try tell(try store.repair(with: identities, now: session.now), session)
  }

  private static func tell(
    _ actions: [RepairAction], _ session: Session
  ) throws -> ExitCode {
    try session.render(
      ending: actions.contains(where: \.isFailure) ? .damaged : .ok,
      json: .array(
        actions.map {
          .object(["isMended": .bool(!$0.isFailure), "message": .string($0.words)])
        })
    ) { out in
      for action in actions {
        out.line(
          action.isFailure
            ? "\("not mended", .boldRed)  \(action.words)" : "\("mended", .green)  \(action.words)")
      }
      if actions.isEmpty, !session.isQuiet { out.line("There is nothing to mend.") }
    }
  }
}

extension RepairAction {
  /// The action in one line.
  var words: String {
    switch self {
    case .rewroteHeader: "'store.json' was written anew"
    case .restoredIdentity(let recipient): "the identity of \(recipient) was made again"
    case .acceptedSettings: "'settings.json' is accepted as it stands"
    case .resetSettings: "'settings.json' could not be read and is in 'backups/' now"
    case .acceptedRecord(let kind, let id): "the \(kind.word) \(id) is accepted as it stands"
    case .refusedRecord(let kind, let id, .unlockEarlierThanSealed(let sealed)):
      "the \(kind.word) \(id) says an unlock time earlier than the one in its seal; set it to \(sealed.rfc3339) or later by hand"
    case .refusedRecord(let kind, let id, .sealDamaged):
      "the seal of the \(kind.word) \(id) is damaged or another's"
    case .refusedRecord(let kind, let id, .sealUnreadable):
      "the seal of the \(kind.word) \(id) cannot be opened here; give '--identity' or a passphrase"
    case .endedDeletion(let kind, let id): "the deletion of the \(kind.word) \(id) was undone"
    case .cannotMend(let problem): problem.words
    }
  }
}
