/// The part of a beneficiary that a list shows without its record being read.
package struct BeneficiarySummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package private(set) var name = ""
  package private(set) var cardUID: String?
  package private(set) var createdAt = Instant.epoch
  package private(set) var updatedAt = Instant.epoch
  package private(set) var relationship = ""
  package private(set) var email = ""
  package private(set) var phone = ""
  package private(set) var recipient = ""
  /// The first part, at most ``CapsuleSummary/notesLimit`` bytes.
  package private(set) var contact = ""
  /// The first part, at most ``CapsuleSummary/notesLimit`` bytes.
  package private(set) var notes = ""
  /// Whether `contact` and `notes` are all there is.
  package private(set) var hasAllText = true
}

extension BeneficiarySummary: SummaryPart {
  package static var blank: BeneficiarySummary { BeneficiarySummary(id: .zero) }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.text(&name)
    var hasCard = cardUID != nil
    var uid = cardUID ?? ""
    try coder.flag(&hasCard)
    try coder.text(&uid)
    cardUID = hasCard ? uid : nil
    try coder.integer(&createdAt.seconds)
    try coder.integer(&updatedAt.seconds)
    try coder.text(&relationship)
    try coder.text(&email)
    try coder.text(&phone)
    try coder.text(&recipient)
    try coder.text(&contact)
    try coder.text(&notes)
    try coder.flag(&hasAllText)
  }

  /// The summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) { self.init(id: id) }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    self.init(id: id)
    guard decode(encoded) else { return nil }
  }
}

extension Beneficiary {
  /// The part that a list shows.
  package var summary: BeneficiarySummary {
    let (contact, notes) = (contact.beginning, notes.beginning)
    return BeneficiarySummary(
      id: id, name: name, cardUID: cardUID, createdAt: createdAt, updatedAt: updatedAt,
      relationship: relationship, email: email, phone: phone, recipient: recipient,
      contact: contact.text, notes: notes.text, hasAllText: contact.isAll && notes.isAll)
  }

  package var indexContribution: IndexContribution {
    IndexContribution(
      sortKey: createdAt.seconds, madeAt: header.madeAt, due: nil, nameHash: NameKey(name).hash,
      summary: summary.encoded())
  }
}
