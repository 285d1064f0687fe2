/// What a list shows of a beneficiary, without its record being read.
package struct BeneficiarySummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package let name: String
  package let cardUID: String?
  package let createdAt: Instant
  package let updatedAt: Instant
  package let relationship: String
  package let email: String
  package let phone: String
  package let recipient: String
  /// The first part, at most ``CapsuleSummary/notesLimit`` bytes.
  package let contact: String
  /// The first part, at most ``CapsuleSummary/notesLimit`` bytes.
  package let notes: String
  /// Whether `contact` and `notes` are all there is.
  package let hasAllText: Bool

  /// A summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) {
    self.init(Beneficiary(header: RecordHeader(id: id, createdAt: Instant(seconds: 0)), name: ""))
  }

  fileprivate init(_ person: Beneficiary) {
    id = person.id
    name = person.name
    cardUID = person.cardUID
    createdAt = person.createdAt
    updatedAt = person.updatedAt
    relationship = person.relationship
    email = person.email
    phone = person.phone
    recipient = person.recipient
    contact = person.contact.beginning
    notes = person.notes.beginning
    hasAllText =
      contact.utf8.count == person.contact.utf8.count
      && notes.utf8.count == person.notes.utf8.count
  }
}

extension Beneficiary {
  /// What a list shows of it.
  package var summary: BeneficiarySummary { BeneficiarySummary(self) }

  package var indexLine: IndexLine {
    IndexLine(
      sortKey: createdAt.seconds, due: nil, nameHash: NameKey(name).hash,
      summary: summary.encoded)
  }
}

extension BeneficiarySummary {
  /// The form that the index keeps.
  fileprivate var encoded: [UInt8] {
    var writer = SummaryWriter()
    writer.text(name)
    writer.unsigned(cardUID == nil ? 0 : 1)
    writer.text(cardUID ?? "")
    writer.integer(createdAt.seconds)
    writer.integer(updatedAt.seconds)
    for text in [relationship, email, phone, recipient, contact, notes] { writer.text(text) }
    writer.unsigned(hasAllText ? 1 : 0)
    return writer.bytes
  }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    var reader = SummaryReader(encoded)
    guard let name = reader.text(), let hasCard = reader.unsigned(), let uid = reader.text(),
      let createdAt = reader.integer(), let updatedAt = reader.integer(),
      let relationship = reader.text(), let email = reader.text(), let phone = reader.text(),
      let recipient = reader.text(), let contact = reader.text(), let notes = reader.text(),
      let hasAllText = reader.unsigned(), reader.isAtEnd
    else { return nil }
    self.id = id
    self.name = name
    cardUID = hasCard == 1 ? uid : nil
    self.createdAt = Instant(seconds: createdAt)
    self.updatedAt = Instant(seconds: updatedAt)
    self.relationship = relationship
    self.email = email
    self.phone = phone
    self.recipient = recipient
    self.contact = contact
    self.notes = notes
    self.hasAllText = hasAllText == 1
  }
}
