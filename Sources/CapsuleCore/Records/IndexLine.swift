/// What the index keeps of one record, as the record's model tells it.
package struct IndexLine: Hashable, Sendable {
  /// Unix seconds by which lists are sorted; `Int64.max` for what has no date.
  package let sortKey: Int64
  /// The earliest Unix second at which something may have to be announced; `nil` for never.
  package let due: Int64?
  /// The hash of the record's name or title (``NameKey``).
  package let nameHash: UInt64
  /// The model's own compact summary.
  package let summary: [UInt8]

  package init(sortKey: Int64, due: Int64?, nameHash: UInt64, summary: [UInt8]) {
    self.sortKey = sortKey
    self.due = due
    self.nameHash = nameHash
    self.summary = summary
  }
}
