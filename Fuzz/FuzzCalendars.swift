@testable import CapsuleCore

/// Whatever a calendar holds, it is read to its end: every entry has its line, and what is imported of it
/// can be written to a record and to a calendar.
func fuzzCalendars(_ input: [UInt8]) {
  let local = LocalZone(rules: .utc, name: "UTC", warning: nil)
  let zones = ZoneDatabase { _ in nil }
  let calendar = EventCalendar(in: local, zones, leapDay: .february28) { _ in }
  let source = CalendarImport(
    [CalendarImport.Source(name: "-", input)], calendar, local: local, zones: zones)
  guard let plan = try? ImportPlan(source, into: nil, now: Instant(seconds: 1_800_000_000)) else {
    return require(false, "an import without a store does not fail")
  }
  for step in plan.steps {
    require(step.line >= 1, "an entry begins on a line")
    guard case .added(let event) = step.outcome else { continue }
    require(event.fault == nil, "an event breaks no rule")
    let read = try? Event(fields: event.fields)
    require(read == event, "an event is read back as it was written")
    require(
      !event.title.isEmpty && !event.title.contains(where: \.isNewline), "a title is one line")
  }
}
