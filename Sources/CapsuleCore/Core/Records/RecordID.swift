/// The identity of a record: a random UUID (RFC 9562, version 4), written in lower case.
public struct RecordID: Hashable, Comparable, Sendable, LosslessStringConvertible, FieldText {
  /// The first 8 of the 16 bytes, big endian.
  package let high: UInt64
  /// The last 8 of the 16 bytes, big endian.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The id of no record.
  package static let zero = RecordID(high: 0, low: 0)

  /// The fewest characters of an id that may stand for it.
  package static let shortestPrefix = 4

  /// A new id from random bytes.
  package init(random: RandomSource) throws(RandomSource.Failure) {
    let bytes = try random.bytes(16)
    let high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    let low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    self.high = high & ~0xf000 | 0x4000
    self.low = low & ~(0b11 << 62) | 0b10 << 62
  }

  /// Reads the canonical form: 36 characters, lower-case digits, hyphens in their places.
  public init?(_ text: some StringProtocol) {
    self.init(utf8: text.utf8)
  }

  /// Reads the canonical form from its bytes.
  // Hot: every name in a directory of records is read with it.
  package init?(utf8 characters: some Collection<UInt8>) {
    guard characters.count == Self.textCount else { return nil }
    let read = characters.withContiguousStorageIfAvailable { Self(characters: $0) }
    guard let id = read ?? Self(characters: Array(characters)[...]) else { return nil }
    self = id
  }

  private init?(characters: some RandomAccessCollection<UInt8>) {
    var values: (UInt64, UInt64) = (0, 0)
    var digits = 0
    for (position, character) in characters.enumerated() {
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard character == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
      default: return nil
      }
      if digits < 16 {
        values.0 = values.0 << 4 | UInt64(digit)
      } else {
        values.1 = values.1 << 4 | UInt64(digit)
      }
      digits += 1
    }
    high = values.0
    low = values.1
  }

  /// The canonical form: 36 characters in lower case.
  public var description: String {
    String(unsafeUninitializedCapacity: RecordID.textCount) { buffer in
      write(to: UnsafeMutableRawBufferPointer(buffer))
      return RecordID.textCount
    }
  }

  package static let textCount = 36

  /// Writes the text of ``description``: 36 bytes.
  // Hot: every row of a list is written with it.
  @_optimize(speed)
  package func write(to buffer: UnsafeMutableRawBufferPointer) {
    let second = Hex.digits(UInt32(truncatingIfNeeded: high))
    let third = Hex.digits(UInt32(truncatingIfNeeded: low >> 32))
    func put(_ digits: UInt64, at position: Int) {
      buffer.storeBytes(of: digits.bigEndian, toByteOffset: position, as: UInt64.self)
    }
    func put(four digits: UInt64, at position: Int) {
      let digits = UInt32(truncatingIfNeeded: digits).bigEndian
      buffer.storeBytes(of: digits, toByteOffset: position, as: UInt32.self)
    }
    put(Hex.digits(UInt32(truncatingIfNeeded: high >> 32)), at: 0)
    put(four: second >> 32, at: 9)
    put(four: second, at: 14)
    put(four: third >> 32, at: 19)
    put(four: third, at: 24)
    put(Hex.digits(UInt32(truncatingIfNeeded: low)), at: 28)
    buffer[8] = UInt8(ascii: "-")
    buffer[13] = UInt8(ascii: "-")
    buffer[18] = UInt8(ascii: "-")
    buffer[23] = UInt8(ascii: "-")
  }

  /// The number of the directory that holds the record: the id's first byte.
  package var shard: UInt8 {
    UInt8(truncatingIfNeeded: high >> 56)
  }

  public static func < (left: RecordID, right: RecordID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
