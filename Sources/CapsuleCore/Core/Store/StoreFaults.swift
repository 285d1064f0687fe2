/// The faults of a store, each in the words that people read.
extension Fault {
  package init(
    _ code: Code, _ message: Message, hint: String? = nil, path: String,
    cause: (any Sendable)? = nil
  ) {
    self.init(code, message, hint: hint, details: ["path": .string(path)], cause: cause)
  }

  package init(
    _ code: Code, _ message: Message, hint: String? = nil, id: RecordID,
    cause: (any Sendable)? = nil
  ) {
    self.init(
      code, message, hint: hint, details: ["id": .string(id.description)], cause: cause)
  }

  /// There is no store, and none was to be made.
  package static func noStore(path: String) -> Fault {
    Fault(
      .noStore, "store not found: '\(path)'",
      hint: "check the path, or that the disk is mounted", path: path)
  }

  /// The directory holds something else.
  package static func notAStore(path: String) -> Fault {
    Fault(
      .notAStore, "'\(path)' is not a store and is not empty",
      hint: "choose an empty directory, or one that does not exist yet", path: path)
  }

  /// The directory is another store, and no copy of this one.
  package static func anotherStore(path: String) -> Fault {
    Fault(
      .anotherStore, "'\(path)' is a copy of a different store",
      hint:
        "make an archive of it: capsule --store \(path.shellWord) export archive --output FILE; then: "
        + "capsule import archive FILE", path: path)
  }

  /// The store's own header is missing or not what was written.
  package static func headerDamaged(path: String) -> Fault {
    Fault(
      .headerDamaged, "'\(path)' is missing or damaged",
      hint: "restore the file from a backup; records and contents are untouched",
      path: path)
  }

  /// iCloud has taken the store's own header off this machine.
  package static func headerAway(path: String) -> Fault {
    Fault(
      .storeAway, "'\(path)' is only in iCloud, not on this machine",
      hint: "download the folder of the store in Finder, and keep it downloaded", path: path)
  }

  /// The store, or a record in it, is of a newer format than this program's.
  package static func newerFormat(_ format: Int64, path: String) -> Fault {
    Fault(
      .newerFormat,
      "'\(path)' has format \(format), which this version of capsule cannot use",
      hint: "install a newer version of capsule",
      path: path)
  }

  /// The store is of an older format that this program has no way from.
  package static func noMigration(from format: Int64, path: String) -> Fault {
    Fault(
      .noMigration,
      "'\(path)' has format \(format), which this program cannot upgrade",
      hint: "upgrade it with an older version of capsule first", path: path)
  }

  /// A record is not what was written.
  package static func damaged(_ damage: RecordDamage, path: String) -> Fault {
    let code: Code = if case .newer = damage { .newerRecord } else { .recordDamaged }
    return Fault(code, "'\(path)' \(damage.words)", hint: damage.hint, path: path, cause: damage)
  }

  /// Bytes of a content are missing or not what was written.
  package static func blobDamaged(_ name: BlobName, path: String, _ damage: BlobDamage) -> Fault {
    Fault(
      .blobDamaged, "'\(path)' \(damage.words)",
      hint: "restore the file from a backup; list all damage: capsule verify",
      path: path, cause: damage)
  }

  /// No record has this id.
  package static func notFound(_ kind: RecordKind, _ id: RecordID) -> Fault {
    Fault(
      .recordGone, "the \(kind.word) '\(id)' no longer exists",
      hint: "list what exists: \(kind.listCommand)", id: id)
  }

  /// Another record of the kind has the name, or one that differs only in case or Unicode form.
  package static func nameTaken(_ kind: RecordKind, name: String, _ id: RecordID) -> Fault {
    Fault(
      .nameTaken, "another \(kind.word) is called '\(name)'",
      hint: "choose another name; upper and lower case count as the same", id: id)
  }

  /// A record names another one that is not there; the cause is the reference to that.
  package static func missingReference(from record: RecordReference, to target: RecordReference)
    -> Fault
  {
    Fault(
      .missingReference,
      "the \(record.kind.word) refers to the \(target.kind.word) '\(target.id)', which does not exist",
      hint: "restore it if it is in the trash: capsule restore \(target.id)", id: target.id,
      cause: target)
  }

  /// Other records name the one that was to go.
  package static func referenced(_ target: RecordReference, by dependents: [RecordReference])
    -> Fault
  {
    let count = dependents.count
    return Fault(
      .referenced,
      count == 1
        ? "a bequest refers to the \(target.kind.word) '\(target.id)'"
        : "\(count) bequests refer to the \(target.kind.word) '\(target.id)'",
      hint: "delete the bequests too: --with-bequests",
      details: [
        "id": .string(target.id.description),
        "bequests": .array(dependents.map { .string($0.id.description) }),
      ])
  }

  /// A setting names the record that was to go.
  package static func namedBySetting(_ setting: Setting, name: String) -> Fault {
    Fault(
      .namedBySetting, "the setting '\(setting.name)' uses '\(name)' for recovery copies",
      hint:
        "choose another group: capsule settings set \(setting.name) NAME; or none: capsule settings "
        + "unset \(setting.name)")
  }

  /// A setting names a record that is not there.
  package static func settingNamesNothing(_ setting: Setting, name: String) -> Fault {
    Fault(
      .settingNamesNothing,
      "the setting '\(setting.name)' names '\(name)', which does not exist",
      hint:
        "choose another: capsule settings set \(setting.name) NAME; or restore it: capsule restore")
  }

  /// A live record says the same: the thing is left to the person already, or has the card's UID.
  package static func twin(_ record: RecordReference) -> Fault {
    Fault(
      .duplicate,
      record.kind == .bequest
        ? "the bequest '\(record.id)' already leaves the same thing to the same person"
        : "the person '\(record.id)' was imported from the same card",
      hint:
        "edit or delete that \(record.kind.word) first: capsule \(record.kind.rawValue) edit \(record.id)",
      id: record.id, cause: record)
  }

  /// A rule about the passing of the owner.
  package static func passing(_ problem: PassingProblem) -> Fault {
    switch problem {
    case .ownerUnknown:
      Fault(
        .refused, "the owner of this store is not set",
        hint: "set the owner: capsule settings set owner NAME", cause: problem)
    case .declared:
      Fault(
        .busy, "another process declared the death at the same time",
        hint: "show the declaration: capsule passing show", cause: problem)
    case .notDeclared:
      Fault(
        .refused, "no death has been declared", cause: problem)
    case .otherName(let name):
      Fault(
        .refused, "'\(name)' is not the owner's name; nothing was declared",
        hint: "type the name exactly as printed by: capsule settings get owner", cause: problem)
    case .ownerStays:
      Fault(
        .refused, "the owner cannot change after a death has been declared",
        hint: "withdraw the declaration first: capsule passing withdraw", cause: problem)
    }
  }

  /// A rule about the switch.
  package static func `switch`(_ problem: SwitchProblem) -> Fault {
    switch problem {
    case .off:
      Fault(
        .refused, "the dead man's switch is off",
        hint: "turn it on: capsule switch set --every '30 days' --contact PERSON", cause: problem)
    case .ended:
      Fault(
        .refused, "the dead man's switch ended when a death was declared",
        hint: "withdraw the declaration first: capsule passing withdraw", cause: problem)
    case .noWitness:
      Fault(
        .usage, "no emergency contact given",
        hint: "name at least one: --contact PERSON", cause: problem)
    case .unreachableWitness(let id, let name):
      Fault(
        .refused, "the emergency contact '\(name)' has no email address",
        hint: "add one: capsule beneficiary edit '\(name.quotedForShell)' --email ADDRESS", id: id,
        cause: problem)
    case .span(let span):
      Fault(
        .usage, "invalid interval for the switch: '\(span)'",
        hint: "use a duration of at most 10 years, such as '30 days'", cause: problem)
    }
  }

  /// The value is none that the setting can have.
  package static func invalidSetting(_ setting: Setting, _ value: String) -> Fault {
    Fault(
      .invalidSetting, "invalid value for the setting '\(setting.name)': '\(value)'",
      hint: "use \(setting.accepted)")
  }

  /// The store was opened without a directory for what this machine remembers.
  package static let noStateDirectory = Fault(
    .noStateDirectory, "this device keeps no state for the store")

  /// Some records cannot be read, so no record can go that they may name.
  package static func unreadableReferences(paths: [String]) -> Fault {
    Fault(
      .unreadableReferences,
      "nothing was deleted: '\(paths.first ?? "")' cannot be read and may still be using the record",
      hint: "list the damage: capsule verify; then fix it: capsule repair",
      details: ["unreadable": .array(paths.map { .string($0) })])
  }

  /// Another process changed the record since it was read.
  package static func changedMeanwhile(_ kind: RecordKind, _ id: RecordID) -> Fault {
    Fault(
      .changedMeanwhile, "another process changed the \(kind.word) '\(id)' at the same time",
      hint: "run the command again; nothing was lost", id: id)
  }

  /// The store was protected, or its protection taken off, since this process opened it.
  package static func protectionChanged(path: String) -> Fault {
    Fault(
      .protectionChanged,
      "another process turned the passphrase protection of the store on or off: '\(path)'",
      hint: "run the command again", path: path)
  }

  /// The store would seal to somebody whom this device does not know; the file that says so is named.
  package static func untrusted(_ problem: TrustProblem, path: String) -> Fault {
    var details = problem.members
    details["path"] = .string(path)
    return Fault(
      .keyNotAccepted, "\(problem.words)",
      hint:
        "if you made this change: capsule store accept; if not, somebody else may have changed the store",
      details: details, cause: problem)
  }

  /// What this device knows of whom stores seal to is there and cannot be read.
  package static func unreadableMemory(_ refusal: Fault) -> Fault {
    let path = refusal.file?.path.text ?? ""
    return Fault(
      .knownKeysUnreadable,
      "the list of known keys on this device cannot be read: \(refusal.message)",
      hint: "restore '\(path)' from a backup; without it, capsule cannot notice a changed key",
      path: path, cause: refusal.file)
  }

  /// Another process holds the store; `holder` is what it left in the lock file.
  package static func busy(holder: String?) -> Fault {
    let name =
      holder.map { $0.split(whereSeparator: \.isNewline).first.map(String.init) ?? "" } ?? ""
    return Fault(
      .storeBusy, "another process is using the store\(name.isEmpty ? "" : ": '\(name)'")",
      hint: "try again later, or wait longer: --lock-timeout SECONDS", cause: holder)
  }

  /// A record would be larger than a record may be.
  package static func recordTooLarge(bytes: Int) -> Fault {
    Fault(
      .recordTooLarge,
      "the record is too large: \(bytes) bytes, and the limit is \(RecordFile.sizeLimit)",
      hint: "put long texts into files")
  }

  /// The change of a record is one that a rule does not allow.
  package static func forbidden(_ rule: ChangeRule, _ id: RecordID) -> Fault {
    switch rule {
    case .neverEarlier(let from, let to):
      Fault(
        .changeNotAllowed, "the unlock time cannot move earlier than \(from)",
        hint: "choose a later time",
        details: ["unlockAt": .string(from.rfc3339), "refusedAt": .string(to.rfc3339)],
        cause: rule)
    case .nothingAdded(let openedAt): alreadyOpened(openedAt, cause: rule)
    case .lockedAgainOnPurpose(let openedAt):
      Fault(
        .changeNotAllowed,
        "the capsule was already opened; a later unlock time would lock it again",
        hint: "lock it again until then: --lock-again",
        details: ["openedAt": .string(openedAt.rfc3339)], cause: rule)
    case .sentStays(let state):
      Fault(
        .changeNotAllowed, "the bequest is \(state.words) and can no longer be changed",
        hint: "make a new bequest: capsule bequeath", id: id, cause: rule)
    case .contentsStay, .lockStays, .openingStays:
      Fault(.internal, "the sealed parts of the capsule '\(id)' cannot change", cause: rule)
    case .deliveryStays, .holdersStay, .passingStays:
      Fault(.internal, "the fixed parts of the record '\(id)' cannot change", cause: rule)
    }
  }

  /// The purge was not done, because some file may name a blob and cannot be read.
  package static func cannotPurge(unreadable: [String], missing: [String], conflicts: [String])
    -> Fault
  {
    let names = (unreadable + missing + conflicts).prefix(3).map { "'\($0)'" }
      .joined(separator: ", ")
    return Fault(
      .cannotPurge, "not purging: \(names) cannot be read, so its files may still be needed",
      hint: unreadable.isEmpty && missing.isEmpty
        ? "move the conflict copies out of the store"
        : "list the damage: capsule verify; then fix it: capsule repair",
      details: [
        "missing": .array(missing.map { .string($0) }),
        "unreadable": .array(unreadable.map { .string($0) }),
        "conflicts": .array(conflicts.map { .string($0) }),
      ])
  }

  /// What is wrong with a record; `nil` for another fault.
  package var damage: RecordDamage? { cause as? RecordDamage }

  /// What is wrong with a blob; `nil` for another fault.
  package var blobDamage: BlobDamage? { cause as? BlobDamage }

  /// The rule that a change broke; `nil` for another fault.
  package var rule: ChangeRule? { cause as? ChangeRule }
}

/// The faults of a blob.
public enum BlobDamage: Hashable, Sendable {
  case missing
  case notAFile
  case otherBytes
}

extension BlobDamage {
  /// The damage in words, behind the file's name.
  package var words: String {
    switch self {
    case .missing: "is missing"
    case .notAFile: "is not a file"
    case .otherBytes: "is damaged: its checksum does not match"
    }
  }
}
