/// The parts of an entry whose reading has rules of its own.
extension CalendarEntry {
  /// The lines that are left out of an entry.
  struct BadLines {
    private(set) var all: [CalendarComponent.BadLine]

    init(_ lines: [CalendarComponent.BadLine]) {
      all = lines
    }

    /// Reads a part of an entry; a line that cannot be read is left out.
    mutating func read<Value>(_ body: () throws(CalendarFault) -> Value) -> Value? {
      do { return try body() } catch {
        all.append(CalendarComponent.BadLine(fault: error, isLoss: true))
        return nil
      }
    }

    /// Reads the title, of one that is too long its beginning.
    mutating func title(of component: CalendarComponent) -> String {
      let title = (text("SUMMARY", of: component) ?? "").onOneLine
      let limit = Capsule.titleLimit
      guard title.utf8.count > limit else { return title }
      let line = component.first("SUMMARY")?.line ?? component.line
      let cause = CalendarFault.Cause.tooLong(property: "SUMMARY", limit: limit)
      all.append(
        CalendarComponent.BadLine(fault: CalendarFault(line: line, cause: cause), isLoss: true))
      var end = title.utf8.index(title.startIndex, offsetBy: limit)
      while end.samePosition(in: title.unicodeScalars) == nil {
        end = title.utf8.index(before: end)
      }
      return String(title[..<end])
    }

    mutating func text(_ name: String, of component: CalendarComponent) -> String? {
      read { () throws(CalendarFault) in try component.text(name) } ?? nil
    }

    /// Reads the texts of lists.
    mutating func texts(_ name: String, of component: CalendarComponent) -> [String] {
      component.all(name).flatMap { property in
        read { () throws(CalendarFault) in try property.texts } ?? []
      }
    }
  }

  /// Whether an event with a time is meant to be all day: because Outlook says so, or because it is from midnight
  /// to midnight on the clocks of one zone.
  static func isAllDay(
    _ component: CalendarComponent, _ start: CalendarTime, isOwn: Bool
  ) -> Bool {
    let isSaid = component.first(CalendarText.allDayProperty)?.token == "TRUE"
    switch start {
    case .day: return false
    case .utc(let instant): return isSaid && instant.seconds.isMultiple(of: 86_400)
    case .local(let begin, let zone):
      guard !isSaid, !isOwn, begin.time == .midnight else { return isSaid }
      if let end = component.first("DTEND") {
        guard case .local(let end, zone)? = try? CalendarTime(end) else { return false }
        return end.time == .midnight && end.date > begin.date
      }
      guard let text = component.first("DURATION")?.token,
        case .relative(let days, 0)? = CalendarTrigger(duration: text)
      else { return false }
      return days > 0
    }
  }

  /// - Throws: ``CalendarFault`` for a property that says two things.
  static func requireOne(
    _ name: String, of component: CalendarComponent
  ) throws(CalendarFault) {
    let all = component.all(name)
    if let other = all.first(where: { !$0.isSameTime(as: all[0]) }) {
      throw CalendarFault(line: other.line, cause: .twoTimes(name))
    }
  }

  /// The properties that join the notes, and the words before them.
  private static let noted = [
    ("LOCATION", "Location"), ("URL", "Web"), ("CONFERENCE", "Conference"),
    ("X-GOOGLE-CONFERENCE", "Conference"),
  ]

  /// The description, and behind it the place where it is and addresses that are not in these.
  static func notes(_ component: CalendarComponent, _ bad: inout BadLines) -> String? {
    let description = bad.text("DESCRIPTION", of: component)
    var notes = description ?? ""
    for (name, label) in noted {
      for property in component.properties where property.name == name {
        let text = bad.read { () throws(CalendarFault) in try property.calendarText.onOneLine }
        guard let text, !text.isEmpty,
          name == "LOCATION" || !Array(notes.utf8).contains(run: Array(text.utf8))
        else {
          continue
        }
        notes += "\(notes.isEmpty ? "" : "\n")\(label): \(text)"
      }
    }
    return notes.isEmpty ? description : notes
  }
}

extension CalendarTime {
  /// Whether it has a time of day.
  var isTimed: Bool { if case .day = self { false } else { true } }

  /// The date that is written in it.
  var date: CivilDate? {
    switch self {
    case .day(let date): date
    case .local(let local, _): local.date
    case .utc(let instant): ZoneRules.utc.civil(at: instant).date
    }
  }
}

extension ContentProperty {
  /// Whether it is a date of a year that is none, or of the one that Apple writes then.
  var hasUnknownYear: Bool {
    guard case .day(let date)? = try? CalendarTime(self) else { return false }
    let year = String(date.year)
    return year == "1604" || parameters[CalendarText.omittedYearParameter]?.first == year
  }

  /// Whether it has the value of another one, on the same clocks.
  func isSameTime(as other: ContentProperty) -> Bool {
    value == other.value && parameters["TZID"] == other.parameters["TZID"]
  }
}
