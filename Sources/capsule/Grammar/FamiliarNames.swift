/// Words that people know from other programs, and what they are called here. They are offered when
/// a command line is refused, and never taken.
struct FamiliarNames: Sendable {
  /// Words for a first word of the command line, by the words that name what is meant.
  let commands: [String: [String]]
  /// Words for the verb of a noun, by the verb.
  let verbs: [String: [String]]
  /// Words for an option, by its name, without hyphens.
  let options: [String: [String]]

  static let none = FamiliarNames(commands: [:], verbs: [:], options: [:])

  /// Returns what a word that names no command is called here.
  func command(_ word: String) -> String? { name(of: word, in: commands) }

  /// Returns the verbs that a word may stand for, in a fixed order.
  func verbs(_ word: String) -> [String] {
    verbs.filter { $0.value.contains(word.lowercased()) }.map(\.key).sorted()
  }

  /// Returns the first of some options that a word may stand for.
  func option(_ word: String, among specs: [OptionSpec]) -> OptionSpec? {
    specs.first { options[$0.name]?.contains(word.lowercased()) ?? false }
  }

  private func name(of word: String, in names: [String: [String]]) -> String? {
    names.filter { $0.value.contains(word.lowercased()) }.map(\.key).min()
  }
}
