import CapsuleCore

/// A reader of command lines by a table. It prints nothing, ends nothing and reads no clock.
struct Parser {
  /// Returns the word for an operand that a command line lacks; `nil` where nobody can be asked.
  typealias Asking = (Command, any ParameterDeclaration, Invocation) throws(Fault) -> [UInt8]?

  let table: CommandTable
  private let ask: Asking

  /// - Parameter ask: asks for what is missing; by default nobody is asked.
  init(
    _ table: CommandTable, asking ask: @escaping Asking = { _, _, _ throws(Fault) in nil }
  ) {
    self.table = table
    self.ask = ask
  }

  /// The request that a command line makes.
  enum Outcome: Sendable {
    case run(Command, Invocation)
    /// Help, shown in the form that the other options ask for.
    case help(HelpSubject, Invocation)
    case version(Invocation)
  }

  /// Reads the words that follow the program's name.
  ///
  /// - Throws: the first problem, unless help is asked for.
  func parse(_ words: [[UInt8]]) throws(Fault) -> Outcome {
    var scanner = Scanner(words, table)
    scanner.scan()
    if scanner.wantsHelp || scanner.problem != nil && scanner.helpFollows {
      return .help(.overview, scanner.invocation)
    }
    if let problem = scanner.problem { throw Fault(problem) }
    if scanner.invocation[GlobalOptions.version] { return .version(scanner.invocation) }
    guard let name = scanner.enter() else {
      scanner.invocation.isBare = true
      return .help(.overview, scanner.invocation)
    }
    if let noun = scanner.noun { return try parse(noun, &scanner) }
    if let command = scanner.command { return try parse(command, &scanner) }
    if scanner.helpFollows { return .help(.overview, scanner.invocation) }
    throw Fault(
      UsageProblem.unknownCommand(name, noun: nil, suggestion: table.suggestion(for: name)))
  }

  private func parse(
    _ noun: CommandGroup, _ scanner: inout Scanner
  ) throws(Fault) -> Outcome {
    scanner.scan()
    if scanner.wantsHelp { return .help(.noun(noun), scanner.invocation) }
    if let problem = scanner.problem { throw Fault(problem) }
    var verb = scanner.enter()
    let isAboutHelp = verb == "help" && scanner.command == nil
    if isAboutHelp {
      verb = scanner.enter()
    } else if verb == nil, let standing = table.defaultCommand(of: noun) {
      scanner.enter(standing)
    }
    if let command = scanner.command {
      return isAboutHelp
        ? .help(.command(command), scanner.invocation) : try parse(command, &scanner)
    }
    guard let verb, isAboutHelp || !scanner.helpFollows else {
      return .help(.noun(noun), scanner.invocation)
    }
    throw Fault(
      UsageProblem.unknownCommand(
        verb, noun: noun.noun, suggestion: table.suggestion(for: verb, of: noun)))
  }

  private func parse(
    _ command: Command, _ scanner: inout Scanner
  ) throws(Fault) -> Outcome {
    scanner.scan()
    var invocation = scanner.invocation
    if scanner.wantsHelp { return .help(.command(command), invocation) }
    if let problem = scanner.problem { throw Fault(problem) }
    try invocation.refuse(GlobalOptions.json, with: [GlobalOptions.ndjson])
    var remaining = invocation.words[...]
    let operands = command.operands
    for (index, operand) in operands.enumerated() {
      let needed = operands[(index + 1)...].reduce(0) { $0 + $1.minimum }
      let wanted = operand.isRepeatable ? remaining.count : 1
      let count = max(
        min(wanted, remaining.count - needed), min(operand.minimum, remaining.count))
      guard count >= operand.minimum else {
        guard let word = try ask(command, operand, invocation) else {
          throw Fault(UsageProblem.operandMissing(operand.name, command: command.name))
        }
        scanner.invocation.append(.operand(word))
        return try parse(command, &scanner)
      }
      for word in remaining.prefix(count) {
        if let problem = operand.check(word) {
          throw Fault(
            UsageProblem.wrongOperand(
              String(decoding: word, as: UTF8.self), name: operand.name, problem: problem))
        }
      }
      invocation.operands[operand.name] = Array(remaining.prefix(count))
      remaining = remaining.dropFirst(count)
    }
    if let extra = remaining.first {
      throw Fault(
        UsageProblem.operandUnwanted(String(decoding: extra, as: UTF8.self), command: command.name))
    }
    return .run(command, invocation)
  }
}

/// The thing that help was asked about.
enum HelpSubject: Sendable {
  /// The commands of every day, on one screen.
  case overview
  case everything
  case noun(CommandGroup)
  case command(Command)
  case topic(HelpTopic)
}

/// The reason why a command line is not understood.
enum UsageProblem: Hashable, Sendable {
  case unknownCommand(String, noun: String?, suggestion: String?)
  case unknownTopic(String, suggestion: String?)
  case unknownOption(String, command: String?, suggestion: String?)
  case valueMissing(option: String, value: String)
  case valueUnwanted(option: String)
  case givenTwice(option: String)
  /// - Parameter other: Another option of the command that the value may have been meant for.
  case wrongValue(option: String, value: String, problem: ValueProblem, other: String? = nil)
  case wrongOperand(String, name: String, problem: ValueProblem)
  case operandMissing(String, command: String)
  case operandUnwanted(String, command: String)
  case contradiction(String, String)
}

/// The reason why a word is not a value of its type.
enum ValueProblem: Hashable, Sendable {
  case notText
  case notInteger(minimum: Int, maximum: Int?)
  case notAChoice([String])
  case empty
  /// Standard output was meant, where a directory is.
  case hyphen
  /// One of many names, which a command lists.
  case unknown(String, among: [String], list: String)
}

extension UsageProblem: FaultCause {
  var code: Fault.Code { .usage }

  var message: Fault.Message {
    switch self {
    case .unknownCommand(let word, let noun, _):
      "unknown command '\(noun.map { $0 + " " } ?? "")\(word)'"
    case .unknownTopic(let word, _): "unknown command or topic '\(word)'"
    case .unknownOption(let option, let command?, _):
      "unknown option '\(option)' for 'capsule \(command)'"
    case .unknownOption(let option, nil, _): "unknown option '\(option)'"
    case .valueMissing(let option, _): "option '\(option)' needs a value"
    case .valueUnwanted(let option): "option '\(option)' takes no value"
    case .givenTwice(let option): "option '\(option)' is given twice"
    case .wrongValue(let option, let value, let problem, _):
      "invalid value for '\(option)': '\(value)': \(problem.message)"
    case .wrongOperand(let value, _, .unknown(let thing, _, _)): "unknown \(thing) '\(value)'"
    case .wrongOperand(let value, let name, let problem):
      "invalid \(name): '\(value)': \(problem.message)"
    case .operandMissing(let name, _): "\(name) is missing"
    case .operandUnwanted(let word, _): "unexpected operand '\(word)'"
    case .contradiction(let left, let right):
      "'\(left)' and '\(right)' cannot be given together"
    }
  }

  var hint: String? {
    func meant(_ word: String) -> String { "did you mean '\(word)'?" }
    switch self {
    case .unknownCommand(_, let noun, let suggestion):
      return suggestion.map(meant)
        ?? "list all commands: \(noun.map { "capsule help \($0)" } ?? "capsule help")"
    case .unknownTopic(_, let suggestion):
      return suggestion.map(meant) ?? "list all commands: capsule help"
    case .unknownOption(_, let command, let suggestion):
      return suggestion.map(meant) ?? command.map { "list the options: capsule help \($0)" }
        ?? "list the options: capsule help options"
    case .valueMissing(let option, let value): return "write '\(option) \(value)'"
    case .valueUnwanted(let option): return "write '\(option)' alone"
    case .givenTwice: return "give it once"
    case .wrongValue(_, let value, let problem, let other):
      return other.map { meant("\($0) \(value)") } ?? problem.suggestion(for: value).map(meant)
    case .wrongOperand(let value, _, let problem):
      if case .unknown(let thing, _, let list) = problem, problem.suggestion(for: value) == nil {
        return "list all \(thing)s: \(list)"
      }
      return problem.suggestion(for: value).map(meant)
    case .operandMissing(_, let command): return "show the usage: capsule help \(command)"
    case .operandUnwanted(let word, let command):
      let looksLikeDate =
        word.utf8.first.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
      return "show the usage: capsule help \(command); "
        + (looksLikeDate
          ? "use an option for a date or number" : "quote words that belong together")
    case .contradiction: return "leave out one of the two"
    }
  }
}

/// The words stand behind the value.
extension ValueProblem: FaultCause {
  var code: Fault.Code { .usage }

  var message: Fault.Message {
    switch self {
    case .notText: "must be text in UTF-8"
    case .notInteger(let minimum, let maximum):
      "must be a whole number from \(minimum)" + (maximum.map { " to \($0)" } ?? "")
    case .notAChoice(let choices): "must be one of \(choices.joined(separator: ", "))"
    case .unknown(let thing, _, _): "not a \(thing)"
    case .empty: "must not be empty"
    case .hyphen: "must be a directory (write ./- for one of this name)"
    }
  }

  fileprivate func suggestion(for value: String) -> String? {
    switch self {
    case .notAChoice(let choices), .unknown(_, let choices, _):
      return Suggestion.nearest(to: value, in: choices)
    case .notText, .notInteger, .empty, .hyphen: return nil
    }
  }
}

/// A walk over the words of a command line: options and their values, the names of a noun and a command, operands,
/// `--`. What it has come to is what the parser decides by, and what a shell may offer next.
struct Scanner {
  private let words: [[UInt8]]
  private let table: CommandTable
  private var position = 0
  private(set) var optionsEnded = false
  /// The noun and the command that were named so far, and the options that may be given behind them.
  private(set) var noun: CommandGroup?
  private(set) var command: Command?
  private(set) var options = GlobalOptions.leading
  /// The option that the last word is, where its value has to follow.
  private(set) var owed: (any ParameterDeclaration)?
  /// The first problem; help that comes later still counts.
  private(set) var problem: UsageProblem?
  var invocation: Invocation

  init(_ words: [[UInt8]], _ table: CommandTable) {
    self.words = words
    self.table = table
    invocation = Invocation(table: table)
  }

  /// Whether `-h` or `--help` stood where an option may.
  var wantsHelp: Bool { invocation[GlobalOptions.help] }

  /// Whether help is asked for in the remaining words, read without knowing which options take
  /// values.
  var helpFollows: Bool {
    if optionsEnded { return false }
    let rest = words[position...].prefix { $0 != Array("--".utf8) }
    return rest.contains(Array("--help".utf8)) || rest.contains(Array("-h".utf8))
  }

  /// Reads options, up to a name; behind a command operands too, up to the end.
  mutating func scan() {
    let hyphen = UInt8(ascii: "-")
    while position < words.count {
      let word = words[position]
      let isOperand = optionsEnded || word.first != hyphen || word.count == 1
      if isOperand, command == nil { return }
      position += 1
      if isOperand {
        invocation.append(.operand(word))
      } else if word == [hyphen, hyphen] {
        optionsEnded = true
      } else if let (name, value) = Self.longOption(word) {
        scanLong(name, attached: value)
      } else {
        scanCluster(word)
      }
    }
  }

  /// Takes the next word, whatever it is, as the name of a noun, a verb behind it, or a command.
  ///
  /// - Returns: the word, or the name that it is taken for; `nil` at the end.
  mutating func enter() -> String? {
    guard let word = next() else { return nil }
    let lead = noun?.noun
    let typed = String(decoding: word, as: UTF8.self)
    let path = [lead, typed].compactMap(\.self)
    let names = table.realName(of: path) ?? path
    let name = names[names.count - 1]
    if name != typed || names.count > path.count || invocation.typedName != nil {
      invocation.typedName = [invocation.typedName ?? lead, typed].compactMap(\.self)
        .joined(separator: " ")
    }
    if names.count == 2 {
      if let command = table.command(names) { enter(command) }
    } else if let noun = table.noun(name) {
      self.noun = noun
      options = table.leadingOptions(of: noun)
    } else if let command = table.command([name]) {
      enter(command)
    }
    return name
  }

  /// Goes on with a command. An option that stood before it must be one that it has.
  mutating func enter(_ command: Command) {
    self.command = command
    options = command.allOptions
    for name in invocation.arguments.compactMap(\.optionName)
    where !options.contains(where: { $0.name == name }) { noteUnknown("--" + name) }
  }

  /// Splits `--name` or `--name=value`; `nil` for another word.
  static func longOption(_ word: [UInt8]) -> (name: String, value: [UInt8]?)? {
    guard word.starts(with: "--".utf8) else { return nil }
    let parts = word[2...].split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    return (
      String(decoding: parts[0], as: UTF8.self), parts.count > 1 ? Array(parts[1]) : nil
    )
  }

  /// Returns the option of this name, or of this name before.
  func option(_ name: String) -> (any ParameterDeclaration)? {
    options.first { $0.name == name || name.count > 1 && $0.formerName == name }
  }

  private mutating func scanLong(_ name: String, attached: [UInt8]?) {
    guard let option = option(name) else {
      let nearest =
        table.familiar.option(name, among: options)?.name
        ?? Suggestion.nearest(to: name, in: options.map(\.name))
      return noteUnknown("--" + name, suggestion: nearest.map { "--" + $0 })
    }
    if option.valueName == nil, attached != nil {
      return note(.valueUnwanted(option: "--" + name))
    }
    take(option, as: "--" + name, attached: attached)
  }

  private mutating func scanCluster(_ word: [UInt8]) {
    for index in 1..<word.count {
      let letter = Unicode.Scalar(word[index])
      let shown = letter.isASCII ? "-\(letter)" : String(decoding: word, as: UTF8.self)
      guard letter.isASCII,
        let option = options.first(where: { $0.short == letter })
          ?? options.first(where: { $0.formerName == String(letter) })
      else {
        return noteUnknown(shown)
      }
      let rest = Array(word[(index + 1)...])
      let takesRest = option.valueName != nil && !rest.isEmpty
      take(option, as: shown, attached: takesRest ? rest : nil)
      if option.valueName != nil { return }
    }
  }

  private mutating func take(
    _ option: any ParameterDeclaration, as shown: String, attached: [UInt8]?
  ) {
    guard let valueName = option.valueName else {
      return invocation.append(.flag(option.name))
    }
    guard let value = attached ?? next() else {
      owed = option
      return note(.valueMissing(option: shown, value: valueName))
    }
    if !option.isRepeatable, invocation.has(option) {
      note(.givenTwice(option: shown))
    } else if let wrong = option.check(value) {
      // A word that is no value of an option of all commands may be one of the command's own.
      let others = options.filter { $0.name != option.name && $0.check(value) == nil }
      note(
        .wrongValue(
          option: shown, value: String(decoding: value, as: UTF8.self), problem: wrong,
          other: table.familiar.option(option.name, among: others).map { "--" + $0.name }))
    }
    invocation.append(.option(option.name, value))
  }

  private mutating func next() -> [UInt8]? {
    guard position < words.count else { return nil }
    defer { position += 1 }
    return words[position]
  }

  private mutating func noteUnknown(_ option: String, suggestion: String? = nil) {
    let place = command?.name ?? noun.flatMap { table.defaultCommand(of: $0)?.name ?? $0.noun }
    note(.unknownOption(option, command: place, suggestion: suggestion))
  }

  private mutating func note(_ problem: UsageProblem) {
    self.problem = self.problem ?? problem
  }
}
