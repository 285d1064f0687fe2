/// The inventory as a page in a folder: `index.html`, and the files of the items beside it. It is for an insurer, for
/// heirs, or to be printed. The owner's notes are not in it.
///
/// The page is written while the items are read, so that it takes the memory of one item, however many there are.
package struct ItemReport {
  private let store: Store
  private let query: ItemQuery
  private let owner: String
  private let scope: [(label: String, value: String)]
  private var totals = ItemTotals()
  private var places = ItemTotals(by: .location)
  /// The items in the order of the page.
  private var ids: [RecordID] = []

  /// What became of it.
  package struct Result: Sendable {
    package private(set) var items = 0
    package private(set) var files = 0
    package let totals: ItemTotals
    /// The files that are damaged or missing: the page names them.
    package private(set) var lost: [Fault] = []

    fileprivate init(totals: ItemTotals) { self.totals = totals }

    fileprivate mutating func add(files count: Int, lost faults: [Fault]) {
      items += 1
      files += count
      lost += faults
    }
  }

  /// - Parameters:
  ///   - query: the items; its time is that of the page.
  ///   - owner: the name of the owner; empty where it is not known.
  ///   - scope: what the items were chosen by, for people: `("Location", "Safe")`.
  package init(
    of query: ItemQuery, in store: Store, owner: String, scope: [(label: String, value: String)]
  ) {
    (self.query, self.store, self.owner, self.scope) = (query, store, owner, scope)
  }

  private static let partial = ".capsule-report-"

  /// The folders beside a report's place in which reports were made by runs that were killed, or still are: they
  /// are in the clear.
  package static func remains(beside folder: FilePath, in store: Store) -> [FilePath] {
    store.files.remains(of: [partial], in: folder.withoutEndingSlash.parent)
  }

  /// Makes the folder, whole or not at all; nothing where there are no items. An item that cannot be read is left out.
  ///
  /// - Parameters:
  ///   - folder: the folder; where it is there already, it is empty.
  ///   - index: the index of the items.
  ///   - watch: called with the number of bytes before they are written; it ends the work by throwing.
  /// - Returns: `nil` where there are no items.
  /// - Throws: the error of `watch`; ``Fault`` where the path has something in it, or is no folder.
  package func make(
    at folder: FilePath, _ index: inout RecordIndex, watch: @escaping (Int) throws -> Void
  ) throws -> Result? {
    var report = self
    return try report.gather(&index) ? report.write(to: folder, &index, watch) : nil
  }

  /// Finds the items; `false` where there are none.
  private mutating func gather(_ index: inout RecordIndex) -> Bool {
    query.forEach(in: &index, of: store) { row in
      guard row.problem == .none else { return true }
      ids.append(row.summary.id)
      totals.add(row.summary)
      places.add(row.summary)
      return true
    }
    return !ids.isEmpty
  }

  private func write(
    to folder: FilePath, _ index: inout RecordIndex, _ watch: @escaping (Int) throws -> Void
  ) throws -> Result {
    var result = Result(totals: totals)
    try store.makeFolder(folder, Self.partial, watch: watch) { target in
      var page = try target.begin("index.html")
      do {
        try page.write(cover)
        try list(&index, &page)
        try articles(&target, &page, &result)
        try page.write(Page.part { $0.html(Page.end) })
      } catch {
        page.close()
        throw error
      }
      try page.end()
    }
    return result
  }

  // MARK: The cover

  private var cover: [UInt8] {
    let day = query.zone.civil(at: query.now).date.inWords
    return Page.part { page in
      page.html(Self.style.head(HandoverPage.plain("Inventory \(owner)")))
      page.element("header") { page in
        page.html("<p class=\"for\">Inventory</p>\n")
        page.html("<h1 dir=\"auto\" lang=\"\">\(owner.isEmpty ? "Inventory" : owner)</h1>\n")
        page.paragraph("\(day) · \(String.counting(ids.count, "item"))", class: "date")
        for (label, value) in scope { page.paragraph("\(label): ", .name(value), class: "date") }
        if totals.withoutValue > 0 {
          page.paragraph("\(totals.withoutValue) of them without a value", class: "date")
        }
      }
      page.element("section", class: "sums") { page in
        sums("Total", "Currency", totals.all.map { ($0.value.currency.code, $0) }, &page)
        sums("By category", "Category", named(totals.byGroup), &page)
        sums("By location", "Location", named(places.byGroup), &page)
      }
    }
  }

  private func named(_ rows: [ItemTotals.Row]) -> [(String, ItemTotals.Row)] {
    // One without a name says no more than the total.
    rows.allSatisfy(\.group.isEmpty)
      ? [] : rows.map { ($0.group.isEmpty ? "(none)" : $0.group, $0) }
  }

  private func sums(
    _ title: String, _ head: String, _ rows: [(name: String, row: ItemTotals.Row)],
    _ page: inout Page
  ) {
    guard !rows.isEmpty else { return }
    let hasReplacement = rows.contains { !$0.row.replacement.isEmpty }
    func text(_ sum: MoneySum) -> String { sum.isEmpty ? "" : sum.grouped }
    page.html("<table>\n<caption>\(title)</caption>\n<thead><tr><th>\(head)</th>")
    page.html("<th class=\"number\">Value</th>")
    if hasReplacement { page.html("<th class=\"number aside\">Replacement</th>") }
    page.html("</tr></thead>\n<tbody>\n")
    for (name, row) in rows {
      page.html("<tr><td>\(name: name)</td>")
      page.html("<td class=\"number\">\(text(row.value))</td>")
      if hasReplacement { page.html("<td class=\"number aside\">\(text(row.replacement))</td>") }
      page.html("</tr>\n")
    }
    page.html("</tbody>\n</table>\n")
  }

  // MARK: The list

  private func list(_ index: inout RecordIndex, _ page: inout DeliveryFolder.OpenFile) throws {
    try page.write(
      Page.part { page in
        page.html(
          """
          <section class="sums">
          <table>
          <caption>Items</caption>
          <thead><tr><th class="count">No.</th><th>Item</th><th class="aside">Category</th>\
          <th class="aside">Location</th><th class="count aside">Quantity</th><th class="number">Value</th></tr></thead>
          <tbody>

          """)
      })
    var (number, problem) = (0, Swift.Result<Void, any Error>.success(()))
    query.forEach(in: &index, of: store) { row in
      guard row.problem == .none else { return true }
      number += 1
      problem = Swift.Result { try page.write(line(number, row.summary.record)) }
      return (try? problem.get()) != nil
    }
    try problem.get()
    try page.write(Page.part { $0.html("</tbody>\n</table>\n</section>\n") })
  }

  private func line(_ number: Int, _ item: Item) -> [UInt8] {
    Page.part { page in
      page.html("<tr><td class=\"count\">\(number)</td>")
      page.html("<td><a href=\"#gift-\(number)\">\(name: item.name)</a></td>")
      page.html("<td class=\"aside\">\(name: item.category)</td>")
      page.html("<td class=\"aside\">\(name: item.location)</td>")
      page.html("<td class=\"count aside\">\(item.quantity)</td>")
      let worth = item.value.map { $0.grouped(times: item.quantity) } ?? ""
      page.html("<td class=\"number\">\(worth)</td></tr>\n")
    }
  }

  // MARK: The items

  private func articles(
    _ target: inout DeliveryFolder, _ page: inout DeliveryFolder.OpenFile, _ result: inout Result
  ) throws {
    let zone = query.zone
    let terms = DeliveryTerms(
      output: nil, isSealed: false, withValues: true, now: query.now, zone: zone)
    var maker = GiftMaker(store: store, terms: terms, trustees: nil) { _ in .closed }
    for (place, id) in ids.enumerated() {
      let item = try store.readIntact(Item.self, id).model
      let (shown, files) = maker.files(of: item)
      var gift = Gift(
        kind: .item, title: item.name, description: item.description,
        details: item.details(for: [.owner, .heirs, .heirsWithValues]))
      var lost: [Fault] = []
      for (file, source) in zip(shown, files) {
        do {
          try target.add(source)
          gift.files.append(file)
        } catch let fault as Fault where fault.code.kind == .damaged {
          try target.dropLast()
          gift.details.append(.init("Not readable", file.name))
          var fault = fault
          fault.message = "'\(file.name)' of '\(item.name)' is not in the report: \(fault.message)"
          lost.append(fault)
        }
      }
      result.add(files: gift.files.count, lost: lost)
      try page.write(
        Page.part { GiftArticle(gift: gift, number: place + 1, owner: "").write(to: &$0) })
    }
  }

  /// The style of a letter, with tables, and with items that follow each other on paper.
  private static let style = HandoverPage.style(
    PageStyle.letter + """
      main { max-width: 56rem; }
      header { padding-bottom: 1.5rem; }
      .sums { margin-bottom: 2.5rem; }
      table { width: 100%; border-collapse: collapse; font-size: .9rem; margin-bottom: 2rem; }
      caption { text-align: start; font-size: 1.05rem; padding-bottom: .4rem; }
      th, td { text-align: start; vertical-align: top; padding: .3rem .5rem; border-bottom: 1px solid var(--line);
        overflow: clip; overflow-clip-margin: .35em; }
      th { font-weight: 400; color: var(--soft); overflow-wrap: normal; }
      .count, .number { text-align: end; font-variant-numeric: tabular-nums; }
      .count { width: 4.5rem; }
      .number { width: 10rem; }
      img { max-height: 26rem; }

      @media (max-width: 34rem) {
        .aside { display: none; }
        .number { width: 8rem; }
      }
      @media print {
        thead { display: table-header-group; }
        tr { break-inside: avoid; }
        caption { break-after: avoid; }
        article { border-top: 1px solid var(--line); padding-top: 1rem; }
        article + article { break-before: auto; }
        article > * + * { margin-top: 1rem; }
        img { max-height: 11cm; }
      }

      """)
}

extension DeliveryFolder.OpenFile {
  fileprivate mutating func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try sink.write($0) }
  }
}
