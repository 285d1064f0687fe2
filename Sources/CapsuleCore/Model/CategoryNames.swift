/// How categories are written that differ in case only: each in one way, wherever it is told.
package struct CategoryNames: Sendable {
  private var names: [NameKey: String] = [:]

  package init() {}

  /// Notes a spelling; of several the first in the order of their bytes counts, which has capitals.
  package mutating func add(_ name: String) {
    let key = NameKey(name)
    guard let known = names[key] else {
      names[key] = name
      return
    }
    if name.utf8.lexicographicallyPrecedes(known.utf8) { names[key] = name }
  }

  package subscript(_ key: NameKey) -> String { names[key] ?? "" }
}
