import CapsuleCore

/// Announces what became due: by a command, by a notice on the desktop.
struct Announcer {
  let session: Session
  /// The shell command to run for each; `nil` for none.
  let command: String?
  let notifies: Bool
  /// The time limit for each program, in seconds.
  let timeLimit: Int

  /// Whether anything more is done than to print.
  var runsPrograms: Bool { command != nil || notifies }

  /// Runs the command and shows the notice, where they were asked for.
  ///
  /// - Throws: the failure of a program: the thing is not announced then.
  func announce(_ notice: Notice) throws {
    if let command { try run(command, notice) }
    if notifies { try notify(notice) }
  }

  private func run(_ command: String, _ notice: Notice) throws {
    // The command prints after everything that was printed so far.
    try session.console.out.flush()
    let input = JSON.object(notice.members()).encoded(.compact) + Array("\n".utf8)
    var request = ProcessRequest.shell(
      Array(command.utf8),
      environment: [
        "CAPSULE_ID": Array(notice.id.utf8),
        "CAPSULE_TITLE": Array(SafeText.line(notice.title).utf8),
        "CAPSULE_KIND": Array(notice.kind.utf8),
        "CAPSULE_TO": Array(Self.operand(notice.letter?.address ?? "").utf8),
        "CAPSULE_MESSAGE": Array(SafeText.line(notice.letter?.message ?? notice.text.plain).utf8),
      ],
      input: input, timeLimit: nanoseconds)
    request.sendsOutputToErrors = session.options.form != .text
    let outcome = try session.host.runProcess(request)
    try expectSuccess(outcome, of: "the '--exec' command", notice)
  }

  /// Returns an address, or nothing where a program would take it for an option.
  private static func operand(_ address: String) -> String {
    address.utf8.first == UInt8(ascii: "-") ? "" : address
  }

  private func notify(_ notice: Notice) throws {
    let title = Array(SafeText.line(notice.title).utf8)
    let body = Array(notice.text.plain.utf8.filter { $0 != 0 })
    let requests = [
      ProcessRequest(
        program: Array("notify-send".utf8),
        arguments: [Array("--app-name=capsule".utf8), Array("--".utf8), title, Self.markup(body)],
        input: [], capturesOutput: true, timeLimit: nanoseconds),
      // The words are operands of the script, never part of it.
      ProcessRequest(
        program: Array("osascript".utf8),
        arguments: [
          Array("-e".utf8),
          Array(
            "on run {t, b}\ndisplay notification b with title t\nend run".utf8), title, body,
        ],
        input: [], capturesOutput: true, timeLimit: nanoseconds),
    ]
    for request in requests {
      let name = "'\(String(decoding: request.program, as: UTF8.self))'"
      let outcome: ProcessOutcome
      do {
        outcome = try session.host.runProcess(request)
      } catch {
        if error.isNoProgram { continue }
        throw failure("\(name) cannot be run", ": \(error.reason)", notice)
      }
      return try expectSuccess(outcome, of: name, notice)
    }
    throw Fault(
      .partial, "cannot show notifications: neither 'notify-send' nor 'osascript' is installed",
      hint: "install libnotify, or use --exec COMMAND", details: Self.details(notice))
  }

  /// Returns a text as the body of a notice, which the desktop reads as markup (Desktop Notifications
  /// Specification 1.2, section 5): links and images of a title are not shown as such.
  private static func markup(_ text: [UInt8]) -> [UInt8] {
    text.flatMap { byte in
      switch byte {
      case UInt8(ascii: "&"): Array("&amp;".utf8)
      case UInt8(ascii: "<"): Array("&lt;".utf8)
      case UInt8(ascii: ">"): Array("&gt;".utf8)
      default: [byte]
      }
    }
  }

  private func expectSuccess(
    _ outcome: ProcessOutcome, of what: String, _ notice: Notice
  ) throws {
    let end: String
    switch outcome.end {
    case .exited(0): return
    case .exited(127): end = "\(what): no such program"
    case .exited(let code): end = "\(what) exited with status \(code)"
    case .signalled(let signal): end = "signal \(signal) ended \(what)"
    case .timedOut: end = "\(what) took longer than \(DurationUnit.second.text(timeLimit))"
    }
    throw failure(end, outcome.lastWords, notice)
  }

  /// Returns the failure of a program.
  ///
  /// - Parameters:
  ///   - end: the program and how it ended.
  ///   - reason: the reason behind `: `; empty where none is known.
  private func failure(_ end: String, _ reason: String, _ notice: Notice) -> Fault {
    Fault(
      .partial, "'\(notice.title)' was not announced: \(end)\(reason)",
      hint: "fix the program; the next check announces '\(notice.title)' again",
      details: Self.details(notice))
  }

  private static func details(_ notice: Notice) -> JSONObject {
    ["id": notice.id.isEmpty ? .null : notice.id.json]
  }

  private var nanoseconds: Int64 { Int64(timeLimit) * 1_000_000_000 }
}

/// The answer of `check`, written as it comes: nothing of it is held for long.
struct DueAnswer {
  private let session: Session
  private var rows: RowWriter
  private var isEmpty = true
  private var isEnded = false

  init(_ session: Session) {
    self.session = session
    rows = RowWriter(session.console)
  }

  mutating func add(_ notice: Notice) {
    add(notice.members(), text: notice.text)
  }

  /// Adds that some things were due before the first use, which were announced to nobody.
  mutating func add(_ earlier: EarlierDues) {
    let object = session.object(
      ["topic": "summary", "count": earlier.count.json, "kind": "store"],
      at: ["firstUseAt": earlier.firstUse])
    add(object, text: StyledText(Self.text(earlier)))
  }

  /// The line for people that some things were due before the first use.
  static func text(_ earlier: EarlierDues) -> String {
    let commands = earlier.kinds.map { "'\($0.listCommand)\($0 == .item ? " --due" : "")'" }
    let shows = "\(commands.joined(separator: ", ")) \(commands.count == 1 ? "shows" : "show")"
    return earlier.count == 1
      ? "1 was already due at the first use on this device; \(shows) it."
      : "\(earlier.count) were already due at the first use on this device; \(shows) them."
  }

  /// Writes what was added.
  ///
  /// - Throws: the error of the system where it could not be written.
  mutating func flush() throws(Fault) {
    rows.send()
    try session.console.out.flush()
  }

  /// Ends the answer where it was not ended yet, and writes it.
  mutating func end() throws(Fault) {
    if isEnded { return }
    isEnded = true
    rows.end()
    try session.console.out.flush()
  }

  /// Ends an answer that has something in it, where an error cut it short: the things that were announced
  /// are a whole answer in JSON too.
  mutating func endCutShort() {
    // The error is the one to report.
    if !isEmpty { try? end() }
  }

  private mutating func add(_ object: @autoclosure () -> JSONObject, text: StyledText) {
    isEmpty = false
    if session.options.form == .text { return session.console.out.line(text) }
    rows.add { $0.value(.object(object())) }
  }
}

/// Something that is announced, as a line for people and as the members of JSON.
struct Notice {
  /// The id of the record; empty for what is no record's.
  let id: String
  let kind: String
  let title: String
  /// The line for people.
  let text: StyledText
  /// The message, and the name and the address that it is to go to, where it is for one person; both are
  /// empty for the owner.
  var letter: (name: String, address: String, message: String, paragraphs: [String])?
  /// Returns the object for machines; made when it is asked for.
  let members: () -> JSONObject
}

/// Makes the notices of what became due in a store.
struct DueNotices {
  let session: Session
  let settings: StoreSettings
  let calendar: EventCalendar
  let names: RecordNames
  /// The time that is checked for.
  let now: Instant

  /// The title, the line for people, and what makes the object for machines.
  private typealias Parts = (String, StyledText, () -> JSONObject)

  func notice(of due: DueThing) -> Notice {
    let announcement = due.announcement
    let title: String
    let text: StyledText
    let own: () -> JSONObject
    switch due.matter {
    case .unlock(let capsule): (title, text, own) = unlock(capsule)
    case .event(let event, let found): (title, text, own) = self.event(event.brief, found)
    case .reminder(let item, let reminder):
      (title, text, own) = self.reminder(reminder, item)
    case .warranty(let item, let date): (title, text, own) = warranty(item, until: date)
    case .bequest(let bequest): (title, text, own) = self.bequest(bequest.brief)
    }
    let zone = session.zone
    return Notice(
      id: announcement.id.description, kind: announcement.kind.rawValue, title: title, text: text
    ) {
      var members = own()
      members["topic"] = announcement.topic.json
      if announcement.kind == .item {
        members["occurrenceAt"] = announcement.instant.json
      } else {
        InstantFields(zone: zone).add(announcement.instant, as: "dueAt", to: &members)
      }
      return members
    }
  }

  private func unlock(_ capsule: Capsule) -> Parts {
    let (session, now, summary) = (session, now, capsule.brief)
    return (
      summary.record.title,
      "'\(summary.record.title, .bold)' has been unlocked since \(session.dates.text(capsule.dueAt)); open it with: capsule open \(summary.id.description)",
      { CapsuleView(summary, in: session, at: now).members }
    )
  }

  private func event(_ summary: Brief<Event>, _ found: EventAnnouncement) -> Parts {
    let view = EventView(summary, calendar, in: session, at: now)
    let (instants, moment) = (InstantFields(zone: session.zone), found.occurrence.moment)
    let schedule = summary.record.timing.schedule(in: calendar)
    let title = schedule.move(of: found.occurrence)?.title ?? summary.record.title
    func members(alert: JSON) -> JSONObject {
      var members = view.members
      EventView.add(moment, dateAs: "nextDate", instantAs: "nextAt", instants, to: &members)
      members["years"] =
        schedule.years(at: found.occurrence).map { $0.json } ?? .null
      members["alert"] = alert
      if schedule.set != nil { members["occurrence"] = found.occurrence.key.description.json }
      return members
    }
    switch found.topic {
    case .alert(let alert):
      let relative = session.dates.announced(moment, at: now, settings)
      // A moment at this very second is not over.
      let word =
        max(schedule.end(of: found.occurrence), moment.end(in: session.zone)) < now ? "was" : "is"
      let years = schedule.years(at: found.occurrence)
        .map { ", \(DurationUnit.year.text($0))" }
      return (
        title,
        "'\(title, summary.record.color.titleStyle)' \(word) \(relative), \(session.dates.text(moment))\(years ?? "")",
        { members(alert: alert.description.json) }
      )
    case .over:
      return (
        summary.record.title,
        "'\(view.titleText)' has been over since \(session.dates.text(found.instant)); when it is met: capsule event done \(summary.id.description)",
        { members(alert: .null) }
      )
    }
  }

  private func reminder(_ reminder: Reminder, _ item: Item) -> Parts {
    let (session, now) = (session, now)
    let title = reminder.title(of: item)
    let since = item.history.last.map { last in
      "was last done \(session.dates.announced(.instant(last.at), at: now, settings))"
    }
    let summary = item.brief
    return (
      title,
      "'\(title, .bold)' is due, \(reminder.words); it \(since ?? "was never done"); when it is done: capsule item log \(summary.id.description)",
      { ItemView(summary, in: session, at: now).members }
    )
  }

  private func warranty(_ item: Item, until date: CivilDate) -> Parts {
    let (session, now, moment) = (session, now, Moment.day(date))
    let verb = moment.end(in: session.zone) <= now ? "ended" : "ends"
    let summary = item.brief
    return (
      item.name,
      "the warranty of '\(item.name, .bold)' \(verb) \(session.dates.announced(moment, at: now, settings)), \(session.dates.text(moment))",
      { ItemView(summary, in: session, at: now).members }
    )
  }

  private func bequest(_ summary: Brief<Bequest>) -> Parts {
    let view = BequestView(summary, names: names, passing: settings.passing, in: session)
    let since = session.dates.text(summary.record.access.date ?? now)
    return (
      view.title,
      "'\(view.subjectText)' is for '\(view.personName ?? "?", .bold)' since \(since); hand it over with: capsule deliver \(summary.record.beneficiary.description) --output DIR",
      { view.members }
    )
  }
}

/// The messages of the dead man's switch: to the owner, and to others.
///
/// A message to others names no title of anything. It says that a false alarm is likely, and whom to call.
struct SwitchNotices {
  private let session: Session
  private let terms: SilenceSwitch
  private let audience: SilenceAudience

  init(_ silence: SilenceCheck, _ session: Session) {
    self.session = session
    terms = silence.terms
    audience = silence.audience
  }

  func notice(of silence: SilenceMessage) -> Notice {
    let (step, watch, person) = (silence.step, silence.watch, silence.person)
    let title = person.map { _ in titleForOthers(watch) } ?? titleForOwner(step)
    let paragraphs =
      person.map { messageForOthers(step, watch, $0) } ?? [messageForOwner(step, watch)]
    let message = paragraphs.joined(separator: " ")
    let role = silence.role.rawValue
    let shownRole = silence.role == .witness ? "emergency contact" : role
    let text: StyledText =
      person.map { "To \($0.name, .bold) <\($0.email)>, \(shownRole): \(message)" }
      ?? StyledText(message)
    let zone = session.zone
    let label = session.localZone.label
    return Notice(
      id: "", kind: "switch", title: title, text: text,
      letter: (
        name: person?.name ?? "", address: person?.email ?? "",
        message: message, paragraphs: paragraphs
      )
    ) {
      var members: JSONObject = [
        "kind": "switch", "message": message.json, "state": watch.state.rawValue.json,
        "title": title.json, "topic": step.rawValue.json, "zone": label.json,
      ]
      var to: JSONObject = ["role": role.json]
      to.member("email", ifAny: person?.email ?? "")
      to.member("id", person?.id.description)
      to.member("name", ifAny: person?.name ?? "")
      to.member("phone", ifAny: person?.phone ?? "")
      members["to"] = .object(to)
      let instants = InstantFields(zone: zone)
      instants.add(watch.since, as: "dueAt", to: &members)
      instants.add(watch.base, as: "silentFrom", to: &members)
      return members
    }
  }
}

// The words.
extension SwitchNotices {
  private var owner: String {
    audience.owner.isEmpty ? "the owner of this store" : audience.owner
  }

  private func titleForOwner(_ step: SilenceStep) -> String {
    switch step {
    case .due: "A check-in is due"
    case .warned: "Check in, or others will be notified"
    case .grace: "Your emergency contacts are being notified"
    case .silent, .resumed: "Your dead man's switch is active again"
    }
  }

  private func titleForOthers(_ watch: SilenceWatch) -> String {
    "No check-in from \(owner) since \(day(watch.base)), probably a false alarm"
  }

  private func messageForOwner(_ step: SilenceStep, _ watch: SilenceWatch) -> String {
    let way = "Check in with: capsule switch checkin"
    let since = session.dates.text(watch.base)
    switch step {
    case .due:
      let next = watch.next.map { " You will get a warning on \(day($0.at))." } ?? ""
      return "A check-in is due: your last one was on \(since).\(next) \(way)"
    case .warned:
      let last = audience.trustees.isEmpty ? "again" : "your trustees"
      return
        "You have not checked in since \(since). Unless you check in, "
        + "\(Self.list(audience.witnesses.map(\.name))) will be notified soon, and \(last) in "
        + "\(terms.grace.words). \(way)"
    case .grace:
      let last =
        audience.trustees.isEmpty
        ? "they will be notified again" : "your trustees will be notified"
      return
        "You have not checked in since \(since), and your emergency contacts are being notified. "
        + "Unless you check in, \(last) \(end(watch)). \(way)"
    case .silent, .resumed:
      let next = watch.next.map { " The next check-in is due on \(day($0.at))." } ?? ""
      return "Your dead man's switch is active again, because its pause is over.\(next) \(way)"
    }
  }

  /// The message to a person who is not the owner, in paragraphs: the fact, then what to do.
  private func messageForOthers(
    _ step: SilenceStep, _ watch: SilenceWatch, _ person: Beneficiary
  ) -> [String] {
    let role =
      step != .grace && audience.isTrustee(person) ? "a trustee" : "an emergency contact"
    let fact =
      "Dear \(person.name), you are \(role) for \(owner), who has not checked in since "
      + "\(day(watch.base)) and has not answered reminders."
    let nothing = "Nothing was opened or sent because of this, and nothing will be."
    if step == .grace {
      let next =
        audience.trustees.isEmpty ? "you will be notified again" : "the trustees will be notified"
      return [
        "\(fact) This is probably a false alarm: a trip, an illness, a computer that was off.",
        callFirst(for: person),
        "If all is well, ask \(owner) to run 'capsule switch checkin', which ends this alarm.",
        "\(nothing) Without a check-in, \(next) \(end(watch)).",
      ]
    }
    return [
      "\(fact) The time to answer has passed, but this may still be a false alarm.",
      callFirst(for: person), nothing, onTheDay,
    ]
  }

  private var onTheDay: String {
    let groups = audience.groups.map { group in
      "any \(group.threshold) of \(Self.list(group.shares.map(\.holder)))"
    }
    let meeting =
      groups.isEmpty
      ? ""
      : " The trustees meet with their sheets, which say what to do: \(Self.list(groups))."
    return
      "Only if you know that \(owner) has died, ask somebody to run 'capsule passing declare' on the "
      + "computer of \(owner).\(meeting)"
  }

  private func callFirst(for person: Beneficiary) -> String {
    var numbers = terms.phone.isEmpty ? [] : ["\(terms.phone) (\(owner))"]
    for contact in audience.witnesses where contact.id != person.id && !contact.phone.isEmpty {
      numbers.append("\(contact.phone) (\(contact.name), an emergency contact)")
    }
    return numbers.isEmpty
      ? "Before you do anything else, please call \(owner)."
      : "Before you do anything else, please call \(numbers.joined(separator: ", then "))."
  }

  private func end(_ watch: SilenceWatch) -> String {
    watch.next.map { "on \(day($0.at))" } ?? "\(terms.grace.words) from now"
  }

  /// The day, for people who may live in other zones.
  private func day(_ instant: Instant) -> String {
    session.zone.civil(at: instant).date.longText
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "nobody" : names.map(\.onOneLine).listed()
  }
}
