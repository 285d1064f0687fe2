/// A photo, paper, film or sound of an item: a file, and what its header told.
package struct Media: Hashable, Sendable {
  package let file: Attachment
  /// What it is called; empty for none.
  package let title: String
  package let addedAt: Instant
  /// What the header told; nothing that was not read.
  package let facts: MediaFacts

  package init(file: Attachment, title: String, addedAt: Instant, facts: MediaFacts) {
    self.file = file
    self.title = title
    self.addedAt = addedAt
    self.facts = facts
  }
}

/// What the header of a media file tells.
package struct MediaFacts: Hashable, Sendable {
  /// Pixels of an image, width and height.
  package var width: Int64?
  package var height: Int64?
  /// Milliseconds of a sound, rounded down.
  package var milliseconds: Int64?

  package init(width: Int64? = nil, height: Int64? = nil, milliseconds: Int64? = nil) {
    self.width = width
    self.height = height
    self.milliseconds = milliseconds
  }
}

extension Media: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    title = try reader.optionalString("title") ?? ""
    addedAt = try reader.instant("addedAt")
    facts = MediaFacts(
      width: try reader.optionalInteger("width"), height: try reader.optionalInteger("height"),
      milliseconds: try reader.optionalInteger("milliseconds"))
    // What is left over is the file's.
    file = try Attachment(reading: &reader)
  }

  package var fields: JSONObject {
    var fields = file.fields
    fields["title"] = .string(title)
    fields["addedAt"] = .instant(addedAt)
    fields["width"] = facts.width.map { .integer($0) } ?? .null
    fields["height"] = facts.height.map { .integer($0) } ?? .null
    fields["milliseconds"] = facts.milliseconds.map { .integer($0) } ?? .null
    return fields
  }
}
