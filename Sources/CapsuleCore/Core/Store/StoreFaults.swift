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
    Fault(.noStore, "there is no store at '\(path)'", path: path)
  }

  /// The directory holds something else.
  package static func notAStore(path: String) -> Fault {
    Fault(
      .notAStore, "'\(path)' is not a store, and holds something else",
      hint: "name an empty directory, or one that does not exist yet", path: path)
  }

  /// The directory is another store, and no copy of this one.
  package static func anotherStore(path: String) -> Fault {
    Fault(
      .anotherStore, "'\(path)' is another store",
      hint:
        "an archive takes its records over: capsule --store \(path.shellWord) export archive, then "
        + "capsule import archive", path: path)
  }

  /// The store's own header is missing or not what was written.
  package static func headerDamaged(path: String) -> Fault {
    Fault(
      .headerDamaged, "'\(path)' is missing or damaged",
      hint: "restore the file from a backup; the records and contents beside it are untouched",
      path: path)
  }

  /// The store, or a record in it, is of a newer format than this program's.
  package static func newerFormat(_ format: Int64, path: String) -> Fault {
    Fault(
      .newerFormat, "'\(path)' has format \(format), which is newer than this program's",
      hint: "use a newer capsule; this one knows format \(StoreHeader.protectedFormat)",
      path: path)
  }

  /// The store is of an older format that this program has no way from.
  package static func noMigration(from format: Int64, path: String) -> Fault {
    Fault(
      .noMigration,
      "'\(path)' has format \(format), which this program cannot bring up to date",
      hint: "use a capsule of a version in between", path: path)
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
      hint: "'capsule verify' lists all that is damaged; restore the file from a backup",
      path: path, cause: damage)
  }

  /// No record has this id.
  package static func notFound(_ kind: RecordKind, _ id: RecordID) -> Fault {
    Fault(
      .gone, "there is no \(kind.word) '\(id)' any more",
      hint: "'\(kind.listCommand)' shows what there is", id: id)
  }

  /// Another record of the kind has the name, or one that differs only in case or Unicode form.
  package static func nameTaken(_ kind: RecordKind, name: String, _ id: RecordID) -> Fault {
    Fault(
      .nameTaken, "another \(kind.word) is called '\(name)'",
      hint: "names are unique whatever their case; change it, or give another name", id: id)
  }

  /// A record names another one that is not there; the cause is the reference to that.
  package static func missingReference(from record: RecordReference, to target: RecordReference)
    -> Fault
  {
    Fault(
      .missingReference,
      "the \(record.kind.word) names the \(target.kind.word) '\(target.id)', which is gone",
      hint: "if it lies in the trash: capsule restore \(target.id)", id: target.id, cause: target)
  }

  /// Other records name the one that was to go.
  package static func referenced(_ target: RecordReference, by dependents: [RecordReference])
    -> Fault
  {
    let count = dependents.count
    return Fault(
      .referenced,
      count == 1
        ? "a bequest hangs on the \(target.kind.word) '\(target.id)'"
        : "\(count) bequests hang on the \(target.kind.word) '\(target.id)'",
      hint: "'--with-bequests' moves them to the trash with it",
      details: [
        "id": .string(target.id.description),
        "bequests": .array(dependents.map { .string($0.id.description) }),
      ])
  }

  /// A setting names the record that was to go.
  package static func namedBySetting(_ setting: Setting, name: String) -> Fault {
    Fault(
      .namedBySetting, "the setting '\(setting.name)' names '\(name)', for its spares",
      hint: "first 'capsule settings set \(setting.name) NAME' for another, or 'capsule settings "
        + "unset \(setting.name)' for none")
  }

  /// A setting names a record that is not there.
  package static func settingNamesNothing(_ setting: Setting, name: String) -> Fault {
    Fault(
      .settingNamesNothing,
      "the setting '\(setting.name)' names '\(name)', which is not there",
      hint: "'capsule settings set \(setting.name) NAME' names another, 'capsule restore' brings "
        + "back what was deleted")
  }

  /// A live record says the same: the thing is left to the person already, or has the card's UID.
  package static func twin(_ record: RecordReference) -> Fault {
    Fault(
      .twin,
      record.kind == .bequest
        ? "the same is left to the same person already" : "another person has the card's UID",
      hint: "it is the \(record.kind.word) '\(record.id)'; change that one, or delete it first",
      id: record.id, cause: record)
  }

  /// A rule about the passing of the owner.
  package static func passing(_ problem: PassingProblem) -> Fault {
    switch problem {
    case .ownerUnknown:
      Fault(
        .refused, "it is not known whose store this is",
        hint: "say so first: capsule settings set owner NAME", cause: problem)
    case .declared:
      Fault(
        .busy, "another process declared it at the same time",
        hint: "'capsule passing show' says as of when", cause: problem)
    case .notDeclared:
      Fault(
        .refused, "no passing was declared", hint: "there is nothing to take back", cause: problem)
    case .otherName(let name):
      Fault(
        .refused, "'\(name)' is not the owner's name; nothing was declared",
        hint: "type it as 'capsule settings get owner' shows it", cause: problem)
    case .ownerStays:
      Fault(
        .refused, "a passing of the owner is declared; whose it was stays",
        hint: "'capsule passing withdraw' takes the declaration back", cause: problem)
    }
  }

  /// A rule about the switch.
  package static func `switch`(_ problem: SwitchProblem) -> Fault {
    switch problem {
    case .off:
      Fault(
        .refused, "the switch is off",
        hint: "turn it on: capsule switch set --every '30 days' --contact PERSON", cause: problem)
    case .ended:
      Fault(
        .refused, "a passing of the owner is declared, and the switch has ended with it",
        hint: "'capsule passing withdraw' takes the declaration back", cause: problem)
    case .noWitness:
      Fault(
        .usage, "it is not said who hears of your silence",
        hint: "name each with '--contact PERSON'", cause: problem)
    case .unreachableWitness(let id, let name):
      Fault(
        .refused, "'\(name)' has no email address, and an emergency contact needs one",
        hint: "add it: capsule beneficiary edit '\(name.quotedForShell)' --email ADDRESS", id: id,
        cause: problem)
    case .span(let span):
      Fault(
        .usage, "'\(span)' is no time for the switch",
        hint: "write a span of at most 10 years, such as '30 days'", cause: problem)
    }
  }

  /// The value is none that the setting can have.
  package static func invalidSetting(_ setting: Setting, _ value: String) -> Fault {
    Fault(
      .invalidSetting, "'\(value)' cannot be '\(setting.name)'",
      hint: "it takes \(setting.accepted)")
  }

  /// The store was opened without a directory for what this machine remembers.
  package static let noStateDirectory = Fault(
    .noStateDirectory, "this machine keeps no state of the store")

  /// Some records cannot be read, so no record can go that they may name.
  package static func unreadableReferences(paths: [String]) -> Fault {
    Fault(
      .unreadableReferences,
      "nothing was deleted: what '\(paths.first ?? "")' names is not known",
      hint: "'capsule verify' says what is damaged, 'capsule repair' mends what can be mended",
      details: ["unreadable": .array(paths.map { .string($0) })])
  }

  /// Another process changed the record since it was read.
  package static func changedMeanwhile(_ kind: RecordKind, _ id: RecordID) -> Fault {
    Fault(
      .changedMeanwhile, "another process changed the \(kind.word) '\(id)' at the same time",
      hint: "nothing was lost; look at it and try again", id: id)
  }

  /// The store was protected, or its protection taken off, since this process opened it.
  package static func protectionChanged(path: String) -> Fault {
    Fault(
      .protectionChanged,
      "'\(path)' was changed meanwhile: the store was protected, or its protection taken off",
      hint: "run the command again", path: path)
  }

  /// The store would seal to somebody whom this device does not know; the file that says so is named.
  package static func untrusted(_ problem: TrustProblem, path: String) -> Fault {
    var details = problem.members
    details["path"] = .string(path)
    return Fault(
      .untrusted, "\(problem.words)",
      hint: "if you made this change, accept it on this device: capsule store accept",
      details: details, cause: problem)
  }

  /// What this device knows of whom stores seal to is there and cannot be read.
  package static func unreadableMemory(_ refusal: Fault) -> Fault {
    let path = refusal.file?.path.text ?? ""
    return Fault(
      .unreadableMemory,
      "what this device knows of the keys of stores cannot be read: \(refusal.message)",
      hint: "restore '\(path)' from a backup; without it a changed key is not noticed",
      path: path, cause: refusal.file)
  }

  /// Another process holds the store; `holder` is what it left in the lock file.
  package static func busy(holder: String?) -> Fault {
    let name =
      holder.map { $0.split(whereSeparator: \.isNewline).first.map(String.init) ?? "" } ?? ""
    return Fault(
      .storeBusy, "another process holds the store\(name.isEmpty ? "" : " ('\(name)')")",
      hint: "wait for it, or wait longer with '--lock-timeout SECONDS'", cause: holder)
  }

  /// A record would be larger than a record may be.
  package static func recordTooLarge(bytes: Int) -> Fault {
    Fault(
      .recordTooLarge,
      "the record would be \(bytes) bytes; at most \(RecordFile.sizeLimit) can be kept",
      hint: "put long texts into files")
  }

  /// A source changed while it was read.
  package static func sourceChanged(path: String) -> Fault {
    Fault(
      .sourceChanged, "'\(path)' changed while it was read",
      hint: "try again when it is finished", path: path)
  }

  /// The change of a record is one that a rule does not allow.
  package static func forbidden(_ rule: ChangeRule, _ id: RecordID) -> Fault {
    switch rule {
    case .neverEarlier(let from, let to):
      Fault(
        .ruleBroken, "the unlock time cannot move earlier than \(from)",
        hint: "a capsule opens no earlier than it was promised; only later",
        details: ["unlockAt": .string(from.rfc3339), "refusedAt": .string(to.rfc3339)],
        cause: rule)
    case .nothingAdded(let openedAt): alreadyOpened(openedAt, cause: rule)
    case .lockedAgainOnPurpose(let openedAt):
      Fault(
        .ruleBroken, "the capsule was opened already; a later unlock time would lock it again",
        hint: "'--lock-again' does that: nobody opens it until then, and nothing can be added",
        details: ["openedAt": .string(openedAt.rfc3339)], cause: rule)
    case .sentStays(let state):
      Fault(
        .ruleBroken, "the bequest is \(state.words), and stays as it was then",
        hint: "make another one with 'capsule bequeath'", id: id, cause: rule)
    case .contentsStay, .lockStays, .openingStays:
      Fault(.internal, "a change of what is sealed in the capsule \(id)", cause: rule)
    case .deliveryStays, .holdersStay, .passingStays:
      Fault(.internal, "a change of what stays in the record \(id)", cause: rule)
    }
  }

  /// The purge was not done, because some file may name a blob and cannot be read.
  package static func cannotPurge(unreadable: [String], missing: [String], conflicts: [String])
    -> Fault
  {
    let names = (unreadable + missing + conflicts).prefix(3).map { "'\($0)'" }
      .joined(separator: ", ")
    return Fault(
      .cannotPurge, "nothing was purged: what \(names) needs is not known",
      hint: unreadable.isEmpty && missing.isEmpty
        ? "look at the conflict copies and move them away"
        : "'capsule verify' says what is damaged or missing, 'capsule repair' mends it",
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
    case .otherBytes: "is not what was written: its bytes do not fit its name"
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
    if file.condition == .notFound { fault.hint = "quote words that belong together" }
    return fault
  }

  /// A path that was named is a directory.
  package static func sourceIsDirectory(path: String) -> Fault {
    Fault(
      .sourceIsDirectory, "'\(path)' is a directory",
      hint: "name its files, or pack it into one first: "
        + "tar -cf files.tar '\(path.quotedForShell)'", path: path)
  }

  /// A file is larger than the setting `maxFileSize` allows; the size is what is known of it.
  package static func sourceTooLarge(path: String, size: Int64, limit: Int64) -> Fault {
    Fault(
      .sourceTooLarge,
      "'\(path)' is larger than \(ByteSize.text(limit)), the setting 'maxFileSize'",
      hint: "raise it: capsule settings set maxFileSize \(max(size, limit) / (1 << 30) + 1)GiB",
      details: ["path": .string(path), "size": .integer(size), "limit": .integer(limit)])
  }

  /// A file that was to be sealed changed while it was read.
  package static func sealedSourceChanged(path: String) -> Fault {
    Fault(
      .sourceChanged, "'\(path)' changed while it was read; nothing was made",
      hint: "try again when it is finished", path: path)
  }

  /// A file that was to be an event's image is none; its MIME type is named.
  package static func notAnImage(path: String, mediaType: String) -> Fault {
    Fault(
      .notAnImage, "'\(path)' is no image; it is \(mediaType)",
      hint: "it takes a JPEG, PNG, GIF, WebP, HEIC, TIFF, BMP or SVG file", path: path)
  }

  /// A file was sealed, and what was read back is not what was read: nothing is kept of it.
  package static func proof(path: String) -> Fault {
    Fault(
      .proof, "'\(path)' was sealed, and does not open as what was read; nothing was made",
      hint: "the memory or the disk of this machine may be faulty: test it before you go on",
      path: path)
  }

  /// The record and the lock of a capsule disagree, or its recipient is another than this machine knows.
  package static func lock(_ problem: LockProblem, path: String) -> Fault {
    Fault(
      .lockDisagrees, "'\(path)': \(problem.words)",
      hint: problem == .otherRecipient
        ? "restore the record from a backup: what is added would be readable to somebody else; "
          + "'--accept-recipient' of 'capsule add' takes it where you know better"
        : "restore the record from a backup",
      path: path, cause: problem)
  }

  /// The details inside a content's seal are not what this program writes.
  package static func details(_ error: FieldError?, path: String) -> Fault {
    Fault(
      .contentDamaged,
      "what is inside a seal of '\(path)' is not a content\(error.map { ": \($0.words)" } ?? "")",
      hint: "restore the record from a backup", path: path)
  }

  /// The capsule was opened before: nothing can be put into it any more.
  package static func alreadyOpened(_ openedAt: Instant, cause: ChangeRule? = nil) -> Fault {
    Fault(
      .alreadyOpened, "nothing can be added any more: the capsule was opened on \(openedAt)",
      hint: "make a new capsule", details: ["openedAt": .string(openedAt.rfc3339)], cause: cause)
  }

  /// A new capsule has a field that no record can hold.
  package static func invalid(_ error: FieldError) -> Fault {
    Fault(.invalidCapsule, "the capsule cannot be kept: \(error.words)")
  }

  /// A content, counted from 1, has neither a text nor a file.
  package static func noBytes(content number: Int) -> Fault {
    Fault(
      .contentDamaged, "content \(number) has neither a text nor a file",
      hint: "restore the record from a backup")
  }

  /// A content, counted from 1, has another size than its details say.
  package static func otherSize(content number: Int, _ size: Int64, expected: Int64) -> Fault {
    Fault(
      .contentDamaged,
      "content \(number) has \(String.counting(size, "byte")) instead of \(expected)",
      hint: "restore its file from a backup")
  }

  /// There is no content at this index.
  package static func noSuchContent(_ index: Int) -> Fault {
    Fault(.noSuchContent, "there is no content \(index)")
  }

  /// A word means no content of a capsule of this title and with so many.
  package static func unknownContent(_ word: String, title: String, count: Int) -> Fault {
    Fault(
      .unknownContent, "'\(title)' has no content '\(word)'",
      hint: count == 0
        ? "it holds nothing"
        : "its contents have the numbers 1 to \(count); 'capsule open REF' shows their names",
      details: ["reference": .string(word)])
  }

  /// A word means several contents, by their numbers from 1.
  package static func ambiguousContent(_ word: String, numbers: [Int]) -> Fault {
    Fault(
      .ambiguousContent,
      "'\(word)' means several: \(numbers.map(String.init).joined(separator: ", "))",
      hint: "give the number", details: ["reference": .string(word)])
  }
}

/// A disagreement between a capsule's record and its lock, as far as can be seen without its keys.
public enum LockProblem: Hashable, Sendable {
  /// The recipient in the record is none.
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
    case .noRecipient: "the recipient in it is none"
    case .otherRecipient: "the recipient in it is another than the capsule was made with"
    case .otherCapsule(let id): "its lock is that of another capsule, \(id)"
    case .unlockEarlier(let sealed):
      "its unlock time is earlier than the one inside the seal: \(sealed)"
    case .otherForm(let sealed): "its lock was sealed as '\(sealed)', and it says otherwise"
    case .noChain:
      "its chain does not have the parameters that it says, or has the public key of another chain"
    case .otherRound: "its lock is sealed to another round or chain than it says"
    case .escrows(let sealed, let recorded):
      "its lock can be lifted early by \(String.counting(sealed, "escrow")), and it names "
        + "\(recorded)"
    case .unreadable: "its lock cannot be read"
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
