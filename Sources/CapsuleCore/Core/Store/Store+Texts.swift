extension StoreIndex {
  /// The texts of one kind's records, for searches.
  package func texts(_ kind: RecordKind, _ folding: TextFolding = TextFolding()) -> RecordTexts {
    RecordTexts(setup(kind), version: Self.textVersion) { id, bytes in
      kind.examine(bytes, id: id).model.map { IndexText($0, folding) }
    }
  }

  /// The version of the texts, raised whenever what a model lets be searched, or the folding, changes.
  private static let textVersion: UInt32 = 2

  /// Takes out of the caches at once what records held that are gone for good.
  func forget(_ records: [TrashedRecord], now: Instant) {
    for (kind, gone) in Dictionary(grouping: records, by: \.kind) {
      forget(Set(gone.map(\.id)), of: kind, now: now)
    }
  }

  /// Takes out of the caches of a kind what some records held.
  func forget(_ ids: Set<RecordID>, of kind: RecordKind, now: Instant) {
    texts(kind).forget(ids)
    RecordIndex.rewrite(setup(kind), now: now)
  }
}

extension IndexText {
  /// The folded texts of a record.
  init(_ model: some RecordModel, _ folding: TextFolding) {
    self.init()
    madeAt = model.header.madeAt
    links = model.references.map(\.id)
    for (place, field) in model.searchFields.enumerated() where !field.text.isEmpty {
      if !bytes.isEmpty { bytes.append(Self.separator) }
      folding.fold(field.text, to: &bytes)
      if place == 0, field.name.isTitle { titleCount = bytes.count }
    }
  }
}
