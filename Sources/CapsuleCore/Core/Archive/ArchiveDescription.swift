/// `archive.json`, the first file of an archive: the facts about it.
package struct ArchiveDescription: Hashable, Sendable {
  /// The version of the archive's format.
  package private(set) var format = currentFormat
  /// The id of the store that it was made from.
  package private(set) var store = RecordID.zero
  package private(set) var createdAt = Instant.epoch
  /// Whether it is all of the store, identities included; else it is a part, without them.
  package private(set) var isWhole = true
  /// The records that records in it name, and that are not in it.
  package internal(set) var named: [String] = []
  package private(set) var unknown: JSONObject = [:]

  /// The version that this program makes and reads.
  package static let currentFormat: Int64 = 1
}

extension ArchiveDescription: RecordPart {
  package static var blank: ArchiveDescription { ArchiveDescription() }

  init(store: RecordID, createdAt: Instant, isWhole: Bool, named: [String]) {
    self.init()
    self.store = store
    self.createdAt = createdAt
    self.isWhole = isWhole
    self.named = named
  }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("archive", &format)
    try coder.field("store", &store)
    try coder.field("createdAt", &createdAt)
    try coder.field("whole", &isWhole)
    try coder.optional("named", &named)
    coder.rest(&unknown)
  }
}

extension RecordReference {
  /// The record as `archive.json` names it: `item 3f2a9c1e-…`.
  var text: String { "\(kind.rawValue) \(id)" }
}
