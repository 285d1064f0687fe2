/// A share of a secret, as SLIP-0039 has it: a piece in words, of which some number together give the
/// secret back.
package struct Share: Sendable {
  /// The values that the shares of one set have in common.
  package struct Common: Hashable, Sendable {
    /// The random number of the set, 15 bits.
    package var identifier: UInt16
    /// Whether the identifier is left out of the encryption, so that a secret can be shared anew.
    package var isExtendable: Bool
    /// The base-2 logarithm of the iterations by which the encryption costs more, 0 to 15.
    package var exponent: Int
    /// The number of groups that are needed, from 1.
    package var groupThreshold: Int
    /// The number of groups there are, from 1 to 16.
    package var groupCount: Int

    package init(
      identifier: UInt16, isExtendable: Bool = true, exponent: Int = 0, groupThreshold: Int = 1,
      groupCount: Int = 1
    ) {
      self.identifier = identifier
      self.isExtendable = isExtendable
      self.exponent = exponent
      self.groupThreshold = groupThreshold
      self.groupCount = groupCount
    }
  }

  package let common: Common
  /// The number of the share's group, from 0.
  package let group: Int
  /// The number of the share in its group, from 0.
  package let member: Int
  /// The number of shares of the group that are needed, from 1.
  package let threshold: Int
  /// The piece itself, as long as the secret.
  package let value: SecretBytes

  package init(common: Common, group: Int, member: Int, threshold: Int, value: SecretBytes) {
    self.common = common
    self.group = group
    self.member = member
    self.threshold = threshold
    self.value = value
  }

  /// The words of a share of a secret of 16 bytes; there is none that is shorter.
  static let fewestWords = 20
  /// The words of a share of a secret of 32 bytes, such as an identity's seed.
  package static let identityWordCount = 33
  /// The most words that are read: of a secret of 64 bytes.
  package static let mostWords = 59

  // The words before the piece: 40 bits of numbers.
  private static let prefixWordCount = 4
  private static let otherWordCount = prefixWordCount + ShareChecksum.wordCount
}

extension Share {
  /// A share from the numbers of its words.
  ///
  /// - Throws: the first fault of them, for whoever copied them.
  init(numbers: [UInt16]) throws(ShareFault) {
    precondition(numbers.allSatisfy { $0 < 1024 })
    let bits = 10 * (numbers.count - Self.otherWordCount)
    // Bytes come in pairs, and less than a word is left over.
    guard (Self.fewestWords...Self.mostWords).contains(numbers.count), bits % 16 <= 8 else {
      throw .count(numbers.count)
    }
    let isExtendable = numbers[1] & 0x10 != 0
    guard ShareChecksum(isExtendable: isExtendable).residue(numbers) == 0 else {
      let diagnosis = ShareDiagnosis(numbers)
      // A row of words that was left out, or copied twice, spoils the whole checksum.
      let isOtherCount = numbers.count != Self.identityWordCount && diagnosis == .unknown
      throw isOtherCount ? .count(numbers.count) : .checksum(diagnosis)
    }
    let prefix = numbers[..<Self.prefixWordCount].reduce(UInt64(0)) { $0 << 10 | UInt64($1) }
    func nibble(_ place: UInt64) -> Int { Int((prefix >> (4 * place)) & 15) }
    common = Common(
      identifier: UInt16(prefix >> 25), isExtendable: isExtendable, exponent: nibble(5),
      groupThreshold: nibble(3) + 1, groupCount: nibble(2) + 1)
    group = nibble(4)
    member = nibble(1)
    threshold = nibble(0) + 1
    guard common.groupThreshold <= common.groupCount else { throw .groups }
    let piece = numbers[Self.prefixWordCount..<(numbers.count - ShareChecksum.wordCount)]
    guard let value = Self.bytes(piece, count: bits / 16 * 2) else { throw .padding }
    self.value = value
  }

  /// The numbers of its words, from 0 to 1023. They are secret; the caller has to wipe them.
  package var numbers: [UInt16] {
    let c = common
    let flags = UInt64(c.identifier & 0x7fff) << 5 | (c.isExtendable ? 16 : 0) | UInt64(c.exponent)
    let prefix =
      [group, c.groupThreshold - 1, c.groupCount - 1, member, threshold - 1]
      .reduce(flags) { $0 << 4 | UInt64($1) }
    var numbers: [UInt16] = []
    numbers.reserveCapacity(Self.mostWords)
    for place in (0..<UInt64(4)).reversed() {
      numbers.append(UInt16((prefix >> (10 * place)) & 0x3ff))
    }
    value.withUnsafeBytes { value in
      let words = (8 * value.count + 9) / 10
      // Bits that are read and not yet written; those missing to a whole word stand before the first.
      var (held, heldCount) = (UInt32(0), 10 * words - 8 * value.count)
      for byte in value {
        held = held << 8 | UInt32(byte)
        heldCount += 8
        if heldCount >= 10 {
          heldCount -= 10
          numbers.append(UInt16((held >> UInt32(heldCount)) & 0x3ff))
        }
      }
      wipe(value: &held)
    }
    numbers += ShareChecksum(isExtendable: c.isExtendable).words(behind: numbers)
    return numbers
  }

  /// Its words in lower case, with one space between two and no line end.
  package var text: SecretBytes {
    var numbers = numbers
    defer { numbers.withUnsafeMutableBytes { wipe($0) } }
    var text: [UInt8] = []
    text.reserveCapacity(9 * numbers.count)
    for number in numbers {
      if !text.isEmpty { text.append(UInt8(ascii: " ")) }
      text.append(contentsOf: WordList.words[Int(number)].utf8)
    }
    return SecretBytes(taking: &text)
  }

  /// The SHA-256 of ``text``: it names the share, and says nothing about its piece, which has as many
  /// random bits.
  package var digest: [UInt8] {
    text.withUnsafeBytes { SHA256.hash($0) }
  }

  /// The bytes at the end of words' bits; `nil` where the bits before them are not all 0.
  private static func bytes(_ words: ArraySlice<UInt16>, count: Int) -> SecretBytes? {
    var padding: UInt32 = 0
    let bytes = SecretBytes(count: count) { bytes in
      var (held, heldCount, next) = (UInt32(0), 8 * count - 10 * words.count, 0)
      for word in words {
        held = held << 10 | UInt32(word)
        heldCount += 10
        if next == 0 { padding = held >> UInt32(heldCount) }
        while heldCount >= 8 {
          heldCount -= 8
          bytes[next] = UInt8(truncatingIfNeeded: held >> UInt32(heldCount))
          next += 1
        }
      }
      wipe(value: &held)
    }
    return padding == 0 ? bytes : nil
  }
}
