extension Instant {
  /// The instant in UTC, as `2036-06-15T07:00:00Z` (RFC 3339).
  ///
  /// An instant outside the years 0001 to 9999 is written as the nearest one inside.
  public var rfc3339: String {
    String(unsafeUninitializedCapacity: Instant.rfc3339Count) { buffer in
      writeRFC3339(to: UnsafeMutableRawBufferPointer(buffer))
      return Instant.rfc3339Count
    }
  }

  /// The instant that a strict RFC 3339 text names, or `nil`.
  ///
  /// `2036-06-15T09:00:00Z` or with an offset `±HH:MM`: capital letters, no fraction, no leap
  /// second, years 0001 to 9999 in the text and in UTC, nothing before or after.
  public init?(rfc3339 text: some StringProtocol) {
    var text = String(text)
    guard let instant = text.withUTF8({ Instant(rfc3339: UnsafeRawBufferPointer($0)) }) else {
      return nil
    }
    self = instant
  }

  /// The instant that strict RFC 3339 bytes name, or `nil`; see `init(rfc3339:)` of text.
  package init?(rfc3339 bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 20 || bytes.count == 25,
      let date = CivilDate(iso8601: UnsafeRawBufferPointer(rebasing: bytes[..<10])),
      bytes[10] == UInt8(ascii: "T"),
      let hour = DecimalDigits.value(of: bytes, in: 11..<13), bytes[13] == UInt8(ascii: ":"),
      let minute = DecimalDigits.value(of: bytes, in: 14..<16), bytes[16] == UInt8(ascii: ":"),
      let second = DecimalDigits.value(of: bytes, in: 17..<19),
      let time = CivilTime(hour: hour, minute: minute, second: second)
    else { return nil }
    var offset = 0
    if bytes.count == 20 {
      guard bytes[19] == UInt8(ascii: "Z") else { return nil }
    } else {
      guard let hours = DecimalDigits.value(of: bytes, in: 20..<22), hours < 24,
        bytes[22] == UInt8(ascii: ":"),
        let minutes = DecimalDigits.value(of: bytes, in: 23..<25), minutes < 60
      else { return nil }
      switch bytes[19] {
      case UInt8(ascii: "+"): offset = hours * 3600 + minutes * 60
      case UInt8(ascii: "-"): offset = -(hours * 3600 + minutes * 60)
      default: return nil
      }
    }
    self.init(seconds: CivilDateTime(date: date, time: time).secondsAsUTC - Int64(offset))
    guard isRepresentable else { return nil }
  }

  /// The number of bytes of `rfc3339`.
  package static let rfc3339Count = 20

  /// Writes the text of `rfc3339`, 20 bytes, for which there must be room.
  // Hot: every record of an index is written with it, so there is no allocation and no division
  // beyond those of the calendar.
  @_optimize(speed)
  package func writeRFC3339(to buffer: UnsafeMutableRawBufferPointer) {
    let civil = CivilDateTime(secondsAsUTC: clamped.seconds)
    func put(_ value: Int, at index: Int) {
      buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
      buffer[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
    }
    put(civil.date.year / 100, at: 0)
    put(civil.date.year % 100, at: 2)
    buffer[4] = UInt8(ascii: "-")
    put(civil.date.month, at: 5)
    buffer[7] = UInt8(ascii: "-")
    put(civil.date.day, at: 8)
    buffer[10] = UInt8(ascii: "T")
    put(civil.time.hour, at: 11)
    buffer[13] = UInt8(ascii: ":")
    put(civil.time.minute, at: 14)
    buffer[16] = UInt8(ascii: ":")
    put(civil.time.second, at: 17)
    buffer[19] = UInt8(ascii: "Z")
  }
}
