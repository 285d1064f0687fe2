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

/// The faults of capsules and of the files that go into them.
extension Fault {
  /// A file that was named cannot be read.
  package static func unreadableSource(_ refusal: Fault) -> Fault {
    guard let file = refusal.file else { return refusal }
    var fault = Fault(file)
    fault.code = .unreadableSource
    return fault
  }

  /// A path that was named is a directory.
  package static func sourceIsDirectory(path: String) -> Fault {
    Fault(
      .sourceIsDirectory, "'\(path)' is a directory",
      hint: "name the files, or pack them first: "
        + "tar -cf files.tar '\(path.quotedForShell)'", path: path)
  }

  /// A file is larger than the setting `maxFileSize` allows; the size is what is known of it.
  package static func sourceTooLarge(path: String, size: Int64, limit: Int64) -> Fault {
    Fault(
      .sourceTooLarge,
      "'\(path)' is larger than the setting 'maxFileSize', \(ByteSize.text(limit))",
      hint: "raise it: capsule settings set maxFileSize \(max(size, limit) / (1 << 30) + 1)GiB",
      details: ["path": .string(path), "size": .integer(size), "limit": .integer(limit)])
  }

  /// A file that was to be sealed changed while it was read.
  package static func sealedSourceChanged(path: String) -> Fault {
    Fault(
      .sourceChanged, "'\(path)' changed while capsule was reading it; nothing was created",
      hint: "try again when the file is complete", path: path)
  }

  /// A file that was to be an event's image is none; its MIME type is named.
  package static func notAnImage(path: String, mediaType: String) -> Fault {
    Fault(
      .notAnImage,
      mediaType == "inode/directory"
        ? "'\(path)' is a directory, not an image" : "'\(path)' is not an image (\(mediaType))",
      hint: "use a JPEG, PNG, GIF, WebP, HEIC, TIFF, BMP or SVG file", path: path)
  }

  /// A file was sealed, and what was read back is not what was read: nothing is kept of it.
  package static func proof(path: String) -> Fault {
    Fault(
      .notVerified, "'\(path)' did not decrypt to the same bytes; nothing was created",
      hint: "test the memory and the disk of this computer before you continue",
      path: path)
  }

  /// The record and the lock of a capsule disagree, or its recipient is another than this machine knows.
  package static func lock(_ problem: LockProblem, path: String) -> Fault {
    Fault(
      .lockDisagrees, "'\(path)': \(problem.words)",
      hint: problem == .otherRecipient
        ? "restore the record from a backup, or somebody else could read what you add; if you made the "
          + "change: capsule add --accept-recipient"
        : "restore the record from a backup",
      path: path, cause: problem)
  }

  /// The details inside a content's seal are not what this program writes.
  package static func details(_ error: FieldError?, path: String) -> Fault {
    Fault(
      .contentDamaged,
      "a sealed part of '\(path)' has an unknown form\(error.map { ": \($0.words)" } ?? "")",
      hint: "restore the record from a backup", path: path)
  }

  /// The capsule was opened before: nothing can be put into it any more.
  package static func alreadyOpened(_ openedAt: Instant, cause: ChangeRule? = nil) -> Fault {
    Fault(
      .alreadyOpened, "cannot add to a capsule that was opened on \(openedAt)",
      hint: "create a new capsule: capsule create",
      details: ["openedAt": .string(openedAt.rfc3339)], cause: cause)
  }

  /// A new capsule has a field that no record can hold.
  package static func invalid(_ error: FieldError) -> Fault {
    Fault(.invalidCapsule, "invalid capsule: \(error.words)")
  }

  /// A content, counted from 1, has neither a text nor a file.
  package static func noBytes(content number: Int) -> Fault {
    Fault(
      .contentDamaged, "part \(number) has neither a text nor a file",
      hint: "restore the record from a backup")
  }

  /// A content, counted from 1, has another size than its details say.
  package static func otherSize(content number: Int, _ size: Int64, expected: Int64) -> Fault {
    Fault(
      .contentDamaged,
      "part \(number) has \(String.counting(size, "byte")) instead of \(expected)",
      hint: "restore the file from a backup")
  }

  /// There is no content at this index.
  package static func noSuchContent(_ index: Int) -> Fault {
    Fault(.noSuchContent, "no part has the number \(index)")
  }

  /// A word means no content of a capsule of this title and with so many.
  package static func unknownContent(_ word: String, title: String, count: Int) -> Fault {
    Fault(
      .unknownContent, "'\(title)' has no part '\(word)'",
      hint: count == 0
        ? nil : "use a number from 1 to \(count); list the parts: capsule show \(title.shellWord)",
      details: ["reference": .string(word)])
  }

  /// A word means several contents, by their numbers from 1.
  package static func ambiguousContent(_ word: String, numbers: [Int]) -> Fault {
    Fault(
      .ambiguousContent,
      "'\(word)' matches several parts: \(numbers.map(String.init).joined(separator: ", "))",
      hint: "use the number", details: ["reference": .string(word)])
  }
}

/// A disagreement between a capsule's record and its lock, as far as can be seen without its keys.
public enum LockProblem: Hashable, Sendable {
  /// The recipient in the record is not valid.
  case noRecipient
  /// Contents that were added would be sealed to another recipient than the one whose key the lock holds.
  case otherRecipient
  /// The lock is that of another capsule.
  case otherCapsule(RecordID)
  /// The record's unlock time is earlier than the one that is sealed.
  case unlockEarlier(sealed: Instant)
  /// The record says another kind of lock, or another chain, than the form that is sealed with its key.
  case otherForm(sealed: String)
  /// The chain in the record is not one: its parameters do not fit each other, or have the public key of a known
  /// chain.
  case noChain
  /// The lock is sealed to another round or chain than the record says, or to none.
  case otherRound
  /// The lock of a timelock can be lifted by so many escrows, and the record names another number.
  case escrows(sealed: Int, recorded: Int)
  /// The lock cannot be read.
  case unreadable
}

extension LockProblem {
  /// The disagreement, behind the name of the record.
  package var words: Fault.Message {
    switch self {
    case .noRecipient: "the recipient is not valid"
    case .otherRecipient: "the recipient was changed after the capsule was created"
    case .otherCapsule(let id): "the lock belongs to another capsule, \(id)"
    case .unlockEarlier(let sealed):
      "the unlock time is earlier than the sealed one, \(sealed)"
    case .otherForm(let sealed): "the lock was sealed as '\(sealed)', and the record says otherwise"
    case .noChain:
      "the drand chain has wrong parameters or the public key of another chain"
    case .otherRound: "the lock is sealed to a different drand round or chain than the record says"
    case .escrows(let sealed, let recorded):
      "the lock has \(String.counting(sealed, "escrow recipient")), but the record lists \(recorded == 0 ? "none" : "\(recorded)")"
    case .unreadable: "the lock cannot be read"
    }
  }
}

/// Names of files that desktops, file systems and synchronisers put into any directory, beside what is
/// there: they say how a folder is shown, or stand for a file that is still open. None of them is a copy
/// of a record.
enum BystanderName {
  private static let whole: Set<String> = [
    ".ds_store", ".localized", "icon\r", ".appledouble", ".metadata_never_index",
    "thumbs.db", "ehthumbs.db", "desktop.ini", ".directory", "@eadir", ".nomedia", ".gitkeep",
    ".stfolder", ".stignore", ".dropbox", ".dropbox.attr",
  ]

  /// `._` is of AppleDouble (what a file has beside its bytes); the others are files that were removed
  /// while a program had them open, on a file system of the network or of a program.
  private static let beginnings: [[UInt8]] = [
    Array("._".utf8), Array(".nfs".utf8), Array(".fuse_hidden".utf8),
  ]

  static func contains(_ name: [UInt8]) -> Bool {
    beginnings.contains { name.starts(with: $0) }
      || whole.contains(String(decoding: name.map(lowercased), as: UTF8.self))
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
