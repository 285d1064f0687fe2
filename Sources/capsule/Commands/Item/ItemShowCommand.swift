import CapsuleCore

/// `capsule item show`.
enum ItemShowCommand {
  static let command = Command(
    "item", "show", summary: "Show all about an item",
    operands: [ItemOptions.reference], outputs: .json,
    examples: [Example("capsule item show 'Gold ring'", "Show an item")],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    let store = try session.requiredStore(for: reference, among: [.item])
    let record = try session.item(reference, in: store)
    let item = record.model
    let settings = session.storeSettings(store)
    let view = ItemView(
      item.summary, problem: record.integrity == nil ? .none : .altered, in: session)
    if let damage = record.integrity {
      session.console.report(
        Failure(.damaged(damage, path: store.layout.record(.item, item.id).text)))
    }
    let bequests = BequestSection(of: RecordReference(.item, item.id), session, store)
    var members = members(item, view, session)
    members["bequests"] = bequests.json
    return try session.render(
      ending: record.integrity == nil ? .ok : .damaged,
      json: .object(members),
      text: { out in
        text(item, view, settings, session, out)
        bequests.text(out)
      })
  }

  /// The members of the object: those of a list, and what only the record tells.
  static func members(_ item: Item, _ view: ItemView, _ session: Session) -> JSONObject {
    var members = view.members
    members["description"] = .string(item.description)
    members["revision"] = .integer(item.revision)
    members["media"] = .array(
      item.media.enumerated().map { place, media in
        .object(MediaView(media, number: place + 1, in: session).members)
      })
    return members
  }

  private static func text(
    _ item: Item, _ view: ItemView, _ settings: StoreSettings, _ session: Session,
    _ out: TextOutput
  ) {
    func field(_ name: String, _ value: StyledText) {
      guard value.width > 0 else { return }
      let padding = String(repeating: " ", count: max(0, 11 - name.count))
      out.line("\(name, .dim)\(padding) \(value)")
    }
    out.line("\(item.name, .bold)")
    field("Id", StyledText(item.id.description))
    field("Category", StyledText(item.category))
    field("Value", StyledText(item.value?.description ?? ""))
    field("Replacement", StyledText(item.replacementValue?.description ?? ""))
    if item.quantity != 1 { field("Quantity", StyledText(String(item.quantity))) }
    field("Location", StyledText(item.location))
    field("Tags", StyledText(item.tags.joined(separator: ", ")))
    if let last = item.history.last {
      field("Last", "\(session.dateTime(last.at)), \(view.since(settings))")
      let count = item.history.count
      field("History", StyledText(count == 1 ? "1 entry" : "\(count) entries"))
    }
    if let reminder = item.reminder {
      let name = reminder.name.isEmpty ? "" : "\(reminder.name), "
      let origin = reminder.from.map { "from \(session.dateTime($0))" } ?? "after the last entry"
      let time = reminder.time.map { " at \($0.shortText)" } ?? ""
      field("Reminder", "\(name)\(reminder.words)\(time), \(origin)")
      field("Due", view.dueText(settings))
    }
    field("Created", "\(session.dateTime(item.createdAt)), \(session.relative(item.createdAt))")
    if !item.description.isEmpty {
      out.line()
      out.block(item.description)
    }
  }
}

extension Item {
  /// How often the record was written: 1 when new.
  var revision: Int64 { header.revision }
}
