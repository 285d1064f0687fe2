/// The one place that knows which model each kind of record has.
extension RecordKind {
  package var model: any RecordModel.Type {
    switch self {
    case .capsule: Capsule.self
    case .event: Event.self
    case .item: Item.self
    case .beneficiary: Beneficiary.self
    case .bequest: Bequest.self
    case .trustees: TrusteeGroup.self
    }
  }

  /// The members that a record of the kind has.
  package var shape: RecordShape {
    func shape<Model: RecordModel>(_ type: Model.Type) -> RecordShape { RecordShape(type) }
    return shape(model)
  }

  /// Reads a record of the kind: its model, as far as it can be read, and the damage of its bytes;
  /// `nil` when they are those written.
  package func examine(
    _ bytes: [UInt8], id: RecordID
  ) -> (model: (any RecordModel)?, damage: RecordDamage?) {
    Self.examine(bytes, as: model, id: id)
  }

  /// Returns the index's entry of a record.
  package func indexEntry(_ id: RecordID, _ bytes: [UInt8]) -> IndexEntry {
    Self.indexEntry(bytes, as: model, id: id)
  }

  private static func examine<Model: RecordModel>(
    _ bytes: [UInt8], as type: Model.Type, id: RecordID
  ) -> (model: (any RecordModel)?, damage: RecordDamage?) {
    do throws(RecordDamage) {
      let (model, integrity) = try RecordFile.decode(bytes, as: type, id: id)
      return (model, integrity)
    } catch {
      return (nil, error)
    }
  }

  private static func indexEntry(
    _ bytes: [UInt8], as type: (some RecordModel).Type, id: RecordID
  ) -> IndexEntry {
    do throws(RecordDamage) {
      let (model, integrity) = try RecordFile.decode(bytes, as: type, id: id)
      return IndexEntry(
        id: id, contribution: model.indexContribution,
        problem: integrity.map { IndexProblem($0) } ?? .none)
    } catch {
      return IndexEntry(id: id, problem: IndexProblem(error))
    }
  }
}
