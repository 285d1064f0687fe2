import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Lists, the timeline and `check` look at a part of the index only. What they find in it is held
/// against what a look at every record gives.
@Suite struct FastQueryTests {
  private let home: HostedStore
  private let now = Instant(seconds: 1_800_000_000)
  private var events: [Event] = []
  private var items: [Item] = []

  init() throws {
    home = try HostedStore(now: now.rfc3339)
    var random = SeededGenerator(seed: 4)
    events = (0..<TestScale.count(full: 160, debug: 80)).map { Self.event($0, now, &random) }
    items = (0..<TestScale.count(full: 90, debug: 45)).map { Self.item($0, now, &random) }
    let (firstEvents, firstItems) = (events.count * 3 / 4, items.count * 3 / 4)
    try insert(events.prefix(firstEvents), items.prefix(firstItems))
    // A base of the index, and then a log beyond it.
    try home.done("event", "list", "--limit", "1")
    try home.done("item", "list", "--limit", "1")
    try insert(events.dropFirst(firstEvents), items.dropFirst(firstItems))
    try home.done("event", "delete", events.removeFirst().id.description, "--yes")
    try home.done("item", "delete", items.removeFirst().id.description, "--yes")
  }

  private func insert(_ events: ArraySlice<Event>, _ items: ArraySlice<Item>) throws {
    let environment = StoreEnvironment(
      fileSystem: UnsynchronizedFileSystem(), random: .system,
      patience: .sleeping(limit: 10_000),
      cacheHome: FilePath(home.path + "/.cache/capsule"),
      stateHome: FilePath(home.path + "/.local/state/capsule"), holder: "test\n",
      clock: StoreClock { .epoch })
    let store = try Store.openOrCreate(
      at: FilePath(home.store), environment: environment, now: now)
    for event in events { try store.insert(event) }
    for item in items { try store.insert(item) }
  }

  // MARK: Made up

  private static func header(_ now: Instant, _ random: inout SeededGenerator) -> RecordHeader {
    RecordHeader(
      id: RecordID(high: random.next(), low: random.next()),
      createdAt: now.adding(seconds: -random.below(40 * 86_400)))
  }

  private static func event(
    _ number: Int, _ now: Instant, _ random: inout SeededGenerator
  ) -> Event {
    // Many within days of now, where bounds and zones matter.
    let reach = number % 2 == 0 ? 3 : 400
    let start = now.adding(seconds: random.below(2 * Int64(reach) * 86_400) - Int64(reach) * 86_400)
    let isDay = random.below(2) == 0
    let civil = ZoneRules.utc.civil(at: start).date
    var event = Event(
      header: header(now, &random), title: "Event \(random.below(50)) é",
      moment: isDay ? .day(civil) : .instant(start), zone: isDay ? "" : "+05:45")
    if number % 4 == 0 {
      let units: [DurationUnit] = [.day, .week, .month, .year]
      event.recurrence = Recurrence(every: 1 + Int(random.below(3)), units[Int(random.below(4))])
      // Some have ended by now.
      if random.below(2) == 0 { event.series.times = 1 + Int(random.below(6)) }
      event.length = EventLength(days: Int(random.below(3)), seconds: 0)
    } else if number % 4 == 1 {
      event.length = EventLength(days: Int(random.below(40)), seconds: 0)
    } else {
      event.isDeadline = random.below(3) == 0
      if event.isDeadline, random.below(2) == 0 { event.doneAt = now }
    }
    let alerts = ["1 week before", "on the day at 23:00", "2 hours before", "1 month before"]
    event.alerts = alerts.filter { _ in random.below(4) == 0 }.compactMap { EventAlert($0) }
    return event
  }

  private static func item(_ number: Int, _ now: Instant, _ random: inout SeededGenerator) -> Item {
    var item = Item(header: header(now, &random), name: "Item \(number * 7919 % 90)")
    item.category = ["", "Bikes", "äpfel", "bikes"][Int(random.below(4))]
    let currency = ["EUR", "JPY", "USD"][Int(random.below(3))]
    if random.below(3) > 0 { item.value = try? Money("\(currency) \(random.below(9))") }
    for _ in 0..<random.below(4) {
      item.log(
        HistoryEntry(
          at: now.adding(seconds: -random.below(90) * 86_400), value: ExactDecimal("1.5"),
          notes: ""))
    }
    let units: [DurationUnit] = [.hour, .day, .month]
    if random.below(2) == 0 {
      item.reminder = Reminder(
        every: 1 + Int(random.below(60)), units[Int(random.below(3))], since: item.createdAt)
      item.reminder?.isOn = random.below(5) > 0
    }
    return item
  }

  // MARK: Asked

  private func list(_ words: [String]) throws -> [JSON] {
    try require(try home.json(words).array)
  }

  private func ids(_ list: [JSON]) -> [String] { list.compactMap { $0["id"]?.string } }

  private var calendar: EventCalendar {
    EventCalendar(zone: .utc, leapDay: .february28) { _ in ZoneRules(offset: 20_700) }
  }

  // MARK: Compared

  @Test func `the first events of a list are those of the whole list`() throws {
    for order in ["date", "title", "created"] {
      for isReversed in [false, true] {

        let words =
          ["event", "list", "--sort", order] + (isReversed ? ["--reverse"] : [])
        let all = try list(words)
        expect(Set(ids(all)), is: Set(events.map(\.id.description)))
        for limit in [1, 2, 13, events.count - 1, 1000] {
          let some = try list(words + ["--limit", "\(limit)"])
          expect(some, is: Array(all.prefix(limit)), "\(order) \(limit)")
        }
        for filter in ["--upcoming", "--elapsed", "--deadlines"] {
          let whole = try list(words + [filter])
          let some = try list(words + [filter, "--limit", "9"])
          expect(some, is: Array(whole.prefix(9)))
          expect(Set(ids(whole)).isSubset(of: ids(all)))
        }
        // In the order that is worked out here.
        let (calendar, now) = (calendar, now)
        let sorted = events.sorted { left, right in
          switch order {
          case "title":
            return (Self.natural(left.title), left.createdAt, left.id)
              < (Self.natural(right.title), right.createdAt, right.id)
          case "created": return (left.createdAt, left.id) < (right.createdAt, right.id)
          default:
            let places = [left, right].map { event in
              let schedule = event.timing.schedule(in: calendar)
              let current = schedule.current(at: now)
              let isAhead = current.map { schedule.state(of: $0, at: now).isAhead } ?? false
              let moment = current?.moment ?? event.moment
              return (isAhead, moment.start(in: .utc), event.createdAt, event.id)
            }
            if places[0].0 != places[1].0 { return places[0].0 }
            let isBefore =
              (places[0].1, places[0].2, places[0].3) < (places[1].1, places[1].2, places[1].3)
            return places[0].0 ? isBefore : !isBefore
          }
        }.map(\.id.description)
        expect(ids(all) == (isReversed ? sorted.reversed() : sorted))
      }
    }
  }

  @Test func `an agenda holds what every record has in its days`() throws {
    for (day, days) in [
      (-400, 45), (-30, 9), (-2, 45), (-2, 1), (0, 1), (0, 45), (1, 9), (20, 9), (200, 45),
    ] {

      let start = now.adding(seconds: Int64(day) * 86_400)
      let end = start.adding(seconds: Int64(days) * 86_400)
      var expected: [String] = []
      for event in events {
        let timing = event.timing
        if timing.isDeadline, timing.doneAt == nil, start <= now,
          timing.moment.end(in: .utc) <= now, timing.moment.start(in: .utc) < end
        {
          expected.append("\(timing.moment.start(in: .utc).rfc3339) deadline \(event.id)")
        } else if timing.doneAt == nil {
          for moment in timing.schedule(in: calendar).occurrences(from: start, before: end) {
            let what = event.isDeadline ? "deadline" : "event"
            expected.append("\(moment.moment.start(in: .utc).rfc3339) \(what) \(event.id)")
          }
        }
        for alert in timing.schedule(in: calendar).alerts(from: start, before: end) {
          expected.append("\(alert.instant.rfc3339) alert \(event.id)")
        }
      }
      for item in items {
        guard let reminder = item.reminder, reminder.isOn,
          let due = reminder.due(last: item.history.last?.at, in: .utc), due < end,
          // Of days that are yet to come it is not known what will be overdue.
          due >= start || start <= now
        else { continue }
        expected.append("\(due.rfc3339) reminder \(item.id)")
      }
      let span = ["--from", start.rfc3339, "--to", end.adding(seconds: -1).rfc3339]
      let words = ["agenda"] + span
      let found = try list(words)
      let told = found.compactMap { entry -> String? in
        guard let what = entry["what"]?.string, let id = entry["id"]?.string else { return nil }
        let at = entry["at"]?.string ?? (entry["date"]?.string).map { $0 + "T00:00:00Z" }
        return "\(at ?? "") \(what) \(id)"
      }
      expect(told.map { $0.prefix(20) }, is: told.map { $0.prefix(20) }.sorted())
      expect(told.sorted(), is: expected.sorted())
      for limit in [1, 6, 40] {
        let some = try list(words + ["--limit", "\(limit)"])
        expect(some, is: Array(found.prefix(limit)), "\(limit)")
      }
    }
  }

  /// Of each day what has a time stands before what is all day.
  private func inNextOrder(_ agenda: [JSON]) -> [JSON] {
    func key(_ entry: JSON) -> [String] {
      let isAllDay = entry["allDay"] == true
      return [
        entry["day"]?.string ?? "", isAllDay ? "1" : "0", entry["at"]?.string ?? "",
        entry["title"]?.string ?? "", entry["id"]?.string ?? "",
      ]
    }
    return agenda.sorted { key($0).lexicographicallyPrecedes(key($1)) }
  }

  @Test func `what comes next is the beginning of the agenda, days by their times`() throws {
    for day in [-300, -1, 0, 5] {

      let at = now.adding(seconds: Int64(day) * 86_400)
      let agenda = inNextOrder(
        try list([
          "agenda", "--no-alerts", "--from", at.rfc3339, "--to",
          at.adding(seconds: 400 * 86_400).rfc3339, "--at", at.rfc3339,
        ]))
      // What began before, and goes on, does not come next.
      let today = ZoneRules.utc.civil(at: at).date.description
      let ahead = agenda.filter { entry in
        entry["ongoing"] != true || entry["allDay"] == true && entry["day"]?.string == today
      }
      for limit in [1, 5, 30] {
        try expect(
          list(["next", "--limit", "\(limit)", "--at", at.rfc3339]), is: Array(ahead.prefix(limit)))
      }
      let upcoming = try require(
        try home.run("status", "--format", "json", "--at", at.rfc3339).json()["upcoming"]?.array)
      var seen: Set<String> = []
      let once = agenda.filter { seen.insert($0["id"]?.string ?? "").inserted }
      expect(upcoming, is: Array(once.prefix(10)))
    }
  }

  /// A text whose plain order is that of names: each number has six digits.
  private static func natural(_ name: String) -> String {
    var text = ""
    var digits = ""
    for character in name.lowercased() + " " {
      if character.isNumber {
        digits.append(character)
      } else {
        if !digits.isEmpty { text += String(repeating: "0", count: 6 - digits.count) + digits }
        digits = ""
        text.append(character == "ä" ? "a" : character)
      }
    }
    return text
  }

  @Test func `the first items of a list are those of the whole list`() throws {
    for order in ["added", "name", "value", "category", "since"] {
      for isReversed in [false, true] {

        let words =
          ["item", "list", "--sort", order] + (isReversed ? ["--reverse"] : [])
        let all = try list(words)
        expect(Set(ids(all)), is: Set(items.map(\.id.description)))
        let due = try list(words + ["--due"])
        for limit in [1, 10, items.count / 2, 500] {
          let some = try list(words + ["--limit", "\(limit)"])
          expect(some, is: Array(all.prefix(limit)))
          let some2 = try list(words + ["--due", "--limit", "\(limit)"])
          expect(some2, is: Array(due.prefix(limit)))
        }
        let names = Dictionary(uniqueKeysWithValues: items.map { ($0.id.description, $0) })
        let sorted = ids(all).compactMap { names[$0] }
        let pairs = zip(sorted, sorted.dropFirst()).map { isReversed ? ($1, $0) : ($0, $1) }
        for (first, second) in pairs {
          switch order {
          case "added":
            // From the last added.
            expect((first.createdAt, first.id) > (second.createdAt, second.id))
          case "name": expect(Self.natural(first.name) < Self.natural(second.name))
          case "category":
            expect(second.category.isEmpty || !first.category.isEmpty)
            guard !second.category.isEmpty else { continue }
            expect(Self.natural(first.category) <= Self.natural(second.category))
          case "value":
            guard let value = second.value else { continue }
            let higher = try require(first.value)
            expect(
              higher.currency.code < value.currency.code
                || higher.currency == value.currency && higher.minorUnits >= value.minorUnits)
          default:
            guard let last = second.history.last?.at else { continue }
            expect(try require(first.history.last?.at) <= last)
          }
        }
      }
    }
  }

  @Test func `since tells the first of all that have a history`() throws {
    for isReversed in [false, true] {

      let words = ["since"] + (isReversed ? ["--reverse"] : [])
      let all = try list(words)
      let expected = items.filter { !$0.history.isEmpty }.sorted { left, right in
        let (one, other) = (left.history.last?.at ?? now, right.history.last?.at ?? now)
        if one != other { return isReversed ? one > other : one < other }
        return (left.createdAt, left.id) < (right.createdAt, right.id)
      }
      expect(ids(all), is: expected.map(\.id.description))
      for limit in [1, 8, 33] {
        try expect(list(words + ["--limit", "\(limit)"]), is: Array(all.prefix(limit)))
      }
    }
  }

  @Test func `a check announces what every record has to announce`() throws {
    for day in [0, 1, 3, 40, 390] {

      // The first use of this machine is now: nothing from before is announced.
      try home.done("check")
      let end = now.adding(seconds: Int64(day) * 86_400)
      var expected: [String] = []
      for event in events {
        for found in event.timing.schedule(in: calendar).announcements(after: now, through: end) {
          expected.append("\(found.instant.rfc3339) \(event.id)")
        }
      }
      for item in items {
        guard let reminder = item.reminder,
          let latest = reminder.latest(through: end, last: item.history.last?.at, in: .utc)?
            .instant,
          latest > now
        else { continue }
        expected.append("\(latest.rfc3339) \(item.id)")
      }
      let found = try list(["check", "--dry-run", "--at", end.rfc3339]).map { entry in
        let at = entry["occurrenceAt"]?.string ?? entry["dueAt"]?.string ?? ""
        return "\(at) \(entry["id"]?.string ?? "")"
      }
      expect(found.sorted(), is: expected.sorted())
    }
  }
}

extension SeededGenerator {
  /// A number from 0 to below the bound.
  fileprivate mutating func below(_ bound: Int64) -> Int64 {
    Int64(next() % UInt64(bound))
  }
}
