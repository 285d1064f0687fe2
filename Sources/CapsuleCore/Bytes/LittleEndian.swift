// Unaligned loads and stores with a byte order, for the primitives' inner loops: no bounds checks,
// so every caller owes the room behind the pointer.
extension UnsafeRawPointer {
  @inline(__always)
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
  @inline(__always)
  package func store(littleEndian word: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    storeBytes(of: word.littleEndian, toByteOffset: offset, as: type(of: word))
  }

  @inline(__always)
  func store(bigEndian word: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    storeBytes(of: word.bigEndian, toByteOffset: offset, as: type(of: word))
  }
}
