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

  @inline(__always)
  func bigEndian<Word: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Word.Type
  ) -> Word {
    Word(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}

extension UnsafeMutableRawPointer {
  @inlinable @inline(__always)
  package func store(littleEndian word: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    storeBytes(of: word.littleEndian, toByteOffset: offset, as: type(of: word))
  }

  @inline(__always)
  func store(bigEndian word: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    storeBytes(of: word.bigEndian, toByteOffset: offset, as: type(of: word))
  }
}
