/// The part of a record that the index keeps, as the record's model gives it.
package struct IndexContribution: Hashable, Sendable {
  /// The number of Unix seconds by which lists are sorted.
  package let sortKey: Int64
  /// The time at which the record was made, in nanoseconds: the order among equal sort keys.
  package let madeAt: Int64
  /// The earliest Unix second at which something may have to be announced; `nil` for never.
  package let due: Int64?
  /// The hash of the record's name or title (``NameKey``).
  package let nameHash: UInt64
  /// The summary of the record, in the form of ``SummaryCoder``.
  package let summary: [UInt8]
}
