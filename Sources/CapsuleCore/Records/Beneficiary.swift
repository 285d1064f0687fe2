/// A person to whom something is left.
package struct Beneficiary: Hashable, Identifiable, Sendable {
  package var header: RecordHeader
  /// Several people may have the same.
  package var name: String
  package var relationship: String
  package var email: String
  package var phone: String
  /// Any other way to reach the person, in as many lines as it takes.
  package var contact: String
  /// An age recipient to which deliveries can be sealed; empty for none.
  package var recipient: String
  package var notes: String
  /// The UID of the vCard that the person was imported from.
  package var cardUID: String?
  package let unknown: JSONObject

  package var id: RecordID { header.id }
  package var createdAt: Instant { header.createdAt }
  package var updatedAt: Instant { header.updatedAt }

  package init(header: RecordHeader, name: String) {
    self.header = header
    self.name = name
    relationship = ""
    email = ""
    phone = ""
    contact = ""
    recipient = ""
    notes = ""
    unknown = [:]
  }

  /// In bytes; of the relationship, the address and the number too.
  package static let nameLimit = Capsule.titleLimit

  /// Whether a text is an age recipient of the kind that can be sealed to: `age1…`, X25519.
  package static func isRecipient(_ text: String) -> Bool {
    guard let (part, bytes) = Bech32.decode(text) else { return false }
    return part == "age" && bytes.count == X25519.byteCount
  }
}

extension Beneficiary: RecordModel {
  package static var kind: RecordKind { .beneficiary }

  package var twinKey: String? { cardUID }

  package init(reading reader: inout FieldReader) throws(FieldError) {
    header = try RecordHeader(reading: &reader)
    name = try reader.string("name")
    relationship = try reader.optionalString("relationship") ?? ""
    email = try reader.optionalString("email") ?? ""
    phone = try reader.optionalString("phone") ?? ""
    contact = try reader.optionalString("contact") ?? ""
    recipient = try reader.optionalString("recipient") ?? ""
    notes = try reader.optionalString("notes") ?? ""
    cardUID = try reader.optionalString("cardUID")
    unknown = reader.rest
    guard name.utf8.count <= Self.nameLimit else {
      throw reader.error("name", .invalid("over \(Self.nameLimit) bytes"))
    }
    guard recipient.isEmpty || Self.isRecipient(recipient) else {
      throw reader.error("recipient", .invalid(recipient))
    }
  }

  package var fields: JSONObject {
    var fields = unknown
    header.write(into: &fields)
    fields["name"] = .string(name)
    fields["relationship"] = .string(relationship)
    fields["email"] = .string(email)
    fields["phone"] = .string(phone)
    fields["contact"] = .string(contact)
    fields["recipient"] = .string(recipient)
    fields["notes"] = .string(notes)
    fields["cardUID"] = cardUID.map { .string($0) } ?? .null
    return fields
  }

  package var blobs: [BlobName] { [] }
}
