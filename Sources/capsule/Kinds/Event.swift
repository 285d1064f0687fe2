import CapsuleCore

/// Events on the command line.
enum EventKind {
  static let kind = Kind<EventView>(
    "event", operand: "REF", completing: .event,
    fields: [
      KindField(nil, editing: [newTitle]) { invocation, event in
        if let title = invocation[newTitle] { event.title = title }
      },
      // The date and the image need the store: the commands set them.
      KindField(on) { _, _ in },
      KindField(color) { invocation, event in
        guard let text = invocation[color] else { return }
        guard text != "none", let known = EventColor(text) else {
          if text == "none" { return event.color = nil }
          throw Fault.usage("invalid color '\(text)'", hint: "use \(EventColor.accepted)")
        }
        event.color = known
      },
      KindField(notes) { invocation, event in
        if let notes = invocation[notes] { event.notes = notes }
      },
      KindField(image, editing: [noImage]) { invocation, event in
        if invocation[noImage] { event.image = nil }
      },
      KindField(recurrence) { _, _ in },
      KindField(until) { _, _ in },
      KindField(span) { _, _ in },
      .words(
        .options("tag", value: "TAG", .text(completing: .tag), "A word to find the event by"),
        removing: .options("untag", value: "TAG", .text, "Remove a tag"), member: "tags", \.tags),
      KindField(alert, editing: [noAlert]) { invocation, event in
        if invocation[noAlert] { event.alerts = [] }
        event.alerts = (event.alerts + (try alerts(invocation[alert]))).unique
      },
      KindField(deadline, editing: [noDeadline]) { invocation, event in
        if invocation[deadline] { event.isDeadline = true }
        if invocation[noDeadline] { event.isDeadline = false }
      },
    ])

  private static let newTitle = Parameter.option(
    "title", value: "TITLE", .text, "Change the title")
  private static let on = Parameter.option(
    "on", value: "WHEN", .text, formerly: "o", "A date, for an all-day event, or a date and time")
  private static let color = Parameter.option(
    "text-color", value: "COLOR", .text, "The title's color: a name such as red, or #rrggbb")
  private static let notes = Parameter.option("notes", value: "TEXT", .text, "Notes on the event")
  private static let image = Parameter.option(
    "image", value: "FILE", .path, "Store an image with the event")
  private static let recurrence = Parameter.option(
    "repeat", value: "RULE", .text,
    "Repeat the event: yearly, weekdays, 'monthly, 10 times', 'every friday until june 2028'")
  private static let until = Parameter.option(
    "until", value: "WHEN", .text, "When the event ends; of all-day events the last day")
  private static let span = Parameter.option(
    "for", value: "SPAN", .text, "How long the event takes: '2 hours', '3 days'")
  private static let alert = Parameter.options(
    "alert", value: "ALERT", .text, "Alert you: '1 week before', 'on the day at 09:00'")
  private static let deadline = Parameter.flag(
    "deadline", "Make the event a deadline, which `event done` marks as done")
  private static let noImage = Parameter.flag("no-image", "Remove the image")
  private static let noAlert = Parameter.flag(
    "no-alert", "Remove all alerts, before new ones are added")
  private static let noDeadline = Parameter.flag("no-deadline", "Make the deadline a plain event")

  private static let title = Parameter.operand("TITLE", .text, "The title, at most 1 KiB")
  private static let when = Parameter.optionalOperand(
    "WHEN", .text, "The same as `--on`; asked for at a terminal if both are omitted")

  static let add = Command(
    "event", "add", summary: "Add a date to count down to",
    discussion: """
      A date alone makes an all-day event: it has that date in every time zone, and begins at local \
      midnight. A date with a time is one instant. After its date, and for a date in the past, the event \
      counts up.

      `--until` or `--for` gives the event an end: `--for '2 hours'`. For an all-day event `--until` is its \
      last day.

      `--repeat` takes an interval, or days of the week: `weekdays`, `monday and friday`, `2nd tuesday`, \
      `last friday of the month`. `every other tuesday` is each second week. The first time is then the \
      first such day, from the date on. `until june 2028` or `10 times` behind it ends the repetition. \
      `capsule help repeat` lists all forms.

      - A yearly event shows how many years it has been: on a birthday, the age.
      - Repetitions are counted from the first time: the 31st stays the 31st in every month that has \
      one.
      - A yearly 29 February falls on 28 February in other years, or on 1 March if the setting `leapDay` \
      says so.
      - A time repeats on the clocks of the zone that it was given in, even if the rules of that zone \
      change.
      """,
    operands: [title, when], options: kind.addingOptions, outputs: .json,
    examples: [
      Example(
        "capsule event add \"Mia's birthday\" --on 2026-06-15 --repeat yearly --alert '1 week before'",
        "Add a birthday, with an alert a week before"),
      Example(
        "capsule event add 'Book club' --on '2027-01-01 19:00' --repeat '2nd tuesday of the month'",
        "Add an event on the second Tuesday of each month"),
      Example(
        "capsule event add 'Course' --on '2027-03-02 18:00' --for '90 min' --repeat 'weekly, 10 times'",
        "Add ten evenings of 90 minutes"),
      Example(
        "capsule event add \"Lena's visit\" --on 2027-03-12 --until 2027-03-20 --text-color red",
        "Count down to a visit of several days, in red"),
      Example(
        "capsule event add 'Tax return' --on 2027-07-31 --deadline --alert '2 weeks before'",
        "Add a deadline, with an alert two weeks before"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    try RecordFault.check(name: invocation[title], .title, of: .event)
    let (moment, zone, when) = try askedMoment(invocation, session)
    // Everything that can be refused is looked at before a store is made.
    var event = Event(
      header: RecordHeader(id: .zero, createdAt: session.now), title: invocation[title],
      moment: moment, zone: zone)
    try kind.set(invocation, session, &event)
    let existing = try session.stores.existingQuietly()
    try setTimes(
      invocation, &event,
      EventTimes(
        session: session,
        calendar: session.dates.calendar(existing.map(session.stores.settings) ?? StoreSettings())))
    try event.checkRules()
    try session.files.requirePresent(invocation[image].map { [$0] } ?? [])
    let store = try session.stores.forChange()
    let settings = session.stores.settings(of: store)
    let calendar = session.dates.calendar(settings)
    event.header = try store.newHeader(now: session.now)
    event.settle(calendar, asked: when.asked)
    let staged = try invocation[image].map {
      try store.blobs.stageImage($0, limit: settings.maxFileSize)
    }
    event.image = staged?.attachment
    event = try store.insert(event, blobs: staged.map { [$0.blob] } ?? [])
    session.stores.noteFirstUse(of: store)
    let view = EventView(event.brief, calendar, in: session)
    session.console.note("On \(echo(event, when, session, settings))")
    if let end = view.endText { session.console.note("Until \(end)") }
    if let next = repetition(event, calendar, session, settings) {
      session.console.note(StyledText(next))
    }
    if view.state == .over { session.console.note("The deadline has already passed.") }
    return kind.answer(event, in: store, session) { out, view in
      out.line("Added '\(view.titleText)' \(view.id.description)")
    }
  }

  /// Sets the repetition and the end, which depend on the date.
  private static func setTimes(
    _ invocation: Invocation, _ event: inout Event, _ times: EventTimes
  ) throws {
    try invocation.refuse(span, with: [until])
    if let text = invocation[recurrence] { try times.repeatBy(text, &event) }
    if invocation.has(until) || invocation.has(span) {
      try times.end(until: invocation[until], span: invocation[span], &event)
    }
  }

  /// The next three dates of a repeated event.
  static func nextDates(
    _ event: Event, _ calendar: EventCalendar, _ session: Session
  ) -> String {
    let next = event.timing.schedule(in: calendar).occurrences(
      from: session.now, before: .latest, limit: 3)
    guard !next.isEmpty else { return "No date is to come." }
    return "Next on \(next.map { session.dates.text($0.moment) }.joined(separator: "; "))."
  }

  /// The date as it was understood.
  private static func echo(
    _ event: Event, _ when: When, _ session: Session, _ settings: StoreSettings
  ) -> String {
    let given: Moment = when.date.map { .day($0) } ?? .instant(when.instant)
    if !event.moment.isAllDay, event.moment == given { return session.dates.echo(when) }
    let relative = session.dates.relative(event.moment, at: session.now, settings)
    // A whole day has no time that could have been assumed.
    var notes = when.assumptions.filter { !event.moment.isAllDay || !$0.isOfTime }.map(\.text)
    if event.moment != given { notes.append("the first such day") }
    return session.dates.text(event.moment) + (event.moment.isAllDay ? ", all day" : "")
      + ", \(relative)" + (notes.isEmpty ? "" : "; \(notes.joined(separator: ", "))")
  }

  /// The rule as it was understood, and when it is next; `nil` for what comes once.
  private static func repetition(
    _ event: Event, _ calendar: EventCalendar, _ session: Session, _ settings: StoreSettings
  ) -> String? {
    guard var words = event.series.words else { return nil }
    if case .nth? = event.recurrence?.days, event.recurrence?.count == 1 {
      words = "on the \(words)"
    }
    let schedule = event.timing.schedule(in: calendar)
    let next = schedule.occurrences(from: session.now, before: .latest, limit: 3)
    guard let first = next.first else { return "Repeated \(words): no date is to come" }
    let relative = session.dates.relative(first.moment, at: session.now, settings)
    let years = schedule.years(at: first).map { ", \(DurationUnit.year.text($0))" } ?? ""
    let more = next.dropFirst().map { session.dates.text($0.moment) }
    return "Repeated \(words): next on \(session.dates.text(first.moment)), \(relative)\(years)"
      + (more.isEmpty ? "" : "; then \(more.joined(separator: "; "))")
  }

  private static let upcoming = Parameter.flag("upcoming", "Only events to come, and today's")
  private static let elapsed = Parameter.flag(
    "elapsed", "Only past events, and deadlines that are done or over")
  private static let deadlines = Parameter.flag("deadlines", "Only deadlines")
  private static let search = ListOptions.search("Only events with this text in the title or notes")
  private static let sort: Parameter<EventQuery.Order?> = ListOptions.sort(.eventSort)
  private static let details = Parameter.flag("details", "Also show repetitions, alerts and notes")

  static let list = kind.list(
    summary: "List events, soonest first",
    discussion: """
      Upcoming events come first, the soonest at the top. Past events follow, the latest at the top. \
      Within a day, all-day events come first. A repeated event is listed by its next date.

      If a record is damaged or cannot be read, the list marks it and the command exits with status 3.
      """,
    options: [
      upcoming, elapsed, deadlines, search, sort, ListOptions.reverse, ListOptions.limit, details,
      ListOptions.plain, ListOptions.exitCode, ListOptions.at,
    ],
    examples: [
      Example("capsule event list --upcoming --limit 10", "List the next ten events"),
      Example("capsule event list --deadlines --sort title", "List the deadlines by title"),
    ],
    setting: .eventColumns,
    query: { request, remarks in
      let invocation = request.invocation
      var query = EventQuery(request.session.dates.calendar(request.settings), now: request.now)
      query.includesAhead = invocation[upcoming] || !invocation[elapsed]
      query.includesPast = invocation[elapsed] || !invocation[upcoming]
      query.onlyDeadlines = invocation[deadlines]
      query.text = invocation.search(search)
      query.take(sort, .eventSort, otherwise: .date, request)
      if !invocation[upcoming], !invocation[elapsed], query.text == nil {
        remarks.whenEmpty = "There are no events yet; 'capsule event add' adds one."
      }
      return query
    },
    columns: { request in
      EventView.columns(
        request.session, request.settings, at: request.now,
        details: request.invocation[details]
          || request.session.answers.showsDetails(request.settings))
    }, more: EventView.moreColumns, view: { EventView($0, in: $1.session, at: $1.now) })

  static let show = kind.show(
    summary: "Show everything about an event",
    examples: [
      Example("capsule event show \"Mia's birthday\"", "See when a birthday comes next"),
      Example("capsule event show 'Tax return' --json", "Read an event's details in a script"),
    ])

  static let edit = kind.mark(
    "edit", summary: "Change an event",
    discussion: """
      Only what you name changes. `none` removes the color or the repetition. `--alert` adds an alert to \
      the existing ones.

      \(EditSheet.help)
      """,
    options: kind.editingOptions,
    examples: [
      Example("capsule event edit 'Tax return' --on 2027-08-31", "Move a deadline"),
      Example(
        "capsule event edit 'Book club' --repeat none --no-alert",
        "Stop repeating an event, and remove its alerts"),
    ]
  ) { invocation, session in
    try invocation.changing(kind.reference, by: kind.editingOptions, session) {
      let (store, record) = try session.records.required(Event.self, invocation[kind.reference])
      return (store, record.model.id, lines(of: record.model, in: store, session))
    } _: {
      try change($0, session)
    }
  }

  /// Says that a date alone takes the time of an event away.
  private static func noteLostTime(of event: Event, at moment: Moment, _ session: Session) {
    guard case .instant(let instant) = event.moment, case .day(let day) = moment else { return }
    let end = event.length?.days == 0 ? ", without an end" : ""
    let time = session.zone.civil(at: instant).time.shortText
    session.console.note(
      "It is an all-day event now\(end). To keep its time, give it too: --on '\(day) \(time)'")
  }

  /// The lines of an event in the editor.
  private static func lines(
    of event: Event, in store: Store, _ session: Session
  ) -> [EditSheet.Field] {
    let calendar = session.dates.calendar(session.stores.settings(of: store))
    let rules = calendar.rules(of: event.timing)
    // What single dates have of their own stays as it is.
    var rule = event.series
    (rule.except, rule.also, rule.moved) = ([], [], [])
    var (date, end) = ("", "")
    switch event.moment {
    case .day(let day):
      date = day.description
      end = event.length.flatMap { day.adding(days: $0.days - 1) }?.description ?? ""
    case .instant(let instant):
      date = session.dates.written(instant, in: rules)
      end =
        event.length.map { session.dates.written($0.end(after: instant, in: rules), in: rules) }
        ?? ""
    }
    return [
      .init(newTitle, .value(event.title)), .init(on, .value(date)),
      .init(until, .value(end, none: "none")),
      .init(recurrence, .value(rule.words ?? "", none: "none")),
      .init(color, .value(event.color?.description ?? "", none: "none")),
      .init(notes, .value(event.notes)),
      .init(alert, .list(event.alerts.map(\.description), clearing: noAlert)),
      .init(deadline, .flag(event.isDeadline, clearing: noDeadline)),
    ] + kind.fields.compactMap { $0.line(of: event) }
  }

  private static func change(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[kind.reference]
    try invocation.refuse(image, with: [noImage])
    try invocation.refuse(deadline, with: [noDeadline])
    let store = try session.stores.required(for: reference, among: [.event])
    let settings = session.stores.settings(of: store)
    let calendar = session.dates.calendar(settings)
    let change = try session.records.change(
      Event.self, reference, in: store,
      staging: { blobs -> Attachment? in
        guard let path = invocation[image] else { return nil }
        let staged = try store.blobs.stageImage(path, limit: settings.maxFileSize)
        blobs.append(staged.blob)
        return staged.attachment
      }
    ) { event, image in
      let old = event
      try kind.set(invocation, session, &event)
      if let text = invocation[on] {
        let (moment, zone, when) = try moment(text, session)
        noteLostTime(of: event, at: moment, session)
        event.moment = moment
        event.zone = zone
        event.isFloating = false
        // A length of hours is none of whole days.
        if moment.isAllDay, event.length?.days == 0 { event.length = nil }
        event.settle(calendar, asked: when.asked)
        session.console.note("On \(echo(event, when, session, settings))")
      }
      try setTimes(invocation, &event, EventTimes(session: session, calendar: calendar))
      let lost = event.rekey(from: old, calendar)
      if lost > 0 {
        session.console.warning(
          "\(String.counting(lost, "date")) that the event named \(lost == 1 ? "is" : "are") none of its new dates",
          hint: "bring them back: capsule undo")
      }
      try event.checkRules()
      if let image { event.image = image }
    }
    let (event, isChanged) = (change.after, change.isWritten)
    let isMoved = isChanged && (invocation.has(on) || invocation.has(recurrence))
    if isChanged, invocation.has(until) || invocation.has(span),
      let end = EventView(event.brief, calendar, in: session).endText
    {
      session.console.note("Until \(end)")
    }
    return kind.answer(event, isChanged: isChanged, in: store, session) { out, view in
      out.line("Changed '\(view.titleText)' \(view.id.description)")
    }
    .noting(
      isMoved
        ? repetition(event, calendar, session, settings).map { StyledText($0) } : nil)
  }

  static let delete = kind.delete(
    summary: "Move events to the trash",
    discussion: "`capsule restore` restores an event until `capsule purge` removes it for good.",
    examples: [
      Example("capsule event delete 'Book club' --yes", "Delete an event without being asked")
    ])

  /// The date of a new event, asked for where none is given.
  private static func askedMoment(
    _ invocation: Invocation, _ session: Session
  ) throws -> (moment: Moment, zone: String, when: When) {
    try invocation.refuse(when, with: [on])
    if let text = invocation[on] ?? invocation[when] { return try moment(text, session) }
    let unanswered = Fault.usage(
      "no date given", hint: "add one: --on 2036-06-15, or --on 'friday 18:00'")
    guard session.ask.isInteractive, session.options.form == .text else { throw unanswered }
    return try session.ask.until("On which date? ", unanswered: unanswered) { text in
      try moment(text, session)
    }
  }

  private static func moment(
    _ text: String, _ session: Session
  ) throws -> (moment: Moment, zone: String, when: When) {
    let when = try session.dates.read(text, option: "--on")
    if let date = when.date { return (.day(date), "", when) }
    let zone = when.zone == session.zone ? session.localZone.label : when.zone.identifier
    return (.instant(when.instant), zone, when)
  }

  /// The way out for a rule that is not understood.
  ///
  /// - Parameters:
  ///   - near: the text that was likely meant.
  ///   - examples: some that are understood.
  static func repetitionHint(_ near: String?, such examples: String) -> String {
    (near.map { "did you mean '\($0)'? " } ?? "\(examples); ")
      + "list all forms: capsule help repeat"
  }

  private static func alerts(_ texts: [String]) throws -> [EventAlert] {
    var alerts: [EventAlert] = []
    for text in texts {
      guard let alert = EventAlert(text) else {
        throw Fault.usage(
          "invalid alert '\(text)'",
          hint: text == "none"
            ? "remove alerts: capsule event edit REF --no-alert" : "use \(EventAlert.accepted)")
      }
      alerts.append(alert)
    }
    return alerts
  }
}
