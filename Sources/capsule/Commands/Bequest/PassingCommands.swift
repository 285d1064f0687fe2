import CapsuleCore

/// `capsule passing …`: what `upon-passing` means.
enum PassingCommands {
  static let on = Option(
    "on", value: "WHEN", .text, default: "now", "When the owner passed away")
  static let owner = Option(
    "owner", value: "NAME", .text, "The owner's name, typed out; asked for on a terminal if none")

  static let group = CommandGroup(
    "A passing", noun: "passing", summary: "Say that the owner passed away, or did not",
    default: "show", [show, declare, withdraw])

  static let show = Command(
    "passing", "show", summary: "Show whether a passing was declared",
    outputs: .json,
    examples: [Example("capsule passing show", "Show it")],
    exitCodes: [.damaged]
  ) { _, session in
    let settings = try settings(of: try session.existingStore())
    return try tell(settings, session) { out in
      guard let passing = settings.passing else {
        out.line("No passing was declared.")
        return
      }
      out.line("\(words(passing, settings, session))")
    }
  }

  static let declare = Command(
    "passing", "declare", summary: "Say that the owner of the store passed away",
    discussion: """
      What was left upon passing is accessible from then on, and the next `capsule deliver` hands it \
      over; nothing is sent by itself. To declare it by mistake is made hard: the owner's name has to \
      be typed as the setting `owner` has it. It can be withdrawn.
      """,
    options: [on, owner], outputs: .json,
    examples: [
      Example("capsule settings set owner 'Anna Berg'", "Say whose store it is, while it is time"),
      Example("capsule passing declare --on 2061-03-02", "Declare it"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    let store = try session.existingStore()
    let settings = try settings(of: store)
    guard let store, !settings.owner.isEmpty else {
      throw Failure(
        .refused, "it is not known whose store this is",
        hint: "say so first: capsule settings set owner NAME")
    }
    if let passing = settings.passing {
      throw Failure(
        .refused, "it is declared already, as of \(session.dateTime(passing.at))",
        hint: "'capsule passing withdraw' takes that back")
    }
    var at = session.now
    if let text = invocation[on] {
      at = try session.when(text, option: "--on", preferring: .past, requiring: .notFuture).instant
    }
    let typed = try name(invocation, session)
    guard typed.trimmed == settings.owner.trimmed else {
      throw Failure(
        .refused, "'\(typed.trimmed)' is not the owner's name; nothing was declared",
        hint: "type it as 'capsule settings get owner' shows it")
    }
    let passing = Passing(at: at, declaredAt: session.now)
    var isFirst = true
    try change(store) { settings in
      isFirst = settings.passing == nil
      if isFirst { settings.passing = passing }
    }
    guard isFirst else {
      throw Failure(
        .busy, "another process declared it at the same time",
        hint: "'capsule passing show' says as of when")
    }
    return try tell(try Self.settings(of: store), session) { out in
      guard !session.isQuiet else { return }
      out.line("Declared: \(words(passing, settings, session))")
      let waiting = accessible(store, session)
      if waiting > 0 {
        session.console.note(
          "\(waiting) bequest\(waiting == 1 ? "" : "s") can be handed over now: capsule deliver")
      }
    }
  }

  static let withdraw = Command(
    "passing", "withdraw", summary: "Take the declaration of a passing back",
    discussion: "What was handed over meanwhile stays marked as it is.",
    options: [DeleteCommand.yes], outputs: .json,
    examples: [Example("capsule passing withdraw --yes", "It was a mistake")],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard let store = try session.existingStore(), try settings(of: store).passing != nil else {
      throw Failure(
        .refused, "no passing was declared", hint: "there is nothing to take back")
    }
    try session.confirm(
      "Take the declaration of the passing back?", unless: invocation[DeleteCommand.yes])
    try change(store) { $0.passing = nil }
    return try tell(try settings(of: store), session) { out in
      if !session.isQuiet { out.line("Withdrawn: no passing is declared.") }
    }
  }

  /// The settings as they were written: whether somebody is alive is not guessed.
  private static func settings(of store: Store?) throws -> StoreSettings {
    guard let store else { return StoreSettings() }
    let (settings, damage) = try store.readSettings()
    if let damage { throw StoreError.damaged(damage, path: store.layout.settings.text) }
    return settings
  }

  private static func name(
    _ invocation: Invocation, _ session: Session
  ) throws -> String {
    if let name = invocation[owner] { return name }
    let answer = try session.console.ask(
      "Type the owner's name to declare it: ",
      unanswered: Failure(
        .refused, "the owner's name has to be typed, and nothing may be asked",
        hint: "'--owner NAME' gives it"))
    return String(decoding: answer, as: UTF8.self)
  }

  private static func change(
    _ store: Store, _ body: (inout StoreSettings) -> Void
  ) throws {
    try store.changeSettings(body)
  }

  /// How many bequests wait to be handed over and may be.
  private static func accessible(_ store: Store, _ session: Session) -> Int {
    let passing = session.storeSettings(store).passing
    var index = store.index(.bequest, now: session.now)
    var count = 0
    index.forEach(.ascending) { entry in
      if let summary = BequestSummary(id: entry.id, encoded: entry.summary),
        summary.state == .notSent, let at = summary.accessible(passing: passing?.at),
        at <= session.now
      {
        count += 1
      }
      return true
    }
    return count
  }

  private static func words(
    _ passing: Passing, _ settings: StoreSettings, _ session: Session
  ) -> String {
    let name = settings.owner.isEmpty ? "The owner" : settings.owner
    return "\(name) passed away on \(session.dateTime(passing.at))."
  }

  private static func tell(
    _ settings: StoreSettings, _ session: Session, text: (TextOutput) -> Void
  ) throws -> ExitCode {
    var members: JSONObject = [
      "isDeclared": .bool(settings.passing != nil),
      "owner": settings.owner.isEmpty ? .null : .string(settings.owner),
      "zone": .string(session.localZone.label),
    ]
    let instants = InstantFields(zone: session.zone)
    instants.add(settings.passing?.at, as: "at", to: &members)
    instants.add(settings.passing?.declaredAt, as: "declaredAt", to: &members)
    return try session.render(json: .object(members), text: text)
  }
}
