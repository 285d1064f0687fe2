import CapsuleCore

/// `capsule item totals`.
enum ItemTotalsCommand {
  static let command = Command(
    "item", "totals", summary: "Add up the value of all items",
    discussion: """
      The totals are for each category and currency, then for each currency. Sums are exact, and \
      currencies are never mixed. The value of one piece counts once for each piece.
      """,
    options: [ListOptions.plain], outputs: .json,
    examples: [
      Example("capsule item totals", "See what everything is worth")
    ],
    exitCodes: [.partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    var totals = ItemTotals()
    let isPartial = try session.records.forEachItem { summary, problem in
      if problem == .none { totals.add(summary) }
    }
    let isPlain = invocation[ListOptions.plain]
    return Answer(members(totals), ending: isPartial ? .partial : .ok) { out in
      let isGrouped = out.width != nil && !isPlain
      let columns: [RowColumn<(name: StyledText, style: Style, row: ItemTotals.Row)>] = [
        .title("CATEGORY") { $0.name },
        .text("ITEMS", .trailing) { String($0.row.items) },
        RowColumn("VALUE", .trailing) { StyledText(text($0.row.value, isGrouped), $0.style) },
        RowColumn("REPLACEMENT", .trailing) {
          StyledText(text($0.row.replacement, isGrouped), $0.style)
        },
      ].map(\.namedBeneath)
      let rows: [(name: StyledText, style: Style, row: ItemTotals.Row)] =
        totals.byGroup.map { row in
          (StyledText(row.group.isEmpty ? "(none)" : row.group), Style.plain, row)
        } + totals.all.map { (StyledText("Total", .bold), Style.bold, $0) }
      out.table(Table(columns, rows), plain: isPlain)
    }
    .noting(
      totals.withoutValue == 0
        ? nil
        : "\(totals.withoutValue) of \(String.counting(totals.items, "item")) without a value."
    )
  }

  /// Returns a sum; nothing where no value was given that it could be of.
  ///
  /// - Parameter isGrouped: whether people read it, with a sign between the thousands.
  private static func text(_ sum: MoneySum, _ isGrouped: Bool) -> String {
    sum.isEmpty ? "" : isGrouped ? sum.grouped : sum.description
  }

  private static func members(_ totals: ItemTotals) -> JSONObject {
    func members(_ row: ItemTotals.Row) -> JSONObject {
      [
        "currency": row.value.currency.code.json, "items": row.items.json,
        "value": row.value.amount.json, "replacementValue": row.replacement.amount.json,
      ]
    }
    return [
      "categories": totals.byGroup.map { row in
        var object = members(row)
        object["category"] = row.group.jsonIfAny
        return object
      }.json,
      "totals": totals.all.map { members($0) }.json,
      "items": totals.items.json, "itemsWithoutValue": totals.withoutValue.json,
    ]
  }
}

/// `capsule item categories`.
enum ItemCategoriesCommand {
  static let command = Command(
    "item", "categories", summary: "List the categories of items",
    outputs: [.json, .ndjson],
    examples: [Example("capsule item categories", "See which categories are in use")],
    exitCodes: [.partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    var counts: [NameKey: Int64] = [:]
    var names = GroupNames(.category)
    let isPartial = try session.records.forEachItem { summary, _ in
      guard !summary.record.category.isEmpty else { return }
      names.add(summary)
      counts[NameKey(summary.record.category), default: 0] += 1
    }
    let rows = counts.sorted { NameOrder.key($0.key.text) < NameOrder.key($1.key.text) }.map {
      (name: names[$0.key], count: $0.value)
    }
    return Answer(
      rows: rows, ending: isPartial ? .partial : .ok,
      columns: [
        .text("CATEGORY", flexible: true) { $0.name },
        .text("ITEMS", .trailing) { String($0.count) },
      ], json: { ["category": $0.name.json, "items": $0.count.json] })
  }
}

extension Records {
  /// Hands over every item that can be read, the first added first.
  ///
  /// - Returns: whether items are missing, or are not what was written.
  fileprivate func forEachItem(_ body: (Brief<Item>, IndexProblem) -> Void) throws -> Bool {
    guard let store = try session.stores.existing() else { return false }
    var query = ItemQuery(now: session.now, zone: session.zone)
    query.isReversed = true
    var index = store.index.open(.item, now: session.now)
    query.forEach(in: &index, of: store) { row in
      body(row.summary, row.problem)
      return true
    }
    return warn(of: &index)
  }
}
