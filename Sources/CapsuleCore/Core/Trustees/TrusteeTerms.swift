/// Who gets the shares of a key, how many of them are needed, and to whom the pages are sealed.
package struct TrusteeTerms: Sendable {
  package let holders: [TrusteeHolder]
  package let threshold: Int
  /// The recipients to which the pages are sealed, in the order of the holders; none for pages in the clear.
  package let recipients: [AgeRecipient]

  /// The reason why a group cannot be of these holders.
  package enum Fault: Error, Sendable {
    /// There are so many holders, and a group has 2 to ``TrusteeGroup/mostShares``.
    case holders(Int)
    /// More are to come together than there are, or one alone.
    case threshold(Int, holders: Int)
    /// One holder would have two shares.
    case twice(name: String)
    /// The holder has no recipient to which a page can be sealed.
    case noRecipient(name: String, isPerson: Bool)
  }

  package init(
    holders: [TrusteeHolder], threshold: Int, sealsPages: Bool
  ) throws(Fault) {
    guard (2...TrusteeGroup.mostShares).contains(holders.count) else {
      throw .holders(holders.count)
    }
    guard (2...holders.count).contains(threshold) else {
      throw .threshold(threshold, holders: holders.count)
    }
    for (place, holder) in holders.enumerated()
    where holders[..<place].contains(where: { $0.isSame(as: holder) }) {
      throw .twice(name: holder.name)
    }
    self.holders = holders
    self.threshold = threshold
    var recipients: [AgeRecipient] = []
    if sealsPages {
      for holder in holders { recipients.append(try holder.recipient()) }
    }
    self.recipients = recipients
  }
}

/// Somebody who is to have a share.
package struct TrusteeHolder: Sendable {
  /// The person in the store; `nil` for a name alone.
  package let person: Beneficiary?
  package let name: String

  /// Finds the person that a word means; where there is none the word is a name.
  ///
  /// - Throws: a ``RecordFault`` for a word that is no name; a ``FindError`` where the word means several
  ///   people, or somebody that it may mean cannot be listed.
  package init(_ word: String, in store: Store?, now: Instant) throws {
    let word = word.trimmed
    try RecordFault.check(name: word, of: .trustees)
    var person: Beneficiary?
    if let store {
      do throws(FindError) {
        var finder = RecordFinder(store, now: now)
        let found = try finder.find(word, among: [.beneficiary])
        person = try? store.readIntact(Beneficiary.self, found.id).model
      } catch {
        guard case .notFound = error else { throw error }
      }
    }
    self.person = person
    name = person?.name ?? word
  }

  /// The holder of a share that was made before.
  package init(_ share: TrusteeShare, in store: Store) {
    person = share.person.flatMap { try? store.readIntact(Beneficiary.self, $0).model }
    name = person?.name ?? share.holder
  }

  fileprivate func isSame(as other: TrusteeHolder) -> Bool {
    if let person, let others = other.person { return person.id == others.id }
    return NameKey(name) == NameKey(other.name)
  }

  fileprivate func recipient() throws(TrusteeTerms.Fault) -> AgeRecipient {
    guard let text = person?.recipient, !text.isEmpty, let recipient = try? AgeRecipient(text)
    else { throw .noRecipient(name: name, isPerson: person != nil) }
    return recipient
  }
}

// The holders of a group.
extension TrusteeGroup {
  /// The reason why a word means no holder.
  package enum HolderFault: Error, Sendable {
    case unknown(String, of: TrusteeGroup)
    case ambiguous(String, of: TrusteeGroup)
  }

  /// The place of a holder: by the number of the share, or by a name or an id that only one has.
  package func place(ofHolder word: String) throws(HolderFault) -> Int {
    let key = NameKey(word.trimmed)
    let found = shares.indices.filter {
      NameKey(shares[$0].holder) == key || shares[$0].person?.description == word
    }
    if found.count == 1 { return found[0] }
    if let number = Int(word), shares.indices.contains(number - 1) { return number - 1 }
    throw found.isEmpty ? .unknown(word, of: self) : .ambiguous(word, of: self)
  }

  /// Returns the holders of another set of shares: those before, without some, and with others. Where none
  /// is to go, those who are added are all.
  package func holders(
    without dropped: [String], adding added: [TrusteeHolder], in store: Store
  ) throws(HolderFault) -> [TrusteeHolder] {
    var places: Set<Int> = []
    for word in dropped { places.insert(try place(ofHolder: word.trimmed)) }
    if places.isEmpty, !added.isEmpty { return added }
    return shares.indices.filter { !places.contains($0) }
      .map { TrusteeHolder(shares[$0], in: store) } + added
  }
}
