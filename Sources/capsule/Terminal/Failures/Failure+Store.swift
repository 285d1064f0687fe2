import CapsuleCore

extension Failure {
  /// A failure that says what the store could not do.
  init(_ error: StoreError) {
    switch error {
    case .io(let error):
      self.init(error)
      if error.isOfKind {
        hint =
          "another kind of file stands there, such as a link, which no store follows: move it away, and "
          + "run 'capsule repair'"
      }
    case .noStore(let path):
      self.init(.notFound, "there is no store at '\(path)'", hint: nil, path: path)
    case .notAStore(let path):
      self.init(
        .refused, "'\(path)' is not a store, and holds something else",
        hint: "name an empty directory, or one that does not exist yet", path: path)
    case .anotherStore(let path):
      self.init(
        .refused, "'\(path)' is another store",
        hint:
          "an archive takes its records over: capsule --store \(path.shellWord) export archive, then "
          + "capsule import archive", path: path)
    case .headerDamaged(let path):
      self.init(
        .damaged, "'\(path)' is missing or damaged",
        hint: "restore the file from a backup; the records and contents beside it are untouched",
        path: path)
    case .newerFormat(let format, let path):
      self.init(
        .version, "'\(path)' has format \(format), which is newer than this program's",
        hint: "use a newer capsule; this one knows format \(StoreHeader.protectedFormat)",
        path: path)
    case .noMigration(let format, let path):
      self.init(
        .version, "'\(path)' has format \(format), which this program cannot bring up to date",
        hint: "use a capsule of a version in between", path: path)
    case .damaged(let damage, let path):
      self.init(Self.kind(of: damage), "'\(path)' \(damage.words)", hint: damage.hint, path: path)
    case .blobDamaged(_, let path, let damage):
      self.init(
        .damaged, "'\(path)' \(damage.words)",
        hint: "'capsule verify' lists all that is damaged; restore the file from a backup",
        path: path)
    case .notFound(let kind, let id):
      self.init(
        .notFound, "there is no \(kind.word) '\(id)' any more",
        hint: "'\(kind.listCommand)' shows what there is", details: ["id": .string(id.description)])
    case .nameTaken(let kind, let name, let id):
      self.init(
        .refused, "another \(kind.word) is called '\(name)'",
        hint: "names are unique whatever their case; change it, or give another name",
        details: ["id": .string(id.description)])
    case .missingReference(let record, let target):
      self.init(
        .refused,
        "the \(record.kind.word) names the \(target.kind.word) '\(target.id)', which is gone",
        hint: "if it lies in the trash: capsule restore \(target.id)",
        details: ["id": .string(target.id.description)])
    case .referenced(let target, let dependents):
      let count = dependents.count
      self.init(
        .refused,
        count == 1
          ? "a bequest hangs on the \(target.kind.word) '\(target.id)'"
          : "\(count) bequests hang on the \(target.kind.word) '\(target.id)'",
        hint: "'--with-bequests' moves them to the trash with it",
        details: [
          "id": .string(target.id.description),
          "bequests": .array(dependents.map { .string($0.id.description) }),
        ])
    case .namedBySetting(let key, let name):
      self.init(
        .refused, "the setting '\(key.name)' names '\(name)', for its spares",
        hint: "first 'capsule settings set \(key.name) NAME' for another, or 'capsule settings "
          + "unset \(key.name)' for none")
    case .settingNamesNothing(let key, let name):
      self.init(
        .refused, "the setting '\(key.name)' names '\(name)', which is not there",
        hint: "'capsule settings set \(key.name) NAME' names another, 'capsule restore' brings "
          + "back what was deleted")
    case .twin(let record):
      self.init(
        .refused,
        record.kind == .bequest
          ? "the same is left to the same person already" : "another person has the card's UID",
        hint: "it is the \(record.kind.word) '\(record.id)'; change that one, or delete it first",
        details: ["id": .string(record.id.description)])
    case .passing(let problem): self.init(problem)
    case .switch(let problem): self.init(problem)
    case .invalidSetting(let key, let value):
      self = .usage("'\(value)' cannot be '\(key.name)'", hint: "it takes \(key.accepted)")
    case .noStateDirectory: self = .internal("this machine keeps no state of the store")
    case .unreadableReferences(let paths):
      self.init(
        .refused, "nothing was deleted: what '\(paths.first ?? "")' names is not known",
        hint: "'capsule verify' says what is damaged, 'capsule repair' mends what can be mended",
        details: ["unreadable": .array(paths.map { .string($0) })])
    case .changedMeanwhile(let kind, let id):
      self.init(
        .busy, "another process changed the \(kind.word) '\(id)' at the same time",
        hint: "nothing was lost; look at it and try again",
        details: ["id": .string(id.description)])
    case .protectionChanged(let path):
      self.init(
        .busy,
        "'\(path)' was changed meanwhile: the store was protected, or its protection taken off",
        hint: "run the command again", path: path)
    case .untrusted(let problem, let path): self.init(problem, path: path)
    case .unreadableMemory(let error):
      self.init(
        .io,
        "what this device knows of the keys of stores cannot be read: "
          + Failure(error).message,
        hint: "restore '\(error.path.text)' from a backup; without it a changed key is not noticed",
        details: ["path": .string(error.path.text)])
    case .busy(let holder):
      let name =
        holder.map { $0.split(whereSeparator: \.isNewline).first.map(String.init) ?? "" } ?? ""
      self.init(
        .busy,
        "another process holds the store" + (name.isEmpty ? "" : " ('\(name)')"),
        hint: "wait for it, or wait longer with '--lock-timeout SECONDS'")
    case .refused(let fault): self.init(fault)
    case .recordTooLarge(let bytes):
      self.init(
        .refused, "the record would be \(bytes) bytes; at most \(RecordFile.sizeLimit) can be kept",
        hint: "put long texts into files")
    case .sourceChanged(let path):
      self.init(
        .refused, "'\(path)' changed while it was read", hint: "try again when it is finished",
        path: path)
    case .random(let failure):
      self.init(.io, "the system gave no random bytes (errno \(failure.code))")
    case .forbidden(.neverEarlier(let from, let to), _):
      self.init(
        .refused, "the unlock time cannot move earlier than", from,
        hint: "a capsule opens no earlier than it was promised; only later",
        details: ["unlockAt": .string(from.rfc3339), "refusedAt": .string(to.rfc3339)])
    case .forbidden(.nothingAdded(let openedAt), _): self.init(CapsuleError.alreadyOpened(openedAt))
    case .forbidden(.lockedAgainOnPurpose(let openedAt), _):
      self.init(
        .refused, "the capsule was opened already; a later unlock time would lock it again",
        hint: "'--lock-again' does that: nobody opens it until then, and nothing can be added",
        details: ["openedAt": .string(openedAt.rfc3339)])
    case .forbidden(.sentStays(let state), let id):
      self.init(
        .refused, "the bequest is \(state.words), and stays as it was then",
        hint: "make another one with 'capsule bequeath'",
        details: ["id": .string(id.description)])
    case .forbidden(.contentsStay, let id), .forbidden(.lockStays, let id),
      .forbidden(.openingStays, let id):
      self = .internal("a change of what is sealed in the capsule \(id)")
    case .forbidden(.deliveryStays, let id), .forbidden(.holdersStay, let id),
      .forbidden(.passingStays, let id):
      self = .internal("a change of what stays in the record \(id)")
    case .cannotPurge(let unreadable, let missing, let conflicts):
      let names = (unreadable + missing + conflicts).prefix(3).map { "'\($0)'" }.joined(
        separator: ", ")
      self.init(
        .refused, "nothing was purged: what \(names) needs is not known",
        hint: unreadable.isEmpty && missing.isEmpty
          ? "look at the conflict copies and move them away"
          : "'capsule verify' says what is damaged or missing, 'capsule repair' mends it",
        details: [
          "missing": .array(missing.map { .string($0) }),
          "unreadable": .array(unreadable.map { .string($0) }),
          "conflicts": .array(conflicts.map { .string($0) }),
        ])
    }
  }

  /// An unlock time that was to move earlier.
  static func neverEarlier(_ from: String, _ to: String, _ unlockAt: Instant) -> Failure {
    Failure(
      .refused,
      "the unlock time cannot move earlier: it is \(from), and \(to) is before",
      hint: "a capsule opens no earlier than it was promised; only later",
      details: ["unlockAt": .string(unlockAt.rfc3339)])
  }

  private init(_ kind: FailureKind, _ message: String, hint: String?, path: String) {
    self.init(kind, message, hint: hint, details: ["path": .string(path)])
  }

  private static func kind(of damage: RecordDamage) -> FailureKind {
    if case .newer = damage { .version } else { .damaged }
  }
}

extension Failure {
  /// A record whose announcements are not known, in words.
  init(_ problem: DueProblem) {
    switch problem {
    case .directory(let error): self.init(error)
    case .unreadable(let path):
      self.init(
        .damaged, "'\(path)' cannot be read", hint: "'capsule verify' says what is damaged")
    case .record(let error): self.init(error)
    }
  }

  /// The rule that a record would break, in words.
  init(_ fault: RecordFault) {
    switch fault {
    case .blank(_, .title): self = .usage("the title is empty")
    case .blank(let kind, _):
      self = .usage(
        "the name is empty",
        hint: kind == .item
          ? "give it a name that tells it from the others"
          : "give the person's name, at most 1 KiB of text")
    case .tooLong(.title, let bytes, let limit):
      self = .usage(
        "the title is \(bytes) bytes long; at most \(limit) can be kept",
        hint: "put the rest into the notes: '--notes TEXT'")
    case .tooLong(.message, let bytes, let limit):
      self.init(
        .refused, "the message has \(bytes) bytes; at most \(limit) can be kept",
        hint: "leave a capsule with the long letter to the person as well")
    case .tooLong(.cardUID, _, let limit), .tooLong(.uid, _, let limit):
      self = .usage("a UID has at most \(limit) bytes")
    case .tooLong(let field, let bytes, let limit):
      self = .usage("the \(field.rawValue) has \(bytes) bytes; at most \(limit) can be kept")
    case .invalid(.phone, let text):
      self = .usage(
        "'\(text)' is no phone number",
        hint: "give digits with + - ( ) . / and spaces, and an extension at most, as "
          + "'+33 6 12 34 56 78' or '555-0100 ext. 12', or '' for none; "
          + "anything else goes into '--contact'")
    case .invalid(_, let text):
      self = .usage(
        "'\(text)' is no email address",
        hint:
          "give one with one @, something before and after it, no spaces, and no - | or / at the "
          + "start, as 'zoe@example.org', or '' for none; anything else goes into '--contact'")
    case .outOfRange(let field, _):
      self = .usage("'\(field.rawValue)' is outside the years 1 to 9999")
    case .repeatedDeadline:
      self = .usage(
        "a deadline cannot be repeated",
        hint: "leave out '--repeat', or '--deadline', or make an event for each deadline")
    case .noDeadline(let title):
      self.init(
        .refused, "'\(title)' is no deadline",
        hint: "'capsule event edit REF --deadline' makes it one")
    case .timeOfDay(let unit):
      self = .usage(
        "a time of day goes with days and longer, not with \(unit)s",
        hint: "leave it out, or take it away with '--time none'")
    case .tooManyAlerts(let count, let limit):
      self = .usage("there are \(count) alerts; at most \(limit) can be kept")
    case .unreadable(let error):
      self = .internal("the record could not be read again: \(error.words)")
    }
  }
}

extension RecordDamage {
  /// The damage in words, behind the file's name.
  var words: String {
    switch self {
    case .notJSON(let error) where error.kind == .tooManyValues:
      "has far more values than a record of its size"
    case .notJSON(let error): "is not JSON (line \(error.line), column \(error.column))"
    case .notAnObject: "is not a JSON object"
    case .field(let error): "has a wrong field: \(error.words)"
    case .otherID(let id): "is the record of another id, \(id)"
    case .checksum: "is not what was written: its checksum does not fit"
    case .missing: "is missing"
    case .noChecksum: "is not what was written: it has no checksum"
    case .newer(let schema): "has record format \(schema), which is newer than this program's"
    }
  }

  fileprivate var hint: String {
    switch self {
    case .checksum, .noChecksum:
      "'capsule repair' puts back what was written, or accepts it if it was changed by hand"
    case .missing: "'capsule repair' makes it again from its copy"
    case .newer: "use a newer capsule"
    case .notJSON, .notAnObject, .field, .otherID:
      "restore the file from a backup; 'capsule verify' lists all that is damaged"
    }
  }
}

extension FieldError {
  /// The field and what is wrong with it.
  var words: String {
    switch problem {
    case .missing: "'\(path)' is missing"
    case .notA(let type):
      "'\(path)' is not a\(type.first.map { "aio".contains($0) } == true ? "n" : "") \(type)"
    case .invalid(let value): "'\(path)' cannot be '\(value.prefix(80))'"
    }
  }
}

extension BlobDamage {
  /// The damage in words, behind the file's name.
  var words: String {
    switch self {
    case .missing: "is missing"
    case .notAFile: "is not a file"
    case .otherBytes: "is not what was written: its bytes do not fit its name"
    }
  }
}
