/// Words that people know from other programs, and names that commands had before. Some are taken for the name that
/// a command has here; the others are offered when a command line is refused.
struct FamiliarNames: Sendable {
  /// Words that are taken for a command, or for a noun, by its name here: a word alone, or a noun and a verb.
  let taken: [String: [String]]
  /// Words that are taken for the verb of any noun that has it, by the verb.
  let takenVerbs: [String: [String]]
  /// Words for a first word of the command line, or for the first two, by the words that name what is meant. A
  /// star stands for what is before the last dot.
  let commands: [String: [String]]
  /// Words for the verb of a noun, by the verb.
  let verbs: [String: [String]]
  /// Words for an option, by its name, without hyphens.
  let options: [String: [String]]

  static let none = FamiliarNames(
    taken: [:], takenVerbs: [:], commands: [:], verbs: [:], options: [:])

  /// Returns the command or the noun that a word is taken for.
  func taken(_ word: String) -> String? { taken.first { $0.value.contains(word) }?.key }

  /// Returns the verb of a noun that a word behind it is taken for.
  func taken(_ word: String, behind noun: String, among verbs: [String]) -> String? {
    if let name = taken("\(noun) \(word)") { return String(name.dropFirst(noun.count + 1)) }
    return verbs.first { takenVerbs[$0]?.contains(word) ?? false }
  }

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
  func option(
    _ word: String, among parameters: [any ParameterDeclaration]
  ) -> (any ParameterDeclaration)? {
    parameters.first { options[$0.name]?.contains(word.lowercased()) ?? false }
  }

  private func name(of word: String, in names: [String: [String]]) -> String? {
    names.filter { $0.value.contains(word.lowercased()) }.map(\.key).min()
  }
}
