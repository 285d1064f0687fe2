/// `capsule help`.
enum HelpCommand {
  static let topic = Parameter.operands(
    "TOPIC", .text(completing: .topic), "A command, a noun or a topic")

  static let all = Parameter.flag("all", "List every command and topic")

  static let command = Command(
    "help", summary: "Show help on a command or a topic",
    operands: [topic], options: [all],
    outputs: .json,
    examples: [
      Example("capsule help create", "Learn how to use a command"),
      Example("capsule help exit-codes", "Look up the exit statuses"),
    ],
    run: { invocation, session in
      let words = invocation[topic]
      let subject =
        words.isEmpty && invocation[all]
        ? .everything : try subject(words, invocation.table)
      return try show(subject, invocation.table, session)
    })

  static func show(_ subject: HelpSubject, _ table: CommandTable, _ session: Session) throws
    -> ExitCode
  {
    let columns = min(session.console.out.width ?? 80, 100)
    guard session.options.form == .text else {
      return try session.console.render(json: table.json(subject)) { _ in }
    }
    let lines =
      if case .overview = subject {
        FirstScreen.lines(table, columns: columns)
      } else {
        ReferencePage(subject, in: table).lines(columns: columns)
      }
    try session.pager.show { out in for line in lines { out.row(line) } }
    return .ok
  }

  static func subject(
    _ words: [String], _ table: CommandTable
  ) throws -> HelpSubject {
    guard let first = words.first else { return .overview }
    if let real = table.realName(of: words) { return try subject(real, table) }
    if let command = table.command(words) { return .command(command) }
    if words.count == 1, let noun = table.noun(first) { return .noun(noun) }
    if words.count == 1, let topic = table.topic(first) { return .topic(topic) }
    let name = words.joined(separator: " ")
    let names = table.visibleCommands.map(\.name) + table.firstWords + table.topics.map(\.name)
    throw UsageProblem.unknownTopic(name, suggestion: Suggestion.nearest(to: name, in: names))
  }
}

extension ReferencePage {
  /// The page about a subject.
  init(_ subject: HelpSubject, in table: CommandTable) {
    switch subject {
    case .overview, .everything: self.init(overviewOf: table)
    case .noun(let group): self.init(noun: group)
    case .command(let command): self.init(command)
    case .topic(let topic): self.init(topic)
    }
  }
}
