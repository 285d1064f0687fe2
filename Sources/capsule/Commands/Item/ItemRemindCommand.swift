import CapsuleCore

/// `capsule item remind`.
enum ItemRemindCommand {
  static let every = Parameter.option(
    "every", value: "SPAN", .text, "How often: '3 months', '90 minutes', 'day'")
  static let name = Parameter.option("name", value: "NAME", .text, "What to do")
  static let from = Parameter.option(
    "from", value: "LAST|WHEN", .text, otherwise: "last",
    "Count from the last entry, or from a fixed time")
  static let time = Parameter.option(
    "time", value: "HH:MM", .text,
    "The time of day, for days and longer; `none` for the time of the entry")
  static let off = Parameter.flag("off", "Turn the reminder off, and keep it")
  static let on = Parameter.flag("on", "Turn the reminder on again")
  static let remove = Parameter.flag("remove", "Remove the reminder")

  private static let changes: Parameters = [
    every, name, from, time, off, on, remove,
  ]

  static let command = Command(
    "item", "remind", summary: "Set a recurring reminder for an item",
    discussion: """
      The reminder counts from the last entry, so `capsule item log` restarts it. Before the first \
      entry it counts from when you set it. `capsule check` notifies you once of each occurrence \
      that is not done yet.

      With a time in `--from`, the reminder comes at that time and regularly after it. Without \
      options, the command shows the reminder.
      """,
    operands: [ItemOptions.reference], options: changes, outputs: .json,
    examples: [
      Example(
        "capsule item remind 'Water filter' --every '3 months' --time 09:00",
        "Be reminded three months after each change"),
      Example("capsule item remind 'Water filter' --off", "Turn the reminder off for now"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    if invocation[off], invocation[on] { throw UsageProblem.contradiction("--off", "--on") }
    for option in changes.dropLast() where invocation[remove] && invocation.has(option) {
      throw UsageProblem.contradiction("--remove", "--\(option.spec.name)")
    }
    let store = try session.stores.required(for: reference, among: [.item])
    let changesSomething = changes.contains { invocation.has($0) }
    let item =
      changesSomething
      ? try session.records.change(Item.self, reference, in: store) { item in
        item.reminder =
          invocation[remove] ? nil : try reminder(item, invocation, session)
      }.after : try session.records.one(Item.self, reference, in: store, intact: true).model
    let settings = session.stores.settings(of: store)
    return try session.answers.changed(item) { out, view in
      guard let reminder = item.reminder else {
        out.line("'\(view.nameText)' has no reminder")
        return
      }
      let time = reminder.time.map { " at \($0.shortText)" } ?? ""
      let title = reminder.name.isEmpty ? "" : "\(reminder.name), "
      guard reminder.isOn, let dueAt = view.dueAt else {
        let state = reminder.isOn ? "never due: that is past the year 9999" : "off"
        out.line("'\(view.nameText)': \(title)\(reminder.words)\(time), \(state)")
        return
      }
      let when = session.dates.relative(.instant(dueAt), at: session.now, settings)
      out.line(
        "'\(view.nameText)': \(title)\(reminder.words)\(time), due \(session.dates.text(dueAt)), \(when)"
      )
    }
  }

  private static func reminder(
    _ item: Item, _ invocation: Invocation, _ session: Session
  ) throws -> Reminder {
    var reminder: Reminder
    if let text = invocation[every] {
      guard let rule = Reminder.rule(text),
        let made = Reminder(every: rule.count, rule.unit, since: session.now)
      else {
        let near = Recurrence.near(text) { Reminder.rule($0) != nil }
        throw Failure.usage(
          "'\(text.shortened)' is nothing to be reminded by",
          hint: EventOptions.repetitionHint(
            near, such: "monthly, or up to 100000 minutes, hours, days, weeks, months or years"))
      }
      reminder = item.reminder ?? made
      reminder.take(spanOf: made)
    } else if let known = item.reminder {
      reminder = known
    } else {
      throw Failure.usage(
        "'\(item.name)' has no reminder yet", hint: "say how often: --every '3 months'")
    }
    if let text = invocation[name] { reminder.name = text.trimmed }
    if let text = invocation[from] {
      if text.lowercased() == "last" {
        reminder.from = nil
      } else {
        let when = try session.dates.read(text, option: "--from")
        reminder.from = when.instant
        // A time of day that it names is that of the rule.
        if !when.assumptions.contains(.startOfDay) { reminder.time = nil }
      }
    }
    if let text = invocation[time] {
      if text == "none" {
        reminder.time = nil
      } else {
        guard let minute = TimeOfDayParser.minute(text) else {
          throw Failure.usage(
            "'\(text)' is no time of day", hint: "it takes \(TimeOfDayParser.accepted)")
        }
        reminder.time = minute
      }
    }
    if invocation[off] { reminder.isOn = false }
    if invocation[on] { reminder.isOn = true }
    return reminder
  }
}
