/// The first elements in an order, of many that come in any order; those behind them are not kept.
package struct FirstSorted<Element> {
  private let limit: Int
  private let isBefore: (Element, Element) -> Bool
  private var kept: [Element] = []
  /// The last of the first `limit`, once there were so many: an element that is not before it does
  /// not count.
  package private(set) var bound: Element?

  /// - Parameter isBefore: a strict order.
  package init(limit: Int, by isBefore: @escaping (Element, Element) -> Bool) {
    self.limit = limit
    self.isBefore = isBefore
  }

  package mutating func insert(_ element: Element) {
    if let bound, !isBefore(element, bound) { return }
    kept.append(element)
    // Sorted now and then, so that an insertion costs little on average.
    guard kept.count >= limit, bound == nil || kept.count >= limit.addingClamped(limit) else {
      return
    }
    kept = elements
    bound = kept.last
  }

  /// The first elements, at most `limit`, in order.
  package var elements: [Element] {
    Array(kept.sorted(by: isBefore).prefix(limit))
  }
}

extension FixedWidthInteger where Self: SignedInteger {
  /// Returns the sum, or the nearest number that there is.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

extension Array {
  /// Returns the elements sorted; those that are equal stay in their order.
  package func stablySorted(by isBefore: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { left, right in
      if isBefore(left.element, right.element) { return true }
      if isBefore(right.element, left.element) { return false }
      return left.offset < right.offset
    }.map(\.element)
  }
}
