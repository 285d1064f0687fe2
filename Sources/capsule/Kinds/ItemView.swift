import CapsuleCore

/// An item as lists and JSON show it.
struct ItemView: RecordView {
  private let row: ItemRow
  private let session: Session
  let now: Instant

  init(_ row: ItemRow, in session: Session, at now: Instant) {
    self.row = row
    self.session = session
    self.now = now
  }

  init(
    _ summary: ItemSummary, problem: IndexProblem = .none, in session: Session,
    at now: Instant? = nil
  ) {
    let now = now ?? session.now
    self.init(
      ItemRow(summary, problem: problem, at: now, in: session.zone), in: session, at: now)
  }

  var id: RecordID { row.summary.id }
  var summary: ItemSummary { row.summary }
  var problem: IndexProblem { row.problem }
  var dueAt: Instant? { row.dueAt }

  func writeMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    let summary = row.summary
    let figures = summary.figures
    writer.member("averageSeconds", figures.average)
    writer.member("category", ifAny: summary.category)
    instants.add(summary.createdAt, as: "createdAt", to: &writer)
    writer.member("description", summary.description)
    instants.add(dueAt, as: "dueAt", to: &writer)
    writer.member("dueState", row.dueState?.rawValue)
    writer.member("entryCount", figures.count)
    writer.member("id", summary.id)
    writer.member("kind", "item")
    instants.add(figures.last, as: "lastAt", to: &writer)
    writer.member("lastNotes", ifAny: summary.lastNotes)
    writer.member("lastValue", figures.lastValue?.json ?? .null)
    writer.member("location", ifAny: summary.location)
    writer.member("longestSeconds", figures.longest)
    writer.member("mediaCount", summary.mediaCount)
    writer.member("name", summary.name)
    writer.member("notes", ifAny: summary.notes)
    writer.member("problem", problem.jsonName)
    writer.member("quantity", summary.quantity)
    writer.member("reminder", Self.reminder(summary.reminder, instants))
    writer.member("replacementValue", Self.json(summary.replacementValue))
    writer.member("secondsSince", figures.last.map { now.seconds(since: $0) })
    writer.member("tags", summary.tags)
    instants.add(summary.updatedAt, as: "updatedAt", to: &writer)
    writer.member("value", Self.json(summary.value))
    writer.member("zone", session.localZone.label)
  }

  /// The members of the object with those that only the record has.
  func members(of item: Item) -> JSONObject {
    var members = members
    members["description"] = .string(item.description)
    members.member("notes", ifAny: item.notes)
    members["revision"] = .integer(item.header.revision)
    members["media"] = .array(
      item.media.enumerated().map { place, media in
        .object(MediaView(media, number: place + 1, in: session).members)
      })
    return members
  }

  private static func json(_ money: Money?) -> JSON {
    money.map { .object($0.fields) } ?? .null
  }

  private static func reminder(_ reminder: Reminder?, _ instants: InstantFields) -> JSON {
    guard let reminder else { return .null }
    var members: JSONObject = [
      "every": .integer(Int64(reminder.count)), "unit": .string(reminder.unit.name),
      "on": .bool(reminder.isOn),
    ]
    members.member("name", ifAny: reminder.name)
    members.member("time", reminder.time?.shortText)
    instants.add(reminder.from, as: "fromAt", to: &members)
    return .object(members)
  }

  /// Returns how long ago the last entry was, in the settings' style.
  func since(_ settings: StoreSettings) -> String {
    guard let last = summary.figures.last else { return "" }
    return session.dates.relative(.instant(last), at: now, settings)
  }

  /// Returns the time at which it is to be done, for lists.
  func dueText(_ settings: StoreSettings) -> StyledText {
    let when = dueAt.map { session.dates.relative(.instant($0), at: now, settings) } ?? ""
    return switch row.dueState {
    case nil: ""
    case .off: StyledText("off", .dim)
    case .upcoming: StyledText(when)
    case .due: StyledText("due", .yellow)
    case .overdue: StyledText("overdue, \(when)", .boldRed)
    }
  }

  /// The name as lists show it.
  var nameText: StyledText {
    problem.mark ?? StyledText(summary.name, .bold)
  }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<ItemView>] {
    [
      .text("TAGS", flexible: true, detail: .tags) { $0.summary.tags.joined(separator: ", ") },
      .text("MEDIA", .trailing) { $0.summary.mediaCount == 0 ? "" : String($0.summary.mediaCount) },
      RowColumn("CREATED") { session.dates.cell($0.summary.createdAt) },
    ]
  }

  /// The columns of a list.
  static func columns(_ session: Session, _ settings: StoreSettings) -> [RowColumn<ItemView>] {
    [
      .id(session), .title("NAME") { $0.nameText },
      .text("CATEGORY", flexible: true, detail: .contents) { $0.summary.category },
      .text("VALUE", .trailing, detail: .state) { $0.summary.value?.description ?? "" },
      .text("QTY", .trailing, detail: .timeOfDay) { String($0.summary.quantity) },
      .text("WHEN") { $0.since(settings) }, RowColumn("DUE") { $0.dueText(settings) },
      .text("LOCATION", flexible: true, detail: .tags) { $0.summary.location },
    ]
  }

  /// The columns of `since`.
  static func sinceColumns(
    _ session: Session, _ settings: StoreSettings, style: SpanStyle, details: Bool
  ) -> [RowColumn<ItemView>] {
    func span(_ view: ItemView, _ seconds: Int64?) -> String {
      guard let seconds, let last = view.summary.figures.last else { return "" }
      return style.text(from: last, to: last.adding(seconds: -seconds), in: session.zone)
    }
    let columns: [RowColumn<ItemView>] = [
      .title("NAME") { $0.nameText },
      .text("WHEN") { view in
        guard let last = view.summary.figures.last else { return "never" }
        return style.text(from: view.now, to: last, in: session.zone)
      },
      RowColumn("DATE") { $0.summary.figures.last.map { session.dates.cell($0) } ?? "" },
      RowColumn("DUE") { $0.dueText(settings) },
    ]
    guard details else { return columns }
    return columns + [
      .beneath("TIMES") { String($0.summary.figures.count) },
      .beneath("AVERAGE") { span($0, $0.summary.figures.average) },
      .beneath("LONGEST") { span($0, $0.summary.figures.longest) },
      .beneath("VALUE") { $0.summary.figures.lastValue?.description ?? "" },
      .beneath("NOTES") { session.answers.shown(notes: $0.summary.lastNotes) },
    ]
  }
}
