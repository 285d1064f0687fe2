import CapsuleCore

/// `capsule deliver --mail` and `--eml`: a message a person.
struct MailDelivery {
  let session: Session
  private let store: Store
  private let delivery: DeliveryTerms
  private let people: [RecordID]?
  private let opening: UnattendedOpening
  private let configuration: MailConfiguration
  private let terms: MailTerms
  private let program: MailProgram
  /// The folder for files of mail; `nil` where the messages go to the program.
  private let folder: FilePath?
  private let marksSent: Bool
  private let isDryRun: Bool
  /// The time that is rehearsed, with the messages in full.
  private let rehearsed: Instant?
  private let isExitCodeAsked: Bool

  init(
    session: Session, invocation: Invocation, store: Store, terms: DeliveryTerms,
    people: [RecordID]?, opening: UnattendedOpening, rehearsed: Instant?
  ) throws {
    self.session = session
    self.store = store
    self.people = people
    self.opening = opening
    self.rehearsed = rehearsed
    delivery = terms
    let isMailed = invocation[DeliverCommand.mail] && !invocation[DeliverCommand.dryRun]
    configuration = try isMailed ? .asked(session) : MailConfiguration(session)
    folder = invocation[DeliverCommand.eml]
    marksSent = folder == nil || invocation[DeliverCommand.markSent]
    isDryRun = invocation[DeliverCommand.dryRun]
    isExitCodeAsked = invocation[DeliverCommand.exitCode]
    let form: MailTerms.Form =
      invocation[DeliverCommand.attach] ? .attached : terms.isSealed ? .sealed : .letter
    self.terms = MailTerms(form: form, from: configuration.from, limit: configuration.limit)
    program = MailProgram(
      session: session, configuration: configuration,
      timeLimit: invocation[DeliverCommand.timeLimit])
  }

  func run() throws -> Answer {
    guard let directory = store.stateDirectory else {
      throw Fault(
        .io, "no directory for the mail log", hint: "set the variable HOME or XDG_STATE_HOME")
    }
    if isDryRun || folder != nil {
      var log = MailLog()
      if folder == nil {
        log = try Ledger.read(of: store, in: directory, now: session.now).mail
      } else if let folder, !isDryRun {
        if marksSent { try store.requireWritable() }
        try session.host.files.createDirectories(folder)
      }
      return try run(log) { draft, message, _ in
        if isDryRun { return .planned }
        return try write(message, of: draft)
      }
    }
    try store.requireWritable()
    // The ledger is held from before the plan is made: nobody else mails what is in it.
    guard
      var ledger = try Ledger.open(of: store, in: directory, now: session.now, isPatient: true)
    else {
      throw Fault(
        .busy, "another process is sending notifications or mail",
        hint: "try again later, or wait longer: --lock-timeout SECONDS")
    }
    defer { ledger.close() }
    return try run(ledger.known.mail) { draft, message, name in
      try store.handover.send(draft, as: message.id, keeping: &ledger, now: session.now) {
        program.handOver(message, called: name)
      }
      return .sent
    }
  }

  /// Goes through all messages.
  ///
  /// - Parameter send: hands a message over, with a name of it for people.
  private func run(
    _ log: MailLog, _ send: (MailDraft, MailMessage, String) throws -> MailResult.State
  ) throws -> Answer {
    let plan = try store.handover.plan(for: people, delivery, opening: opening.open)
    let planned = plan.issues.map { DeliverCommand.report($0, session) }
      .reduce(.ok, ExitCode.worst)
    var results: [MailResult] = []
    var codes: [ExitCode] = [planned]
    func fail(_ error: any Error, _ result: inout MailResult) {
      let failure = Fault(error)
      session.console.report(failure)
      codes.append(failure.kind.exitCode)
      result.failure = failure
      result.state = .failed
    }
    for person in plan.deliveries {
      var result = MailResult(delivery: person)
      guard person.problem == nil, !person.gifts.isEmpty else {
        if let problem = person.problem { fail(problem, &result) }
        results.append(result)
        continue
      }
      let mails: MailPlan
      do {
        mails = try store.handover.mailPlan(for: person, owner: plan.owner, terms, delivery, log)
      } catch {
        fail(error, &result)
        results.append(result)
        continue
      }
      for leftOut in mails.leftOut {
        result.leftOut = mails.leftOut
        codes.append(session.console.report(failure(leftOut, person.person)))
      }
      markBefore(mails.unmarked, person, &result, &codes)
      if mails.drafts.isEmpty { results.append(result) }
      for draft in mails.drafts {
        // What is said of the person once stands with the first message.
        if result.draft != nil { result = MailResult(delivery: person) }
        result.draft = draft
        do {
          let message = try store.handover.message(
            of: draft, owner: plan.owner, terms, delivery)
          result.keep(message, withText: rehearsed != nil)
          warn(draft, &codes)
          let name = "the mail for '\(person.person.name)'"
          result.state = try send(draft, message, name)
        } catch {
          if Fault(error).kind == .signal { throw error }
          fail(error, &result)
        }
        results.append(result)
      }
    }
    return answer(results, codes)
  }

  /// Marks what was handed over in an earlier run that could not mark it.
  private func markBefore(
    _ unmarked: [(gift: PlannedGift, entry: MailLog.Entry)], _ person: PersonalDelivery,
    _ result: inout MailResult, _ codes: inout [ExitCode]
  ) {
    guard folder == nil, !isDryRun else { return }
    for (gift, entry) in unmarked {
      do {
        let id = "\(entry.attempt.digest)@\(configuration.from.address.domain)"
        try store.handover.markMailed(
          [gift], to: person.person, as: id, at: entry.at, now: session.now)
        result.marked.append(gift)
      } catch {
        codes.append(session.console.report(error))
      }
    }
  }

  /// Says what a person who reads only the answer would miss.
  private func warn(_ draft: MailDraft, _ codes: inout [ExitCode]) {
    let name = draft.delivery.person.name
    if let earlier = draft.earlier {
      let tried = session.dates.text(earlier.at)
      session.console.warning(
        earlier.saidTheSame
          ? "the mail for '\(name)' may have been sent on \(tried); the mail is sent again with the same "
            + "Message-ID"
          : "another mail for '\(name)' may have been sent on \(tried); this one has a new "
            + "Message-ID, so both may arrive",
        details: ["id": draft.delivery.person.id.json])
    }
    if !draft.withheld.isEmpty {
      codes.append(
        session.console.report(
          Fault(
            .partial,
            "\(Self.list(draft.withheld.map(\.name))) left out of the mail for '\(name)': the limit "
              + "for a message is \(ByteSize.text(terms.limit))",
            hint:
              "deliver a folder: capsule deliver \(draft.delivery.person.id) --output DIR; or raise 'limit' in '\(configuration.path.text)'"
              + "")))
    }
  }

  private func failure(_ leftOut: MailPlan.LeftOut, _ person: Beneficiary) -> Fault {
    let title = leftOut.gift.gift.title
    let files = leftOut.gift.gift.files
    let names = Self.list(files.filter { $0.text == nil }.map(\.name))
    let folder = "deliver a folder: capsule deliver \(person.id) --output DIR"
    let (reason, hint) =
      switch leftOut.reason {
      case .sealed: ("its sealed files cannot go into a letter", folder)
      case .files:
        (
          "without --seal or --attach-in-the-clear, the mail cannot contain \(names)",
          "add --seal or --attach-in-the-clear; or \(folder)"
        )
      case .size:
        ("it is larger than the limit of \(ByteSize.text(terms.limit)) for a message", folder)
      }
    return Fault(
      .partial, "'\(title)' was not mailed to '\(person.name)': \(reason)", hint: hint,
      details: ["id": leftOut.gift.bequest.model.id.json])
  }

  /// Names a few files.
  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(3).map { "'\($0)'" }.joined(separator: ", ")
    return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
  }

  /// Writes a message as a file, whole or not at all.
  private func write(_ message: MailMessage, of draft: MailDraft) throws -> MailResult.State {
    guard let folder else { return .planned }
    try store.handover.requireUnchanged(draft.delivery, now: session.now)
    let path = folder.appending(draft.delivery.name + ".eml")
    do {
      try session.host.files.writeBeside(path, replacing: false, random: session.host.random) {
        sink in
        try message.bytes(.network).withUnsafeBytes { try sink.write($0) }
      }
    } catch let error as Fault where error.code == .exists {
      throw Fault.deliveryExists(error.takenPath, draft.delivery.person)
    }
    guard marksSent else { return .made(path) }
    try store.handover.markMailed(
      draft.delivery.gifts, to: draft.delivery.person, as: message.id, at: session.now,
      now: session.now)
    return .marked(path)
  }

  private func answer(_ results: [MailResult], _ codes: [ExitCode]) -> Answer {
    let isEmpty = results.allSatisfy { $0.draft == nil && $0.marked.isEmpty }
    let worst = codes.reduce(.ok, ExitCode.worst)
    let isSomeDone = results.contains { $0.failure == nil && $0.draft != nil }
    if isSomeDone, !isDryRun { session.stores.noteLasting(.delivery) }
    let code: ExitCode =
      worst == .ok || worst == .damaged || !isSomeDone ? worst : .partial
    // cron mails whatever is printed, and nothing is no news.
    let isNews = isDryRun || session.console.err.isTerminal
    let answer = MailAnswer(
      session: session, form: terms.form, isDryRun: isDryRun, rehearsed: rehearsed)
    return Answer(
      rows: results, ending: isEmpty && code == .ok && isExitCodeAsked ? .none : code,
      quiet: .only { out in answer.each(results, out, answer.quietText) }, json: answer.members
    ) { out in answer.each(results, out, answer.text) }
    .noting(
      isEmpty && code == .ok && isNews ? DeliverCommand.nothing(at: rehearsed, session) : nil)
  }
}

struct MailResult {
  enum State {
    /// There is no message.
    case nothing
    case planned, failed
    /// A file of mail.
    case made(FilePath)
    /// A file of mail whose bequests are marked sent.
    case marked(FilePath)
    /// The message was taken by the program, and is marked sent.
    case sent
  }

  let delivery: PersonalDelivery
  var draft: MailDraft?
  var state = State.nothing
  var failure: Fault?
  var leftOut: [MailPlan.LeftOut] = []
  /// The gifts that an earlier run handed over, and that this one marked.
  var marked: [PlannedGift] = []
  private(set) var subject = ""
  private(set) var id = ""
  /// The letter; `nil` where it is not shown.
  private(set) var text: String?
  /// The size in bytes, as mail carries it.
  private(set) var size: Int64 = 0
  /// The name, type and size of each part; the letter has no name.
  private(set) var parts: [(name: String?, mediaType: String, size: Int64)] = []

  init(delivery: PersonalDelivery) {
    self.delivery = delivery
  }

  /// Keeps what is to be said of a message, and not its bytes.
  mutating func keep(_ message: MailMessage, withText isShown: Bool) {
    if isShown { text = message.text }
    subject = message.subject
    id = message.id
    size = Int64(message.bytes(.network).count)
    parts =
      [(nil, "text/plain", Int64(message.text.utf8.count))]
      + message.attachments.map { ($0.name, $0.mediaType, Int64($0.bytes.count)) }
  }
}

/// Messages, sent or only planned, as JSON and as text.
struct MailAnswer {
  let session: Session
  let form: MailTerms.Form
  let isDryRun: Bool
  /// The time that is rehearsed, with the messages in full.
  let rehearsed: Instant?

  func members(_ result: MailResult) -> JSONObject {
    let delivery = result.draft?.delivery ?? result.delivery
    let answer = DeliverAnswer(session: session, isSealed: form == .sealed, isDryRun: isDryRun)
    var members = answer.members(delivery)
    members["form"] = form.rawValue.json
    members["path"] = .null
    members["error"] = result.failure.map(answer.error) ?? .null
    members["isMarkedSent"] = false
    switch result.state {
    case .nothing: members["state"] = "nothing"
    case .planned: members["state"] = "planned"
    case .failed: members["state"] = "failed"
    case .made(let path):
      members["state"] = "made"
      members["path"] = path.json
    case .marked(let path):
      members["state"] = "made"
      members["path"] = path.json
      members["isMarkedSent"] = true
    case .sent:
      members["state"] = "sent"
      members["isMarkedSent"] = true
    }
    members["mail"] = mail(result)
    return members
  }

  private func mail(_ result: MailResult) -> JSON {
    let draft = result.draft
    return [
      "address": (draft?.to.address.text).json,
      "subject": result.id.isEmpty ? .null : result.subject.json,
      "messageID": result.id.isEmpty ? .null : result.id.json,
      "isRepeated": (draft?.earlier?.saidTheSame == true).json,
      "text": result.text.json,
      "size": result.size.json,
      "parts": .array(
        result.parts.map { part in
          [
            "name": part.name.json, "mediaType": part.mediaType.json,
            "size": part.size.json,
          ]
        }),
      "leftOut": .array(
        result.leftOut.map { leftOut in
          [
            "bequest": leftOut.gift.bequest.model.id.json,
            "title": leftOut.gift.gift.title.json, "reason": "\(leftOut.reason)".json,
          ]
        }),
      "withheld": (draft?.withheld ?? []).map(\.name).json,
      "markedNow": result.marked.map(\.bequest.model.id.description).json,
    ]
  }

  /// Writes all results; messages in full have an empty line between them.
  func each(
    _ results: [MailResult], _ out: TextOutput, _ write: (MailResult, TextOutput) -> Void
  ) {
    for (index, result) in results.enumerated() {
      if rehearsed != nil, index > 0 { out.line() }
      write(result, out)
    }
  }

  func text(_ result: MailResult, _ out: TextOutput) {
    let name = result.delivery.person.name
    for gift in result.marked {
      out.line(
        "Marked '\(gift.gift.title, .bold)' for '\(name, .bold)' sent: it was handed over before")
    }
    guard let draft = result.draft else { return notYet(result, out) }
    let address = draft.to.address.text
    let facts = facts(result)
    switch result.state {
    case .nothing, .failed: return
    case .planned: planned(result, draft, out)
    case .made(let path), .marked(let path):
      let marked = if case .marked = result.state { ", and marked it sent" } else { "" }
      out.line("Wrote \(facts) for '\(name, .bold)' <\(address)> to '\(path.text)'\(marked)")
    case .sent:
      out.line("Handed over \(facts) for '\(name, .bold)' <\(address)>, and marked it sent")
    }
    // A message in full says what it has.
    if rehearsed == nil {
      for gift in draft.delivery.gifts { out.line("  \(gift.gift.title)") }
    }
    notYet(result, out)
  }

  /// Writes the path of a message that was made, or what would be sent.
  func quietText(_ result: MailResult, _ out: TextOutput) {
    switch result.state {
    case .planned: if let draft = result.draft { planned(result, draft, out) }
    case .made(let path), .marked(let path): out.row("\(path.text)")
    case .nothing, .failed, .sent: break
    }
  }

  private func facts(_ result: MailResult) -> String {
    "'\(result.subject)', \(ByteSize.text(result.size))"
  }

  private func planned(_ result: MailResult, _ draft: MailDraft, _ out: TextOutput) {
    let name = result.delivery.person.name
    if let rehearsed {
      return letter(result, at: rehearsed, to: "\(name) <\(draft.to.address.text)>", out)
    }
    out.line("'\(name, .bold)' <\(draft.to.address.text)> would receive \(facts(result))")
    for part in result.parts {
      let size = ByteSize.text(part.size)
      out.line("  \(part.name ?? "the letter")  \("\(part.mediaType), \(size)", .dim)")
    }
  }

  /// Writes a message in full: the letter as it is broken into lines, and the names of what is attached.
  private func letter(
    _ result: MailResult, at time: Instant, to mailbox: String, _ out: TextOutput
  ) {
    out.line("\(session.dates.text(time), .dim)  to \(mailbox): \(result.subject, .bold)")
    for part in result.parts {
      guard let name = part.name else { continue }
      out.line("  attached: \(name)  \("\(part.mediaType), \(ByteSize.text(part.size))", .dim)")
    }
    out.line()
    for line in (result.text ?? "").trimmed.parts(at: "\n") {
      out.row(line.isEmpty ? "" : "  \(line)")
    }
  }

  private func notYet(_ result: MailResult, _ out: TextOutput) {
    for leftOut in result.delivery.leftOut {
      out.line(
        "  \(leftOut.title) for '\(result.delivery.person.name)', not yet: sealed until "
          + "\(session.dates.text(leftOut.until))")
    }
  }
}
