import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Values at the ends of their types, and texts and bytes of any kind: they give an answer or an
/// error, and never end the process.
@Suite struct ExtremeValuesTests {
  static let numbers: [Int64] = [
    .min, .min + 1, -253_402_300_800, -1, 0, 1, 253_402_300_799, 1 << 40, .max - 1, .max,
  ]
  private static let large = TestScale.count(full: 1 << 20, debug: 1 << 17)
  static let texts = [
    "", " ", "\0", "\u{0}a\u{0}", "\u{fffd}", "\u{feff}", "e\u{301}", "\u{202e}", "-", "--", "0",
    "9223372036854775808", "-9223372036854775808", "99999999999999999999999999999", "1e400", "@",
    "ext", "EUR", "EUR EUR", "#", "#zzzzzz", "before", "at the time at", " before at 25:00",
    "every", "every 9223372036854775807 years", "9223372036854775807 years before", "0001-01-01",
    "99:99", String(repeating: "x", count: large), String(repeating: "9", count: large),
    String(repeating: "\u{301}", count: large >> 4),
  ]
  static let bytes: [[UInt8]] = [
    [], [0], [0xff], [0xed, 0xa0, 0x80], [0xed, 0xb0, 0x80, 0xed, 0xa0, 0x80], [0xc2], [0x2e],
    Array("\"\\ud800\"".utf8), Array("{\"a\":\"\\udc00\\ud800\"}".utf8), Array("{}".utf8),
    [UInt8](repeating: 0, count: large), [UInt8](repeating: 0xff, count: large),
    [UInt8](repeating: 0x80, count: 64),
  ]

  private static var zones: [ZoneRules] {
    [.utc, ZoneRules(offset: 50_400), ZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc]
  }

  /// Checks a record, which writes and reads it, and takes it into and out of the index.
  private func exercise<Model: RecordModel>(_ model: Model) {
    _ = try? model.validate()
    let contribution = model.indexContribution
    let id = model.header.id
    _ = Brief<Capsule>(id: id, encoded: contribution.summary)
    _ = Brief<Event>(id: id, encoded: contribution.summary, through: "doneAt")
    if let event = Brief<Event>(id: id, encoded: contribution.summary) {
      exercise(event.record.timing)
    }
    if let item = Brief<Item>(id: id, encoded: contribution.summary) {
      for zone in Self.zones { _ = item.due(in: zone) }
    }
  }

  private func read<Model: RecordModel>(_ model: Model, _ fields: JSONObject) {
    if let other = try? Model(fields: fields) { exercise(other) }
  }

  private func exercise(_ timing: EventTiming) {
    for zone in Self.zones {
      let calendar = EventCalendar(zone: zone, leapDay: .march1) { _ in zone }
      let schedule = timing.schedule(in: calendar)
      for seconds in Self.numbers {
        let now = Instant(seconds: seconds)
        _ = schedule.current(at: now).map { schedule.state(of: $0, at: now) }
        _ = schedule.occurrences(from: now, before: Instant(seconds: .max), limit: 2)
        _ = schedule.announcements(after: Instant(seconds: .min), through: now)
        _ = schedule.alerts(from: now, before: now.adding(seconds: 1))
      }
    }
    _ = timing.earliestDue
  }

  @Test(arguments: numbers)
  func `a capsule takes any time and any number`(number: Int64) throws {
    var capsule = try RecordSamples.capsule
    capsule.unlockAt = Instant(seconds: number)
    capsule.openedAt = capsule.unlockAt
    capsule.header.updatedAt = capsule.unlockAt
    capsule.header.revision = number
    capsule.contents = [.text, .other].map { kind in
      Content(
        id: .zero, kind: kind, addedAt: capsule.unlockAt, sealedSize: number, sealed: "", blob: nil)
    }
    for other in Self.numbers {
      capsule.lock.timelock = Timelock(
        chain: "", publicKey: "", genesis: number, groupHash: "", beaconID: "", period: other,
        round: number, inner: .honor, escrow: [])
      _ = capsule.lock.timelock?.roundTime
      exercise(capsule)
    }
    expect(ContentKind.allCases.map(capsule.brief.digest.count), is: [1, 0, 0, 0, 0, 1])
  }

  @Test func `sizes are added up to the largest number`() throws {
    var capsule = try RecordSamples.capsule
    capsule.contents = (0..<3).map { _ in
      Content(
        id: .zero, kind: .text, addedAt: .epoch, sealedSize: .max, sealed: "", blob: nil)
    }
    expect(capsule.brief.digest.sealedSize, is: .max)
  }

  @Test(arguments: numbers)
  func `an event takes any time`(number: Int64) throws {
    let moments: [Moment] = [
      .instant(Instant(seconds: number)), .day(CivilDate(daysSinceEpoch: Int(number))),
    ]
    let rules = [nil] + Recurrence.units.map { Recurrence(every: 1000, $0) }
    for (moment, rule) in moments.flatMap({ moment in rules.map { (moment, $0) } }) {
      var event = try RecordSamples.event
      event.moment = moment
      event.recurrence = rule
      event.doneAt = nil
      event.isDeadline = true
      exercise(event.timing)
      exercise(event)
    }
    let span = CalendarDuration(years: Int(number), days: Int(number), seconds: Int(number))
    _ = EventAlert(before: span, at: nil)
    _ = EventAlert(before: span, at: .noon)
  }

  @Test(arguments: numbers)
  func `an item takes any time and any number`(number: Int64) throws {
    let time = Instant(seconds: number)
    var item = try RecordSamples.item
    item.quantity = number
    item.value = Money(minorUnits: number, try require(Currency("EUR")))
    item.log(HistoryEntry(at: time, value: ExactDecimal(digits: .min, scale: Int(number))))
    item.log(HistoryEntry(at: Instant(seconds: .min)))
    item.log(HistoryEntry(at: Instant(seconds: .max)))
    for place in Self.numbers { item.unlog(Int(place)) }
    _ = item.brief.digest.figures.average
    var totals = ItemTotals()
    for _ in 0..<4 { totals.add(item.brief) }
    _ = (totals.all.map(\.value.description), totals.byGroup.map(\.replacement.amount))
    for unit in DurationUnit.allCases {
      guard var reminder = Reminder(every: 100_000, unit, since: time) else { continue }
      for from in [nil, time, Instant(seconds: .min)] {
        reminder.from = from
        item.reminder = reminder
        exercise(item)
        for (last, zone) in zip(Self.numbers, Self.zones + Self.zones + Self.zones) {
          let last = Instant(seconds: last)
          _ = reminder.due(last: last, in: zone)
          _ = reminder.latest(through: time, last: last, in: zone)
          _ = reminder.earliestDue(last: last)
        }
      }
    }
    expect(Reminder(every: Int(number), .day, since: time) == nil || number == 1)
  }

  @Test(arguments: numbers)
  func `a person and a bequest take any time`(number: Int64) throws {
    let time = Instant(seconds: number)
    var person = try RecordSamples.beneficiary
    person.header = RecordHeader(id: .zero, createdAt: time)
    exercise(person)
    var bequest = Bequest(
      header: person.header, subject: RecordReference(.event, .zero), beneficiary: .zero,
      access: .afterDate(time))
    _ = bequest.mark(DeliveryChange(.sent, at: Instant(seconds: .max), notes: ""), now: time)
    _ = bequest.mark(DeliveryChange(.accepted, at: time, notes: ""), now: time)
    exercise(bequest)
    var settings = StoreSettings()
    settings.passing = Passing(at: time, declaredAt: time)
    for key in Setting.all { settings.set(key, to: .integer(number)) }
    _ = (settings.passing, settings.spanUnits, settings.maxFileSize, settings.timeOfDayMinutes)
  }

  @Test(arguments: numbers)
  func `a number of bytes or digits is any`(number: Int64) {
    expect(ByteSize.text(number).utf8.count <= 12)
    _ = ExactDecimal(digits: .max, scale: Int(number)).description
    _ = ExactDecimal(digits: .min, scale: Int(number)).json
    _ = ExactDecimal(digits: 0, scale: 0).digits(atScale: Int(number))
    for answer in [nil, [], [UInt8](repeating: 0, count: 16), [0xff, 0xd8, 0xff]] as [[UInt8]?] {
      _ = MediaProbe(size: number) { _, _ in answer }.facts()
    }
    for head in ["\u{ff}", "fLaC", "RIFF", "RF64", "ID3"] {
      _ = MediaProbe(size: number) { _, count in
        Array((Array(head.utf8) + [UInt8](repeating: 0xff, count: 128)).prefix(count))
      }.facts()
    }
    for other in Self.numbers {
      _ = UnlockGate.decide(unlock: Instant(seconds: number), now: Instant(seconds: other))
    }
    for zone in Self.zones {
      let local = zone.civil(at: Instant(seconds: number))
      _ = zone.resolve(local)
      _ = zone.startOfDay(local.date)
    }
  }

  @Test func `sizes of all digits have the unit they had`() {
    expect(ByteSize.text(.max) == "8191 PiB" && ByteSize.text(.min) == "-8192 PiB")
    expect(ByteSize.text(1023) == "1023 B" && ByteSize.text(1024) == "1.0 KiB")
    expect(ByteSize.text(1 << 30) == "1.0 GiB" && ByteSize.text(10_239) == "9.9 KiB")
    for size in stride(from: Int64(1024), to: 20_000, by: 1) {
      let tenths = size * 10 / 1024
      let whole = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
      expect(ByteSize.text(size), is: "\(whole) KiB")
    }
  }

  @Test(arguments: texts.indices)
  func `a record takes any text`(index: Int) throws {
    let text = Self.texts[index]
    var capsule = try RecordSamples.capsule
    (capsule.title, capsule.notes, capsule.tags) = (text, text, [text, text])
    capsule.unlockZone = text
    exercise(capsule)
    var event = try RecordSamples.event
    (event.title, event.notes, event.zone) = (text, text, text)
    exercise(event)
    var item = try RecordSamples.item
    (item.name, item.description, item.category, item.tags) = (text, text, text, [text])
    exercise(item)
    var person = try RecordSamples.beneficiary
    (person.name, person.email, person.phone, person.recipient) = (text, text, text, text)
    person.cardUID = text
    exercise(person)
    var bequest = RecordSamples.bequest
    bequest.message = text
    exercise(bequest)
    for model in try RecordSamples.all {
      for member in model.fields {
        var fields = model.fields
        fields[member.key] = .string(text)
        read(model, fields)
      }
    }
  }

  @Test(arguments: texts.indices)
  func `a reader of texts takes any text`(index: Int) {
    let text = Self.texts[index]
    _ = (RecordID(text), BlobName(text), EventColor(text), EventAlert(text), Currency(text))
    _ = (ExactDecimal(text), try? Money(text), Reminder.rule(text), Recurrence(words: text))
    _ = (Instant(rfc3339: text), FileTime(rfc3339: text), CivilDate(iso8601: text))
    _ = (SizeExpression.bytes(text), Setting.minutes(text), JSONNumber(text))
    _ = (Beneficiary.isEmailAddress(text), Beneficiary.isPhoneNumber(text))
    _ = (RecipientText.isUsable(text), NameKey(text).hash, SearchText(text).matches(text))
    for key in Setting.all { _ = (key.value(from: text), key.accepts(.string(text))) }
    var names = UniqueFileNames()
    expect(names.next(Array(text.utf8)) != names.next(Array(text.utf8)))
  }

  @Test(arguments: bytes.indices)
  func `a reader of bytes takes any bytes`(index: Int) {
    let bytes = Self.bytes[index]
    _ = (try? JSON.parse(bytes), BlobName(digest: bytes).description, BlobName(digits: bytes[...]))
    _ = MediaType(head: bytes, isWhole: true, name: bytes).kind
    _ = MediaType.isText(bytes, isWhole: false)
    for kind in RecordKind.allCases { _ = kind.indexEntry(.zero, bytes) }
    _ = (Brief<Capsule>(id: .zero, encoded: bytes), Brief<Event>(id: .zero, encoded: bytes))
    _ = (Brief<Item>(id: .zero, encoded: bytes), Brief<Bequest>(id: .zero, encoded: bytes))
    _ = (Brief<Beneficiary>(id: .zero, encoded: bytes), BriefReader.title(of: bytes[...]))
    let details = ContentDetails(name: bytes, mediaType: "", size: FileSize.most)
    expect((try? ContentDetails(fields: details.fields)) == details)
    let larger = ContentDetails(name: bytes, mediaType: "", size: FileSize.most + 1)
    expect((try? ContentDetails(fields: larger.fields)) == nil)
    _ = UniqueFileNames.shortened(bytes)
  }

  @Test(arguments: [JSONStyle.pretty, .compact])
  func `a writer of JSON ends what was never begun`(style: JSONStyle) {
    for capacity in [Int.min, 0, Int.max] {
      var writer = JSONTextWriter(style, reserving: capacity)
      writer.endObject()
      writer.endArray()
      writer.key("k")
      writer.value(Int64.min)
      writer.value(plainCount: -1) { _ in }
      writer.endObject()
      writer.beginArray()
      writer.value(Int.max)
      writer.endLine()
      expect(writer.byteCount, is: writer.takeBytes().count)
    }
  }

  @Test func `a limit that an earlier version took is the largest that JSON holds`() {
    var settings = StoreSettings()
    settings.set(.maxFileSize, to: .integer(1 << 62))
    expect(settings.maxFileSize, is: 1 << 53 - 1)
    expect(settings[.maxFileSize], is: .integer(1 << 53 - 1))
    expect(settings.values["maxFileSize"], is: .integer(1 << 62))
  }
}
