package import CapsuleCore

extension Store {
  /// A group of trustees with a recipient, which this device sees for the first time.
  package func vouched(
    _ recipient: AgeRecipient, named name: String = "family", id: RecordID = .zero
  ) throws -> VouchedTrustees {
    try trust.vouched(
      TrusteeGroup(
        header: RecordHeader(id: id, createdAt: .epoch), name: name,
        recipient: recipient.description, identifier: 1, threshold: 2, shares: []))
  }
}
