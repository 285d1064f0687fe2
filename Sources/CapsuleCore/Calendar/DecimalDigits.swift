/// A text of at most 15 bytes of ASCII while it is written.
struct ShortText {
  fileprivate static let limit = 15

  private let bytes: UnsafeMutableBufferPointer<UInt8>
  fileprivate private(set) var count = 0

  fileprivate init(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  mutating func append(_ byte: UInt8) {
    precondition(count < Self.limit)
    bytes[count] = byte
    count += 1
  }

  /// Appends a number that is not negative, with at least two or four digits.
  @_optimize(speed)
  mutating func append(_ value: Int, width: Int) {
    if value >= 10_000 { append(UInt8(ascii: "0") + UInt8(value / 10_000 % 10)) }
    if width == 4 {
      append(UInt8(ascii: "0") + UInt8(value / 1000 % 10))
      append(UInt8(ascii: "0") + UInt8(value / 100 % 10))
    }
    append(UInt8(ascii: "0") + UInt8(value / 10 % 10))
    append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}

/// Decimal numbers in ASCII, for the texts of dates and times.
package enum DecimalDigits {
  /// Appends `value` with at least `width` digits, filled with zeros; a negative one after a `-`.
  @_optimize(speed)
  static func append(_ value: Int, width: Int, to bytes: inout [UInt8]) {
    let zero = UInt8(ascii: "0")
    if width <= 2, value >= 0, value < 100 {
      if value >= 10 || width == 2 { bytes.append(zero + UInt8(truncatingIfNeeded: value / 10)) }
      return bytes.append(zero + UInt8(truncatingIfNeeded: value % 10))
    }
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var first = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(zero + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0 || bytes.count - first < width
    var last = bytes.count - 1
    while first < last {
      bytes.swapAt(first, last)
      first += 1
      last -= 1
    }
  }

  /// Returns a text of at most 15 bytes, which needs no memory of its own.
  @_optimize(speed)
  static func text(_ body: (inout ShortText) -> Void) -> String {
    String(unsafeUninitializedCapacity: ShortText.limit) { bytes in
      var text = ShortText(bytes)
      body(&text)
      return text.count
    }
  }

  /// Reads the number in `bytes[range]`; `nil` unless all are digits and there are 1 to 18.
  package static func value(of bytes: UnsafeRawBufferPointer, in range: Range<Int>) -> Int? {
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
