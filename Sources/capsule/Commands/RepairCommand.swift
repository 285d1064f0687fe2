import CapsuleCore

/// `capsule repair`.
enum RepairCommand {
  static let copies = Parameter.options(
    "from", value: "COPY", .path, "Restore missing and damaged data from another copy of the store")
  static let accept = Parameter.options(
    "accept", value: "ID", .text, "Accept the record with this id as it was edited by hand")
  static let restoreKey = Parameter.flag(
    "restore-key", "Restore store.json as this device knows it, if the journal has a copy")
  static let forget = Parameter.options(
    "forget", value: "ID", .text, "Forget the missing record with this id for good")

  static let command = Command(
    "repair", summary: "Repair damaged and missing records and files",
    discussion: """
      Each file is copied into `backups/` before it is changed. Damaged and missing data comes back from two \
      sources:

      - The journal has a second copy of every record, and copies of `store.json`, the settings and the \
      identities.
      - A record's checksum proves the original after a change of one bit or one byte, or of only lines and \
      spaces.

      Any other record that was edited by hand is accepted as it is. It is refused if its unlock time is \
      earlier than the sealed one, or if a part of it no longer opens.

      `--from` restores missing and damaged data, including the files of contents, from another copy of the \
      store. A capsule also gets back missing contents, a replaced lock and a later unlock time. Without a \
      copy, lost data cannot be repaired.

      Limits:

      - A `store.json` with more keys than this device knows is restored from the journal.
      - A `store.json` with other keys is left alone, because its owner may have changed it on another device. \
      `capsule store accept` accepts it, and `--restore-key` restores the one that this device knows.
      - A capsule that is locked with a passphrase or to recipients needs that key. Without the key its unlock \
      time cannot be compared, and a hand edit is not accepted.
      """,
    options: [
      copies, accept, forget, restoreKey, DeleteCommand.yes, KeyOptions.identity,
      PassphraseOptions.file,
      PassphraseOptions.command,
    ], outputs: .json,
    examples: [
      Example("capsule repair", "Repair the store"),
      Example("capsule repair --from /mnt/backup/capsule", "Restore lost data from a backup"),
    ],
    exitCodes: [.notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let finds = invocation[copies].isEmpty ? session.stores.expected : session.stores.existing
    guard let closed = try finds() else {
      if let id = invocation[forget].first { throw notMissing(id) }
      if let id = invocation[accept].first { throw noRecord(id) }
      if let path = invocation[copies].first { throw try nothing(toMendFrom: path, session) }
      return answer([], session)
    }
    let store = try opened(closed, invocation, session)
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    if let passphrase = try PassphraseOptions.given(invocation, session) {
      identities.append(ScryptIdentity(passphrase))
    }
    let forgotten = try invocation[forget].map { try missing($0, in: store) }
    if !forgotten.isEmpty {
      try session.ask.confirm(
        forgotten.count == 1
          ? "Give \(forgotten[0].words(session)) up for good?"
          : "Give \(forgotten.count) records up for good?",
        unless: invocation[DeleteCommand.yes])
    }
    var request = RepairRequest()
    request.restoresKey = invocation[restoreKey]
    request.forgotten = Set(forgotten.map(\.id))
    request.accepted = Set(try invocation[accept].map { try record($0, in: store) })
    request.copies = try invocation[copies].map { path in
      try requireNoCarrier(path, of: store, session)
      return try copy(at: path, session)
    }
    return answer(
      try store.care.repair(request, with: identities, now: session.now), session)
  }

  /// Opens a protected store where the passphrase that is given, or held, is its own: it may be that of
  /// capsules.
  private static func opened(
    _ store: Store, _ invocation: Invocation, _ session: Session
  ) throws -> Store {
    do {
      return try session.passphrases.openedIfGiven(store, invocation)
    } catch let fault as Fault where fault.code == .wrongStorePassphrase {
      return store
    }
  }

  /// The failure for a copy where there is no store: it is put there, and not taken apart.
  private static func nothing(
    toMendFrom path: FilePath, _ session: Session
  ) throws -> Fault {
    _ = try copy(at: path, session)
    let place = try session.stores.path().text
    return Fault(
      .notFound, "no store to repair at '\(place)'",
      hint: "copy the whole backup there: cp -a \(path.text.shellWord) \(place.shellWord)")
  }

  /// Opens another copy of the store.
  private static func copy(at path: FilePath, _ session: Session) throws -> Store {
    let hint = "name the directory of a copy, which has a 'store.json'"
    do {
      let copy = try Store.open(at: path, environment: session.stores.environment)
      if let copy { return copy }
    } catch {
      guard error.code == .notAStore else { throw error }
      var failure = error
      failure.hint = hint
      throw failure
    }
    throw Fault(.notFound, "no store found at '\(path.text)'", hint: hint)
  }

  /// Refuses a carrier: it holds what machines know of records, not a store. Joining it makes one.
  private static func requireNoCarrier(
    _ path: FilePath, of store: Store, _ session: Session
  ) throws {
    let files = session.host.files
    let place: String
    if try files.statusIfPresent(path) == nil {
      let known = try Carriers(session).of(store).first { $0.name == path.text }
      guard let known else { return }
      place = known.place.text
    } else {
      guard try files.statusIfPresent(path.appending(CarrierName.header.path)) != nil else {
        return
      }
      place = path.text
    }
    throw Fault(
      .refused, "'\(path.text)' is a remote, not a copy of the store",
      hint: "clone it first: capsule --store COPY sync clone '\(place.quotedForShell)'; "
        + "then: capsule repair --from COPY")
  }

  /// Finds a record that is missing, by its id or the beginning of it.
  private static func missing(
    _ reference: String, in store: Store
  ) throws -> MissingRecord {
    let found = store.journal.missingRecords().filter { $0.id.description.hasPrefix(reference) }
    guard let only = found.first, !reference.isEmpty else { throw notMissing(reference) }
    guard found.count == 1 else {
      throw Fault(.notFound, "'\(reference)' matches \(found.count) ids")
    }
    return only
  }

  /// Finds a damaged record by its id or the beginning of it: its title may be what was changed.
  private static func record(_ reference: String, in store: Store) throws -> RecordID {
    var found: Set<RecordID> = []
    for kind in RecordKind.allCases {
      try store.folders.forEachFile(kind) { _, name throws(Fault) in
        if case .record(let id) = name, id.description.hasPrefix(reference) { found.insert(id) }
      }
      for record in try store.trash.records(kind) where record.id.description.hasPrefix(reference) {
        found.insert(record.id)
      }
    }
    guard let only = found.first, !reference.isEmpty else { throw noRecord(reference) }
    guard found.count == 1 else {
      throw Fault(.notFound, "'\(reference)' matches \(found.count) ids")
    }
    return only
  }

  private static func notMissing(_ reference: String) -> Fault {
    Fault(
      .notFound, "no missing record has the id '\(reference)'",
      hint: "list missing records: capsule verify")
  }

  private static func noRecord(_ reference: String) -> Fault {
    Fault(
      .notFound, "no record has an id that begins with '\(reference)'",
      hint: "list damaged records: capsule verify")
  }

  private static func answer(_ actions: [RepairAction], _ session: Session) -> Answer {
    Answer(rows: actions, ending: actions.contains(where: \.isFailure) ? .damaged : .ok) {
      ["isMended": (!$0.isFailure).json, "message": $0.words(session).json]
    } text: { out in
      for action in actions {
        out.line(
          action.isFailure
            ? "\("not fixed", .boldRed)  \(action.words(session))"
            : "\("fixed", .green)  \(action.words(session))")
      }
    }
    .unlessQuiet { out in
      if actions.isEmpty { out.line("Nothing to repair.") }
    }
  }
}

extension RepairAction {
  /// The action in one line.
  func words(_ session: Session) -> String {
    switch self {
    case .rewroteHeader: "'store.json' was rewritten"
    case .madeHeader:
      "'store.json' was made from the keys, with a new id, because the old one is unknown; to take it from a backup: capsule repair --from COPY"
    case .restoredTrusteesCopy: "the trustees' copy of the keys was rewritten"
    case .restoredIdentity(let recipient): "the key file of \(recipient) was rewritten"
    case .mendedSettings: "'settings.json' was restored"
    case .mendedRecord(let kind, let id, let proof, let changed):
      "the \(kind.word) \(id) was restored from \(proof.words)"
        + (changed.isEmpty
          ? "" : " (\(changed.map { "'\($0)'" }.joined(separator: ", ")) had been changed)")
    case .restoredRecord(let kind, let id, let revision):
      "the \(kind.word) \(id) was restored, revision \(revision)"
    case .putBack(let id, let members):
      "the capsule \(id): \(members.map { "'\($0)'" }.joined(separator: ", ")) restored from the copy"
    case .restoredBlob(let name): "the content file \(name) was restored"
    case .mendedJournal(let path): "the damaged parts of '\(path)' were moved to 'backups/'"
    case .setAsideSyncState(let path):
      "'\(path)' was renamed to '\(path).damaged'; the next sync compares everything"
    case .forgot(let kind, let id): "the missing \(kind.word) \(id) was given up"
    case .acceptedSettings: "'settings.json' was accepted as it is"
    case .madeDirectory(let path):
      "'\(path)' is a directory again; the file there was moved to 'backups/'"
    case .resetSettings: "'settings.json' could not be read and was moved to 'backups/'"
    case .acceptedRecord(let kind, let id): "the \(kind.word) \(id) was accepted as it is"
    case .refusedRecord(let kind, let id, .unlockEarlierThanSealed(let sealed)):
      "the \(kind.word) \(id) has an earlier unlock time than the sealed one; change it to \(session.dates.text(sealed)) or later"
    case .refusedRecord(let kind, let id, .sealDamaged):
      "the lock of the \(kind.word) \(id) is damaged or belongs to another capsule, or a part no longer opens"
    case .refusedRecord(let kind, let id, .sealUnreadable):
      "the lock of the \(kind.word) \(id) cannot be opened here; use --identity FILE or a passphrase"
    case .refusedRecord(let kind, let id, .breaksRule(let rule)):
      "the \(kind.word) \(id) of the copy was not used: it \(rule.act)"
    case .endedDeletion(let kind, let id): "the deletion of the \(kind.word) \(id) was undone"
    case .cannotMend(let problem):
      if let record = problem.record, case .lock(.unlockEarlier) = problem.detail {
        "\(problem.words(session)); to restore an earlier version: capsule versions \(record.id)"
      } else {
        problem.words(session)
      }
    }
  }
}

extension RepairProof {
  fileprivate var words: String {
    switch self {
    case .journal: "the journal"
    case .checksum: "its checksum"
    case .copy: "another copy of the store"
    }
  }
}
