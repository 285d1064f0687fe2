import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import CoreTestHelpers

/// Records that name others: a bequest to nobody, or of nothing, is never there.
@Suite struct ReferenceTests {
  private static let now = StoreScenario.now
  private static let person = RecordReference(.beneficiary, StoreScenario.id(0x20))
  private static let item = RecordReference(.item, StoreScenario.id(0x21))
  private static let capsule = RecordReference(.capsule, StoreScenario.id(0x22))
  private static let bequests = [StoreScenario.id(0x31), StoreScenario.id(0x32)]
  private static let layout = StoreScenario.layout

  private static func header(_ id: RecordID) -> RecordHeader {
    RecordHeader(id: id, createdAt: now)
  }

  private static func bequest(_ id: RecordID, of subject: RecordReference) -> Bequest {
    Bequest(header: header(id), subject: subject, beneficiary: person.id)
  }

  private static func open(_ files: SimulatedFileSystem, seed: UInt64 = 1) throws -> Store {
    try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: seed), now: now)
  }

  /// A person, an item and a capsule, both left to the person.
  private static func build() throws -> (SimulatedFileSystem, Store) {
    let files = SimulatedFileSystem()
    let store = try open(files)
    try store.insert(Beneficiary(header: header(person.id), name: "Mia"))
    try store.insert(Item(header: header(item.id), name: "Ring"))
    try store.insert(StoreScenario.capsule(0x22))
    try store.insert(bequest(bequests[0], of: item))
    try store.insert(bequest(bequests[1], of: capsule))
    return (files, store)
  }

  private static func isLive(_ reference: RecordReference, _ files: SimulatedFileSystem) -> Bool {
    files.bytes(layout.record(reference.kind, reference.id).text) != nil
  }

  private static func isLive(_ bequest: RecordID, _ files: SimulatedFileSystem) -> Bool {
    isLive(RecordReference(.bequest, bequest), files)
  }

  @Test func `what a new record names must be there`() throws {
    let (files, store) = try Self.build()
    let nobody = RecordReference(.beneficiary, StoreScenario.id(0x29))
    let lost = Bequest(
      header: Self.header(StoreScenario.id(0x33)), subject: Self.item, beneficiary: nobody.id)
    do throws(Fault) {
      try store.insert(lost)
      Issue.record("a bequest to nobody was made")
    } catch {
      let lost = RecordReference(.bequest, lost.id)
      guard error == .missingReference(from: lost, to: nobody) else { throw error }
    }
    expect(!Self.isLive(lost.id, files))
    expect(files.files(under: "/s/tmp").isEmpty)
  }

  @Test(arguments: [person, item, capsule])
  func `what is named stays, unless what names it goes with it`(
    target: RecordReference
  ) throws {
    let (files, store) = try Self.build()
    let hanging = Self.bequests.filter { id in
      target == Self.person || (target == Self.item) == (id == Self.bequests[0])
    }
    do throws(Fault) {
      try store.trash.delete(target.kind, target.id, now: Self.now)
      Issue.record("it went")
    } catch {
      let bequests = hanging.map { RecordReference(.bequest, $0) }
      guard error == .referenced(target, by: bequests) else { throw error }
    }
    expect(Self.isLive(target, files) && hanging.allSatisfy { Self.isLive($0, files) })
    let gone = try store.trash.delete(
      target.kind, target.id, withDependents: true, now: Self.now)
    expect(gone, is: hanging.map { RecordReference(.bequest, $0) })
    expect(!Self.isLive(target, files) && !hanging.contains { Self.isLive($0, files) })
    expect(Self.bequests.filter { Self.isLive($0, files) }.count, is: 2 - hanging.count)
    try expect(
      store.care.verify(now: StoreScenario.now).problems, is: [])
  }

  @Test func `several things go at once, each with what hangs on it`() throws {
    let (files, store) = try Self.build()
    let lost = RecordReference(.item, StoreScenario.id(0x29))
    let outcomes = store.trash.delete(
      [Self.person, lost, Self.item], withDependents: true, now: Self.now
    ).outcomes
    expect(outcomes.count, is: 3)
    try expect(outcomes[0].get(), is: Self.bequests.map { RecordReference(.bequest, $0) })
    expect(throws: Fault.self) { try outcomes[1].get() }
    // What hung on both went with the first.
    try expect(outcomes[2].get(), is: [])
    expect(!Self.isLive(Self.item, files) && !Self.isLive(Self.person, files))
    try expect(store.care.verify(now: StoreScenario.now).problems, is: [])
  }

  @Test func `where the store is held, the reason is told once for all that stays`() throws {
    let (files, store) = try Self.build()
    let lock = try files.open(Self.layout.lock, .readWriteCreate(mode: 0o600))
    expect(try files.lock(lock, wait: false))
    let deletion = store.trash.delete(
      [Self.person, Self.item], withDependents: true, now: Self.now)
    expect(deletion.outcomes.isEmpty)
    guard deletion.end?.code == .storeBusy else {
      Issue.record("\(String(describing: deletion.end))")
      return
    }
    try files.close(lock)
    expect(Self.isLive(Self.person, files) && Self.isLive(Self.item, files))
  }

  @Test func `what hangs on several things is looked for once`() throws {
    let (files, store) = try Self.build()
    let more = try (0x51...0x54).map { number in
      let id = StoreScenario.id(UInt8(number))
      try store.insert(Item(header: Self.header(id), name: "Item \(number)"))
      return RecordReference(.item, id)
    }
    func looks(_ targets: [RecordReference]) throws -> Int {
      files.plan()
      for outcome in store.trash.delete(targets, withDependents: false, now: Self.now).outcomes {
        _ = try outcome.get()
      }
      return files.calls.count { $0.path.text == "/s/bequests" }
    }
    // The first look makes what the others find.
    _ = try looks([more[0]])
    let ofOne = try looks([more[1]])
    expect(ofOne > 0)
    try expect(looks([more[2], more[3]]), is: ofOne)
  }

  @Test func `a bequest comes back only when both of its sides are there`() throws {
    let (_, store) = try Self.build()
    try store.trash.delete(.beneficiary, Self.person.id, withDependents: true, now: Self.now)
    let trashed = try store.trash.records(.bequest)
    expect(Set(trashed.map(\.id)), is: Set(Self.bequests))
    for record in trashed {
      expect(throws: Fault.self) { try store.trash.restore(record, now: Self.now) }
    }
    for record in try store.trash.records(.beneficiary) {
      try store.trash.restore(record, now: Self.now)
    }
    for record in trashed { try store.trash.restore(record, now: Self.now) }
    expect(try store.trash.records(.bequest).isEmpty)
    try expect(
      store.care.verify(now: StoreScenario.now).problems, is: [])
  }

  @Test func `a thing is left to a person once, also from the trash`() throws {
    let (files, store) = try Self.build()
    let again = Self.bequest(StoreScenario.id(0x33), of: Self.item)
    func isTwin(_ change: () throws(Fault) -> Void) -> RecordReference? {
      do throws(Fault) { try change() } catch {
        if error.code == .duplicate { return error.cause as? RecordReference }
      }
      return nil
    }
    let first = RecordReference(.bequest, Self.bequests[0])
    expect(isTwin { () throws(Fault) in try store.insert(again) }, is: first)
    expect(!Self.isLive(again.id, files))
    try store.trash.delete(.bequest, first.id, now: Self.now)
    try store.insert(again)
    let trashed = try require(try store.trash.records(.bequest).first)
    let twin = isTwin { () throws(Fault) in try store.trash.restore(trashed, now: Self.now) }
    expect(twin, is: RecordReference(.bequest, again.id))
    // Once it was revoked it may be left anew.
    var record = try store.read(Bequest.self, again.id)
    _ = record.model.mark(DeliveryChange(.revoked, at: Self.now, notes: ""), now: Self.now)
    _ = try store.update(record, now: Self.now)
    try store.trash.restore(trashed, now: Self.now)
    expect(Self.isLive(first, files))
  }

  @Test func `a vCard is one person`() throws {
    let (_, store) = try Self.build()
    var one = Beneficiary(header: Self.header(StoreScenario.id(0x24)), name: "Ida")
    one.cardUID = "u"
    try store.insert(one)
    var other = Beneficiary(header: Self.header(StoreScenario.id(0x25)), name: "Ida")
    other.cardUID = "u"
    expect(throws: Fault.self) { try store.insert(other) }
    other.cardUID = "v"
    try store.insert(other)
  }

  @Test func `nothing goes while a bequest cannot be read, or what comes back`() throws {
    let (files, store) = try Self.build()
    let path = Self.layout.record(.bequest, Self.bequests[0])
    let bytes = try require(files.bytes(path.text))
    try files.unlink(path)
    try files.setBytes(path.text, [1])
    for reference in [Self.person, Self.item] {
      expect(throws: Fault.self) {
        try store.trash.delete(reference.kind, reference.id, withDependents: true, now: Self.now)
      }
      expect(Self.isLive(reference, files))
    }
    try files.unlink(path)
    try files.setBytes(path.text, bytes)
    try store.trash.delete(.beneficiary, Self.person.id, withDependents: true, now: Self.now)
    let trashed = try require(try store.trash.records(.bequest).first)
    // A reading that fails must not pass for one that says nothing.
    files.plan([.from(1, .fail(EIO), on: [.read])])
    expect(throws: Fault.self) { try store.trash.restore(trashed, now: Self.now) }
    files.plan()
    expect(!Self.isLive(trashed.id, files))
  }

  @Test func `a bequest that a synchroniser left alone is told, and is no damage`() throws {
    let (files, store) = try Self.build()
    try files.unlink(Self.layout.record(.beneficiary, Self.person.id))
    // Nor did this machine ever have it.
    try StoreScenario.becomeAnotherMachine(store, files)
    let report = try store.care.verify(now: StoreScenario.now)
    expect(report.isSound)
    let told = report.problems.compactMap { finding in
      finding.kind == .missingReference && finding.record?.kind == .bequest
        && finding.detail == .reference(Self.person) ? finding.record?.id : nil
    }
    expect(Set(told) == Set(Self.bequests) && told.count == 2)
  }

  @Test func `what comes back brings the bequests that went with it`() throws {
    let (files, store) = try Self.build()
    let (ring, other) = (Self.bequests[0], Self.bequests[1])
    try store.trash.delete(.bequest, other, now: Instant(seconds: Self.now.seconds - 9))
    try store.trash.delete(.beneficiary, Self.person.id, withDependents: true, now: Self.now)
    try store.trash.delete(.capsule, Self.capsule.id, now: Self.now)
    let trashed = try store.trash.records(.beneficiary)
    let restoration = try store.trash.restore(trashed, now: Self.now)
    expect(restoration.restored.map(\.id), is: [Self.person.id, ring])
    expect(restoration.staying.map(\.id), is: [other])
    expect(restoration.failures.isEmpty && Self.isLive(ring, files))
    // The capsule was deleted at another time than its bequest.
    let capsule = try store.trash.restore(try store.trash.records(.capsule), now: Self.now)
    expect(capsule.restored.count == 1 && capsule.staying.map(\.id) == [other])
    // A bequest comes back after what it names, in whatever order they are given.
    try store.trash.delete(.item, Self.item.id, withDependents: true, now: Self.now)
    let both =
      try store.trash.records(.bequest).filter { $0.id == ring } + store.trash.records(.item)
    try expect(
      store.trash.restore(both, now: Self.now).restored.map(\.id), is: [Self.item.id, ring])
    try expect(store.trash.records(of: [other], deletedBefore: nil).map(\.id), is: [other])
    try expect(store.trash.records(of: nil, deletedBefore: Self.now).map(\.id), is: [other])
    expect(try store.trash.records(of: nil, deletedBefore: .earliest).isEmpty)
  }

  @Test func `the cost of bringing bequests back grows with their number, and no faster`() throws {
    func calls(_ count: UInt8) throws -> (all: Int, synchronized: Int) {
      let (files, store) = try Self.build()
      for number in 0..<count {
        let item = RecordReference(.item, StoreScenario.id(0x40 + number))
        try store.insert(Item(header: Self.header(item.id), name: "Item \(number)"))
        try store.insert(Self.bequest(StoreScenario.id(0xa0 + number), of: item))
      }
      try store.trash.delete(.beneficiary, Self.person.id, withDependents: true, now: Self.now)
      files.plan()
      let restoration = try store.trash.restore(
        try store.trash.records(.beneficiary), now: Self.now)
      expect(restoration.restored.count, is: Int(count) + 3)
      let calls = files.calls
      return (calls.count, calls.count { $0.operation == .synchronize })
    }
    let few = try calls(20)
    let many = try calls(80)
    expect(many.all < 5 * few.all)
    // A shard is synchronised once, the trash once.
    expect(many.synchronized < 5 * few.synchronized)
  }

  @Test func `of two things that say the same only one comes back, also when both are brought`()
    throws
  {
    let (_, store) = try Self.build()
    let first = Self.bequests[0]
    try store.trash.delete(.bequest, first, now: Self.now)
    let again = Self.bequest(StoreScenario.id(0x33), of: Self.item)
    try store.insert(again)
    try store.trash.delete(.bequest, again.id, now: Self.now)
    let trashed = try store.trash.records(.bequest)
    expect(trashed.count, is: 2)
    let restoration = try store.trash.restore(trashed, now: Self.now)
    expect(restoration.restored.count, is: 1)
    guard
      case .twin(RecordReference(.bequest, restoration.restored[0].id))? =
        restoration.failures.first
    else {
      Issue.record("\(restoration.failures)")
      return
    }
  }
}
