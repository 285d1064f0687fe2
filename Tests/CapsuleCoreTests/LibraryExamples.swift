import CapsuleCore

// Every example of docs/library.md, with the answer that it gives. They use nothing but the public face
// of the library: Scripts/check-library builds them in a package of their own.
struct LibraryExample: Sendable {
  let name: String
  let answer: String
  let run: @Sendable (_ directory: String) throws -> String
}

let libraryExamples = [
  LibraryExample(
    name: "seal", answer: "locked, Hello, Mia. [true, true] refused", run: sealForTwo),
  LibraryExample(
    name: "passphrase", answer: "noKey, A secret.", run: sealWithPassphrase),
  LibraryExample(
    name: "timelock", answer: "timelock: round 1000, I said so.", run: sealUntilBeacon),
  LibraryExample(
    name: "records", answer: "[\"Café\"] Café, the second 2 [] restored", run: keepRecords),
  LibraryExample(
    name: "week", answer: "[\"Tax return\", \"Dentist\"] 1", run: comingWeek),
  LibraryExample(
    name: "people", answer: "[\"Zoë Martin\"] 1 marked", run: handOver),
  LibraryExample(
    name: "household",
    answer: "yearly; 2030-06-11T08:00:00Z; true; EUR 29.90, 1 done; [\"Mia is born\", \"Water "
      + "filter\", \"Mia is born\", \"Mia is born\"]",
    run: keepHousehold),
  LibraryExample(
    name: "passing",
    answer: "0 [\"Mia\"] accepted: the bequest is accepted, and stays as it was then",
    run: handOverUponPassing),
  LibraryExample(name: "trash", answer: "true [\"item\"] true 0", run: emptyTrash),
  LibraryExample(name: "verify", answer: "true 1 0", run: verifyStore),
]

func sealForTwo(directory: String) throws -> String {
  let mia = try Keys.generate(postQuantum: true)
  let notary = try Keys.generate(postQuantum: true)
  // The clock is yours: `.system` is the machine's, a test brings its own.
  let early = StoreClock { Instant(seconds: 1_800_000_000) }
  let capsule = try Store.open(directory: directory, clock: early).seal(
    NewCapsule(
      title: "To Mia at 18", unlockAt: Instant(seconds: 2_000_000_000),
      contents: [.text("Hello, Mia.")],
      lock: .recipients([mia.recipient, notary.recipient])))

  // Before its time the gate is closed, whoever has a key.
  let before = try Store.open(directory: directory, clock: early)
  let key = try Keys(identities: [mia.identity])
  var answer = "open"
  do throws(OpeningError) {
    _ = try before.open(capsule.id, with: key)
  } catch {
    if case .locked = error { answer = "locked" }
  }

  // After it, either key opens it.
  let late = StoreClock { Instant(seconds: 2_000_000_001) }
  let store = try Store.open(directory: directory, clock: late)
  let opened = try [mia, notary].map {
    try store.open(capsule.id, with: Keys(identities: [$0.identity]))
  }
  answer += ", \(opened[0].details[0].text ?? "") \(opened.map { $0.capsule.id == capsule.id })"

  // The unlock time only moves later, whoever asks.
  let earlier = try? store.change(Capsule.self, capsule.id) { $0.unlockAt = Instant(seconds: 0) }
  answer += earlier == nil ? " refused" : " moved"
  return answer
}

func sealWithPassphrase(directory: String) throws -> String {
  let store = try Store.open(directory: directory, clock: .system)
  // Leave the work factor out: the default makes guessing dear. 10 is for an example that runs fast.
  let capsule = try store.seal(
    NewCapsule(
      title: "Note", unlockAt: Instant(seconds: 0), contents: [.text("A secret.")],
      lock: .passphrase("correct horse", workFactor: 10)))
  var answer = "open"
  do throws(OpeningError) {
    _ = try store.open(capsule.id)
  } catch {
    if case .noKey = error { answer = "noKey" }
  }
  let opened = try store.open(capsule.id, with: Keys(identities: [], passphrase: "correct horse"))
  // Contents are streamed; a text may also be read from its details.
  var bytes: [UInt8] = []
  try opened.read(contentAt: 0) { bytes += $0 }
  try store.keepOpening(of: opened)
  return "\(answer), \(String(decoding: bytes, as: UTF8.self))"
}

func sealUntilBeacon(directory: String) throws -> String {
  let unlockAt = Instant(rfc3339: "2023-08-23T15:59:24Z") ?? .earliest
  let store = try Store.open(directory: directory, clock: .system)
  let capsule = try store.seal(
    NewCapsule(
      title: "Bet", unlockAt: unlockAt, contents: [.text("I said so.")],
      lock: .timelock(until: unlockAt)))
  // The beacon of the round as a file or a relay has it: it is verified, whoever gives it.
  let beacon =
    "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
    + "e342b73a8dd2bacbe47e4b6b63ed5e39"
  let opened = try store.open(capsule.id, with: Keys(identities: [], beacon: beacon))
  let round = capsule.lock.timelock?.round ?? 0
  return "\(capsule.lock.kind.rawValue): round \(round), \(opened.details[0].text ?? "")"
}

func keepRecords(directory: String) throws -> String {
  let store = try Store.open(directory: directory, clock: .system)
  let event = try store.add(Event(title: "Café", on: .instant(Instant(seconds: 1_900_000_000))))
  let found = store.records(Event.self, matching: "cafe").map(\.title)
  let changed = try store.change(Event.self, event.id) { $0.title = "Café, the second" }
  try store.delete(Event.self, event.id)
  let left = store.records(Event.self).map(\.title)
  let restored = try store.restore(Event.self, event.id)
  let end = restored == changed ? "restored" : "lost"
  return "\(found) \(changed.title) \(changed.revision) \(left) \(end)"
}

func comingWeek(directory: String) throws -> String {
  let monday = Instant(rfc3339: "2030-06-03T00:00:00Z") ?? .earliest
  let store = try Store.open(directory: directory, clock: StoreClock { monday })
  var dentist = Event(
    title: "Dentist", on: .instant(Instant(rfc3339: "2030-06-06T09:00:00Z") ?? .earliest))
  dentist.notes = "Bring the card."
  _ = try store.add(dentist)
  if let day = CivilDate(iso8601: "2030-06-04") {
    var deadline = Event(title: "Tax return", on: .day(day))
    deadline.isDeadline = true
    _ = try store.add(deadline)
  }
  let week = try store.agenda(
    from: monday, until: Instant(seconds: monday.seconds + 7 * 86_400), zone: "UTC",
    kinds: [.event])
  // On Wednesday the deadline was missed.
  let wednesday = Instant(seconds: monday.seconds + 2 * 86_400)
  let due = try Store.open(directory: directory, clock: StoreClock { wednesday })
    .due(since: monday)
  return "\(week.map(\.title)) \(due.count)"
}

func handOver(directory: String) throws -> String {
  let store = try Store.open(directory: directory + "/store", clock: .system)
  let card = "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:1\r\nFN:Zoë Martin\r\nEND:VCARD\r\n"
  let people = try store.importPeople(Array(card.utf8))
  let ring = try store.add(Item(name: "Gold ring"))
  if let zoe = people.first { _ = try store.add(Bequest(ring, to: zoe)) }
  let deliveries = try store.deliver(into: directory + "/handover", marksSent: true)
  let outcome = deliveries.first.map { "\($0.outcome)" } ?? "none"
  return "\(people.map(\.name)) \(deliveries.count) \(outcome)"
}

func keepHousehold(directory: String) throws -> String {
  let morning = Instant(rfc3339: "2030-06-03T08:00:00Z") ?? .earliest
  let store = try Store.open(directory: directory, clock: StoreClock { morning })

  // Dates: `capsule help dates` and `capsule help repeat` have the words.
  let day = CivilDate(iso8601: "2030-06-03").map { Moment.day($0) } ?? .instant(morning)
  var birthday = Event(title: "Mia is born", on: day)
  birthday.recurrence = Recurrence(words: "yearly")
  birthday.alerts = [EventAlert("1 week before")].compactMap { $0 }
  birthday = try store.add(birthday)
  var club = Event(title: "Book club", on: .instant(morning), zone: "UTC")
  club.recurrence = Recurrence(words: "2nd tuesday of the month")
  // What is repeated begins on the first day of its rule.
  club = try store.add(club)

  // A deadline is met, or missed.
  var tax = Event(title: "Tax return", on: day)
  tax.isDeadline = true
  tax = try store.add(tax)
  tax = try store.change(Event.self, tax.id) { try? $0.meet(at: morning) }

  // Things, what was done to them and when, and when it is to be done again.
  var filter = Item(name: "Water filter")
  filter.value = try Money("EUR 29.90")
  filter.reminder = Reminder(every: "3 months", since: morning)
  filter = try store.add(filter)
  filter = try store.change(Item.self, filter.id) {
    $0.log(HistoryEntry(at: morning, notes: "new cartridge"))
  }
  let year = try store.agenda(
    from: morning, until: Instant(seconds: morning.seconds + 400 * 86_400), kinds: [.event, .item])
  let starts = year.filter { $0.happening != .event || $0.title != "Book club" }.map(\.title)
  let value = filter.value.map { "\($0)" } ?? ""
  var begin = ""
  if case .instant(let first) = club.moment { begin = first.rfc3339 }
  return "\(birthday.recurrence?.words ?? ""); \(begin); \(tax.doneAt == morning); \(value), "
    + "\(filter.history.count) done; \(starts)"
}

func handOverUponPassing(directory: String) throws -> String {
  let now = Instant(seconds: 1_900_000_000)
  let store = try Store.open(directory: directory + "/store", clock: StoreClock { now })
  try store.setOwner("Anna Berg")
  let mia = try store.add(Beneficiary(name: "Mia"))
  let ring = try store.add(Item(name: "Gold ring"))
  var bequest = try store.add(Bequest(ring, to: mia, .uponPassing))
  let before = try store.deliver(into: directory + "/before").count
  do throws(StoreError) {
    try store.declarePassing(at: now, owner: "Anna")
  } catch {
    // The name is typed out, so that nothing is declared by mistake.
    guard case .passing(.otherName) = error else { throw error }
  }
  try store.declarePassing(at: now, owner: store.owner())
  let after = try store.deliver(into: directory + "/after", marksSent: true)
  bequest = try store.mark(bequest.id, as: .accepted, notes: "at the family's table")
  // What went out of the owner's hands stays as it was then.
  var answer = ""
  do throws(StoreError) {
    _ = try store.change(Bequest.self, bequest.id) { $0.message = "another" }
  } catch {
    if case .forbidden(let rule, _) = error { answer = rule.description }
  }
  return "\(before) \(after.map(\.person.name)) \(bequest.state): \(answer)"
}

func emptyTrash(directory: String) throws -> String {
  // Nothing is made by looking.
  let none = try Store.existing(directory: directory, clock: .system) == nil
  let store = try Store.open(directory: directory, clock: .system)
  let piano = try store.add(Item(name: "Piano"))
  try store.delete(Item.self, piano.id)
  let trash = try store.trash()
  try store.purge(trash)
  return
    "\(none) \(trash.map(\.kind.rawValue)) \(trash[0].id == piano.id) \(try store.trash().count)"
}

func verifyStore(directory: String) throws -> String {
  let store = try Store.open(directory: directory, clock: .system)
  _ = try store.add(Item(name: "Piano"))
  let report = try store.verify()
  let actions = try store.repair()
  return "\(report.isSound) \(report.records) \(actions.count)"
}
