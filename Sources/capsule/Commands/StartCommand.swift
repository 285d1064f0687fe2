import CapsuleCore

/// `capsule` alone: at a terminal what is due, what can be opened and what comes next; help elsewhere.
enum StartCommand {
  /// The number of things that a section shows; of the others it says how many there are.
  private static let shown = 5

  static func run(_ table: CommandTable, _ session: Session) throws -> Answer {
    guard session.options.form == .text, session.console.out.isTerminal,
      session.host.input.isTerminal()
    else { return HelpCommand.show(.overview, table) }
    return try show(session)
  }

  /// The screen itself.
  static func show(_ session: Session) throws -> Answer {
    guard let store = try session.stores.expected() else { return begin }
    let sections = [
      Section("Due", due(in: store, session)),
      Section("Can be opened", unlocked(in: store, session)),
      Section("Next", upcoming(in: store, session)),
    ].filter { !$0.lines.isEmpty }
    return Answer { out in
      for (number, section) in sections.enumerated() {
        if number > 0 { out.line() }
        section.write(to: out)
      }
      if sections.isEmpty { out.line("Nothing is due, and nothing is to come.") }
    }
  }

  /// The first steps, where there is no store; nothing is made.
  private static var begin: Answer {
    Answer { out in
      out.line("Nothing is kept here yet. To begin:")
      out.row("  capsule create 'To Mia at 18' --unlock '15 June 2044' letter.txt photo.jpg")
      out.row("  capsule event add \"Mia's birthday\" --on '15 June 2026' --repeat yearly")
      out.row("  capsule help tutorial")
    }
  }

  /// One thing of a section: how far away it is stands behind it, and its date where that is to come.
  private struct Line {
    let title: StyledText
    let span: StyledText
    var date: StyledText = ""
  }

  /// A heading and the first of its things.
  private struct Section {
    let heading: String
    let lines: [Line]

    init(_ heading: String, _ lines: [Line]) {
      self.heading = heading
      self.lines = lines
    }

    func write(to out: TextOutput) {
      out.line(StyledText(heading, .dim))
      let width = (out.width ?? 80) - 2
      var table = Table(
        [.init("", room: .title), .init(""), .init("", detail: .timeOfDay)], header: false)
      for line in lines.prefix(StartCommand.shown) { table.row(line.title, line.span, line.date) }
      for line in table.lines(width: width) { out.line("  " + line) }
      let more = lines.count - StartCommand.shown
      if more > 0 { out.line("  \("\(more) more", .dim)") }
    }
  }

  /// Returns the things that a reminder, a deadline or a bequest asks for.
  private static func due(in store: Store, _ session: Session) -> [Line] {
    let settings = session.stores.settings(of: store)
    let (calendar, now) = (session.dates.calendar(settings), session.now)
    return store.queries.demands(calendar, passing: settings.passing, now: now).map { demand in
      switch demand {
      case .reminder(let row):
        let view = ItemView(row, in: session, at: now)
        return Line(title: view.titleText, span: view.dueText(settings))
      case .deadline(let row):
        let view = EventView(row, in: session, at: now)
        let span = session.dates.relative(view.moment, at: now, settings)
        return Line(title: view.titleText, span: StyledText("overdue, \(span)", .boldRed))
      case .bequest(let row):
        let view = BequestView(row, in: session)
        return Line(
          title: "\(view.subjectText) for \(view.personText)", span: "can be handed over")
      }
    }
  }

  private static func unlocked(in store: Store, _ session: Session) -> [Line] {
    let settings = session.stores.settings(of: store)
    var query = CapsuleQuery(now: session.now)
    query.states = [.unlocked]
    var found: [Line] = []
    store.queries.forEachReadable(query, now: session.now) { row in
      let span = session.dates.relative(
        .instant(row.summary.digest.unlockAt), at: session.now, settings)
      found.append(
        Line(
          title: StyledText(row.summary.record.title, .bold), span: "\("unlocked", .green) \(span)")
      )
    }
    return found
  }

  private static func upcoming(in store: Store, _ session: Session) -> [Line] {
    let settings = session.stores.settings(of: store)
    let span = TimelineSpan(from: session.now, isOncePerRecord: true, by: .next)
    let timeline = Timeline(session.dates.timeline(store, settings))
    let occurrences = timeline.occurrences(in: span)
    _ = session.records.warn(of: timeline.gaps)
    return
      occurrences
      // The things that are due stand above.
      .filter { $0.moment.end(in: session.zone) > session.now }
      .map { occurrence in
        let view = OccurrenceView(occurrence, session, at: session.now)
        let relative = session.dates.relative(occurrence.moment, at: session.now, settings)
        return Line(
          title: view.title, span: StyledText(relative, .yellow),
          date: session.dates.cell(occurrence.moment))
      }
  }
}
