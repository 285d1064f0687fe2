/// The pages of all holders of a group, as files: one in HTML and one in plain text for each.
package struct TrusteePages: Sendable {
  package private(set) var files: [(name: String, bytes: SecretBytes)] = []
  /// The holders whose pages are sealed to X25519 recipients.
  package private(set) var notPostQuantum: [String] = []
  package let areSealed: Bool

  /// - Parameters:
  ///   - owner: the name of the owner; empty where it is not known.
  ///   - recipients: the recipients that each page is sealed to; none for pages in the clear.
  init(
    of group: TrusteeGroup, _ shares: TrusteeShares, owner: String,
    sealedTo recipients: [AgeRecipient],
    date: CivilDate, random: RandomSource
  ) throws(AgeFailure) {
    areSealed = !recipients.isEmpty
    var names = PortableFileNames()
    for (place, share) in shares.shares.enumerated() {
      let holder = group.shares[place].holder
      let page = TrusteePage(
        group: group.name, owner: owner, holders: group.shares.map(\.holder), place: place,
        threshold: group.threshold, recipient: shares.recipient, date: date,
        isRenewed: !group.earlierIdentifiers.isEmpty)
      let stem = names.next("\(place + 1) \(holder.onOneLine)", fallback: "\(place + 1)")
      for (suffix, bytes) in [("html", page.html(of: share)), ("txt", page.text(of: share))] {
        guard areSealed else {
          files.append(("\(stem).\(suffix)", bytes))
          continue
        }
        var plaintext = bytes.bytes
        defer { wipe(&plaintext) }
        var sealed = try AgeWriter(to: [recipients[place]], random: random).seal(
          plaintext, armor: false)
        files.append(("\(stem).\(suffix).age", SecretBytes(taking: &sealed)))
      }
      if areSealed, !recipients[place].isPostQuantum { notPostQuantum.append(holder) }
    }
  }
}
