/// A capsule: contents that stay sealed until an unlock time.
public struct Capsule: Hashable, Identifiable, Sendable {
  package var header: RecordHeader
  public var title: String
  public var notes: String
  public var tags: [String]
  /// The instant from which the gate lets contents through.
  public var unlockAt: Instant
  /// The IANA zone that the unlock time was given in; it moves only how the time is shown.
  public var unlockZone: String
  public var lock: Lock
  public var contents: [Content]
  /// The first time it was opened.
  public var openedAt: Instant?
  package let unknown: JSONObject

  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  /// How often the record was written: 1 when new.
  public var revision: Int64 { header.revision }

  package init(
    header: RecordHeader, title: String, notes: String, tags: [String], unlockAt: Instant,
    unlockZone: String, lock: Lock, contents: [Content]
  ) {
    self.header = header
    self.title = title
    self.notes = notes
    self.tags = tags
    self.unlockAt = unlockAt
    self.unlockZone = unlockZone
    self.lock = lock
    self.contents = contents
    unknown = [:]
  }

  /// A title's longest form, in bytes of UTF-8.
  public static let titleLimit = 1024
}

extension Capsule: RecordModel {
  package static var kind: RecordKind { .capsule }

  package init(reading reader: inout FieldReader) throws(FieldError) {
    header = try RecordHeader(reading: &reader)
    title = try reader.string("title")
    notes = try reader.optionalString("notes") ?? ""
    tags = try reader.optionalStrings("tags") ?? []
    unlockAt = try reader.instant("unlockAt")
    unlockZone = try reader.string("unlockZone")
    lock = try reader.model("lock", as: Lock.self)
    contents = try reader.models("contents", of: Content.self)
    openedAt = try reader.optionalInstant("openedAt")
    unknown = reader.rest
    guard title.utf8.count <= Capsule.titleLimit else {
      throw reader.error("title", .invalid("over \(Capsule.titleLimit) bytes"))
    }
  }

  package var fields: JSONObject {
    var fields = unknown
    header.write(into: &fields)
    fields["title"] = .string(title)
    fields["notes"] = .string(notes)
    fields["tags"] = .array(tags.map { .string($0) })
    fields["unlockAt"] = .instant(unlockAt)
    fields["unlockZone"] = .string(unlockZone)
    fields["lock"] = .object(lock.fields)
    fields["contents"] = .parts(contents)
    fields["openedAt"] = openedAt.map { .instant($0) } ?? .null
    return fields
  }

  package var blobs: [BlobName] {
    contents.compactMap(\.blob)
  }
}
