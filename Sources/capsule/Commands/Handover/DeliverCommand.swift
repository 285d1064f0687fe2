import CapsuleCore

/// `capsule deliver`.
enum DeliverCommand {
  static let people = RepeatableOperand(
    "BENEFICIARY", .reference(.beneficiary), "An id, the start of one, or a name; all if none")
  static let output = Option(
    "output", short: "o", value: "DIR", .directory, "Where the folders are made, one a person")
  static let dryRun = Flag("dry-run", "Show what would go to whom, and make nothing")
  static let seal = Flag(
    "seal", "Make a tar archive, sealed to the person's recipient, not a folder")
  static let withValues = Flag("with-values", "Say what items are worth")
  static let markSent = Flag("mark-sent", "Mark as sent what was made, once it is whole")
  static let exitCode = Flag("exit-code", "Exit with 1 when there is nothing to deliver")

  static let command = Command(
    "deliver", summary: "Make what people receive into folders for them",
    discussion: """
      For everything that is accessible now and not yet sent, each person gets a folder within DIR, \
      called by the person's name, also where only one person is named. It can be used without this \
      program: `index.html` shows it all in a browser without a network, `letter.txt` says the same, \
      and the files lie under their own names. Nothing that exists is overwritten, and nothing half \
      made is left.

      No locked capsule is opened. One with an honor lock is left out, and named with its date; any \
      other goes as its sealed files, with what to type to open them by hand. An unlocked capsule \
      goes in the clear where it opens without a question: with an honor lock, with a beacon in its \
      record, or with `--identity`. To deliver a capsule does not count as opening it.

      With `--seal` the folder is put into a tar archive that only the person can open, with \
      `age -d -i identity.txt NAME.tar.age | tar x`; nothing of it is written in the clear.

      With `--mark-sent` the bequests are marked sent when the person's folder is whole and on the \
      disk. Ended in between, the folder is there and the bequests are not marked: delivering again \
      says that it exists; mark them with `capsule bequest mark`, or move the folder away.
      """,
    operands: [people],
    options: [output, dryRun, seal, withValues, markSent, KeyOptions.identity, exitCode],
    outputs: .json,
    examples: [
      Example("capsule deliver --dry-run", "Show what would go to whom"),
      Example("capsule deliver --output handover --mark-sent", "Make everybody's folder"),
      Example("capsule deliver Mia --output /media/stick --seal", "Seal what Mia receives to her"),
    ],
    exitCodes: [.none, .partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let isDryRun = invocation[dryRun]
    guard isDryRun || invocation.has(output) else {
      throw Failure.usage(
        "it is not said where to make the folders", hint: "'--output DIR' says it")
    }
    let references = invocation[people]
    let identities: [any Identity] = try KeyOptions.identities(invocation, session)
    let answer = DeliverAnswer(
      session: session, isSealed: invocation[seal], isDryRun: isDryRun)
    guard let store = try session.existingStore() else {
      if let first = references.first { throw Failure.notFound(first, among: [.beneficiary]) }
      return try nothing(invocation, session)
    }
    var named: [RecordID]?
    if !references.isEmpty {
      named = []
      for reference in references {
        named?.append(try session.find(reference, among: [.beneficiary], in: store).id)
      }
    }
    var planner = try DeliveryPlanner(
      session: session, store: store,
      opening: UnattendedOpening(session: session, store: store, identities: identities),
      output: invocation[output], isSealed: invocation[seal], withValues: invocation[withValues])
    var deliveries = planner.deliveries(to: named)
    var signal: ExitCode?
    if !isDryRun, deliveries.contains(where: { !$0.gifts.isEmpty && $0.problem == nil }),
      let output = invocation[output]
    {
      if invocation[markSent] {
        try store.requireWritable()
      }
      signal = try DeliveryMaking(
        session: session, store: store, output: output, owner: planner.settings.owner,
        isSealed: invocation[seal], marksSent: invocation[markSent]
      ).make(&deliveries)
    }
    for delivery in deliveries {
      if let problem = delivery.problem { session.console.report(problem) }
    }
    if let signal {
      for delivery in deliveries where delivery.outcome == .made || delivery.outcome == .marked {
        session.console.note(
          "Made '\(delivery.path?.text ?? "")'\(delivery.outcome == .marked ? ", and marked it sent" : "")"
        )
      }
      return signal
    }
    let code = code(of: deliveries, planner.code)
    let isEmpty = deliveries.allSatisfy(\.gifts.isEmpty)
    if isEmpty, code == .ok { session.console.note("There is nothing to deliver now.") }
    return try session.render(
      ending: isEmpty && code == .ok && invocation[exitCode] ? .none : code,
      json: .array(deliveries.map(answer.json))
    ) { answer.text(deliveries, $0) }
  }

  private static func nothing(
    _ invocation: Invocation, _ session: Session
  ) throws -> ExitCode {
    session.console.note("There is nothing to deliver now.")
    return try session.render(ending: invocation[exitCode] ? .none : .ok, json: .array([])) { _ in }
  }

  /// Damage is told before everything; else, of some made and some failed, that it was partial.
  private static func code(of deliveries: [Delivery], _ planned: ExitCode) -> ExitCode {
    let worst = deliveries.compactMap(\.problem?.kind.exitCode).reduce(planned, ExitCode.worst)
    if worst == .ok || worst == .damaged { return worst }
    let isSomeDone = deliveries.contains { $0.problem == nil && !$0.gifts.isEmpty }
    return isSomeDone ? .partial : worst
  }
}
