import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// Questions for the records of each kind, and the record that a word means.
@Suite struct QueryTests {
  private let store: Store
  private let now = StoreScenario.now
  private let calendar = EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc }
  /// Longer than what an index keeps of a text.
  private let long = String(repeating: "lorem ipsum ", count: 200) + "at the Café"

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(SimulatedFileSystem(), seed: 1),
      now: StoreScenario.now)
  }

  private func header(_ number: UInt8) -> RecordHeader {
    RecordHeader(id: StoreScenario.id(number), createdAt: Instant(seconds: 1_600_000_000))
  }

  private func capsule(
    _ number: UInt8, _ title: String, unlock: Int64 = 1_800_000_000, tags: [String] = [],
    notes: String = ""
  ) throws {
    var capsule = StoreScenario.capsule(number)
    capsule.title = title
    capsule.tags = tags
    capsule.notes = notes
    capsule.unlockAt = Instant(seconds: unlock)
    try store.insert(capsule)
  }

  private func event(_ number: UInt8, _ title: String, day: Int, notes: String = "") throws {
    var event = Event(
      header: header(number), title: title, moment: .day(CivilDate(daysSinceEpoch: day)), zone: "")
    event.notes = notes
    try store.insert(event)
  }

  private func rows<Query: RecordQuery>(_ query: Query) -> [Query.Row] {
    var index = store.index.open(Query.kind, now: now)
    var rows: [Query.Row] = []
    query.forEach(in: &index, of: store) { row in
      rows.append(row)
      return true
    }
    return rows
  }

  private func titles(_ change: (inout CapsuleQuery) -> Void = { _ in }) -> [String] {
    var query = CapsuleQuery(now: now)
    change(&query)
    return rows(query).map(\.summary.record.title)
  }

  // MARK: Search

  @Test(arguments: ["cafe", "CAFÉ", "cafe\u{301}", "fé"])
  func `a search looks at neither case nor accents, whatever the kind`(wanted: String) throws {
    try capsule(1, "Le Café")
    try capsule(2, "Tagged", tags: ["CAFE\u{301}"])
    try capsule(3, "Noted", notes: long)
    try capsule(4, "Tea", notes: "lorem ipsum")
    try event(1, "café", day: 20_000)
    try event(2, "Noted", day: 20_001, notes: long)
    try event(3, "Tea", day: 20_002)
    try store.insert(Item(header: header(1), name: "Cafetière"))
    var item = Item(header: header(2), name: "Noted")
    item.description = long
    try store.insert(item)
    var person = Beneficiary(header: header(1), name: "Zoë")
    person.notes = long
    try store.insert(person)
    let text = SearchText(wanted)
    expect(titles { $0.text = text }.sorted(), is: ["Le Café", "Noted", "Tagged"])
    var events = EventQuery(calendar, now: now)
    events.text = text
    expect(rows(events).map(\.summary.record.title).sorted(), is: ["Noted", "café"])
    var items = ItemQuery(now: now, zone: .utc)
    items.text = text
    expect(rows(items).map(\.summary.record.name).sorted(), is: ["Cafetière", "Noted"])
    var people = BeneficiaryQuery()
    people.text = text
    expect(rows(people).map(\.summary.record.name), is: ["Zoë"])
  }

  @Test(arguments: [
    ("\u{439}\u{43e}\u{434}", "\u{418}\u{306}\u{43e}\u{434}"), ("\u{304b}\u{3099}", "\u{304c}"),
    ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"),
  ])
  func `a search finds every spelling of a letter`(one: String, other: String) {
    expect(SearchText(one).matches("a \(other) b"))
    expect(SearchText(other).matches("a \(one) b"))
  }

  // MARK: Order and limit

  @Test func `capsules stand by their unlocking, and a limit cuts any order`() throws {
    for (number, (title, offset)) in [("d", -20), ("B", 30), ("a", 10), ("C", -10)].enumerated() {
      try capsule(UInt8(number + 1), title, unlock: now.seconds + Int64(offset))
    }
    let orders: [(CapsuleQuery.Order, [String])] = [
      (.unlock, ["a", "B", "C", "d"]), (.title, ["a", "B", "C", "d"]),
      (.created, ["d", "B", "a", "C"]),
    ]
    for (order, expected) in orders {
      for limit in 1...5 {
        for isReversed in [false, true] {
          let found = titles {
            $0.order = order
            $0.isReversed = isReversed
            $0.limit = limit
          }
          expect(found, is: Array((isReversed ? expected.reversed() : expected).prefix(limit)))
        }
      }
    }
    expect(titles { $0.states = [.locked] }, is: ["a", "B"])
    expect(titles { $0.before = Instant(seconds: now.seconds + 10) }, is: ["C", "d"])
    expect(titles { $0.after = Instant(seconds: now.seconds + 10) }, is: ["a", "B"])
  }

  @Test func `the first of an order are those of all that are sorted`() {
    var generator = SeededGenerator(seed: 7)
    let numbers = (0..<500).map { _ in Int.random(in: 0..<90, using: &generator) }
    for limit in [1, 2, 50, 499, 500, 600, Int.max] {
      for isReversed in [false, true] {
        var first = FirstSorted<Int>(limit: limit, reversed: isReversed, by: <)
        for number in numbers { first.insert(number) }
        let sorted = isReversed ? numbers.sorted(by: >) : numbers.sorted()
        expect(first.elements, is: Array(sorted.prefix(limit)))
      }
    }
  }

  // MARK: States

  @Test func `a capsule is unlocked from its second on, and opened when it was`() {
    var capsule = StoreScenario.capsule(1)
    func row(_ offset: Int64) -> CapsuleRow {
      CapsuleRow(capsule.brief, at: capsule.unlockAt.adding(seconds: offset))
    }
    expect(row(-1).state == .locked && row(-1).secondsRemaining == 1)
    expect(row(0).state == .unlocked && row(0).secondsRemaining == 0)
    capsule.openedAt = capsule.unlockAt
    expect(row(0).state, is: .opened)
    // Whatever it was before, the gate has the say.
    expect(row(-1).state, is: .locked)
  }

  @Test func `a reminder is due on its day, and overdue from the next`() {
    var item = Item(header: header(1), name: "Filter")
    func state(_ seconds: Int64) -> ItemDueState? {
      ItemRow(item.brief, at: Instant(seconds: seconds), in: .utc).dueState
    }
    expect(state(0) == nil)
    item.reminder = Reminder(every: 1, .day, since: Instant(seconds: 43_200))
    expect(state(43_200 + 86_399), is: .upcoming)
    expect(state(43_200 + 86_400), is: .due)
    expect(state(2 * 86_400 - 1), is: .due)
    expect(state(2 * 86_400), is: .overdue)
    item.reminder?.isOn = false
    expect(state(2 * 86_400), is: .off)
  }

  @Test func `bequests are narrowed by what they name, and by what may be had`() throws {
    try store.insert(Item(header: header(1), name: "Ring"))
    try store.insert(Item(header: header(2), name: "Watch"))
    try store.insert(Beneficiary(header: header(3), name: "Mia"))
    for (number, rule) in [(1, AccessRule.immediate), (2, .uponPassing)] as [(UInt8, AccessRule)] {
      try store.insert(
        Bequest(
          header: header(0x10 + number),
          subject: RecordReference(.item, StoreScenario.id(number)),
          beneficiary: StoreScenario.id(3), access: rule, message: ""))
    }
    var query = BequestQuery(passing: nil, now: now)
    expect(rows(query).map(\.title), is: ["Ring to Mia", "Watch to Mia"])
    query.onlyAccessible = true
    expect(rows(query).map(\.title), is: ["Ring to Mia"])
    query.references = [RecordReference(.item, StoreScenario.id(2))]
    expect(rows(query).isEmpty)
    query.onlyAccessible = false
    query.order = .access
    expect(rows(query).map(\.title), is: ["Watch to Mia"])
  }

  // MARK: The record that a word means

  private func refusal(_ word: String, _ kinds: [RecordKind]) -> Fault? {
    do throws(Fault) {
      var finder = RecordFinder(store, now: now)
      _ = try finder.find(word, among: kinds)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a word means an id, the start of one, or a name, and several are refused`() throws {
    try capsule(0x21, "To Mia")
    try capsule(0x22, "to mia")
    try event(0x23, "Launch", day: 20_000)
    let kinds: [RecordKind] = [.capsule, .event]
    var finder = RecordFinder(store, now: now)
    for word in ["23000000-0000-4000-8000-000000000023", "2300", "LAUNCH"] {
      let found = try finder.find(word, among: kinds)
      expect(found.kind == .event && found.title == "Launch")
    }
    let several = refusal("To Mia", kinds)
    expect(several?.code, is: .severalRecords)
    expect(
      (several?.cause as? [FoundRecord])?.map(\.id),
      is: [StoreScenario.id(0x21), StoreScenario.id(0x22)])
    for word in ["230", "Launch 2", ""] {
      expect(refusal(word, kinds), is: .noSuchRecord(word, among: kinds))
    }
    guard refusal("Launch", [.capsule])?.code == .noSuchRecord else {
      Issue.record("another kind is found")
      return
    }
  }
}
