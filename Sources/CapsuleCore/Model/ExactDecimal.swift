/// A decimal number as it was written: whole digits and a count of those behind the point.
///
/// It is never a binary fraction, so that sums and texts are exact.
package struct ExactDecimal: Hashable, Sendable {
  /// The number without its point; at most 27 digits.
  package let digits: Int128
  /// How many of the digits stand behind the point, 0 to 18.
  package let scale: Int

  package static let scaleLimit = 18
  private static let digitLimit = 27

  package init(digits: Int128, scale: Int) {
    self.digits = digits
    self.scale = scale
  }

  /// Reads `12`, `-0.50`, `+3`; `nil` for anything else: no exponent, no grouping, no bare point.
  package init?(_ text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    var isNegative = false
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest = rest.dropFirst()
    }
    let parts = rest.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
      parts.joined().allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    let scale = parts.count == 2 ? parts[1].count : 0
    let digits = parts.joined().drop { $0 == 0x30 }
    guard digits.count <= Self.digitLimit, scale <= Self.scaleLimit else { return nil }
    let value = digits.reduce(Int128(0)) { $0 * 10 + Int128($1 - 0x30) }
    self.init(digits: isNegative ? -value : value, scale: scale)
  }

  /// The number with so many digits behind the point; `nil` where some would be lost, or where it
  /// would have too many.
  package func digits(atScale wanted: Int) -> Int128? {
    var value = digits
    for _ in scale..<max(scale, wanted) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      value = product
    }
    for _ in wanted..<max(scale, wanted) {
      guard value % 10 == 0 else { return nil }
      value /= 10
    }
    return value
  }

  /// The nearest binary number, for drawings only.
  package var double: Double {
    Double(description) ?? 0
  }
}

extension ExactDecimal: CustomStringConvertible {
  /// As it was written, without a plus sign or zeros in front.
  package var description: String {
    var text = String(digits.magnitude)
    if scale > 0 {
      text = String(repeating: "0", count: max(0, scale + 1 - text.utf8.count)) + text
      text = "\(text.dropLast(scale)).\(text.suffix(scale))"
    }
    return digits < 0 ? "-" + text : text
  }
}
