import CapsuleCore

/// `capsule item log`.
enum ItemLogCommand {
  static let when = Parameter.option(
    "when", value: "WHEN", .text, otherwise: "now", formerly: "w", "When it happened")
  static let value = Parameter.option(
    "value", value: "N", .text, "A number for the entry, stored exactly")
  static let notes = Parameter.option("notes", value: "TEXT", .text, "Notes about the entry")
  static let replace = Parameter.option(
    "replace", value: "ENTRY", .integer(1...),
    "Correct the entry with this number in `item history`; what you leave out stays")

  static let command = ItemKind.kind.mark(
    "log", summary: "Log that something was done, now or earlier",
    discussion: """
      A new entry restarts a reminder that counts from the last entry. Times are in the past: \
      `--when friday` is last Friday.

      `--replace` corrects an entry. An empty value or empty notes remove them from the entry.
      """,
    options: [when, value, notes, replace],
    examples: [
      Example("capsule item log 'Water filter'", "Log that the filter was changed just now"),
      Example(
        "capsule item log 'Water filter' --when yesterday --value 24.90 --notes 'Price in EUR'",
        "Log yesterday's change, with its price"),
      Example(
        "capsule item log 'Water filter' --replace 3 --value 19.90",
        "Correct the price of the third change"),
    ], run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    var at: Instant?
    if let text = invocation[when] {
      let when = try session.dates.read(
        text, option: "--when", preferring: .past, requiring: .notFuture)
      at = when.instant
      session.console.note("At \(session.dates.echo(when))")
    }
    if let number = invocation[replace] {
      return try correct(number, at: at, invocation, session)
    }
    let value = try invocation[value].map { text in
      try ItemKind.decimal(text, option: "--value")
    }
    let entry = HistoryEntry(
      at: at ?? session.now, value: value, notes: invocation[notes] ?? "")
    let (store, change) = try ItemKind.kind.change(invocation, session) { $0.log(entry) }
    let settings = session.stores.settings(of: store)
    return ItemKind.kind.answer(change.after, in: store, session, quiet: .nothing) { out, view in
      out.line(
        "Logged '\(view.titleText)', "
          + StyledText(session.dates.relative(.instant(entry.at), at: session.now, settings)))
    }
    .noting(
      ItemView(change.after.brief, in: session).dueAt.map { "Due again \(session.dates.text($0))." }
    )
  }
}

extension ItemLogCommand {
  /// Changes what is named of an entry, and shows what changed.
  private static func correct(
    _ number: Int, at: Instant?, _ invocation: Invocation, _ session: Session
  ) throws -> Answer {
    guard at != nil || invocation.has(value) || invocation.has(notes) else {
      throw Fault.usage(
        "no changes given", hint: "use --when, --value or --notes")
    }
    let given = try invocation[value].map { text in
      text.isEmpty ? nil : try ItemKind.decimal(text, option: "--value")
    }
    var changes: [FieldChange] = []
    var meant: HistoryEntry?
    var place = number
    let (store, change) = try ItemKind.kind.change(invocation, session) { item in
      let before = try item.entry(number)
      // Another process may have changed the history meanwhile: then the number is another entry's.
      guard meant == nil || meant == before else {
        throw Fault(Fault.changedMeanwhile(.item, item.id))
      }
      meant = before
      var entry = before
      if let at { entry.at = at }
      if let given { entry.value = given }
      if let text = invocation[notes] { entry.notes = text }
      item.replace(number - 1, with: entry)
      place = (item.history.lastIndex(of: entry) ?? number - 1) + 1
      changes = FieldChange.between(
        before, entry,
        [
          ("when", { session.dates.text($0.at) }), ("value", { $0.value?.description ?? "" }),
          ("notes", { $0.notes }),
        ])
    }
    return ItemKind.kind.answer(
      change.after, isChanged: !changes.isEmpty, in: store, session, quiet: .nothing
    ) { out, view in
      let now = place == number ? "" : ", which is entry \(place) now"
      out.line("Corrected entry \(number) of '\(view.titleText)'\(now)")
      for change in changes { out.line(change.line) }
    }
  }
}

extension Item {
  /// The entry of a number in the history.
  fileprivate func entry(_ number: Int) throws -> HistoryEntry {
    guard history.indices.contains(number - 1) else {
      throw Fault(
        .notFound, "'\(name)' has no entry \(max(1, number))",
        hint: "list the entries: capsule item history ITEM")
    }
    return history[number - 1]
  }
}

/// `capsule item unlog`.
enum ItemUnlogCommand {
  static let entry = Parameter.optionalOperand(
    "ENTRY", .integer(1...), "The entry's number in `item history`; the last entry if omitted")

  static let command = ItemKind.kind.mark(
    "unlog", summary: "Remove an entry from an item's history for good",
    operands: [entry], options: [DeleteCommand.yes],
    examples: [
      Example(
        "capsule item unlog 'Water filter' --yes", "Remove an entry that was logged by mistake")
    ]
  ) { invocation, session in
    let reference = invocation[ItemKind.kind.reference]
    var (store, record) = try session.records.required(Item.self, reference, intact: true)
    let history = record.model.history
    let number = invocation[entry] ?? history.count
    let taken = try record.model.entry(number)
    let value = taken.value.map { ", \($0)" } ?? ""
    let notes = taken.notes.isEmpty ? "" : ", '\(taken.notes.firstLine)'"
    try session.ask.confirm(
      "Delete entry \(number) of '\(record.model.name)' for good: "
        + "\(session.dates.text(taken.at))\(value)\(notes)?",
      unless: invocation[DeleteCommand.yes])
    record.model.unlog(number - 1)
    record = try store.update(record, now: session.now, forgetsOlder: true)
    return ItemKind.kind.answer(record.model, in: store, session, quiet: .nothing) { out, view in
      out.line("Took away \(session.dates.text(taken.at)) from '\(view.titleText)'")
    }
  }
}

/// `capsule item history`.
enum ItemHistoryCommand {
  enum Drawing: String, CaseIterable, Sendable { case values, intervals }

  static let limit = Parameter.option(
    "limit", value: "N", .integer(1...), "Show only the last N entries")
  static let plot = Parameter.option(
    "plot", value: "WHAT", ValueType<Drawing>.choice,
    "Draw a chart of the values, or of the time between entries"
  )
  static let csv = Parameter.flag("csv", "Write CSV (RFC 4180) for other programs")

  static let command = Command(
    "item", "history", summary: "Show the history of an item",
    discussion: """
      The oldest entry is number 1.

      `--csv` writes a line of column names and then a line for each entry: number, time in UTC, \
      local time, value, seconds since the previous entry, notes. Notes that a spreadsheet would \
      read as a formula get an apostrophe in front. Values stay numbers, such as -2.
      """,
    operands: [ItemKind.kind.reference], options: [limit, plot, csv, ListOptions.plain],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule item history 'Water filter'", "See when the filter was changed"),
      Example(
        "capsule item history 'Water filter' --plot intervals",
        "Draw a chart of the time between changes"),
      Example(
        "capsule item history 'Water filter' --csv > filter.csv",
        "Export the entries for a spreadsheet"),
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[ItemKind.kind.reference]
    if invocation[csv], session.options.form != .text || invocation.has(plot) {
      throw Fault.usage(
        "'--csv' cannot be combined with another format",
        hint: "leave out --json, --ndjson and --plot")
    }
    let (store, record) = try session.records.required(Item.self, reference)
    let code = session.records.report(damageOf: record, in: store)
    let history = record.model.history
    var rows = record.model.numberedHistory
    if let limit = invocation[limit] { rows = Array(rows.suffix(limit)) }
    if invocation[csv] {
      return Answer(ending: code) { out in
        // A terminal gets lines that it does not act on, all else what RFC 4180 says.
        let end = out.isTerminal ? "\n" : "\r\n"
        out.block(csvText(rows, lineEnd: end, session))
      }
    }
    let settings = session.stores.settings(of: store)
    return Answer(rows: rows, ending: code, json: { members($0, session) }) { out in
      if let drawing = invocation[plot] {
        for line in HistoryPlot(rows, drawing, session, width: out.width ?? 80).lines {
          out.row(line)
        }
      } else {
        out.table(Table(columns(session, settings), rows), plain: invocation[ListOptions.plain])
        if !rows.isEmpty, !invocation[ListOptions.plain], out.isTerminal {
          out.line(figures(HistoryFigures(history), session, settings))
        }
      }
    }
    .noting(
      rows.isEmpty && !invocation.has(plot) ? "No entries yet. Add one: capsule item log" : nil)
  }

  static func columns(
    _ session: Session, _ settings: StoreSettings
  ) -> [RowColumn<NumberedEntry>] {
    [
      RowColumn("NO", .trailing) { StyledText(String($0.number), .dim) },
      // It says what WHEN says, and goes before the values do.
      RowColumn("DATE", detail: .tags) { session.dates.cell($0.entry.at) },
      .text("WHEN") { session.dates.relative(.instant($0.entry.at), at: session.now, settings) },
      .text("AFTER", detail: .contents) { row in
        row.interval.map { SpanText.interval($0, endingAt: row.entry.at, session, settings) } ?? ""
      },
      .text("VALUE", .trailing) { $0.entry.value?.description ?? "" },
      .text("NOTES", flexible: true) { session.answers.shown(notes: $0.entry.notes) },
    ]
  }

  /// `12 entries, every 3 mo 2 d on average, 5 mo at the longest`.
  static func figures(
    _ figures: HistoryFigures, _ session: Session, _ settings: StoreSettings
  ) -> StyledText {
    var text = String.counting(figures.count, "entry", "entries")
    if let average = figures.average, let longest = figures.longest, let last = figures.last {
      let mean = SpanText.interval(average, endingAt: last, session, settings)
      let most = SpanText.interval(longest, endingAt: last, session, settings)
      text += ", \(mean) between them on average, \(most) at the longest"
    }
    return StyledText(text, .dim)
  }

  static func members(_ row: NumberedEntry, _ session: Session) -> JSONObject {
    session.object(
      [
        "number": row.number.json, "value": row.entry.value?.json ?? .null,
        "notes": row.entry.notes.json, "intervalSeconds": row.interval.json,
      ], at: ["at": row.entry.at])
  }

  private static func csvText(
    _ rows: [NumberedEntry], lineEnd: String, _ session: Session
  ) -> String {
    let instants = InstantFields(zone: session.zone)
    let head = ["number", "at", "atLocal", "value", "intervalSeconds", "notes"]
    let lines = rows.map { row in
      [
        String(row.number), row.entry.at.rfc3339, instants.local(row.entry.at),
        row.entry.value?.description ?? "", row.interval.map(String.init) ?? "",
        SpreadsheetText.guarded(row.entry.notes),
      ]
    }
    let bytes = ([head] + lines).flatMap {
      CommaSeparated.line($0, isStrict: true, end: lineEnd)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Spans between entries, in the settings' style.
enum SpanText {
  static func interval(
    _ seconds: Int64, endingAt end: Instant, _ session: Session, _ settings: StoreSettings
  ) -> String {
    session.answers.inUse(settings).spanStyleInUse.text(
      from: end.adding(seconds: -seconds), to: end, in: session.zone)
  }
}

/// A drawing of a history: a line an entry, its bar as long as its number.
struct HistoryPlot {
  let lines: [StyledText]

  init(
    _ rows: [NumberedEntry], _ drawing: ItemHistoryCommand.Drawing, _ session: Session,
    width: Int
  ) {
    var points: [(at: Instant, number: Double, text: String)] = []
    for row in rows {
      switch drawing {
      case .values:
        if let value = row.entry.value {
          points.append((row.entry.at, value.double, value.description))
        }
      case .intervals:
        if let interval = row.interval {
          let text = SpanStyle.tenths.text(
            from: row.entry.at, to: row.entry.at.adding(seconds: -interval), in: session.zone)
          points.append((row.entry.at, Double(interval), text))
        }
      }
    }
    guard !points.isEmpty else {
      lines = ["There is nothing to draw."]
      return
    }
    // Bars begin at zero, or at the least number where some are below it.
    let low = min(0, points.map(\.number).min() ?? 0)
    let high = max(0, points.map(\.number).max() ?? 0)
    let textWidth = points.map { $0.text.utf8.count }.max() ?? 0
    let room = max(10, width - 10 - textWidth - 5)
    lines = points.map { point in
      let part = high > low ? (point.number - low) / (high - low) : 0
      let eighths = max(0, min(room * 8, Int((part * Double(room * 8)).rounded())))
      let ends = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
      let bar = String(repeating: "█", count: eighths / 8) + ends[eighths % 8]
      let date = session.zone.civil(at: point.at).date.description
      let padding = String(repeating: " ", count: textWidth - point.text.utf8.count)
      return "\(date, .dim)  \(padding)\(point.text)  \(bar, .cyan)"
    }
  }
}

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

  static let command = ItemKind.kind.mark(
    "remind", summary: "Set a recurring reminder for an item",
    discussion: """
      The reminder counts from the last entry, so `capsule item log` restarts it. Before the first \
      entry it counts from when you set it. `capsule check` notifies you once of each occurrence \
      that is not done yet.

      With a time in `--from`, the reminder comes at that time and regularly after it. Without \
      options, the command shows the reminder.
      """,
    options: changes,
    examples: [
      Example(
        "capsule item remind 'Water filter' --every '3 months' --time 09:00",
        "Be reminded three months after each change"),
      Example("capsule item remind 'Water filter' --off", "Turn the reminder off for now"),
    ]
  ) { invocation, session in
    try invocation.refuse(off, with: [on])
    try invocation.refuse(remove, with: changes.dropLast())
    let (store, item): (Store, Item)
    if changes.contains(where: invocation.has) {
      let change = try ItemKind.kind.change(invocation, session) { item in
        item.reminder = invocation[remove] ? nil : try reminder(item, invocation, session)
      }
      (store, item) = (change.store, change.record.after)
    } else {
      let known = try session.records.required(
        Item.self, invocation[ItemKind.kind.reference], intact: true)
      (store, item) = (known.store, known.record.model)
    }
    let settings = session.stores.settings(of: store)
    return ItemKind.kind.answer(item, in: store, session, quiet: .nothing) { out, view in
      guard let reminder = item.reminder else {
        out.line("'\(view.titleText)' has no reminder")
        return
      }
      let time = reminder.time.map { " at \($0.shortText)" } ?? ""
      let title = reminder.name.isEmpty ? "" : "\(reminder.name), "
      guard reminder.isOn, let dueAt = view.dueAt else {
        let state = reminder.isOn ? "never due: that is past the year 9999" : "off"
        out.line("'\(view.titleText)': \(title)\(reminder.words)\(time), \(state)")
        return
      }
      let when = session.dates.relative(.instant(dueAt), at: session.now, settings)
      out.line(
        "'\(view.titleText)': \(title)\(reminder.words)\(time), due \(session.dates.text(dueAt)), \(when)"
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
        throw Fault.usage(
          "invalid interval for --every: '\(text.shortened)'",
          hint: EventKind.repetitionHint(
            near, such: "use a form such as monthly, '3 months' or '90 minutes'")
        )
      }
      reminder = item.reminder ?? made
      reminder.take(spanOf: made)
    } else if let known = item.reminder {
      reminder = known
    } else {
      throw Fault.usage(
        "'\(item.name)' has no reminder yet", hint: "add one: --every '3 months'")
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
          throw Fault.usage(
            "invalid time of day '\(text)'", hint: "use \(TimeOfDayParser.accepted)")
        }
        reminder.time = minute
      }
    }
    if invocation[off] { reminder.isOn = false }
    if invocation[on] { reminder.isOn = true }
    return reminder
  }
}
