import CapsuleCore

/// `capsule switch …`: what happens when the owner is silent.
enum SwitchCommands {
  static let every = Option(
    "every", value: "SPAN", .text, default: "30 days", "How long after a check-in the next is due")
  static let warn = Option(
    "warn", value: "SPAN", .text, default: "7 days", "How long after that you are warned")
  static let grace = Option(
    "grace", value: "SPAN", .text, default: "21 days",
    "How long after the warning the trustees are told")
  static let witness = RepeatableOption(
    "contact", value: "PERSON", .reference(.beneficiary), formerly: "witness",
    "Who hears of it in the grace: a person with an email address, by id or name")
  static let phone = Option(
    "phone", value: "NUMBER", .text, "The number at which others are to ring you first")
  static let byUse = Flag("by-use", "Take each command at a terminal for a check-in, once a day")
  static let notByUse = Flag("no-by-use", "Take only `switch checkin` for one")
  static let until = Option(
    "until", value: "WHEN", .text, "When the pause ends; `now` ends the one that is")
  static let exitCode = Flag("exit-code", "Exit with 1 when no check-in is due")

  static let group = CommandGroup(
    "The switch", noun: "switch", summary: "Have people told when you fall silent",
    default: "show", [show, set, checkin, pause, off])

  static let set = Command(
    "switch", "set", summary: "Turn the switch on, or change it",
    discussion: """
      You check in every so often. When a check-in is due, `capsule check` announces it; later it \
      warns you, and from that warning on the grace runs. A day into it the witnesses are told, and \
      when it is over the witnesses and the trustees. Nothing counts as said that could not be \
      handed over: no silence follows from a warning that failed.

      Silence declares no passing, opens nothing and sends no content. People decide, with \
      `capsule passing declare` and their shares. What others get says that a false alarm is likely, \
      names the number to ring, and no title of anything.

      Messages leave this machine by `capsule check --mail`, or by what its `--exec` runs, from a timer; without either they \
      are only printed. Given again, only what is given changes, and the witnesses are replaced. To \
      set it is to check in.
      """,
    options: [every, warn, grace, witness, phone, byUse, notByUse], outputs: .json,
    examples: [
      Example(
        "capsule switch set --every '30 days' --contact 'Zoe Martin' --phone '+44 20 7946 0000'",
        "Have Zoe told of a silence of two months"),
      Example("capsule switch set --by-use", "Count each command at a terminal"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: set)

  static let checkin = Command(
    "switch", "checkin", summary: "Say that you are there",
    outputs: .json,
    examples: [Example("capsule switch checkin", "Check in")],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { _, session in
    guard let store = try session.existingStore() else { throw StoreError.switch(.off) }
    let before = try SwitchView(store, session.storeSettings(store), in: session)
    let settings = try store.checkIn(now: session.now)
    noteAlarm(before, session)
    return try answer(store, settings, session) { "Checked in. \($0)" }
  }

  static let pause = Command(
    "switch", "pause", summary: "Count no silence until a time",
    discussion: "The end of the pause is announced, and silence counts from then on.",
    options: [until], outputs: .json,
    examples: [
      Example("capsule switch pause --until 'in 3 months'", "Be away"),
      Example("capsule switch pause --until now", "Be back early"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard let text = invocation[until] else {
      throw Failure.usage(
        "it is not said how long the pause is", hint: "write it as in: --until 'in 3 months'")
    }
    let end = try session.when(text, option: "--until", requiring: .notPast).instant
    guard let store = try session.existingStore() else { throw StoreError.switch(.off) }
    let settings = try store.changeSwitch(now: session.now) { silenceSwitch throws(StoreError) in
      if silenceSwitch == nil { throw .switch(.off) }
      silenceSwitch?.pausedUntil = end > session.now ? end : nil
    }
    return try answer(store, settings, session) { $0 }
  }

  static let show = Command(
    "switch", "show", summary: "Show how silent you are, and what comes next",
    options: [exitCode], outputs: .json,
    examples: [
      Example("capsule switch show", "Show it"),
      Example("capsule switch show --exit-code -q && capsule switch checkin", "Check in when due"),
    ],
    exitCodes: [.none, .damaged]
  ) { invocation, session in
    let store = try session.existingStore()
    let view = try SwitchView(store, session.storeSettings(store), in: session)
    let code: ExitCode = invocation[exitCode] && !view.isCheckInWanted ? .none : .ok
    warn(of: view, session)
    return try session.render(ending: code, json: .object(view.members)) { view.write(to: $0) }
  }

  static let off = Command(
    "switch", "off", summary: "Turn the switch off",
    discussion: "Nobody is told so. What was decided is forgotten.",
    options: [DeleteCommand.yes], outputs: .json,
    examples: [Example("capsule switch off --yes", "Turn it off")],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard let store = try session.existingStore() else { throw StoreError.switch(.off) }
    let known = try store.intactSettings()
    guard known.values[StoreSettings.switchName] != nil else { throw StoreError.switch(.off) }
    try session.confirm(
      "Turn the switch off, and forget what was set", unless: invocation[DeleteCommand.yes])
    let settings = try store.turnSwitchOff()
    return try answer(store, settings, session) { _ in "The switch is off." }
  }

  private static func set(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    if invocation[byUse], invocation[notByUse] {
      throw UsageProblem.contradiction("--by-use", "--no-by-use")
    }
    let (every, warn, grace) = (
      try span(every, invocation, session), try span(warn, invocation, session),
      try span(grace, invocation, session)
    )
    let phone = invocation[phone]?.trimmed
    if let phone { try Beneficiary.check(phone: phone) }
    let references = invocation[witness]
    guard let store = try session.existingStore() else {
      if let first = references.first { throw Failure.notFound(first, among: [.beneficiary]) }
      throw StoreError.switch(.noWitness)
    }
    let witnesses = try session.records(Beneficiary.self, references, in: store, intact: true)
      .map(\.model.id)
    let settings = try store.changeSwitch(now: session.now) { silenceSwitch throws(StoreError) in
      var terms = silenceSwitch ?? SilenceSwitch()
      if let every { terms.every = every }
      if let warn { terms.warn = warn }
      if let grace { terms.grace = grace }
      if !witnesses.isEmpty {
        terms.witnesses = []
        for id in witnesses where !terms.witnesses.contains(id) { terms.witnesses.append(id) }
      }
      if let phone { terms.phone = phone }
      if invocation[byUse] { terms.isByUse = true }
      if invocation[notByUse] { terms.isByUse = false }
      silenceSwitch = terms
    }
    let view = try SwitchView(store, settings, in: session)
    Self.warn(of: view, session)
    session.console.note(
      "Messages leave this machine by 'capsule check --mail', or '--exec COMMAND', in a timer: see docs/how-to/dead-mans-switch.md."
    )
    return try answer(store, settings, session) { "The switch is on. \($0)" }
  }

  /// Reads a span; `nil` where it was not given.
  private static func span(
    _ option: Option<String>, _ invocation: Invocation, _ session: Session
  ) throws -> CalendarDuration? {
    guard let text = invocation[option], invocation.has(option) else { return nil }
    let duration: CalendarDuration
    do throws(WhenError) { duration = try DurationParser.parse(text) } catch {
      throw Failure(error, text: text, option: "--\(option.spec.name)", in: session.zone)
    }
    guard SilenceSwitch.isSpan(duration) else {
      throw Failure.usage(
        "'\(text)' is no time for '--\(option.spec.name)'",
        hint: "write a span of at most 10 years, such as '30 days'")
    }
    return duration
  }

  /// Warns of what would be missing in the messages.
  private static func warn(of view: SwitchView, _ session: Session) {
    guard let terms = view.terms, let audience = view.audience else { return }
    for id in audience.unreachable {
      session.console.warning(
        "the witness '\(id)' cannot be reached: there is no such person, or no address",
        hint: "'capsule switch set --contact PERSON' replaces the witnesses",
        details: ["id": .string(id.description)])
    }
    if terms.phone.isEmpty {
      session.console.warning(
        "the messages name no number at which you can be reached",
        hint: "give it: capsule switch set --phone NUMBER")
    }
    if audience.owner.isEmpty {
      session.console.warning(
        "the messages cannot say whose silence it is",
        hint: "say so: capsule settings set owner NAME")
    }
  }

  /// Says who was alarmed, after the owner came back.
  private static func noteAlarm(_ view: SwitchView, _ session: Session) {
    var names: [String] = []
    for person in view.toldToOthers.compactMap(\.person) {
      let name = view.name(person)
      if !names.contains(name) { names.append(name) }
    }
    guard !names.isEmpty else { return }
    session.console.note(
      StyledText(
        "\(names.joined(separator: ", ")) \(names.count == 1 ? "was" : "were") told of your silence: "
          + "say that you are well."))
  }

  private static func answer(
    _ store: Store, _ settings: StoreSettings, _ session: Session,
    text: (String) -> String
  ) throws -> ExitCode {
    let view = try SwitchView(store, settings, in: session)
    let state = view.stateText
    return try session.render(json: .object(view.members)) { out in
      guard !session.isQuiet else { return }
      out.line(StyledText(text("\(state.prefix(1).uppercased())\(state.dropFirst()).")))
    }
  }
}
