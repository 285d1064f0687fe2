/// Writes the compact form in which the index keeps a record's summary.
///
/// Integers are LEB128 (signed ones zigzagged), text is its length and its UTF-8.
package struct SummaryWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func unsigned(_ value: UInt64) {
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func integer(_ value: Int64) {
    unsigned(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  package mutating func text(_ value: String) {
    let utf8 = value.utf8
    unsigned(UInt64(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  package mutating func optionalInteger(_ value: Int64?) {
    unsigned(value == nil ? 0 : 1)
    if let value { integer(value) }
  }

  package mutating func texts(_ values: [String]) {
    unsigned(UInt64(values.count))
    for value in values { text(value) }
  }
}

/// Reads what ``SummaryWriter`` wrote; every read is `nil` once the bytes do not fit.
package struct SummaryReader {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var isAtEnd: Bool { position == bytes.count }

  package mutating func unsigned() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count, shift < 64 {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  package mutating func integer() -> Int64? {
    unsigned().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  package mutating func text() -> String? {
    guard let length = unsigned(), length <= UInt64(bytes.count - position) else { return nil }
    let end = position + Int(length)
    defer { position = end }
    return String(decoding: bytes[position..<end], as: UTF8.self)
  }

  /// Passes over a text; whether there was one.
  package mutating func skipText() -> Bool {
    guard let length = unsigned(), length <= UInt64(bytes.count - position) else { return false }
    position += Int(length)
    return true
  }

  /// Passes over an integer; whether there was one.
  package mutating func skipInteger() -> Bool {
    unsigned() != nil
  }

  /// An optional integer: the outer `nil` means that the bytes do not fit.
  package mutating func optionalInteger() -> Int64?? {
    switch unsigned() {
    case 0: .some(nil)
    case 1: integer().map { .some($0) }
    default: nil
    }
  }

  package mutating func texts() -> [String]? {
    guard let count = unsigned(), count <= UInt64(bytes.count) else { return nil }
    var values: [String] = []
    for _ in 0..<count {
      guard let value = text() else { return nil }
      values.append(value)
    }
    return values
  }
}
