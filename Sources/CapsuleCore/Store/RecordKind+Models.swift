/// The one place that knows which model each kind of record has.
extension RecordKind {
  package var model: any RecordModel.Type {
    switch self {
    case .capsule: Capsule.self
    case .event: Event.self
    case .item: Item.self
    case .beneficiary: Beneficiary.self
    }
  }

  /// What is wrong with a record's bytes; `nil` when they can be read and are those written.
  package func damage(in bytes: [UInt8], id: RecordID) -> RecordDamage? {
    Self.damage(in: bytes, as: model, id: id)
  }

  /// The blobs that a record names, as far as it can be read.
  package func blobs(in bytes: [UInt8], id: RecordID) -> [BlobName] {
    (try? Self.decode(bytes, as: model, id: id))?.blobs ?? []
  }

  /// What the index keeps of a record.
  package func indexEntry(_ id: RecordID, _ bytes: [UInt8]) -> IndexEntry {
    Self.indexEntry(bytes, as: model, id: id)
  }

  private static func damage(
    in bytes: [UInt8], as type: (some RecordModel).Type, id: RecordID
  ) -> RecordDamage? {
    do throws(RecordDamage) {
      return try RecordFile.decode(bytes, as: type, id: id).integrity
    } catch {
      return error
    }
  }

  private static func decode<Model: RecordModel>(
    _ bytes: [UInt8], as type: Model.Type, id: RecordID
  ) throws(RecordDamage) -> any RecordModel {
    try RecordFile.decode(bytes, as: type, id: id).model
  }

  private static func indexEntry(
    _ bytes: [UInt8], as type: (some RecordModel).Type, id: RecordID
  ) -> IndexEntry {
    do throws(RecordDamage) {
      let (model, integrity) = try RecordFile.decode(bytes, as: type, id: id)
      return IndexEntry(
        id: id, line: model.indexLine, problem: integrity.map { IndexProblem($0) } ?? .none)
    } catch {
      return IndexEntry(id: id, problem: IndexProblem(error))
    }
  }
}
