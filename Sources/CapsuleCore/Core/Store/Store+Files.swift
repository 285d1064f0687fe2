/// The files that records keep in the clear (`docs/internals/library.md`).
extension Store {
  /// Takes a file in and names it in an item.
  ///
  /// - Parameters:
  ///   - path: the path of the file; links are followed.
  ///   - title: what it is called; empty for none.
  /// - Returns: the item as it is then.
  /// - Throws: ``Fault``: `.unreadableSource`, `.sourceIsDirectory`, `.sourceTooLarge` over the
  ///   setting `maxFileSize`, `.sourceChanged`; the store stays as it was.
  @discardableResult
  public func attach(
    _ path: String, to id: RecordID, title: String = ""
  ) throws(Fault) -> Item {
    let now = now
    var record = try intact(Item.self, id)
    let staged = try blobs.stageAttachment(FilePath(path), limit: try fileLimit())
    record.model.media.append(
      Media(
        file: staged.attachment, title: title.trimmed, addedAt: now,
        facts: blobs.facts(of: staged.blob)))
    return try write(record, staged, now: now)
  }

  /// Takes an image in and gives it to an event, instead of the one that it had.
  ///
  /// - Parameter path: the path of the file; links are followed.
  /// - Returns: the event as it is then.
  /// - Throws: ``Fault``: `.notAnImage`, and those of ``attach(_:to:title:)``; the store stays as it
  ///   was.
  @discardableResult
  public func setImage(_ path: String, of id: RecordID) throws(Fault) -> Event {
    let now = now
    var record = try intact(Event.self, id)
    let staged = try blobs.stageImage(FilePath(path), limit: try fileLimit())
    record.model.image = staged.attachment
    return try write(record, staged, now: now)
  }

  /// Reads a file that a record keeps in pieces, from its start to its end.
  ///
  /// - Throws: ``Fault``: `.blobDamaged` where its bytes are not those that were stored, which were handed
  ///   over then, `.io`, and one whose cause is the error of `body`.
  public func read(
    _ attachment: Attachment, _ body: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws(Fault) {
    var sink = CallingSink(body: body)
    try blobs.copy(attachment, to: &sink)
  }

  private func intact<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID
  ) throws(Fault) -> StoredRecord<Model> {
    return try readIntact(type, id)
  }

  private func write<Model: RecordModel>(
    _ record: StoredRecord<Model>, _ staged: StagedAttachment, now: Instant
  ) throws(Fault) -> Model {
    return try update(record, now: now, blobs: [staged.blob]).model
  }

  /// The size in bytes over which a file is refused: the setting `maxFileSize`.
  ///
  /// - Throws: `.recordDamaged` and `.io` of the settings.
  func fileLimit() throws(Fault) -> Int64 {
    return try settings.intact().maxFileSize
  }
}
