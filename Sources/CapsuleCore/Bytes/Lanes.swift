/// Four 32-bit words that are worked on at once.
///
/// For `SIMD4<UInt32>`, sums and products are one instruction; its other operators go lane by lane,
/// and the compiler puts the lanes together again only in short functions. The functions here are
/// made of what stays whole, so that the ciphers' inner loops are vector code without any flag. They are inlinable:
/// the ciphers are in another target.
@usableFromInline package typealias Lanes = SIMD4<UInt32>

extension Lanes {
  @usableFromInline typealias Mask = SIMDMask<SIMD4<Int32>>

  @usableFromInline typealias Halves = (
    UInt16, UInt16, UInt16, UInt16, UInt16, UInt16, UInt16, UInt16
  )

  @inlinable @_transparent
  package var words: (UInt32, UInt32, UInt32, UInt32) {
    unsafeBitCast(self, to: (UInt32, UInt32, UInt32, UInt32).self)
  }

  @inlinable @_transparent
  package init(words first: UInt32, _ second: UInt32, _ third: UInt32, _ fourth: UInt32) {
    self = unsafeBitCast((first, second, third, fourth), to: Lanes.self)
  }

  /// Returns the exclusive or; masks have it as one instruction.
  @inlinable @_transparent
  package func xor(_ other: Lanes) -> Lanes {
    unsafeBitCast(
      unsafeBitCast(self, to: Mask.self) .^ unsafeBitCast(other, to: Mask.self), to: Lanes.self)
  }

  @inlinable @_transparent
  package func or(_ other: Lanes) -> Lanes {
    unsafeBitCast(
      unsafeBitCast(self, to: Mask.self) .| unsafeBitCast(other, to: Mask.self), to: Lanes.self)
  }

  /// Returns every word moved right by a constant count of 1 to 31.
  @inlinable @_transparent
  package func shifted(_ count: UInt32) -> Lanes {
    let words = words
    return Lanes(
      words: words.0 &>> count, words.1 &>> count, words.2 &>> count, words.3 &>> count)
  }

  /// Returns every word turned left by a constant count of 1 to 31.
  ///
  /// The left shift is a product: it stays a vector, and becomes a shift again in the end. Of two
  /// shifts the compiler would make one turn for each lane.
  @inlinable @_transparent
  package func rotated(_ count: UInt32) -> Lanes {
    let power: UInt32 = 1 &<< count
    return (self &* Lanes(words: power, power, power, power)).or(shifted(32 &- count))
  }

  /// Returns every word turned by 16, by exchanging its halves, which is one instruction fewer.
  @inlinable @_transparent
  package func rotated16() -> Lanes {
    let halves = unsafeBitCast(self, to: Halves.self)
    let turned: Halves = (
      halves.1, halves.0, halves.3, halves.2, halves.5, halves.4, halves.7, halves.6
    )
    return unsafeBitCast(turned, to: Lanes.self)
  }
}
