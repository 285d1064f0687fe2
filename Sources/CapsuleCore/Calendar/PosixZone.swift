/// A POSIX `TZ` string with the extensions of RFC 9636 §3.3.2: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// It holds for every year; in the footer of a zone file it takes over where the table ends.
package struct PosixZone: Hashable, Sendable {
  /// The time outside daylight saving.
  package let standard: LocalTimeType
  /// Daylight saving, if the zone has it.
  package let daylight: Daylight?

  package struct Daylight: Hashable, Sendable {
    package let type: LocalTimeType
    package let start: Change
    package let end: Change
  }

  /// A yearly change: a day, and seconds of local time from its midnight (±167 hours).
  package struct Change: Hashable, Sendable {
    package let day: Day
    package let time: Int

    package init(day: Day, time: Int) {
      self.day = day
      self.time = time
    }
  }

  package enum Day: Hashable, Sendable {
    /// `Jn`: the nth day from 1, 29 February never counted.
    case commonYearDay(Int)
    /// `n`: days after 1 January, 29 February counted.
    case dayIndex(Int)
    /// `Mm.w.d`: the wth (5: the last) weekday d (0 is Sunday) of month m.
    case weekday(month: Int, week: Int, weekday: Int)
  }

  /// Returns the local time at `seconds` since the epoch.
  package func type(at seconds: Int64) -> LocalTimeType {
    if let type = type(throughout: seconds, seconds) { return type }
    guard let daylight else { return standard }
    let year = date(at: seconds).year
    // A change may lie up to a week outside its year, and in the south daylight saving time that
    // starts in one year ends in the next.
    let isDaylight = (year - 1...year + 1).contains { candidate in
      let start = at(daylight.start, of: candidate, offset: standard.seconds)
      var end = at(daylight.end, of: candidate, offset: daylight.type.seconds)
      if end < start { end = at(daylight.end, of: candidate + 1, offset: daylight.type.seconds) }
      return start <= seconds && seconds < end
    }
    return isDaylight ? daylight.type : standard
  }

  /// Returns the local time that holds from `start` through `end` (seconds since the epoch) where that
  /// is soon known; `nil` where the clocks may change after `start`, near the ends of a year, and for
  /// unusual rules.
  package func type(throughout start: Int64, _ end: Int64) -> LocalTimeType? {
    guard let offset = Offsets(self).offset(throughout: start, end) else { return nil }
    return offset.isDaylight ? daylight?.type : standard
  }

  /// The date that clocks outside daylight saving show.
  private func date(at seconds: Int64) -> CivilDate {
    Offsets(self).date(at: seconds)
  }

  /// The offsets without the names of the times: nothing that is counted when it is copied. Hot: nearly every local
  /// time is looked up here.
  struct Offsets: Sendable {
    private let standard: Int
    private let daylight: (seconds: Int, start: Change, end: Change)?

    init(_ zone: PosixZone) {
      standard = zone.standard.seconds
      daylight = zone.daylight.map { ($0.type.seconds, $0.start, $0.end) }
    }

    /// Returns the offset in seconds that holds from `start` through `end`, as ``PosixZone/type(throughout:_:)`` does.
    func offset(throughout start: Int64, _ end: Int64) -> (seconds: Int, isDaylight: Bool)? {
      guard let daylight else { return (standard, false) }
      // The same of both changes comes first in every year: they are in months that are not neighbours.
      guard case .weekday(let firstMonth, _, _) = daylight.start.day,
        case .weekday(let lastMonth, _, _) = daylight.end.day, abs(firstMonth - lastMonth) > 1
      else { return nil }
      let first = date(at: start)
      let last = start == end ? first : date(at: end)
      // Only the changes of this year are near: none lies more than some days outside the year that it is of.
      guard first.year == last.year, first.month > 1, last.month < 12 else { return nil }
      let summer = daylight.start.clock(in: first.year) - Int64(standard)
      let winter = daylight.end.clock(in: first.year) - Int64(daylight.seconds)
      if start < summer && summer <= end || start < winter && winter <= end { return nil }
      let isDaylight =
        summer < winter ? summer <= start && start < winter : start < winter || summer <= start
      return (isDaylight ? daylight.seconds : standard, isDaylight)
    }

    /// The date that clocks outside daylight saving show.
    func date(at seconds: Int64) -> CivilDate {
      let local = Instant(seconds: seconds).adding(seconds: Int64(standard))
      return CivilDateTime(secondsAsUTC: local.seconds).date
    }
  }

  /// Returns the changes after `start` and up to `end` (seconds since the epoch), in order.
  func transitions(after start: Int64, through end: Int64) -> [ZoneTransition] {
    guard let daylight, start < end else { return [] }
    let first = CivilDateTime(secondsAsUTC: start).date.year - 1
    let last = CivilDateTime(secondsAsUTC: end).date.year + 1
    // Hot, and nearly always without a change in the window: nothing is allocated then.
    var moments: [Int64] = []
    for year in first...last {
      for moment in [
        at(daylight.start, of: year, offset: standard.seconds),
        at(daylight.end, of: year, offset: daylight.type.seconds),
      ] where start < moment && moment <= end {
        moments.append(moment)
      }
    }
    return moments.unique.sorted().compactMap { moment in
      let (before, after) = (type(at: moment - 1), type(at: moment))
      return before == after ? nil : ZoneTransition(at: moment, before: before, after: after)
    }
  }

  private func at(_ change: Change, of year: Int, offset: Int) -> Int64 {
    change.clock(in: year) - Int64(offset)
  }

  /// Returns a day of a year in days since the epoch.
  @_optimize(speed)
  fileprivate static func dayNumber(_ day: Day, of year: Int) -> Int {
    let newYear = PosixZone.newYear(of: year)
    switch day {
    case .dayIndex(let index):
      return newYear + index
    case .commonYearDay(let number):
      return newYear + number - 1 + (number >= 60 && CivilDate.isLeap(year) ? 1 : 0)
    case .weekday(let month, let week, let weekday):
      var first = newYear
      for earlier in 1..<max(month, 1) { first += CivilDate.days(inMonth: earlier, of: year) }
      // 1970-01-01 was a Thursday.
      let ahead = weekday - (first + 4) % 7
      var day = first + (ahead % 7 + 7) % 7 + (week - 1) * 7
      if day >= first + CivilDate.days(inMonth: month, of: year) { day -= 7 }
      return day
    }
  }

  private static func newYear(of year: Int) -> Int {
    let before = year + 399  // 400 years more than the year before, to keep the divisions positive
    return before * 365 + before / 4 - before / 100 + before / 400 - 719_162 - 146_097
  }
}

extension PosixZone.Change {
  /// Returns the date and time of a year's change on the clocks before it, in seconds since the epoch as
  /// if these were UTC.
  package func clock(in year: Int) -> Int64 {
    Int64(PosixZone.dayNumber(day, of: year) * 86_400 + time)
  }
}

extension PosixZone {
  /// Reads a whole POSIX `TZ` string; `nil` for any other text.
  ///
  /// With `defaultRule` daylight saving without dates follows the rule of the United States, as every
  /// system reads `EST5EDT`; a zone file's footer must give the dates.
  package init?(_ text: some StringProtocol, defaultRule: Bool) {
    var reader = Reader(bytes: Array(text.utf8))
    guard let zone = reader.zone(defaultRule: defaultRule), reader.atEnd else { return nil }
    self = zone
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    var atEnd: Bool { index == bytes.count }

    mutating func zone(defaultRule: Bool) -> PosixZone? {
      guard let name = name(), let west = time(hours: 24) else { return nil }
      let standard = LocalTimeType(seconds: -west, abbreviation: name, isDaylight: false)
      if atEnd { return PosixZone(standard: standard, daylight: nil) }
      guard let daylightName = self.name() else { return nil }
      var seconds = standard.seconds + 3600
      if !atEnd, bytes[index] != UInt8(ascii: ",") {
        guard let west = time(hours: 24) else { return nil }
        seconds = -west
      }
      let type = LocalTimeType(seconds: seconds, abbreviation: daylightName, isDaylight: true)
      if atEnd {
        guard defaultRule else { return nil }
        self = Reader(bytes: Array(",M3.2.0,M11.1.0".utf8))
      }
      guard take(","), let start = change(), take(","), let end = change() else { return nil }
      return PosixZone(standard: standard, daylight: .init(type: type, start: start, end: end))
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard !atEnd, bytes[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    private mutating func name() -> String? {
      let quoted = take("<")
      let start = index
      while !atEnd, PosixZone.isNameByte(bytes[index], quoted: quoted) { index += 1 }
      let name = bytes[start..<index]
      guard (3...30).contains(name.count), !quoted || take(">") else { return nil }
      return String(decoding: name, as: UTF8.self)
    }

    private mutating func number(upTo limit: Int) -> Int? {
      var value = 0
      let start = index
      while !atEnd, index - start < 3, bytes[index].isASCIIDigit {
        value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
        index += 1
      }
      return index > start && value <= limit ? value : nil
    }

    /// Reads `[+-]hh[:mm[:ss]]` in seconds.
    private mutating func time(hours limit: Int) -> Int? {
      let sign = take("-") ? -1 : 1
      if sign == 1 { _ = take("+") }
      guard let hours = number(upTo: limit) else { return nil }
      var seconds = hours * 3600
      if take(":") {
        guard let minutes = number(upTo: 59) else { return nil }
        seconds += minutes * 60
        if take(":") {
          guard let rest = number(upTo: 59) else { return nil }
          seconds += rest
        }
      }
      return sign * seconds
    }

    private mutating func change() -> Change? {
      guard let day = day() else { return nil }
      guard take("/") else { return Change(day: day, time: 7200) }
      guard let time = time(hours: 167) else { return nil }
      return Change(day: day, time: time)
    }

    private mutating func day() -> Day? {
      if take("J") {
        guard let number = number(upTo: 365), number >= 1 else { return nil }
        return .commonYearDay(number)
      }
      if take("M") {
        guard let month = number(upTo: 12), month >= 1, take("."),
          let week = number(upTo: 5), week >= 1, take("."), let weekday = number(upTo: 6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
      }
      return number(upTo: 365).map { .dayIndex($0) }
    }
  }

  private static func isNameByte(_ byte: UInt8, quoted: Bool) -> Bool {
    byte.isASCIILetter || quoted && (byte.isASCIIDigit || "+-".utf8.contains(byte))
  }
}
