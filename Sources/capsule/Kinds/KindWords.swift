import CapsuleCore

extension RecordKind {
  /// The word for several.
  var plural: String { self == .beneficiary ? "beneficiaries" : word + "s" }

  /// The word for one of them, with its article.
  var wordWithArticle: String {
    let beginsWithVowel = word.utf8.first.map { "aeiou".utf8.contains($0) } ?? false
    return (beginsWithVowel ? "an " : "a ") + word
  }

  /// The word for several, as a heading.
  var heading: String {
    self == .beneficiary ? "People" : plural.prefix(1).uppercased() + plural.dropFirst()
  }

  /// Returns the command of the kind that does what another command does; the one that shows it where
  /// there is none.
  func command(like verb: String) -> String {
    let last = verb.split(separator: " ").last.map(String.init) ?? ""
    let own = ["delete", "edit", "show"].contains(last) ? last : "show"
    return self == .capsule ? "capsule \(own)" : "capsule \(rawValue) \(own)"
  }
}
