/// A thing owned or looked after: what it is, its media, what happened with it, and a reminder.
package struct Item: Hashable, Identifiable, Sendable {
  package var header: RecordHeader
  /// No other item has it, whatever the case and the Unicode form.
  package var name: String
  package var description: String
  package var category: String
  /// What one of it is worth.
  package var value: Money?
  /// What one of it costs anew.
  package var replacementValue: Money?
  /// 1 or more.
  package var quantity: Int64
  package var location: String
  package var tags: [String]
  package var media: [Media]
  /// In order of time.
  package private(set) var history: [HistoryEntry]
  package var reminder: Reminder?
  package let unknown: JSONObject

  package var id: RecordID { header.id }
  package var createdAt: Instant { header.createdAt }
  package var updatedAt: Instant { header.updatedAt }

  package init(header: RecordHeader, name: String) {
    self.header = header
    self.name = name
    description = ""
    category = ""
    quantity = 1
    location = ""
    tags = []
    media = []
    history = []
    unknown = [:]
  }

  package static let nameLimit = Capsule.titleLimit
  package static let quantityLimit: Int64 = 1_000_000_000

  /// Adds an entry at its place; behind those of the same time.
  package mutating func log(_ entry: HistoryEntry) {
    let place = history.lastIndex { $0.at <= entry.at }.map { $0 + 1 } ?? 0
    history.insert(entry, at: place)
  }

  /// Takes an entry away, by its place from 0.
  package mutating func unlog(_ place: Int) {
    history.remove(at: place)
  }
}

extension Item: RecordModel {
  package static var kind: RecordKind { .item }

  package var uniqueName: String? { name }

  package init(reading reader: inout FieldReader) throws(FieldError) {
    header = try RecordHeader(reading: &reader)
    name = try reader.string("name")
    description = try reader.optionalString("description") ?? ""
    category = try reader.optionalString("category") ?? ""
    value = try reader.optionalModel("value", as: Money.self)
    replacementValue = try reader.optionalModel("replacementValue", as: Money.self)
    quantity = try reader.optionalInteger("quantity") ?? 1
    location = try reader.optionalString("location") ?? ""
    tags = try reader.optionalStrings("tags") ?? []
    media = try reader.models("media", of: Media.self)
    history = try reader.models("history", of: HistoryEntry.self)
    reminder = try reader.optionalModel("reminder", as: Reminder.self)
    unknown = reader.rest
    guard name.utf8.count <= Self.nameLimit else {
      throw reader.error("name", .invalid("over \(Self.nameLimit) bytes"))
    }
    guard (1...Self.quantityLimit).contains(quantity) else {
      throw reader.error("quantity", .invalid(String(quantity)))
    }
    // Entries that a hand has put in are brought into order; equal ones stay as they stand.
    if !zip(history, history.dropFirst()).allSatisfy({ $0.at <= $1.at }) {
      history = history.enumerated().sorted {
        ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
      }
      .map(\.element)
    }
  }

  package var fields: JSONObject {
    var fields = unknown
    header.write(into: &fields)
    fields["name"] = .string(name)
    fields["description"] = .string(description)
    fields["category"] = .string(category)
    fields["value"] = value.map { .object($0.fields) } ?? .null
    fields["replacementValue"] = replacementValue.map { .object($0.fields) } ?? .null
    fields["quantity"] = .integer(quantity)
    fields["location"] = .string(location)
    fields["tags"] = .array(tags.map { .string($0) })
    fields["media"] = .parts(media)
    fields["history"] = .parts(history)
    fields["reminder"] = reminder.map { .object($0.fields) } ?? .null
    return fields
  }

  package var blobs: [BlobName] { media.map(\.file.blob) }
}
