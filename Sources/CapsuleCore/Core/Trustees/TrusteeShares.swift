/// The shares of a group's identity, made and proved before anything is written.
package struct TrusteeShares: Sendable {
  /// The shares in the order of their numbers.
  package let shares: [Share]
  /// The number that they have in common.
  package let identifier: UInt16
  /// The recipient of the identity that they give together.
  package let recipient: AgeRecipient

  /// The reason why no shares were made.
  package enum Fault: Error {
    case random(RandomSource.Failure)
    /// The shares did not give back what was split: the machine makes errors.
    case unproven
  }

  /// The most subsets that are joined for the proof; of more a sample is taken.
  static let mostProofs = 1000

  /// Splits an identity's seed, reads the words of every share again, and joins every subset that is to
  /// be enough.
  ///
  /// - Parameter earlier: identifiers that the set must not have.
  package init(
    of identity: AgeIdentity, threshold: Int, count: Int, unlike earlier: Set<Int> = [],
    random: RandomSource
  ) throws(Fault) {
    precondition((2...count).contains(threshold) && count <= TrusteeGroup.mostShares)
    recipient = identity.recipient
    do throws(RandomSource.Failure) {
      var identifier: UInt16
      repeat {
        let drawn = try random.bytes(2)
        identifier = UInt16(drawn[0] & 0x7f) << 8 | UInt16(drawn[1])
      } while earlier.contains(Int(identifier)) && earlier.count < 1 << 15
      self.identifier = identifier
      shares = try ShareSet.split(
        identity.seed, threshold: threshold, count: count, identifier: identifier, random: random)
    } catch {
      throw .random(error)
    }
    guard isProved else { throw .unproven }
  }

  /// Whether the words of the shares give the identity back, whichever of them come together.
  private var isProved: Bool {
    guard let threshold = shares.first?.threshold else { return false }
    let read = shares.compactMap { try? Share(text: $0.text) }
    guard read.count == shares.count else { return false }
    func join(_ places: [Int]) -> ShareSet? {
      var set = ShareSet()
      for place in places {
        do throws(ShareSet.Fault) { try set.add(read[place]) } catch { return nil }
      }
      return set
    }
    let subsets = Self.subsets(of: shares.count, taking: threshold, atMost: Self.mostProofs)
    // All that give one encrypted secret give one identity; it is decrypted once.
    guard let first = subsets.first.flatMap(join), let secret = try? first.join(),
      let encrypted = try? first.joinEncrypted().1,
      AgeIdentity(seed: secret, isPostQuantum: recipient.isPostQuantum)?.recipient == recipient
    else { return false }
    return subsets.dropFirst().allSatisfy { places in
      guard let other = try? join(places)?.joinEncrypted().1 else { return false }
      return encrypted.withUnsafeBytes { left in
        other.withUnsafeBytes { constantTimeEqual(left, $0) }
      }
    }
  }

  /// Returns the subsets of so many of the numbers from 0, in order; where there are more than `limit`,
  /// the neighbours round about, and an even sample of the others.
  static func subsets(of count: Int, taking size: Int, atMost limit: Int) -> [[Int]] {
    var total = 1
    for step in 0..<size { total = total * (count - step) / (step + 1) }
    var subsets: [[Int]] = []
    if total > limit {
      subsets = (0..<count).map { start in (0..<size).map { (start + $0) % count } }
    }
    let stride = (total + limit - 1) / limit
    var places = Array(0..<size)
    var number = 0
    while true {
      if number.isMultiple(of: stride) { subsets.append(places) }
      number += 1
      // The last place that can go on does, and those behind it follow closely.
      guard let place = places.indices.last(where: { places[$0] < count - size + $0 }) else {
        return subsets
      }
      let start = places[place] + 1
      for next in place..<size { places[next] = start + next - place }
    }
  }
}

extension TrusteeGroup {
  /// The reason why shares are not the identity of a group.
  package enum IdentityFault: Error, Hashable {
    case join(ShareSet.JoinFault)
    /// They are a secret of another length than an identity has, in bytes.
    case length(Int)
    /// They are an identity, and not that of the group that they were made for.
    case otherRecipient(group: String)
  }

  /// Returns the identities that a joined secret may be: as an X25519 and as a post-quantum one.
  package static func identities(
    joining set: ShareSet
  ) throws(IdentityFault) -> [AgeIdentity] {
    if let share = set.shares.first, share.value.count != AgeIdentity.seedByteCount {
      throw .length(share.value.count)
    }
    let secret: SecretBytes
    do throws(ShareSet.JoinFault) { secret = try set.join() } catch { throw .join(error) }
    return [true, false].compactMap { AgeIdentity(seed: secret, isPostQuantum: $0) }
  }

  /// Joins shares to the identity of one of the groups, or to both that they may be where none of the groups
  /// knows them.
  package static func identities(
    joining set: ShareSet, of groups: [TrusteeGroup]
  ) throws(IdentityFault) -> (identities: [AgeIdentity], group: TrusteeGroup?) {
    let candidates = try identities(joining: set)
    for group in groups {
      if let identity = candidates.first(where: { $0.recipient.description == group.recipient }) {
        return ([identity], group)
      }
    }
    if let share = set.shares.first,
      let group = groups.first(where: { $0.place(of: share) != nil })
    {
      throw .otherRecipient(group: group.name)
    }
    return (candidates, nil)
  }

  /// Whether shares are of this group's present set or of an earlier one, by their number.
  package func isNamed(by share: Share) -> Bool {
    ([identifier] + earlierIdentifiers).contains(Int(share.common.identifier))
  }

  /// The place of a share among those of the group, by its digest; `nil` for one of another set.
  package func place(of share: Share) -> Int? {
    let digest = Hex.encode(share.digest)
    return shares.firstIndex { $0.digest == digest }
  }
}
