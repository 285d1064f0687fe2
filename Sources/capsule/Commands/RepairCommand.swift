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

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    guard let closed = try session.stores.existing() else {
      if let id = invocation[forget].first { throw notMissing(id) }
      if let id = invocation[accept].first { throw noRecord(id) }
      if let path = invocation[copies].first { throw try nothing(toMendFrom: path, session) }
      return try answer([], session)
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
    return try answer(
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
      .notFound, "there is no store in '\(place)' that could be mended",
      hint: "put the copy there, all of it: cp -a \(path.text.shellWord) \(place.shellWord)")
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
    throw Fault(.notFound, "there is no store in '\(path.text)'", hint: hint)
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
      .refused, "'\(path.text)' is a carrier, not a copy of the store",
      hint: "make a copy of it: capsule --store COPY sync clone '\(place.quotedForShell)'; "
        + "then give that: capsule repair --from COPY")
  }

  /// Finds a record that is missing, by its id or the beginning of it.
  private static func missing(
    _ reference: String, in store: Store
  ) throws -> MissingRecord {
    let found = store.journal.missingRecords().filter { $0.id.description.hasPrefix(reference) }
    guard let only = found.first, !reference.isEmpty else { throw notMissing(reference) }
    guard found.count == 1 else {
      throw Fault(.notFound, "'\(reference)' is the beginning of \(found.count) ids")
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
      throw Fault(.notFound, "'\(reference)' is the beginning of \(found.count) ids")
    }
    return only
  }

  private static func notMissing(_ reference: String) -> Fault {
    Fault(
      .notFound, "no record '\(reference)' is missing",
      hint: "'capsule verify' names what is missing, with its id")
  }

  private static func noRecord(_ reference: String) -> Fault {
    Fault(
      .notFound, "no record's id begins with '\(reference)'",
      hint: "'capsule verify' names what is damaged, with its id")
  }

  private static func answer(
    _ actions: [RepairAction], _ session: Session
  ) throws -> ExitCode {
    try session.console.render(
      ending: actions.contains(where: \.isFailure) ? .damaged : .ok,
      json: .array(
        actions.map {
          .object(["isMended": .bool(!$0.isFailure), "message": .string($0.words(session))])
        })
    ) { out in
      for action in actions {
        out.line(
          action.isFailure
            ? "\("not mended", .boldRed)  \(action.words(session))"
            : "\("mended", .green)  \(action.words(session))")
      }
      if actions.isEmpty, !session.isQuiet { out.line("There is nothing to mend.") }
    }
  }
}

extension RepairAction {
  /// The action in one line.
  func words(_ session: Session) -> String {
    switch self {
    case .rewroteHeader: "'store.json' was written anew"
    case .madeHeader:
      "'store.json' was made of the identities, with a new id, for nothing says the old one; with 'repair --from COPY' it comes from a backup"
    case .restoredTrusteesCopy: "the trustees' copy of the identities was made again"
    case .restoredIdentity(let recipient): "the identity of \(recipient) was made again"
    case .mendedSettings: "'settings.json' is as it was written again"
    case .mendedRecord(let kind, let id, let proof, let changed):
      "the \(kind.word) \(id) is as it was written again, by \(proof.words)"
        + (changed.isEmpty
          ? "" : " (\(changed.map { "'\($0)'" }.joined(separator: ", ")) had changed)")
    case .restoredRecord(let kind, let id, let revision):
      "the \(kind.word) \(id) is back, revision \(revision)"
    case .putBack(let id, let members):
      "the capsule \(id) has \(members.map { "'\($0)'" }.joined(separator: ", ")) again, from the copy"
    case .restoredBlob(let name): "the content file \(name) is back"
    case .mendedJournal(let path): "the damaged parts of '\(path)' are in 'backups/' now"
    case .setAsideSyncState(let path):
      "'\(path)' is '\(path).damaged' now; the next sync compares everything"
    case .forgot(let kind, let id): "the \(kind.word) \(id) is given up"
    case .acceptedSettings: "'settings.json' is accepted as it stands"
    case .madeDirectory(let path):
      "'\(path)' is a directory again; what stood there is in 'backups/' now"
    case .resetSettings: "'settings.json' could not be read and is in 'backups/' now"
    case .acceptedRecord(let kind, let id): "the \(kind.word) \(id) is accepted as it stands"
    case .refusedRecord(let kind, let id, .unlockEarlierThanSealed(let sealed)):
      "the \(kind.word) \(id) says an unlock time earlier than the one in its seal; set it to \(session.dates.text(sealed)) or later by hand"
    case .refusedRecord(let kind, let id, .sealDamaged):
      "the seal of the \(kind.word) \(id) is damaged or another's, or a content no longer opens"
    case .refusedRecord(let kind, let id, .sealUnreadable):
      "the seal of the \(kind.word) \(id) cannot be opened here; give '--identity' or a passphrase"
    case .refusedRecord(let kind, let id, .breaksRule(let rule)):
      "the copy's \(kind.word) \(id) is not taken: it \(rule.act)"
    case .endedDeletion(let kind, let id): "the deletion of the \(kind.word) \(id) was undone"
    case .cannotMend(let problem):
      if let record = problem.record, case .lock(.unlockEarlier) = problem.detail {
        "\(problem.words(session)); 'capsule versions \(record.id)' goes back to what was written before"
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
