/// `store.json`: the facts about a store.
package struct StoreHeader: Hashable, Sendable {
  /// The version of the store's format.
  package private(set) var format = currentFormat
  /// The store's own id; the cache and the state of a machine are named by it.
  package private(set) var id = RecordID.zero
  package private(set) var createdAt = Instant.epoch
  /// Copies of the identity files by their recipients, so that a lost file can be made again.
  package var identities: [StoreIdentity] = []
  package private(set) var unknown: JSONObject = [:]

  /// The version that this program makes and writes.
  package static let currentFormat: Int64 = 1

  /// Returns the same header, of the next format.
  func raised() -> StoreHeader {
    var header = self
    header.format += 1
    return header
  }
}

extension StoreHeader: RecordPart {
  package static var blank: StoreHeader { StoreHeader() }

  package init(id: RecordID, createdAt: Instant, identities: [StoreIdentity]) {
    self.init()
    self.id = id
    self.createdAt = createdAt
    self.identities = identities
  }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("format", &format)
    try coder.field("id", &id)
    try coder.field("createdAt", &createdAt)
    try coder.optional("identities", &identities)
    coder.rest(&unknown)
  }
}

/// One of the store's own age identities.
package struct StoreIdentity: Hashable, Sendable {
  /// `age1…`
  package private(set) var recipient = ""
  /// The identity file, as `age-keygen` writes it.
  package private(set) var file = ""
  package private(set) var unknown: JSONObject = [:]
}

extension StoreIdentity {
  package init(recipient: String, file: String) {
    self.init()
    self.recipient = recipient
    self.file = file
  }
}

extension StoreIdentity: RecordPart {
  package static var blank: StoreIdentity { StoreIdentity() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("recipient", &recipient)
    try coder.field("file", &file)
    coder.rest(&unknown)
  }
}
