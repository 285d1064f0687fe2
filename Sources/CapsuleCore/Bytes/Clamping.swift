/// Arithmetic on numbers that were typed or stored: of a result that the type cannot hold it gives the
/// nearest that it can.
extension FixedWidthInteger {
  /// Returns the sum, or the nearest number that the type can hold.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, or the nearest number that the type can hold.
  package func subtractingClamped(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// Returns the product, or the nearest number that the type can hold.
  package func multipliedClamped(by factor: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? ((self < 0) == (factor < 0) ? .max : .min) : product
  }
}
