extension JSONParser {
  /// Reads the string whose opening quotation mark has been read.
  mutating func string() throws(JSONError) -> String {
    let start = position
    // Escapes are rare: until the first one the string is a stretch of the text.
    try skipPlain()
    if bytes[position] == UInt8(ascii: "\"") {
      defer { position += 1 }
      return text(start..<position)
    }
    var scratch = Array(bytes[start..<position])
    while true {
      if bytes[position] == UInt8(ascii: "\"") {
        position += 1
        return String(decoding: scratch, as: UTF8.self)
      }
      try escape(into: &scratch)
      let next = position
      try skipPlain()
      scratch.append(contentsOf: bytes[next..<position])
    }
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  /// Steps over valid UTF-8 without control characters, up to a quotation mark or a backslash.
  private mutating func skipPlain() throws(JSONError) {
    while true {
      skipPlainASCII()
      guard position < bytes.count else { throw error(.unexpectedEnd, at: position) }
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      if byte < 0x20 { throw error(.controlCharacter(byte), at: position) }
      try skipScalar()
    }
  }

  /// Steps over plain ASCII, eight bytes at a time.
  @inline(__always)
  private mutating func skipPlainASCII() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let raw = UnsafeRawBufferPointer(bytes)
    while position &+ 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
      let quote = word ^ ones &* 0x22
      let backslash = word ^ ones &* 0x5C
      // The high bit of a byte is set where it is zero after the xor, below a space, or not ASCII.
      // A borrow can set it wrongly only above one that is set rightly.
      let stops =
        ((quote &- ones) | (backslash &- ones) | (word &- ones &* 0x20) | word) & highs
      if stops != 0 {
        position &+= stops.trailingZeroBitCount >> 3
        return
      }
      position &+= 8
    }
    while position < bytes.count {
      let byte = bytes[position]
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return }
      position &+= 1
    }
  }

  /// Steps over one scalar of two to four bytes, by the table of RFC 3629 §4.
  private mutating func skipScalar() throws(JSONError) {
    let lead = bytes[position]
    let count: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: count = 2
    case 0xE0...0xEF:
      count = 3
      if lead == 0xE0 { second = 0xA0...0xBF }
      if lead == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      count = 4
      if lead == 0xF0 { second = 0x90...0xBF }
      if lead == 0xF4 { second = 0x80...0x8F }
    default: throw error(.invalidUTF8, at: position)
    }
    guard position + count <= bytes.count, second.contains(bytes[position + 1]),
      bytes[(position + 2)..<(position + count)].allSatisfy({ $0 & 0xC0 == 0x80 })
    else { throw error(.invalidUTF8, at: position) }
    position += count
  }

  private mutating func escape(into scratch: inout [UInt8]) throws(JSONError) {
    let start = position
    guard position + 1 < bytes.count else { throw error(.unexpectedEnd, at: bytes.count) }
    position += 2
    switch bytes[start + 1] {
    case UInt8(ascii: "\""): scratch.append(UInt8(ascii: "\""))
    case UInt8(ascii: "\\"): scratch.append(UInt8(ascii: "\\"))
    case UInt8(ascii: "/"): scratch.append(UInt8(ascii: "/"))
    case UInt8(ascii: "b"): scratch.append(0x08)
    case UInt8(ascii: "f"): scratch.append(0x0C)
    case UInt8(ascii: "n"): scratch.append(0x0A)
    case UInt8(ascii: "r"): scratch.append(0x0D)
    case UInt8(ascii: "t"): scratch.append(0x09)
    case UInt8(ascii: "u"):
      let scalar = try escapedScalar(from: start)
      scratch.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    default: throw error(.invalidEscape, at: start)
    }
  }

  /// Reads the scalar of one `\uXXXX`, or of two that are a surrogate pair.
  private mutating func escapedScalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
    let first = try fourDigits(from: start)
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw error(.loneSurrogate, at: start) }
    let next = position
    position += 2
    let second = try fourDigits(from: next)
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(
        0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    else { throw error(.loneSurrogate, at: start) }
    return scalar
  }

  private mutating func fourDigits(from start: Int) throws(JSONError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw error(.unexpectedEnd, at: bytes.count) }
    var value: UInt16 = 0
    for byte in bytes[position..<(position + 4)] {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - 0x30
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - 0x57
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - 0x37
      default: throw error(.invalidEscape, at: start)
      }
      value = value << 4 | UInt16(digit)
    }
    position += 4
    return value
  }
}
