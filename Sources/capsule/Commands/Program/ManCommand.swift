/// `capsule man`.
enum ManCommand {
  static let topic = RepeatableOperand(
    "TOPIC", .text(completing: .topic), "A command or a noun; without it, the program's own page")

  static let command = Command(
    "man", summary: "Print a man page",
    discussion: """
      Prints the page in the source form of `man`, for a directory of man pages or for `man -l -`.
      """,
    operands: [topic],
    examples: [Example("capsule man | man -l -", "Read the manual where it is not installed")],
    run: { invocation, session in
      let subject = try HelpCommand.subject(invocation[topic], invocation.table)
      let page = ReferencePage(subject, in: invocation.table).manual(version: Version.text)
      return try session.render { $0.bytes(page.utf8) }
    })
}
