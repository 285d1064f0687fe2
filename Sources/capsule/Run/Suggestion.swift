/// The nearest of the words that were possible.
enum Suggestion {
  /// The nearest word by edits, if it is near enough to have been meant.
  static func nearest(to word: String, in words: [String]) -> String? {
    let limit = max(1, word.count / 3)
    var best: (word: String, distance: Int)?
    for candidate in words {
      let distance = distance(word, candidate)
      if distance <= limit, distance < best?.distance ?? .max {
        best = (candidate, distance)
      }
    }
    if let best { return best.word }
    // A word that was only begun: `compl` for `completions`.
    let begun = words.filter { word.count >= 2 && $0.hasPrefix(word) }
    return begun.count == 1 ? begun.first : nil
  }

  /// How many insertions, deletions, changes and swaps of neighbours lie between two words
  /// (Damerau-Levenshtein, optimal string alignment).
  static func distance(_ left: String, _ right: String) -> Int {
    let a = Array(left.lowercased())
    let b = Array(right.lowercased())
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        let change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
        row[j] = min(change, last[j] + 1, row[j - 1] + 1)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          row[j] = min(row[j], beforeLast[j - 2] + 1)
        }
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
