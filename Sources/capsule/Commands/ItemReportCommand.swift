import CapsuleCore

/// `capsule item report`.
enum ItemReportCommand {
  static let output = Parameter.option(
    "output", short: "o", value: "DIR", .directory,
    "Where to make the report (default: `inventory-` and today's date)")

  static let command = Command(
    "item", "report", summary: "Make a page of all items, to print or to send",
    discussion: """
      The page is `index.html` in a new folder, with the photos, receipts and other files beside \
      it. It begins with the owner (setting `owner`), the date and the totals by currency, category \
      and place. Then come a table of all items and each item with its photos. Items are sorted by \
      category, then by name.

      - A browser shows it without a network, on a phone too, and prints it.
      - Your own notes and the history of an item are not in it; values and serial numbers are.
      - The folder is not encrypted. To send it safely, pack it and use `capsule seal`.
      """,
    options: [ItemKind.category, ItemKind.location, output], outputs: .json,
    examples: [
      Example("capsule item report", "Make a report for the insurance"),
      Example(
        "capsule item report --location 'Living room' -o living-room", "Report one room"),
    ],
    exitCodes: [.partial, .notFound, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    guard let store = try session.stores.existing() else { throw nothing }
    let folder =
      invocation[output]
      ?? FilePath("inventory-\(session.zone.civil(at: session.now).date)")
    try session.host.files.requireOutsideStores(folder, and: store.layout.root)
    for path in ItemReport.remains(beside: folder, in: store) {
      session.console.warning(
        "'\(path.text)' is from an interrupted or running command, and is not encrypted",
        hint: "remove it if no 'item report' is running", details: ["path": path.json])
    }
    var query = ItemQuery(now: session.now, zone: session.zone)
    let settings = session.stores.settings(of: store)
    try ItemKind.choose(
      &query,
      ListRequest(
        invocation: invocation, session: session, store: store, settings: settings,
        now: session.now))
    query.order = .category
    let scope = [
      ("Category", invocation[ItemKind.category]), ("Location", invocation[ItemKind.location]),
    ].compactMap { label, value in value.map { (label: label, value: $0) } }
    var index = store.index.open(.item, now: session.now)
    let report = ItemReport(
      of: query, in: store, owner: settings.owner, scope: scope)
    let result = try make(report, at: folder, &index, session)
    var code = session.records.warn(of: &index) ? ExitCode.partial : .ok
    for fault in result.lost { code = ExitCode.worst(code, session.console.report(fault)) }
    return answer(result, folder.withoutEndingSlash.appending("index.html"), code)
  }

  private static var nothing: Fault {
    Fault(
      .notFound, "there are no such items; nothing was written",
      hint: "see all items: capsule item list")
  }

  /// - Throws: `WorkSignals.Interrupted` for a signal that ended it.
  private static func make(
    _ report: ItemReport, at folder: FilePath, _ index: inout RecordIndex, _ session: Session
  ) throws -> ItemReport.Result {
    let signals = WorkSignals(session, "Writing", total: nil)
    defer { signals.end() }
    do {
      guard let result = try report.make(at: folder, &index, watch: signals.pass) else {
        throw nothing
      }
      return result
    } catch let taken as Fault where taken.code == .exists {
      throw Fault.folderTaken(taken.takenPath)
    }
  }

  private static func answer(
    _ result: ItemReport.Result, _ page: FilePath, _ code: ExitCode
  ) -> Answer {
    let members: JSONObject = [
      "page": page.text.json, "items": result.items.json, "files": result.files.json,
      "lost": result.lost.count.json,
      "totals": result.totals.all.map { row -> JSONObject in
        [
          "currency": row.value.currency.code.json, "items": row.items.json,
          "value": row.value.amount.json, "replacementValue": row.replacement.amount.json,
        ]
      }.json,
    ]
    let content =
      String.counting(result.items, "item")
      + (result.files == 0 ? "" : " with \(String.counting(result.files, "file"))")
    return Answer(members, ending: code, quiet: .path(page)) { out in
      out.line("Made the report of \(content): \(page.text, .bold)")
    }
    .noting("Open it in a browser; print it from there.")
  }
}
