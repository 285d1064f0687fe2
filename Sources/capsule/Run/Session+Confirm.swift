import CapsuleCore

extension Session {
  /// Asks before something is taken away; `--yes` answers.
  func confirm(_ question: String, unless isAnswered: Bool) throws {
    if isAnswered { return }
    let isConfirmed = try console.confirm(
      question,
      unanswered: Failure(
        .refused, "it has to be confirmed, and nothing may be asked", hint: "'--yes' confirms it"))
    guard isConfirmed else { throw Failure(.refused, "nothing was done", hint: nil) }
  }
}
