import CapsuleCore

/// The nearest of the words that were possible.
enum Suggestion {
  /// Returns the nearest word by edits, if it is near enough to have been meant, else the only one
  /// that was begun: `compl` for `completions`.
  static func nearest(to word: String, in words: [String]) -> String? {
    let count = word.unicodeScalars.count
    let limit = max(1, count / 3)
    var best: (word: String, distance: Int)?
    for candidate in words {
      let distance = EditDistance.between(
        word.lowercased(), candidate.lowercased(), limit: limit)
      if distance <= limit, distance < best?.distance ?? .max {
        best = (candidate, distance)
      }
    }
    if let best { return best.word }
    let begun = words.filter { count >= 2 && $0.utf8.starts(with: word.utf8) }
    return begun.count == 1 ? begun.first : nil
  }
}
