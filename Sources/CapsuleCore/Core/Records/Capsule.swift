/// A capsule: contents that stay sealed until an unlock time.
public struct Capsule: Hashable, Identifiable, Sendable {
  package var header = RecordHeader()
  public var title = ""
  public var notes = ""
  public var tags: [String] = []
  /// The instant from which the gate lets the contents through.
  public var unlockAt = Instant.epoch
  /// The IANA zone that the unlock time was given in; it moves only how the time is shown.
  public var unlockZone = ""
  public package(set) var lock = Lock()
  public package(set) var contents: [Content] = []
  /// The first time it was opened.
  public package(set) var openedAt: Instant?
  package private(set) var unknown: JSONObject = [:]

  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  /// The number of times that the record was written: 1 when new.
  public var revision: Int64 { header.revision }

  /// The longest title, in bytes of UTF-8.
  package static let titleLimit = 1024
}

extension Capsule: RecordModel {
  package static var kind: RecordKind { .capsule }
  package static var blank: Capsule { Capsule() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try header.code(with: &coder)
    try coder.field("title", &title)
    try coder.optional("notes", &notes)
    try coder.optional("tags", &tags)
    try coder.field("unlockAt", &unlockAt)
    try coder.field("unlockZone", &unlockZone)
    try coder.field("lock", &lock)
    try coder.optional("contents", &contents)
    try coder.optional("openedAt", &openedAt)
    coder.rest(&unknown)
    try coder.limit("title", title, to: Capsule.titleLimit)
  }

  package func checkRules() throws(RecordFault) {
    try RecordFault.check(name: title, .title, of: .capsule)
    try RecordFault.check(unlockAt, .unlockAt)
  }

  package var sizedBlobs: [(BlobName, Int64)] {
    contents.compactMap { content in content.blob.map { ($0, content.sealedSize) } }
  }

  package var schemaNeeded: Int64 {
    let recipients = [lock.recipient] + (lock.timelock?.escrow ?? [])
    let isNew = lock.spare != nil || recipients.contains(where: RecipientText.isMarkedHybrid)
    return isNew ? 2 : 1
  }
}

extension Capsule {
  /// The unlock time moves later only, and what is sealed stays as it is.
  package func edit(of current: Capsule) -> Capsule {
    var model = self
    model.header = current.header
    model.unlockAt = max(unlockAt, current.unlockAt)
    model.openedAt = [openedAt, current.openedAt].compactMap { $0 }.min()
    model.lock = current.lock
    model.contents = current.contents
    return model
  }
}
