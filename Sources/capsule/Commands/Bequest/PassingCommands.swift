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
    let settings = try session.existingStore()?.intactSettings() ?? StoreSettings()
    return try answer(settings, session) { out in
      out.line("\(words(settings, session) ?? "No passing was declared.")")
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
    // Nothing is asked before a declaration that would be refused.
    guard let store = try session.existingStore(), case let known = try store.intactSettings(),
      !known.owner.isEmpty
    else { throw StoreError.passing(.ownerUnknown) }
    if let passing = known.passing {
      throw Failure(
        .refused, "it is declared already, as of \(session.dateTime(passing.at))",
        hint: "'capsule passing withdraw' takes that back")
    }
    var at = session.now
    if let text = invocation[on] {
      at = try session.when(text, option: "--on", preferring: .past, requiring: .notFuture).instant
    }
    let typed = try name(invocation, session)
    let settings = try store.declarePassing(at: at, owner: typed, now: session.now)
    return try answer(settings, session) { out in
      guard !session.isQuiet else { return }
      out.line("Declared: \(words(settings, session) ?? "")")
      let waiting = store.countDeliverableBequests(
        passing: settings.passing?.at, now: session.now)
      if waiting > 0 {
        session.console.note(
          "\(String.counting(waiting, "bequest")) can be handed over now: "
            + "capsule deliver --output handover")
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
    guard let store = try session.existingStore(), case let known = try store.intactSettings(),
      let words = words(known, session)
    else {
      throw StoreError.passing(.notDeclared)
    }
    try session.confirm(
      "Take the declaration back that says: \(words)", unless: invocation[DeleteCommand.yes])
    let settings = try store.withdrawPassing()
    return try answer(settings, session) { out in
      if !session.isQuiet { out.line("Withdrawn: no passing is declared.") }
    }
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

  /// The declaration in words; `nil` where there is none.
  private static func words(_ settings: StoreSettings, _ session: Session) -> String? {
    let name = settings.owner.isEmpty ? "The owner" : settings.owner
    return settings.passing.map { "\(name) passed away on \(session.dateTime($0.at))." }
  }

  private static func answer(
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
