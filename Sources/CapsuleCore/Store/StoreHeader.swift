/// `store.json`: what a store says of itself.
package struct StoreHeader: Hashable, Sendable {
  /// The version of the store's format.
  package private(set) var format: Int64
  /// The store's own id; the cache and the state of a machine are named by it.
  package let id: RecordID
  package let createdAt: Instant
  /// Copies of the identity files by their recipients, so that a lost file can be made again.
  package var identities: [StoreIdentity]
  package let unknown: JSONObject

  /// The version that this program makes and writes.
  package static let currentFormat: Int64 = 1

  package init(id: RecordID, createdAt: Instant, identities: [StoreIdentity]) {
    format = StoreHeader.currentFormat
    self.id = id
    self.createdAt = createdAt
    self.identities = identities
    unknown = [:]
  }

  /// The same header, of the next format.
  func raised() -> StoreHeader {
    var header = self
    header.format += 1
    return header
  }
}

/// One of the store's own age identities.
package struct StoreIdentity: Hashable, Sendable {
  /// `age1…`
  package let recipient: String
  /// The identity file, as `age-keygen` writes it.
  package let file: String
  package let unknown: JSONObject

  package init(recipient: String, file: String) {
    self.recipient = recipient
    self.file = file
    unknown = [:]
  }
}

extension StoreIdentity: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    recipient = try reader.string("recipient")
    file = try reader.string("file")
    unknown = reader.rest
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["recipient"] = .string(recipient)
    fields["file"] = .string(file)
    return fields
  }
}

extension StoreHeader: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    format = try reader.integer("format")
    id = try reader.id("id")
    createdAt = try reader.instant("createdAt")
    identities = try reader.models("identities", of: StoreIdentity.self)
    _ = reader.take("checksum")
    unknown = reader.rest
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["format"] = .integer(format)
    fields["id"] = .string(id.description)
    fields["createdAt"] = .instant(createdAt)
    fields["identities"] = .parts(identities)
    return fields
  }
}
