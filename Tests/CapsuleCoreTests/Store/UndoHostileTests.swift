import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A list of operations and a journal that somebody else has written: an undo is no way around any rule.
@Suite struct UndoHostileTests {
  private let files = SimulatedFileSystem()
  private let now = StoreScenario.now
  private static let key = "age1" + String(repeating: "q", count: 58)

  init() throws {
    _ = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
  }

  private func store() throws -> Store { try require(try StoreScenario.open(files, seed: 2)) }

  private func list() throws -> String {
    let machine = try require(try store().journal.own(creating: true))
    return StoreScenario.layout.journal(machine.name).appending("operations").text
  }

  /// Puts lines of JSON at the end of the list.
  private func forge(_ lines: JSON...) throws {
    let path = try list()
    let lines = CheckedLines.lines(lines.map { $0.encoded(.compact) })
    try files.setBytes(path, (files.bytes(path) ?? []) + lines)
  }

  private func operation(_ id: String, _ more: JSONObject = [:]) -> JSON {
    var members: JSONObject = [
      "op": .string(id), "at": .integer(now.seconds), "do": "item edit", "by": 1,
    ]
    for member in more { members[member.key] = member.value }
    return .object(members)
  }

  /// An operation that changed a live record from one of these versions to the other.
  private func edit(_ id: String, _ record: RecordReference, _ from: [UInt8], _ to: [UInt8]) -> JSON
  {
    func state(_ bytes: [UInt8]) -> JSON {
      .string("live \(RecordFile.revision(of: bytes)) \(Operation.digest(bytes))")
    }
    let change: JSON = .array([
      .string("\(record.kind.rawValue)/\(record.id)"), state(from), state(to), .array([]),
    ])
    return operation(id, ["changes": .array([change])])
  }

  /// Puts a version of a record into the journal, and an operation that is to have found it.
  private func forge<Model: RecordModel>(
    earlier: Model, _ change: (inout Model) -> Void
  ) throws -> Operation {
    let store = try store()
    let record = RecordReference(Model.kind, earlier.id)
    let today = try store.files.readFile(
      store.layout.record(Model.kind, earlier.id), limit: RecordFile.sizeLimit)
    var forged = earlier
    change(&forged)
    let bytes = try forged.encoded()
    store.journal.note([
      JournalFrame(.put, .person, Model.kind, earlier.id, revision: 1, at: now, body: bytes)
    ])
    try forge(edit("00000000000000ff", record, bytes, today))
    return try require(try store.operations.all().last)
  }

  private func takeBack(_ operation: Operation) throws -> UndoPlan {
    let store = try store()
    return try store.operations.carryOut(
      store.operations.plan(takingBack: operation, now: now), now: now)
  }

  @Test func `no unlock time moves earlier, and no lock or content is another`() throws {
    let capsule = try store().insert(StoreScenario.capsule(0x11))
    let operation = try forge(earlier: capsule) {
      $0.unlockAt = now.adding(seconds: -86_400)
      $0.unlockZone = "Asia/Tokyo"
      $0.lock = Lock(kind: .honor, key: "theirs", recipient: Self.key, timelock: nil)
      $0.contents = []
      $0.title = "Another"
    }
    let plan = try takeBack(operation)
    let after = try store().read(Capsule.self, capsule.id).model
    expect(after.unlockAt, is: capsule.unlockAt)
    expect(after.unlockZone, is: capsule.unlockZone)
    expect(after.lock == capsule.lock)
    expect(after.title, is: "Another")
    expect(plan.staying.compactMap(\.field).sorted(), is: ["lock", "unlockAt"])
  }

  @Test func `nobody new is sealed to without being asked about`() throws {
    let store = try store()
    var person = Beneficiary(
      header: RecordHeader(id: StoreScenario.id(0x50), createdAt: now), name: "Lena")
    person.recipient = try recipient(1)
    person = try store.insert(person)
    let operation = try forge(earlier: person) { $0.recipient = (try? recipient(2)) ?? "" }
    _ = try takeBack(operation)
    let after = try store.read(Beneficiary.self, person.id).model
    try expect(after.recipient, is: recipient(2))
    try expect(store.trust.untrusted(among: [after]).keys.map(\.self), is: [person.id])
  }

  private func recipient(_ byte: UInt8) throws -> String {
    try require(AgeRecipient(.x25519, publicKey: [UInt8](repeating: byte, count: 32))).description
  }

  @Test func `settings become no others than settings may be`() throws {
    let store = try store()
    try store.settings.set(.owner, to: "Ann")
    let before = try store.settings.intact()
    func setting(_ value: JSON) -> JSON {
      ["was": value, "left": .string(Operation.digest(nil as JSON?))]
    }
    try forge(
      operation(
        "00000000000000fe",
        [
          "settings": [
            "id": setting("x"), "format": setting(9), "checksum": setting("x"),
            "spanUnits": setting(900), "switch": setting(["every": "P1D"]),
            "passing": setting("now"), "pictures": setting(.object([:])),
          ]
        ]))
    let operation = try require(try store.operations.all().last)
    let error = expect(throws: Fault.self) { _ = try takeBack(operation) }
    expect(error?.code, is: .cannotUndo)
    try expect(store.settings.intact(), is: before)
  }

  @Test func `a setting of sealing is asked about`() throws {
    let store = try store()
    try store.settings.set(.trustees, to: "family")
    _ = try store.trust.sealing()
    let left = Operation.digest("family" as JSON?)
    try forge(
      operation(
        "00000000000000fd", ["settings": ["trustees": ["was": "others", "left": .string(left)]]]))
    _ = try takeBack(try require(try store.operations.all().last))
    try expect(store.settings.intact().trustees, is: "others")
    let error = expect(throws: Fault.self) { _ = try self.store().trust.sealing() }
    expect(error?.code, is: .keyNotAccepted)
  }

  @Test func `lines that no program wrote are no operations`() throws {
    let item = StoreScenario.id(0x41)
    let record = RecordReference(.item, item)
    let change: JSON = .array([
      .string("item/\(item)"), .null, "live 1 00", .array([]),
    ])
    let number = Int64.max
    try forge(
      operation("short"), operation("00000000000000FF"), operation("../../../etc/pas"),
      operation("0000000000000001", ["do": "\u{1b}[31m"]),
      operation("0000000000000002", ["do": ""]),
      operation("0000000000000003", ["do": .string(String(repeating: "a", count: 65))]),
      operation("0000000000000004", ["at": .integer(number)]),
      operation("0000000000000005", ["by": 77]),
      operation("0000000000000006", ["changes": .array([change, change])]),
      operation("0000000000000007", ["changes": ["item/../../x", .array(["item/../x", .null])]]),
      operation("0000000000000008", ["purged": ["item": .integer(number)]]),
      operation("0000000000000008", ["purged": ["item": .integer(number), "event": -5]]),
      operation("0000000000000009", ["undoes": "0000000000000009"]), "x", .array([]))
    let all = try store().operations.all()
    expect(all.map(\.id), is: ["0000000000000007", "0000000000000008", "0000000000000009"])
    expect(all[0].changes, is: [])
    expect(all[1].purged, is: [.item: Int(number)])
    expect(record.id, is: item)
  }

  @Test func `ten thousand records that never were are told to be gone`() throws {
    let state = "live 1 \(String(repeating: "0", count: 32))"
    let changes = (0..<10_000).map { number in
      JSON.array([
        .string("item/\(RecordID(high: UInt64(number), low: 7))"), .null, .string(state),
        .array(["name"]),
      ])
    }
    try forge(operation("00000000000000aa", ["changes": .array(changes)]))
    let error = expect(throws: Fault.self) {
      _ = try takeBack(try require(try store().operations.all().last))
    }
    expect(error?.code, is: .cannotUndo)
  }

  @Test func `a list that is another file too is not written to`() throws {
    let store = try store()
    try files.setBytes("/precious", Array("mine".utf8))
    let path = try list()
    if files.bytes(path) != nil { try files.unlink(FilePath(path)) }
    try files.link(FilePath("/precious"), to: FilePath(path))
    try store.insert(StoreScenario.capsule(0x11))
    expect(files.bytes("/precious"), is: Array("mine".utf8))
    try files.unlink(FilePath(path))
    try files.makeSymbolicLink(path, to: "/precious")
    try store.insert(StoreScenario.capsule(0x12))
    expect(files.bytes("/precious"), is: Array("mine".utf8))
    try files.unlink(FilePath(path))
    try files.makeFIFO(path)
    try store.insert(StoreScenario.capsule(0x13))
  }

  @Test func `a list that is too large is begun anew`() throws {
    let store = try store()
    try store.insert(StoreScenario.capsule(0x11))
    let path = try list()
    try files.setBytes(path, [UInt8](repeating: 0x20, count: 1 << 26 | 1))
    try expect(store.operations.all().count, is: 0)
    expect(store.operations.isMissingTheNewest([], now: now))
    try store.insert(StoreScenario.capsule(0x12))
    try expect(self.store().operations.all().count, is: 1)
  }

  @Test func `what somebody else wrote between two parts of a command is not taken back`() throws {
    let environment = StoreScenario.environment(files, seed: 3, command: "edit")
    let store = try require(try Store.open(at: StoreScenario.root, environment: environment))
    var item = Item(header: RecordHeader(id: StoreScenario.id(0x41), createdAt: now), name: "Ring")
    item = try self.store().insert(item)
    func write(_ store: Store, _ change: (inout Item) -> Void) throws {
      var record = try store.read(Item.self, item.id)
      change(&record.model)
      _ = try store.update(record, now: now)
    }
    try write(store) { $0.location = "attic" }
    var other = try self.store()
    other.origin = .synchroniser
    try write(other) { $0.notes = "theirs" }
    try write(store) { $0.category = "mine" }
    let operation = try require(try store.operations.all().first { $0.command == "edit" })
    let error = expect(throws: Fault.self) { _ = try takeBack(operation) }
    expect(error?.code, is: .cannotUndo)
    try expect(self.store().read(Item.self, item.id).model.notes, is: "theirs")
  }
}
