import CapsuleCore

/// `capsule deliver`.
enum DeliverCommand {
  static let people = RepeatableOperand(
    "BENEFICIARY", .reference(.beneficiary), "An id, the start of one, or a name; all if none")
  static let output = Option(
    "output", short: "o", value: "DIR", .directory, "Where the folders are made, one a person")
  static let dryRun = Flag("dry-run", short: "n", "Show what would go to whom, and make nothing")
  static let seal = Flag(
    "seal", "Make a tar archive, sealed to the person's recipient, not a folder")
  static let withValues = Flag("with-values", "Say what items are worth")
  static let markSent = Flag("mark-sent", "Mark as sent what was made, once it is whole")
  static let mail = Flag("mail", "Mail each person a letter, and mark as sent what it holds")
  static let eml = Option(
    "eml", value: "DIR", .directory, "Write the letters into DIR, as files of mail")
  static let attach = Flag(
    "attach-in-the-clear",
    "With `--mail` or `--eml`: attach the files; all on the way can read them")
  static let timeLimit = Option(
    "time-limit", value: "SECONDS", .integer(1...86_400), default: "300",
    "How long the program that takes a mail may run")
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
      record, or with `--identity`. An honor lock of a protected store asks for the store's passphrase, \
      or takes it from `--passphrase-file`, `--passphrase-command` (in cron) or `store hold`. To deliver a capsule does not count as opening it.

      With `--seal` the folder is put into a tar archive that only the person can open, with \
      `age -d -i identity.txt NAME.tar.age | tar x`; nothing of it is written in the clear.

      With `--mark-sent` the bequests are marked sent when the person's folder is whole and on the \
      disk. Ended in between, the folder is there and the bequests are not marked: delivering again \
      says that it exists; mark them with `capsule bequest mark`, or move the folder away.

      With `--mail` each person gets a letter by mail, and what it holds is marked sent when the mail \
      program has taken it: handed over, which is not arrived. Mail is a postcard, so the letter goes alone: \
      with what an item is, and the texts of a capsule. A capsule with other files is left out, with 3. \
      `--seal` sends the whole folder as one file that only the person can open; `--attach-in-the-clear` \
      sends the files as they are. `--eml` writes the same messages into files.

      `$XDG_CONFIG_HOME/capsule/mail` (`~/.config/capsule/mail`) says how: `from = Your Name <you@example.org>`, \
      and where it is another than that, `command` (else `/usr/sbin/sendmail`), `bounce` (the address for what comes \
      back), `owner` (yours, for `check --mail`) and `limit` (else `10 MiB` a message). The \
      command is run by the shell with `-i -f BOUNCE -- ADDRESS` and the message on its input. Only when it \
      exits with 0 a mail counts as handed over; otherwise it is tried again at the next run, and this \
      ends with 3. One that was cut short may have left: it goes again with the same Message-ID, or \
      with another where its words were changed meanwhile, and that is said.
      """,
    operands: [people],
    options: [
      output, mail, eml, dryRun, seal, attach, withValues, markSent, KeyOptions.identity,
      PassphraseOptions.file, PassphraseOptions.command, timeLimit, exitCode,
    ],
    outputs: .json,
    examples: [
      Example("capsule deliver --dry-run", "Show what would go to whom"),
      Example("capsule deliver --output handover --mark-sent", "Make everybody's folder"),
      Example("capsule deliver Mia --output /media/stick --seal", "Seal what Mia receives to her"),
      Example("capsule deliver --mail", "Mail the letters that are due, as cron does"),
      Example("capsule deliver Mia --mail --dry-run", "Show what would be mailed to Mia"),
    ],
    exitCodes: [.none, .partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let isDryRun = invocation[dryRun]
    try checkWords(invocation)
    let references = invocation[people]
    let identities: [any Identity] = try KeyOptions.identities(invocation, session)
    guard let store = try session.existingStore() else {
      if let first = references.first { throw Failure.notFound(first, among: [.beneficiary]) }
      session.console.note("There is nothing to deliver now.")
      return try session.render(ending: invocation[exitCode] ? .none : .ok, json: .array([])) { _ in
      }
    }
    let named = try session.find(references, among: [.beneficiary], in: store).map(\.id)
    for directory in [invocation[output], invocation[eml]].compactMap(\.self) {
      try session.require(directory, outside: store)
    }
    let terms = DeliveryTerms(
      output: invocation[output], isSealed: invocation[seal], withValues: invocation[withValues],
      now: session.now, zone: session.zone)
    let opening = UnattendedOpening(
      session: session, store: store, identities: identities, invocation: invocation)
    if isMail(invocation) {
      return try MailDelivery(
        session: session, invocation: invocation, store: store, terms: terms,
        people: references.isEmpty ? nil : named, opening: opening
      ).run()
    }
    var plan = try store.deliveryPlan(
      for: references.isEmpty ? nil : named, terms, opening: opening.open)
    let planned = plan.issues.map { report($0, session) }.reduce(.ok, ExitCode.worst)
    var signal: ExitCode?
    if !isDryRun, plan.canBeMade {
      signal = try make(&plan, terms, marksSent: invocation[markSent], in: store, session)
    }
    let answer = DeliverAnswer(session: session, isSealed: terms.isSealed, isDryRun: isDryRun)
    let failures = plan.deliveries.compactMap(answer.failure)
    for failure in failures { session.console.report(failure) }
    if let signal {
      for delivery in plan.deliveries where delivery.outcome != .planned {
        session.console.note(
          "Made '\(delivery.path?.text ?? "")'\(delivery.outcome == .marked ? ", and marked it sent" : "")"
        )
      }
      return signal
    }
    let code = code(of: plan, failures, planned)
    let isEmpty = plan.deliveries.allSatisfy(\.gifts.isEmpty)
    if isEmpty, code == .ok { session.console.note("There is nothing to deliver now.") }
    return try session.render(
      ending: isEmpty && code == .ok && invocation[exitCode] ? .none : code,
      json: .array(plan.deliveries.map(answer.json))
    ) { answer.text(plan.deliveries, $0) }
  }

  private static func isMail(_ invocation: Invocation) -> Bool {
    invocation[mail] || invocation.has(eml)
  }

  /// Refuses words that do not go together.
  private static func checkWords(_ invocation: Invocation) throws {
    let ways = [invocation.has(output), invocation[mail], invocation.has(eml)].filter { $0 }.count
    guard ways < 2 else {
      throw Failure.usage(
        "'--output', '--mail' and '--eml' are three ways, and one is taken at a time",
        hint: "deliver once for each")
    }
    guard ways == 1 || invocation[dryRun] else {
      throw Failure.usage(
        "it is not said where to make the folders",
        hint: "'--output DIR' says it; '--mail' mails letters")
    }
    guard invocation[attach] else { return }
    guard isMail(invocation) else {
      throw Failure.usage(
        "'--attach-in-the-clear' is for mail", hint: "add '--mail', or '--eml DIR'")
    }
    guard !invocation[seal] else {
      throw Failure.usage(
        "files are attached sealed or in the clear, not both",
        hint: "take '--seal' or '--attach-in-the-clear'")
    }
  }

  /// Makes the folders, and ends where a signal comes.
  ///
  /// - Returns: the code of the signal that ended it.
  private static func make(
    _ plan: inout DeliveryPlan, _ terms: DeliveryTerms, marksSent: Bool, in store: Store,
    _ session: Session
  ) throws -> ExitCode? {
    guard
      let writer = DeliveryWriter(
        store, terms, marksSent: marksSent)
    else { return nil }
    for path in try writer.prepare(for: plan) {
      session.console.warning(
        "'\(path.text)' was left by a delivery that was killed, or that still runs",
        hint: "remove it if no delivery runs", details: ["path": .string(path.text)])
    }
    let signals = WorkSignals(session, "Delivering", total: plan.size)
    defer { signals.end() }
    do {
      try writer.make(&plan, watch: signals.pass)
    } catch let error as WorkSignals.Interrupted {
      return error.code
    }
    return nil
  }

  /// Reports something that is in no delivery.
  ///
  /// - Returns: the exit code that it stands for.
  static func report(_ issue: DeliveryIssue, _ session: Session) -> ExitCode {
    switch issue {
    case .person(let error): return session.console.report(error)
    case .gone(let reference, let bequest):
      session.console.warning(
        "a bequest names the \(reference.kind.word) '\(reference.id)', which is not there",
        hint:
          "'capsule bequest show \(bequest)' tells of it; bring that back, or delete the bequest",
        details: ["id": .string(bequest.description)])
    case .namesUnknown(let people):
      session.console.warning(
        "the name of a person cannot be read: folders of people with one name may be called otherwise "
          + "than before",
        hint:
          "look who is greeted in a folder before you give it away; 'capsule repair' mends what can "
          + "be mended",
        details: ["ids": .array(people.map { .string($0.description) })])
    case .unreadable(let failures):
      for failure in failures { session.console.report(failure) }
      session.console.warning(
        "some records are not what was written; what they say is in no delivery",
        hint: "'capsule verify' says which, 'capsule repair' mends what can be mended")
    }
    return .partial
  }

  /// Returns damage before everything; else, of some made and some failed, that it was partial.
  private static func code(
    of plan: DeliveryPlan, _ failures: [Failure], _ planned: ExitCode
  ) -> ExitCode {
    let worst = failures.map(\.kind.exitCode).reduce(planned, ExitCode.worst)
    if worst == .ok || worst == .damaged { return worst }
    let isSomeDone = plan.deliveries.contains { $0.problem == nil && !$0.gifts.isEmpty }
    return isSomeDone ? .partial : worst
  }
}
