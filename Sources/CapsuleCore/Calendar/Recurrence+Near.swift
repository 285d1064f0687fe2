extension Recurrence {
  /// Finds what was likely meant by a rule that is not understood: with each word that no rule has
  /// replaced by the nearest that one has. `nil` where that is no rule either.
  ///
  /// - Parameter isUnderstood: whether a text is a rule, where it was given.
  package static func near(_ text: String, isUnderstood: (String) -> Bool) -> String? {
    let words = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
    guard !words.isEmpty, words.count <= 12 else { return nil }
    var texts = [""]
    for word in words {
      let choices = choices(for: word)
      texts = texts.flatMap { text in
        choices.map { text.isEmpty ? $0 : "\(text) \($0)" }
      }
      // Of many unknown words none was meant.
      guard (1...27).contains(texts.count) else { return nil }
    }
    return (texts + texts.map { "every \($0)" }).first { $0 != text && isUnderstood($0) }
  }

  /// Returns what a word may have been meant for: itself where it is known.
  private static func choices(for word: String) -> [String] {
    if let other = others[word] { return [other] }
    if vocabulary.contains(word) || word.utf8.first?.isASCIIDigit == true { return [word] }
    return EditDistance.meant(by: word, in: vocabulary)
  }

  /// The words of rules.
  private static let vocabulary: [String] =
    [
      "every", "each", "other", "on", "of", "in", "the", "and", "hourly", "daily", "weekly",
      "fortnightly", "monthly", "quarterly", "yearly", "annually", "weekday", "weekdays", "weekend",
      "fortnight", "quarter", "first", "second", "third", "fourth", "last",
    ] + Weekday.allCases.map { $0.name.lowercased() }
    + ["minute", "hour", "day", "week", "month", "year"].flatMap { ["\($0)s", $0] }

  /// Words that no rule has, and those that are for them here. Not every month has a fifth Friday.
  private static let others = [
    "biweekly": "fortnightly", "bimonthly": "2 months", "semiannually": "6 months",
    "everyday": "daily", "5th": "last", "fifth": "last",
  ]
}
