extension Setting {
  /// Those that decide whom new capsules are sealed to, or how strongly.
  package static let ofSealing: [Setting] = [.trustees, .postQuantum]
}

/// Whom and how strongly new capsules of a store are sealed, as this device knows it.
package struct VouchedSealing: Sendable {
  package let recipients: [String]
  /// The settings that were compared: no others decide.
  package let settings: StoreSettings

  fileprivate init(recipients: [String], settings: StoreSettings) {
    (self.recipients, self.settings) = (recipients, settings)
  }
}

/// Whom the store seals to, held against what this device knows.
package struct StoreTrust: StoreSubject {
  package let store: Store

  // Whom a store seals to. Every writer asks here (docs/internals/decisions/0043).

  /// The recipients that this store seals to: all of its honor locks, the identities that come into a protected
  /// store, and what its machines exchange.
  ///
  /// All of them are compared with what this device knows of the store; the first use makes them known.
  ///
  /// - Throws: `.keyNotAccepted` where something differs, `.headerDamaged` where the header is not in the form of its
  ///   format or a recipient is not that of its identity, `.io`.
  @discardableResult
  package func recipients() throws(Fault) -> [String] {
    // A recipient that was put in by somebody else is not sealed to.
    try requireUsableHeader()
    var pins = try StorePins(of: store)
    if let problem = recipientsProblem(pins) {
      throw .untrusted(problem, path: layout.header.text)
    }
    pins.keep([(.recipients, RecipientsPin(header).words)])
    return header.identities.map(\.recipient)
  }

  /// Refuses a header that is not in the form of its format, or names a recipient without its identity.
  private func requireUsableHeader() throws(Fault) {
    guard header.hasOwnForm, !header.identities.isEmpty,
      header.identities.allSatisfy(\.isUsable)
    else { throw .headerDamaged(path: layout.header.text) }
  }

  /// Those recipients, for a new capsule or group of trustees, with the settings that decide how it is sealed: they are
  /// compared too.
  package func sealing() throws(Fault) -> VouchedSealing {
    let recipients = try recipients()
    var pins = try StorePins(of: store)
    let (settings, isIntact) = settingsInUse
    if let problem = settingsProblems(pins, settings).first {
      throw .untrusted(problem, path: layout.settings.text)
    }
    if isIntact { pins.keep(Setting.ofSealing.map { Self.pin(of: $0, settings) }) }
    return VouchedSealing(recipients: recipients, settings: settings)
  }

  /// Refuses a store where this device knew another one: what it knows of capsules goes by the store's id.
  func requireKnownStore() throws(Fault) {
    if let known = try StorePins(of: store).storeBefore {
      throw .untrusted(.otherStore(header.id, known: known), path: layout.header.text)
    }
    try recipients()
  }

  /// Refuses secret keys that come into a store which is not as this device knows it: they would be sealed to somebody
  /// else, or not at all. The keys that the device knows as the store's own may come back.
  func requireTrusted(toTake recipients: [String]) throws(Fault) {
    let pins = try StorePins(of: store)
    guard let problem = recipientsProblem(pins) else { return }
    let known = pins.known(.recipients).map { RecipientsPin($0) }.first { !$0.isProtected }
    if let known, Set(known.recipients).isSuperset(of: recipients) { return }
    throw .untrusted(problem, path: layout.header.text)
  }

  /// The settings as they are used; the defaults where they cannot be read.
  private var settingsInUse: (settings: StoreSettings, isIntact: Bool) {
    do {
      let (settings, damage) = try store.settings.read()
      return (settings, damage == nil)
    } catch {
      return (StoreSettings(), false)
    }
  }

  /// Compares the recipient of a group of trustees with the one that this device knows; the first use makes it known.
  func requireVouched(_ group: TrusteeGroup) throws(Fault) {
    try recipients()
    var pins = try StorePins(of: store)
    if let problem = problem(of: group, pins) {
      throw .untrusted(problem, path: layout.record(.trustees, group.id).text)
    }
    pins.keep([Self.pin(of: group)])
  }

  /// Compares the recipients of people with those that this device knows; the first use makes the others known.
  ///
  /// - Returns: the people whose recipient differs.
  package func untrusted(
    among people: [Beneficiary]
  ) throws(Fault) -> [RecordID: Fault] {
    var pins = try StorePins(ofPeopleIn: store)
    var differing: [RecordID: Fault] = [:]
    var new: [StorePins.Pin] = []
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

  /// A copy of the header, as a machine's journal keeps it, with the recipients that this device knows.
  ///
  /// - Parameter isAsked: whether the owner asks for it. Otherwise it is one that lacks nothing but what no program
  ///   puts in: a header in another form, or with more recipients.
  func knownHeader(isAsked: Bool) -> [UInt8]? {
    guard let pins = try? StorePins(of: store), recipientsProblem(pins) != nil || !header.hasOwnForm
    else { return nil }
    let known = pins.known(.recipients)
    return store.copies.all().compactMap { $0.files["store.json"].map { Array($0.utf8) } }
      .first { bytes in
        guard RecordFile.integrity(of: bytes) == nil, let copy = StoreHeader(bytes: bytes),
          copy.id == header.id || isAsked, copy.hasOwnForm,
          known.contains(RecipientsPin(copy).words)
        else { return false }
        let added = Set(header.identities.map(\.recipient))
        return isAsked
          || copy.isProtected == header.isProtected
            && added.isStrictSuperset(of: copy.identities.map(\.recipient))
      }
  }

  // What the owner does on this device makes it known.

  /// Keeps all that decides whom a store seals to which was just made here.
  func vouchForAll() {
    guard var pins = try? StorePins(of: store) else { return }
    let (settings, _) = settingsInUse
    pins.keep(
      [(.recipients, RecipientsPin(header).words)]
        + Setting.ofSealing.map { Self.pin(of: $0, settings) })
  }

  /// Keeps whom the store is about to seal to, before a header says so: an interruption asks nobody.
  ///
  /// - Throws: `.io` where that cannot be kept, and what is known would refuse the new header.
  func vouch(forNext header: StoreHeader) throws(Fault) {
    var pins = try StorePins(of: store)
    try pins.require([(.nextRecipients, RecipientsPin(header).words)])
  }

  /// Keeps whom the store seals to where a repair here made its header anew, with what was known at its path before.
  func vouchForMadeHeader() {
    guard var pins = try? StorePins(of: store), pins.storeBefore != nil,
      recipientsProblem(pins) == nil
    else { return }
    pins.keep(
      [(.recipients, RecipientsPin(header).words)]
        + Setting.ofSealing.compactMap { key in
          pins.known(.setting(key)).first.map { (.setting(key), $0) }
        })
  }

  /// Keeps the key that a group is about to get, beside the one that it has: an interruption asks nobody.
  package func vouch(forNext group: TrusteeGroup, after former: String?) {
    guard var pins = try? StorePins(of: store) else { return }
    let next = Self.pin(of: group)
    let value =
      former.map { [Self.kept($0)] + next.value.dropFirst() + next.value.prefix(1) } ?? next.value
    pins.keep([(next.subject, value)])
  }

  /// Keeps the recipient of a group whose key was made here.
  package func vouch(forOwn group: TrusteeGroup) {
    guard var pins = try? StorePins(of: store) else { return }
    pins.keep([Self.pin(of: group)])
  }

  /// Keeps the recipient of a person as the owner gave it here.
  package func vouch(forOwn person: Beneficiary) {
    guard var pins = try? StorePins(ofPeopleIn: store) else { return }
    pins.keep([Self.pin(of: person)])
  }

  /// Keeps the recipients of people where the owner set them here: another change of a record says nothing of its
  /// recipient.
  func vouch<Model: RecordModel>(forOwn changes: [(model: Model, before: Model?)]) {
    guard store.origin == .person, Model.kind == .beneficiary else { return }
    let new = changes.compactMap { change -> StorePins.Pin? in
      guard let person = change.model as? Beneficiary else { return nil }
      let former = change.before as? Beneficiary
      // One who was made without a recipient is known to have none.
      return former?.recipient == person.recipient ? nil : Self.pin(of: person)
    }
    guard !new.isEmpty, var pins = try? StorePins(ofPeopleIn: store) else { return }
    pins.keep(new)
  }

  /// Keeps a setting as its owner set it here.
  func vouch(forOwn key: Setting, in settings: StoreSettings) {
    guard Setting.ofSealing.contains(key), var pins = try? StorePins(of: store) else { return }
    pins.keep([Self.pin(of: key, settings)])
  }

  /// Whether this device takes whom the store seals to on trust: it never sealed to it, nor to another one at its path.
  package var isNewToDevice: Bool {
    guard let pins = try? StorePins(of: store) else { return false }
    return pins.known(.recipients).isEmpty
      && header.identities.allSatisfy {
        KnownLocks(store).knows($0.recipient, of: header.id) == nil
      }
  }

  /// Whether nothing else is known here of whom the store seals to.
  var isKnownHere: Bool {
    (try? StorePins(of: store)).map { recipientsProblem($0) == nil } ?? false
  }

  // The differences, and their acceptance.

  /// Every difference between whom the store would seal to and what this device knows; nothing is kept.
  ///
  /// - Throws: `.io` where what this device knows cannot be read.
  package func problems() throws(Fault) -> [TrustProblem] {
    let pins = try StorePins(of: store)
    let people = try StorePins(ofPeopleIn: store)
    var problems = [recipientsProblem(pins)].compactMap(\.self)
    // Of another store it is said whom it seals to, too.
    if case .otherStore? = problems.first, let known = pins.known(.recipients).first {
      let before = RecipientsPin(known)
      let now = RecipientsPin(header)
      if before != now { problems.append(.recipients(now.recipients, known: before.recipients)) }
    }
    problems += settingsProblems(pins, settingsInUse.settings)
    problems += models(TrusteeGroup.self).compactMap { problem(of: $0, pins) }
    return problems + models(Beneficiary.self).compactMap { problem(of: $0, people) }
  }

  /// Takes differences that were shown to the owner: what this device knows is as they say.
  ///
  /// - Returns: whether this device could keep it.
  /// - Throws: `.headerDamaged` for a header that nothing may be sealed to, `.io`.
  package func accept(_ problems: [TrustProblem]) throws(Fault) -> Bool {
    guard store.headerProblem == nil else { throw .headerDamaged(path: layout.header.text) }
    try requireUsableHeader()
    var accepted: [StorePins.Pin] = []
    var people: [StorePins.Pin] = []
    for problem in problems {
      switch problem {
      case .recipients, .unprotected, .former, .otherStore:
        // Nor does what an earlier change was about to write count any more.
        accepted += [
          (.recipients, RecipientsPin(header).words),
          (.nextRecipients, RecipientsPin(header).words),
        ]
      case .setting(let key, let value, _): accepted.append((.setting(key), [value]))
      case .trustees(let name, let id, let recipient, _),
        .otherGroup(let name, let id, let recipient, _):
        accepted.append((.trustees(id), [Self.kept(recipient), Self.digest(ofName: name)]))
      case .person(let name, let id, let recipient, _),
        .otherPerson(let name, let id, let recipient, _):
        people.append((.person(id), [Self.kept(recipient), Self.digest(ofName: name)]))
      }
    }
    var pins = try StorePins(of: store)
    var ofPeople = try StorePins(ofPeopleIn: store)
    return pins.keep(accepted) && ofPeople.keep(people)
  }

  /// The records of a kind that can be read, in the order of their ids.
  private func models<Model: RecordModel>(_: Model.Type) -> [Model] {
    var found: [Model] = []
    try? store.folders.forEachFile(Model.kind) { _, name in
      guard case .record(let id) = name, let model = try? store.read(Model.self, id).model else {
        return
      }
      found.append(model)
    }
    return found
  }

  // The pins as the store says them now, and their comparison with those that are known.

  private static func pin(of key: Setting, _ settings: StoreSettings) -> StorePins.Pin {
    (.setting(key), [settings[key].string ?? ""])
  }

  private static func pin(of group: TrusteeGroup) -> StorePins.Pin {
    (.trustees(group.id), [kept(group.recipient), digest(ofName: group.name)])
  }

  private static func pin(of person: Beneficiary) -> StorePins.Pin {
    (.person(person.id), [kept(person.recipient), digest(ofName: person.name)])
  }

  private static let folding = TextFolding()

  /// The digest of a name in any spelling: a purge leaves no name behind.
  private static func digest(ofName name: String) -> String {
    Hex.encode(SHA256.hash(folding.fold(name)))
  }

  /// A recipient as it is kept: of a long one the digest.
  private static func kept(_ recipient: String) -> String {
    recipient.utf8.count <= 80 ? recipient : "sha256-" + KnownLocks.digest(recipient)
  }

  private func recipientsProblem(_ pins: StorePins) -> TrustProblem? {
    // A header that was made anew has another id; it is held against what was known here.
    if let known = pins.storeBefore, store.headerProblem == nil {
      return .otherStore(header.id, known: known)
    }
    let now = RecipientsPin(header)
    let known = pins.known(.recipients)
    guard let first = known.first else { return problemOfEarlierVersion(now.recipients) }
    guard !known.contains(now.words) else { return nil }
    let before = RecipientsPin(first)
    if before.isProtected, !now.isProtected {
      return .unprotected(now.recipients, known: before.recipients)
    }
    return before.recipients == now.recipients
      ? .former(now.former, known: before.former)
      : .recipients(now.recipients, known: before.recipients)
  }

  /// Compares with what earlier versions kept: the digest of the one recipient of a store that was protected, and which
  /// store was in a directory.
  private func problemOfEarlierVersion(_ now: [String]) -> TrustProblem? {
    if let first = now.first, KnownLocks(store).knows(first, of: header.id) == false {
      return .recipients(now, known: [])
    }
    guard let stateHome = environment.stateHome, let own = store.stateDirectory else { return nil }
    let name = "machine-\(store.place.inode)"
    guard (try? files.statusIfPresent(own.appending(name))) == .some(nil) else { return nil }
    let others = ((try? files.contentsIfPresent(ofDirectory: stateHome)) ?? [])
      .compactMap { RecordID(utf8: $0.name[...]) }
    for id in others.sorted() where id != header.id {
      let path = stateHome.appending(id.description).appending(name)
      if (try? files.statusIfPresent(path)).flatMap({ $0 }) != nil {
        return .otherStore(header.id, known: id)
      }
    }
    return nil
  }

  private func settingsProblems(
    _ pins: StorePins, _ settings: StoreSettings
  ) -> [TrustProblem] {
    Setting.ofSealing.compactMap { key in
      let value = Self.pin(of: key, settings).value
      guard let known = pins.known(.setting(key)).first, known != value else { return nil }
      return .setting(key, value.first ?? "", known: known.first ?? "")
    }
  }

  private func problem(of group: TrusteeGroup, _ pins: StorePins) -> TrustProblem? {
    let subject = StorePins.Subject.trustees(group.id)
    if let known = pins.known(subject).first {
      let taken = known.prefix(1) + known.dropFirst(2)
      guard !taken.contains(Self.kept(group.recipient)) else { return nil }
      return .trustees(
        name: group.name, group.id, recipient: group.recipient, known: known.first ?? "")
    }
    return Self.namesake(of: group.name, subject, pins).map {
      .otherGroup(name: group.name, group.id, recipient: group.recipient, known: $0)
    }
  }

  private func problem(of person: Beneficiary, _ pins: StorePins) -> TrustProblem? {
    let subject = StorePins.Subject.person(person.id)
    if let known = pins.known(subject).first {
      guard known.first != Self.kept(person.recipient) else { return nil }
      return .person(
        name: person.name, person.id, recipient: person.recipient, known: known.first ?? "")
    }
    guard !person.recipient.isEmpty else { return nil }
    return Self.namesake(of: person.name, subject, pins).map {
      .otherPerson(name: person.name, person.id, recipient: person.recipient, known: $0)
    }
  }

  /// A known group or person of the same name: people choose them by names.
  private static func namesake(
    of name: String, _ subject: StorePins.Subject, _ pins: StorePins
  ) -> RecordID? {
    let key = digest(ofName: name)
    return pins.names.compactMap { other, known -> RecordID? in
      guard known == key, other != subject else { return nil }
      return switch other {
      case .trustees(let id), .person(let id): id
      case .recipients, .nextRecipients, .setting: nil
      }
    }.min()
  }
}
