import CapsuleCore

extension Session {
  /// Whether somebody sits at the terminal: what is typed there is the input, and it may be asked.
  var isInteractive: Bool {
    console.canAsk && host.input.isTerminal()
  }

  /// Asks before something is taken away; `--yes` answers.
  func confirm(_ question: String, unless isAnswered: Bool) throws {
    if isAnswered { return }
    let nothingDone = Failure(.refused, "nothing was done", hint: nil)
    let isConfirmed = try console.confirm(
      question,
      unanswered: Failure(
        .refused, "it has to be confirmed, and nothing may be asked", hint: "'--yes' confirms it"),
      ended: nothingDone)
    guard isConfirmed else { throw nothingDone }
  }
}
