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
    _ summary: Brief<Item>, problem: IndexProblem = .none, in session: Session,
    at now: Instant? = nil
  ) {
    let now = now ?? session.now
    self.init(
      ItemRow(summary, problem: problem, at: now, in: session.zone), in: session, at: now)
  }

  var id: RecordID { row.summary.id }
  var summary: Brief<Item> { row.summary }
  var problem: IndexProblem { row.problem }
  var dueAt: Instant? { row.dueAt }

  func writeMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    let summary = row.summary
    let figures = summary.digest.figures
    writer.member("averageSeconds", figures.average)
    writer.member("category", ifAny: summary.record.category)
    instants.add(summary.record.createdAt, as: "createdAt", to: &writer)
    writer.member("description", summary.record.description)
    instants.add(dueAt, as: "dueAt", to: &writer)
    writer.member("dueState", row.dueState?.rawValue)
    writer.member("entryCount", figures.count)
    writer.member("id", summary.id)
    writer.member("kind", "item")
    instants.add(figures.last, as: "lastAt", to: &writer)
    writer.member("lastNotes", ifAny: summary.digest.lastNotes)
    writer.member("lastValue", figures.lastValue?.json ?? .null)
    writer.member("location", ifAny: summary.record.location)
    writer.member("longestSeconds", figures.longest)
    writer.member("mediaCount", summary.digest.mediaCount)
    writer.member("name", summary.record.name)
    writer.member("notes", ifAny: summary.record.notes)
    writer.member("problem", problem.jsonName)
    writer.member("quantity", summary.record.quantity)
    writer.member("reminder", Self.reminder(summary.record.reminder, instants))
    writer.member("replacementValue", Self.json(summary.record.replacementValue))
    writer.member("secondsSince", figures.last.map { now.seconds(since: $0) })
    writer.member("tags", summary.record.tags)
    instants.add(summary.record.updatedAt, as: "updatedAt", to: &writer)
    writer.member("value", Self.json(summary.record.value))
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
    guard let last = summary.digest.figures.last else { return "" }
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
    problem.mark ?? StyledText(summary.record.name, .bold)
  }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<ItemView>] {
    [
      .text("TAGS", flexible: true, detail: .tags) {
        $0.summary.record.tags.joined(separator: ", ")
      },
      .text("MEDIA", .trailing) {
        $0.summary.digest.mediaCount == 0 ? "" : String($0.summary.digest.mediaCount)
      },
      RowColumn("CREATED") { session.dates.cell($0.summary.record.createdAt) },
    ]
  }

  /// The columns of a list.
  static func columns(_ session: Session, _ settings: StoreSettings) -> [RowColumn<ItemView>] {
    [
      .id(session), .title("NAME") { $0.nameText },
      .text("CATEGORY", flexible: true, detail: .contents) { $0.summary.record.category },
      .text("VALUE", .trailing, detail: .state) { $0.summary.record.value?.description ?? "" },
      .text("QTY", .trailing, detail: .timeOfDay) { String($0.summary.record.quantity) },
      .text("WHEN") { $0.since(settings) }, RowColumn("DUE") { $0.dueText(settings) },
      .text("LOCATION", flexible: true, detail: .tags) { $0.summary.record.location },
    ]
  }

  /// The columns of `since`.
  static func sinceColumns(
    _ session: Session, _ settings: StoreSettings, style: SpanStyle, details: Bool
  ) -> [RowColumn<ItemView>] {
    func span(_ view: ItemView, _ seconds: Int64?) -> String {
      guard let seconds, let last = view.summary.digest.figures.last else { return "" }
      return style.text(from: last, to: last.adding(seconds: -seconds), in: session.zone)
    }
    let columns: [RowColumn<ItemView>] = [
      .title("NAME") { $0.nameText },
      .text("WHEN") { view in
        guard let last = view.summary.digest.figures.last else { return "never" }
        return style.text(from: view.now, to: last, in: session.zone)
      },
      RowColumn("DATE") { $0.summary.digest.figures.last.map { session.dates.cell($0) } ?? "" },
      RowColumn("DUE") { $0.dueText(settings) },
    ]
    guard details else { return columns }
    return columns + [
      .beneath("TIMES") { String($0.summary.digest.figures.count) },
      .beneath("AVERAGE") { span($0, $0.summary.digest.figures.average) },
      .beneath("LONGEST") { span($0, $0.summary.digest.figures.longest) },
      .beneath("VALUE") { $0.summary.digest.figures.lastValue?.description ?? "" },
      .beneath("NOTES") { session.answers.shown(notes: $0.summary.digest.lastNotes) },
    ]
  }
}

/// The options by which an item is described, in `item add` and `item edit`.
enum ItemOptions {
  static let reference = Parameter.operand(
    "ITEM", .reference(.item), "An id, the start of one, or a name")
  static let description = Parameter.option(
    "description", value: "TEXT", .text, "A description of the item")
  static let notes = Parameter.option(
    "notes", value: "TEXT", .text, "Private notes, which are not handed over")
  static let category = Parameter.option(
    "category", value: "CATEGORY", .text(completing: .category), "A category, such as Jewelry")
  static let value = Parameter.option(
    "value", value: "MONEY", .text, "The value of one piece, such as 'EUR 1200'")
  static let replacementValue = Parameter.option(
    "replacement-value", value: "MONEY", .text, "The price of a new one")
  static let quantity = Parameter.option(
    "quantity", value: "N", .integer(1...Int(Item.quantityLimit)), "How many pieces there are")
  static let location = Parameter.option("location", value: "PLACE", .text, "Where the item is")
  static let tag = Parameter.options("tag", value: "TAG", .text, "A word to find the item by")

  static let all: Parameters = [
    description, notes, category, value, replacementValue, quantity, location, tag,
  ]

  static func check(name: String) throws {
    try RecordFault.check(name: name, of: .item)
  }

  /// Reads an amount; an empty text and `none` are no amount.
  static func money(_ text: String, option: String) throws -> Money? {
    if text.isEmpty || text == "none" { return nil }
    do { return try Money(text) } catch {
      let hint = "write a currency of ISO 4217 and a number, such as 'EUR 1200' or '49.90 USD'"
      switch error.cause as? Money.Problem {
      case .form where text.utf8.contains(UInt8(ascii: ",")):
        throw Fault.usage(
          "invalid amount for '\(option)': '\(text)'",
          hint: "use a decimal point and no thousands separator: 'EUR 1200.50'")
      case .form, nil: throw Fault.usage("invalid amount for '\(option)': '\(text)'", hint: hint)
      case .unknownCurrency(let code):
        throw Fault.usage("invalid currency code '\(code)'", hint: hint)
      case .tooFine(let currency):
        throw Fault.usage(
          "'\(text)' has too many decimals for \(currency.code)",
          hint: currency.decimalsHint)
      case .negative:
        throw Fault.usage("'\(text)' is negative", hint: "use a value of 0 or more")
      case .tooLarge:
        throw Fault.usage(
          "'\(text)' is too large",
          hint: "use a smaller amount")
      }
    }
  }

  /// Puts what was given into an item.
  static func apply(_ invocation: Invocation, to item: inout Item) throws {
    if let text = invocation[description] { item.description = text }
    if let text = invocation[notes] { item.notes = text }
    if let text = invocation[category] { item.category = text.trimmed }
    if let text = invocation[location] { item.location = text.trimmed }
    if let text = invocation[value] { item.value = try money(text, option: "--value") }
    if let text = invocation[replacementValue] {
      item.replacementValue = try money(text, option: "--replacement-value")
    }
    if let count = invocation[quantity] { item.quantity = Int64(count) }
    for tag in invocation[tag] where !item.tags.contains(tag) { item.tags.append(tag) }
  }

  /// A decimal number of the command line.
  static func decimal(_ text: String, option: String) throws -> ExactDecimal {
    if let value = ExactDecimal(text) { return value }
    let isOfDigits = text.utf8.allSatisfy { byte in
      byte.isASCIIDigit || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+")].contains(byte)
    }
    throw Fault.usage(
      "invalid number for '\(option)': '\(text.shortened)'",
      hint: isOfDigits && text.utf8.count > ExactDecimal.scaleLimit
        ? "use at most \(ExactDecimal.digitLimit) digits, \(ExactDecimal.scaleLimit) of them "
          + "after the decimal point"
        : "use digits with an optional sign and decimal point, such as 42 or 12.5")
  }
}

extension Currency {
  /// The way out of an amount with too many decimals.
  var decimalsHint: String {
    exponent == 0
      ? "use a whole number, such as '\(code) 1200'"
      : "use at most \(exponent) digits after the decimal point, and no thousands separator: "
        + "'\(code) 1200.\(String(repeating: "0", count: Int(exponent)))'"
  }
}
