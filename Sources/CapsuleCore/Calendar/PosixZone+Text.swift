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
