/// A time of day, in no particular zone: 00:00:00 to 23:59:59.
package struct CivilTime: Hashable, Sendable {
  private let hours, minutes, seconds: UInt8

  /// 0 to 23.
  package var hour: Int { Int(hours) }
  /// 0 to 59.
  package var minute: Int { Int(minutes) }
  /// 0 to 59; there is no leap second.
  package var second: Int { Int(seconds) }

  package static let midnight = CivilTime(secondsSinceMidnight: 0)
  package static let noon = CivilTime(secondsSinceMidnight: 43_200)
  /// 23:59:59.
  package static let endOfDay = CivilTime(secondsSinceMidnight: 86_399)

  /// The time, or `nil` when there is no such time of day.
  package init?(hour: Int, minute: Int, second: Int = 0) {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else {
      return nil
    }
    self.init(secondsSinceMidnight: hour * 3600 + minute * 60 + second)
  }

  /// The time so many seconds after midnight; `nil` for what is no second of a day.
  package init?(secondOfDay second: Int64) {
    guard (0..<86_400).contains(second) else { return nil }
    self.init(secondsSinceMidnight: Int(second))
  }

  /// The time `seconds` (0 to 86,399) after midnight.
  package init(secondsSinceMidnight seconds: Int) {
    hours = UInt8(seconds / 3600)
    minutes = UInt8(seconds / 60 % 60)
    self.seconds = UInt8(seconds % 60)
  }

  /// 0 to 86,399.
  package var secondsSinceMidnight: Int {
    hour * 3600 + minute * 60 + second
  }
}

extension CivilTime: Comparable {
  package static func < (left: CivilTime, right: CivilTime) -> Bool {
    left.secondsSinceMidnight < right.secondsSinceMidnight
  }
}

extension CivilTime: CustomStringConvertible {
  /// The time as `09:00:00`.
  package var description: String {
    text(seconds: true)
  }

  /// The time as `09:00`, with the seconds only where there are any.
  package var shortText: String {
    text(seconds: second != 0)
  }

  private func text(seconds: Bool) -> String {
    DecimalDigits.text { text in
      text.append(hour, width: 2)
      text.append(UInt8(ascii: ":"))
      text.append(minute, width: 2)
      guard seconds else { return }
      text.append(UInt8(ascii: ":"))
      text.append(second, width: 2)
    }
  }
}
