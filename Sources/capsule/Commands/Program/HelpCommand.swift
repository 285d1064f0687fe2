/// `capsule help`.
enum HelpCommand {
  static let topic = RepeatableOperand(
    "TOPIC", .text(completing: .topic), "A command, a noun or a topic")

  static let command = Command(
    "help", summary: "Show help on a command or a topic",
    operands: [topic],
    outputs: .json,
    examples: [
      Example("capsule help create", "Show how a capsule is made"),
      Example("capsule help exit-codes", "Show what each exit code means"),
    ],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws(Failure) -> ExitCode {
    let words = invocation[topic]
    return try show(try subject(words, session.table), session)
  }

  static func show(_ subject: HelpSubject, _ session: Session) throws(Failure) -> ExitCode {
    try session.render { out in
      for command in session.table.visibleCommands {
        out.line("\(command.name)  \(command.summary)")
      }
    }
  }

  private static func subject(_ words: [String], _ table: CommandTable) throws(Failure)
    -> HelpSubject
  {
    guard let first = words.first else { return .overview }
    if let command = table.command(words) { return .command(command) }
    if words.count == 1, let noun = table.noun(first) { return .noun(noun) }
    if words.count == 1, let topic = table.topic(first) { return .topic(topic) }
    let name = words.joined(separator: " ")
    let names =
      table.visibleCommands.map(\.name) + table.firstWords + table.topics.map(\.name)
    throw Failure(
      UsageProblem.unknownTopic(name, suggestion: Suggestion.nearest(to: name, in: names)))
  }
}
