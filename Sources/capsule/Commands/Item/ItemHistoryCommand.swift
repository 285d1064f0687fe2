import CapsuleCore

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
    operands: [ItemOptions.reference], options: [limit, plot, csv, ListOptions.plain],
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

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[ItemOptions.reference]
    if invocation[csv], session.options.form != .text || invocation.has(plot) {
      throw Failure.usage(
        "'--csv' is a form of its own", hint: "leave out '--json', '--ndjson', '--plot'")
    }
    let (store, record) = try session.records.required(Item.self, reference)
    let code = session.records.report(damageOf: record, in: store)
    let history = record.model.history
    var rows = record.model.numberedHistory
    if let limit = invocation[limit] { rows = Array(rows.suffix(limit)) }
    if invocation[csv] {
      return try session.console.render(ending: code) { out in
        // A terminal gets lines that it does not act on, all else what RFC 4180 says.
        let end = out.isTerminal ? "\n" : "\r\n"
        out.block(csvText(rows, lineEnd: end, session))
      }
    }
    let settings = session.stores.settings(of: store)
    return try session.console.render(
      ending: code, list: rows, json: { .object(members($0, session)) },
      text: { out in
        if let drawing = invocation[plot] {
          for line in HistoryPlot(rows, drawing, session, width: out.width ?? 80).lines {
            out.row(line)
          }
        } else {
          out.table(Table(columns(session, settings), rows), plain: invocation[ListOptions.plain])
          if rows.isEmpty {
            session.console.note("Nothing happened yet; 'capsule item log' says that it did.")
          } else if !invocation[ListOptions.plain], out.isTerminal {
            out.line(figures(HistoryFigures(history), session, settings))
          }
        }
      })
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
    var members: JSONObject = [
      "number": .integer(Int64(row.number)), "value": row.entry.value?.json ?? .null,
      "notes": .string(row.entry.notes),
      "intervalSeconds": row.interval.map { .integer($0) } ?? .null,
      "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(row.entry.at, as: "at", to: &members)
    return members
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
