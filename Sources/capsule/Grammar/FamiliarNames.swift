/// Words that people know from other programs, and what they are called here. They are offered when
/// a command line is refused, and never taken.
struct FamiliarNames: Sendable {
  /// Words for a first word of the command line, or for the first two, by the words that name what is meant. A
  /// star stands for what is before the last dot.
  let commands: [String: [String]]
  /// Words for the verb of a noun, by the verb.
  let verbs: [String: [String]]
  /// Words for an option, by its name, without hyphens.
  let options: [String: [String]]

  static let none = FamiliarNames(commands: [:], verbs: [:], options: [:])

  /// Returns what a word that names no command is called here.
  func command(_ word: String) -> String? { name(of: word, in: commands) }

  /// Returns what a word behind a noun is called here, where it is no verb of that noun.
  func command(_ word: String, behind noun: String) -> String? {
    if let name = command("\(noun) \(word)") { return name }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, let last = parts.last else { return nil }
    return command("\(noun) *.\(last)")
  }

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
