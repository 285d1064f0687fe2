import CapsuleCore
import Testing

@Suite struct SecretBytesTests {
  @Test func `bytes are copied, and taken over from an array that is emptied`() {
    var source: [UInt8] = [1, 2, 3]
    #expect(SecretBytes(copying: source).bytes == [1, 2, 3])
    #expect(source == [1, 2, 3])
    #expect(SecretBytes(taking: &source).bytes == [1, 2, 3])
    #expect(source.isEmpty)
    #expect(SecretBytes(copying: []).count == 0)
  }

  @Test func `bytes are made in place from zeros`() {
    let secret = SecretBytes(count: 4) { buffer in
      #expect(buffer.allSatisfy { $0 == 0 })
      buffer[2] = 9
    }
    #expect(secret.bytes == [0, 0, 9, 0])
    #expect(secret.withUnsafeBytes { $0.count } == 4)
  }

  @Test func `an array, a buffer and a value are overwritten`() {
    var array: [UInt8] = [1, 2, 3]
    array.withUnsafeMutableBytes { buffer in
      wipe(UnsafeMutableRawBufferPointer(rebasing: buffer[1...]))
    }
    #expect(array == [1, 0, 0])
    wipe(&array)
    #expect(array.isEmpty)
    var value: UInt64 = 5
    wipe(value: &value)
    #expect(value == 0)
  }

  @Test func `equality in constant time is equality`() {
    #expect(constantTimeEqual([], []))
    #expect(!constantTimeEqual([0], []))
    let bytes = VectorFile.stream(1, 40)
    #expect(constantTimeEqual(bytes, Array(bytes)))
    for bit in 0..<320 {
      var other = bytes
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!constantTimeEqual(bytes, other))
    }
  }
}
