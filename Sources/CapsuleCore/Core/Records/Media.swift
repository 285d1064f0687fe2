/// A photo, paper, film or sound of an item: a file, and the facts that its header gave.
public struct Media: Hashable, Sendable {
  public private(set) var file: Attachment
  /// The title of the file; empty for none.
  public private(set) var title: String
  public private(set) var addedAt: Instant
  package private(set) var facts: MediaFacts

  package init(file: Attachment, title: String, addedAt: Instant, facts: MediaFacts) {
    self.file = file
    self.title = title
    self.addedAt = addedAt
    self.facts = facts
  }
}

/// The facts that the header of a media file gives; `nil` for what was not read.
package struct MediaFacts: Hashable, Sendable {
  /// Pixels of an image, width and height.
  package var width: Int64?
  package var height: Int64?
  /// The milliseconds of a sound, rounded down.
  package var milliseconds: Int64?

  package init(width: Int64? = nil, height: Int64? = nil, milliseconds: Int64? = nil) {
    self.width = width
    self.height = height
    self.milliseconds = milliseconds
  }
}

extension Media: RecordPart {
  package static var blank: Media {
    Media(file: .blank, title: "", addedAt: .epoch, facts: MediaFacts())
  }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.optional("title", &title)
    try coder.field("addedAt", &addedAt)
    try coder.optional("width", &facts.width)
    try coder.optional("height", &facts.height)
    try coder.optional("milliseconds", &facts.milliseconds)
    // The members that are not known are the file's.
    try file.code(with: &coder)
  }
}
