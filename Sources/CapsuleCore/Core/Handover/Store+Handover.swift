/// The library's own door to people and what they receive (`docs/internals/library.md`).
extension Store {
  /// Adds and updates people from vCards.
  ///
  /// - Parameters:
  ///   - cards: a file of vCards, of versions 2.1 to 4.0.
  ///   - acceptsRecipients: whether a card may replace the age recipient of a person who has one.
  ///   - acceptsAddresses: whether a card may replace the mail address of a person who has one.
  /// - Returns: the people that were added, changed or left as they are, in the order of their cards; a
  ///   card that cannot be used is left out.
  /// - Throws: ``Fault``: `.storeBusy`, `.changedMeanwhile` where another process changed one of them at the
  ///   same time, `.newerFormat`, `.noRandomness`, `.io`; nobody is imported then.
  public func importPeople(
    _ cards: [UInt8], acceptsRecipients: Bool = false, acceptsAddresses: Bool = false
  ) throws(Fault) -> [Beneficiary] {
    var plan = try ImportPlan(
      PeopleImport(
        ContactFile(cards), acceptsRecipients: acceptsRecipients,
        acceptsAddresses: acceptsAddresses),
      into: self, now: now)
    try plan.write()
    return plan.steps.compactMap(\.outcome.model)
  }

  /// Makes a folder, or a sealed archive, for each person who may have something now.
  ///
  /// - Parameters:
  ///   - people: the people who are asked about; everybody where it is `nil`.
  ///   - directory: where the folders are made, one a person.
  ///   - isSealed: whether each is an archive that only its person can open.
  ///   - keys: the keys with which capsules are opened for them.
  ///   - marksSent: whether the bequests are marked as sent when a delivery is whole.
  ///   - zone: the IANA zone of the dates on the page.
  /// - Returns: the deliveries, each with its failure where it could not be made, and what is in none of them:
  ///   only where there are no issues everybody who is asked about has all that is theirs.
  /// - Throws: ``Fault`` for a zone that this machine does not know; ``Fault``: `.recordDamaged` and `.io`
  ///   of the settings, `.newerFormat` where bequests are to be marked; ``Fault`` where the
  ///   directory cannot be made.
  public func deliver(
    to people: [RecordID]? = nil, into directory: String, sealed isSealed: Bool = false,
    with keys: Keys = .none, marksSent: Bool = false, zone: String = "UTC"
  ) throws -> (deliveries: [PersonalDelivery], issues: [DeliveryIssue]) {
    let now = now
    let rules = try rules(zone)
    let terms = DeliveryTerms(
      output: FilePath(directory), isSealed: isSealed, withValues: false, now: now, zone: rules)
    var plan = try handover.plan(for: people, terms) { record in
      try capsules.openUnattended(record, with: keys, now: now)
    }
    if plan.canBeMade, let writer = DeliveryWriter(self, terms, marksSent: marksSent) {
      _ = try writer.prepare(for: plan)
      try writer.make(&plan) { _ in }
    }
    return (plan.deliveries, plan.issues)
  }

  /// Writes how far the handing over of a bequest came: sent first, then accepted or declined; revoked as
  /// long as it is neither.
  ///
  /// - Parameter time: when that was; now where it is `nil`.
  /// - Returns: the bequest as it is then.
  /// - Throws: ``Fault``: `.bequestState` for a state that cannot follow the present one, or a time before
  ///   that of the last change; `.missingReference` where the thing or the person does not exist; `.storeBusy`, `.io`.
  @discardableResult
  public func mark(
    _ id: RecordID, as state: DeliveryState, at time: Instant? = nil, notes: String = ""
  ) throws(Fault) -> Bequest {
    let now = now
    let record = try readIntact(Bequest.self, id)
    let change = DeliveryChange(state, at: (time ?? now).clamped, notes: notes)
    return try handover.mark(record, change, now: now).model
  }

  /// Reads the name of the person whose store it is; empty where it is not set.
  ///
  /// - Throws: ``Fault``: `.recordDamaged`, `.io`.
  public func owner() throws(Fault) -> String {
    try settings.intact().owner
  }

  /// Sets the name of the person whose store it is. Deliveries are signed with it.
  ///
  /// - Throws: ``Fault``: `.invalidSetting` for a name that is blank, over 1 KiB, or has control
  ///   characters; `.refused` once a passing is declared; `.recordDamaged`, `.storeBusy`, `.newerFormat`, `.io`.
  public func setOwner(_ name: String) throws(Fault) {
    guard let value = Setting.owner.value(from: name) else {
      throw .invalidSetting(.owner, name)
    }
    try settings.set(.owner, to: value)
  }

  /// Reads the declaration that the owner passed away; `nil` where there is none.
  ///
  /// - Throws: ``Fault``: `.recordDamaged`, `.io`.
  public func passing() throws(Fault) -> Passing? {
    try settings.intact().passing
  }

  /// Declares that the owner passed away: what was left upon passing is accessible from then on.
  ///
  /// - Parameters:
  ///   - name: the owner's name, typed out.
  ///   - time: when the owner passed away; now where it is `nil`.
  /// - Throws: ``Fault``: `.refused` where the owner is not set, has another name, or a passing is
  ///   declared already; `.recordDamaged`, `.storeBusy`, `.newerFormat`, `.io`.
  public func declarePassing(
    owner name: String, at time: Instant? = nil
  ) throws(Fault) {
    let now = now
    _ = try settings.declarePassing(at: (time ?? now).clamped, owner: name, now: now)
  }

  /// Takes the declaration of a passing back.
  ///
  /// - Throws: ``Fault``: `.refused` where none is declared; `.recordDamaged`, `.storeBusy`, `.newerFormat`, `.io`.
  public func revokePassing() throws(Fault) {
    _ = try settings.withdrawPassing()
  }
}
