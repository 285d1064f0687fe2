// Halves and products without the generic conversions between integers: where nothing is optimised these
// cost eight times as much, and the tests of a debug build would wait for them.

extension UInt128 {
  @_transparent
  init(low: UInt64, high: UInt64 = 0) { self.init(_low: low, _high: high) }

  /// The product, whole.
  @_transparent
  init(product left: UInt64, _ right: UInt64) {
    let product = left.multipliedFullWidth(by: right)
    self.init(low: product.low, high: product.high)
  }

  @_transparent
  var low: UInt64 { _low }

  @_transparent
  var high: UInt64 { _high }

  /// The value without its `count` lowest bits, 1 to 63.
  @_transparent
  func shiftedRight(_ count: UInt64) -> UInt128 {
    UInt128(low: low &>> count | high &<< (64 &- count), high: high &>> count)
  }
}
