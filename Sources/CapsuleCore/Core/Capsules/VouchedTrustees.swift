/// A group of trustees whose recipient this device knows, or sees for the first time: only such a one is sealed to.
package struct VouchedTrustees: Sendable {
  package let group: TrusteeGroup
  package let recipient: AgeRecipient

  fileprivate init(_ group: TrusteeGroup, _ recipient: AgeRecipient) {
    self.group = group
    self.recipient = recipient
  }
}

extension StoreTrust {
  /// Returns the group, where its recipient is the one that this device knows; the first use makes it known.
  ///
  /// - Throws: `.untrusted`, and `.damaged` for a recipient that nothing can be sealed to.
  package func vouched(_ group: TrusteeGroup) throws(StoreError) -> VouchedTrustees {
    let recipient: AgeRecipient
    do throws(KeyFault) { recipient = try AgeRecipient(group.recipient) } catch {
      throw .damaged(
        .field(FieldError(path: "recipient", problem: .invalid(group.recipient))),
        path: layout.record(.trustees, group.id).text)
    }
    try requireVouched(group)
    return VouchedTrustees(group, recipient)
  }

  /// Returns the recipients of people, where they are those that this device knows, or sees for the first time; none
  /// of people who have none.
  ///
  /// - Throws: ``StoreError/untrusted(_:path:)``, ``KeyFault``.
  package func recipients(
    of people: [Beneficiary]
  ) throws -> [RecordID: AgeRecipient] {
    let untrusted = try untrusted(among: people)
    var recipients: [RecordID: AgeRecipient] = [:]
    for person in people {
      if let error = untrusted[person.id] { throw error }
      if !person.recipient.isEmpty {
        recipients[person.id] = try AgeRecipient(person.recipient)
      }
    }
    return recipients
  }

  /// The group that the setting `trustees` names, which gets a spare of every new capsule that can have
  /// one; `nil` where it names none.
  ///
  /// - Throws: `.settingNamesNothing` for a group that is not there, `.untrusted`, and the errors of reading it.
  package func spareTrustees(now: Instant) throws(StoreError) -> VouchedTrustees? {
    guard let name = try sealing().settings.trustees else { return nil }
    guard let id = store.trustees.named(name, now: now) else {
      throw .settingNamesNothing(.trustees, name: name)
    }
    return try vouched(try store.readIntact(TrusteeGroup.self, id).model)
  }
}
