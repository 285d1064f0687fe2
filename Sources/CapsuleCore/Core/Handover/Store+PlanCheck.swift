/// What a delivery was planned by, read again.
extension StoreHandover {
  /// Refuses a delivery that would be planned otherwise by now. It is called just before something is handed
  /// over, because much time may have passed since it was planned.
  ///
  /// - Parameter now: the time that it was planned for.
  /// - Throws: ``DeliveryError/changedMeanwhile(_:_:)``; a ``StoreError`` where a record or the settings cannot
  ///   be read.
  package func requireUnchanged(_ delivery: PersonalDelivery, now: Instant) throws {
    let person = delivery.person
    guard try readIfPresent(Beneficiary.self, person.id)?.model == person else {
      throw DeliveryError.changedMeanwhile(.person, person)
    }
    let passing = try store.settings.intact().passing?.at
    let gifts = delivery.gifts.map { ($0.bequest, $0.subjectDigest, $0.gift.title) }
    let leftOut = delivery.leftOut.map { ($0.bequest, $0.subjectDigest, $0.title) }
    for (bequest, subjectDigest, title) in gifts + leftOut {
      guard try digest(of: Bequest.self, bequest.model.id) == bequest.digest else {
        throw DeliveryError.changedMeanwhile(.bequest(of: title), person)
      }
      let subject = bequest.model.subject
      let current =
        subject.kind == .item
        ? try digest(of: Item.self, subject.id) : try digest(of: Capsule.self, subject.id)
      guard current == subjectDigest else {
        throw DeliveryError.changedMeanwhile(.gift(title), person)
      }
      guard bequest.model.summary.isDeliverable(passing: passing, at: now) else {
        throw DeliveryError.changedMeanwhile(.passing, person)
      }
    }
  }

  private func digest<Model: RecordModel>(
    of type: Model.Type, _ id: RecordID
  ) throws(StoreError) -> [UInt8]? {
    try readIfPresent(type, id)?.digest
  }

  private func readIfPresent<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID
  ) throws(StoreError) -> StoredRecord<Model>? {
    do throws(StoreError) { return try store.read(type, id) } catch {
      if case .notFound = error { return nil }
      throw error
    }
  }
}
