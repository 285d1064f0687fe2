import CapsuleCore

/// A finder of the words that may stand at the end of a command line that is being typed.
struct Completer: Sendable {
  let table: CommandTable

  init(_ table: CommandTable) {
    self.table = table
  }

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

  /// Finds the words that may stand at the place of the last one.
  ///
  /// - Parameter words: the words after `capsule`; the last one is being typed and may be empty.
  func offer(_ words: [[UInt8]]) -> Offer {
    let current = String(decoding: words.last ?? [], as: UTF8.self)
    var walk = Walk(table)
    for word in words.dropLast() { walk.take(String(decoding: word, as: UTF8.self)) }

    if let owed = walk.owed {
      return offer(owed.completion, prefix: current, lead: "", help: owed.help)
    }
    if !walk.optionsEnded, current.utf8.first == UInt8(ascii: "-") {
      return offerOption(current, walk)
    }
    guard let command = walk.command else {
      let candidates = walk.noun.map(verbs) ?? firstWords
      return .candidates(candidates.filter { $0.value.hasPrefix(current) })
    }
    guard let operand = walk.operand(of: command) else { return .candidates([]) }
    if operand.completion == .dynamic(.settingValue) {
      let key = Setting.all.first { $0.name == walk.lastOperand }
      if key == .trustees {
        return offer(.dynamic(.trustees), prefix: current, lead: "", help: operand.help)
      }
      return .candidates(key.map { values(of: $0, current) } ?? [])
    }
    return offer(operand.completion, prefix: current, lead: "", help: operand.help)
  }

  private func offerOption(_ current: String, _ walk: Walk) -> Offer {
    if case (let name, let value?)? = LongOption.parts(of: current) {
      guard let spec = walk.options.first(where: { $0.name == name && $0.valueName != nil }) else {
        return .candidates([])
      }
      return offer(spec.completion, prefix: value, lead: "--\(name)=", help: spec.help)
    }
    let options = walk.options.filter { $0.isRepeatable || !walk.given.contains($0.name) }
    return .candidates(
      options.map { Candidate("--" + $0.name, $0.help) }.filter { $0.value.hasPrefix(current) })
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

/// A long option as it is typed. Bytes are compared, as the parser does.
private enum LongOption {
  /// Splits `--name` or `--name=value`; `nil` for another word.
  static func parts(of word: String) -> (name: String, value: String?)? {
    guard let body = word.behind("--") else { return nil }
    let parts = body.utf8.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    return (parts[0], parts.count > 1 ? parts[1] : nil)
  }
}

/// The state that the words before the one that is typed lead to, as far as they make sense.
private struct Walk {
  let table: CommandTable
  var noun: CommandGroup?
  var command: Command?
  /// The option whose value comes next.
  var owed: OptionSpec?
  var optionsEnded = false
  var given: Set<String> = []
  private var operands = 0
  /// The operand before the word that is typed; empty for none.
  private(set) var lastOperand = ""

  init(_ table: CommandTable) {
    self.table = table
  }

  /// The options that may be given now.
  var options: [OptionSpec] {
    if let command { return command.allOptions }
    if let noun { return table.leadingOptions(of: noun) }
    return GlobalOptions.specs(for: [.json, .ndjson]) + [GlobalOptions.version.spec]
  }

  mutating func take(_ word: String) {
    if owed != nil {
      owed = nil
    } else if optionsEnded || word.utf8.first != UInt8(ascii: "-") || word == "-" {
      takeOperand(word)
    } else if word == "--" {
      optionsEnded = true
    } else if let (name, value) = LongOption.parts(of: word) {
      take(options.first { $0.name == name }, hasValue: value != nil)
    } else {
      takeCluster(Array(word.unicodeScalars.dropFirst()))
    }
  }

  private mutating func take(_ spec: OptionSpec?, hasValue: Bool) {
    guard let spec else { return }
    given.insert(spec.name)
    if spec.valueName != nil, !hasValue { owed = spec }
  }

  private mutating func takeCluster(_ letters: [Unicode.Scalar]) {
    for (index, letter) in letters.enumerated() {
      let spec = options.first { $0.short == letter }
      take(spec, hasValue: index < letters.count - 1)
      if spec?.valueName != nil { return }
    }
  }

  private mutating func takeOperand(_ word: String) {
    if command != nil {
      operands += 1
      lastOperand = word
    } else if let name = noun?.noun {
      command = table.command([name, word])
    } else {
      command = table.command([word])
      if command == nil { noun = table.noun(word) }
    }
  }

  /// Returns the operand that comes next.
  func operand(of command: Command) -> OperandSpec? {
    let specs = command.operands
    if operands < specs.count { return specs[operands] }
    return specs.last.flatMap { $0.isRepeatable ? $0 : nil }
  }
}
