/// Shares that were given one after another, until they are enough to join.
package struct ShareSet: Sendable {
  /// The reason why a share is not taken.
  package enum Problem: Hashable, Sendable {
    /// It is of another set than those before it.
    case otherSet
    /// It was given before.
    case same
    /// Another share of its group has its number: one of the two was made up.
    case sameNumber
    /// Its group has as many as it needs, or all groups that are needed have.
    case tooMany
    /// To join it would take longer than anybody waits for: the exponent is above 10.
    case exponent(Int)
  }

  /// The reason why shares are not joined.
  package enum JoinProblem: Hashable, Sendable {
    /// So many are missing, at least.
    case missing(Int)
    /// They fit together by their numbers and not by what they hold.
    case digest
  }

  /// The shares that were taken, in their order.
  package private(set) var shares: [Share] = []

  package init() {}

  /// Takes one more share.
  package mutating func add(_ share: Share) throws(Fault) {
    guard share.common.exponent <= ShareCipher.greatestExponent else {
      throw Fault(Problem.exponent(share.common.exponent))
    }
    if let first = shares.first {
      guard share.common == first.common, share.value.count == first.value.count else {
        throw Fault(Problem.otherSet)
      }
    }
    let group = shares.filter { $0.group == share.group }
    if let other = group.first(where: { $0.member == share.member }) {
      throw Fault(other.digest == share.digest ? Problem.same : .sameNumber)
    }
    guard group.allSatisfy({ $0.threshold == share.threshold }) else {
      throw Fault(Problem.otherSet)
    }
    let groups = Set(shares.map(\.group))
    guard group.count < share.threshold,
      groups.contains(share.group) || groups.count < share.common.groupThreshold
    else { throw Fault(Problem.tooMany) }
    shares.append(share)
  }

  /// The number of shares that are missing: of groups that were not begun one each, which is the least.
  package var missing: Int {
    guard let first = shares.first else { return 1 }
    let groups = Dictionary(grouping: shares, by: \.group).values
    return groups.reduce(first.common.groupThreshold - groups.count) { missing, group in
      missing + (group.first?.threshold ?? 0) - group.count
    }
  }

  /// Joins the shares, and decrypts what they give.
  package func join(passphrase: [UInt8] = []) throws(Fault) -> SecretBytes {
    let (common, encrypted) = try joinEncrypted()
    return ShareCipher.decrypt(encrypted, passphrase: passphrase, common)
  }

  /// Joins the shares to the secret as it was encrypted.
  package func joinEncrypted() throws(Fault) -> (Share.Common, SecretBytes) {
    guard missing == 0, let common = shares.first?.common else {
      throw Fault(JoinProblem.missing(missing))
    }
    var points: [SharedPoint] = []
    for (number, group) in Dictionary(grouping: shares, by: \.group) {
      let members = group.map { SharedPoint(x: UInt8($0.member), y: $0.value) }
      guard let value = SharedPolynomial.join(members) else { throw Fault(JoinProblem.digest) }
      points.append(SharedPoint(x: UInt8(number), y: value))
    }
    guard let secret = SharedPolynomial.join(points) else { throw Fault(JoinProblem.digest) }
    return (common, secret)
  }

  /// Splits a secret into one group of shares, with an empty passphrase.
  ///
  /// - Parameters:
  ///   - secret: an even number of bytes, from 16 to 64.
  ///   - identifier: 15 bits.
  /// - Returns: the shares 0, 1, …, of which `threshold` together give the secret.
  package static func split(
    _ secret: SecretBytes, threshold: Int, count: Int, identifier: UInt16, random: RandomSource
  ) throws(Fault) -> [Share] {
    let common = Share.Common(identifier: identifier & 0x7fff)
    let encrypted = ShareCipher.encrypt(secret, passphrase: [], common)
    let points = try SharedPolynomial.split(
      encrypted, threshold: threshold, count: count, random: random)
    return points.enumerated().map { member, point in
      Share(common: common, group: 0, member: member, threshold: threshold, value: point.y)
    }
  }
}

/// The encryption of a secret before it is shared: a Feistel network of four rounds of PBKDF2 with
/// HMAC-SHA256 (SLIP-0039, "Encryption of the master secret").
enum ShareCipher {
  /// The greatest exponent that is worked off: 2¹⁰ times 10,000 iterations.
  static let greatestExponent = 10

  static func encrypt(_ secret: SecretBytes, passphrase: [UInt8], _ common: Share.Common)
    -> SecretBytes
  {
    run(secret, passphrase: passphrase, common, rounds: [0, 1, 2, 3])
  }

  static func decrypt(_ secret: SecretBytes, passphrase: [UInt8], _ common: Share.Common)
    -> SecretBytes
  {
    run(secret, passphrase: passphrase, common, rounds: [3, 2, 1, 0])
  }

  private static func run(
    _ secret: SecretBytes, passphrase: [UInt8], _ common: Share.Common, rounds: [UInt8]
  ) -> SecretBytes {
    precondition(secret.count.isMultiple(of: 2) && common.exponent <= greatestExponent)
    let half = secret.count / 2
    var left = secret.withUnsafeBytes { [UInt8]($0[..<half]) }
    var right = secret.withUnsafeBytes { [UInt8]($0[half...]) }
    let salt =
      common.isExtendable
      ? []
      : Array("shamir".utf8) + [UInt8(common.identifier >> 8), UInt8(common.identifier & 0xff)]
    for round in rounds {
      var password = [round] + passphrase
      var salted = salt + right
      var code = PBKDF2.derive(
        password: password, salt: salted, iterations: 2500 << common.exponent, count: half)
      for index in 0..<half { code[index] ^= left[index] }
      wipe(&left)
      left = right
      right = code
      wipe(&password)
      wipe(&salted)
    }
    defer {
      wipe(&left)
      wipe(&right)
    }
    return SecretBytes(count: secret.count) { result in
      UnsafeMutableRawBufferPointer(rebasing: result[..<half]).copyBytes(from: right)
      UnsafeMutableRawBufferPointer(rebasing: result[half...]).copyBytes(from: left)
    }
  }
}

/// The reason why words are not a share. Places count from 0.
package enum ShareProblem: Hashable, Sendable {
  /// There is nothing that could be a word.
  case empty
  /// There is more text than any share has.
  case tooLong
  /// The word at the place is not in the list; `nearest` are those that could be meant.
  case word(String, place: Int, nearest: [String])
  /// The number at the place is not from 0 to 1023.
  case number(String, place: Int)
  /// No share has so many words, or none of an identity has and their checksum does not fit.
  case count(Int)
  /// The checksum does not fit.
  case checksum(ShareDiagnosis)
  /// It asks for more groups than there are.
  case groups
  /// The bits before the piece are not 0.
  case padding

  /// The place of the one word that is wrong.
  package var place: Int? {
    switch self {
    case .word(_, let place, _), .checksum(.word(let place)): place
    default: nil
    }
  }
}

/// A guess at what is wrong with words whose checksum does not fit.
///
/// It is a place and never the right word: whoever is shown a correction stops to look at the paper
/// (SLIP-0039, "Checksum").
package enum ShareDiagnosis: Hashable, Sendable {
  /// The word at the place is likely another.
  case word(place: Int)
  /// The word at the place and the one behind it are likely swapped.
  case swapped(place: Int)
  /// More than one word is wrong.
  case unknown

  /// The guess for words that end in a wrong checksum.
  init(_ numbers: [UInt16]) {
    // The flag in the second word decides which code it is, and may be the error itself.
    let flag: (place: Int, bit: UInt16) = (1, 0x10)
    let isExtendable = numbers[flag.place] & flag.bit != 0
    func changesFlag(_ place: Int, _ difference: UInt16) -> Bool {
      place == flag.place && difference & flag.bit != 0
    }
    let places =
      ShareChecksum(isExtendable: isExtendable)
      .places(ofErrorIn: numbers) { !changesFlag($0, $1) }
      + ShareChecksum(isExtendable: !isExtendable)
      .places(ofErrorIn: numbers) { changesFlag($0, $1) }
    if places.count == 1 {
      self = .word(place: places[0])
      return
    }
    let swaps = numbers.indices.dropLast().filter { place in
      var swapped = numbers
      defer { swapped.withUnsafeMutableBytes { wipe($0) } }
      swapped.swapAt(place, place + 1)
      return ShareChecksum(isExtendable: swapped[flag.place] & flag.bit != 0).residue(swapped) == 0
    }
    self = places.isEmpty && swaps.count == 1 ? .swapped(place: swaps[0]) : .unknown
  }
}

extension ShareProblem: FaultCause {
  package var code: Fault.Code { .damaged }

  package var message: Fault.Message {
    switch self {
    case .empty: "no words given"
    case .tooLong: "too much text for one share"
    case .word(let word, let place, _): "word \(place + 1), '\(word)', is not in the list of words"
    case .number(let number, let place): "number \(place + 1), '\(number)', is not from 0 to 1023"
    case .count(let count):
      "a share has \(Share.identityWordCount) words, not \(count)"
    case .checksum(.word(let place)):
      "the checksum does not match: word \(place + 1) is likely wrong"
    case .checksum(.swapped(let place)):
      "the checksum does not match: words \(place + 1) and \(place + 2) are likely swapped"
    case .checksum(.unknown):
      "the checksum does not match: more than one word is wrong"
    case .groups: "the share needs more groups than it has"
    case .padding: "the share is not a SLIP-0039 share"
    }
  }

  /// The way out, in words that never say which one would be right.
  package var hint: String? {
    switch self {
    case .empty: "type the words of the share, or their numbers"
    case .tooLong: "enter one share at a time"
    case .word(_, _, let nearest):
      nearest.isEmpty
        ? "compare the word with the sheet"
        : "compare the word with the sheet; similar: \(nearest.joined(separator: ", "))"
    case .number, .checksum(.word): "compare the word with the sheet"
    case .count(let count):
      count < Share.identityWordCount
        ? "check whether a word or a row is missing" : "check whether a word or a row is repeated"
    case .checksum(.swapped): "compare the words with the sheet"
    case .checksum(.unknown): "compare every word with the sheet"
    case .groups, .padding: nil
    }
  }

  package var details: JSONObject {
    switch self {
    case .word(_, let place, let nearest):
      ["place": .integer(Int64(place + 1)), "nearest": .array(nearest.map { .string($0) })]
    case .number(_, let place), .checksum(.word(let place)), .checksum(.swapped(let place)):
      ["place": .integer(Int64(place + 1))]
    case .count(let count): ["words": .integer(Int64(count))]
    case .empty, .tooLong, .checksum(.unknown), .groups, .padding: [:]
    }
  }
}

extension ShareSet.Problem: FaultCause {
  package var code: Fault.Code { if case .exponent = self { .refused } else { .key } }

  package var message: Fault.Message {
    switch self {
    case .otherSet: "the share belongs to another set"
    case .same: "the share was already given"
    case .sameNumber: "another share has the same number but different words"
    case .tooMany: "more shares than needed"
    case .exponent(let exponent):
      "the share needs too much work: its exponent is \(exponent), and the limit is 10"
    }
  }

  package var hint: String? {
    switch self {
    case .otherSet: "use shares with the same first two words"
    case .same: "use a different share"
    case .sameNumber: "find out which of the two is genuine"
    case .tooMany: "leave one out"
    case .exponent: "do not trust the share: it may be malicious"
    }
  }
}

extension ShareSet.JoinProblem: FaultCause {
  package var code: Fault.Code { if case .missing = self { .key } else { .damaged } }

  package var message: Fault.Message {
    switch self {
    case .missing(let count): "\(count) more share\(count == 1 ? " is" : "s are") needed"
    case .digest: "the shares do not match: at least one is not genuine"
    }
  }

  package var hint: String? {
    switch self {
    case .missing: "use --share FILE for each, or type them at a terminal"
    case .digest: "compare each with its sheet; verify one share: capsule trustees verify"
    }
  }

  package var details: JSONObject {
    if case .missing(let count) = self { ["missing": .integer(Int64(count))] } else { [:] }
  }
}
