import CapsuleCore

extension CalendarImport.Problem {
  /// The reason why the entry is not imported, behind its line.
  ///
  /// - Parameter names: the names of the files.
  func words(_ names: [String]) -> String {
    switch self {
    case .fault(let cause): return cause.words
    case .rule(let fault): return Failure(fault).message
    case .cancelled(let event, let isOccurrence):
      return "it is cancelled" + (event == nil ? "" : "; the event stays")
        + (isOccurrence ? "; the event that is repeated comes at its time too" : "")
    case .undated: return "it is a task that is due at no time"
    case .notAnEvent(.unlock?): return "it is the date of a capsule, which comes from that"
    case .notAnEvent(.reminder?): return "it is the reminder of an item, which comes from that"
    case .notAnEvent: return "it is the date of another record, which comes from that"
    case .replaced(let line, let source, let hasUID):
      let file = names.count > 1 ? "\(names[source]):\(line)" : "line \(line)"
      return "the entry at \(file) has the same \(hasUID ? "UID" : "title and start"), and counts"
    case .severalOfUID: return "several events have its UID"
    case .unreadable(let id): return "the record '\(id)' of its event cannot be read"
    }
  }

  var hint: String? {
    switch self {
    case .fault(let cause): cause.hint
    case .cancelled(let event?, _): "'capsule event delete \(event.id)' removes it"
    case .severalOfUID: "'capsule event delete' removes the ones too many"
    case .unreadable: "'capsule verify' says what is damaged, 'capsule repair' mends what can be"
    case .rule, .cancelled, .undated, .notAnEvent, .replaced: nil
    }
  }
}

extension CalendarFault.Cause {
  var words: String {
    switch self {
    case .noCalendar: "it belongs to no calendar"
    case .noEnd(let name): "'\(name.shortened)' has no end"
    case .noBegin(let name): "'\(name.shortened)' ends, and did not begin"
    case .notAProperty: "the line is no property"
    case .charset(let name): "it is in the character set '\(name.shortened)', which is not known"
    case .noTime(let name): "it has no \(name)"
    case .notATime(let property, let text):
      "\(property) '\(text.shortened)' is no date or time of the years 1 to 9999"
    case .unknownZone(let name):
      "the zone '\(name.shortened)' is neither known nor described in its calendar"
    case .brokenZone(let name, let line):
      "the zone '\(name.shortened)' is not known, and line \(line) describes it in part only"
    case .beforeZone(let name, let line):
      "it is before the last rules of the zone '\(name.shortened)' that line \(line) describes, and only "
        + "those can be kept"
    case .tooLong(let property, let limit): "its \(property) has more than \(limit) bytes"
    case .tooLarge(let limit): "it has more than \(limit) bytes, alarms or changes"
    case .tooMany(let limit): "it comes after \(limit) others, and so does all behind it"
    }
  }

  fileprivate var hint: String? {
    switch self {
    case .noCalendar: "a calendar begins with BEGIN:VCALENDAR; is this an iCalendar file?"
    case .noEnd: "perhaps the file was cut off; export it again"
    case .notAProperty: "a property is a name, a colon and a value; mend the line"
    case .charset: "save the file in UTF-8"
    case .unknownZone, .brokenZone, .beforeZone:
      "give it a zone such as Europe/Paris in the program that it comes from"
    case .tooLong, .tooLarge: "shorten it in the program that it comes from"
    case .tooMany: "import the file in parts"
    case .noBegin, .noTime, .notATime: nil
    }
  }
}

extension CalendarImport.Remark {
  /// The words for the part that an event cannot hold, behind the entry's title.
  var words: String {
    switch matter {
    case .rule(let rule): "stands once: no event is repeated by '\(rule.shortened)'"
    case .dates(let name): "stands once: no event has \(name)"
    case .occurrence: "stands by itself: it is one occurrence that was changed"
    case .deadline: "stands once: a deadline is not repeated"
    case .alarm: "loses an alarm, which no alert can be"
    case .alarms(let limit): "has more than \(limit) alarms, and the rest is left out"
    case .shortened: "comes on the last day where a month has no such day"
    case .leapDay(let day, isLeftOut: true):
      "comes on \(day.words) of years without 29 February, which its rule leaves out"
    case .leapDay(let day, isLeftOut: false):
      "comes on \(day.words) of years without 29 February, where its rule says \(day.other.words)"
    case .skipped(let seconds): "is \(seconds / 60) minutes later: the clocks skip its time"
    case .twice: "is at the first of two: the clocks show its time twice"
    }
  }

  var hint: String? {
    switch matter {
    case .rule, .dates: "'capsule help repeat' shows what an event is repeated by"
    case .occurrence: "the event that is repeated comes at its own time too"
    case .leapDay(let day, isLeftOut: false):
      "'capsule settings set leapDay \(day == .february28 ? "mar1" : "feb28")' changes the day of all such events"
    case .deadline, .alarm, .alarms, .shortened, .leapDay, .skipped, .twice: nil
    }
  }
}

extension LeapDayRule {
  fileprivate var words: String { self == .february28 ? "28 February" : "1 March" }

  fileprivate var other: Self { self == .february28 ? .march1 : .february28 }
}
