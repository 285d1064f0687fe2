extension SettingKey {
  /// Those that decide whom new capsules are sealed to, or how strongly.
  package static let ofSealing: [SettingKey] = [.trustees, .postQuantum]
}

// Whom a store seals to. Every writer asks here (docs/decisions/0043).
extension Store {
  /// The recipients that this store seals to: all of its honor locks, the identities that come into a protected
  /// store, and what its machines exchange.
  ///
  /// All of them are compared with what this device knows of the store; the first use makes them known.
  ///
  /// - Throws: `.untrusted` where something differs, `.headerDamaged` where a recipient is not that of its identity.
  package func vouchedRecipients() throws(StoreError) -> [String] {
    // A recipient that was put in by somebody else is not sealed to.
    var pins = StorePins(of: self)
    if let problem = recipientsProblem(pins) {
      throw .untrusted(problem, path: layout.header.text)
    }
    guard header.hasOwnForm, !header.identities.isEmpty,
      header.identities.allSatisfy(\.isUsable)
    else { throw .headerDamaged(path: layout.header.text) }
    pins.keep(currentPins.filter { pins.known($0.subject).isEmpty || $0.subject == .recipients })
    return header.identities.map(\.recipient)
  }

  /// Those recipients, for a new capsule or group of trustees: the settings that decide how it is sealed are compared
  /// too.
  ///
  /// - Throws: as ``vouchedRecipients()``.
  package func vouchedSealing() throws(StoreError) -> [String] {
    let recipients = try vouchedRecipients()
    var pins = StorePins(of: self)
    if let problem = settingsProblems(pins).first {
      throw .untrusted(problem, path: layout.settings.text)
    }
    pins.keep(currentPins)
    return recipients
  }

  /// Compares the recipient of a group of trustees with the one that this device knows; the first use makes it known.
  ///
  /// - Throws: `.untrusted`.
  func requireVouched(_ group: TrusteeGroup) throws(StoreError) {
    var pins = StorePins(of: self)
    if let problem = problem(of: group, pins) {
      throw .untrusted(problem, path: layout.record(.trustees, group.id).text)
    }
    pins.keep([Self.pin(of: group)])
  }

  /// Keeps the recipient of a group whose key was made here.
  package func vouch(forOwn group: TrusteeGroup) {
    var pins = StorePins(of: self)
    pins.keep([Self.pin(of: group)])
  }

  /// Compares the recipients of people with those that this device knows; the first use makes the others known.
  ///
  /// - Returns: the people whose recipient differs.
  package func untrusted(among people: [Beneficiary]) -> [RecordID: StoreError] {
    var pins = StorePins(of: self)
    var differing: [RecordID: StoreError] = [:]
    var new: [Pin] = []
    for person in people {
      if let problem = problem(of: person, pins) {
        differing[person.id] = .untrusted(
          problem, path: layout.record(.beneficiary, person.id).text)
      } else if !person.recipient.isEmpty {
        new.append(Self.pin(of: person))
      }
    }
    pins.keep(new)
    return differing
  }

  /// Keeps the recipients of people where the owner set them here: another change of a record says nothing of its
  /// recipient.
  func vouch<Model: RecordModel>(forOwn changes: [(model: Model, before: Model?)]) {
    guard origin == .person, Model.kind == .beneficiary else { return }
    let new = changes.compactMap { change -> Pin? in
      guard let person = change.model as? Beneficiary else { return nil }
      let former = (change.before as? Beneficiary)?.recipient ?? ""
      return person.recipient == former ? nil : Self.pin(of: person)
    }
    guard !new.isEmpty else { return }
    var pins = StorePins(of: self)
    pins.keep(new)
  }

  /// Keeps whom the store seals to, as its owner made it here: a new store, one that was just protected, or whose
  /// protection was just taken off.
  func vouchForOwnRecipients() {
    var pins = StorePins(of: self)
    pins.keep([recipientsPin])
  }

  /// Keeps all that decides whom a store seals to which was just made here.
  func vouchForAll() {
    var pins = StorePins(of: self)
    pins.keep(currentPins)
  }

  /// Keeps a setting as its owner set it here.
  func vouch(forOwn key: SettingKey, in settings: StoreSettings) {
    guard SettingKey.ofSealing.contains(key) else { return }
    var pins = StorePins(of: self)
    pins.keep([Self.pin(of: key, settings)])
  }

  /// Whether this device takes whom the store seals to on trust: it never sealed to it, nor to another one at its path.
  package var isNewToDevice: Bool {
    StorePins(of: self).known(.recipients).isEmpty
      && header.identities.allSatisfy { KnownLocks(self).knows($0.recipient, of: header.id) == nil }
  }

  /// Whether nothing else is known here of whom the store seals to.
  var isKnownHere: Bool { recipientsProblem(StorePins(of: self)) == nil }

  /// Every difference between whom the store would seal to and what this device knows; nothing is kept.
  package func trustProblems() -> [TrustProblem] {
    let pins = StorePins(of: self)
    var problems = [recipientsProblem(pins)].compactMap(\.self) + settingsProblems(pins)
    problems += models(TrusteeGroup.self).compactMap { problem(of: $0, pins) }
    let knowsPeople = pins.subjects.contains {
      if case .person = $0 { true } else { false }
    }
    if knowsPeople { problems += models(Beneficiary.self).compactMap { problem(of: $0, pins) } }
    return problems
  }

  /// Takes whom the store seals to as it is now, in the place of what this device knew.
  ///
  /// - Parameter problems: the differences that were shown.
  /// - Returns: whether this device could keep it.
  package func acceptTrust(_ problems: [TrustProblem]) -> Bool {
    var pins = StorePins(of: self)
    var accepted = currentPins
    for problem in problems {
      switch problem {
      case .trustees(_, let id, _, _), .otherGroup(_, let id, _, _):
        if let group = try? read(TrusteeGroup.self, id).model {
          accepted.append(Self.pin(of: group))
        }
      case .person(_, let id, _, _):
        if let person = try? read(Beneficiary.self, id).model {
          accepted.append(Self.pin(of: person))
        }
      case .recipients, .unprotected, .setting: break
      }
    }
    return pins.keep(accepted)
  }

  /// A copy of the header, as a machine's journal keeps it, with the recipients that this device knows.
  func knownHeader() -> [UInt8]? {
    let pins = StorePins(of: self)
    return headerCopies().compactMap { $0.files["store.json"].map { Array($0.utf8) } }
      .first { bytes in
        guard RecordFile.integrity(of: bytes) == nil, let copy = Self.header(bytes) else {
          return false
        }
        return copy.id == header.id && copy.hasOwnForm
          && pins.known(.recipients).contains(Self.recipientsPin(of: copy).value)
      }
  }

  /// The records of a kind that can be read, in the order of their ids.
  private func models<Model: RecordModel>(_: Model.Type) -> [Model] {
    var found: [Model] = []
    try? forEachFile(Model.kind) { _, name in
      guard case .record(let id) = name, let model = try? read(Model.self, id).model else { return }
      found.append(model)
    }
    return found
  }
}

// The pins as the store says them now, and their comparison with those that are known.
extension Store {
  fileprivate typealias Pin = (subject: StorePins.Subject, value: [String])

  private static let protectedWord = "protected"
  private static let clearWord = "clear"

  private static func recipientsPin(of header: StoreHeader) -> Pin {
    (
      .recipients,
      [header.isProtected ? protectedWord : clearWord] + header.identities.map(\.recipient)
    )
  }

  private var recipientsPin: Pin { Self.recipientsPin(of: header) }

  /// Those of recipients and settings; without the settings where they cannot be read.
  private var currentPins: [Pin] {
    let settings = try? intactSettings()
    return [recipientsPin]
      + SettingKey.ofSealing.compactMap { key in settings.map { Self.pin(of: key, $0) } }
  }

  private static func pin(of key: SettingKey, _ settings: StoreSettings) -> Pin {
    (.setting(key), [settings[key].string ?? ""])
  }

  private static func pin(of group: TrusteeGroup) -> Pin {
    (.trustees(group.id), [group.recipient, group.name])
  }

  private static func pin(of person: Beneficiary) -> Pin {
    (.person(person.id), [person.recipient])
  }

  private func recipientsProblem(_ pins: StorePins) -> TrustProblem? {
    let now = header.identities.map(\.recipient)
    let known = pins.known(.recipients)
    guard !known.isEmpty else { return problemByDigest(now) }
    let value = recipientsPin.value
    guard !known.contains(where: { $0.elementsEqual(value) }) else { return nil }
    let before = known.last ?? []
    let recipients = Array(before.dropFirst())
    let wasProtected = before.first == Self.protectedWord
    return wasProtected && !header.isProtected
      ? .unprotected(now, known: recipients) : .recipients(now, known: recipients)
  }

  /// Compares with what earlier versions kept: the digest of the one recipient of a store that was protected.
  private func problemByDigest(_ now: [String]) -> TrustProblem? {
    guard let first = now.first,
      KnownLocks(self).knows(first, of: header.id) == false
    else { return nil }
    return .recipients(now, known: [])
  }

  private func settingsProblems(_ pins: StorePins) -> [TrustProblem] {
    guard let settings = try? intactSettings() else { return [] }
    return SettingKey.ofSealing.compactMap { key in
      let value = Self.pin(of: key, settings).value
      let known = pins.known(.setting(key))
      guard let last = known.last, !known.contains(value) else { return nil }
      return .setting(key, value.first ?? "", known: last.first ?? "")
    }
  }

  private func problem(of group: TrusteeGroup, _ pins: StorePins) -> TrustProblem? {
    let known = pins.known(.trustees(group.id))
    if let last = known.last {
      guard !known.contains(where: { $0.first == group.recipient }) else { return nil }
      return .trustees(
        name: group.name, group.id, recipient: group.recipient, known: last.first ?? "")
    }
    // A group that takes the name of a known one would be chosen in its place.
    for case .trustees(let id) in pins.subjects.sorted(by: Self.isBefore) where id != group.id {
      let names = pins.known(.trustees(id)).compactMap { $0.count > 1 ? NameKey($0[1]) : nil }
      if names.contains(NameKey(group.name)) {
        return .otherGroup(name: group.name, group.id, recipient: group.recipient, known: id)
      }
    }
    return nil
  }

  private static func isBefore(
    _ one: StorePins.Subject, _ other: StorePins.Subject
  ) -> Bool {
    guard case .trustees(let one) = one, case .trustees(let other) = other else { return false }
    return one < other
  }

  private func problem(of person: Beneficiary, _ pins: StorePins) -> TrustProblem? {
    let known = pins.known(.person(person.id))
    guard let last = known.last, !known.contains(where: { $0.first == person.recipient }) else {
      return nil
    }
    return .person(
      name: person.name, person.id, recipient: person.recipient, known: last.first ?? "")
  }
}
