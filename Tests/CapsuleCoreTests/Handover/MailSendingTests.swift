import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Mail of deliveries: what goes with it, and that it is sent once or says so.
@Suite struct MailSendingTests {
  private static let now = StoreScenario.now
  private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

  private static func header(_ number: UInt64) -> RecordHeader {
    RecordHeader(id: RecordID(high: 1, low: number), createdAt: now)
  }

  /// Mia receives a ring and a house.
  private static func build() throws -> SimulatedFileSystem {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
    var mia = Beneficiary(header: header(1), name: "Mia")
    mia.email = "mia@example.org"
    mia.recipient = recipient
    try store.insert(mia)
    for (item, bequest) in [(3, 11), (4, 12)] as [(UInt64, UInt64)] {
      try store.insert(Item(header: header(item), name: "Thing \(item)"))
      try store.insert(
        Bequest(
          header: header(bequest), subject: RecordReference(.item, header(item).id),
          beneficiary: header(1).id))
    }
    return files.copy()
  }

  private static func store(_ files: SimulatedFileSystem) throws -> Store {
    try require(try StoreScenario.open(files, seed: 7))
  }

  private static func terms(_ form: MailTerms.Form = .letter, limit: Int64 = 1 << 20) throws
    -> MailTerms
  {
    MailTerms(form: form, from: try Mailbox("Anna <anna@example.org>"), limit: limit)
  }

  private static func delivery(isSealed: Bool = false, now: Instant = now) -> DeliveryTerms {
    DeliveryTerms(output: nil, isSealed: isSealed, withValues: false, now: now, zone: .utc)
  }

  /// A message that was handed over, and whether it was said to be a repeat.
  private struct Handed: Hashable {
    let id: String
    let isRepeat: Bool
    let bequests: [RecordID]
  }

  /// Whether no bequest went by two Message-IDs.
  private static func isEachKnown(_ handed: [Handed]) -> Bool {
    Set(handed.flatMap(\.bequests)).allSatisfy { bequest in
      Set(handed.filter { $0.bequests.contains(bequest) }.map(\.id)).count == 1
    }
  }

  /// Mails everything once, as a run of the program does.
  ///
  /// - Parameter end: how the program ends.
  private static func run(
    _ files: SimulatedFileSystem, _ handed: inout [Handed], now: Instant = now,
    end: (Int) -> MailOutcome = { _ in .handedOver }
  ) throws {
    let store = try store(files)
    let directory = try require(store.stateDirectory)
    var ledger = try require(try Ledger.open(of: store, in: directory, now: now))
    defer { ledger.close() }
    let plan = try store.handover.plan(for: nil, delivery(now: now)) {
      .locked(until: $0.model.unlockAt)
    }
    for person in plan.deliveries {
      let mails = try store.handover.mailPlan(
        for: person, owner: "Anna", try terms(), delivery(now: now), ledger.known.mail)
      for (gift, entry) in mails.unmarked {
        try store.handover.markMailed(
          [gift], to: person.person, as: entry.attempt.digest, at: entry.at, now: now)
      }
      for draft in mails.drafts {
        let message = try store.handover.message(
          of: draft, owner: "Anna", try terms(), delivery(now: now))
        var all = handed
        defer { handed = all }
        try store.handover.send(draft, as: message.id, keeping: &ledger, now: now) {
          all.append(
            Handed(
              id: message.id, isRepeat: draft.earlier?.saidTheSame == true, bequests: draft.bequests
            ))
          return end(all.count)
        }
      }
    }
  }

  private static func states(_ files: SimulatedFileSystem) throws -> [DeliveryState] {
    let store = try store(files)
    return try [11, 12].map { try store.read(Bequest.self, header($0).id).model.state }
  }

  private struct Said: Error {}

  /// The call from which on the ledger is used: before it nothing is sent; in a whole run it is the first.
  private static func firstOfMailing(_ files: SimulatedFileSystem) -> Int {
    guard TestScale.count(full: 1, debug: 41) > 1 else { return 1 }
    let call = files.calls.first { $0.path.text.hasPrefix("/state") }
    return call?.number ?? 1
  }

  @Test func `what the program took is marked, with the Message-ID that it went by`() throws {
    let files = try Self.build()
    var handed: [Handed] = []
    try Self.run(files, &handed)
    expect(try Self.states(files) == [.sent, .sent] && handed.count == 1)
    let change = try Self.store(files).read(Bequest.self, Self.header(11).id).model.delivery.last
    expect(change?.notes, is: "Mailed as <\(handed[0].id)>")
    try Self.run(files, &handed)
    expect(handed.count, is: 1)
  }

  @Test func `no id of a record stands in a Message-ID`() throws {
    var handed: [Handed] = []
    let files = try Self.build()
    try Self.run(files, &handed)
    let id = try require(handed.first?.id)
    for word in [Self.header(11).id.description, try Self.store(files).header.id.description] {
      expect(!id.contains(word) && !id.contains(word.parts(at: "-").joined()))
    }
  }

  @Test func `what the program refused is not marked, and goes with the next number`() throws {
    let files = try Self.build()
    var handed: [Handed] = []
    expect(throws: Said.self) {
      try Self.run(files, &handed) { _ in .refused(Said()) }
    }
    try expect(Self.states(files), is: [.notSent, .notSent])
    try Self.run(files, &handed)
    try expect(Self.states(files), is: [.sent, .sent])
    expect(handed.count == 2 && handed[0].id != handed[1].id && !handed[1].isRepeat)
  }

  @Test func `what may have gone goes again by the same Message-ID, with what it had`() throws {
    let files = try Self.build()
    var handed: [Handed] = []
    expect(throws: Said.self) {
      try Self.run(files, &handed) { _ in .unknown(Said()) }
    }
    let store = try Self.store(files)
    try store.insert(Item(header: Self.header(5), name: "New"))
    try store.insert(
      Bequest(
        header: Self.header(13), subject: RecordReference(.item, Self.header(5).id),
        beneficiary: Self.header(1).id))
    try Self.run(files, &handed)
    try require(handed.count == 3)
    expect(
      handed[1], is: Handed(id: handed[0].id, isRepeat: true, bequests: handed[0].bequests))
    expect(handed[2].id != handed[0].id && !handed[2].isRepeat)
  }

  @Test func `what may have gone has the same Message-ID on another day`() throws {
    let files = try Self.build()
    var handed: [Handed] = []
    try? Self.run(files, &handed) { _ in .unknown(Said()) }
    try? Self.run(files, &handed, now: Self.now.adding(seconds: 86_400)) { _ in .unknown(Said()) }
    try Self.run(files, &handed, now: Self.now.adding(seconds: 10 * 86_400))
    expect(handed.count == 3 && Set(handed.map(\.id)).count == 1)
    expect(handed.map(\.isRepeat), is: [false, true, true])
  }

  @Test func `what may have gone in other words goes again by another Message-ID, once`() throws {
    let files = try Self.build()
    var handed: [Handed] = []
    try? Self.run(files, &handed) { _ in .unknown(Said()) }
    let store = try Self.store(files)
    var record = try store.read(Bequest.self, Self.header(12).id)
    record.model.message = "Other words"
    _ = try store.update(record, now: Self.now)
    try? Self.run(files, &handed) { _ in .unknown(Said()) }
    try Self.run(files, &handed)
    expect(handed.map(\.isRepeat), is: [false, false, true])
    expect(handed[1].id != handed[0].id && handed[2].id == handed[1].id)
    expect(Set(handed.map(\.bequests)).count == 1)
    try expect(Self.states(files), is: [.sent, .sent])
  }

  /// A change of what a message says or carries, and whether it is another message then.
  private enum Wording: CaseIterable {
    case none, date, message, description, owner, address, file, history, isAttached
  }

  @Test func `each change of what a mail says or carries has a Message-ID of its own`() throws {
    var ids: [Wording: String] = [:]
    for wording in Wording.allCases {
      let store = try Self.store(try Self.build())
      func change<Model: RecordModel>(
        _ type: Model.Type, _ number: UInt64, _ body: (inout Model) -> Void
      ) throws {
        var record = try store.read(type, Self.header(number).id)
        body(&record.model)
        _ = try store.update(record, now: Self.now)
      }
      switch wording {
      case .none, .date, .owner, .isAttached: break
      case .message: try change(Bequest.self, 11) { $0.message = "Other words" }
      case .description: try change(Item.self, 3) { $0.description = "Other words" }
      case .address: try change(Beneficiary.self, 1) { $0.email = "other@example.org" }
      case .file: try store.attach(store.layout.header.text, to: Self.header(3).id)
      case .history: try store.log(Self.header(3).id, notes: "Polished")
      }
      let delivery = Self.delivery(
        now: wording == .date ? Self.now.adding(seconds: 86_400) : Self.now)
      let plan = try store.handover.plan(for: nil, delivery) { .locked(until: $0.model.unlockAt) }
      let draft = try require(
        try store.handover.mailPlan(
          for: plan.deliveries[0], owner: wording == .owner ? "Eva" : "Anna",
          try Self.terms(wording == .isAttached ? .attached : .letter), delivery, MailLog()
        ).drafts.first)
      ids[wording] = draft.attempt.digest
    }
    let same = ids.filter { $0.value == ids[.none] }.keys
    expect(Set(same), is: [.none, .date, .history])
    expect(Set(ids.values).count, is: ids.count - 2)
  }

  @Test func `killed or without power at any call, nothing goes twice unsaid and no mark is false`()
    throws
  {
    let base = try Self.build()
    var ignored: [Handed] = []
    let counting = base.copy()
    counting.plan()
    try Self.run(counting, &ignored)
    let count = counting.calls.count
    expect(count > 20)
    let start = Self.firstOfMailing(counting)
    for call in stride(from: start, through: count, by: TestScale.count(full: 1, debug: 41)) {
      for isPowerCut in [false, true] {
        let files = base.copy()
        files.plan([.at(call, .crash)])
        var handed: [Handed] = []
        try? Self.run(files, &handed)
        let place: Comment = "call \(call), \(isPowerCut ? "power cut" : "killed")"
        let next = isPowerCut ? files.after(.onlySynchronized) : files.afterKill()
        let marked = try Self.states(next).contains(.sent)
        expect(!marked || handed.count == 1, place)
        try Self.run(next, &handed)
        try expect(Self.states(next), is: [.sent, .sent], place)
        expect((1...2).contains(handed.count) && Self.isEachKnown(handed), place)
        if handed.count == 2, !isPowerCut { expect(handed[1].isRepeat, place) }
      }
    }
  }

  @Test func `whichever call fails, nothing goes twice unsaid and no mark is false`() throws {
    let base = try Self.build()
    var ignored: [Handed] = []
    let counting = base.copy()
    counting.plan()
    try Self.run(counting, &ignored)
    let calls = Self.firstOfMailing(counting)...counting.calls.count
    for call in calls where call % TestScale.count(full: 1, debug: 41) == 0 {
      let files = base.copy()
      files.plan([.at(call, .fail(5))])
      var handed: [Handed] = []
      try? Self.run(files, &handed)
      files.plan()
      let place: Comment = "call \(call)"
      expect(try !Self.states(files).contains(.sent) || handed.count == 1, place)
      let next = files.afterKill()
      try Self.run(next, &handed)
      try expect(Self.states(next), is: [.sent, .sent], place)
      expect((1...2).contains(handed.count) && Self.isEachKnown(handed), place)
    }
  }

  @Test func `where the try cannot be kept, the program is not started`() throws {
    let files = try Self.build()
    var handed: [Handed] = []
    files.plan([.from(1, .fail(28), on: [.write])])
    expect(throws: (any Error).self) { try Self.run(files, &handed) }
    expect(handed.isEmpty)
  }

  /// A change that somebody makes while others are mailed.
  enum Change: CaseIterable {
    case passing, revoked, date, message, thing, gone, address, person
  }

  @Test(arguments: Change.allCases)
  func `what was changed after the plan is not mailed, and nothing of it is kept`(
    change: Change
  ) throws {
    let files = try Self.build()
    let store = try Self.store(files)
    try store.setOwner("Anna")
    _ = try store.settings.declarePassing(at: Self.now, owner: "Anna", now: Self.now)
    try store.insert(Item(header: Self.header(5), name: "Upon passing"))
    try store.insert(
      Bequest(
        header: Self.header(13), subject: RecordReference(.item, Self.header(5).id),
        beneficiary: Self.header(1).id, access: .uponPassing))
    let plan = try store.handover.plan(for: nil, Self.delivery()) {
      .locked(until: $0.model.unlockAt)
    }
    let draft = try require(
      try store.handover.mailPlan(
        for: plan.deliveries[0], owner: "Anna", try Self.terms(), Self.delivery(), MailLog()
      ).drafts.first)
    expect(draft.bequests.count, is: 3)
    try Self.make(change, in: store, files)
    let directory = try require(store.stateDirectory)
    var ledger = try require(try Ledger.open(of: store, in: directory, now: Self.now))
    defer { ledger.close() }
    var isHanded = false
    expect(throws: (any Error).self) {
      try store.handover.send(draft, as: "1@example.org", keeping: &ledger, now: Self.now) {
        isHanded = true
        return .handedOver
      }
    }
    expect(!isHanded && draft.bequests.allSatisfy { ledger.known.mail[$0] == nil })
    try expect(store.read(Bequest.self, Self.header(11).id).model.state, is: .notSent)
  }

  private static func make(
    _ kind: Change, in store: Store, _ files: SimulatedFileSystem
  ) throws {
    func change<Model: RecordModel>(
      _ type: Model.Type, _ number: UInt64, _ body: (inout Model) -> Void
    ) throws {
      var record = try store.read(type, header(number).id)
      body(&record.model)
      _ = try store.update(record, now: now)
    }
    switch kind {
    case .passing: try store.revokePassing()
    case .revoked: try store.mark(header(12).id, as: .revoked)
    case .date: try change(Bequest.self, 12) { $0.access = .afterDate(now.adding(seconds: 60)) }
    case .message: try change(Bequest.self, 12) { $0.message = "Other words" }
    case .thing: try change(Item.self, 3) { $0.description = "Other words" }
    case .gone: try files.unlink(store.layout.record(.item, header(3).id))
    case .address: try change(Beneficiary.self, 1) { $0.email = "other@example.org" }
    case .person: try files.unlink(store.layout.record(.beneficiary, header(1).id))
    }
  }

  @Test func `sealed mail names nothing, and a person without a recipient gets none`() throws {
    let store = try Self.store(try Self.build())
    let delivery = Self.delivery(isSealed: true)
    let plan = try store.handover.plan(for: nil, delivery) { .locked(until: $0.model.unlockAt) }
    let terms = try Self.terms(.sealed)
    let draft = try require(
      try store.handover.mailPlan(
        for: plan.deliveries[0], owner: "Anna", terms, delivery, MailLog()
      ).drafts.first)
    let message = try store.handover.message(of: draft, owner: "Anna", terms, delivery)
    expect(message.subject, is: "Something for you from Anna")
    expect(!message.text.contains("Thing") && message.text.contains("Mia.tar.age"))
    expect(message.attachments.map(\.name), is: ["Mia.tar.age"])
    expect(message.attachments[0].bytes.starts(with: "age-encryption.org/v1".utf8))
  }

  @Test func `a message over the limit is not made`() throws {
    let store = try Self.store(try Self.build())
    for form in [MailTerms.Form.letter, .sealed] {
      let delivery = Self.delivery(isSealed: form == .sealed)
      let plan = try store.handover.plan(for: nil, delivery) { .locked(until: $0.model.unlockAt) }
      let terms = try Self.terms(form, limit: 300)
      let draft = try require(
        try store.handover.mailPlan(
          for: plan.deliveries[0], owner: "Anna", terms, delivery, MailLog()
        ).drafts.first)
      expect(throws: Fault.self) {
        try store.handover.message(of: draft, owner: "", terms, delivery)
      }
    }
  }
}
