import TestSupport
import Testing

@testable import CapsuleCore
@testable import ProgramTestHelpers
@testable import capsule

@Suite struct RecordViewTests {
  @Test(
    arguments: [
      ("CET-1CEST,M3.5.0,M10.5.0/3", 2_000_000_000), ("<+00>0", 0), ("<-09>9:30", -1),
      ("<+14>-14", 253_402_300_799),
    ] as [(String, Int64)])
  func `a view writes the object that its members are`(zone: String, unlock: Int64) throws {
    var host = TestHost("list")
    host.environment["TZ"] = zone
    host.now = "2026-03-01T12:00:00Z"
    let session = Session(host: host.host(), options: RunOptions())
    let id = try require(RecordID("3f2a9c1e-0b4d-4c6e-8a7f-001122334455"))
    var capsule = Capsule.blank
    capsule.header = RecordHeader(id: id, createdAt: Instant(seconds: 1_700_000_000))
    capsule.header.updatedAt = Instant(seconds: 1_750_000_000)
    capsule.title = "A \"title\"\n\u{85}"
    capsule.tags = ["one", "zwei/ß"]
    capsule.notes = "notes"
    capsule.unlockAt = Instant(seconds: unlock)
    capsule.unlockZone = "Europe/Paris"
    capsule.openedAt = unlock > 0 ? nil : Instant(seconds: 1_760_000_000)
    for (count, kind) in ContentKind.allCases.enumerated() {
      capsule.contents += (0..<count).map { _ in
        Content(
          id: id, kind: kind, addedAt: capsule.createdAt, sealedSize: 823, sealed: "", blob: nil)
      }
    }
    let summary = capsule.brief
    expect(Brief<Capsule>(id: id, encoded: capsule.indexContribution.summary), is: summary)
    for problem in [IndexProblem.none, .altered] {
      let view = CapsuleView(summary, problem: problem, in: session)
      var writer = JSONTextWriter(.compact)
      view.write(to: &writer)
      expect(writer.takeBytes(), is: JSON.object(view.members).encoded(.compact))
    }
  }

  /// The text that a view writes and that of its members, where they differ.
  private func difference(_ view: some RecordView) -> String? {
    var writer = JSONTextWriter(.compact)
    view.write(to: &writer)
    let (written, kept) = (writer.takeBytes(), JSON.object(view.members).encoded(.compact))
    return written == kept ? nil : String(decoding: written, as: UTF8.self)
  }

  @Test func `the views of all kinds write the objects that their members are`() throws {
    var host = TestHost("list")
    host.environment["TZ"] = "<+00>0"
    host.now = "2026-03-01T12:00:00Z"
    let session = Session(host: host.host(), options: RunOptions())
    let id = try require(RecordID("3f2a9c1e-0b4d-4c6e-8a7f-001122334455"))
    let header = RecordHeader(id: id, createdAt: Instant(seconds: 1_700_000_000))
    let calendar = EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc }

    var event = Event(
      header: header, title: "A \"title\"", moment: .day(CivilDate(daysSinceEpoch: 20_000)),
      zone: "")
    expect(difference(EventView(event.brief, calendar, in: session)) == nil)
    event.moment = .instant(Instant(seconds: 1_900_000_000))
    event.zone = "UTC"
    event.recurrence = Recurrence(every: 2, .week)
    event.alerts = ["1 week before"].compactMap { EventAlert($0) }
    event.color = EventColor("red")
    expect(difference(EventView(event.brief, calendar, problem: .altered, in: session)) == nil)

    var item = Item(header: header, name: "Filter")
    expect(difference(ItemView(item.brief, in: session)) == nil)
    item.value = try Money("EUR 12")
    item.tags = ["one", "two"]
    item.reminder = Reminder(every: 3, .month, since: header.createdAt)
    item.log(HistoryEntry(at: header.createdAt, value: ExactDecimal("1.5"), notes: "notes"))
    expect(difference(ItemView(item.brief, problem: .altered, in: session)) == nil)

    var person = Beneficiary(header: header, name: "Zoë")
    expect(difference(BeneficiaryView(person.brief, in: session)) == nil)
    person.email = "zoe@example.org"
    person.contact = "A\nB"
    expect(difference(BeneficiaryView(person.brief, problem: .altered, in: session)) == nil)
  }
}
