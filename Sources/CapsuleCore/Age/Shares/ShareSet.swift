/// Shares that were given one after another, until they are enough to join.
package struct ShareSet: Sendable {
  /// The reason why a share is not taken.
  package enum Fault: Error, Hashable {
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
  package enum JoinFault: Error, Hashable {
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
      throw .exponent(share.common.exponent)
    }
    if let first = shares.first {
      guard share.common == first.common, share.value.count == first.value.count else {
        throw .otherSet
      }
    }
    let group = shares.filter { $0.group == share.group }
    if let other = group.first(where: { $0.member == share.member }) {
      throw other.digest == share.digest ? .same : .sameNumber
    }
    guard group.allSatisfy({ $0.threshold == share.threshold }) else { throw .otherSet }
    let groups = Set(shares.map(\.group))
    guard group.count < share.threshold,
      groups.contains(share.group) || groups.count < share.common.groupThreshold
    else { throw .tooMany }
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
  package func join(passphrase: [UInt8] = []) throws(JoinFault) -> SecretBytes {
    let (common, encrypted) = try joinEncrypted()
    return ShareCipher.decrypt(encrypted, passphrase: passphrase, common)
  }

  /// Joins the shares to the secret as it was encrypted.
  package func joinEncrypted() throws(JoinFault) -> (Share.Common, SecretBytes) {
    guard missing == 0, let common = shares.first?.common else { throw .missing(missing) }
    var points: [SharedPoint] = []
    for (number, group) in Dictionary(grouping: shares, by: \.group) {
      let members = group.map { SharedPoint(x: UInt8($0.member), y: $0.value) }
      guard let value = SharedPolynomial.join(members) else { throw .digest }
      points.append(SharedPoint(x: UInt8(number), y: value))
    }
    guard let secret = SharedPolynomial.join(points) else { throw .digest }
    return (common, secret)
  }
}

extension ShareSet {
  /// Splits a secret into one group of shares, with an empty passphrase.
  ///
  /// - Parameters:
  ///   - secret: an even number of bytes, from 16 to 64.
  ///   - identifier: 15 bits.
  /// - Returns: the shares 0, 1, …, of which `threshold` together give the secret.
  package static func split(
    _ secret: SecretBytes, threshold: Int, count: Int, identifier: UInt16, random: RandomSource
  ) throws(RandomSource.Failure) -> [Share] {
    let common = Share.Common(identifier: identifier & 0x7fff)
    let encrypted = ShareCipher.encrypt(secret, passphrase: [], common)
    let points = try SharedPolynomial.split(
      encrypted, threshold: threshold, count: count, random: random)
    return points.enumerated().map { member, point in
      Share(common: common, group: 0, member: member, threshold: threshold, value: point.y)
    }
  }
}
