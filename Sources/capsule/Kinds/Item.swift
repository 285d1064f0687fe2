import CapsuleCore

/// An item as lists and JSON show it.
struct ItemView: KindView {
  let summary: Brief<Item>
  let problem: IndexProblem
  let dueAt: Instant?
  private let dueState: ItemDueState?
  let session: Session
  let now: Instant

  init(_ row: ItemRow, in session: Session, at now: Instant) {
    summary = row.summary
    problem = row.problem
    dueAt = row.dueAt
    dueState = row.dueState
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

  init(_ brief: Brief<Item>, problem: IndexProblem, of store: Store, in session: Session) {
    self.init(brief, problem: problem, in: session)
  }

  func writeOwnMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    let figures = summary.digest.figures
    writer.member("description", summary.record.description)
    writer.member("reminder", Self.reminder(summary.record.reminder, instants))
    instants.add(dueAt, as: "dueAt", to: &writer)
    writer.member("dueState", dueState?.rawValue)
    writer.member("entryCount", figures.count)
    instants.add(figures.last, as: "lastAt", to: &writer)
    writer.member("lastNotes", ifAny: summary.digest.lastNotes)
    writer.member("lastValue", figures.lastValue?.json ?? .null)
    writer.member("secondsSince", figures.last.map { now.seconds(since: $0) })
    writer.member("averageSeconds", figures.average)
    writer.member("longestSeconds", figures.longest)
    writer.member("mediaCount", summary.digest.mediaCount)
  }

  func add(_ item: Item, to members: inout JSONObject) {
    members["description"] = item.description.json
    members["media"] =
      item.media.enumerated().map { place, media in
        MediaView(media, number: place + 1, in: session).members
      }.json
  }

  private static func reminder(_ reminder: Reminder?, _ instants: InstantFields) -> JSON {
    guard let reminder else { return .null }
    var members: JSONObject = [
      "every": reminder.count.json, "unit": reminder.unit.name.json,
      "on": reminder.isOn.json,
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
    return switch dueState {
    case nil: ""
    case .off: StyledText("off", .dim)
    case .upcoming: StyledText(when)
    case .due: StyledText("due", .yellow)
    case .overdue: StyledText("overdue, \(when)", .boldRed)
    }
  }

  /// The name as lists show it.
  var titleText: StyledText {
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
      .id(session), .title("NAME") { $0.titleText },
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
      .title("NAME") { $0.titleText },
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

  /// The number of entries of the history that are shown, the last ones, and the number of media.
  private static let shownEntries = 5
  private static let shownMedia = 10

  func writePage(of item: Item, _ settings: StoreSettings, to out: TextOutput) {
    let sheet = FieldSheet(out, width: 11)
    out.line("\(item.name, .bold)")
    sheet.field("Id", item.id.description)
    ItemKind.kind.writeRows(of: item, session, to: sheet)
    if let last = item.history.last {
      sheet.field("Last", "\(session.dates.text(last.at)), \(since(settings))")
      let count = item.history.count
      sheet.field("History", .counting(count, "entry", "entries"))
    }
    if let reminder = item.reminder {
      sheet.field("Reminder", FieldWords(session).text(reminder))
      let due = dueText(settings)
      sheet.field("Due", ifAny: dueAt.map { "\(session.dates.text($0)), \(due)" } ?? due)
    }
    sheet.field(
      "Created", "\(session.dates.text(item.createdAt)), \(session.dates.relative(item.createdAt))")
    sheet.block(item.description)
    sheet.block(item.notes)
    list(
      "Media", MediaView.columns(session),
      item.media.prefix(Self.shownMedia).enumerated().map {
        MediaView($1, number: $0 + 1, in: session)
      },
      item.media.count > Self.shownMedia
        ? "\(item.media.count - Self.shownMedia) more: capsule item media \(item.id)" : nil, out)
    let entries = item.numberedHistory
    list(
      "Last entries", ItemHistoryCommand.columns(session, settings),
      entries.suffix(Self.shownEntries),
      entries.count > Self.shownEntries
        ? "\(entries.count - Self.shownEntries) more: capsule item history \(item.id)" : nil, out)
  }

  /// Writes a table under a heading, and the line that says how much more there is.
  private func list<Row>(
    _ heading: String, _ columns: [RowColumn<Row>], _ rows: some Collection<Row>, _ more: String?,
    _ out: TextOutput
  ) {
    guard !rows.isEmpty else { return }
    out.line()
    out.line(StyledText(heading, .dim))
    out.table(Table(columns, rows))
    if let more { out.line(StyledText(more, .dim)) }
  }
}

/// Items on the command line.
enum ItemKind {
  static let kind = Kind<ItemView>(
    "item", operand: "ITEM", "An id, the start of one, or a name", completing: .item,
    fields: [
      KindField(nil, editing: [newName], told: ("name", { $0.name })) { invocation, item in
        if let text = invocation[newName] { try name(text, &item) }
      },
      .text(
        .option("description", value: "TEXT", .text, "A description of the item"), \.description
      ) { $0 },
      .text(
        .option("notes", value: "TEXT", .text, "Private notes, which are not handed over"), \.notes
      ) { $0 },
      .text(
        .option(
          "category", value: "CATEGORY", .text(completing: .category), "A category, such as Jewelry"
        ),
        \.category
      ).row("Category"),
      money("value", "The value of one piece, such as 'EUR 1200'", member: "value", \.value)
        .row("Value"),
      money(
        "replacement-value", "The price of a new one", member: "replacementValue",
        \.replacementValue
      ).row("Replacement"),
      KindField(quantity, told: ("quantity", { String($0.quantity) })) { invocation, item in
        if let count = invocation[quantity] { item.quantity = Int64(count) }
      }.row("Quantity") { item, _ in item.quantity == 1 ? [] : [String(item.quantity)] },
      .text(.option("location", value: "PLACE", .text, "Where the item is"), \.location)
        .row("Location"),
      .text(.option("serial", value: "TEXT", .text, "The serial number"), \.serial).row("Serial"),
      KindField(
        date: .option("bought-on", value: "DATE", .text, "The date when the item was bought"),
        member: "boughtOn", preferring: .past, \.boughtOn
      ).row("Bought") { item, session in [bought(item, session)] },
      .text(
        .option("bought-from", value: "TEXT", .text, "The shop or the person that sold the item"),
        member: "boughtFrom", \.boughtFrom),
      money("price", "The price that was paid for one piece", member: "price", \.price),
      KindField(
        date: .option("warranty-until", value: "DATE", .text, "The last day of the warranty"),
        member: "warrantyUntil", preferring: .future, \.warrantyUntil
      ).row("Warranty") { item, session in
        item.warrantyUntil.map { ["until \(session.dates.text(.day($0)))"] } ?? []
      },
      .words(
        .options("tag", value: "TAG", .text, "A word to find the item by"),
        removing: .options("untag", value: "TAG", .text, "Remove a tag"), member: "tags", \.tags
      ).row("Tags"),
    ])

  private static let newName = Parameter.option("name", value: "NAME", .text, "A new name")
  private static let quantity = Parameter.option(
    "quantity", value: "N", .integer(1...Int(Item.quantityLimit)), "How many pieces there are")

  /// Returns when, where and for how much it was bought: `Fri 3 May 2024, from Zoe, for EUR 80.00`.
  private static func bought(_ item: Item, _ session: Session) -> String {
    [
      item.boughtOn.map { session.dates.text(.day($0)) },
      item.boughtFrom.isEmpty ? nil : "from \(item.boughtFrom)",
      item.price.map { "for \($0)" },
    ].compactMap(\.self).joined(separator: ", ")
  }

  private static func name(_ text: String, _ item: inout Item) throws {
    try RecordFault.check(name: text.trimmed, of: .item)
    item.name = text.trimmed
  }

  private static func money(
    _ name: String, _ help: String, member: String,
    _ path: any (WritableKeyPath<Item, Money?> & Sendable)
  ) -> KindField<Item> {
    let option = Parameter.option(name, value: "MONEY", .text, help)
    return KindField(
      inSession: option, told: (member, { $0[keyPath: path]?.description ?? "" })
    ) { invocation, session, item in
      if let text = invocation[option] {
        item[keyPath: path] = try amount(text, option: "--" + name, session)
      }
    }
  }

  static let add = kind.add(
    .operand("NAME", .text, "The item's name, unique, at most 1 KiB"), operands: [files],
    summary: "Add an item that you own or look after",
    discussion: """
      Each name is unique; upper and lower case are the same. A value is the worth of one piece, \
      and totals multiply it by `--quantity`.

      Write an amount as you are used to: `EUR 1200`, `1200 €`, `$1,129.99`, `1.200,00 EUR`, \
      `1 200,50 SEK`. `kr` needs the setting `currency`; `$` means US dollars and `¥` yen unless \
      the setting is another dollar or CNY. A number alone is in the currency of the setting.

      An amount that can be read in two ways, such as `1.200 EUR`, is refused with both readings.
      """,
    examples: [
      Example(
        "capsule item add 'Gold ring' --category Jewelry --value 'EUR 1200'", "Add an heirloom"),
      Example("capsule item add Piano piano.jpg receipt.pdf", "Add an item with its papers"),
      Example(
        "capsule item add 'Water filter' --category Household",
        "Add something that needs regular care"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused], naming: name,
    from: { $0[files] }
  ) { invocation, item, blobs, store, session in
    item.media = try ItemAttachCommand.stage(invocation[files], &blobs, store, session)
  }

  private static let files = Parameter.operands("FILE", .path, "A file to attach, such as a photo")

  private static let search = ListOptions.search(
    "Only items with this text in the name, description or notes")
  static let category = Parameter.option(
    "category", value: "CATEGORY", .text(completing: .category), "Only items in this category")
  static let location = Parameter.option(
    "location", value: "PLACE", .text, "Only items in this place")
  private static let without = Parameter.options(
    "without", value: "PART", ValueType<ItemLack>.choice,
    "Only items without this: `photo`, `value` or `heir`")
  private static let tag = Parameter.options("tag", value: "TAG", .text, "Only items with this tag")
  private static let due = Parameter.flag("due", "Only items with a due reminder")
  private static let sort: Parameter<ItemQuery.Order?> = ListOptions.sort(.itemSort)

  static let list = kind.list(
    summary: "List items, newest first",
    discussion: """
      `--sort` changes the order:

      - `name` and `category`: from A to Z.
      - `value`: from the highest, each currency separately.
      - `since`: from the item whose last entry is the longest ago.

      A search ignores case and accents. A part of a category, a place or a tag is enough, if no \
      other one has it.

      `--without` finds what is missing: items without a photo, without a value, or without an \
      heir, who is a person that a bequest names. Given twice, both have to be missing.
      """,
    options: [
      search, category, location, tag, without, due, sort, ListOptions.reverse, ListOptions.limit,
      ListOptions.plain,
      ListOptions.exitCode,
    ],
    examples: [
      Example(
        "capsule item list --category Jewelry --sort value", "List the jewelry, most valuable first"
      ),
      Example("capsule item list --due", "List what is due"),
      Example("capsule item list --without photo", "Find the items to take a photo of"),
    ],
    setting: .itemColumns,
    query: { request, remarks in
      let invocation = request.invocation
      var query = ItemQuery(now: request.now, zone: request.session.zone)
      query.text = invocation.search(search)
      try choose(&query, request)
      query.without = Set(invocation[without])
      query.tags = try request.meant(invocation[tag], by: (tag, "tags"), \.tags)
      query.onlyDue = invocation[due]
      query.take(sort, .itemSort, otherwise: .added, request)
      if !query.isNarrowed {
        remarks.whenEmpty = "There are no items here; 'capsule item add' adds one."
      }
      return query
    },
    columns: { ItemView.columns($0.session, $0.settings) }, more: ItemView.moreColumns,
    view: { ItemView($0, in: $1.session, at: $1.now) })

  /// Takes the category and the place that are asked for.
  static func choose(_ query: inout ItemQuery, _ request: ListRequest) throws {
    query.category = try request.meant(
      request.invocation[category].map { [$0] } ?? [], by: (category, "categories"),
      { [$0.category] }
    ).first
    query.location = try request.meant(
      request.invocation[location].map { [$0] } ?? [], by: (location, "places"), { [$0.location] }
    ).first
  }

  static let show = kind.show(
    summary: "Show the details of an item",
    examples: [
      Example("capsule item show 'Gold ring'", "See everything about the ring")
    ])

  static let edit = kind.edit(
    summary: "Change an item",
    discussion: """
      Only the fields that you give change, and the answer lists the changes. An empty text \
      removes a description, notes, category, location or value. `--tag` adds to the tags that the \
      item has.
      """,
    examples: [
      Example(
        "capsule item edit 'Gold ring' --value 'EUR 1350' --location Safe",
        "Update the value and the location"),
      Example("capsule item edit 'Gold ring' --value ''", "Remove the value"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused])

  static let delete = kind.delete(
    summary: "Move items to the trash",
    discussion: """
      Attachments, history and reminder go to the trash with the item. `capsule restore` puts them \
      all back, until `capsule purge` removes the item for good. While the item is in the trash, \
      another item can take its name.

      An item that is left to a person is deleted only with `--with-bequests`. Its bequests go and \
      come back with the item.
      """, isLeft: true,
    examples: [
      Example("capsule item delete 'Gold ring' --yes", "Move an item to the trash")
    ])

  /// Reads an amount; an empty text and `none` are no amount.
  static func amount(_ text: String, option: String, _ session: Session) throws -> Money? {
    if text.trimmed.isEmpty || text == "none" { return nil }
    func currency() -> Currency? {
      (try? session.stores.existing()).flatMap { session.stores.settings(of: $0).currency }
    }
    do { return try Money(written: text, preferred: currency) } catch {
      throw refusal(of: text, option: option, error.cause as? Money.Problem ?? .form)
    }
  }

  private static func refusal(
    of text: String, option: String, _ problem: Money.Problem
  ) -> Fault {
    let shown = "'\(text.shortened)'"
    let hint = "write a currency and a number, such as 'EUR 1200', '49.90 USD' or '€1,200.50'"
    return switch problem {
    case .form: .usage("invalid amount for '\(option)': \(shown)", hint: hint)
    case .unknownCurrency(let code):
      .usage("invalid currency code '\(code.shortened)'", hint: hint)
    case .tooFine(let currency):
      .usage("\(shown) has too many decimals for \(currency.code)", hint: currency.decimalsHint)
    case .negative: .usage("\(shown) is negative", hint: "use a value of 0 or more")
    case .tooLarge: .usage("\(shown) is too large", hint: "use a smaller amount")
    case .noCurrency:
      .usage(
        "the amount for '\(option)' has no currency: \(shown)",
        hint: "write one, such as 'EUR \(text.trimmed.shortened)', or set one for all: "
          + "capsule settings set currency EUR")
    case .sharedSymbol(let symbol, let codes):
      .usage(
        "\(shown) can mean \(codes.listed("or")): several currencies are called '\(symbol)'",
        hint: "write the code, or set your currency: capsule settings set currency \(codes[0])")
    case .twoReadings(let currency, let whole, let decimal):
      .usage(
        "\(shown) can mean \(whole) or \(decimal)",
        hint: readings(of: currency, whole: whole, decimal: decimal))
    }
  }

  /// The two ways to write an amount that can be read in two ways.
  private static func readings(
    of currency: Currency?, whole: String, decimal: String
  ) -> String {
    let code = currency?.code ?? "EUR"
    let exponent = currency?.exponent ?? 2
    let first = "write '\(code) \(whole)'"
    guard let number = ExactDecimal(decimal), let digits = number.digits(atScale: exponent) else {
      return "\(first), or at most \(exponent) digits after the decimal point"
    }
    return "\(first) or '\(code) \(ExactDecimal(digits: digits, scale: exponent))'"
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

extension ListRequest {
  /// Returns the names that words mean among those that items have.
  fileprivate func meant(
    _ words: [String], by option: (any ParameterDeclaration, plural: String),
    _ names: (Item) -> [String]
  ) throws -> [NameKey] {
    try meant(words, by: option, of: .item) { Brief<Item>($0).map { names($0.record) } ?? [] }
  }
}
