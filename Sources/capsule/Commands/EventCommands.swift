import CapsuleCore

/// `capsule event add`.
enum EventAddCommand {
  static let title = Parameter.operand("TITLE", .text, "The title, at most 1 KiB")

  static let command = Command(
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
    operands: [title],
    options: [
      EventOptions.on, EventOptions.color, EventOptions.notes, EventOptions.image,
      EventOptions.recurrence, EventOptions.alert, EventOptions.deadline,
    ],
    outputs: .json,
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
    exitCodes: [.damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let title = invocation[title]
    guard let text = invocation[EventOptions.on] else {
      throw Fault.usage(
        "no date given", hint: "add one: --on 2036-06-15, or --on 'friday 18:00'")
    }
    let (moment, zone, when) = try EventOptions.moment(text, session)
    // Everything that can be refused is looked at before a store is made.
    var draft = Event(
      header: RecordHeader(id: RecordID(high: 0, low: 0), createdAt: session.now), title: title,
      moment: moment, zone: zone)
    draft.notes = invocation[EventOptions.notes] ?? ""
    draft.color = try invocation[EventOptions.color].map(EventOptions.color)
    draft.recurrence = try invocation[EventOptions.recurrence].map(EventOptions.recurrence)
    draft.alerts = try EventOptions.alerts(invocation[EventOptions.alert]).unique
    draft.isDeadline = invocation[EventOptions.deadline]
    try EventOptions.check(draft)
    if let path = invocation[EventOptions.image], try session.stores.existingQuietly() == nil {
      // No store is made for a picture that is not there.
      do { _ = try session.host.files.statusFollowingLinks(path) } catch {
        throw Fault.unreadableSource(error)
      }
    }
    let store = try session.stores.forChange()
    let settings = session.stores.settings(of: store)
    var event = draft
    event.header = try store.newHeader(now: session.now)
    let calendar = session.dates.calendar(settings)
    event.settle(calendar, asked: when.asked)
    var blobs: [StagedBlob] = []
    if let path = invocation[EventOptions.image] {
      let staged = try store.blobs.stageImage(path, limit: settings.maxFileSize)
      event.image = staged.attachment
      blobs.append(staged.blob)
    }
    try store.insert(event, blobs: blobs)
    session.stores.noteFirstUse(of: store)
    let view = EventView(event.brief, calendar, in: session)
    if !session.isQuiet {
      session.console.note("On \(echo(event, when, session, settings))")
      if let next = repetition(view, session, settings) {
        session.console.note(StyledText(next))
      }
      if view.state == .over { session.console.note("The deadline has already passed.") }
    }
    return try session.answers.changed(event, view, did: "Added")
  }

  /// The date as it was understood.
  static func echo(
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
  static func repetition(
    _ view: EventView, _ session: Session, _ settings: StoreSettings
  ) -> String? {
    guard let rule = view.summary.record.timing.recurrence else { return nil }
    let relative = session.dates.relative(view.moment, at: session.now, settings)
    let years = view.yearsText.map { ", \($0)" } ?? ""
    var words = rule.words
    if case .nth? = rule.days, rule.count == 1 { words = "on the \(words)" }
    return "Repeated \(words): next on \(session.dates.text(view.moment)), \(relative)\(years)"
  }
}

/// `capsule event list`.
enum EventListCommand {
  static let upcoming = Parameter.flag("upcoming", "Only events to come, and today's")
  static let elapsed = Parameter.flag(
    "elapsed", "Only past events, and deadlines that are done or over")
  static let deadlines = Parameter.flag("deadlines", "Only deadlines")
  static let search = ListOptions.search("Only events with this text in the title or notes")
  static let sort: Parameter<EventQuery.Order?> = ListOptions.sort(.eventSort)
  static let details = Parameter.flag("details", "Also show repetitions, alerts and notes")

  static let command = Command(
    "event", "list", summary: "List events, soonest first",
    discussion: """
      Upcoming events come first, the soonest at the top. Past events follow, the latest at the top. \
      Within a day, all-day events come first. A repeated event is listed by its next date.

      If a record is damaged or cannot be read, the list marks it and the command exits with status 3.
      """,
    options: [
      upcoming, elapsed, deadlines, search, sort, ListOptions.reverse, ListOptions.limit, details,
      ListOptions.plain, ListOptions.exitCode, ListOptions.at,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule event list --upcoming --limit 10", "List the next ten events"),
      Example("capsule event list --deadlines --sort title", "List the deadlines by title"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let now = try session.dates.read(ListOptions.at, invocation) ?? session.now
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    var query = EventQuery(session.dates.calendar(settings), now: now)
    query.includesAhead = invocation[upcoming] || !invocation[elapsed]
    query.includesPast = invocation[elapsed] || !invocation[upcoming]
    query.onlyDeadlines = invocation[deadlines]
    query.text = invocation.search(search)
    query.order = invocation.sortOrder(sort, settings, .eventSort) ?? .date
    query.isReversed = invocation[ListOptions.reverse]
    query.limit = invocation[ListOptions.limit] ?? .max
    var remarks = ListRemarks()
    if !invocation[upcoming], !invocation[elapsed], query.text == nil {
      remarks.whenEmpty = "There are no events yet; 'capsule event add' adds one."
    }
    return try session.answers.list(
      query, in: store, invocation, remarks,
      columns: session.answers.columns(
        EventView.columns(
          session, settings, at: now,
          details: invocation[details] || session.answers.showsDetails(settings)),
        more: EventView.moreColumns(session), .eventColumns, settings)
    ) { EventView($0, in: session, at: now) }
  }
}

/// `capsule event show`.
enum EventShowCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.event), "An id, the start of one, or a title")

  static let command = Command(
    "event", "show", summary: "Show everything about an event",
    operands: [reference], outputs: .json,
    examples: [
      Example("capsule event show \"Mia's birthday\"", "See when a birthday comes next"),
      Example("capsule event show 'Tax return' --json", "Read an event's details in a script"),
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  /// The number of next occurrences that are shown.
  private static let occurrenceCount = 5

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[reference]
    let (store, record) = try session.records.required(Event.self, reference)
    return try show(record, in: store, session)
  }

  /// Answers with all about an event.
  static func show(
    _ record: StoredRecord<Event>, in store: Store, _ session: Session
  ) throws -> ExitCode {
    let event = record.model
    let settings = session.stores.settings(of: store)
    let calendar = session.dates.calendar(settings)
    let view = EventView(event.brief, calendar, problem: record.problem, in: session)
    return try session.console.render(
      ending: session.records.report(damageOf: record, in: store),
      json: .object(view.members(of: event)),
      text: { text(event, view, calendar, settings, session, $0) })
  }

  private static func text(
    _ event: Event, _ view: EventView, _ calendar: EventCalendar, _ settings: StoreSettings,
    _ session: Session, _ out: TextOutput
  ) {
    let sheet = FieldSheet(out, width: 9)
    out.line(view.titleText)
    sheet.field("Id", event.id.description)
    sheet.field("State", view.stateText)
    let relative = session.dates.relative(view.moment, at: session.now, settings)
    let years = view.yearsText.map { ", \($0)" } ?? ""
    sheet.field(
      event.isDeadline ? "Deadline" : "Date",
      "\(session.dates.text(view.moment)), \(relative)\(years)")
    if let recurrence = event.recurrence {
      sheet.field("Repeated", "\(recurrence.words), since \(session.dates.text(view.first))")
      let next = event.timing.schedule(in: calendar).occurrences(
        from: session.now, before: .latest, limit: occurrenceCount)
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
}

/// `capsule event edit`.
enum EventEditCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.event), "An id, the start of one, or a title")
  static let title = Parameter.option("title", value: "TITLE", .text, "Change the title")
  static let noImage = Parameter.flag("no-image", "Remove the image")
  static let noAlert = Parameter.flag("no-alert", "Remove all alerts, before new ones are added")
  static let noDeadline = Parameter.flag("no-deadline", "Make the deadline a plain event")

  private static let changes: Parameters = [
    title, EventOptions.on, EventOptions.color, EventOptions.notes, EventOptions.image,
    noImage, EventOptions.recurrence, EventOptions.alert, noAlert, EventOptions.deadline,
    noDeadline,
  ]

  static let command = Command(
    "event", "edit", summary: "Change an event",
    discussion: """
      Only what you name changes. `none` removes the color or the repetition. `--alert` adds an alert to \
      the existing ones.
      """,
    operands: [reference], options: changes, outputs: .json,
    examples: [
      Example("capsule event edit 'Tax return' --on 2027-08-31", "Move a deadline"),
      Example(
        "capsule event edit 'Book club' --repeat none --no-alert",
        "Stop repeating an event, and remove its alerts"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[reference]
    try invocation.requireAny(of: changes, session)
    try invocation.refuse(EventOptions.image, with: [noImage])
    try invocation.refuse(EventOptions.deadline, with: [noDeadline])
    let store = try session.stores.required(for: reference, among: [.event])
    let settings = session.stores.settings(of: store)
    let change = try session.records.change(
      Event.self, reference, in: store,
      staging: { blobs -> Attachment? in
        guard let path = invocation[EventOptions.image] else { return nil }
        let staged = try store.blobs.stageImage(path, limit: settings.maxFileSize)
        blobs.append(staged.blob)
        return staged.attachment
      }
    ) { event, image in
      try apply(invocation, to: &event, session, settings)
      try EventOptions.check(event)
      if let image { event.image = image }
    }
    let (event, isChanged) = (change.after, change.isWritten)
    if !isChanged { session.console.note("Nothing changed.") }
    let view = EventView(event.brief, session.dates.calendar(settings), in: session)
    if isChanged, !session.isQuiet,
      invocation.has(EventOptions.on) || invocation.has(EventOptions.recurrence),
      let next = EventAddCommand.repetition(view, session, settings)
    {
      session.console.note(StyledText(next))
    }
    return try session.answers.changed(event, view, did: isChanged ? "Changed" : nil)
  }

  private static func apply(
    _ invocation: Invocation, to event: inout Event, _ session: Session, _ settings: StoreSettings
  ) throws {
    if let title = invocation[title] { event.title = title }
    if let notes = invocation[EventOptions.notes] { event.notes = notes }
    if let text = invocation[EventOptions.color] {
      event.color = text == "none" ? nil : try EventOptions.color(text)
    }
    if let text = invocation[EventOptions.recurrence] {
      event.recurrence = text == "none" ? nil : try EventOptions.recurrence(text)
    }
    if invocation[noAlert] { event.alerts = [] }
    event.alerts =
      (event.alerts + (try EventOptions.alerts(invocation[EventOptions.alert]))).unique
    if invocation[EventOptions.deadline] { event.isDeadline = true }
    if invocation[noDeadline] { event.isDeadline = false }
    if invocation[noImage] { event.image = nil }
    let calendar = session.dates.calendar(settings)
    if let text = invocation[EventOptions.on] {
      let (moment, zone, when) = try EventOptions.moment(text, session)
      event.moment = moment
      event.zone = zone
      event.settle(calendar, asked: when.asked)
      if !session.isQuiet {
        session.console.note("On \(EventAddCommand.echo(event, when, session, settings))")
      }
    } else if invocation.has(EventOptions.recurrence) {
      event.settle(calendar)
    }
  }
}

/// `capsule event done`.
enum EventDoneCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.event), "An id, the start of one, or a title")
  static let undo = Parameter.flag("undo", "Mark the deadline as not done")

  static let command = Command(
    "event", "done", summary: "Mark a deadline as done",
    operands: [reference], options: [undo], outputs: .json,
    examples: [Example("capsule event done 'Tax return'", "Mark the tax return as done")],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[reference]
    let isUndone = invocation[undo]
    let store = try session.stores.required(for: reference, among: [.event])
    let change = try session.records.change(Event.self, reference, in: store) { event in
      try event.meet(at: isUndone ? nil : event.doneAt ?? session.now)
    }
    let (event, isChanged) = (change.after, change.isWritten)
    if !isChanged { session.console.note("Nothing changed.") }
    let view = EventView(
      event.brief, session.dates.calendar(session.stores.settings(of: store)), in: session)
    return try session.console.render(json: .object(view.members(of: event))) { out in
      guard isChanged, !session.isQuiet else { return }
      let word: StyledText = isUndone ? "Not met" : "Met"
      out.line("\(word): '\(view.titleText)' \(event.id.description)")
    }
  }
}

/// `capsule event image`.
enum EventImageCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.event), "An id, the start of one, or a title")
  static let output = Parameter.option(
    "output", short: "o", value: "FILE", .path, "Save the image in a file; `-` is standard output")
  static let force = Parameter.flag("force", "Replace an existing file")

  static let command = Command(
    "event", "image", summary: "Show an event's image, or save it in a file",
    discussion: """
      \(ViewCommand.onTerminal)

      If the terminal cannot show the image, `xdg-open`, or `open` on macOS, shows a copy. Elsewhere \
      than on a terminal, the bytes go to standard output.
      """,
    operands: [reference], options: [output, force, ViewCommand.desktop],
    examples: [
      Example("capsule event image \"Mia's birthday\" --output mia.jpg", "Save an image in a file"),
      Example(
        "capsule event image \"Mia's birthday\" > mia.jpg", "Send an image to standard output"),
    ],
    exitCodes: [.notFound, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[reference]
    let (store, record) = try session.records.required(Event.self, reference)
    let event = record.model
    guard let image = event.image else {
      throw Fault(
        .notFound, "'\(event.title)' has no image",
        hint: "add an image: capsule event edit REF --image FILE")
    }
    let extraction = AttachmentExtraction(session: session, store: store)
    if let path = invocation[output], path != FilePath("-") {
      try session.host.files.requireOutsideStores(path, and: store.layout.root)
      try extraction.write(image, to: path, overwriting: invocation[force])
      if !session.isQuiet { session.console.note("Wrote '\(path.text)'.") }
      return .ok
    }
    guard session.console.out.isTerminal, invocation[output] == nil else {
      try extraction.send(image)
      return .ok
    }
    return try session.viewer.view(
      extraction.shown(image), of: store, isOnDesktop: invocation[ViewCommand.desktop],
      otherwise: "'--output FILE' writes it to a file, for a program of your choice")
  }
}

/// `capsule event delete`.
enum EventDeleteCommand {
  static let references = Parameter.operands(
    "REF", .reference(.event), minimum: 1, "An id, the start of one, or a title")

  static let command = Command(
    "event", "delete", summary: "Move events to the trash",
    discussion: "`capsule restore` restores an event until `capsule purge` removes it for good.",
    operands: [references], options: [DeleteCommand.yes], outputs: .json,
    examples: [
      Example("capsule event delete 'Book club' --yes", "Delete an event without being asked")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .event, isConfirmed: invocation[DeleteCommand.yes], session)
  }
}
