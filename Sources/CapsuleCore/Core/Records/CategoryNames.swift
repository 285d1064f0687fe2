/// The spellings of categories: those that differ in case only are shown in one way everywhere.
package struct CategoryNames: Sendable {
  private var firsts: [NameKey: (name: String, since: Instant, id: RecordID)] = [:]

  package init() {}

  /// Takes the spelling of an item; that of the first item counts, as lists sort them.
  package mutating func add(_ item: ItemSummary) {
    let key = NameKey(item.category)
    if let known = firsts[key], (known.since, known.id) < (item.createdAt, item.id) { return }
    firsts[key] = (item.category, item.createdAt, item.id)
  }

  /// The spelling of a category; empty where no item has it.
  package subscript(_ key: NameKey) -> String { firsts[key]?.name ?? "" }
}
