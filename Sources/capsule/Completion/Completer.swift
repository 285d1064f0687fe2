/// Finds what may stand at the end of a command line that is being typed.
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

  /// What a shell is to offer.
  enum Offer: Hashable, Sendable {
    case candidates([Candidate])
    case paths
    case directories
    /// What the store has; each value is to begin with `lead` (`--option=` or nothing).
    case dynamic(Completion.Source, prefix: String, lead: String)
  }

  /// - Parameter words: the words after `capsule`; the last one is being typed and may be empty.
  func offer(_ words: [[UInt8]]) -> Offer {
    let current = String(decoding: words.last ?? [], as: UTF8.self)
    var walk = Walk(table)
    for word in words.dropLast() { walk.take(String(decoding: word, as: UTF8.self)) }

    if let owed = walk.owed {
      return offer(owed.completion, prefix: current, lead: "", help: owed.help)
    }
    if !walk.optionsEnded, current.hasPrefix("-") {
      return offerOption(current, walk)
    }
    guard let command = walk.command else {
      let candidates = walk.noun.map(verbs) ?? firstWords
      return .candidates(candidates.filter { $0.value.hasPrefix(current) })
    }
    guard let operand = walk.operand(of: command) else { return .candidates([]) }
    return offer(operand.completion, prefix: current, lead: "", help: operand.help)
  }

  private func offerOption(_ current: String, _ walk: Walk) -> Offer {
    if current.hasPrefix("--"), let equals = current.firstIndex(of: "=") {
      let name = current[current.index(current.startIndex, offsetBy: 2)..<equals]
      guard let spec = walk.options.first(where: { $0.name == name && $0.valueName != nil }) else {
        return .candidates([])
      }
      let lead = "--\(name)="
      return offer(
        spec.completion, prefix: String(current.dropFirst(lead.count)), lead: lead, help: spec.help)
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

/// What the words before the one that is typed have settled, as far as they make sense.
private struct Walk {
  let table: CommandTable
  var noun: CommandGroup?
  var command: Command?
  /// The option whose value comes next.
  var owed: OptionSpec?
  var optionsEnded = false
  var given: Set<String> = []
  private var operands = 0

  init(_ table: CommandTable) {
    self.table = table
  }

  /// The options that may be given now.
  var options: [OptionSpec] {
    if let command { return command.allOptions }
    let common = GlobalOptions.specs(for: [.json, .ndjson])
    return noun == nil ? common + [GlobalOptions.version.spec] : common
  }

  mutating func take(_ word: String) {
    if owed != nil {
      owed = nil
    } else if optionsEnded || !word.hasPrefix("-") || word == "-" {
      takeOperand(word)
    } else if word == "--" {
      optionsEnded = true
    } else if word.hasPrefix("--") {
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1)
      take(options.first { $0.name == parts.first ?? "" }, hasValue: word.contains("="))
    } else {
      takeCluster(Array(word.dropFirst()))
    }
  }

  private mutating func take(_ spec: OptionSpec?, hasValue: Bool) {
    guard let spec else { return }
    given.insert(spec.name)
    if spec.valueName != nil, !hasValue { owed = spec }
  }

  private mutating func takeCluster(_ letters: [Character]) {
    for (index, letter) in letters.enumerated() {
      let spec = options.first { $0.short == letter }
      take(spec, hasValue: index < letters.count - 1)
      if spec?.valueName != nil { return }
    }
  }

  private mutating func takeOperand(_ word: String) {
    if command != nil {
      operands += 1
    } else if let name = noun?.noun {
      command = table.command([name, word])
    } else {
      command = table.command([word])
      if command == nil { noun = table.noun(word) }
    }
  }

  /// The operand that comes next.
  func operand(of command: Command) -> OperandSpec? {
    if operands < command.operands.count { return command.operands[operands] }
    return command.operands.last.flatMap { $0.isRepeatable ? $0 : nil }
  }
}
