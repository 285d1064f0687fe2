/// Lower-case hexadecimal.
package enum Hex {
  private static let digits: StaticString = "0123456789abcdef"

  /// Returns two lower-case digits a byte.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    let digits = Self.digits.utf8Start
    // Another target's call is not specialized: this is one step of the collection, and not one a byte.
    let bytes = Array(bytes)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns eight lower-case digits, the first of them in the highest byte.
  package static func digits(_ value: UInt32) -> UInt64 {
    var nibbles = UInt64(value)
    nibbles = (nibbles | nibbles << 16) & 0x0000_ffff_0000_ffff
    nibbles = (nibbles | nibbles << 8) & 0x00ff_00ff_00ff_00ff
    nibbles = (nibbles | nibbles << 4) & 0x0f0f_0f0f_0f0f_0f0f
    // 1 in each byte that becomes a letter.
    let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let afterNine = UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
    return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* afterNine
  }

  /// Returns the bytes of an even number of digits, of either case; `nil` for anything else.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    decode(utf8: Array(text.utf8)[...])
  }

  package static func decode(utf8 digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
