import CapsuleCore

/// `capsule item totals`.
enum ItemTotalsCommand {
  static let command = Command(
    "item", "totals", summary: "Add up what the items are worth",
    discussion: """
      By category and currency, then by currency alone. Sums are exact; currencies are never mixed. \
      The value of one piece counts as often as there are pieces.
      """,
    options: [ItemListCommand.plain], outputs: .json,
    examples: [Example("capsule item totals", "See what all of it is worth")],
    exitCodes: [.partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var totals = ItemTotals()
    var isPartial = false
    if let store = try session.existingStore() {
      var listing = ItemListing(session, store)
      for view in listing.rows(sortedBy: .added, reversed: true, limit: .max)
      where view.problem == .none {
        totals.add(view.summary)
      }
      isPartial = listing.warn()
    }
    return try session.render(
      ending: isPartial ? .partial : .ok, json: .object(members(totals)),
      text: { out in
        var table = Table([
          .init("CATEGORY", flexible: true), .init("ITEMS", .trailing),
          .init("VALUE", .trailing), .init("REPLACEMENT", .trailing),
        ])
        for row in totals.byCategory {
          table.row(
            StyledText(row.category.isEmpty ? "(none)" : row.category),
            StyledText(String(row.items)), StyledText(row.value.description),
            StyledText(row.replacement.description))
        }
        for row in totals.all {
          table.row(
            StyledText("Total", .bold), StyledText(String(row.items)),
            StyledText(row.value.description, .bold),
            StyledText(row.replacement.description, .bold))
        }
        out.table(table, plain: invocation[ItemListCommand.plain])
        if totals.withoutValue > 0, !session.isQuiet {
          session.console.note("\(totals.withoutValue) of \(totals.items) items without a value.")
        }
      })
  }

  private static func members(_ totals: ItemTotals) -> JSONObject {
    func members(_ row: ItemTotals.Row) -> JSONObject {
      [
        "currency": .string(row.value.currency.code), "items": .integer(row.items),
        "value": .string(row.value.amount), "replacementValue": .string(row.replacement.amount),
      ]
    }
    return [
      "categories": .array(
        totals.byCategory.map { row in
          var object = members(row)
          object["category"] = row.category.isEmpty ? .null : .string(row.category)
          return .object(object)
        }),
      "totals": .array(totals.all.map { .object(members($0)) }),
      "items": .integer(totals.items), "itemsWithoutValue": .integer(totals.withoutValue),
    ]
  }
}

/// `capsule item categories`.
enum ItemCategoriesCommand {
  static let command = Command(
    "item", "categories", summary: "List the categories that are in use",
    outputs: [.json, .ndjson],
    examples: [Example("capsule item categories", "See the categories")],
    exitCodes: [.partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var counts: [NameKey: Int64] = [:]
    var names = CategoryNames()
    var isPartial = false
    if let store = try session.existingStore() {
      var listing = ItemListing(session, store)
      for view in listing.rows(sortedBy: .added, reversed: true, limit: .max)
      where !view.summary.category.isEmpty {
        names.add(view.summary)
        counts[NameKey(view.summary.category), default: 0] += 1
      }
      isPartial = listing.warn()
    }
    let rows = counts.sorted { $0.key.text < $1.key.text }.map {
      (name: names[$0.key], count: $0.value)
    }
    return try session.render(
      ending: isPartial ? .partial : .ok, list: rows,
      json: { ["category": .string($0.name), "items": .integer($0.count)] },
      text: { out in
        var table = Table([.init("CATEGORY", flexible: true), .init("ITEMS", .trailing)])
        for row in rows { table.row(StyledText(row.name), StyledText(String(row.count))) }
        out.table(table)
      })
  }
}
