import CapsuleCore

/// An event as lists and JSON show it.
struct EventView: KindView {
  private let row: EventRow
  private let session: Session
  private let now: Instant

  init(_ row: EventRow, in session: Session, at now: Instant) {
    self.row = row
    self.session = session
    self.now = now
  }

  init(
    _ summary: Brief<Event>, _ calendar: EventCalendar, problem: IndexProblem = .none,
    in session: Session, at now: Instant? = nil
  ) {
    let now = now ?? session.now
    self.init(EventRow(summary, calendar, problem: problem, at: now), in: session, at: now)
  }

  init(_ brief: Brief<Event>, problem: IndexProblem, of store: Store, in session: Session) {
    let settings = session.stores.settings(of: store)
    self.init(brief, session.dates.calendar(settings), problem: problem, in: session)
  }

  var id: RecordID { row.summary.id }
  var summary: Brief<Event> { row.summary }
  var moment: Moment { row.moment }
  /// The first occurrence.
  var first: Moment { row.first }
  /// The number of years from the first occurrence to `moment`, for a yearly event: `9 years`.
  var yearsText: String? { row.years.map { DurationUnit.year.text($0) } }
  var state: EventState { row.state }
  var problem: IndexProblem { row.problem }
  var isBlank: Bool { problem != .none && summary.record.title.isEmpty }

  func writeMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    let timing = summary.record.timing
    writer.member("alerts", timing.alerts.map(\.description))
    writer.member("allDay", first.isAllDay)
    instants.add(first.exactInstant, as: "at", to: &writer)
    writer.member("color", summary.record.color?.description)
    writer.member("colorRGB", summary.record.color?.hex)
    instants.add(timing.createdAt, as: "createdAt", to: &writer)
    writer.member("date", first.wholeDay?.description)
    let today = session.zone.civil(at: now).date
    writer.member("daysUntil", Int64(moment.date(in: session.zone).days(since: today)))
    writer.member("deadline", timing.isDeadline)
    instants.add(timing.doneAt, as: "doneAt", to: &writer)
    writer.member("eventZone", ifAny: timing.zone)
    writer.member("hasImage", summary.digest.hasImage)
    writer.member("id", summary.id)
    writer.member("kind", "event")
    instants.add(moment.exactInstant, as: "nextAt", to: &writer)
    writer.member("nextDate", moment.wholeDay?.description)
    writer.member("problem", problem.jsonName)
    writer.member("repeat", timing.recurrence?.words)
    writer.member("secondsUntil", moment.exactInstant?.seconds(since: now))
    writer.member("state", state.rawValue)
    writer.member("title", summary.record.title)
    writer.member("uid", summary.record.uid.flatMap { $0.isEmpty ? nil : $0 })
    instants.add(summary.record.updatedAt, as: "updatedAt", to: &writer)
    writer.member("years", row.years.map { Int64($0) })
    writer.member("zone", session.localZone.label)
  }

  /// The members of the object with those that only the record has.
  func members(of event: Event) -> JSONObject {
    var members = members
    members["notes"] = event.notes.json
    members["revision"] = event.header.revision.json
    members["image"] =
      event.image.map { image in
        [
          "name": image.displayName.json, "mediaType": image.mediaType.json,
          "size": image.size.json,
        ]
      } ?? .null
    return members
  }

  /// Adds a date or an instant; the other is `null`.
  static func add(
    _ moment: Moment, dateAs date: String, instantAs instant: String, _ instants: InstantFields,
    to members: inout JSONObject
  ) {
    members.member(date, moment.wholeDay?.description)
    instants.add(moment.exactInstant, as: instant, to: &members)
  }

  /// The state as lists show it.
  var stateText: StyledText {
    problem.mark ?? StyledText(state.rawValue, state.style)
  }

  /// The title in its colour.
  var titleText: StyledText { StyledText(summary.record.title, summary.record.color.titleStyle) }

  /// The number of next occurrences that the page shows.
  private static let occurrenceCount = 5

  func writePage(of event: Event, _ settings: StoreSettings, to out: TextOutput) {
    let sheet = FieldSheet(out, width: 9)
    out.line(titleText)
    sheet.field("Id", event.id.description)
    sheet.field("State", stateText)
    let relative = session.dates.relative(moment, at: session.now, settings)
    let years = yearsText.map { ", \($0)" } ?? ""
    sheet.field(
      event.isDeadline ? "Deadline" : "Date",
      "\(session.dates.text(moment)), \(relative)\(years)")
    if let recurrence = event.recurrence {
      sheet.field("Repeated", "\(recurrence.words), since \(session.dates.text(first))")
      let next = event.timing.schedule(in: session.dates.calendar(settings)).occurrences(
        from: session.now, before: .latest, limit: Self.occurrenceCount)
      sheet.field("Next", next.map { session.dates.text($0) }.joined(separator: "; "))
    }
    if !event.alerts.isEmpty {
      sheet.field("Alerts", event.alerts.map(\.description).joined(separator: ", "))
    }
    if let doneAt = event.doneAt {
      sheet.field("Done", "\(session.dates.text(doneAt)), \(session.dates.relative(doneAt))")
    }
    if let color = event.color { sheet.field("Color", color.description) }
    if let image = event.image {
      sheet.field("Image", "\(image.displayName), \(image.mediaType), \(ByteSize.text(image.size))")
    }
    sheet.field(
      "Created",
      "\(session.dates.text(event.createdAt)), \(session.dates.relative(event.createdAt))")
    sheet.block(event.notes)
  }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<EventView>] {
    let created = RowColumn<EventView>("CREATED") {
      session.dates.cell($0.summary.record.timing.createdAt)
    }
    return detailColumns(session) + [created]
  }

  private static func detailColumns(_ session: Session) -> [RowColumn<EventView>] {
    [
      .beneath("REPEATED") { $0.summary.record.timing.recurrence?.words ?? "" },
      .beneath("ALERTS") {
        $0.summary.record.timing.alerts.map(\.description).joined(separator: ", ")
      },
      .beneath("NOTES") { session.answers.shown(notes: $0.summary.record.notes) },
    ]
  }

  /// The columns of a list.
  static func columns(
    _ session: Session, _ settings: StoreSettings, at now: Instant, details: Bool
  ) -> [RowColumn<EventView>] {
    let columns: [RowColumn<EventView>] = [
      .id(session), RowColumn("STATE", detail: .state) { $0.stateText },
      .title("TITLE") { $0.titleText },
      .text("WHEN") { session.dates.relative($0.moment, at: now, settings) },
      RowColumn("DATE") { session.dates.cell($0.moment) },
    ]
    return details ? columns + detailColumns(session) : columns
  }
}

extension EventColor? {
  /// The style of a title in this colour.
  var titleStyle: Style {
    guard let color = self else { return .bold }
    return Style(isBold: true, color: .rgb(color.red, color.green, color.blue))
  }
}

extension EventState {
  var style: Style {
    switch self {
    case .upcoming: .yellow
    case .today: .green
    case .elapsed, .done: .dim
    case .over: .boldRed
    }
  }
}

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
      KindField(recurrence) { invocation, event in
        guard let text = invocation[recurrence] else { return }
        event.recurrence = text == "none" ? nil : try rule(text)
      },
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
    "Repeat the event: daily, yearly, '2 weeks', weekdays, 'last friday of the month'")
  private static let alert = Parameter.options(
    "alert", value: "ALERT", .text, "Alert you: '1 week before', 'on the day at 09:00'")
  private static let deadline = Parameter.flag(
    "deadline", "Make the event a deadline, which `event done` marks as done")
  private static let noImage = Parameter.flag("no-image", "Remove the image")
  private static let noAlert = Parameter.flag(
    "no-alert", "Remove all alerts, before new ones are added")
  private static let noDeadline = Parameter.flag("no-deadline", "Make the deadline a plain event")

  private static let title = Parameter.operand("TITLE", .text, "The title, at most 1 KiB")

  static let add = Command(
    "event", "add", summary: "Add a date to count down to",
    discussion: """
      A date alone makes an all-day event: it has that date in every time zone, and begins at local \
      midnight. A date with a time is one instant. After its date, and for a date in the past, the event \
      counts up.

      `--repeat` takes an interval, or days of the week: `weekdays`, `monday and friday`, `2nd tuesday`, \
      `last friday of the month`. `every other tuesday` is each second week. The first time is then the \
      first such day, from the date on. `capsule help repeat` lists all forms.

      - A yearly event shows how many years it has been: on a birthday, the age.
      - Repetitions are counted from the first time: the 31st stays the 31st in every month that has \
      one.
      - A yearly 29 February falls on 28 February in other years, or on 1 March if the setting `leapDay` \
      says so.
      - A time repeats on the clocks of the zone that it was given in, even if the rules of that zone \
      change.
      """,
    operands: [title], options: kind.addingOptions, outputs: .json,
    examples: [
      Example(
        "capsule event add \"Mia's birthday\" --on 2026-06-15 --repeat yearly --alert '1 week before'",
        "Add a birthday, with an alert a week before"),
      Example(
        "capsule event add 'Book club' --on '2027-01-01 19:00' --repeat '2nd tuesday of the month'",
        "Add an event on the second Tuesday of each month"),
      Example(
        "capsule event add \"Lena's visit\" --on '2027-03-12 17:00' --text-color red",
        "Count down to a visit, in red"),
      Example(
        "capsule event add 'Tax return' --on 2027-07-31 --deadline --alert '2 weeks before'",
        "Add a deadline, with an alert two weeks before"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard let text = invocation[on] else {
      throw Fault.usage(
        "no date given", hint: "add one: --on 2036-06-15, or --on 'friday 18:00'")
    }
    let (moment, zone, when) = try moment(text, session)
    // Everything that can be refused is looked at before a store is made.
    var event = Event(
      header: RecordHeader(id: .zero, createdAt: session.now), title: invocation[title],
      moment: moment, zone: zone)
    try kind.set(invocation, &event)
    try event.checkRules()
    if let path = invocation[image], try session.stores.existingQuietly() == nil {
      // No store is made for a picture that is not there.
      do throws(Fault) { _ = try session.host.files.statusFollowingLinks(path) } catch {
        throw Fault.unreadableSource(error)
      }
    }
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
    if let next = repetition(view, session, settings) { session.console.note(StyledText(next)) }
    if view.state == .over { session.console.note("The deadline has already passed.") }
    return kind.answer(event, in: store, session) { out, view in
      out.line("Added '\(view.titleText)' \(view.id.description)")
    }
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
    _ view: EventView, _ session: Session, _ settings: StoreSettings
  ) -> String? {
    guard let rule = view.summary.record.timing.recurrence else { return nil }
    let relative = session.dates.relative(view.moment, at: session.now, settings)
    let years = view.yearsText.map { ", \($0)" } ?? ""
    var words = rule.words
    if case .nth? = rule.days, rule.count == 1 { words = "on the \(words)" }
    return "Repeated \(words): next on \(session.dates.text(view.moment)), \(relative)\(years)"
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
      """,
    options: kind.editingOptions,
    examples: [
      Example("capsule event edit 'Tax return' --on 2027-08-31", "Move a deadline"),
      Example(
        "capsule event edit 'Book club' --repeat none --no-alert",
        "Stop repeating an event, and remove its alerts"),
    ]
  ) { invocation, session in
    let reference = invocation[kind.reference]
    try invocation.requireAny(of: kind.editingOptions, session)
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
      try kind.set(invocation, &event)
      if let text = invocation[on] {
        let (moment, zone, when) = try moment(text, session)
        event.moment = moment
        event.zone = zone
        event.settle(calendar, asked: when.asked)
        session.console.note("On \(echo(event, when, session, settings))")
      } else if invocation.has(recurrence) {
        event.settle(calendar)
      }
      try event.checkRules()
      if let image { event.image = image }
    }
    let (event, isChanged) = (change.after, change.isWritten)
    let isMoved = isChanged && (invocation.has(on) || invocation.has(recurrence))
    return kind.answer(event, isChanged: isChanged, in: store, session) { out, view in
      out.line("Changed '\(view.titleText)' \(view.id.description)")
    }
    .noting(
      isMoved
        ? repetition(EventView(event.brief, calendar, in: session), session, settings)
          .map { StyledText($0) } : nil)
  }

  static let delete = kind.delete(
    summary: "Move events to the trash",
    discussion: "`capsule restore` restores an event until `capsule purge` removes it for good.",
    examples: [
      Example("capsule event delete 'Book club' --yes", "Delete an event without being asked")
    ])

  private static func moment(
    _ text: String, _ session: Session
  ) throws -> (moment: Moment, zone: String, when: When) {
    let when = try session.dates.read(text, option: "--on")
    if let date = when.date { return (.day(date), "", when) }
    let zone = when.zone == session.zone ? session.localZone.label : when.zone.identifier
    return (.instant(when.instant), zone, when)
  }

  private static func rule(_ text: String) throws -> Recurrence {
    guard let recurrence = Recurrence(words: text) else {
      let near = Recurrence.near(text) { Recurrence(words: $0) != nil }
      throw Fault.usage(
        "invalid repetition '\(text.shortened)'",
        hint: repetitionHint(
          near, such: "use weekly, '2 weeks', 'every monday' or 'last friday of the month'"))
    }
    return recurrence
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
