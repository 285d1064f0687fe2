/// Arithmetic on numbers that were typed or stored: of a result that the type cannot hold it gives the
/// nearest that it can.
extension FixedWidthInteger {
  /// Returns the sum, or the nearest number that the type can hold.
  @inlinable package func addingClamped(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// Returns the difference, or the nearest number that the type can hold.
  @inlinable package func subtractingClamped(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// Returns the product, or the nearest number that the type can hold.
  @inlinable package func multipliedClamped(by factor: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? ((self < 0) == (factor < 0) ? .max : .min) : product
  }
}

// Unaligned loads and stores with a byte order, for the primitives' inner loops: no bounds checks,
// so every caller owes the room behind the pointer.
extension UnsafeRawPointer {
  @inlinable @inline(__always)
  package func littleEndian<Word: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Word.Type
  ) -> Word {
    Word(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}

extension UnsafeMutableRawPointer {
  @inlinable @inline(__always)
  package func store(littleEndian word: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    storeBytes(of: word.littleEndian, toByteOffset: offset, as: type(of: word))
  }
}

extension ArraySlice<UInt8> {
  /// Returns the little-endian number of 1, 2, 4 or 8 bytes at an offset from the first; the caller owes the room.
  @inlinable
  package func littleEndian(at offset: Int, size: Int) -> UInt64 {
    withUnsafeBytes {
      switch size {
      case 1: UInt64($0[offset])
      case 2:
        UInt64(UInt16(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
      case 4:
        UInt64(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      default: UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
    }
  }
}

// Halves and products without the generic conversions between integers.

extension UInt128 {
  @inlinable @_transparent
  package init(low: UInt64, high: UInt64 = 0) { self.init(_low: low, _high: high) }

  /// The product, whole.
  @inlinable @_transparent
  package init(product left: UInt64, _ right: UInt64) {
    let product = left.multipliedFullWidth(by: right)
    self.init(low: product.low, high: product.high)
  }

  @inlinable @_transparent
  package var low: UInt64 { _low }

  @inlinable @_transparent
  package var high: UInt64 { _high }

  /// The value without its `count` lowest bits, 1 to 63.
  @inlinable @_transparent
  package func shiftedRight(_ count: UInt64) -> UInt128 {
    UInt128(low: low &>> count | high &<< (64 &- count), high: high &>> count)
  }
}
