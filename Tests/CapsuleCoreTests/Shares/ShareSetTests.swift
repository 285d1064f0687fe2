import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Shares together: splitting and joining.
@Suite struct ShareSetTests {
  private func set(_ words: [String]) throws -> ShareSet {
    var set = ShareSet()
    for words in words { try set.add(ForeignShares.share(words)) }
    return set
  }

  private func fault(adding words: String, to set: ShareSet) throws -> ShareSet.Problem? {
    let share = try ForeignShares.share(words)
    return cause { () throws(Fault) in
      var set = set
      try set.add(share)
    }
  }

  @Test func `shares of another program are joined`() throws {
    let secret = try set(Array(ForeignShares.twoOfThree[1...])).join()
    expect(Hex.encode(secret.bytes), is: ForeignShares.twoOfThreeSecret)
  }

  @Test func `every three of five give the same secret`() throws {
    let five = ForeignShares.threeOfFive
    let own = try set(Array(five[..<3])).joinEncrypted().1.bytes
    for first in 0..<3 {
      for second in (first + 1)..<4 {
        for third in (second + 1)..<5 {
          let secret = try set([five[third], five[first], five[second]]).joinEncrypted().1
          expect(secret.bytes, is: own)
        }
      }
    }
  }

  @Test func `groups with a passphrase, without the extendable flag, are joined`() throws {
    let shares = ForeignShares.grouped
    let secret = try set([shares[5], shares[0], shares[3]]).join(passphrase: Array("TREZOR".utf8))
    expect(Hex.encode(secret.bytes), is: ForeignShares.groupedSecret)
  }

  @Test func `it says how many are missing`() throws {
    expect(ShareSet().missing, is: 1)
    try expect(set([ForeignShares.threeOfFive[3]]).missing, is: 2)
    try expect(set([ForeignShares.grouped[3]]).missing, is: 2)
    expect(throws: ShareSet.JoinProblem.missing(2)) {
      try set([ForeignShares.threeOfFive[3]]).join()
    }
  }

  @Test func `a share of another set is refused`() throws {
    let begun = try set([ForeignShares.threeOfFive[0]])
    try expect(fault(adding: ForeignShares.twoOfThree[1], to: begun), is: .otherSet)
  }

  @Test func `the same share twice is refused`() throws {
    let begun = try set([ForeignShares.threeOfFive[0]])
    try expect(fault(adding: ForeignShares.threeOfFive[0], to: begun), is: .same)
  }

  @Test func `one share too many is refused`() throws {
    let whole = try set(Array(ForeignShares.twoOfThree[..<2]))
    try expect(fault(adding: ForeignShares.twoOfThree[2], to: whole), is: .tooMany)
    let groups = try set([ForeignShares.grouped[0], ForeignShares.grouped[1]])
    try expect(fault(adding: ForeignShares.grouped[3], to: groups), is: .tooMany)
  }

  @Test func `two different shares of one number are refused`() throws {
    let own = try ForeignShares.share(ForeignShares.twoOfThree[0])
    let forged = Share(
      common: own.common, group: 0, member: own.member, threshold: 2,
      value: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    var set = ShareSet()
    try set.add(own)
    expect(throws: ShareSet.Problem.sameNumber) { try set.add(forged) }
  }

  @Test func `a forged share is found by the digest`() throws {
    let own = try ForeignShares.share(ForeignShares.twoOfThree[0])
    let forged = Share(
      common: own.common, group: 0, member: 1, threshold: 2,
      value: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    var set = ShareSet()
    try set.add(own)
    try set.add(forged)
    expect(throws: ShareSet.JoinProblem.digest) { try set.join() }
  }

  @Test func `an exponent above 10 is refused before anything is computed`() throws {
    var set = ShareSet()
    let share = Share(
      common: Share.Common(identifier: 1, exponent: 11), group: 0, member: 0, threshold: 1,
      value: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    expect(throws: ShareSet.Problem.exponent(11)) { try set.add(share) }
  }

  @Test(
    arguments: [
      (
        .sameNumber, "another share has the same number but different words",
        "find out which of the two is genuine"
      ),
      (
        .exponent(11), "the share needs too much work: its exponent is 11, and the limit is 10",
        "do not trust the share: it may be malicious"
      ),
    ] as [(ShareSet.Problem, String, String)])
  func `a share that may be forged is refused with a warning`(
    problem: ShareSet.Problem, message: String, hint: String
  ) {
    expect(Fault(problem).description, is: message)
    expect(Fault(problem).hint, is: hint)
  }

  @Test func `shares that do not give a secret are refused, with the number that is missing`()
    throws
  {
    let few = expect(throws: Fault.self) { try set([ForeignShares.threeOfFive[3]]).join() }
    expect(few?.description, is: "2 more shares are needed")
    expect(few?.details, is: ["missing": 2])
    let one = expect(throws: Fault.self) { try set([ForeignShares.twoOfThree[0]]).join() }
    expect(one?.description, is: "1 more share is needed")
    let forged = Fault(ShareSet.JoinProblem.digest)
    expect(forged.description, is: "the shares do not match: at least one is not genuine")
    expect(
      forged.hint, is: "compare each with its sheet; verify one share: capsule trustees verify")
    expect(forged.details.isEmpty)
  }

  @Test(arguments: [(2, 3), (3, 5), (2, 2), (16, 16), (2, 16)])
  func `what was split is joined again from the words`(threshold: Int, count: Int) throws {
    let secret = SecretBytes(copying: (0..<32).map { UInt8($0 * 7) })
    let shares = try ShareSet.split(
      secret, threshold: threshold, count: count, identifier: 0x7fff, random: .system)
    expect(shares.count, is: count)
    var set = ShareSet()
    for share in shares.suffix(threshold) { try set.add(Share(text: share.text)) }
    try expect(set.join().bytes, is: secret.bytes)
  }

  @Test func `two splits of a secret have no share in common`() throws {
    let secret = SecretBytes(copying: [UInt8](repeating: 1, count: 32))
    let splits = try (0..<2).map { _ in
      try ShareSet.split(secret, threshold: 2, count: 3, identifier: 5, random: .system)
    }
    expect(Set(splits.flatMap { $0 }.map(\.digest)).count, is: 6)
  }

  @Test func `fewer shares than are needed say nothing of the secret`() throws {
    // The same random bytes: of two secrets the first shares are the same, up to the threshold.
    let zero = RandomSource { buffer throws(Fault) in
      buffer.initializeMemory(as: UInt8.self, repeating: 9)
    }
    let pieces = try [1, 2].map { byte in
      try SharedPolynomial.split(
        SecretBytes(copying: [UInt8](repeating: byte, count: 32)), threshold: 4, count: 5,
        random: zero
      ).map(\.y.bytes)
    }
    expect(pieces[0][..<2], is: pieces[1][..<2])
    expect(pieces[0][2...] != pieces[1][2...])
  }

  @Test(.enabled(if: SharedVectors.exist, Comment(rawValue: SharedVectors.absence)))
  func `all vectors of SLIP-0039 are met`() throws {
    let vectors = try require(
      try SharedVectors.json("slip39/vectors.json").array, "the vectors are a list")
    expect(vectors.count, is: 45)
    for vector in vectors {
      let parts = try require(vector.array)
      let name = try require(parts[0].string)
      let words = try require(parts[1].array).compactMap(\.string)
      let expected = try require(parts[2].string)
      let secret = try? set(words).join(passphrase: Array("TREZOR".utf8))
      expect(secret.map { Hex.encode($0.bytes) } ?? "", is: expected, "\(name)")
    }
  }
}
