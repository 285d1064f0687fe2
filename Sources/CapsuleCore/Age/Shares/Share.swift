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

  /// A share from the numbers of its words.
  ///
  /// - Throws: the first fault of them, for whoever copied them.
  init(numbers: [UInt16]) throws(Fault) {
    precondition(numbers.allSatisfy { $0 < 1024 })
    let bits = 10 * (numbers.count - Self.otherWordCount)
    // Bytes come in pairs, and less than a word is left over.
    guard (Self.fewestWords...Self.mostWords).contains(numbers.count), bits % 16 <= 8 else {
      throw Fault(ShareProblem.count(numbers.count))
    }
    let isExtendable = numbers[1] & 0x10 != 0
    guard ShareChecksum(isExtendable: isExtendable).residue(numbers) == 0 else {
      let diagnosis = ShareDiagnosis(numbers)
      // A row of words that was left out, or copied twice, spoils the whole checksum.
      let isOtherCount = numbers.count != Self.identityWordCount && diagnosis == .unknown
      throw Fault(isOtherCount ? ShareProblem.count(numbers.count) : .checksum(diagnosis))
    }
    let prefix = numbers[..<Self.prefixWordCount].reduce(UInt64(0)) { $0 << 10 | UInt64($1) }
    func nibble(_ place: UInt64) -> Int { Int((prefix >> (4 * place)) & 15) }
    common = Common(
      identifier: UInt16(prefix >> 25), isExtendable: isExtendable, exponent: nibble(5),
      groupThreshold: nibble(3) + 1, groupCount: nibble(2) + 1)
    group = nibble(4)
    member = nibble(1)
    threshold = nibble(0) + 1
    guard common.groupThreshold <= common.groupCount else { throw Fault(ShareProblem.groups) }
    let piece = numbers[Self.prefixWordCount..<(numbers.count - ShareChecksum.wordCount)]
    guard let value = Self.bytes(piece, count: bits / 16 * 2) else {
      throw Fault(ShareProblem.padding)
    }
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

  /// The most bytes of text that are read as a share.
  package static let mostTextBytes = 256 << 10
  /// The line before the words in a page of plain text, and the one behind them. Where a text has the
  /// first, only what lies between them is read.
  package static let (firstLine, lastLine) = (
    "----- THE WORDS OF THE SHARE -----", "----- END OF THE WORDS -----"
  )

  /// A share out of its words, or out of their numbers, as people write them: in capitals, behind line
  /// numbers, between commas and dots, on as many lines as they like. Of a word the first four letters are
  /// enough.
  ///
  /// - Throws: the first fault in it.
  package init(text: SecretBytes) throws(Fault) {
    guard text.count <= Self.mostTextBytes else { throw Fault(ShareProblem.tooLong) }
    var bytes = text.withUnsafeBytes { Array(Self.between($0)) }
    defer { wipe(&bytes) }
    var numbers = try Self.numbers(bytes)
    defer { numbers.withUnsafeMutableBytes { wipe($0) } }
    self = try Share(numbers: numbers)
  }

  /// The part between the lines of a page; all of it where there is no such line.
  private static func between(_ text: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
    func place(_ line: String, from start: Int) -> Int? {
      let line = Array(line.utf8)
      guard text.count - start >= line.count else { return nil }
      return (start...(text.count - line.count)).first {
        text[$0..<($0 + line.count)].elementsEqual(line)
      }
    }
    guard let first = place(firstLine, from: 0) else { return text[...] }
    let start = first + firstLine.utf8.count
    return text[start..<(place(lastLine, from: start) ?? text.count)]
  }

  /// The numbers of the words in a text.
  private static func numbers(_ text: [UInt8]) throws(Fault) -> [UInt16] {
    let runs = runs(text)
    let words = runs.filter { !$0.isNumber }
    guard !words.isEmpty else { return try numbers(alone: runs) }
    // Digits beside words number the lines, or repeat the words.
    guard words.count <= mostWords else { throw Fault(ShareProblem.count(words.count)) }
    var numbers: [UInt16] = []
    numbers.reserveCapacity(mostWords)
    for word in words {
      guard let number = number(of: word) else {
        throw Fault(unknown(word, at: numbers.count))
      }
      numbers.append(number)
    }
    return numbers
  }

  /// The number of a word, by its first four letters at least, or as it is written.
  private static func number(of word: Run) -> UInt16? {
    if word.isNumber {
      guard word.bytes.count <= 4 else { return nil }
      let value = word.bytes.reduce(UInt16(0)) { $0 * 10 + UInt16($1 - UInt8(ascii: "0")) }
      return value < 1024 ? value : nil
    }
    return (WordList.index(of: word.bytes) ?? WordList.index(ofBeginning: word.bytes)).map {
      UInt16($0)
    }
  }

  private static func unknown(_ word: Run, at place: Int) -> ShareProblem {
    let text = String(decoding: word.bytes, as: UTF8.self)
    return .word(
      String(String.UnicodeScalarView(text.unicodeScalars.prefix(32))), place: place,
      nearest: WordList.nearest(to: text))
  }

  /// The numbers of a text that has no letters.
  private static func numbers(alone runs: [Run]) throws(Fault) -> [UInt16] {
    guard !runs.isEmpty else { throw Fault(ShareProblem.empty) }
    guard runs.count <= 2 * mostWords else { throw Fault(ShareProblem.count(runs.count)) }
    func value(_ run: Run) -> UInt16? {
      guard run.bytes.count <= 4 else { return nil }
      let value = run.bytes.reduce(UInt16(0)) { $0 * 10 + UInt16($1 - UInt8(ascii: "0")) }
      return value < 1024 ? value : nil
    }
    // 1, 2, 3, … before each of them are the numbers of the places.
    let isNumbered =
      runs.count.isMultiple(of: 2) && runs.count >= 2 * fewestWords
      && stride(from: 0, to: runs.count, by: 2).allSatisfy {
        value(runs[$0]) == UInt16($0 / 2 + 1)
      }
    let own =
      isNumbered ? stride(from: 1, to: runs.count, by: 2).map { runs[$0] } : runs
    var numbers: [UInt16] = []
    numbers.reserveCapacity(2 * mostWords)
    for (place, run) in own.enumerated() {
      guard let number = value(run) else {
        throw Fault(
          ShareProblem.number(String(decoding: run.bytes.prefix(32), as: UTF8.self), place: place))
      }
      numbers.append(number)
    }
    return numbers
  }

  /// A stretch of letters, with capitals of ASCII as small ones, or of digits.
  private struct Run {
    var isNumber: Bool
    var bytes: [UInt8]
  }

  /// The stretches of letters and of digits; all else stands between them.
  private static func runs(_ text: [UInt8]) -> [Run] {
    var runs: [Run] = []
    var isOpen = false
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      let isNumber = scalar.value < 0x80 && UInt8(scalar.value).isASCIIDigit
      guard isNumber || scalar.properties.isAlphabetic else {
        isOpen = false
        continue
      }
      if !isOpen || runs.last?.isNumber != isNumber {
        runs.append(Run(isNumber: isNumber, bytes: []))
      }
      isOpen = true
      runs[runs.count - 1].bytes += UTF8.encode(scalar).map { Array($0) } ?? []
    }
    for index in runs.indices {
      runs[index].bytes = runs[index].bytes.map(\.asciiLowercased)
    }
    return runs
  }
}

extension Share {
  /// The words of a share as a person types them: all at once or some at a time, and a wrong one again.
  package final class Entry {
    private var numbers: [UInt16] = []
    /// What is wrong with single words, and is to be typed again, in their order.
    private var wrong: [ShareProblem] = []

    package init() { numbers.reserveCapacity(Share.mostWords) }

    deinit { numbers.withUnsafeMutableBytes { CapsuleBytes.wipe($0) } }

    /// The place from 1 of the next word.
    package var next: Int { (wrong.first?.place ?? numbers.count) + 1 }
    /// Whether only that word is asked for, because it was wrong.
    package var isOneAgain: Bool { !wrong.isEmpty }

    /// Takes what was typed: words, or their numbers. An empty line says nothing.
    ///
    /// - Returns: the share; `nil` where more words are to come.
    /// - Throws: `.damaged` for a wrong word, which ``next`` asks for again. Where it is unclear which one is wrong,
    ///   nothing is kept of them.
    package func take(_ text: SecretBytes) throws(Fault) -> Share? {
      var bytes = text.bytes
      defer { CapsuleBytes.wipe(&bytes) }
      let runs = Share.runs(bytes)
      let letters = runs.filter { !$0.isNumber }
      let typed = letters.isEmpty ? runs : letters
      if numbers.isEmpty, letters.isEmpty, runs.isEmpty || runs.count >= Share.fewestWords {
        var whole = try Share.numbers(alone: runs)
        defer { whole.withUnsafeMutableBytes { CapsuleBytes.wipe($0) } }
        return try Share(numbers: whole)
      }
      // A whole share is typed anew.
      let isMore = isOneAgain || numbers.count + typed.count > Share.mostWords
      if typed.count >= (isMore ? Share.fewestWords : Share.identityWordCount) { clear() }
      if let place = wrong.first?.place {
        guard typed.count == 1 else { throw Fault(wrong[0]) }
        guard let number = Share.number(of: typed[0]) else {
          wrong[0] = Share.unknown(typed[0], at: place)
          throw Fault(wrong[0])
        }
        numbers[place] = number
        wrong.removeFirst()
      } else {
        guard numbers.count + typed.count <= Share.mostWords else {
          let count = numbers.count + typed.count
          clear()
          throw Fault(ShareProblem.count(count))
        }
        for word in typed {
          let number = Share.number(of: word)
          if number == nil { wrong.append(Share.unknown(word, at: numbers.count)) }
          numbers.append(number ?? 0)
        }
      }
      if let problem = wrong.first { throw Fault(problem) }
      return try whole()
    }

    /// The share, if the words are all there.
    private func whole() throws(Fault) -> Share? {
      guard numbers.count >= Share.fewestWords else { return nil }
      do { return try Share(numbers: numbers) } catch {
        if numbers.count < Share.identityWordCount { return nil }
        let problem = error.cause as? ShareProblem
        if problem?.place == nil { clear() } else { wrong = [problem].compactMap { $0 } }
        throw error
      }
    }

    private func clear() {
      numbers.withUnsafeMutableBytes { CapsuleBytes.wipe($0) }
      (numbers, wrong) = ([], [])
      numbers.reserveCapacity(Share.mostWords)
    }
  }
}

extension WordList {
  /// The words that are nearest to another text: those that begin as it does, and else those that need
  /// the fewest changes; at most three.
  package static func nearest(to text: String) -> [String] {
    let start = text.utf8.prefix(4)
    if start.count >= 3 {
      let same = words.filter { $0.utf8.starts(with: start) }
      if !same.isEmpty { return Array(same.prefix(3)) }
    }
    return EditDistance.nearest(to: text, in: words)
  }
}

/// The checksum of a share: three words of a Reed–Solomon code over the field of 1024 elements, RS1024
/// (SLIP-0039, "Checksum"). It finds every error in up to three words.
struct ShareChecksum: Sendable {
  /// The words of a checksum.
  static let wordCount = 3

  // The text before the words, taken as the first of them.
  private let customization: [UInt16]

  /// The code of shares that are bound to the identifier or, with the extendable flag, are not.
  init(isExtendable: Bool) {
    customization = (isExtendable ? "shamir_extendable" : "shamir").utf8.map(UInt16.init)
  }

  /// Returns the three words behind the others.
  func words(behind numbers: [UInt16]) -> [UInt16] {
    let residue = residue(numbers + [0, 0, 0])
    return [20, 10, 0].map { UInt16((residue &>> $0) & 0x3ff) }
  }

  /// Returns 0 for words that end in their checksum, and else the trace of the errors in them.
  func residue(_ numbers: [UInt16]) -> UInt32 {
    var residue: UInt32 = 1
    for number in customization { residue = Self.step(residue) ^ UInt32(number) }
    for number in numbers { residue = Self.step(residue) ^ UInt32(number) }
    return residue ^ 1
  }

  private static let generators: [UInt32] = [
    0x00e0_e040, 0x01c1_c080, 0x0383_8100, 0x0707_0200, 0x0e0e_0009,
    0x1c0c_2412, 0x3808_6c24, 0x3090_fc48, 0x21b1_f890, 0x03f3_f120,
  ]

  /// Returns the residue after one more word, 0.
  private static func step(_ residue: UInt32) -> UInt32 {
    let top = residue &>> 20
    var result = (residue & 0xf_ffff) &<< 10
    for bit in generators.indices {
      // A mask in the place of a branch: a share's words are secret.
      result ^= generators[bit] & (0 &- ((top &>> UInt32(bit)) & 1))
    }
    return result
  }

  /// Finds the word that would have to be another for the checksum to fit, if one is enough.
  ///
  /// - Parameter isAllowed: whether the word at a place may differ by these bits.
  /// - Returns: the places, counted from 0; at most one where all differences are allowed.
  func places(
    ofErrorIn numbers: [UInt16], where isAllowed: (_ place: Int, _ difference: UInt16) -> Bool
  ) -> [Int] {
    let residue = residue(numbers)
    // The trace of a single bit in the last word, then of one in the word before it, and so on.
    var traces = (0..<10).map { UInt32(1) &<< UInt32($0) }
    var places: [Int] = []
    for place in numbers.indices.reversed() {
      var trace: UInt32 = 0
      for step in 1..<UInt16(1024) {
        // In the order of Gray's code one bit changes from each difference to the next.
        trace ^= traces[step.trailingZeroBitCount]
        if trace == residue, isAllowed(place, step ^ (step &>> 1)) { places.append(place) }
      }
      for bit in traces.indices { traces[bit] = Self.step(traces[bit]) }
    }
    return places.reversed()
  }
}
