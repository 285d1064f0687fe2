import CapsuleCore

/// A finder of the words that may stand at the end of a command line that is being typed: the parser's walk over the
/// words before has come to what may follow.
struct Completer: Sendable {
  private let table: CommandTable
  private let scanner: Scanner
  /// The word that is being typed.
  private let typed: [UInt8]

  /// - Parameter words: the words after `capsule`; the last one is being typed and may be empty.
  init(_ table: CommandTable, _ words: [[UInt8]]) {
    self.table = table
    typed = words.last ?? []
    var scanner = Scanner(words.dropLast(), table)
    repeat { scanner.scan() } while scanner.enter() != nil
    self.scanner = scanner
  }

  /// The store that the words before name.
  var store: FilePath? { scanner.invocation[GlobalOptions.store] }

  /// One word that may stand there.
  struct Candidate: Hashable, Sendable {
    var value: String
    var meaning: String

    init(_ value: String, _ meaning: String = "") {
      self.value = value
      self.meaning = meaning
    }
  }

  /// The words that a shell is to offer.
  enum Offer: Hashable, Sendable {
    case candidates([Candidate])
    case paths
    case directories
    /// Words of the store, each of them behind `lead` (`--option=` or nothing).
    case dynamic(Completion.Source, prefix: String, lead: String)
  }

  /// The words that may stand at the place of the one that is being typed.
  var offer: Offer {
    let current = String(decoding: typed, as: UTF8.self)
    if let owed = scanner.owed {
      return offer(owed.completion, prefix: current, lead: "", help: owed.help)
    }
    if !scanner.optionsEnded, typed.first == UInt8(ascii: "-") { return offerOption(current) }
    guard let command = scanner.command else {
      let candidates = scanner.noun.map(verbs) ?? firstWords
      return .candidates(candidates.filter { $0.value.hasPrefix(current) })
    }
    let before = scanner.invocation.words
    let operands = command.operands
    let last = operands.last.flatMap { $0.isRepeatable ? $0 : nil }
    guard let operand = before.count < operands.count ? operands[before.count] : last else {
      return .candidates([])
    }
    if operand.completion == .dynamic(.settingValue) {
      let name = before.last.map { String(decoding: $0, as: UTF8.self) }
      let key = Setting.all.first { $0.name == name }
      if key == .trustees {
        return offer(.dynamic(.trustees), prefix: current, lead: "", help: operand.help)
      }
      return .candidates(key.map { values(of: $0, current) } ?? [])
    }
    return offer(operand.completion, prefix: current, lead: "", help: operand.help)
  }

  private func offerOption(_ current: String) -> Offer {
    if case (let name, let value?)? = Scanner.longOption(typed) {
      guard let option = scanner.option(name), option.valueName != nil else {
        return .candidates([])
      }
      return offer(
        option.completion, prefix: String(decoding: value, as: UTF8.self), lead: "--\(name)=",
        help: option.help)
    }
    return .candidates(
      scanner.options.filter { $0.isRepeatable || !scanner.invocation.has($0) }
        .map { Candidate("--" + $0.name, $0.help) }.filter { $0.value.hasPrefix(current) })
  }

  private func offer(
    _ completion: Completion, prefix: String, lead: String, help: String
  ) -> Offer {
    switch completion {
    case .nothing: .candidates([])
    case .path: .paths
    case .directory: .directories
    case .choices(let choices):
      .candidates(choices.filter { $0.hasPrefix(prefix) }.map { Candidate(lead + $0, help) })
    case .dynamic(let source): .dynamic(source, prefix: prefix, lead: lead)
    }
  }

  /// Returns the values of a setting; of columns those that are not named yet, behind those that are.
  private func values(of key: Setting, _ current: String) -> [Candidate] {
    let named = key.isOfColumns ? current.parts(at: ",").dropLast() : []
    let lead = named.map { $0 + "," }.joined()
    return key.choices.filter { !named.contains($0) && (lead + $0).hasPrefix(current) }
      .map { Candidate(lead + $0, key.summary) }
  }

  private var firstWords: [Candidate] {
    table.firstWords.map { word in
      Candidate(word, table.command([word])?.summary ?? table.noun(word)?.summary ?? "")
    }
  }

  private func verbs(of noun: CommandGroup) -> [Candidate] {
    noun.commands.filter { !$0.isHidden }.map { Candidate($0.path.last ?? "", $0.summary) }
      + [Candidate("help", "Show help on these commands")]
  }
}
