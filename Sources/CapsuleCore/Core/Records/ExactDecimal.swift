/// A decimal number as it was written: whole digits and a count of those behind the point.
///
/// It is never a binary fraction, so that sums and texts are exact.
public struct ExactDecimal: Hashable, Sendable {
  /// The number without its point; at most 27 digits.
  package let digits: Int128
  /// The number of digits behind the point, 0 to 18.
  package let scale: Int

  package static let scaleLimit = 18
  package static let digitLimit = 27

  /// - Parameter scale: taken as the nearest one that there can be.
  package init(digits: Int128, scale: Int) {
    self.digits = digits
    self.scale = min(max(scale, 0), Self.scaleLimit)
  }

  /// Reads `12`, `-0.50`, `+3`; `nil` for anything else: no exponent, no grouping, no bare point.
  public init?(_ text: some StringProtocol) {
    var value: Int128 = 0
    var (digits, scale) = (0, 0)
    var (isNegative, hasPoint, endsInDigit) = (false, false, false)
    for (position, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        // Zeros in front do not count.
        if digits > 0 || byte != UInt8(ascii: "0") { digits += 1 }
        guard digits <= Self.digitLimit else { return nil }
        value = value * 10 + Int128(byte - UInt8(ascii: "0"))
        if hasPoint { scale += 1 }
        endsInDigit = true
      case UInt8(ascii: ".") where endsInDigit && !hasPoint:
        (hasPoint, endsInDigit) = (true, false)
      case UInt8(ascii: "-") where position == 0: isNegative = true
      case UInt8(ascii: "+") where position == 0: continue
      default: return nil
      }
    }
    guard endsInDigit, scale <= Self.scaleLimit else { return nil }
    self.init(digits: isNegative ? -value : value, scale: scale)
  }

  /// Returns the number with so many digits behind the point; `nil` where some would be lost, or
  /// where it would have too many.
  package func digits(atScale wanted: Int) -> Int128? {
    guard (0...Self.scaleLimit).contains(wanted) else { return nil }
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
  public var description: String {
    var text = String(digits.magnitude)
    if scale > 0 {
      text = String(repeating: "0", count: max(0, scale + 1 - text.utf8.count)) + text
      text = "\(text.dropLast(scale)).\(text.suffix(scale))"
    }
    return digits < 0 ? "-" + text : text
  }
}
