extension CivilDate: CustomStringConvertible {
  /// The date as `2036-06-15`.
  public var description: String {
    DecimalDigits.text { text in
      text.append(year, width: 4)
      text.append(UInt8(ascii: "-"))
      text.append(month, width: 2)
      text.append(UInt8(ascii: "-"))
      text.append(day, width: 2)
    }
  }

  /// The date for people: `Sun 15 Jun 2036`.
  package var longText: String {
    var bytes: [UInt8] = []
    appendLongText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func appendLongText(to bytes: inout [UInt8]) {
    bytes += weekday.name.utf8.prefix(3)
    bytes.append(UInt8(ascii: " "))
    appendShortText(to: &bytes)
  }

  /// The date for people, without the weekday: `15 Jun 2036`.
  package var shortText: String {
    var bytes: [UInt8] = []
    appendShortText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func appendShortText(to bytes: inout [UInt8]) {
    DecimalDigits.append(day, width: 1, to: &bytes)
    bytes.append(UInt8(ascii: " "))
    bytes += (Month(rawValue: month)?.name ?? "").utf8.prefix(3)
    bytes.append(UInt8(ascii: " "))
    DecimalDigits.append(year, width: 4, to: &bytes)
  }

  /// The date that exactly `YYYY-MM-DD` names, or `nil`.
  public init?(iso8601 text: some StringProtocol) {
    var text = String(text)
    guard let date = text.withUTF8({ CivilDate(iso8601: UnsafeRawBufferPointer($0)) }) else {
      return nil
    }
    self = date
  }

  /// The date that exactly the bytes `YYYY-MM-DD` name, or `nil`.
  package init?(iso8601 bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = DecimalDigits.value(of: bytes, in: 0..<4),
      let month = DecimalDigits.value(of: bytes, in: 5..<7),
      let day = DecimalDigits.value(of: bytes, in: 8..<10)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}
