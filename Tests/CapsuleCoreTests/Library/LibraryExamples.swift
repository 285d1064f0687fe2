import CapsuleCore

// Every example of docs/internals/library.md, with the answer that it gives. They use nothing but the public face
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
    name: "people", answer: "[\"Zoë Martin\"] 1 marked 0", run: handOver),
  LibraryExample(name: "verify", answer: "true 1 0", run: verifyStore),
  LibraryExample(
    name: "dates",
    answer: "yearly [1 week before, on the day at 09:00] 2030-06-13 [\"Mia alert\", "
      + "\"Book club event\", \"Tax return deadline\", \"Mia event\", \"Mia "
      + "alert\"] [\"Book club\", \"Mia\"]",
    run: keepDates),
  LibraryExample(
    name: "items",
    answer: "[\"Water filter\"] EUR 49.90 71.40 Receipt true [\"Water filter\"]",
    run: keepItems),
  LibraryExample(
    name: "passing",
    answer: "0 1 [\"sent\", \"accepted\"] 0 the bequest is accepted, so it "
      + "cannot be marked as revoked, revoked",
    run: leaveUponPassing),
  LibraryExample(
    name: "announce",
    answer: "none yet, Dentist alert:1-day-before, 0 left",
    run: announceOnce),
  LibraryExample(
    name: "stream",
    answer: "[\"First\", \"mia.txt\"] 11 0",
    run: sealStream),
  LibraryExample(
    name: "trash",
    answer: "[\"Piano\"] 1 0",
    run: emptyTrash),
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
  do {
    _ = try before.open(capsule.id, with: key)
  } catch {
    if error.code == .locked { answer = "locked" }
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
  do {
    _ = try store.open(capsule.id)
  } catch {
    if error.code == .key { answer = "noKey" }
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
  let (deliveries, issues) = try store.deliver(into: directory + "/handover", marksSent: true)
  let outcome = deliveries.first.map { "\($0.outcome)" } ?? "none"
  return "\(people.map(\.name)) \(deliveries.count) \(outcome) \(issues.count)"
}

func verifyStore(directory: String) throws -> String {
  let store = try Store.open(directory: directory, clock: .system)
  _ = try store.add(Item(name: "Piano"))
  let report = try store.verify()
  let actions = try store.repair()
  return "\(report.isSound) \(report.records) \(actions.count)"
}

func keepDates(directory: String) throws -> String {
  let monday = Instant(rfc3339: "2030-06-03T08:00:00Z") ?? .earliest
  let store = try Store.open(directory: directory, clock: StoreClock { monday })
  let birthday = try store.add(
    Event(
      title: "Mia", on: store.when("15 June 2018"), repeating: Recurrence(words: "yearly"),
      alerts: ["1 week before", "on the day at 09:00"].compactMap { EventAlert($0) }))
  // The first time is the first such day from the date on: Tuesday 11 June.
  let club = try store.add(
    Event(
      title: "Book club", on: store.when("today 19:00"),
      repeating: Recurrence(words: "2nd tuesday of the month")))
  let taxes = try store.when("13 June 2030")
  var deadline = Event(title: "Tax return", on: taxes)
  deadline.isDeadline = true
  _ = try store.add(deadline)
  _ = try store.change(Event.self, club.id) { $0.alerts = [] }
  let agenda = try store.agenda(
    from: monday, until: Instant(seconds: monday.seconds + 14 * 86_400))
  let ahead = store.records(EventQuery(includesPast: false, order: .title, limit: 2))
  return
    "\(birthday.recurrence?.words ?? "once") \(birthday.alerts) \(taxes.date?.description ?? "") "
    + "\(agenda.map { "\($0.title) \($0.happening.rawValue)" }) \(ahead.map(\.title))"
}

func keepItems(directory: String) throws -> String {
  let now = Instant(rfc3339: "2030-06-03T08:00:00Z") ?? .earliest
  let store = try Store.open(directory: directory, clock: StoreClock { now })
  var filter = Item(name: "Water filter")
  filter.value = try Money("EUR 49.90")
  filter.tags = ["kitchen"]
  filter.reminder = Reminder(every: "3 months", since: now, name: "Change it", at: "09:00")
  let item = try store.add(filter)
  // It happened: the reminder counts from here.
  let logged = try store.log(item.id, value: ExactDecimal("71.40"), notes: "The second one.")
  // Any file will do: here the store's own header.
  let kept = try store.attach(directory + "/store.json", to: item.id, title: "Receipt")
  var bytes: Int64 = 0
  try store.read(kept.media[0].file) { bytes += Int64($0.count) }
  let kitchen = store.records(ItemQuery(tags: ["Kitchen"], order: .value, limit: 10))
  let next = try store.agenda(from: now, until: .latest, kinds: [.item], limit: 1)
  let entry = logged.history[0]
  return
    "\(kitchen.map(\.name)) \(kept.value?.description ?? "") \(entry.value?.description ?? "") "
    + "\(kept.media[0].title) \(bytes == kept.media[0].file.size) \(next.map(\.title))"
}

func leaveUponPassing(directory: String) throws -> String {
  let store = try Store.open(directory: directory + "/store", clock: .system)
  try store.setOwner("Anna Berg")
  let mia = try store.add(Beneficiary(name: "Mia"))
  let ring = try store.add(Item(name: "Gold ring"))
  let bequest = try store.add(Bequest(ring, to: mia, .uponPassing))
  let before = try store.deliver(into: directory + "/handover").deliveries.count
  try store.declarePassing(owner: "Anna Berg")
  let (deliveries, _) = try store.deliver(into: directory + "/handover", marksSent: true)
  let accepted = try store.mark(bequest.id, as: .accepted, notes: "She wears it.")
  let open = store.records(BequestQuery(to: mia.id, states: [.notSent, .sent]))
  // What does not follow is refused, in words that can be shown.
  var answer = ""
  do {
    try store.mark(bequest.id, as: .revoked)
  } catch {
    answer = "\(error)"
  }
  try store.revokePassing()
  let end = try store.passing() == nil ? "revoked" : "declared"
  return "\(before) \(deliveries.count) \(accepted.delivery.map(\.state.rawValue)) \(open.count) "
    + "\(answer), \(end)"
}

func announceOnce(directory: String) throws -> String {
  let monday = Instant(rfc3339: "2030-06-03T08:00:00Z") ?? .earliest
  let path = directory + "/store"
  var answer = "made"
  do {
    _ = try Store.open(directory: path, creating: false, clock: .system)
  } catch {
    if error.code == .noStore { answer = "none yet" }
  }
  let store = try Store.open(directory: path, clock: StoreClock { monday })
  _ = try store.add(
    Event(
      title: "Dentist", on: store.when("thursday 09:00"),
      alerts: ["1 day before"].compactMap { EventAlert($0) }))

  // On Wednesday, a program that keeps in `state` what it announced on this machine:
  let wednesday = Instant(seconds: monday.seconds + 2 * 86_400 + 7200)
  let checked = try Store.open(
    directory: path, creating: false, state: directory + "/state", clock: StoreClock { wednesday })
  let due = try checked.due(since: monday)
  for notice in due { answer += ", \(notice.title) \(notice.topic)" }
  try checked.markAnnounced(due)
  let left = try checked.due(since: monday).count
  return "\(answer), \(left) left"
}

func sealStream(directory: String) throws -> String {
  let store = try Store.open(directory: directory, clock: .system)
  var pieces = ["Hello, ", "Mia."][...]
  let capsule = try store.seal(
    NewCapsule(
      title: "A letter", unlockAt: Instant(seconds: 0),
      contents: [
        .text("Read it aloud.", caption: "First"),
        .stream(named: "mia.txt") { pieces.popFirst().map { Array($0.utf8) } ?? [] },
      ]))
  let opened = try store.open(capsule.id)
  let locked = store.records(CapsuleQuery(states: [.locked], order: .title)).count
  return "\(opened.details.map { $0.caption ?? $0.nameText }) \(opened.details[1].size) \(locked)"
}

func emptyTrash(directory: String) throws -> String {
  let store = try Store.open(directory: directory, clock: .system)
  let piano = try store.add(Item(name: "Piano"))
  try store.delete(Item.self, piano.id)
  let trash = try store.trash()
  let titles = trash.map { store.title(of: $0) }
  let purged = try store.purge(trash.filter { $0.kind == .item })
  return "\(titles) \(purged.records.count) \(try store.trash().count)"
}
