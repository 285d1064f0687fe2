/// `capsule man`.
enum ManCommand {
  static let topic = Parameter.operands(
    "TOPIC", .text(completing: .topic), "A command or a noun; without it, the program's own page")

  static let command = Command(
    "man", summary: "Print a man page",
    discussion: """
      Shows the page at a terminal. Elsewhere it prints the source form, for a directory of man pages.
      """,
    operands: [topic],
    examples: [
      Example("capsule man create", "Read the manual of a command"),
      Example("capsule man > capsule.1", "Write the program's page to a file"),
    ],
    run: { invocation, session in
      let subject = try HelpCommand.subject(invocation[topic], invocation.table)
      let page = ManualPage.about(subject, invocation.table)
      let text = page.text(version: Version.text)
      guard session.console.out.isTerminal else {
        return try session.console.render { $0.bytes(text.utf8) }
      }
      if try isShown(text, session) { return .ok }
      let columns = min(session.console.out.width ?? 80, 100)
      try session.pager.show { out in
        for line in page.page.lines(columns: columns) { out.row(line) }
      }
      return .ok
    })

  /// Shows a page of the manual by `man`.
  ///
  /// - Returns: whether it did: not where there is no `man`, or one that reads no page from standard input.
  private static func isShown(_ text: String, _ session: Session) throws -> Bool {
    let outcome = try session.pager.run("man -l - 2>/dev/null", with: Array(text.utf8))
    if case .exited(0) = outcome.end { return true }
    return outcome.interruption != nil
  }
}
