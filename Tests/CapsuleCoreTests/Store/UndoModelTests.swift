import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Random lives of one device, with other writers, clocks that jump and lists that lose their end, held to what
/// docs/how-to/undo.md promises. The tests look at the files of the store alone.
@Suite struct UndoModelTests {
  @Test func `undo does what it says, and keeps what it must`() throws {
    var tried = UndoWorld.Tried()
    let disk = try UndoWorld.base()
    for seed in 0..<TestScale.count(full: 100_000, debug: 100) {
      var world = UndoWorld(seed: UInt64(seed), on: disk)
      for _ in 0..<12 { try world.step() }
      try world.verify()
      expect(world.problems.isEmpty, "seed \(seed): \(world.problems.joined(separator: "; "))")
      tried.add(world.tried)
    }
    // Each of them was met.
    expect(tried.undone > 40 && tried.redone > 5 && tried.refused > 5, "\(tried)")
    expect(tried.partly > 0 && tried.further > 10 && tried.unknown > 2, "\(tried)")
  }

  @Test func `after all is undone and done again, each record says what it said`() throws {
    let disk = try UndoWorld.base()
    for seed in 0..<TestScale.count(full: 20_000, debug: 14) {
      var world = UndoWorld(seed: UInt64(1_000_000 + seed), on: disk)
      for _ in 0..<8 { try world.operate() }
      let said = world.said()
      let first = try world.undoAll()
      let before = world.said()
      try world.redoAll()
      world.expect(world.said(), says: said, "all done again")
      // Once more: what can be undone is again what it was.
      let second = try world.undoAll()
      world.expect(world.said(), says: before, "all undone again")
      if first != second { world.problems.append("\(first) were undone, then \(second)") }
      if !world.problems.isEmpty { world.problems.append(world.trace.joined(separator: ", ")) }
      expect(world.problems.isEmpty, "seed \(seed): \(world.problems.joined(separator: "; "))")
    }
  }
}

/// What must be true when something was taken back, by the specification alone.
struct UndoRules {
  /// The members that are one part: a time with its zone, an access with its date.
  static let units: [RecordKind: [[String]]] = [
    .capsule: [["unlockAt", "unlockZone"]],
    .event: [["at", "date", "zone", "local"]],
    .bequest: [["access", "accessAt"]],
    .trustees: [
      ["recipient", "identifier", "threshold", "shares", "former", "earlierIdentifiers"]
    ],
  ]
  static let lists: Set<String> = ["tags", "alerts", "history", "media"]
  /// What a rule may keep.
  static let ruled: [RecordKind: Set<String>] = [
    .capsule: ["unlockAt", "openedAt", "contents", "lock"],
    .bequest: ["delivery", "access", "message"],
  ]

  static func units(of kind: RecordKind, _ objects: [JSONObject]) -> [[String]] {
    let known = units[kind] ?? []
    let joined = Set(known.joined())
    return known + Set(objects.flatMap(\.keys)).subtracting(joined).sorted().map { [$0] }
  }

  static func values(_ unit: [String], of object: JSONObject) -> [JSON] {
    unit.map { Said.value(object[$0]) }
  }

  /// Says what is wrong with a record that a change was taken out of.
  static func problem(
    _ kind: RecordKind, found before: JSONObject, left after: JSONObject, today: JSONObject,
    now result: JSONObject, kept: [UndoPlan.Kept]
  ) -> String? {
    for unit in units(of: kind, [before, after, today, result]) {
      let (b, a, t, r) = (
        values(unit, of: before), values(unit, of: after), values(unit, of: today),
        values(unit, of: result)
      )
      let name = unit.joined(separator: "+")
      let own = kept.filter { $0.field.map(unit.contains) ?? true }
      if b == a || t == b {
        if r != t { return "\(name) became another although it was not to be taken back" }
      } else if let member = unit.first, lists.contains(member), t != a {
        if let problem = problem(ofList: b, a, t, r) { return "\(name): \(problem)" }
      } else if t != a {
        if r != t { return "\(name) was changed since, and is lost" }
        if own.isEmpty { return "\(name) was changed since, and nobody says so" }
      } else if r == t {
        let isRuled = ruled[kind]?.contains { unit.contains($0) } ?? false
        let wholeIsRuled = kind == .capsule || kind == .bequest || kind == .trustees
        guard !own.isEmpty else { return "\(name) stays, and nobody says so" }
        if !isRuled, !own.contains(where: { $0.field == nil && wholeIsRuled }) {
          return "\(name) stays for no reason"
        }
      } else if r != b {
        return "\(name) is neither what it was nor what it is"
      }
    }
    return nil
  }

  private static func problem(ofList b: [JSON], _ a: [JSON], _ t: [JSON], _ r: [JSON]) -> String? {
    func elements(_ list: [JSON]) -> Set<JSON> { Set(list.first?.array ?? []) }
    let (b, a, t, r) = (elements(b), elements(a), elements(t), elements(r))
    if !t.subtracting(a).isSubset(of: r) { return "what was added since is lost" }
    if !t.intersection(a).intersection(b).isSubset(of: r) { return "what was there is lost" }
    if !r.isSubset(of: t.union(b)) { return "something is there that never was" }
    if !r.intersection(a.intersection(b)).isSubset(of: t) { return "what was taken out is back" }
    return nil
  }

  /// Says what of a store went back although nothing may take it back.
  static func broken(_ before: Said, _ after: Said) -> [String] {
    var problems: [String] = []
    for (record, old) in before.records {
      guard let new = after.records[record] else {
        problems.append("\(record) is gone")
        continue
      }
      switch record.kind {
      case .capsule:
        for name in ["contents", "lock"] where old.fields[name] != new.fields[name] {
          problems.append("\(name) of \(record) changed")
        }
        if let was = old.fields["unlockAt"]?.string, was > new.fields["unlockAt"]?.string ?? "" {
          problems.append("\(record) unlocks earlier")
        }
        if Said.value(old.fields["openedAt"]) != .null,
          Said.value(new.fields["openedAt"]) == .null
        {
          problems.append("\(record) is not opened any more")
        }
      case .bequest:
        let (was, now) = (old.fields["delivery"]?.array ?? [], new.fields["delivery"]?.array ?? [])
        if !now.starts(with: was) { problems.append("the delivery of \(record) is shorter") }
        if !was.isEmpty,
          ["access", "accessAt", "message"].contains(where: {
            Said.value(old.fields[$0]) != Said.value(new.fields[$0])
          })
        {
          problems.append("\(record) was sent, and says something else")
        }
      case .trustees:
        for name in ["recipient", "identifier", "threshold", "shares"]
        where old.fields[name] != new.fields[name] {
          problems.append("\(name) of \(record) changed")
        }
      case .beneficiary, .event, .item: break
      }
      if new.revision < old.revision { problems.append("\(record) has an earlier revision") }
    }
    let (was, now) = (times(before), times(after))
    if let last = was.last, !now.contains(last) { problems.append("the last check-in is lost") }
    return problems
  }

  private static func times(_ said: Said) -> [String] {
    (said.settings["checkIns"]?.array ?? []).compactMap(\.string)
  }
}

/// A store of one device on a simulated disk, and what its operations were, by the looks of its files.
struct UndoWorld {
  /// How often something happened.
  struct Tried {
    var undone = 0
    var redone = 0
    var partly = 0
    var refused = 0
    var further = 0
    var unknown = 0

    mutating func add(_ other: Tried) {
      undone += other.undone
      redone += other.redone
      partly += other.partly
      refused += other.refused
      further += other.further
      unknown += other.unknown
    }
  }

  let files: SimulatedFileSystem
  /// Where the device keeps its things; the store is `s` in it.
  let home: String
  var generator: SeededGenerator
  var clock: Int64 = 1_700_000_000
  var processes: UInt64 = 0
  var tried = Tried()
  var problems: [String] = []
  /// The steps so far, for the report of a failure.
  var trace: [String] = []
  /// What each listed operation found and left.
  var states: [String: (found: Said, left: Said)] = [:]
  /// What a person changed last without a word in the list.
  var unlisted: Set<RecordReference> = []
  var clockWentBack = false
  /// The bytes for which the disk has room while something is taken back; `nil` where it has enough.
  var room: Int?
  /// The number of the newest record.
  private var next: UInt8

  /// A disk with an empty store.
  static func base() throws -> SimulatedDisk {
    let files = SimulatedFileSystem()
    _ = try Store.openOrCreate(
      at: FilePath("/s"), environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_700_000_000))
    return files.withDisk { $0 }
  }

  init(seed: UInt64, on disk: SimulatedDisk) {
    self.init(seed: seed, in: SimulatedFileSystem(disk: disk))
  }

  /// - Parameter first: the number below those of the records that it makes.
  init(seed: UInt64, in files: SimulatedFileSystem, home: String = "", after first: UInt8 = 0x10) {
    (self.files, self.home, next) = (files, home, first)
    generator = SeededGenerator(seed: seed)
    processes = seed &* 1000
  }

  var root: String { "\(home)/s" }

  func environment(_ command: String) -> StoreEnvironment {
    let time = clock
    return StoreEnvironment(
      fileSystem: files, random: SeededRandomSource(seed: processes).source,
      patience: LockPatience(limit: 0, pause: { _ in }), cacheHome: FilePath("\(home)/cache"),
      stateHome: FilePath("\(home)/state"), holder: "test",
      clock: StoreClock { Instant(seconds: time) }, operation: OperationSource(command: command))
  }

  /// A process of its own.
  mutating func store(_ command: String) throws -> Store {
    processes += 1
    return try require(try Store.open(at: FilePath(root), environment: environment(command)))
  }

  /// The same with the keys of a protected store at hand.
  mutating func openedStore(_ command: String) throws -> Store {
    let store = try store(command)
    return store.header.isProtected ? try store.protection.opened(with: Self.passphrase()) : store
  }

  /// That of the stores that are protected.
  static func passphrase() throws -> Passphrase {
    try require(Passphrase(SecretBytes(copying: Array("a dog in the rain".utf8))))
  }

  func said() -> Said { Said(files, at: root) }

  var now: Instant { Instant(seconds: clock) }

  mutating func tick() {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: clock += 40 * 86_400
    case 1:
      clock -= 20 * 86_400
      clockWentBack = true
      trace.append("clock back")
    default: clock += Int64.random(in: 0...60, using: &generator)
    }
    let time = clock
    files.withDisk { $0.clock = FileTime(seconds: time) }
  }

  mutating func expect(_ said: Said, says other: Said, _ when: String) {
    for (record, wanted) in other.records where said.records[record]?.says(wanted) != true {
      problems.append("\(when): \(record) says something else")
    }
    for (record, _) in said.records where other.records[record] == nil {
      problems.append("\(when): \(record) is new")
    }
    for key in Set(said.settings.keys).union(other.settings.keys)
    where key != "checkIns" && said.settings[key] != other.settings[key] {
      problems.append("\(when): the setting \(key) is another")
    }
  }

  private mutating func chance(_ share: Int) -> Bool {
    Int.random(in: 0..<share, using: &generator) == 0
  }

  private mutating func pick<Element>(_ choices: [Element]) -> Element? {
    choices.randomElement(using: &generator)
  }

  private mutating func word() -> String {
    ["", "attic", "safe", "box", "a longer text", "ä"].randomElement(using: &generator) ?? ""
  }

  private mutating func tags() -> [String] {
    ["a", "b", "c", "d"].shuffled(using: &generator).prefix(
      Int.random(in: 0...3, using: &generator)
    )
    .map(\.self)
  }

  private mutating func newID() -> RecordID {
    next += 1
    return StoreScenario.id(next)
  }

  private func live(_ kind: RecordKind) -> [RecordID] {
    files.files(under: "\(root)/\(kind.folder)").keys
      .compactMap { $0.split(separator: "/").last?.split(separator: ".").first }
      .compactMap { RecordID($0) }.sorted()
  }
}

// Operations.
extension UndoWorld {
  /// One step of a life.
  mutating func step() throws {
    tick()
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<5: try operate()
    case 5: try operate(as: .synchroniser)
    case 6: try operateUnlisted()
    case 7 where chance(3): try cutList()
    case 7, 8, 9: try undo(further: false)
    case 10: try undo(further: true)
    default: try redo()
    }
    if problems.isEmpty { return }
    problems.append(trace.joined(separator: ", "))
  }

  /// Does something that a person, or somebody else, does.
  mutating func operate(as origin: JournalFrame.Origin = .person) throws {
    let found = said()
    let known = try store("look").operations.all().count
    var store = try store("some command")
    store.origin = origin
    let name: String
    do { name = try change(in: store) } catch let fault as Fault {
      // A rule refused it: a name that is taken, a sent bequest.
      trace.append("refused \(fault.code)")
      return
    }
    trace.append(origin == .person ? name : "\(name) by another")
    let left = said()
    let listed = try self.store("look").operations.all()
    if left.records == found.records, left.settings == found.settings {
      // A command in parts may end where it began, and is the newest all the same.
      if listed.count > known, origin == .person { unlisted = [] }
      return
    }
    guard listed.count == known + 1, let last = listed.last else {
      problems.append("\(listed.count - known) operations were listed for \(name)")
      return
    }
    states[last.id] = (found, left)
    if origin == .person { (unlisted, clockWentBack) = ([], false) }
  }

  /// Does so as a program does that keeps no list.
  private mutating func operateUnlisted() throws {
    let lists = try lists()
    let (before, old) = (states, unlisted)
    let clockWentBack = clockWentBack
    let found = said()
    try operate()
    for (path, bytes) in lists { try files.setBytes(path, bytes) }
    states = before
    self.clockWentBack = clockWentBack
    trace.append("(unlisted)")
    let left = said()
    // The journal has no settings.
    let changed = Set(found.records.keys).union(left.records.keys)
      .filter { found.records[$0] != left.records[$0] }
    unlisted = lists.isEmpty ? old : old.union(changed)
  }

  /// The list of this device by its path; none where there is none.
  private mutating func lists() throws -> [String: [UInt8]] {
    let journal = try store("look").journal
    guard let name = journal.own(creating: false)?.name else { return [:] }
    return files.files(under: journal.layout.journal(name).text)
      .filter { $0.key.hasSuffix("/operations") }
  }

  /// Cuts the list anywhere, or puts other bytes into it.
  private mutating func cutList() throws {
    let whole = try store("look").operations.all()
    for (path, bytes) in try lists() where !bytes.isEmpty {
      var bytes = bytes
      let place = Int.random(in: bytes.indices, using: &generator)
      if chance(2) {
        bytes = Array(bytes.prefix(place))
      } else {
        bytes[place] ^= 0x15
      }
      try files.setBytes(path, bytes)
      trace.append("list cut")
    }
    try forgetLost(of: whole)
  }

  /// Stops to follow what the list does not have any more.
  mutating func forgetLost(of whole: [Operation]) throws {
    // Of a command that committed in parts some may be left.
    let known = try Set(store("look").operations.all()).intersection(whole)
    states = states.filter { state in known.contains { $0.id == state.key } }
    // What went with it is not followed: some of it may be undone, and none is the newest.
    (unlisted, clockWentBack) = ([], true)
  }

  private mutating func change(in store: Store) throws -> String {
    let kinds = RecordKind.allCases.filter { !live($0).isEmpty }
    switch Int.random(in: 0..<16, using: &generator) {
    case 0, 1: return try make(in: store)
    case 2..<8:
      guard let kind = pick(kinds), let id = pick(live(kind)) else { return try make(in: store) }
      return try edit(kind, id, in: store)
    case 8, 9:
      guard let kind = pick(kinds), let id = pick(live(kind)) else { return try make(in: store) }
      try store.trash.delete(kind, id, withDependents: chance(2), now: now)
      return "delete \(kind) \(id)"
    case 10:
      let trash = try RecordKind.allCases.flatMap { kind in try store.trash.records(kind) }
      guard let record = pick(trash) else { return try make(in: store) }
      for fault in try store.trash.restore([record], now: now).failures { throw fault }
      return "restore \(record.kind) \(record.id)"
    case 11, 12: return try set(in: store)
    case 13: return try batch(in: store)
    default:
      // One command that commits in parts.
      let first = try make(in: store)
      guard let kind = pick(RecordKind.allCases.filter { !live($0).isEmpty }),
        let id = pick(live(kind))
      else { return first }
      let second = (try? edit(kind, id, in: store)) ?? "nothing"
      return "\(first) and \(second)"
    }
  }

  private mutating func make(in store: Store) throws -> String {
    let header = RecordHeader(id: newID(), createdAt: now)
    switch Int.random(in: 0..<7, using: &generator) {
    case 0:
      var capsule = StoreScenario.capsule(next)
      (capsule.header, capsule.unlockAt) = (header, now.adding(seconds: 86_400))
      if chance(2) { capsule.contents = [content()] }
      try store.insert(capsule)
    case 1:
      var person = Beneficiary(header: header, name: "Person \(next)")
      person.email = chance(3) ? "" : "p@example.org"
      try store.insert(person)
    case 2:
      guard let person = pick(live(.beneficiary)) else { fallthrough }
      let things = live(.item).map { RecordReference(.item, $0) }
      let capsules = live(.capsule).map { RecordReference(.capsule, $0) }
      guard let thing = pick(things + capsules) else { fallthrough }
      try store.insert(
        Bequest(header: header, subject: thing, beneficiary: person, message: word()))
    case 3:
      try store.insert(
        Event(header: header, title: "Event", moment: .instant(now), zone: "UTC"))
    case 4:
      try store.insert(
        TrusteeGroup(
          header: header, name: "group \(next)", recipient: StoreRecipient.text, identifier: 6,
          threshold: 2, shares: []))
    default:
      var item = Item(header: header, name: "Item \(next)")
      (item.location, item.tags) = (word(), tags())
      try store.insert(item)
    }
    return "make \(next)"
  }

  private mutating func content() -> Content {
    Content(
      id: newID(), kind: .text, addedAt: now, sealedSize: 5, sealed: "sealed", blob: nil)
  }

  private mutating func edit(_ kind: RecordKind, _ id: RecordID, in store: Store) throws -> String {
    switch kind {
    case .capsule: try edit(Capsule.self, id, in: store) { $0.change(&$1) }
    case .item: try edit(Item.self, id, in: store) { $0.change(&$1) }
    case .event: try edit(Event.self, id, in: store) { $0.change(&$1) }
    case .beneficiary: try edit(Beneficiary.self, id, in: store) { $0.change(&$1) }
    case .bequest: try edit(Bequest.self, id, in: store) { $0.change(&$1) }
    case .trustees: try edit(TrusteeGroup.self, id, in: store) { $0.change(&$1) }
    }
    return "edit \(kind) \(id)"
  }

  private mutating func edit<Model: RecordModel>(
    _: Model.Type, _ id: RecordID, in store: Store,
    _ body: (inout UndoWorld, inout Model) -> Void
  ) throws {
    var world = self
    defer { self = world }
    _ = try store.change(Model.self, id, now: now) { body(&world, &$0) }
  }

  private mutating func change(_ capsule: inout Capsule) {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: capsule.title = "Title \(word())"
    case 1:
      capsule.unlockAt = capsule.unlockAt.adding(seconds: 3600)
      capsule.unlockZone = ["UTC", "Europe/Paris"].randomElement(using: &generator) ?? "UTC"
      if chance(2) { capsule.title = "Title \(word())" }
    case 2: if capsule.openedAt == nil { capsule.openedAt = now }
    case 3: if capsule.openedAt == nil { capsule.contents.append(content()) }
    case 4: capsule.tags = tags()
    default: (capsule.notes, capsule.unlockZone) = (word(), "Europe/Paris")
    }
  }

  private mutating func change(_ item: inout Item) {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: item.location = word()
    case 1: (item.notes, item.category, item.quantity) = (word(), word(), item.quantity + 1)
    case 2: item.tags = tags()
    case 3: item.log(HistoryEntry(at: now, value: nil, notes: word()))
    case 4: item.unlog(0)
    default: (item.name, item.location) = ("Item \(next) \(word())", word())
    }
  }

  private mutating func change(_ event: inout Event) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: event.title = "Event \(word())"
    case 1: event.moment = .instant(now.adding(seconds: 86_400))
    case 2:
      event.alerts = ["1 day before", "2 days before", "1 hour before"]
        .shuffled(using: &generator).prefix(2).compactMap { EventAlert($0) }
    default:
      event.notes = word()
      event.recurrence = chance(2) ? nil : Recurrence(every: 2, .week)
    }
  }

  private mutating func change(_ person: inout Beneficiary) {
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: person.name = "Person \(next) \(word())"
    case 1: (person.phone, person.notes) = ("+33 6", word())
    default: person.relationship = word()
    }
  }

  private mutating func change(_ bequest: inout Bequest) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: bequest.message = word()
    case 1: bequest.access = chance(2) ? .uponPassing : .afterDate(now)
    case 2: (bequest.access, bequest.message) = (.immediate, word())
    default:
      _ = bequest.mark(
        DeliveryChange(bequest.delivery.isEmpty ? .sent : .accepted, at: now, notes: ""), now: now)
    }
  }

  private mutating func change(_ group: inout TrusteeGroup) {
    group.name = "group \(next) \(word())"
  }

  private mutating func set(in store: Store) throws -> String {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: try store.settings.set(.owner, to: .string(chance(2) ? "Ann" : "Bea"))
    case 1: try store.settings.set(.owner, to: nil)
    case 2: try store.settings.set(.spanUnits, to: .integer(.random(in: 1...6, using: &generator)))
    case 3:
      try store.settings.set(.spanUnits, to: 3)
      try store.settings.set(.leapDay, to: "mar1")
      try store.settings.set(.spanUnits, to: 4)
      return "settings in parts"
    case 4:
      let witness = live(.beneficiary)
      _ = try store.switch.change(now: now) { terms throws(Fault) in
        var changed = terms ?? SilenceSwitch()
        changed.witnesses = witness
        changed.phone = changed.phone.isEmpty ? "+33 6" : ""
        terms = changed
      }
      return "switch"
    case 5:
      _ = try store.switch.turnOff()
      return "switch off"
    case 6:
      _ = try store.settings.declarePassing(
        at: now, owner: store.settings.intact().owner, now: now)
      return "passing"
    default:
      _ = try store.settings.withdrawPassing()
      return "passing withdrawn"
    }
    return "settings"
  }

  private mutating func batch(in store: Store) throws -> String {
    var batch = ModelBatch<Item>()
    for _ in 0..<3 {
      let id = newID()
      batch.add(Item(header: RecordHeader(id: id, createdAt: now), name: "Batch \(next)"))
    }
    for id in live(.item).prefix(2) {
      var record = try store.read(Item.self, id)
      (record.model.location, record.model.tags) = (word(), tags())
      batch.update(record)
    }
    try store.write(batch, now: now)
    return "batch up to \(next)"
  }
}

/// A recipient that all groups of trustees have.
private enum StoreRecipient {
  static let text =
    AgeRecipient(.x25519, publicKey: [UInt8](repeating: 9, count: 32))?.description ?? ""
}

// Undo and redo.
extension UndoWorld {
  /// Takes an operation back as the command does: the newest, or one further down.
  @discardableResult
  mutating func undo(further: Bool) throws -> Bool {
    let store = try store("undo")
    let all = try store.operations.all()
    let line = OperationLine(all)
    if !further, !clockWentBack, !unlisted.allSatisfy({ isAsListed($0, all) }) {
      tried.unknown += 1
      if !store.operations.isMissingTheNewest(all, now: now) {
        problems.append("nobody says that the newest change is unknown")
      }
    }
    guard let target = further ? pick(line.done) : line.done.last else { return false }
    if further { tried.further += 1 }
    return try carryOut(target, bringingBack: false, in: store)
  }

  /// Whether a record is as the list says: nobody can tell then that it was changed and changed back.
  private func isAsListed(_ record: RecordReference, _ all: [Operation]) -> Bool {
    let last = all.last { $0.origin == .person && $0.changes.contains { $0.record == record } }
    guard let left = last?.changes.last(where: { $0.record == record })?.to,
      let now = said().records[record]
    else { return false }
    return left.isLive == now.isLive && left.revision == now.revision
  }

  @discardableResult
  mutating func redo() throws -> Bool {
    let store = try store("redo")
    guard let target = OperationLine(try store.operations.all()).undone.last else { return false }
    return try carryOut(target, bringingBack: true, in: store)
  }

  /// Takes back all that can be, the newest first.
  ///
  /// - Returns: how many operations.
  mutating func undoAll() throws -> Int {
    var count = 0
    for target in OperationLine(try store("look").operations.all()).done.reversed() {
      clock += 1
      if try carryOut(target, bringingBack: false, in: store("undo")) { count += 1 }
    }
    return count
  }

  mutating func redoAll() throws {
    while try redo() { clock += 1 }
  }

  private mutating func carryOut(
    _ target: Operation, bringingBack: Bool, in store: Store
  ) throws -> Bool {
    if !bringingBack, target.lasting != nil { return false }
    let today = said()
    trace.append("\(bringingBack ? "redo" : "undo") \(target.command) \(target.id.prefix(4))")
    let plan: UndoPlan
    do {
      let asked = try store.operations.plan(takingBack: target, now: now)
      guard said().files == today.files else {
        problems.append("a plan changed something")
        return false
      }
      if let room { files.withDisk { $0.capacity = $0.used + room } }
      defer { files.withDisk { $0.capacity = nil } }
      plan = try store.operations.carryOut(asked, bringingBack: bringingBack, now: now)
    } catch let fault {
      tried.refused += 1
      trace.append("(\(fault.code): \(fault.cause.map { "\($0)" } ?? ""))")
      if said().files != today.files { problems.append("what was refused changed something") }
      return false
    }
    bringingBack ? (tried.redone += 1) : (tried.undone += 1)
    if !plan.staying.isEmpty {
      tried.partly += 1
      trace.append("(partly)")
    }
    let result = said()
    problems += UndoRules.broken(today, result)
    judge(plan, today, result)
    if let state = states[target.id] { judge(plan, of: state, today, result) }
    let after = try self.store("look")
    let listed = try after.operations.all()
    if let last = listed.last, last.undoes == target.id || last.redoes == target.id {
      states[last.id] = (today, result)
      (unlisted, clockWentBack) = ([], false)
    } else if room != nil {
      // What did not fit into the list is not followed.
      (unlisted, clockWentBack) = ([], true)
    } else {
      problems.append("it is not listed")
    }
    return true
  }

  /// Looks at all of the store at the end.
  mutating func verify() throws {
    for problem in try store("verify").care.verify(now: now).problems where problem.isDamage {
      problems.append("damage: \(problem)")
    }
  }

  /// Compares what a plan says with what happened.
  private mutating func judge(_ plan: UndoPlan, _ today: Said, _ result: Said) {
    var touched: Set<RecordReference> = []
    for step in plan.steps {
      guard touched.insert(step.record).inserted, let old = today.records[step.record],
        let new = result.records[step.record]
      else {
        problems.append("\(step.record) is told twice, or not there")
        continue
      }
      switch step.work {
      case .trashed:
        if !old.isLive || new.isLive || old.bytes != new.bytes {
          problems.append("\(step.record) is not what went to the trash")
        }
      case .restored:
        if old.isLive || !new.isLive || old.bytes != new.bytes {
          problems.append("\(step.record) is not what came back")
        }
      case .changed:
        let names = Set(step.fields.map(\.name))
        for name in Set(old.fields.keys).union(new.fields.keys)
        where !names.contains(name) && old.fields[name] != new.fields[name] {
          problems.append("\(name) of \(step.record) changed, and is not told")
        }
        for field in step.fields
        where old.fields[field.name] != field.from || new.fields[field.name] != field.to {
          problems.append("\(field.name) of \(step.record) is not what was told")
        }
        if new.revision != old.revision + 1 { problems.append("\(step.record): no new revision") }
      }
    }
    for (record, old) in today.records where !touched.contains(record) {
      if result.records[record] != old { problems.append("\(record) changed, and is not told") }
    }
    let names = Set(plan.settings.map(\.name)).union(["checkIns"])
    for name in Set(today.settings.keys).union(result.settings.keys).subtracting(names)
    where today.settings[name] != result.settings[name] {
      problems.append("the setting \(name) changed, and is not told")
    }
    for setting in plan.settings
    where today.settings[setting.name] != setting.from
      || result.settings[setting.name] != setting.to
    {
      problems.append("the setting \(setting.name) is not what was told")
    }
  }

  /// Compares what happened with what an operation was.
  private mutating func judge(
    _ plan: UndoPlan, of operation: (found: Said, left: Said), _ today: Said, _ result: Said
  ) {
    for (record, left) in operation.left.records {
      let kept = plan.staying.filter { $0.record == record }
      guard let now = today.records[record], let new = result.records[record] else { continue }
      guard let found = operation.found.records[record] else {
        // It was made.
        if left.isLive, now == left, new.isLive { problems.append("\(record) is still there") }
        continue
      }
      if found == left {
        if now != new { problems.append("\(record) changed, and was not in the operation") }
        continue
      }
      switch (found.isLive, left.isLive) {
      case (true, false):
        if now == left, !new.isLive { problems.append("\(record) is still deleted") }
      case (false, true):
        if now == left, new.isLive { problems.append("\(record) is still restored") }
      case (true, true) where now.isLive:
        let problem = UndoRules.problem(
          record.kind, found: found.fields, left: left.fields, today: now.fields,
          now: new.fields, kept: kept)
        if let problem { problems.append("\(record): \(problem)") }
      default:
        if now != new { problems.append("\(record) changed") }
      }
    }
    for key in Set(operation.found.settings.keys).union(operation.left.settings.keys)
    where key != "checkIns" {
      let (b, a) = (operation.found.settings[key], operation.left.settings[key])
      let (t, r) = (today.settings[key], result.settings[key])
      let isKept = plan.staying.contains { $0.record == nil && $0.field == key }
      if b == a || t == b || t != a {
        if r != t { problems.append("the setting \(key) changed") }
        if b != a, t != b, !isKept { problems.append("the setting \(key) stays untold") }
      } else if r != b, !isKept {
        problems.append("the setting \(key) is not what it was")
      }
    }
  }
}
