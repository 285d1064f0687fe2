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
    do throws(StoreError) {
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
    let isPostQuantum = try store.trust.sealing().settings.sealsPostQuantum
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
    do throws(StoreError) {
      let known = try store.read(TrusteeGroup.self, group.header.id).model
      return known.recipient == group.recipient && known.identifier == group.identifier
    } catch {
      if case .notFound = error { return false }
      return true
    }
  }
}
