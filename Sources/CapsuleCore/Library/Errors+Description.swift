// The descriptions of errors, for logs and for programs that have no words of their own: one sentence in
// small letters, without a full stop. Texts of a store are hostile: control characters are escaped.

extension StoreError: CustomStringConvertible {
  public var description: String { words.escapingControls }

  private var words: String {
    switch self {
    case .io(let error): error.description
    case .notAStore(let path): "'\(path)' holds something else than a store"
    case .anotherStore(let path): "'\(path)' is another store"
    case .headerDamaged(let path): "'\(path)' is missing or damaged"
    case .newerFormat(let format, let path): "'\(path)' has the newer format \(format)"
    case .noMigration(let format, let path):
      "'\(path)' has format \(format), from which there is no way"
    case .damaged(let damage, let path): "'\(path)' \(damage)"
    case .blobDamaged(_, let path, let damage): "'\(path)' \(damage)"
    case .notFound(let kind, let id): "there is no \(kind.rawValue) \(id)"
    case .nameTaken(let kind, let name, let id):
      "the \(kind.rawValue) \(id) has the name '\(name)' already"
    case .missingReference(let record, let target):
      "the \(record.kind.rawValue) \(record.id) names the \(target.kind.rawValue) \(target.id), "
        + "which is not there"
    case .twin(let record): "the \(record.kind.rawValue) \(record.id) says the same"
    case .passing(let problem): problem.description
    case .switch(let problem): problem.description
    case .unreadableReferences(let paths):
      "the names in \(paths.count) files, such as '\(paths.first ?? "")', cannot be read"
    case .referenced(let target, let dependents):
      "\(dependents.count) records name the \(target.kind.rawValue) \(target.id)"
    case .namedBySetting(let key, let name): "the setting '\(key.rawValue)' names '\(name)'"
    case .settingNamesNothing(let key, let name):
      "the setting '\(key.rawValue)' names '\(name)', which is not there"
    case .changedMeanwhile(let kind, let id):
      "another process changed the \(kind.rawValue) \(id) meanwhile"
    case .protectionChanged(let path): "the protection of the store was changed: '\(path)'"
    case .busy(let holder): "another process holds the store" + (holder.map { ": \($0)" } ?? "")
    case .refused(let fault): fault.description
    case .recordTooLarge(let bytes):
      "the record has \(bytes) bytes; at most \(RecordFile.sizeLimit) can be kept"
    case .sourceChanged(let path): "'\(path)' changed while it was read"
    case .random(let failure): failure.description
    case .forbidden(let rule, let id): "\(rule) (\(id))"
    case .cannotPurge(let unreadable, let missing, let conflicts):
      "\(unreadable.count + missing.count + conflicts.count) files keep the trash from being purged, such "
        + "as '\((unreadable + missing + conflicts).first ?? "")'"
    }
  }
}

extension ChangeRule: CustomStringConvertible {
  public var description: String {
    switch self {
    case .neverEarlier(let from, let to):
      "the unlock time \(from.rfc3339) cannot move to the earlier \(to.rfc3339)"
    case .lockedAgainOnPurpose(let since):
      "the capsule was opened at \(since.rfc3339), and a later unlock time would lock it again"
    case .nothingAdded(let since):
      "the capsule was opened at \(since.rfc3339), and takes no more contents"
    case .contentsStay: "contents that are sealed stay as they are"
    case .lockStays: "the lock of a capsule stays as it is"
    case .openingStays: "the first opening of a capsule stays"
    case .sentStays(let state): "the bequest is \(state.rawValue), and stays as it was then"
    }
  }
}

extension RecordFault: CustomStringConvertible {
  public var description: String { words.escapingControls }

  private var words: String {
    switch self {
    case .blank(let kind, let field): "the \(field.rawValue) of the \(kind.rawValue) is empty"
    case .tooLong(let field, let bytes, let limit):
      "the \(field.rawValue) has \(bytes) bytes; at most \(limit) can be kept"
    case .invalid(let field, let text): "'\(text)' cannot be the \(field.rawValue)"
    case .outOfRange(let field, let time):
      "\(field.rawValue) is \(time.seconds) seconds from 1970, outside the years 1 to 9999"
    case .repeatedDeadline: "a deadline cannot be repeated"
    case .noDeadline(let title): "'\(title)' is no deadline"
    case .timeOfDay(let unit): "a reminder that counts \(unit)s has no time of day"
    case .tooManyAlerts(let count, let limit):
      "there are \(count) alerts; at most \(limit) can be kept"
    case .unreadable(let error): "the record could not be read again: \(error)"
    }
  }
}

extension RecordDamage: CustomStringConvertible {
  /// The damage, to stand behind the name of the file.
  public var description: String {
    switch self {
    case .notJSON(let error): "is not JSON (\(error))"
    case .notAnObject: "is not a JSON object"
    case .field(let error): "has a wrong field: \(error)"
    case .otherID(let id): "is the record of another id, \(id)"
    case .checksum: "is not what was written: its checksum does not fit"
    case .missing: "is missing"
    case .noChecksum: "is not what was written: it has no checksum"
    case .newer(let schema): "has the newer record format \(schema)"
    }
  }
}

extension BlobDamage: CustomStringConvertible {
  /// The damage, to stand behind the name of the file.
  public var description: String {
    switch self {
    case .missing: "is missing"
    case .notAFile: "is not a file"
    case .otherBytes: "is not what was written: its bytes do not fit its name"
    }
  }
}

extension FieldError: CustomStringConvertible {
  public var description: String {
    switch problem {
    case .missing: "'\(path)' is missing".escapingControls
    case .notA(let type): "'\(path)' is not of the type \(type)".escapingControls
    case .invalid(let value): "'\(path)' cannot be '\(value.prefix(80))'".escapingControls
    }
  }
}

extension FileSystemError: CustomStringConvertible {
  public var description: String {
    let other = destination.map { " to '\($0.text)'" } ?? ""
    return "cannot \(operation.rawValue) '\(path.text)'\(other): \(symbol)".escapingControls
  }
}

extension RandomSource.Failure: CustomStringConvertible {
  public var description: String { "the system gave no random bytes (errno \(code))" }
}

extension PassingProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .ownerUnknown: "it is not known whose store it is"
    case .declared: "a passing is declared already"
    case .notDeclared: "no passing is declared"
    case .otherName(let name): "'\(name)' is not the owner's name".escapingControls
    case .ownerStays: "a passing is declared, and whose it was stays"
    }
  }
}

extension SwitchProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .off: "the switch is off"
    case .ended: "a passing is declared, and the switch has ended with it"
    case .noWitness: "the switch has no witness"
    case .unreachableWitness(_, let name): "'\(name)' has no email address".escapingControls
    case .span(let text): "'\(text)' is no span of at most ten years"
    }
  }
}

extension CapsuleError: CustomStringConvertible {
  public var description: String { words.escapingControls }

  private var words: String {
    switch self {
    case .store(let error): error.description
    case .unreadableSource(let error): error.description
    case .sourceIsDirectory(let path): "'\(path)' is a directory"
    case .sourceTooLarge(let path, let size, let limit):
      "'\(path)' has \(size) bytes or more; at most \(limit) are taken"
    case .sourceChanged(let path): "'\(path)' changed while it was read"
    case .streamFailed(let error): "reading failed: \(error)"
    case .seal(let error, let path): "the seal of '\(path)' failed: \(error)"
    case .proof(let path): "'\(path)' was read back from its seal as something else"
    case .lock(let problem, let path): "the lock of '\(path)' does not fit its record: \(problem)"
    case .details(let error, let path):
      "the sealed details of '\(path)' cannot be read" + (error.map { ": \($0)" } ?? "")
    case .alreadyOpened(let time): "the capsule was opened at \(time.rfc3339)"
    case .invalid(let error): "no record can hold it: \(error)"
    case .noBytes(let content): "content \(content) has neither a text nor a file"
    case .otherSize(let content, let size, let expected):
      "content \(content) has \(size) bytes in the place of \(expected)"
    case .noSuchContent(let index): "there is no content at index \(index)"
    case .unknownContent(let word, let title, let count):
      "'\(word)' is none of the \(count) contents of '\(title)'"
    case .ambiguousContent(let word, let numbers):
      "'\(word)' means \(numbers.count) contents: \(numbers)"
    case .nameTaken(let path): "'\(path)' exists already"
    }
  }
}

extension OpeningError: CustomStringConvertible {
  public var description: String { words.escapingControls }

  private var words: String {
    switch self {
    case .capsule(let error): error.description
    case .locked(let time, let remaining):
      "the capsule is locked until \(time.rfc3339), \(remaining) seconds from now"
    case .timelock(let error): "the timelock in the record is wrong: \(error)"
    case .otherRound: "the lock is sealed to another round or chain than the record says"
    case .unrecordedTimelock: "the lock is timelocked, and the record does not say to what"
    case .noKey: "no key fits"
    case .lock(let error): "the lock cannot be opened: \(error)"
    case .lockFault(let fault): "the lock does not belong to the record: \(fault)"
    case .source(let error): "no keys or beacons could be had: \(error)"
    }
  }
}

extension LockFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notKeyFile: "it holds no key of a capsule"
    case .layers: "it has more layers than locks have"
    case .otherCapsule(let id): "it is the lock of the capsule \(id)"
    case .unlockEarlier(let sealed): "the sealed unlock time is \(sealed.rfc3339), which is later"
    case .otherRecipient: "the recipient is another"
    }
  }
}

extension LockProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noRecipient: "the record has no recipient"
    case .otherRecipient: "the recipient is another"
    case .otherCapsule(let id): "it is the lock of the capsule \(id)"
    case .unlockEarlier(let sealed): "the sealed unlock time is \(sealed.rfc3339), which is later"
    case .otherRound: "it is sealed to another round or chain"
    case .escrows(let sealed, let recorded):
      "it has \(sealed) escrows, and the record names \(recorded)"
    case .unreadable: "it cannot be read"
    }
  }
}

extension BequestMarkError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .gone(let reference):
      "the \(reference.kind.rawValue) \(reference.id) is not there any more"
    case .problem(.order(let from, let to)):
      "a bequest that is \(from.rawValue) cannot become \(to.rawValue)"
    case .problem(.beforeLast(let time)): "the last change was later, at \(time.rfc3339)"
    case .store(let error): error.description
    }
  }
}

extension KeysError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .identity(let index): "the identity at index \(index) is no secret key of age's"
    case .beacon: "the beacon is neither drand's JSON nor 96 hexadecimal digits"
    }
  }
}

extension LockRequestError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .recipient(let index): "the recipient at index \(index) is none that can be sealed to"
    case .emptyPassphrase: "the passphrase is empty"
    case .timelockInside: "a timelock cannot stand inside another"
    case .outOfRange: "the time lies outside the years 1 to 9999"
    }
  }
}

extension ZoneNameError: CustomStringConvertible {
  public var description: String { "this machine knows no zone '\(name)'".escapingControls }
}
