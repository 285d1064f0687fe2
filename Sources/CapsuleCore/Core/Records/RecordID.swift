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
  package init(random: RandomSource) throws(Fault) {
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

  private static let suffix = Array(".json".utf8)
  private static let fileNameOfZero = Array(zero.description.utf8) + suffix

  /// The id that a record's file name gives; `nil` for any other name.
  package init?(fileName name: some Collection<UInt8>) {
    guard name.count == Self.textCount + Self.suffix.count,
      name.dropFirst(Self.textCount).elementsEqual(Self.suffix)
    else { return nil }
    self.init(utf8: name.prefix(Self.textCount))
  }

  /// The name of the record's file.
  package var fileName: [UInt8] {
    var name: [UInt8] = []
    appendFileName(to: &name)
    return name
  }

  /// Adds ``fileName``.
  @_optimize(speed)
  package func appendFileName(to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes += Self.fileNameOfZero
    bytes.withUnsafeMutableBytes {
      write(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
    }
  }

  /// The lowest and the highest id that begin with some digits.
  ///
  /// - Parameter prefix: At least one hexadecimal digit of either case; hyphens only where an id has
  ///   them. Anything else is `nil`.
  package static func range(prefix: some StringProtocol) -> ClosedRange<RecordID>? {
    var digits = 0
    var high: UInt64 = 0
    var low: UInt64 = 0
    for (position, character) in prefix.utf8.enumerated() {
      if position >= 36 { return nil }
      if character == UInt8(ascii: "-") {
        guard [8, 13, 18, 23].contains(position) else { return nil }
        continue
      }
      guard let digit = Character(UnicodeScalar(character)).hexDigitValue, digits < 32 else {
        return nil
      }
      if digits < 16 {
        high |= UInt64(digit) << UInt64(60 - 4 * digits)
      } else {
        low |= UInt64(digit) << UInt64(124 - 4 * digits)
      }
      digits += 1
    }
    if digits == 0 { return nil }
    let highRest = digits >= 16 ? 0 : UInt64.max >> UInt64(4 * digits)
    let lowRest = digits >= 32 ? 0 : digits <= 16 ? .max : UInt64.max >> UInt64(4 * (digits - 16))
    return RecordID(high: high, low: low)...RecordID(high: high | highRest, low: low | lowRest)
  }
}

/// The kinds of records that a store holds, one folder each, in the order of reports.
public enum RecordKind: String, CaseIterable, Hashable, Sendable, FieldText {
  case capsule
  case event
  case item
  case beneficiary
  case bequest
  case trustees

  /// The name of the kind's folder in the store.
  package var folder: String {
    switch self {
    case .capsule: "capsules"
    case .event: "events"
    case .item: "items"
    case .beneficiary: "beneficiaries"
    case .bequest: "bequests"
    case .trustees: "trustees"
    }
  }

  /// The number of the kind in the journal, which never changes.
  package var number: UInt8 {
    switch self {
    case .capsule: 1
    case .event: 2
    case .item: 3
    case .beneficiary: 4
    case .bequest: 5
    case .trustees: 6
    }
  }
}

/// A record as another one names it.
public struct RecordReference: Hashable, Sendable {
  public let kind: RecordKind
  public let id: RecordID

  package init(_ kind: RecordKind, _ id: RecordID) {
    self.kind = kind
    self.id = id
  }
}

/// The name of a blob: the SHA-256 of its bytes.
public struct BlobName: Hashable, Comparable, Sendable, LosslessStringConvertible, FieldText {
  // The digest as four big-endian words: no allocation, however many names there are.
  private let first: UInt64
  private let second: UInt64
  private let third: UInt64
  private let fourth: UInt64

  /// The name of the blob with this digest, of 32 bytes.
  package init(digest: [UInt8]) {
    func word(_ index: Int) -> UInt64 {
      digest.dropFirst(index * 8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    (first, second, third, fourth) = (word(0), word(1), word(2), word(3))
  }

  /// Reads the canonical form: 64 lower-case digits.
  public init?(_ text: some StringProtocol) {
    self.init(digits: Array(text.utf8)[...])
  }

  /// Reads the canonical form from bytes of UTF-8.
  package init?(digits: ArraySlice<UInt8>) {
    guard digits.count == 64 else { return nil }
    var words: [UInt64] = [0, 0, 0, 0]
    for (position, digit) in digits.enumerated() {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      words[position / 16] = words[position / 16] << 4 | UInt64(value)
    }
    (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
  }

  /// 64 lower-case hexadecimal digits.
  public var description: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    for word in [first, second, third, fourth] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    return Hex.encode(bytes)
  }

  /// The name of the directory that holds the blob: its first two digits.
  package var shard: String {
    Hex.encode([UInt8(truncatingIfNeeded: first >> 56)])
  }

  public static func < (left: BlobName, right: BlobName) -> Bool {
    (left.first, left.second, left.third, left.fourth)
      < (right.first, right.second, right.third, right.fourth)
  }
}
