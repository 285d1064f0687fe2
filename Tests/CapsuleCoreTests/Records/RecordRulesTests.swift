import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The rules of a record, which hold whoever writes it.
@Suite struct RecordRulesTests {
  private let long = String(repeating: "x", count: 1025)

  private func fault(_ model: some RecordModel) -> Fault? {
    do throws(Fault) { try model.validate() } catch { return error }
    return nil
  }

  private func changed<Model>(_ model: Model, _ change: (inout Model) -> Void) -> Model {
    var model = model
    change(&model)
    return model
  }

  @Test func `a record that keeps the rules may be written`() throws {
    for model in try RecordSamples.all { expect(fault(model) == nil) }
  }

  @Test(arguments: ["", " ", "\u{a0}\n\t\u{3000}"])
  func `a title or name says something`(name: String) throws {
    expect(
      fault(changed(try RecordSamples.capsule) { $0.title = name }),
      is: .refused(.blank(.capsule, .title)))
    expect(
      fault(changed(try RecordSamples.event) { $0.title = name }),
      is: .refused(.blank(.event, .title)))
    expect(
      fault(changed(try RecordSamples.item) { $0.name = name }), is: .refused(.blank(.item, .name)))
    expect(
      fault(changed(try RecordSamples.beneficiary) { $0.name = name }),
      is: .refused(.blank(.beneficiary, .name)))
  }

  @Test func `a title or name has at most a KiB, in bytes`() throws {
    let most = String(repeating: "é", count: 512)
    for (name, size) in [(most, nil), (most + "x", 1025), (long, 1025)] as [(String, Int?)] {
      func expected(_ field: RecordFault.Field) -> Fault? {
        size.map { .refused(.tooLong(field, bytes: $0, limit: 1024)) }
      }
      expect(fault(changed(try RecordSamples.capsule) { $0.title = name }), is: expected(.title))
      expect(fault(changed(try RecordSamples.event) { $0.title = name }), is: expected(.title))
      expect(fault(changed(try RecordSamples.item) { $0.name = name }), is: expected(.name))
      expect(fault(changed(try RecordSamples.beneficiary) { $0.name = name }), is: expected(.name))
      expect(
        fault(changed(try RecordSamples.beneficiary) { $0.relationship = name }),
        is: expected(.relationship))
      expect(
        fault(changed(try RecordSamples.beneficiary) { $0.cardUID = name }), is: expected(.cardUID))
    }
  }

  @Test func `a person is reached by what can be an address or a number, or by neither`() throws {
    let person = try RecordSamples.beneficiary
    expect(fault(changed(person) { $0.email = "a b@c" }), is: .refused(.invalid(.email, "a b@c")))
    expect(
      fault(changed(person) { $0.phone = "call me" }), is: .refused(.invalid(.phone, "call me")))
    let unreached = changed(person) { ($0.email, $0.phone, $0.cardUID) = ("", "", nil) }
    expect(fault(unreached) == nil)
  }

  @Test func `a message has at most a MiB`() {
    let bequest = RecordSamples.bequest
    expect(fault(changed(bequest) { $0.message = String(repeating: "m", count: 1 << 20) }) == nil)
    expect(
      fault(changed(bequest) { $0.message = String(repeating: "m", count: 1 << 20 + 1) }),
      is: .refused(.tooLong(.message, bytes: 1 << 20 + 1, limit: 1 << 20)))
  }

  @Test func `an event has at most 20 alerts`() throws {
    let event = try RecordSamples.event
    let alerts = (1...21).compactMap { EventAlert("\($0) days before") }
    expect(fault(changed(event) { $0.alerts = Array(alerts.prefix(20)) }) == nil)
    expect(
      fault(changed(event) { $0.alerts = alerts }), is: .refused(.tooManyAlerts(21, limit: 20)))
  }

  @Test func `an event names at most 5,000 dates`() throws {
    let keys = (0...5000).map { OccurrenceKey(CivilDate(daysSinceEpoch: 20_000 + $0)) }
    let event = changed(try RecordSamples.event) { $0.series.except = keys }
    expect(
      fault(event)?.description,
      is: "the event names too many dates in 'except': 5001, and the limit is 5000")
  }

  @Test(arguments: [Instant(seconds: .max), Instant(seconds: .min), Instant(seconds: 1 << 50)])
  func `a time that cannot be written is refused`(time: Instant) throws {
    expect(
      fault(changed(try RecordSamples.capsule) { $0.unlockAt = time }),
      is: .refused(.outOfRange(.unlockAt, time)))
    expect(
      fault(changed(try RecordSamples.event) { $0.moment = .instant(time) }),
      is: .refused(.outOfRange(.at, time)))
    expect(
      fault(changed(RecordSamples.bequest) { $0.access = .afterDate(time) }),
      is: .refused(.outOfRange(.accessAt, time)))
  }

  @Test func `only a deadline is met, and an event that is none any more is not met`() throws {
    var event = try RecordSamples.event
    event.recurrence = nil
    expect(throws: Fault.refused(.noDeadline(title: "Launch"))) { try event.meet(at: .epoch) }
    expect(throws: Fault.refused(.noDeadline(title: "Launch"))) { try event.meet(at: nil) }
    event.isDeadline = true
    try event.meet(at: .epoch)
    expect(event.doneAt == .epoch && fault(event) == nil)
    try event.meet(at: nil)
    expect(event.doneAt == nil)
    try event.meet(at: Instant(seconds: .max))
    expect(fault(event), is: .refused(.outOfRange(.doneAt, Instant(seconds: .max))))
    event.isDeadline = false
    expect(event.doneAt == nil)
    // The field that says when comes after the one that says whether.
    event.isDeadline = true
    try event.meet(at: .epoch)
    try expect(Event(fields: event.fields), is: event)
  }

  @Test(
    arguments: [
      (.minute, "minute"), (.hour, "hour"), (.day, nil), (.year, nil),
    ] as [(DurationUnit, String?)])
  func `a reminder has a time of day where it counts days or longer`(
    unit: DurationUnit, refused: String?
  ) throws {
    var item = try RecordSamples.item
    var reminder = try require(Reminder(every: 2, unit, since: .epoch))
    reminder.time = CivilTime(hour: 9, minute: 0)
    item.reminder = reminder
    expect(fault(item), is: refused.map { .refused(.timeOfDay(unit: $0)) })
    item.reminder?.time = nil
    expect(fault(item) == nil)
  }

  @Test func `a record that could not be read again is refused`() throws {
    func unreadable(_ path: String, _ value: String) -> Fault {
      .refused(.unreadable(FieldError(path: path, problem: .invalid(value))))
    }
    expect(
      fault(changed(try RecordSamples.item) { $0.quantity = 0 }), is: unreadable("quantity", "0"))
    expect(
      fault(changed(try RecordSamples.beneficiary) { $0.recipient = "age1" }),
      is: unreadable("recipient", "age1"))
    expect(
      fault(changed(try RecordSamples.capsule) { $0.header.revision = -1 }),
      is: unreadable("rev", "-1"))
    let late = CivilDate(daysSinceEpoch: 1 << 30)
    expect(
      fault(changed(try RecordSamples.item) { $0.boughtOn = late }),
      is: unreadable("boughtOn", late.description))
  }

  @Test func `a history that a hand put out of order is read in order`() throws {
    var item = try RecordSamples.item
    for second in [3, 2] as [Int64] {
      item.log(HistoryEntry(at: Instant(seconds: second), value: nil, notes: "\(second)"))
    }
    var fields = item.fields
    fields["history"] = .array((fields["history"]?.array ?? []).reversed())
    try expect(Item(fields: fields).history.map(\.notes), is: ["x", "2", "3"])
  }
}

/// The rules, held by the store.
@Suite struct StoreRulesTests {
  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: StoreScenario.now)
  }

  private func refusal(_ body: () throws -> Void) -> Fault? {
    do { try body() } catch {
      if let fault = error as? Fault, fault.cause is RecordFault { return fault }
    }
    return nil
  }

  @Test func `a record that breaks a rule is not written, and its blobs are not kept`() throws {
    let before = files.files(under: "/s")
    let blob = try StoreScenario.stage(store, [1])
    var capsule = StoreScenario.capsule(0x10, blob: blob)
    capsule.title = String(repeating: "x", count: 1025)
    expect(
      refusal { try store.insert(capsule, blobs: [blob]) },
      is: .refused(.tooLong(.title, bytes: 1025, limit: 1024)))
    expect(files.files(under: "/s"), is: before)
  }

  @Test func `a change that breaks a rule is not written, and its blobs are not kept`() throws {
    try store.insert(StoreScenario.capsule(0x10))
    let before = files.files(under: "/s")
    var record = try store.read(Capsule.self, StoreScenario.id(0x10))
    record.model.title = " "
    let blob = try StoreScenario.stage(store, [1])
    expect(
      refusal { _ = try store.update(record, now: StoreScenario.now, blobs: [blob]) },
      is: .refused(.blank(.capsule, .title)))
    expect(files.files(under: "/s"), is: before)
  }

  @Test func `a record that broke a rule before is read, and changes in other respects`() throws {
    try store.insert(StoreScenario.capsule(0x10))
    let path = StoreScenario.layout.record(.capsule, StoreScenario.id(0x10)).text
    var fields = try require(try JSON.parse(files.bytes(path) ?? []).object)
    fields["title"] = ""
    try files.setBytes(path, RecordFile.encode(fields))
    var record = try store.read(Capsule.self, StoreScenario.id(0x10))
    expect(record.integrity == nil)
    record.model.notes = "changed"
    record = try store.update(record, now: StoreScenario.now)
    try expect(store.read(Capsule.self, StoreScenario.id(0x10)).model.notes, is: "changed")
    record.model.title = "\n"
    record.model.unlockAt = Instant(seconds: .max)
    record.model.title = ""
    expect(throws: Never.self) { try store.update(record, now: StoreScenario.now) }
  }
}
