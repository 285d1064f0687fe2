/// Who gets the shares of a key, how many of them are needed, and to whom the pages are sealed.
package struct TrusteeTerms: Sendable {
  package let holders: [TrusteeHolder]
  package let threshold: Int
  /// The recipients to which the pages are sealed, in the order of the holders; none for pages in the clear.
  package let recipients: [AgeRecipient]
  /// Whether a new key is X25519, which every version of age opens, whatever the settings say.
  package let isClassic: Bool

  package init(
    holders: [TrusteeHolder], threshold: Int, sealsPages: Bool, isClassic: Bool = false
  ) throws(Fault) {
    guard (2...TrusteeGroup.mostShares).contains(holders.count) else {
      throw .holders(holders.count)
    }
    guard (2...holders.count).contains(threshold) else {
      throw .threshold(threshold, holders: holders.count)
    }
    for (place, holder) in holders.enumerated()
    where holders[..<place].contains(where: { $0.isSame(as: holder) }) {
      throw .holderTwice(name: holder.name)
    }
    self.holders = holders
    self.threshold = threshold
    self.isClassic = isClassic
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
  /// - Throws: ``Fault``: `.usage` for a word that is not a name; `.severalRecords` for one that means
  ///   several people, `.io` where somebody that it may mean cannot be listed.
  package init(_ word: String, in store: Store?, now: Instant) throws {
    let word = word.trimmed
    try RecordFault.check(name: word, of: .trustees)
    var person: Beneficiary?
    if let store {
      do {
        var finder = RecordFinder(store, now: now)
        let found = try finder.find(word, among: [.beneficiary])
        person = try? store.readIntact(Beneficiary.self, found.id).model
      } catch {
        guard error.code == .noSuchRecord else { throw error }
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

  fileprivate func recipient() throws(Fault) -> AgeRecipient {
    guard let text = person?.recipient, !text.isEmpty, let recipient = try? AgeRecipient(text)
    else { throw .noPageRecipient(name: name, isPerson: person != nil) }
    return recipient
  }
}

// The holders of a group.
extension TrusteeGroup {
  /// The place of a holder: by the number of the share, or by a name or an id that only one has.
  package func place(ofHolder word: String) throws(Fault) -> Int {
    let key = NameKey(word.trimmed)
    let found = shares.indices.filter {
      NameKey(shares[$0].holder) == key || shares[$0].person?.description == word
    }
    if found.count == 1 { return found[0] }
    if let number = Int(word), shares.indices.contains(number - 1) { return number - 1 }
    throw found.isEmpty ? .noHolder(word, of: self) : .severalHolders(word, of: self)
  }

  /// Returns the holders of another set of shares: those before, without some, and with others. Where none
  /// is to go, those who are added are all.
  package func holders(
    without dropped: [String], adding added: [TrusteeHolder], in store: Store
  ) throws(Fault) -> [TrusteeHolder] {
    var places: Set<Int> = []
    for word in dropped { places.insert(try place(ofHolder: word.trimmed)) }
    if places.isEmpty, !added.isEmpty { return added }
    return shares.indices.filter { !places.contains($0) }
      .map { TrusteeHolder(shares[$0], in: store) } + added
  }
}

/// The shares of a group's identity, made and proved before anything is written.
package struct TrusteeShares: Sendable {
  /// The shares in the order of their numbers.
  package let shares: [Share]
  /// The number that they have in common.
  package let identifier: UInt16
  /// The recipient of the identity that they give together.
  package let recipient: AgeRecipient

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
    var identifier: UInt16
    repeat {
      let drawn = try random.bytes(2)
      identifier = UInt16(drawn[0] & 0x7f) << 8 | UInt16(drawn[1])
    } while earlier.contains(Int(identifier)) && earlier.count < 1 << 15
    self.identifier = identifier
    shares = try ShareSet.split(
      identity.seed, threshold: threshold, count: count, identifier: identifier, random: random)
    guard isProved else { throw .sharesUnproven }
  }

  /// Whether the words of the shares give the identity back, whichever of them come together.
  private var isProved: Bool {
    guard let threshold = shares.first?.threshold else { return false }
    let read = shares.compactMap { try? Share(text: $0.text) }
    guard read.count == shares.count else { return false }
    func join(_ places: [Int]) -> ShareSet? {
      var set = ShareSet()
      for place in places {
        do { try set.add(read[place]) } catch { return nil }
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
  /// Returns the identities that a joined secret may be: as an X25519 and as a post-quantum one.
  package static func identities(
    joining set: ShareSet
  ) throws(Fault) -> [AgeIdentity] {
    if let share = set.shares.first, share.value.count != AgeIdentity.seedByteCount {
      throw .secretLength(share.value.count)
    }
    let secret = try set.join()
    return [true, false].compactMap { AgeIdentity(seed: secret, isPostQuantum: $0) }
  }

  /// Joins shares to the identity of one of the groups, or to both that they may be where none of the groups
  /// knows them.
  package static func identities(
    joining set: ShareSet, of groups: [TrusteeGroup]
  ) throws(Fault) -> (identities: [AgeIdentity], group: TrusteeGroup?) {
    let candidates = try identities(joining: set)
    for group in groups {
      if let identity = candidates.first(where: { $0.recipient.description == group.recipient }) {
        return ([identity], group)
      }
    }
    if let share = set.shares.first,
      let group = groups.first(where: { $0.place(of: share) != nil })
    {
      throw .otherIdentity(group: group.name)
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

/// A group of trustees with new shares, and the pages for their holders. Nothing of it is written yet.
package struct TrusteeHandout: Sendable {
  package let pages: TrusteePages
  /// The recipient of the key.
  package let recipient: AgeRecipient
  /// The record with the new shares; without one before it the group is new.
  fileprivate let group: TrusteeGroup
  fileprivate let record: StoredRecord<TrusteeGroup>?
}

// Making, renewing and replacing the key of a group: first all of it in memory, then the pages, then the record.
extension StoreTrustees {
  /// Makes a key and its shares for a new group.
  package func new(
    _ name: String, _ terms: TrusteeTerms, _ settings: StoreSettings, in zone: ZoneRules,
    now: Instant
  ) throws -> TrusteeHandout {
    let shares = try newShares(terms, settings, unlike: [])
    let group = TrusteeGroup(
      header: try store.newHeader(now: now), name: name, recipient: shares.recipient.description,
      identifier: shares.identifier, threshold: terms.threshold,
      shares: kept(shares, terms, now: now))
    try group.checkRules()
    try store.relations.requireUniqueName(of: group, now: now)
    return try handout(group, nil, shares, terms, settings, in: zone, now: now)
  }

  /// Makes new shares of a group's key.
  ///
  /// - Parameter identity: the key, as old shares give it.
  package func renewed(
    _ record: StoredRecord<TrusteeGroup>, _ identity: AgeIdentity, _ terms: TrusteeTerms,
    _ settings: StoreSettings, in zone: ZoneRules, now: Instant
  ) throws -> TrusteeHandout {
    var group = record.model
    let shares = try TrusteeShares(
      of: identity, threshold: terms.threshold, count: terms.holders.count,
      unlike: group.allIdentifiers, random: environment.random)
    group.renew(
      identifier: shares.identifier, threshold: terms.threshold,
      shares: kept(shares, terms, now: now))
    return try handout(group, record, shares, terms, settings, in: zone, now: now)
  }

  /// Makes another key and its shares for a group, which keeps who held those before.
  package func withOtherKey(
    _ record: StoredRecord<TrusteeGroup>, _ terms: TrusteeTerms, _ settings: StoreSettings,
    in zone: ZoneRules, now: Instant
  ) throws -> TrusteeHandout {
    var group = record.model
    let shares = try newShares(terms, settings, unlike: group.allIdentifiers)
    group.replaceKey(
      recipient: shares.recipient.description, identifier: shares.identifier,
      threshold: terms.threshold, shares: kept(shares, terms, now: now), at: now)
    return try handout(group, record, shares, terms, settings, in: zone, now: now)
  }

  /// Writes the pages, and then the record.
  ///
  /// Pages without a record harm nobody; a record without pages would lose what is sealed to it. So the pages
  /// are taken away again only where the record surely is not kept.
  ///
  /// - Parameter pagesStay: is called where the record could not be written and may be there nevertheless.
  package func keep(
    _ handout: TrusteeHandout, in folder: TrusteeFolder, now: Instant, pagesStay: () -> Void
  ) throws -> TrusteeGroup {
    try folder.write(handout.pages.files, random: environment.random)
    store.trust.vouch(forNext: handout.group, after: handout.record?.original.recipient)
    do {
      let group: TrusteeGroup
      if var record = handout.record {
        record.model = handout.group
        group = try store.update(record, now: now).model
      } else {
        group = try store.insert(handout.group)
      }
      store.trust.vouch(forOwn: group)
      return group
    } catch {
      if mayHave(handout.group) { pagesStay() } else { folder.remove() }
      throw error
    }
  }

  private func newShares(
    _ terms: TrusteeTerms, _ settings: StoreSettings, unlike earlier: Set<Int>
  ) throws -> TrusteeShares {
    // The setting decides how strong the key is.
    let isPostQuantum =
      try !terms.isClassic && store.trust.sealing().settings.sealsPostQuantum
    let identity = try AgeIdentity(
      isPostQuantum: isPostQuantum, random: environment.random)
    return try TrusteeShares(
      of: identity, threshold: terms.threshold, count: terms.holders.count, unlike: earlier,
      random: environment.random)
  }

  /// The shares as the record keeps them.
  private func kept(
    _ shares: TrusteeShares, _ terms: TrusteeTerms, now: Instant
  ) -> [TrusteeShare] {
    zip(terms.holders, shares.shares).map { holder, share in
      TrusteeShare(
        person: holder.person?.id, holder: holder.name, digest: share.digest, madeAt: now)
    }
  }

  private func handout(
    _ group: TrusteeGroup, _ record: StoredRecord<TrusteeGroup>?, _ shares: TrusteeShares,
    _ terms: TrusteeTerms, _ settings: StoreSettings, in zone: ZoneRules, now: Instant
  ) throws -> TrusteeHandout {
    if !terms.recipients.isEmpty {
      _ = try store.trust.recipients(of: terms.holders.compactMap(\.person))
    }
    let pages = try TrusteePages(
      of: group, shares, owner: settings.owner, sealedTo: terms.recipients,
      date: zone.civil(at: now).date, random: environment.random)
    return TrusteeHandout(
      pages: pages, recipient: shares.recipient, group: group, record: record)
  }

  /// Whether the store has the shares of a group, or cannot say: a record may have its name though making
  /// that safe failed.
  private func mayHave(_ group: TrusteeGroup) -> Bool {
    do {
      let known = try store.read(TrusteeGroup.self, group.header.id).model
      return known.recipient == group.recipient && known.identifier == group.identifier
    } catch {
      if error.code == .recordGone { return false }
      return true
    }
  }
}

/// The folder of pages, which appears whole or not at all.
package struct TrusteeFolder {
  private let files: any FileSystem
  /// The path at which it is to appear.
  package let path: FilePath

  /// Names the place.
  package init(_ path: FilePath, in files: any FileSystem) throws {
    self.files = files
    var bytes = path.bytes
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    self.path = FilePath(bytes: bytes)
    try files.requireFree(self.path)
    // The folder itself is not there yet.
    try files.requireOutsideStores(self.path.parent, for: path)
  }

  /// The folders beside it that others left which were killed, or still run: pages lie in them.
  package func remains() -> [FilePath] {
    files.remains(of: [path.partialPrefix], in: path.parent)
  }

  /// Writes the files beside the place, and gives the folder its name when all are on the disk.
  ///
  /// - Throws: ``Fault`` or a ``RandomSource/Failure``; nothing is left then.
  package func write(_ pages: [(name: String, bytes: SecretBytes)], random: RandomSource) throws {
    let temporary = path.parent.appending(path.partialPrefix + Hex.encode(try random.bytes(4)))
    var written: [FilePath] = []
    do {
      try files.createDirectory(temporary, mode: 0o700)
      for page in pages {
        let target = temporary.appending(page.name)
        written.append(target)
        let file = try files.open(target, .createExclusive(mode: 0o600))
        do {
          var sink = FileSink(files, file)
          try page.bytes.withUnsafeBytes { try sink.write($0) }
          try files.synchronize(file)
        } catch {
          try? files.close(file)
          throw error
        }
        try files.close(file)
      }
      try files.synchronizeDirectory(temporary)
      try files.renameExclusively(temporary, to: path)
    } catch {
      for file in written { try? files.unlink(file) }
      try? files.removeDirectory(temporary)
      if let error = error as? Fault,
        error.condition == .exists || error.condition == .notEmpty
      {
        throw Fault.exists(path)
      }
      throw error
    }
    do { try files.synchronizeNames(in: path.parent) } catch {
      remove()
      throw error
    }
  }

  /// Takes the folder away again.
  package func remove() {
    files.removeTree(path)
  }
}

/// The reasons why a group cannot be made, or a word means none of its holders.
extension Fault {
  /// There are so many holders, and a group has 2 to ``TrusteeGroup/mostShares``.
  package static func holders(_ count: Int) -> Fault {
    Fault(
      .usage,
      "a group of trustees has 2 to \(TrusteeGroup.mostShares) holders, not \(count)",
      hint: "name each holder: --holder NAME")
  }

  /// More are to come together than there are, or one alone.
  package static func threshold(_ threshold: Int, holders count: Int) -> Fault {
    Fault(
      .usage, "invalid threshold \(threshold) for \(String.counting(count, "holder"))",
      hint: "use a threshold from 2 to the number of holders: --threshold N")
  }

  /// One holder would have two shares.
  package static func holderTwice(name: String) -> Fault {
    Fault(
      .usage, "the holder '\(name)' is given twice",
      hint: "give each share to a different person")
  }

  /// The holder has no recipient to which a page can be sealed.
  package static func noPageRecipient(name: String, isPerson: Bool) -> Fault {
    Fault(
      .usage, "'\(name)' has no age recipient, so no page can be sealed",
      hint: isPerson
        ? "add one: capsule beneficiary edit '\(name.quotedForShell)' --recipient age1…"
        : "add the person first: capsule beneficiary add '\(name.quotedForShell)' --recipient age1…"
    )
  }

  /// The setting names a group, and several have the name.
  package static func severalGroups(_ name: String) -> Fault {
    Fault(
      .ambiguous, "the setting 'trustees' names '\(name)', and several groups have that name",
      hint: "delete all but one of them: capsule trustees list; capsule trustees delete ID")
  }

  package static func severalHolders(_ word: String, of group: TrusteeGroup) -> Fault {
    Fault(
      .ambiguous, "several holders of '\(group.name)' match '\(word)'",
      hint: "use the number of the share, from 1 to \(group.shares.count)")
  }

  package static func noHolder(_ word: String, of group: TrusteeGroup) -> Fault {
    Fault(
      .notFound, "no holder of '\(group.name)' matches '\(word)'",
      hint:
        "choose one of the holders: \(group.shares.map { "'\($0.holder)'" }.joined(separator: ", "))"
    )
  }

  /// The shares join to a secret of another length than an identity has, in bytes.
  package static func secretLength(_ count: Int) -> Fault {
    Fault(
      .key, "the shares hold a secret of \(8 * count) bits instead of 256",
      hint: "use shares that capsule made; these may be from a wallet")
  }

  /// The shares join to an identity, and not to that of the group that they were made for.
  package static func otherIdentity(group: String) -> Fault {
    Fault(
      .damaged, "the shares of '\(group)' give a different identity than the record says",
      hint: "restore the record of the group from a backup")
  }

  /// The shares did not give back what was split: the machine makes errors.
  package static let sharesUnproven = Fault(
    .notVerified, "the new shares do not give back the key; nothing was created",
    hint: "test the memory of this computer before you continue")
}
