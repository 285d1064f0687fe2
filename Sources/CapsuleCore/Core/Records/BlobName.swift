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
