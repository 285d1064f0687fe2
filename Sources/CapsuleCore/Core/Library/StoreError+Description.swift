extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .io(let error): "\(error)"
    case .noStore(let path): "there is no store at \(path.quoted)"
    case .anotherStore(let path): "\(path.quoted) is another store"
    case .notAStore(let path): "\(path.quoted) is not a store, and holds something else"
    case .headerDamaged(let path): "\(path.quoted) is missing or damaged"
    case .newerFormat(let format, let path):
      "\(path.quoted) has format \(format), which is newer than this library's"
    case .noMigration(let format, let path):
      "\(path.quoted) has format \(format), which this library cannot bring up to date"
    case .damaged(let damage, let path): "\(path.quoted): \(damage)"
    case .blobDamaged(_, let path, .missing): "\(path.quoted) is missing"
    case .blobDamaged(_, let path, .notAFile): "\(path.quoted) is not a file"
    case .blobDamaged(_, let path, .otherBytes):
      "\(path.quoted) is not what was written: its bytes do not fit its name"
    case .notFound(let kind, let id): "there is no \(kind.noun) \(id)"
    case .nameTaken(let kind, let name, let id):
      "another \(kind.noun), \(id), is called \(name.quoted)"
    case .missingReference(let record, let target):
      "the \(record.kind.noun) \(record.id) names the \(target.kind.noun) \(target.id), which is not there"
    case .twin(let record): "the \(record.kind.noun) \(record.id) says the same already"
    case .passing(let problem): problem.words
    case .switch(let problem): problem.words
    case .invalidSetting(let setting, let value):
      "\(value.quoted) cannot be the setting \(setting.key)"
    case .noStateDirectory: "the store was opened without a directory for its state"
    case .unreadableReferences(let paths):
      "nothing was deleted: it is not known what \(paths.quotedList) names"
    case .referenced(let target, let dependents):
      "the \(target.kind.noun) \(target.id) is named by other records: "
        + dependents.prefix(3).map { "\($0.kind.noun) \($0.id)" }.joined(separator: ", ")
    case .namedBySetting(let setting, let name):
      "the setting \(setting.key) names \(name.quoted)"
    case .settingNamesNothing(let setting, let name):
      "the setting \(setting.key) names \(name.quoted), which is not there"
    case .changedMeanwhile(let kind, let id):
      "another process changed the \(kind.noun) \(id) at the same time"
    case .protectionChanged(let path):
      "\(path.quoted) was changed meanwhile: the store was protected, or its protection taken off"
    case .untrusted(let problem, _): problem.words
    case .unreadableMemory(let error):
      "what this device knows of the keys of stores cannot be read: \(error.path.text.quoted)"
    case .busy(let holder):
      "another process holds the store" + (holder.map { ": \($0.trimmed.quoted)" } ?? "")
    case .refused(let fault): "\(fault)"
    case .recordTooLarge(let bytes): "the record would be \(bytes) bytes, which is too large"
    case .sourceChanged(let path): "\(path.quoted) changed while it was read"
    case .random(let failure): "\(failure)"
    case .forbidden(let rule, let id): "the record \(id): \(rule.words)"
    case .cannotPurge(let unreadable, let missing, let conflicts):
      "nothing was purged: it is not known what \((unreadable + missing + conflicts).quotedList) names"
    }
  }
}

extension RecordKind {
  /// The word for one of the kind.
  fileprivate var noun: String { self == .trustees ? "trustee group" : rawValue }
}

extension [String] {
  /// The first of them, for a message.
  fileprivate var quotedList: String {
    prefix(3).map(\.quoted).joined(separator: ", ") + (count > 3 ? ", …" : "")
  }
}

extension PassingProblem {
  fileprivate var words: String {
    switch self {
    case .ownerUnknown: "it is not known whose store this is"
    case .declared: "a passing is declared already"
    case .notDeclared: "no passing is declared"
    case .otherName(let name): "\(name.quoted) is not the owner's name"
    case .ownerStays: "a passing is declared, so the owner stays as it is"
    }
  }
}

extension SwitchProblem {
  fileprivate var words: String {
    switch self {
    case .off: "the switch is off"
    case .ended: "a passing is declared, and the switch has ended with it"
    case .noWitness: "the switch has no witness"
    case .unreachableWitness(_, let name): "the witness \(name.quoted) has no email address"
    case .span(let text): "\(text.quoted) is no span of at most ten years"
    }
  }
}

extension ChangeRule {
  fileprivate var words: String {
    switch self {
    case .neverEarlier(let from, let to):
      "the unlock time cannot move earlier, from \(from.rfc3339) to \(to.rfc3339)"
    case .lockedAgainOnPurpose(let openedAt):
      "it was opened on \(openedAt.rfc3339), and a later unlock time would lock it again"
    case .nothingAdded(let openedAt):
      "nothing can be added after it was opened on \(openedAt.rfc3339)"
    case .contentsStay: "contents that are sealed stay as they are"
    case .lockStays: "a lock stays as it is"
    case .openingStays: "the first opening stays"
    case .sentStays(let state): "it is \(state.rawValue), and stays as it was then"
    case .deliveryStays(let state): "it is \(state.rawValue), and a delivery never goes back"
    case .holdersStay: "the keys and shares of trustees, and who holds them, stay known"
    case .passingStays: "a declared passing stays until it is withdrawn"
    }
  }
}

extension RecordDamage: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notJSON(let error): "it is not JSON: \(error)"
    case .notAnObject: "it is not a JSON object"
    case .field(let error): "it has a wrong field: \(error)"
    case .otherID(let id): "it is the record of another id, \(id)"
    case .checksum: "it is not what was written: its checksum does not fit"
    case .missing: "it is missing"
    case .noChecksum: "it is not what was written: it has no checksum"
    case .newer(let schema): "it has record format \(schema), which is newer than this library's"
    }
  }
}

extension BequestMarkError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .gone(let reference):
      "the bequest names the \(reference.kind.noun) \(reference.id), which is not there"
    case .problem(let problem): "\(problem)"
    case .store(let error): "\(error)"
    }
  }
}

extension Bequest.MarkProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .order(let from, let to):
      "a bequest in the state \(from.rawValue) cannot become \(to.rawValue)"
    case .beforeLast(let last): "the last change was later, on \(last.rfc3339)"
    }
  }
}
