import CapsuleCore

/// `capsule draft suggest`.
enum DraftSuggestCommand {
  static let include = Parameter.options(
    "include", value: "PART",
    ValueType<DraftRequest.Inclusion>.choice(among: [.notes]),
    "Also send your notes on the people and on the item")

  static let command = Command(
    "draft", "suggest", summary: "Let a program suggest who might receive an item",
    discussion: Assistant.help + """
      \n
      At a terminal you choose a person by number. The item is left to that person by the rule of \
      `--access` or `--access-after`, otherwise after your death. The program can suggest only people in \
      the store; other names are reported, and the exit status is 3.
      """,
    operands: [ItemKind.kind.reference],
    options: Assistant.options(include, BequestOptions.access, BequestOptions.accessAfter),
    outputs: .json,
    examples: [
      Example("capsule draft suggest 'Gold ring' --dry-run", "See what the program would get"),
      Example(
        "capsule draft suggest 'Gold ring' --with contrib/assistants/ollama", "Ask a local model"),
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let (store, record) = try session.records.required(
      Item.self, invocation[ItemKind.kind.reference], intact: true)
    let people = try people(of: store, session)
    guard !people.isEmpty else {
      throw Fault(
        .refused, "no people to suggest",
        hint: "add a person: capsule beneficiary add NAME")
    }
    let request = DraftRequest.suggest(
      record.model, people: people, including: Set(invocation[include]))
    if invocation[Assistant.dryRun] { return Assistant.show(request, session) }
    let rule = try BequestOptions.rule(invocation, session) ?? .uponPassing
    let reply = try Assistant.ask(request, invocation, session)
    let found = DraftSuggestions(reply, among: people)
    warn(of: found.unknown, "no person has that name", session)
    warn(of: found.ambiguous, "several people have that name", session)
    guard !found.people.isEmpty else {
      throw Fault(
        .refused, "the program suggested no known person; nothing was changed",
        hint: "list the people: capsule beneficiary list")
    }
    let isWhole = found.unknown.isEmpty && found.ambiguous.isEmpty
    let isTaken = session.ask.isAtTerminal
    return Answer(
      [
        "item": record.model.id.json,
        "suggestions": .array(
          found.people.map {
            [
              "id": $0.person.id.json, "name": $0.person.name.json,
              "reason": $0.reason.json,
            ]
          }), "ambiguous": found.ambiguous.json,
        "unknown": found.unknown.json,
      ], ending: isWhole ? .ok : .partial
    ) { out in
      for (index, suggestion) in found.people.enumerated() {
        let number = isTaken ? "\(index + 1)  " : ""
        let reason = suggestion.reason.isEmpty ? "" : ": \(suggestion.reason)"
        out.line("\(number, .cyan)\(suggestion.person.name, .bold)\(reason)")
      }
    }
    .then { code in
      guard isTaken, let made = try take(found.people, record.model, rule, store, session) else {
        return code
      }
      return try session.console.write(made)
    }
  }

  /// Names lines of the reply that suggest nobody: the first ones, where there are many.
  private static func warn(of lines: [String], _ reason: String, _ session: Session) {
    for line in lines.prefix(5) {
      session.console.warning("ignored the suggestion '\(line.shortened)': \(reason)")
    }
    if lines.count > 5 {
      session.console.warning("\(lines.count - 5) more lines of the answer were ignored")
    }
  }

  /// Asks which of the people shall have the item, and leaves it to that person.
  private static func take(
    _ people: [(person: Beneficiary, reason: String)], _ item: Item, _ rule: AccessRule,
    _ store: Store,
    _ session: Session
  ) throws -> Answer? {
    let when =
      switch rule {
      case .immediate: "at once"
      case .afterDate(let date): "from \(session.dates.text(date))"
      case .uponPassing: "upon passing"
      }
    let answer = try session.ask.line(
      "Leave '\(item.name)' to whom, \(when)? A number, or nothing: ",
      unanswered: Fault.canceled("nothing was saved"))
    let text = String(decoding: answer, as: UTF8.self).trimmed
    if text.isEmpty {
      session.console.note("Nothing was saved.")
      return nil
    }
    guard let number = Int(text), people.indices.contains(number - 1) else {
      throw Fault.usage(
        "invalid number '\(text)'",
        hint: people.count == 1
          ? "enter 1, or nothing" : "enter a number from 1 to \(people.count), or nothing")
    }
    let person = people[number - 1].person
    let bequest = Bequest(
      header: try store.newHeader(now: session.now), subject: RecordReference(.item, item.id),
      beneficiary: person.id, access: rule)
    if let twin = store.relations.twin(of: bequest, now: session.now) {
      throw Fault.leftTwice(bequest, twin.id, RecordNames(store, now: session.now))
    }
    let made = try store.insert(bequest)
    return BequestKind.kind.answer(made, in: store, session) { out, view in
      out.line(
        "Left '\(view.subjectText)' to '\(view.personText)', \(view.ruleText): \(made.id.description)"
      )
    }
  }

  private static func people(of store: Store, _ session: Session) throws -> [Beneficiary] {
    var index = store.index.open(.beneficiary, now: session.now)
    var ids: [RecordID] = []
    index.forEach(.ascending) { entry in
      ids.append(entry.id)
      return true
    }
    return try ids.map { try store.readIntact(Beneficiary.self, $0).model }
  }
}

/// `capsule draft describe`.
enum DraftDescribeCommand {
  static let include = Parameter.options(
    "include", value: "PART", ValueType<DraftRequest.Inclusion>.choice,
    "Also send your notes on the item, or its attachments")

  static let command = Command(
    "draft", "describe", summary: "Let a program draft an item's description and value",
    discussion: Assistant.help + """
      \n
      You edit the draft; only the text that you save is stored. Its first lines may be `Category:` and \
      `Value:`, and the rest is the description. A part that you leave out stays unchanged.
      """,
    operands: [ItemKind.kind.reference],
    options: Assistant.options(include), outputs: .json,
    examples: [
      Example(
        "capsule draft describe 'Gold ring' --include media", "Draft from the pictures of an item"),
      Example("capsule draft describe 'Gold ring' --dry-run", "See what the program would get"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    var (store, record) = try session.records.required(
      Item.self, invocation[ItemKind.kind.reference], intact: true)
    let request = try DraftRequest.describe(
      record.model, in: store.blobs, including: Set(invocation[include]))
    if invocation[Assistant.dryRun] { return Assistant.show(request, session) }
    let draft = DraftDescription(try Assistant.ask(request, invocation, session).text)
    let question = "Edit it, and keep what you save for '\(record.model.name)'?"
    return Assistant.take(
      session,
      draft.text,
      as: [
        "item": record.model.id.json, "category": draft.category.json,
        "description": draft.description.json, "value": draft.value.json,
      ], question: question, in: store
    ) { text in
      let kept = DraftDescription(text)
      if !kept.description.isEmpty { record.model.description = kept.description }
      if !kept.category.isEmpty { record.model.category = kept.category.onOneLine }
      if !kept.value.isEmpty {
        record.model.value = try ItemKind.amount(kept.value, option: "Value:", session)
      }
      let item = try store.update(record, now: session.now).model
      return ItemKind.kind.answer(item, in: store, session, quiet: .nothing) { out, view in
        out.line("Saved the text for '\(view.titleText)': \(item.id.description)")
      }
    }
  }
}

/// `capsule draft message`.
enum DraftMessageCommand {
  static let include = Parameter.options(
    "include", value: "PART",
    ValueType<DraftRequest.Inclusion>.choice(among: [.notes]),
    "Also send your notes on the person and on the thing")

  static let command = Command(
    "draft", "message", summary: "Let a program draft the message of a bequest",
    discussion: Assistant.help + """
      \n
      You edit the draft; only the text that you save is stored.
      """,
    operands: [BequestKind.kind.reference],
    options: Assistant.options(include), outputs: .json,
    examples: [
      Example("capsule draft message 'Gold ring' --dry-run", "See what the program would get"),
      Example(
        "capsule draft message 'Gold ring' --with contrib/assistants/template",
        "Start from a template"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    var (store, record) = try session.records.required(
      Bequest.self, invocation[BequestKind.kind.reference], intact: true)
    try record.model.requireNotSent()
    let person = try store.readIntact(Beneficiary.self, record.model.beneficiary).model
    let request = try DraftRequest.message(
      of: record.model, to: person, in: store, including: Set(invocation[include]))
    if invocation[Assistant.dryRun] { return Assistant.show(request, session) }
    let draft = try Assistant.ask(request, invocation, session).text
    let place = record.model.message.isEmpty ? "" : ", replacing the present one"
    let question = "Edit the draft, and save it as the message for '\(person.name)'\(place)?"
    return Assistant.take(
      session,
      draft,
      as: ["bequest": record.model.id.json, "draft": draft.json],
      question: question, in: store
    ) { text in
      try RecordFault.check(text, .message, limit: Bequest.messageLimit)
      record.model.message = text
      let bequest = try store.update(record, now: session.now).model
      return BequestKind.kind.answer(bequest, in: store, session) { out, view in
        out.line("Saved the message of '\(view.title, .bold)': \(bequest.id.description)")
      }
    }
  }
}

/// The program that helps with words, by `$XDG_CONFIG_HOME/capsule/assistant` or an option.
enum Assistant {
  static let with = Parameter.option(
    "with", value: "COMMAND", .text, "The shell command to run, instead of the configured one")
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "Print what the program would get, and do not run it")
  static let timeLimit = Parameter.option(
    "time-limit", value: "SECONDS", .integer(1...86_400), default: "120",
    "How long the program may take")

  /// A part of the commands' discussion.
  static let help = """
    The program gets one JSON object on its input and answers with text. It can be any local model, or a \
    script; `contrib/assistants` has two. Configure it in `$XDG_CONFIG_HOME/capsule/assistant` with a \
    line `command = …`, or use `--with`.

    The program never gets the contents of capsules, keys or anybody's address. `--dry-run` prints what \
    it would get.

    You see the answer, and nothing is stored before you agree. Without a terminal, the answer is \
    printed and nothing is stored.
    """

  /// The options of a command of these, in the order of help.
  static func options(
    _ include: any ParameterDeclaration, _ others: any ParameterDeclaration...
  ) -> Parameters {
    [with, include] + others + [dryRun, timeLimit]
  }

  /// Asks, and takes what comes back as text. A program that fails, or answers with something else, is a
  /// failure, whatever it wrote.
  static func ask(
    _ request: DraftRequest, _ invocation: Invocation, _ session: Session
  ) throws -> DraftReply {
    let command = try command(invocation, session)
    if session.ask.isAtTerminal { session.console.note("Asking '\(command)'…") }
    var process = ProcessRequest.shell(
      Array(command.utf8), input: request.bytes, capturesOutput: true,
      timeLimit: Int64(invocation[timeLimit]) * 1_000_000_000)
    process.outputLimit = DraftReply.limit + 1
    process.endsAtOutputLimit = true
    process.endsGroup = true
    let outcome = try session.host.runProcess(process)
    // The end of one that wrote too much is not its own.
    guard outcome.succeeded || outcome.output.count > DraftReply.limit else {
      throw failure(outcome, of: command, limit: invocation[timeLimit])
    }
    do { return try DraftReply(outcome.output) } catch { throw error.naming(command) }
  }

  private static func command(_ invocation: Invocation, _ session: Session) throws -> String {
    if let command = invocation[with], !command.trimmed.isEmpty { return command }
    let file = try ConfigurationFile("assistant", of: ["command"], session)
    guard let command = file["command"] else {
      throw Fault.usage(
        "no drafting program configured",
        hint: "use --with COMMAND, or write 'command = …' into '\(file.path.text)'")
    }
    return command
  }

  private static func failure(
    _ outcome: ProcessOutcome, of command: String, limit: Int
  ) -> Fault {
    let (end, hint): (String, String?) =
      switch outcome.end {
      case .exited(126), .exited(127):
        (
          "there is no such program, or it cannot be run",
          "install it, or name another with '--with COMMAND'"
        )
      case .exited(let code): ("it exited with status \(code)", nil)
      case .signalled(let number): ("signal \(number) ended it", nil)
      case .timedOut:
        (
          "it took longer than \(DurationUnit.second.text(limit))",
          "allow more time: --time-limit SECONDS"
        )
      }
    return Fault(
      .io, "'\(command)' failed: \(end)\(outcome.lastWords)", hint: hint)
  }

  /// Prints the very bytes that the program would get.
  static func show(_ request: DraftRequest, _ session: Session) -> Answer {
    Answer { $0.bytes(request.bytes) }
  }

  /// Answers with a draft: shows it to a person, who edits it, and keeps what was saved; elsewhere prints
  /// it, and keeps nothing.
  ///
  /// - Parameters:
  ///   - answer: the answer for programs.
  ///   - keep: keeps the text. Where it fails, the text stays in a file that is named.
  static func take(
    _ session: Session, _ draft: String, as answer: JSONObject, question: String, in store: Store,
    keep: @escaping (String) throws -> Answer
  ) -> Answer {
    let canEdit = session.ask.isAtTerminal && EditorText.editor(session) != nil
    return Answer(answer) { $0.letter(draft) }.then { code in
      guard session.ask.isAtTerminal else { return code }
      let unanswered = Fault.canceled("nothing was saved")
      session.console.out.line()
      guard canEdit, try session.ask.isYes(question, isYesByDefault: true, unanswered: unanswered)
      else {
        session.console.note(
          canEdit ? "Nothing was saved." : "Nothing was saved: no editor is set in EDITOR.")
        return code
      }
      let written = try EditorText.write(session, beginning: draft + "\n", in: store)
      return try [written.draft].keeping(session) { try session.console.write(keep(written.text)) }
    }
  }
}
