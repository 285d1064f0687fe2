/// A value that is a record of its own, one file in the store.
package protocol RecordModel: RecordPart, Sendable {
  static var kind: RecordKind { get }
  var header: RecordHeader { get set }
  /// The files that are kept with the record as they were.
  var attachments: [Attachment] { get }
  /// The blobs that the record names.
  var blobs: [BlobName] { get }
  /// The blobs, each with the size in bytes that the record says.
  var sizedBlobs: [(BlobName, Int64)] { get }
  /// The part of the record that the index keeps.
  var indexContribution: IndexContribution { get }
  /// Everything in it that may be read as text: its title or name first, where it has one of its own.
  var searchFields: [SearchField] { get }
  /// The name that no other record of the kind may have; `nil` where names may repeat.
  var uniqueName: String? { get }
  /// A text that no other live record of the kind may have; `nil` where that does not matter.
  var twinKey: String? { get }
  /// The records that the record names. They must be there as long as it is.
  var references: [RecordReference] { get }
  /// Returns this earlier version as a new edit of a record; fields that never go back stay as the
  /// record has them.
  func edit(of current: Self) -> Self
  /// The version of the record format that a reader must know for this record.
  var schemaNeeded: Int64 { get }
  /// Checks the rules of the kind that reading does not.
  func checkRules() throws(RecordFault)
  /// Returns the first rule for changes that the record breaks; `nil` when the change is allowed.
  ///
  /// - Parameter before: the record as it was read.
  func brokenRule(after before: Self) -> ChangeRule?
  /// Returns the first rule that the record breaks, where it was put together from changes of several machines;
  /// `nil` when it may take the other one's place.
  ///
  /// - Parameter before: the record that is there.
  func brokenMergeRule(after before: Self) -> ChangeRule?
}

extension RecordModel {
  package var id: RecordID { header.id }
  package var createdAt: Instant { header.createdAt }
  package var updatedAt: Instant { header.updatedAt }
  package var attachments: [Attachment] { [] }
  package var blobs: [BlobName] { sizedBlobs.map(\.0) }
  package var sizedBlobs: [(BlobName, Int64)] { attachments.map { ($0.blob, $0.size) } }
  package var uniqueName: String? { nil }
  package var twinKey: String? { nil }
  package var references: [RecordReference] { [] }
  package var schemaNeeded: Int64 { 1 }
  package func brokenRule(after before: Self) -> ChangeRule? { nil }
  package func brokenMergeRule(after before: Self) -> ChangeRule? { nil }

  package func edit(of current: Self) -> Self {
    var model = self
    model.header = current.header
    return model
  }

  /// Checks that the record may be written: it keeps the rules of its kind, and can be read again.
  ///
  /// - Throws: the first rule that it breaks.
  package func validate() throws(RecordFault) {
    try checkRules()
    do throws(FieldError) { _ = try Self(fields: fields) } catch { throw .unreadable(error) }
  }

  /// The first rule that the record breaks; `nil` when it may be written.
  var fault: RecordFault? {
    do throws(RecordFault) { try validate() } catch { return error }
    return nil
  }
}
