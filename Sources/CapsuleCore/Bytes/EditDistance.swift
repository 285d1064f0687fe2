/// The distance between two short words, for suggestions.
package enum EditDistance {
  /// Counts the scalars to insert, delete, replace or swap with a neighbour (optimal string
  /// alignment).
  ///
  /// - Returns: at most `limit + 1`, which also stands for a word of more than 64 scalars.
  package static func between(_ left: String, _ right: String, limit: Int) -> Int {
    let (a, b) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
    guard abs(a.count - b.count) <= limit, a.count <= 64, b.count <= 64 else { return limit + 1 }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for j in 0..<b.count {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return min(last[b.count], limit + 1)
  }

  /// Finds the words of `vocabulary` nearest to `word`, if any is near enough to be meant.
  package static func nearest(to word: String, in vocabulary: [String]) -> [String] {
    let limit = word.utf8.count <= 3 ? 1 : 2
    let distances = vocabulary.map { (between(word, $0, limit: limit), $0) }
    guard let best = distances.map(\.0).min(), best <= limit else { return [] }
    return distances.filter { $0.0 == best }.prefix(3).map(\.1)
  }

  /// Finds the words of a small vocabulary that may have been meant: they begin as `word` does, or are one
  /// edit away. To a letter alone everything is near, and nothing is meant.
  package static func meant(by word: String, in vocabulary: [String]) -> [String] {
    guard word.utf8.count > 1 else { return [] }
    let likely = vocabulary.filter {
      $0.utf8.first == word.utf8.first || between(word, $0, limit: 1) <= 1
    }
    return nearest(to: word, in: likely)
  }
}
