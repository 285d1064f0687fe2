import CapsuleCore

/// `capsule store accept`.
enum StoreAcceptCommand {
  static let command = Command(
    "store", "accept", summary: "Accept changed keys and recipients on this device",
    discussion: """
      This device remembers to whom each store seals: its own key, the keys of trustees, the recipients of \
      people, and the settings `trustees` and `postQuantum`. It remembers changes made here at once.

      A change that arrives with a sync, an archive or an edited file could come from someone else. Until you \
      accept the change, `create` and every other command that seals exits with status 7, and `verify` reports \
      it.

      This command lists each change, asks, and accepts all of them, for this store at this path. If you did \
      not make them, answer no, and restore the store from a backup.
      """,
    options: [DeleteCommand.yes], outputs: .json,
    examples: [
      Example("capsule store accept", "Review and accept changes"),
      Example("capsule store accept --yes --json", "Accept changes in a script"),
    ],
    exitCodes: [.notFound, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    guard let store = try session.stores.existing() else {
      throw Failure(.notFound, "there is no store")
    }
    let problems = try store.trustProblems()
    for problem in problems { session.console.note(StyledText(problem.words)) }
    if !problems.isEmpty {
      try session.ask.confirm(
        problems.count == 1
          ? "Did you make this change, and should this device accept it?"
          : "Did you make these \(problems.count) changes, and should this device accept them?",
        unless: invocation[DeleteCommand.yes])
    }
    let isKept = try store.acceptTrust(problems)
    guard isKept else {
      throw Failure(
        .io, "this device cannot remember it: its state directory cannot be written",
        hint: "see that XDG_STATE_HOME names a directory of yours")
    }
    return try session.console.render(
      json: .object(["accepted": .array(problems.map { .object($0.members) })])
    ) { out in
      guard !session.isQuiet else { return }
      out.line(
        problems.isEmpty
          ? "Nothing differs from what this device knows."
          : "Accepted \(String.counting(problems.count, "change")).")
    }
  }
}
