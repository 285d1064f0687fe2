/// How categories are written that differ in case only: each in one way, wherever it is told.
package struct CategoryNames: Sendable {
  private var firsts: [NameKey: (name: String, since: Instant, id: RecordID)] = [:]

  package init() {}

  /// Notes the spelling of an item; that of the first item counts, as lists sort them.
  package mutating func add(_ item: ItemSummary) {
    let key = NameKey(item.category)
    if let known = firsts[key], (known.since, known.id) < (item.createdAt, item.id) { return }
    firsts[key] = (item.category, item.createdAt, item.id)
  }

  package subscript(_ key: NameKey) -> String { firsts[key]?.name ?? "" }
}
