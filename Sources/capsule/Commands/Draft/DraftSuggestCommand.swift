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
    operands: [ItemOptions.reference],
    options: [
      Assistant.with, include, BequestOptions.access, BequestOptions.accessAfter, Assistant.dryRun,
      Assistant.timeLimit,
    ], outputs: .json,
    examples: [
      Example("capsule draft suggest 'Gold ring' --dry-run", "See what the program would get"),
      Example(
        "capsule draft suggest 'Gold ring' --with contrib/assistants/ollama", "Ask a local model"),
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    let (store, record) = try session.records.required(Item.self, reference, intact: true)
    let people = try people(of: store, session)
    guard !people.isEmpty else {
      throw Failure(
        .refused, "there is nobody to suggest",
        hint: "'capsule beneficiary add NAME' adds somebody")
    }
    let request = DraftRequest.suggest(
      record.model, people: people, including: Set(invocation[include]))
    if invocation[Assistant.dryRun] { return try Assistant.show(request, session) }
    let rule = try BequestOptions.rule(invocation, session) ?? .uponPassing
    let reply = try Assistant(invocation, session).ask(request)
    let found = DraftSuggestions(reply, among: people)
    warn(of: found.unknown, "nobody that is known has that name", session)
    warn(of: found.ambiguous, "several people have that name", session)
    guard !found.people.isEmpty else {
      throw Failure(
        .refused, "the program suggested nobody that is known; nothing was changed",
        hint: "'capsule beneficiary list' shows who is")
    }
    let isWhole = found.unknown.isEmpty && found.ambiguous.isEmpty
    let code: ExitCode = isWhole ? .ok : .partial
    let isTaken = session.ask.isAtTerminal
    let ending = try session.console.render(
      ending: code,
      json: .object([
        "item": .string(record.model.id.description),
        "suggestions": .array(
          found.people.map {
            .object([
              "id": .string($0.person.id.description), "name": .string($0.person.name),
              "reason": .string($0.reason),
            ])
          }), "ambiguous": .array(found.ambiguous.map { .string($0) }),
        "unknown": .array(found.unknown.map { .string($0) }),
      ])
    ) { out in
      for (index, suggestion) in found.people.enumerated() {
        let number = isTaken ? "\(index + 1)  " : ""
        let reason = suggestion.reason.isEmpty ? "" : ": \(suggestion.reason)"
        out.line("\(number, .cyan)\(suggestion.person.name, .bold)\(reason)")
      }
    }
    guard isTaken else { return ending }
    return try take(found.people, record.model, rule, store, session) ?? ending
  }

  /// Names lines of the reply that suggest nobody: the first ones, where there are many.
  private static func warn(of lines: [String], _ reason: String, _ session: Session) {
    for line in lines.prefix(5) { session.console.warning("'\(line.shortened)': \(reason)") }
    if lines.count > 5 {
      session.console.warning("so it is with \(lines.count - 5) more lines of the answer")
    }
  }

  /// Asks which of the people shall have the item, and leaves it to that person.
  private static func take(
    _ people: [DraftSuggestions.Suggestion], _ item: Item, _ rule: AccessRule, _ store: Store,
    _ session: Session
  ) throws -> ExitCode? {
    let when =
      switch rule {
      case .immediate: "at once"
      case .afterDate(let date): "from \(session.dates.text(date))"
      case .uponPassing: "upon passing"
      }
    let answer = try session.ask.line(
      "Leave '\(item.name)' to whom, \(when)? A number, or nothing: ",
      unanswered: Failure(.refused, "nothing was kept", hint: nil))
    let text = String(decoding: answer, as: UTF8.self).trimmed
    if text.isEmpty {
      session.console.note("Nothing was kept.")
      return nil
    }
    guard let number = Int(text), people.indices.contains(number - 1) else {
      throw Failure.usage(
        "'\(text)' is none of the numbers", hint: "the numbers go to \(people.count)")
    }
    let person = people[number - 1].person
    let bequest = Bequest(
      header: try store.newHeader(now: session.now), subject: RecordReference(.item, item.id),
      beneficiary: person.id, access: rule)
    if let twin = store.twin(of: bequest, now: session.now) {
      throw Failure.leftTwice(bequest, twin.id, RecordNames(store, now: session.now))
    }
    let made = try store.insert(bequest)
    return try session.answers.changed(made, store) { out, view in
      out.line(
        "Left '\(view.subjectText)' to '\(view.personText)', \(view.ruleText): \(made.id.description)"
      )
    }
  }

  private static func people(of store: Store, _ session: Session) throws -> [Beneficiary] {
    var index = store.index(.beneficiary, now: session.now)
    var ids: [RecordID] = []
    index.forEach(.ascending) { entry in
      ids.append(entry.id)
      return true
    }
    return try ids.map { try store.readIntact(Beneficiary.self, $0).model }
  }
}
