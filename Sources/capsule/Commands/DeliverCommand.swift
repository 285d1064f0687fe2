import CapsuleCore

/// `capsule deliver`.
enum DeliverCommand {
  static let people = Parameter.operands(
    "BENEFICIARY", .reference(.beneficiary),
    "An id, the start of one, or a name; all people if omitted")
  static let output = Parameter.option(
    "output", short: "o", value: "DIR", .directory, "Where to make a folder for each person")
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "Show what each person would receive, and make nothing")
  static let at = Parameter.option(
    "at", value: "WHEN", .text,
    "With `--dry-run`: show what each person would receive at this time, with mail in full")
  static let seal = Parameter.flag(
    "seal", "Make an archive that only the person can open, instead of a folder")
  static let withValues = Parameter.flag("with-values", "Include the values of items")
  static let markSent = Parameter.flag(
    "mark-sent", "Mark bequests as sent when their folder is complete")
  static let mail = Parameter.flag(
    "mail", "Mail each person a letter, and mark its bequests as sent")
  static let eml = Parameter.option(
    "eml", value: "DIR", .directory, "Write the letters to DIR as email files")
  static let attach = Parameter.flag(
    "attach-in-the-clear",
    "With `--mail` or `--eml`: attach the files; every mail server on the way can read them")
  static let timeLimit = Parameter.option(
    "time-limit", value: "SECONDS", .integer(1...86_400), default: "300",
    "How long the mail program may run")
  static let exitCode = Parameter.flag(
    "exit-code", "Exit with status 1 if there is nothing to deliver")

  static let command = Command(
    "deliver", summary: "Hand over bequests as folders or by mail",
    discussion: """
      Each person gets a folder in DIR, with all bequests that the person may have now and that \
      were not sent yet. The folder has the person's name and needs neither this program nor a \
      network. `index.html` shows everything in a browser, `letter.txt` says the same, and the \
      files have their own names.

      - `--seal` makes a tar archive that only the person can open: `age -d -i identity.txt \
      NAME.tar.age | tar x`. Nothing in it is written unencrypted.
      - `--mark-sent` marks the bequests as sent when the person's folder is complete and on the \
      disk.
      - `--mail` mails a letter to each person, and marks its bequests as sent when the mail \
      program accepts the mail. That does not prove that the mail arrived.
      - `--eml` writes the same messages to files.

      How capsules are delivered:

      - Locked, with an honor lock: not yet. The person sees the title and the date.
      - Locked, with another lock: as encrypted files, with the commands that open them by hand.
      - Unlocked: as readable files, if the capsule opens without a question. That needs an honor \
      lock, a beacon in the record, or `--identity`. Other capsules are delivered as encrypted \
      files.
      - An honor lock of a protected store needs the store's passphrase. For cron, use \
      `--passphrase-file`, `--passphrase-command` or `store remember`.

      `--dry-run --at WHEN` rehearses a later time, as if nothing were delivered until then. With `--mail` \
      it prints each message in full. A capsule that is locked now stays closed: a line stands for each of \
      its texts.

      A delivery does not count as opening a capsule, and never opens a locked one.

      Others can read mail on the way, so the letter has no files. It has descriptions of items \
      and the texts of capsules. A capsule with other files is skipped (exit status 3), unless you \
      add one of these:

      - `--seal` sends the whole folder as one file that only the person can open.
      - `--attach-in-the-clear` sends the files as they are.

      To set up mail, run `capsule settings set mail.from 'Ada Berg <ada@example.org>'`. At a terminal, \
      `--mail` asks for it. The settings of mail are lines of `~/.config/capsule/mail` (in \
      `$XDG_CONFIG_HOME/capsule` if that is set), such as `from = Ada Berg <ada@example.org>`. The \
      others are optional:

      - `mail.command`: the mail program, by default `/usr/sbin/sendmail`. The shell runs it with `-i \
      -f BOUNCE -- ADDRESS` and the message on standard input.
      - `mail.bounce`: the address for mail that comes back, by default the sender.
      - `mail.owner`: your address for `check --mail`, by default the sender.
      - `mail.limit`: the largest message, by default `10 MiB`.

      If something fails:

      - If the mail program does not exit with status 0, the next run tries again, and `deliver` \
      exits with status 3.
      - A mail that was interrupted may have left. The next run sends it again, with the same \
      Message-ID if its text is the same, and reports that.
      - Nothing is overwritten, and no incomplete folder stays.
      - A run that was interrupted after making a folder did not mark its bequests. The next run \
      reports that the folder exists. Mark the bequests with `capsule bequest mark`, or move the \
      folder away.
      """,
    operands: [people],
    options: [
      output, mail, eml, dryRun, at, seal, attach, withValues, markSent, KeyOptions.identity,
      PassphraseOptions.file, PassphraseOptions.command, timeLimit, exitCode,
    ],
    outputs: .json,
    examples: [
      Example("capsule deliver --dry-run", "See what each person would receive"),
      Example(
        "capsule deliver --output handover --mark-sent",
        "Make everybody's folder, and mark the bequests as sent"),
      Example(
        "capsule deliver Lena --output /media/stick --seal",
        "Make an archive that only Lena can open"),
      Example("capsule deliver --mail", "Mail the letters that are due, for example from cron"),
      Example("capsule deliver Lena --mail --dry-run", "See what would be mailed to Lena"),
      Example(
        "capsule deliver --mail --dry-run --at '3 May 2034'",
        "Read the letters that will be mailed then"),
    ],
    exitCodes: [.none, .partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let isDryRun = invocation[dryRun]
    try checkWords(invocation)
    let references = invocation[people]
    let rehearsed = try invocation[at].map {
      try session.dates.read($0, option: at.term, requiring: .notPast).instant
    }
    let identities: [any Identity] = try KeyOptions.identities(invocation, session)
    guard let store = try session.stores.expected() else {
      if let first = references.first { throw Fault.noSuchRecord(first, among: [.beneficiary]) }
      try session.stores.noteNone()
      return .empty(ending: invocation[exitCode] ? .none : .ok)
        .noting(nothing(at: rehearsed, session))
    }
    let named = try session.records.find(references, among: [.beneficiary], in: store).map(\.id)
    for directory in [invocation[output], invocation[eml]].compactMap(\.self) {
      let files = session.host.files
      try files.requireOutsideStores(directory, and: store.layout.root)
      if let status = try? files.statusFollowingLinks(directory), status.kind != .directory {
        throw Fault.notADirectory(directory)
      }
    }
    let terms = DeliveryTerms(
      output: invocation[output], isSealed: invocation[seal], withValues: invocation[withValues],
      now: rehearsed ?? session.now, clock: session.now, zone: session.zone)
    let opening = UnattendedOpening(
      session: session, store: store, identities: identities, invocation: invocation)
    if isDryRun { ScarceItems(in: store, session).warnOfAll() }
    if isMail(invocation) {
      return try MailDelivery(
        session: session, invocation: invocation, store: store, terms: terms,
        people: references.isEmpty ? nil : named, opening: opening, rehearsed: rehearsed
      ).run()
    }
    var plan = try store.handover.plan(
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
      return .ended(signal)
    }
    let code = code(of: plan, failures, planned)
    let isEmpty = plan.deliveries.allSatisfy(\.gifts.isEmpty)
    return Answer(
      rows: plan.deliveries, ending: isEmpty && code == .ok && invocation[exitCode] ? .none : code,
      quiet: .only { answer.paths(plan.deliveries, $0) }, json: answer.members
    ) { answer.text(plan.deliveries, $0) }
    .noting(isEmpty && code == .ok ? nothing(at: rehearsed, session) : nil)
  }

  /// The note of an empty answer.
  static func nothing(at rehearsed: Instant?, _ session: Session) -> StyledText {
    guard let rehearsed else { return "There is nothing to deliver now." }
    return "There will be nothing to deliver on \(session.dates.text(rehearsed))."
  }

  private static func isMail(_ invocation: Invocation) -> Bool {
    invocation[mail] || invocation.has(eml)
  }

  /// Refuses words that do not go together.
  private static func checkWords(_ invocation: Invocation) throws {
    let ways = [invocation.has(output), invocation[mail], invocation.has(eml)].filter { $0 }.count
    guard ways < 2 else {
      throw Fault.usage(
        "'--output', '--mail' and '--eml' cannot be given together",
        hint: "run the command once for each")
    }
    guard ways == 1 || invocation[dryRun] else {
      throw Fault.usage(
        "no output directory given",
        hint: "use --output DIR, or --mail")
    }
    guard invocation[at] == nil || invocation[dryRun] else {
      throw Fault.usage("'--at' needs '--dry-run'", hint: "add --dry-run")
    }
    guard invocation[attach] else { return }
    guard isMail(invocation) else {
      throw Fault.usage(
        "'--attach-in-the-clear' needs mail", hint: "add --mail or --eml DIR")
    }
    guard !invocation[seal] else {
      throw Fault.usage(
        "'--seal' and '--attach-in-the-clear' cannot be given together",
        hint: "use one of the two")
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
        "'\(path.text)' is from another delivery, running or interrupted",
        hint: "remove it if no delivery is running", details: ["path": path.json])
    }
    let signals = WorkSignals(session, "Delivering", total: plan.size)
    defer { signals.end() }
    do {
      try writer.make(&plan, watch: signals.pass)
    } catch let error as WorkSignals.Interrupted {
      return error.code
    }
    if plan.deliveries.contains(where: { $0.outcome != .planned }) {
      session.stores.noteLasting(.delivery)
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
        "a bequest refers to the \(reference.kind.word) '\(reference.id)', which does not exist",
        hint:
          "show the bequest: capsule bequest show \(bequest); then restore the \(reference.kind.word), or delete the bequest",
        details: ["id": bequest.description.json])
    case .namesUnknown(let people):
      session.console.warning(
        "the name of a person cannot be read, so folders of people with the same name may be named differently "
          + "than before",
        hint:
          "check the greeting in a folder before you hand it over; then fix the damage: "
          + "capsule repair",
        details: ["ids": people.map(\.description).json])
    case .unreadable(let failures):
      for failure in failures { session.console.report(failure) }
      session.console.warning(
        "some records are damaged and were left out of the deliveries",
        hint: "list the damage: capsule verify; then fix it: capsule repair")
    }
    return .partial
  }

  /// Returns damage before everything; else, of some made and some failed, that it was partial.
  private static func code(
    of plan: DeliveryPlan, _ failures: [Fault], _ planned: ExitCode
  ) -> ExitCode {
    let worst = failures.map(\.kind.exitCode).reduce(planned, ExitCode.worst)
    if worst == .ok || worst == .damaged { return worst }
    let isSomeDone = plan.deliveries.contains { $0.problem == nil && !$0.gifts.isEmpty }
    return isSomeDone ? .partial : worst
  }
}

/// Deliveries, made or only planned, as JSON and as text.
struct DeliverAnswer {
  let session: Session
  let isSealed: Bool
  let isDryRun: Bool

  func members(_ delivery: PersonalDelivery) -> JSONObject {
    [
      "beneficiary": [
        "id": delivery.person.id.json, "name": delivery.person.name.json,
      ],
      "form": (isSealed ? "sealed" : "folder").json,
      "path": delivery.path.flatMap { delivery.gifts.isEmpty ? nil : $0.text.json } ?? .null,
      "state": state(of: delivery).json,
      "isMarkedSent": (delivery.outcome == .marked).json,
      "mail": .null,
      "size": delivery.size.json,
      "gifts": delivery.gifts.map(gift).json,
      "leftOut": delivery.leftOut.map(leftOut).json,
      "error": failure(of: delivery).map(error) ?? .null,
    ]
  }

  func error(_ problem: Fault) -> JSON {
    [
      "kind": problem.kind.rawValue.json,
      "message": problem.message(in: session.zone).json,
      "hint": problem.hint.json,
    ]
  }

  /// The problem of a delivery in words; `nil` where there is none.
  func failure(of delivery: PersonalDelivery) -> Fault? {
    delivery.problem.map { Fault($0) }
  }

  private func state(of delivery: PersonalDelivery) -> String {
    if delivery.outcome != .planned { return "made" }
    if delivery.problem != nil { return "failed" }
    return delivery.gifts.isEmpty ? "nothing" : "planned"
  }

  private func gift(_ gift: PlannedGift) -> JSONObject {
    [
      "bequest": gift.bequest.model.id.json,
      "id": gift.bequest.model.subject.id.json,
      "kind": gift.gift.kind.rawValue.json, "title": gift.gift.title.json,
      "isSealed": (gift.gift.opening != nil).json,
      "message": gift.gift.message.json, "description": gift.gift.description.json,
      "details": .array(
        gift.gift.details.map {
          ["label": $0.label.json, "value": $0.value.json]
        }),
      "files": .array(
        gift.gift.files.map {
          [
            "path": $0.path.json, "mediaType": $0.mediaType.json,
            "size": $0.size.json,
          ]
        }),
    ]
  }

  private func leftOut(_ leftOut: PersonalDelivery.LeftOut) -> JSONObject {
    let subject = leftOut.bequest.model.subject
    return session.object(
      [
        "bequest": leftOut.bequest.model.id.json, "id": subject.id.json,
        "kind": subject.kind.rawValue.json, "title": leftOut.title.json,
      ], at: ["sealedUntil": leftOut.until])
  }

  /// Writes the paths of those that were made.
  func paths(_ deliveries: [PersonalDelivery], _ out: TextOutput) {
    for delivery in deliveries where delivery.outcome != .planned {
      if let path = delivery.path { out.row("\(path.text)") }
    }
  }

  func text(_ deliveries: [PersonalDelivery], _ out: TextOutput) {
    for delivery in deliveries {
      // Failures were reported on standard error.
      if delivery.problem != nil, delivery.outcome == .planned { continue }
      out.line(headline(delivery))
      for gift in delivery.gifts {
        out.line("  \(gift.gift.title)\(gift.gift.opening == nil ? "" : ", as its sealed files")")
        guard isDryRun else { continue }
        if !gift.gift.message.isEmpty {
          out.line("    with a message of \(count(gift.gift.message.count, "character"))")
        }
        for detail in gift.gift.details { out.line("    \(detail.label, .dim)  \(detail.value)") }
        for file in gift.gift.files { out.line("    \(file.path)  \(file.factsText, .dim)") }
      }
      for leftOut in delivery.leftOut {
        out.line("  \(leftOut.title), not yet: sealed until \(session.dates.text(leftOut.until))")
      }
    }
  }

  private func headline(_ delivery: PersonalDelivery) -> StyledText {
    let name = delivery.person.name
    guard !delivery.gifts.isEmpty else { return "Nothing yet for '\(name, .bold)'" }
    let path = delivery.path.map { StyledText(" in '\($0.text)'") } ?? ""
    let amount =
      "\(count(delivery.gifts.count, "gift")), \(count(delivery.files.count, "file")), "
      + ByteSize.text(delivery.size)
    switch delivery.outcome {
    case .planned: return "'\(name, .bold)' would receive \(amount)\(path)"
    case .made: return "Made \(amount) for '\(name, .bold)'\(path)"
    case .marked: return "Made \(amount) for '\(name, .bold)'\(path), and marked it sent"
    }
  }

  private func count(_ number: Int, _ noun: String) -> String { .counting(number, noun) }
}

/// Opens capsules for a delivery with the identities that were named.
struct UnattendedOpening {
  let session: Session
  let store: Store
  let identities: [any Identity]
  let invocation: Invocation

  /// Opens a capsule whose time has come by the clock, whatever time is rehearsed.
  func open(_ record: StoredRecord<Capsule>) throws -> UnattendedOutcome {
    let store = try store(for: record.model)
    do {
      return try store.capsules.openUnattended(record, with: Keys(identities), now: session.now)
    } catch {
      if case .timelock(let error) = error.opening {
        let path = store.layout.record(.capsule, record.model.id)
        throw Fault.damaged(.field(error), path: path.text)
      }
      throw Fault(error, opening: record.model, in: store, session)
    }
  }

  /// The store that opens a capsule: a protected one asks for its passphrase at the first honor capsule
  /// whose time has come.
  private func store(for capsule: Capsule) throws -> Store {
    guard capsule.lock.kind == .honor, capsule.unlockAt <= session.now else { return store }
    return try session.passphrases.opened(store, invocation)
  }
}
