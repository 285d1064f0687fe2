/// The library's own door to lists of records and to the trash (`docs/internals/library.md`).
extension Store {
  /// Finds the records of a kind that can be read, in the order of a list.
  ///
  /// - Parameters:
  ///   - text: the text that a title, a name, notes or a tag holds, whatever its case and accents;
  ///     every record where it is empty.
  ///   - limit: the most records to return.
  public func records<Model: Record>(
    _ type: Model.Type, matching text: String = "", limit: Int = .max
  ) -> [Model] {
    let now = now
    let ids =
      switch Model.access.kind {
      case .capsule:
        ids(CapsuleQuery(text: text, limit: limit).asked(at: now), now) { $0.summary.id }
      case .event:
        ids(EventQuery(text: text, limit: limit).asked(of: self, at: now), now) { $0.summary.id }
      case .item: ids(ItemQuery(text: text, limit: limit).asked(at: now), now) { $0.summary.id }
      case .beneficiary: ids(BeneficiaryQuery(text: text, limit: limit), now) { $0.summary.id }
      case .bequest:
        ids(BequestQuery(text: text, limit: limit).asked(of: self, at: now), now) { $0.summary.id }
      case .trustees: ids(NamedQuery<TrusteeGroup>(text: text, limit: limit), now) { $0.summary.id }
      }
    return intact(ids)
  }

  /// Finds the capsules that a query asks for, in its order.
  public func records(_ query: CapsuleQuery) -> [Capsule] {
    let now = now
    return intact(ids(query.asked(at: now), now) { $0.summary.id })
  }

  /// Finds the events that a query asks for, in its order. Whole days begin at midnight of UTC.
  public func records(_ query: EventQuery) -> [Event] {
    let now = now
    return intact(ids(query.asked(of: self, at: now), now) { $0.summary.id })
  }

  /// Finds the items that a query asks for, in its order.
  public func records(_ query: ItemQuery) -> [Item] {
    let now = now
    return intact(ids(query.asked(at: now), now) { $0.summary.id })
  }

  /// Finds the people that a query asks for, in its order.
  public func records(_ query: BeneficiaryQuery) -> [Beneficiary] {
    intact(ids(query, now) { $0.summary.id })
  }

  /// Finds the bequests that a query asks for, in its order.
  public func records(_ query: BequestQuery) -> [Bequest] {
    let now = now
    return intact(ids(query.asked(of: self, at: now), now) { $0.summary.id })
  }

  private func intact<Model: Record>(_ ids: [RecordID]) -> [Model] {
    ids.compactMap { try? Model.access.read(self, $0) }
  }

  private func ids<Query: RecordQuery>(
    _ query: Query, _ now: Instant, id: (Query.Row) -> RecordID
  ) -> [RecordID] {
    guard query.limit > 0 else { return [] }
    var index = index.open(Query.kind, now: now)
    var found: [RecordID] = []
    query.forEachReadable(in: &index, of: self) { row in
      found.append(id(row))
      return found.count < query.limit
    }
    return found
  }

  /// Reads the title or name of a record in the trash, of a bequest the thing and the person; empty where
  /// it cannot be read.
  public func title(of record: TrashedRecord) -> String {
    guard let entry = trash.entry(of: record) else { return "" }
    return RecordNames(self, now: now).title(of: entry, record.kind)
  }

  /// Removes records from the trash for good, with the files that only they name.
  ///
  /// - Returns: what went. The journals of other devices may keep versions until they are rewritten.
  /// - Throws: ``Fault``: `.cannotPurge` while a record cannot be read, is missing, or a conflict copy
  ///   is there, so that it is not known which files are named; `.storeBusy`, `.newerFormat`, `.io`.
  @discardableResult
  public func purge(_ records: [TrashedRecord]) throws(Fault) -> Purged {
    try trash.purge(records, now: now)
  }
}

extension StoreTrash {
  /// Returns the records in the trash, of each kind the last deleted first.
  ///
  /// - Throws: ``Fault``: `.io`.
  public func callAsFunction() throws(Fault) -> [TrashedRecord] {
    try records(of: nil, deletedBefore: nil)
  }
}
