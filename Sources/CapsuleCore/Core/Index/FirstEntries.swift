/// The first entries of an index in an order of their own, which come in any other.
package struct FirstEntries<Key> {
  private var first: FirstSorted<(key: Key, entry: IndexEntry)>

  /// - Parameters:
  ///   - isReversed: Whether the last entry of the order stands first.
  ///   - isBefore: A strict order of the keys, in which no two are equal.
  package init(
    limit: Int, reversed isReversed: Bool = false, by isBefore: @escaping (Key, Key) -> Bool
  ) {
    first = FirstSorted(limit: limit, reversed: isReversed) { isBefore($0.key, $1.key) }
  }

  package mutating func insert(_ entry: IndexEntry, by key: Key) {
    first.insert((key, entry))
  }

  /// Hands over the entries in order, until `body` gives `false`.
  package func forEach(_ body: (IndexEntry) -> Bool) {
    for element in first.elements where !body(element.entry) { return }
  }
}

/// The first elements of an order, out of many that come in any order; the others are let go of.
package struct FirstSorted<Element> {
  private let limit: Int
  private let isBefore: (Element, Element) -> Bool
  private var kept: [Element] = []
  /// The last of the first `limit`, once there are so many: an element that is not before it is not
  /// among the first.
  package private(set) var bound: Element?

  /// - Parameters:
  ///   - isReversed: Whether the last element of the order stands first.
  ///   - isBefore: A strict order.
  package init(
    limit: Int, reversed isReversed: Bool = false,
    by isBefore: @escaping (Element, Element) -> Bool
  ) {
    self.limit = limit
    self.isBefore = isReversed ? { isBefore($1, $0) } : isBefore
  }

  /// Whether an element would be kept now.
  package func admits(_ element: Element) -> Bool {
    bound.map { isBefore(element, $0) } ?? true
  }

  package mutating func insert(_ element: Element) {
    guard admits(element) else { return }
    kept.append(element)
    // Sorted now and then, so that an insertion costs little on average.
    guard kept.count >= limit, bound == nil || kept.count >= limit.addingClamped(limit) else {
      return
    }
    kept = elements
    bound = kept.last
  }

  /// The first elements in order, at most `limit`.
  package var elements: [Element] {
    Array(kept.sorted(by: isBefore).prefix(max(0, limit)))
  }
}
