extension RecordID {
  private static let suffix = Array(".json".utf8)
  private static let fileNameOfZero = Array(zero.description.utf8) + suffix

  /// The id that a record's file name gives; `nil` for any other name.
  package init?(fileName name: some Collection<UInt8>) {
    guard name.count == Self.textCount + Self.suffix.count,
      name.dropFirst(Self.textCount).elementsEqual(Self.suffix)
    else { return nil }
    self.init(utf8: name.prefix(Self.textCount))
  }

  /// The name of the record's file.
  package var fileName: [UInt8] {
    var name: [UInt8] = []
    appendFileName(to: &name)
    return name
  }

  /// Adds ``fileName``.
  @_optimize(speed)
  package func appendFileName(to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes += Self.fileNameOfZero
    bytes.withUnsafeMutableBytes {
      write(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
    }
  }

  /// The lowest and the highest id that begin with some digits.
  ///
  /// - Parameter prefix: At least one hexadecimal digit of either case; hyphens only where an id has
  ///   them. Anything else is `nil`.
  package static func range(prefix: some StringProtocol) -> ClosedRange<RecordID>? {
    var digits = 0
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (position, character) in prefix.utf8.enumerated() {
      if position >= 36 { return nil }
      if character == UInt8(ascii: "-") {
        guard [8, 13, 18, 23].contains(position) else { return nil }
        continue
      }
      guard let digit = Character(UnicodeScalar(character)).hexDigitValue, digits < 32 else {
        return nil
      }
      if digits < 16 {
        high |= UInt64(digit) << UInt64(60 - 4 * digits)
      } else {
        low |= UInt64(digit) << UInt64(124 - 4 * digits)
      }
      digits += 1
    }
    if digits == 0 { return nil }
    let highRest = digits >= 16 ? 0 : UInt64.max >> UInt64(4 * digits)
    let lowRest = digits >= 32 ? 0 : digits <= 16 ? .max : UInt64.max >> UInt64(4 * (digits - 16))
    return RecordID(high: high, low: low)...RecordID(high: high | highRest, low: low | lowRest)
  }
}
