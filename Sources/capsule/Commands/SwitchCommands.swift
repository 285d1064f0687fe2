import CapsuleCore

/// `capsule switch …`: what happens when the owner is silent.
enum SwitchCommands {
  static let every = Parameter.option(
    "every", value: "SPAN", .text, otherwise: "30 days",
    "How long after a check-in the next one is due")
  static let warn = Parameter.option(
    "warn", value: "SPAN", .text, otherwise: "7 days", "How long after that you are warned")
  static let grace = Parameter.option(
    "grace", value: "SPAN", .text, otherwise: "21 days",
    "The grace period: how long after the warning the trustees get a message")
  static let witness = Parameter.options(
    "contact", value: "PERSON", .reference(.beneficiary), formerly: "witness",
    "An emergency contact: a person with an email address, by id or name")
  static let phone = Parameter.option(
    "phone", value: "NUMBER", .text, "The number that others should call first to reach you")
  static let byUse = Parameter.flag(
    "by-use", "Count a command at a terminal as a check-in, once a day")
  static let notByUse = Parameter.flag("no-by-use", "Count only `switch checkin` as a check-in")
  static let until = Parameter.option(
    "until", value: "WHEN", .text, "When the pause ends; `now` ends it at once")
  static let exitCode = Parameter.flag("exit-code", "Exit with status 1 if no check-in is due")
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "Show what will be so at this time, with the messages until then")

  static let group = CommandGroup(
    "Dead man's switch", noun: "switch", summary: "Notify people when you stop checking in",
    default: "show", [show, set, checkin, pause, off])

  static let set = Command(
    "switch", "set", summary: "Turn the dead man's switch on, or change it",
    discussion: """
      The dead man's switch notices when you stop checking in. `capsule check` then sends these \
      messages:

      - You get a reminder `--every` after your last check-in.
      - You get a warning `--warn` later, and the grace period starts.
      - Your emergency contacts get a message a day into the grace period, or after a quarter of it if \
      that is shorter.
      - Your emergency contacts and trustees get a message when the grace period ends.

      The switch declares no death, opens nothing and sends no contents. People decide, with \
      `capsule passing declare` and their shares. Messages to others say that a false alarm is \
      likely and which number to call. They contain no titles.

      - Run `capsule check --mail` from a timer, or use `--exec` to send the messages in another \
      way. Without either, messages are only printed.
      - A message that could not be handed over does not count: after a failed warning no grace \
      period starts.
      - If the switch is on, only what you give changes. `--contact` replaces all emergency \
      contacts.
      - `switch set` counts as a check-in.
      """,
    options: [every, warn, grace, witness, phone, byUse, notByUse], outputs: .json,
    examples: [
      Example(
        "capsule switch set --every '30 days' --contact Zoe --phone '+44 20 7946 0000'",
        "Check in monthly; tell Zoe if you stop"),
      Example("capsule switch set --by-use", "Count each day with a command as a check-in"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: set)

  static let checkin = Command(
    "switch", "checkin", summary: "Check in with the dead man's switch",
    outputs: .json,
    examples: [
      Example("capsule switch checkin", "Check in")
    ],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { _, session in
    let store = try session.stores.existing(or: .switch(.off))
    let before = try SwitchView(store, session.stores.settings(of: store), in: session)
    let settings = try store.switch.checkIn(now: session.now)
    noteAlarm(before, session)
    return try answer(store, settings, session) { "Checked in. \($0)" }
  }

  static let pause = Command(
    "switch", "pause", summary: "Pause the switch until a date",
    discussion: """
      `capsule check` notifies you when the pause ends. The next check-in is counted from then.
      """,
    options: [until], outputs: .json,
    examples: [
      Example("capsule switch pause --until 'in 3 months'", "Pause during a long journey"),
      Example("capsule switch pause --until now", "End the pause early"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard let text = invocation[until] else {
      throw Fault.usage(
        "no end of the pause given", hint: "add one: --until 'in 3 months'")
    }
    let end = try session.dates.read(text, option: "--until", requiring: .notPast).instant
    let store = try session.stores.existing(or: .switch(.off))
    let settings = try store.switch.change(now: session.now) { silenceSwitch throws(Fault) in
      if silenceSwitch == nil { throw .switch(.off) }
      silenceSwitch?.pausedUntil = end > session.now ? end : nil
    }
    return try answer(store, settings, session) { $0 }
  }

  static let show = Command(
    "switch", "show", summary: "Show your last check-in, and what happens next",
    discussion: """
      With `--at`, the answer is what will be so at that time if you never check in, and the messages \
      that `capsule check` will send by then, in full. Nothing is sent or recorded.
      """,
    options: [at, exitCode], outputs: .json,
    examples: [
      Example("capsule switch show", "See when the next check-in is due"),
      Example("capsule switch show --at 'in 2 months'", "Rehearse what happens if you stop"),
      Example(
        "capsule switch show --exit-code -q && capsule switch checkin",
        "Check in only if a check-in is due"),
    ],
    exitCodes: [.none, .damaged]
  ) { invocation, session in
    let store = try session.stores.expected()
    if store == nil { try session.stores.noteNone() }
    let settings = session.stores.settings(of: store)
    if let text = invocation[at] {
      let end = try session.dates.read(text, option: at.term, requiring: .notPast).instant
      return try SwitchRehearsal(store, settings, until: end, session)
        .answer(isExitCodeAsked: invocation[exitCode])
    }
    let view = try SwitchView(store, settings, in: session)
    let code: ExitCode = invocation[exitCode] && !view.isCheckInWanted ? .none : .ok
    warn(of: view, session)
    return Answer(view.members, ending: code) {
      view.write(to: $0)
    }
  }

  static let off = Command(
    "switch", "off", summary: "Turn the dead man's switch off",
    discussion: "Nobody is notified. The settings of the switch are forgotten.",
    options: [DeleteCommand.yes], outputs: .json,
    examples: [
      Example("capsule switch off --yes", "Turn the switch off")
    ],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    let store = try session.stores.existing(or: .switch(.off))
    let known = try store.settings.intact()
    guard known.values[StoreSettings.switchName] != nil else { throw Fault.switch(.off) }
    try session.ask.confirm(
      "Turn the switch off and forget its settings?", unless: invocation[DeleteCommand.yes])
    let settings = try store.switch.turnOff()
    return try answer(store, settings, session) { _ in "The switch is off." }
  }

  private static func set(_ invocation: Invocation, _ session: Session) throws -> Answer {
    try invocation.refuse(byUse, with: [notByUse])
    let (every, warn, grace) = (
      try span(every, invocation, session), try span(warn, invocation, session),
      try span(grace, invocation, session)
    )
    let phone = invocation[phone]?.trimmed
    if let phone { try Beneficiary.check(phone: phone) }
    let references = invocation[witness]
    guard let store = try session.stores.expected() else {
      if let first = references.first { throw Fault.noSuchRecord(first, among: [.beneficiary]) }
      throw Fault.switch(.noWitness)
    }
    let witnesses = try session.records.all(Beneficiary.self, references, in: store, intact: true)
      .map(\.model.id)
    let settings = try store.switch.change(now: session.now) { silenceSwitch throws(Fault) in
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
      "Messages are sent only if a timer runs 'capsule check --mail' or '--exec COMMAND': see docs/how-to/dead-mans-switch.md."
    )
    return try answer(store, settings, session) { "The switch is on. \($0)" }
  }

  /// Reads a span; `nil` where it was not given.
  private static func span(
    _ option: Parameter<String?>, _ invocation: Invocation, _ session: Session
  ) throws -> CalendarDuration? {
    guard let text = invocation[option], invocation.has(option) else { return nil }
    let duration: CalendarDuration
    do { duration = try DurationParser.parse(text) } catch {
      throw Fault(error, text: text, option: option.term, of: "duration", in: session.zone)
    }
    guard SilenceSwitch.isSpan(duration) else {
      throw Fault.usage(
        "invalid value for '\(option.term)': '\(text)'",
        hint: "use a duration of at most 10 years, such as '30 days'")
    }
    return duration
  }

  /// Warns of what would be missing in the messages.
  private static func warn(of view: SwitchView, _ session: Session) {
    guard let terms = view.terms, let audience = view.audience else { return }
    for id in audience.unreachable {
      session.console.warning(
        "the emergency contact '\(id)' cannot be reached: no such person, or no address",
        hint: "replace the emergency contacts: capsule switch set --contact PERSON",
        details: ["id": id.json])
    }
    if terms.phone.isEmpty {
      session.console.warning(
        "the messages to your emergency contacts do not give your phone number",
        hint: "add one: capsule switch set --phone NUMBER")
    }
    if audience.owner.isEmpty {
      session.console.warning(
        "the owner's name is not set, so the messages cannot mention you",
        hint: "set the name: capsule settings set owner NAME")
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
        "\(names.joined(separator: ", ")) \(names.count == 1 ? "was" : "were") told that you have not checked in: "
          + "tell them that you are well."))
  }

  private static func answer(
    _ store: Store, _ settings: StoreSettings, _ session: Session,
    text: @escaping (String) -> String
  ) throws -> Answer {
    let view = try SwitchView(store, settings, in: session)
    let state = view.stateText
    return Answer(view.members, quiet: .nothing) { out in
      out.line(StyledText(text("\(state.prefix(1).uppercased())\(state.dropFirst()).")))
    }
  }
}

/// The switch as it stands: what was decided, how silent the owner is, and who was told of it here.
struct SwitchView {
  private let session: Session
  let settings: StoreSettings
  /// `nil` while it is off.
  let terms: SilenceSwitch?
  /// `nil` while it is off.
  let watch: SilenceWatch?
  /// `nil` while it is off.
  let audience: SilenceAudience?
  private let log: SilenceLog

  /// - Parameter store: `nil` where there is none.
  init(_ store: Store?, _ settings: StoreSettings, in session: Session) throws {
    self.session = session
    self.settings = settings
    guard let store,
      let silence = try SilenceCheck(store, settings, at: session.now, now: session.now)
    else {
      (terms, watch, audience, log) = (nil, nil, nil, SilenceLog())
      return
    }
    terms = silence.terms
    audience = silence.audience
    log =
      try store.stateDirectory.map {
        try Ledger.read(of: store, in: $0, now: session.now).silence
      } ?? SilenceLog()
    watch = silence.watch(log)
  }

  /// The state by its name in JSON.
  var stateName: String { watch?.state.rawValue ?? "off" }

  /// Whether the owner ought to check in.
  var isCheckInWanted: Bool { watch?.isCheckInWanted ?? false }

  /// The messages to others of this silence that this machine handed over.
  var toldToOthers: [SilenceNote] {
    log.notes.filter { $0.person != nil && $0.base == watch?.base }
  }

  /// The name of a person who is told.
  func name(_ id: RecordID) -> String {
    people.first { $0.id == id }?.name ?? id.description
  }

  private var people: [Beneficiary] { (audience?.witnesses ?? []) + (audience?.trustees ?? []) }

  /// The state in one sentence, without a full stop.
  var stateText: String {
    guard let watch, let terms else { return "off" }
    let since = session.dates.text(watch.since)
    switch watch.state {
    case .alive:
      let due =
        watch.next.map { "due \(session.dates.text($0.at)), \(session.dates.relative($0.at))" }
        ?? ""
      return "alive: the next check-in is \(due)"
    case .due: return "due: a check-in has been due since \(since)"
    case .warned:
      return "warned: a warning has been due since \(since), and was not handed over here yet"
    case .grace: return "grace: you were warned \(since), and the \(terms.grace.words) run"
    case .silent: return "silent since \(since)"
    case .paused:
      return "paused until \(terms.pausedUntil.map { session.dates.text($0) } ?? since)"
    case .ended: return "ended: a passing is declared"
    }
  }

  private var nextText: String {
    guard let watch else { return "" }
    guard let next = watch.next else {
      switch watch.state {
      case .warned: return "the grace period begins when 'capsule check' has delivered the warning"
      case .grace: return "when a whole grace period has passed since the contacts were notified"
      default: return ""
      }
    }
    return
      "\(next.state.rawValue) \(session.dates.relative(next.at)), \(session.dates.text(next.at))"
  }

  func write(to out: TextOutput) {
    let sheet = FieldSheet(out, width: 14)
    sheet.field("Switch", StyledText(stateText, isCheckInWanted ? .yellow : .plain))
    guard let watch, let terms, let audience else { return }
    sheet.field("Next", ifAny: nextText)
    if let last = settings.checkIns.latest(asOf: session.now) {
      sheet.field("Last check-in", "\(session.dates.text(last)), \(session.dates.relative(last))")
    }
    sheet.field(
      "Check in", "every \(terms.every.words)\(terms.isByUse ? ", or by using the program" : "")")
    sheet.field("Warning", "\(terms.warn.words) later")
    sheet.field("Grace", terms.grace.words)
    for person in audience.witnesses {
      sheet.field("Witness", "\(person.name), \(person.email)")
    }
    for id in audience.unreachable { sheet.field("Witness", "\(id), who cannot be reached") }
    sheet.field("Trustees", ifAny: audience.trustees.map(\.name).joined(separator: ", "))
    sheet.field("Ring", ifAny: terms.phone)
    for note in log.notes where note.base == watch.base {
      let who = note.person.map { name($0) } ?? "you"
      sheet.field("Told", "\(who), \(session.dates.text(note.at)): \(note.step.rawValue)")
    }
  }

  var members: JSONObject {
    let next = watch?.next.map { next in
      session.inner(
        [
          "secondsRemaining": next.at.seconds(since: session.now).json,
          "state": next.state.rawValue.json,
        ], at: ["at": next.at])
    }
    let told = log.notes.filter { $0.base == watch?.base }.map { note in
      session.inner(
        ["step": note.step.rawValue.json, "person": note.person.json], at: ["at": note.at])
    }
    return session.object(
      [
        "byUse": (terms?.isByUse ?? false).json, "kind": "switch", "state": stateName.json,
        "every": (terms?.every.iso8601).json, "grace": (terms?.grace.iso8601).json,
        "warn": (terms?.warn.iso8601).json, "phone": (terms?.phone ?? "").jsonIfAny,
        "next": next.json, "told": told.json,
        "witnesses": (audience?.witnesses ?? []).map(Self.person).json,
        "trustees": (audience?.trustees ?? []).map(Self.person).json,
        "unreachable": (audience?.unreachable ?? []).json,
      ],
      at: [
        "lastCheckInAt": terms.flatMap { _ in settings.checkIns.latest(asOf: session.now) },
        "pausedUntil": terms?.pausedUntil, "since": watch?.since,
      ])
  }

  private static func person(_ person: Beneficiary) -> JSONObject {
    [
      "email": person.email.jsonIfAny, "id": person.id.json, "name": person.name.json,
      "phone": person.phone.jsonIfAny,
    ]
  }
}
