/// A reader of command lines by a table. It prints nothing, ends nothing and reads no clock.
struct Parser: Sendable {
  let table: CommandTable

  init(_ table: CommandTable) {
    self.table = table
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
  func parse(_ words: [[UInt8]]) throws(UsageProblem) -> Outcome {
    var scanner = Scanner(words: words, table: table)
    var invocation = Invocation(table: table)
    let leading = GlobalOptions.specs(for: [.json, .ndjson]) + [GlobalOptions.version.spec]
    scanner.scan(leading, command: nil, into: &invocation, stopsAtOperand: true)
    if scanner.wantsHelp || scanner.problem != nil && scanner.helpFollows {
      return .help(.overview, invocation)
    }
    if let problem = scanner.problem { throw problem }
    if invocation[GlobalOptions.version] { return .version(invocation) }
    guard let word = scanner.next() else {
      invocation.isBare = true
      return .help(.overview, invocation)
    }

    let typed = String(decoding: word, as: UTF8.self)
    let first = table.realName(of: [typed])?[0] ?? typed
    if first != typed { invocation.typedName = typed }
    if let noun = table.noun(first) {
      return try parse(noun, name: first, &scanner, &invocation)
    }
    guard let command = table.command([first]) else {
      if scanner.helpFollows { return .help(.overview, invocation) }
      throw .unknownCommand(first, noun: nil, suggestion: table.suggestion(for: first))
    }
    return try parse(command, &scanner, &invocation)
  }

  private func parse(
    _ noun: CommandGroup, name: String, _ scanner: inout Scanner, _ invocation: inout Invocation
  ) throws(UsageProblem) -> Outcome {
    let standing = table.defaultCommand(of: noun)
    scanner.scan(
      table.leadingOptions(of: noun), command: standing?.name ?? name, into: &invocation,
      stopsAtOperand: true)
    if scanner.wantsHelp { return .help(.noun(noun), invocation) }
    if let problem = scanner.problem { throw problem }
    guard let word = scanner.next() else {
      guard let standing else { return .help(.noun(noun), invocation) }
      return try parse(standing, &scanner, &invocation)
    }
    let typed = String(decoding: word, as: UTF8.self)
    let verb = table.realName(of: [name, typed])?[1] ?? typed
    if verb != typed || invocation.typedName != nil {
      invocation.typedName = "\(invocation.typedName ?? name) \(typed)"
    }
    if verb == "help" {
      guard let next = scanner.next() else { return .help(.noun(noun), invocation) }
      let typed = String(decoding: next, as: UTF8.self)
      let command = try command(of: noun, name, table.realName(of: [name, typed])?[1] ?? typed)
      return .help(.command(command), invocation)
    }
    if table.command([name, verb]) == nil, scanner.helpFollows {
      return .help(.noun(noun), invocation)
    }
    return try parse(try command(of: noun, name, verb), &scanner, &invocation)
  }

  private func command(
    of noun: CommandGroup, _ name: String, _ verb: String
  ) throws(UsageProblem) -> Command {
    if let command = table.command([name, verb]) { return command }
    throw .unknownCommand(verb, noun: name, suggestion: table.suggestion(for: verb, of: noun))
  }

  private func parse(
    _ command: Command, _ scanner: inout Scanner, _ invocation: inout Invocation
  ) throws(UsageProblem) -> Outcome {
    let options = command.allOptions
    // An option that stood before the command must be one that the command has.
    for name in invocation.arguments.compactMap(\.optionName)
    where !options.contains(where: { $0.name == name }) {
      scanner.note(.unknownOption("--" + name, command: command.name, suggestion: nil))
    }
    scanner.scan(options, command: command.name, into: &invocation, stopsAtOperand: false)
    if scanner.wantsHelp { return .help(.command(command), invocation) }
    if let problem = scanner.problem { throw problem }
    if invocation[GlobalOptions.json], invocation[GlobalOptions.ndjson] {
      throw .contradiction("--json", "--ndjson")
    }
    try assignOperands(of: command, &invocation)
    return .run(command, invocation)
  }

  private func assignOperands(
    of command: Command, _ invocation: inout Invocation
  ) throws(UsageProblem) {
    var remaining = invocation.arguments.compactMap { argument -> [UInt8]? in
      if case .operand(let bytes) = argument { bytes } else { nil }
    }[...]
    var names: [String] = []
    let operands = command.operands
    for (index, spec) in operands.enumerated() {
      let needed = operands[(index + 1)...].reduce(0) { $0 + $1.minimum }
      let wanted = spec.isRepeatable ? remaining.count : 1
      let count = max(min(wanted, remaining.count - needed), min(spec.minimum, remaining.count))
      guard count >= spec.minimum else {
        throw .operandMissing(spec.name, command: command.name)
      }
      for word in remaining.prefix(count) {
        if let problem = spec.check(word) {
          throw .wrongOperand(
            String(decoding: word, as: UTF8.self), name: spec.name, problem: problem)
        }
        names.append(spec.name)
      }
      remaining = remaining.dropFirst(count)
    }
    if let extra = remaining.first {
      throw .operandUnwanted(String(decoding: extra, as: UTF8.self), command: command.name)
    }
    invocation.operandNames = names
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
