/// Decimal numbers in ASCII, for the texts of dates and times.
enum DecimalDigits {
  /// Appends `value` with at least `width` digits, filled with zeros; a negative one after a `-`.
  static func append(_ value: Int, width: Int, to bytes: inout [UInt8]) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    var divisor: UInt = 1
    var count = 1
    while count < width || (count < 20 && magnitude / divisor >= 10) {
      divisor *= 10
      count += 1
    }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(magnitude / divisor % 10))
      divisor /= 10
    }
  }

  /// Reads the number in `bytes[range]`; `nil` unless all are digits and there are 1 to 18.
  static func value(of bytes: UnsafeRawBufferPointer, in range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count <= 18, range.upperBound <= bytes.count else { return nil }
    var value = 0
    for index in range {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }
}
