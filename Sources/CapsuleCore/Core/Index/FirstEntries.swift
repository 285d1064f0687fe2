/// The first entries of an index in an order of their own, which come in any other.
///
/// An entry is held in few bytes, as the index's files have it, until it is handed over: all records of
/// a large store may be among the first.
package struct FirstEntries<Key> {
  private struct Element {
    let key: Key
    let piece: Int32
    let offset: Int32
  }

  private static var pieceSize: Int { 1 << 20 }

  private var first: FirstSorted<Element>
  /// The entries, one behind the other.
  private var pieces: [[UInt8]] = []

  /// - Parameters:
  ///   - isReversed: Whether the last entry of the order stands first.
  ///   - isBefore: A strict order of the keys, in which no two are equal.
  package init(
    limit: Int, reversed isReversed: Bool = false, by isBefore: @escaping (Key, Key) -> Bool
  ) {
    first = FirstSorted(limit: limit, reversed: isReversed) { isBefore($0.key, $1.key) }
  }

  package mutating func insert(_ entry: IndexEntry, by key: Key) {
    let last = pieces.count - 1
    let isFull =
      last < 0
      || pieces[last].count + IndexEntryCoding.headCount + entry.summary.count > Self.pieceSize
    let element = Element(
      key: key, piece: Int32(truncatingIfNeeded: isFull ? last + 1 : last),
      offset: isFull ? 0 : Int32(truncatingIfNeeded: pieces[last].count))
    guard first.admits(element) else { return }
    if isFull {
      var piece: [UInt8] = []
      piece.reserveCapacity(Self.pieceSize)
      pieces.append(piece)
    }
    IndexEntryCoding.append(entry, to: &pieces[pieces.count - 1])
    first.insert(element)
  }

  /// Hands over the entries in order, until `body` gives `false`.
  package func forEach(_ body: (IndexEntry) -> Bool) {
    for element in first.elements {
      // It was written as it is read.
      guard var decoder = try? IndexDecoder(pieces[Int(element.piece)], from: Int(element.offset)),
        let entry = try? IndexEntryCoding.read(&decoder)
      else { continue }
      if !body(entry) { return }
    }
  }
}
