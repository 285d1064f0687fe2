/// Base64 (RFC 4648 §4), strict: there is exactly one text for every byte string.
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of every byte as a digit; 0xFF for any other byte.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()

  /// Returns the digits of `count` bytes.
  package static func encodedCount(_ count: Int, padded: Bool) -> Int {
    padded ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3
  }

  /// Returns the text of a byte string.
  package static func encode(_ bytes: [UInt8], padded: Bool) -> String {
    let count = encodedCount(bytes.count, padded: padded)
    return String(unsafeUninitializedCapacity: count) { output in
      bytes.withUnsafeBytes {
        encode($0, into: UnsafeMutableRawBufferPointer(output), padded: padded)
      }
    }
  }

  /// Writes the digits of a byte string, for which there must be room.
  ///
  /// - Returns: the number of digits, `encodedCount`.
  @discardableResult
  package static func encode(
    _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, padded: Bool
  ) -> Int {
    let count = encodedCount(bytes.count, padded: padded)
    precondition(output.count >= count)
    guard let input = bytes.baseAddress, let output = output.baseAddress else { return 0 }
    alphabet.withUnsafeBufferPointer { alphabet in
      var read = 0
      var written = 0
      while read + 3 <= bytes.count {
        let group =
          UInt32(input.load(fromByteOffset: read, as: UInt8.self)) &<< 16
          | UInt32(input.load(fromByteOffset: read + 1, as: UInt8.self)) &<< 8
          | UInt32(input.load(fromByteOffset: read + 2, as: UInt8.self))
        let digits =
          UInt32(alphabet[Int(group &>> 18)])
          | UInt32(alphabet[Int(group &>> 12 & 63)]) &<< 8
          | UInt32(alphabet[Int(group &>> 6 & 63)]) &<< 16
          | UInt32(alphabet[Int(group & 63)]) &<< 24
        output.store(littleEndian: digits, at: written)
        read += 3
        written += 4
      }
      guard read < bytes.count else { return }
      let first = bytes[read]
      let second = read + 1 < bytes.count ? bytes[read + 1] : 0
      output.storeBytes(of: alphabet[Int(first >> 2)], toByteOffset: written, as: UInt8.self)
      output.storeBytes(
        of: alphabet[Int(first << 4 & 63 | second >> 4)], toByteOffset: written + 1, as: UInt8.self)
      written += 2
      if read + 1 < bytes.count {
        output.storeBytes(
          of: alphabet[Int(second << 2 & 63)], toByteOffset: written, as: UInt8.self)
        written += 1
      }
      while written < count {
        output.storeBytes(of: UInt8(ascii: "="), toByteOffset: written, as: UInt8.self)
        written += 1
      }
    }
    return count
  }

  /// Returns the bytes of a text; `nil` unless `encode` writes exactly this text for them.
  package static func decode(_ text: String, padded: Bool) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode(UnsafeRawBufferPointer($0), padded: padded) }
  }

  /// Returns the bytes of a text in ASCII; `nil` unless `encode` writes exactly this text
  /// for them.
  package static func decode(_ text: [UInt8], padded: Bool) -> [UInt8]? {
    text.withUnsafeBytes { decode($0, padded: padded) }
  }

  /// Returns the bytes of a text in ASCII; `nil` unless `encode` writes exactly this text
  /// for them.
  package static func decode(_ text: UnsafeRawBufferPointer, padded: Bool) -> [UInt8]? {
    var valid = false
    let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 3) { output, count in
      guard let decoded = decode(text, into: UnsafeMutableRawBufferPointer(output), padded: padded)
      else { return }
      count = decoded
      valid = true
    }
    return valid ? bytes : nil
  }

  /// Writes the bytes of a text in ASCII. There must be room for 3 bytes for every 4 digits begun.
  ///
  /// - Returns: the number of bytes; `nil` unless the text is exactly the one that `encode` writes for
  ///   them. The bytes that were written before a refusal mean nothing.
  package static func decode(
    _ text: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, padded: Bool
  ) -> Int? {
    var digitCount = text.count
    if padded {
      guard digitCount.isMultiple(of: 4) else { return nil }
      if digitCount > 0, text[digitCount - 1] == UInt8(ascii: "=") {
        digitCount -= text[digitCount - 2] == UInt8(ascii: "=") ? 2 : 1
      }
    }
    let tail = digitCount % 4
    guard tail != 1 else { return nil }
    let count = digitCount / 4 * 3 + (tail == 0 ? 0 : tail - 1)
    precondition(output.count >= count)
    guard digitCount > 0, let input = text.baseAddress, let output = output.baseAddress else {
      return 0
    }
    return values.withUnsafeBufferPointer { values in
      // Every digit's value is gathered and the top bit asked for once, at the end.
      var seen: UInt8 = 0
      var read = 0
      var written = 0
      while read + 4 <= digitCount {
        let a = values[Int(input.load(fromByteOffset: read, as: UInt8.self))]
        let b = values[Int(input.load(fromByteOffset: read + 1, as: UInt8.self))]
        let c = values[Int(input.load(fromByteOffset: read + 2, as: UInt8.self))]
        let d = values[Int(input.load(fromByteOffset: read + 3, as: UInt8.self))]
        seen |= a | b | c | d
        output.storeBytes(of: a &<< 2 | b &>> 4, toByteOffset: written, as: UInt8.self)
        output.storeBytes(of: b &<< 4 | c &>> 2, toByteOffset: written + 1, as: UInt8.self)
        output.storeBytes(of: c &<< 6 | d, toByteOffset: written + 2, as: UInt8.self)
        read += 4
        written += 3
      }
      if tail > 0 {
        let a = values[Int(text[read])]
        let b = values[Int(text[read + 1])]
        let c = tail == 3 ? values[Int(text[read + 2])] : 0
        seen |= a | b | c
        // The bits that no byte takes must be zero.
        guard (tail == 2 ? b & 15 : c & 3) == 0 else { return nil }
        output.storeBytes(of: a &<< 2 | b &>> 4, toByteOffset: written, as: UInt8.self)
        if tail == 3 {
          output.storeBytes(of: b &<< 4 | c &>> 2, toByteOffset: written + 1, as: UInt8.self)
        }
      }
      return seen & 0x80 == 0 ? count : nil
    }
  }
}
