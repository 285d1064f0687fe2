/// The reason why a part of a calendar file cannot be read.
package struct CalendarFault: Error, Hashable, Sendable {
  /// The physical line on which it stands, or its entry begins.
  package let line: Int
  package let cause: Cause

  package init(line: Int, cause: Cause) {
    (self.line, self.cause) = (line, cause)
  }

  package enum Cause: Hashable, Sendable {
    /// The text belongs to no calendar.
    case noCalendar
    /// A component of this name has no end: perhaps the file was cut off.
    case noEnd(String)
    /// A component of this name ends that did not begin.
    case noBegin(String)
    /// The line is no property.
    case notAProperty
    /// The property's text is in a character set that is not known.
    case charset(String)
    /// The entry has no property of this name, which says when it is.
    case noTime(String)
    /// The entry has this property again with another value.
    case twoTimes(String)
    /// The property's text is no date or time from the year 1 to 9999.
    case notATime(property: String, text: String)
    /// The zone is neither known nor described in the entry's own calendar.
    case unknownZone(String)
    /// The description of the zone is not whole.
    case brokenZone(String, line: Int)
    /// A title or a UID has more bytes than can be kept.
    case tooLong(property: String, limit: Int)
    /// It has more text than can be kept.
    case tooLarge(limit: Int)
    /// It and all that come after it are more than are read at once.
    case tooMany(limit: Int)
  }
}

/// A part of a calendar between its `BEGIN` and its `END` (RFC 5545 §3.4), with the properties that are
/// asked for.
package struct CalendarComponent: Hashable, Sendable {
  package let name: String
  /// The physical line of its `BEGIN`.
  package let line: Int
  package private(set) var properties: [ContentProperty] = []
  package var parts: [CalendarComponent] = []
  /// The lines that cannot be read, and what else is wrong without being what the entry is about.
  package private(set) var badLines: [BadLine] = []
  package private(set) var fault: CalendarFault?
  /// The numbers of the properties for which an event has no place, by their names.
  package private(set) var leftOut: [String: Int] = [:]
  private var byteCount = 0

  /// A line that is left out.
  package struct BadLine: Hashable, Sendable {
    package let fault: CalendarFault
    /// Whether something may be lost by it: it is not known to be of no use.
    package let isLoss: Bool

    package init(fault: CalendarFault, isLoss: Bool) {
      (self.fault, self.isLoss) = (fault, isLoss)
    }
  }

  /// The most bad lines that are kept.
  private static let badLineLimit = 20

  /// The most bytes of text that a component may have.
  package static let byteLimit = 1 << 20

  package init(name: String, line: Int) {
    (self.name, self.line) = (name, line)
  }

  package mutating func fail(_ cause: CalendarFault.Cause, line: Int) {
    if fault == nil { fault = CalendarFault(line: line, cause: cause) }
  }

  /// Leaves out a line. Of a zone all is needed.
  package mutating func leaveOut(
    _ cause: CalendarFault.Cause, line: Int, isLoss: Bool = true
  ) {
    if name == "VTIMEZONE", isLoss { return fail(cause, line: line) }
    guard badLines.count < Self.badLineLimit else { return }
    badLines.append(BadLine(fault: CalendarFault(line: line, cause: cause), isLoss: isLoss))
  }

  package mutating func add(_ property: ContentProperty) {
    guard fault == nil else { return }
    guard !property.isCut, byteCount + property.size + 100 <= Self.byteLimit else {
      return leaveOut(.tooLarge(limit: Self.byteLimit), line: property.line)
    }
    byteCount += property.size + 100
    properties.append(property)
  }

  /// Counts a property for which an event has no place, unless it says only what is always so.
  package mutating func count(_ property: ContentProperty) {
    switch (property.name, property.token) {
    case ("CLASS", "PUBLIC"), ("PRIORITY", "0"): break
    default: leftOut[property.name, default: 0] += 1
    }
  }

  package func first(_ name: String) -> ContentProperty? { properties.first { $0.name == name } }

  package func all(_ name: String) -> [ContentProperty] { properties.filter { $0.name == name } }

  /// Returns the text of the first property of a name, without control characters; `nil` where there
  /// is none.
  package func text(_ name: String) throws(CalendarFault) -> String? {
    guard let property = first(name) else { return nil }
    return try property.calendarText
  }
}

extension ContentProperty {
  /// The value as a text, without the control characters that no text of a calendar holds.
  package var calendarText: String {
    get throws(CalendarFault) { try Self.plain(text(.full), self) }
  }

  /// The texts of a list, likewise.
  package var texts: [String] {
    get throws(CalendarFault) {
      var texts: [String] = []
      for text in list(.full) ?? [""] { texts.append(try Self.plain(text, self)) }
      return texts
    }
  }

  private static func plain(
    _ text: String?, _ property: ContentProperty
  ) throws(CalendarFault) -> String {
    guard let text else {
      throw CalendarFault(line: property.line, cause: .charset(property.charset ?? ""))
    }
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f || $0 == 0xc2 }) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { scalar in
          scalar == "\n" || scalar == "\t"
            || scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
        }))
  }

  /// The value as it stands there, in capitals, for what is written in ASCII.
  package var token: String {
    String(decoding: value.lazy.map(\.asciiUppercased), as: UTF8.self).trimmed
  }
}

/// A calendar file (RFC 5545): its calendars, of which there may be several, and their entries.
///
/// Reading never fails: what cannot be read is a fault with its line, and reading goes on with the next
/// entry. It takes time in proportion to the bytes. Journals, times of being free or busy, and what
/// other programs put between are passed over.
package struct CalendarFile: Sendable {
  package enum Part: Hashable, Sendable {
    /// A `VEVENT` or a `VTODO`, and the number of its calendar among those of the file.
    case entry(CalendarComponent, calendar: Int)
    case fault(CalendarFault)
  }

  /// What a `VCALENDAR` says of all its entries.
  package struct Calendar: Hashable, Sendable {
    /// Whether this program wrote it.
    package var isOwn = false
    /// Whether it cancels what is in it.
    package var isCancelled = false
    /// The zone of its times without one, `X-WR-TIMEZONE`.
    package var zone: String?
    /// The zones that it describes, by their `TZID`, which another calendar may give to another zone
    /// (RFC 5545, 3.8.3.1).
    package var zones: [String: CalendarComponent] = [:]
  }

  /// The most bytes that a file may have.
  package static let byteLimit = 64 << 20
  /// The most entries, and faults, that are read.
  package static let entryLimit = 50_000
  /// The name in `PRODID` by which this program's own calendars are known.
  package static let product = "-//capsule//capsule//EN"

  package let parts: [Part]
  package let calendars: [Calendar]
  /// The lines between the entries that cannot be read, and what else is wrong with none of these.
  package let badLines: [CalendarFault]
  /// The numbers of the components that are no entries, by their names.
  package let leftOut: [String: Int]

  /// Whether there is nothing in it to be imported, nor to be refused.
  package var isEmpty: Bool { parts.isEmpty }

  package init(_ bytes: [UInt8]) {
    var lines = ContentLines(bytes)
    var reader = CalendarReader()
    while let line = lines.next() {
      if reader.isFull {
        reader.stop(line.number)
        break
      }
      reader.read(line)
    }
    reader.finish()
    (parts, calendars) = (reader.parts, reader.calendars)
    (badLines, leftOut) = (reader.badLines, reader.leftOut)
  }
}

private struct CalendarReader {
  private(set) var parts: [CalendarFile.Part] = []
  private(set) var calendars: [CalendarFile.Calendar] = []
  private(set) var badLines: [CalendarFault] = []
  private(set) var leftOut: [String: Int] = [:]
  /// The components that are open, the outermost first; of the innermost beyond ``depthLimit`` only
  /// their number is kept.
  private var open: [(name: String, line: Int)] = []
  private var tooDeep = 0
  /// The entry or zone that is open, and the part of it.
  private var component: CalendarComponent?
  private var part: CalendarComponent?

  /// The most lines between the entries that are reported.
  private static let badLineLimit = 20
  private static let depthLimit = 16
  /// The name of the calendar around entries that stand in none.
  private static let unsaid = ""
  /// The most parts of a component: alarms of an entry, changes of a zone.
  private static let partLimit = 5000

  var isFull: Bool { parts.count >= CalendarFile.entryLimit }

  /// The properties that are asked for, by the component.
  private static let wanted: [String: Set<String>] = [
    "VEVENT": entryProperties.union([
      "DTEND", "TRANSP", CalendarText.doneProperty, CalendarText.zoneProperty,
      CalendarText.skippedProperty, CalendarText.allDayProperty,
    ]),
    "VTODO": entryProperties.union(["DUE", "COMPLETED"]),
    "VTIMEZONE": ["TZID", "X-LIC-LOCATION"],
    "VALARM": ["ACTION", "TRIGGER", "REPEAT", "DURATION", "X-APPLE-DEFAULT-ALARM"],
    "STANDARD": observanceProperties, "DAYLIGHT": observanceProperties,
  ]
  private static let entryProperties: Set<String> = [
    "UID", "RECURRENCE-ID", "SUMMARY", "DESCRIPTION", "LOCATION", "DTSTART", "DURATION", "RRULE",
    "RDATE", "EXDATE", "EXRULE", "SEQUENCE", "LAST-MODIFIED", "STATUS", "CATEGORIES", "COLOR",
    "URL", "CONFERENCE", "X-GOOGLE-CONFERENCE",
  ]
  /// The properties of entries that people may miss.
  private static let placeless: Set<String> = [
    "ATTENDEE", "ORGANIZER", "GEO", "COMMENT", "CLASS", "CONTACT", "RESOURCES", "ATTACH",
    "RELATED-TO", "PRIORITY",
  ]
  private static let observanceProperties: Set<String> = [
    "DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE", "TZNAME",
  ]

  mutating func read(_ line: ContentLine) {
    guard let property = ContentProperty(line) else {
      guard line.bytes.contains(where: { $0 > 0x20 }) else { return }
      return fail(.notAProperty, line.number, isLoss: isLoss(line.bytes))
    }
    switch property.name {
    case "BEGIN": begin(property.token, line.number)
    case "END": end(property.token, line.number)
    default: take(property)
    }
  }

  /// Whether something may be lost by a line that is no property: not by `X-APPLE-RADIUS=49.9`, and in a zone
  /// by what is asked for alone.
  private func isLoss(_ line: [UInt8]) -> Bool {
    let start = line.prefix { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    let name = String(decoding: start.map(\.asciiUppercased), as: UTF8.self)
    if let part = open.last?.name, let wanted = Self.wanted[part], wanted.contains(name) {
      return true
    }
    if component?.name == "VTIMEZONE" { return false }
    return name.behind("X-") == nil && !["ORGANIZER", "ATTENDEE"].contains(name)
  }

  private mutating func fail(
    _ cause: CalendarFault.Cause, _ line: Int, isLoss: Bool = true
  ) {
    if component != nil {
      component?.leaveOut(cause, line: line, isLoss: isLoss)
    } else if badLines.count < Self.badLineLimit {
      badLines.append(CalendarFault(line: line, cause: open.isEmpty ? .noCalendar : cause))
    }
  }

  private mutating func begin(_ name: String, _ line: Int) {
    let isEntry = ["VEVENT", "VTODO", "VTIMEZONE"].contains(name)
    if name == "VCALENDAR" {
      closeCalendar()
      calendars.append(CalendarFile.Calendar())
    } else if open.isEmpty {
      guard isEntry else { return fail(.noCalendar, line) }
      // An entry alone is read as well: it stands in a calendar that says nothing.
      calendars.append(CalendarFile.Calendar())
      open = [(Self.unsaid, line)]
    } else if isEntry, component != nil {
      closeWithoutEnd()
      open.removeLast(open.count - 1)
      tooDeep = 0
    }
    guard tooDeep == 0, open.count < Self.depthLimit else {
      tooDeep += 1
      return
    }
    if open.count == 1, ["VJOURNAL", "VFREEBUSY"].contains(name) { leftOut[name, default: 0] += 1 }
    open.append((name, line))
    if isEntry, open.count == 2 {
      component = CalendarComponent(name: name, line: line)
    } else if component != nil, open.count == 3 {
      part = CalendarComponent(name: name, line: line)
    }
  }

  private mutating func end(_ name: String, _ line: Int) {
    if tooDeep > 0 {
      tooDeep -= 1
      return
    }
    guard let place = open.lastIndex(where: { $0.name == name }) else {
      if open.isEmpty || component != nil { fail(.noBegin(name), line) }
      return
    }
    // A part that began inside it and is still open has no end.
    if place < open.count - 1, component != nil, let inner = open.last {
      component?.leaveOut(.noEnd(inner.name), line: inner.line)
      if place == 0 { closeWithoutEnd() }
    }
    open.removeLast(open.count - place)
    if place == 2 { closePart() }
    if place == 1 { close() }
  }

  private mutating func closePart() {
    guard let part else { return }
    self.part = nil
    if let fault = part.fault { component?.fail(fault.cause, line: fault.line) }
    for line in part.badLines {
      component?.leaveOut(line.fault.cause, line: line.fault.line, isLoss: line.isLoss)
    }
    guard let count = component?.parts.count, count < Self.partLimit else {
      component?.leaveOut(.tooLarge(limit: Self.partLimit), line: part.line)
      return
    }
    component?.parts.append(part)
  }

  /// Closes what is open, whose end is missing.
  private mutating func closeWithoutEnd() {
    if let component {
      self.component?.leaveOut(
        .noEnd(component.name), line: component.line, isLoss: component.name != "VTIMEZONE")
    }
    close()
  }

  private mutating func close() {
    closePart()
    guard let component else { return }
    self.component = nil
    close(component)
  }

  private mutating func close(_ component: CalendarComponent) {
    // What is open stands in a calendar, the last that began.
    let calendar = calendars.count - 1
    guard component.name == "VTIMEZONE" else {
      if let fault = component.fault {
        parts.append(.fault(fault))
      } else {
        parts.append(.entry(component, calendar: calendar))
      }
      return
    }
    // A zone that is broken matters only to what is in it.
    guard let name = try? component.text("TZID"), calendars[calendar].zones[name] == nil,
      calendars[calendar].zones.count < Self.partLimit
    else { return }
    calendars[calendar].zones[name] = component
  }

  private mutating func take(_ property: ContentProperty) {
    guard tooDeep == 0 else { return }
    if open.isEmpty { return fail(.noCalendar, property.line) }
    if open.count == 1 {
      let calendar = calendars.count - 1
      if property.name == "PRODID" {
        calendars[calendar].isOwn = property.value.elementsEqual(CalendarFile.product.utf8)
      }
      if property.name == "METHOD" {
        calendars[calendar].isCancelled = property.token == "CANCEL"
      }
      if property.name == "X-WR-TIMEZONE" {
        calendars[calendar].zone = property.text(.full)?.trimmed
      }
      return
    }
    guard let name = open.last?.name, let wanted = Self.wanted[name] else { return }
    guard wanted.contains(property.name) else {
      if open.count == 2, Self.placeless.contains(property.name) { component?.count(property) }
      return
    }
    if open.count == 2 { component?.add(property) }
    if open.count == 3 { part?.add(property) }
  }

  /// Ends the calendar that is open, if there is one: it has no end.
  private mutating func closeCalendar() {
    closeWithoutEnd()
    if let calendar = open.first, calendar.name != Self.unsaid {
      fail(.noEnd(calendar.name), calendar.line)
    }
    open = []
    tooDeep = 0
  }

  /// Ends the input.
  mutating func finish() {
    closeCalendar()
    if calendars.isEmpty, let first = badLines.first {
      (parts, badLines) = ([.fault(first)], [])
    }
  }

  /// Ends before a line because there is too much.
  mutating func stop(_ line: Int) {
    parts.append(
      .fault(
        CalendarFault(
          line: component?.line ?? line, cause: .tooMany(limit: CalendarFile.entryLimit))))
    component = nil
    open = []
  }
}

/// The words come after "the entry cannot be read:".
extension CalendarFault.Cause: FaultCause {
  package var code: Fault.Code { .partial }

  package var message: Fault.Message {
    switch self {
    case .noCalendar: "not part of a calendar (expected BEGIN:VCALENDAR)"
    case .noEnd(let name): "'\(name.shortened)' has no END line"
    case .noBegin(let name): "'\(name.shortened)' has no BEGIN line"
    case .notAProperty: "the line is not a property"
    case .charset(let name): "unknown character set '\(name.shortened)'"
    case .noTime(let name): "no \(name)"
    case .twoTimes(let name): "two values of \(name)"
    case .notATime(let property, let text):
      "\(property) '\(text.shortened)' is not a date or time in the years 1 to 9999"
    case .unknownZone(let name):
      "unknown time zone '\(name.shortened)', which the calendar does not describe"
    case .brokenZone(let name, let line):
      "unknown time zone '\(name.shortened)', and its description on line \(line) is incomplete"
    case .tooLong(let property, let limit): "\(property) has more than \(limit) bytes"
    case .tooLarge(let limit): "more than \(limit) bytes, alarms or changes"
    case .tooMany(let limit): "more than \(limit) entries"
    }
  }

  package var hint: String? {
    switch self {
    case .noCalendar: "use an iCalendar file, which begins with BEGIN:VCALENDAR"
    case .noEnd: "export the file again; it may be incomplete"
    case .notAProperty: "write a property as a name, a colon and a value"
    case .charset: "save the file in UTF-8"
    case .unknownZone, .brokenZone:
      "set a time zone such as Europe/Paris in the program that exported the file"
    case .tooLong, .tooLarge: "shorten the text in the program that exported the file"
    case .tooMany: "import the file in parts"
    case .noBegin, .noTime, .twoTimes, .notATime: nil
    }
  }
}
