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
      throw Failure.usage(
        "the date is missing", hint: "give it: --on 2036-06-15, or --on 'friday 18:00'")
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
      do throws(FileSystemError) { _ = try session.host.files.statusFollowingLinks(path) } catch {
        throw CapsuleError.unreadableSource(error)
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
      let staged = try store.stageImage(path, limit: settings.maxFileSize)
      event.image = staged.attachment
      blobs.append(staged.blob)
    }
    try store.insert(event, blobs: blobs)
    session.stores.noteFirstUse(of: store)
    let view = EventView(event.summary, calendar, in: session)
    if !session.isQuiet {
      session.console.note("On \(echo(event, when, session, settings))")
      if let next = repetition(view, session, settings) {
        session.console.note(StyledText(next))
      }
      if view.state == .over { session.console.note("The deadline is over already.") }
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
    guard let rule = view.summary.timing.recurrence else { return nil }
    let relative = session.dates.relative(view.moment, at: session.now, settings)
    let years = view.yearsText.map { ", \($0)" } ?? ""
    var words = rule.words
    if case .nth? = rule.days, rule.count == 1 { words = "on the \(words)" }
    return "Repeated \(words): next on \(session.dates.text(view.moment)), \(relative)\(years)"
  }
}
