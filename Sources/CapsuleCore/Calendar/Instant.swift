/// A point in time: whole seconds since 1970-01-01T00:00:00Z, without leap seconds (POSIX).
public struct Instant: Hashable, Comparable, Sendable {
  /// The seconds since the epoch; negative before it.
  public var seconds: Int64

  /// The instant `seconds` after the epoch.
  public init(seconds: Int64) {
    self.seconds = seconds
  }

  /// 1970-01-01T00:00:00Z.
  package static let epoch = Instant(seconds: 0)

  public static func < (left: Instant, right: Instant) -> Bool {
    left.seconds < right.seconds
  }

  /// 0001-01-01T00:00:00Z, the earliest instant that has a text.
  public static let earliest = Instant(seconds: -62_135_596_800)

  /// 9999-12-31T23:59:59Z, the latest instant that has a text.
  public static let latest = Instant(seconds: 253_402_300_799)

  /// Whether the instant lies in the years 0001 to 9999 of UTC, so that it can be written.
  package var isRepresentable: Bool {
    Instant.earliest <= self && self <= Instant.latest
  }

  /// The instant itself, or the nearest one that can be written.
  package var clamped: Instant {
    min(max(self, .earliest), .latest)
  }

  /// The nanoseconds since the epoch; the nearest that 64 bits can hold (the years 1677 to 2262).
  package var nanoseconds: Int64 { seconds.multipliedClamped(by: 1_000_000_000) }

  /// Returns the instant `count` seconds later (earlier when negative); stops at the ends of `Int64`.
  package func adding(seconds count: Int64) -> Instant {
    Instant(seconds: seconds.addingClamped(count))
  }

  /// Returns the seconds from `earlier` to this instant; stops at the ends of `Int64`.
  package func seconds(since earlier: Instant) -> Int64 {
    seconds.subtractingClamped(earlier.seconds)
  }

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

/// A file's time stamp, as fine as the file system keeps it.
package struct FileTime: Hashable, Comparable, Sendable {
  /// The seconds since the epoch; negative before it.
  package var seconds: Int64

  /// The nanoseconds to be added, 0 to 999,999,999.
  package let nanoseconds: Int64

  /// A time stamp; nanoseconds outside of 0 to 999,999,999 become the nearest inside.
  package init(seconds: Int64, nanoseconds: Int64 = 0) {
    self.seconds = seconds
    self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
  }

  /// Returns the whole seconds from `earlier` to this time; stops at the ends of `Int64`.
  package func seconds(since earlier: FileTime) -> Int64 {
    Instant(seconds: seconds).seconds(since: Instant(seconds: earlier.seconds))
  }

  package static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  /// The time in RFC 3339 and UTC, with nine digits of fraction where there are nanoseconds.
  package var rfc3339: String {
    let whole = Instant(seconds: seconds).rfc3339
    guard nanoseconds != 0 else { return whole }
    let digits = String(nanoseconds)
    let padding = String(repeating: "0", count: 9 - digits.count)
    return "\(whole.dropLast()).\(padding)\(digits)Z"
  }

  /// Reads the form that `rfc3339` writes.
  package init?(rfc3339 text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1 else {
      guard let instant = Instant(rfc3339: text) else { return nil }
      self.init(seconds: instant.seconds)
      return
    }
    let digits = parts[1].dropLast()
    guard parts.count == 2, parts[1].last == UInt8(ascii: "Z"), digits.count == 9,
      digits.allSatisfy(\.isASCIIDigit), let nanoseconds = Int64(Substring(digits)),
      let instant = Instant(rfc3339: String(Substring(parts[0])) + "Z")
    else { return nil }
    self.init(seconds: instant.seconds, nanoseconds: nanoseconds)
  }
}
