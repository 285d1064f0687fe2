import CapsuleCore
import Testing

/// A walk through items with the real program, each step a run of its own.
@Suite struct ItemWalkTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  @discardableResult
  private func done(
    _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let result = try home.run(words)
    try #require(
      result.end == .exited(0), "\(words): \(result.err)", sourceLocation: sourceLocation)
    return result.out
  }

  private func json(
    _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> JSON {
    let result = try home.run(words + ["--json"])
    try #require(
      result.end == .exited(0), "\(words): \(result.err)", sourceLocation: sourceLocation)
    return try result.json()
  }

  private func refusal(_ words: String...) throws -> (end: ProgramRun.End, err: String) {
    let result = try home.run(words)
    #expect(result.output.isEmpty, "\(words)")
    return (result.end, result.err)
  }

  private func names(_ words: String...) throws -> [String] {
    let list = try home.run(words + ["--json"]).json().array
    return try #require(list).compactMap { $0["name"]?.string }
  }

  @Test func `every option of add is kept, and a name is refused in any spelling of it`() throws {
    try done(
      "item", "add", "Gold ring", "--description", "From the café\nWorn on Sundays", "--category",
      "Jewellery", "--value", "EUR 1200", "--replacement-value", "1500.5 eur", "--quantity", "2",
      "--location", "Safe", "--tag", "gold", "--tag", "family", "--tag", "gold")
    let shown = try json("item", "show", "GOLD RING")
    #expect(shown["description"] == "From the café\nWorn on Sundays")
    #expect(shown["category"] == "Jewellery" && shown["location"] == "Safe")
    #expect(shown["value"] == .object(["amount": "1200.00", "currency": "EUR"]))
    #expect(shown["replacementValue"] == .object(["amount": "1500.50", "currency": "EUR"]))
    #expect(shown["quantity"] == 2)
    #expect(shown["tags"] == .array(["gold", "family"]))
    for (first, others) in [
      ("Caf\u{e9} mug", ["CAF\u{c9} MUG", "cafe\u{301} mug"]),
      ("Straße", ["STRASSE", "strasse", "STRA\u{1e9e}E"]),
      ("ΜΟΥΣΕΙΟΣ", ["μουσειος", "Μουσειοσ"]), ("Ωmega", ["ωMEGA", "\u{2126}mega"]),
    ] {
      try done("item", "add", first)
      for other in others {
        let (end, err) = try refusal("item", "add", other)
        #expect(end == .exited(12) && err.contains("another item is called '\(first)'"), "\(other)")
        #expect(try refusal("item", "edit", "Gold ring", "--name", other).end == .exited(12))
        #expect(try json("item", "show", other)["name"] == .string(first))
      }
    }
    try done("item", "edit", "straße", "--name", "STRASSE")
    #expect(try names("item", "list").contains("STRASSE"))
    try done("item", "delete", "strasse", "--yes")
    try done("item", "add", "Strasse")
    #expect(try home.run("restore", "STRASSE").end == .exited(12))
  }

  @Test func `the list is sorted by all it can be, searched, and added up`() throws {
    for (name, words) in [
      ("Beta", ["--category", "Home", "--value", "EUR 20", "--description", "L'été à Łódź"]),
      ("alpha", ["--category", "animals", "--value", "USD 7.5", "--quantity", "3"]),
      ("Gamma", ["--value", "EUR 100", "--replacement-value", "JPY 900"]),
      ("delta", ["--category", "home", "--value", "KWD 1.234", "--quantity", "1000"]),
    ] {
      #expect(try home.run(["item", "add", name] + words).end == .exited(0))
    }
    try done("item", "log", "Gamma", "--when", "2020-01-01")
    try done("item", "log", "alpha", "--when", "2021-01-01")
    for (order, expected) in [
      ("name", ["alpha", "Beta", "delta", "Gamma"]),
      ("value", ["Gamma", "Beta", "delta", "alpha"]),
      ("category", ["alpha", "Beta", "delta", "Gamma"]),
      ("since", ["Gamma", "alpha", "Beta", "delta"]),
    ] {
      #expect(try names("item", "list", "--sort", order) == expected, "\(order)")
      let reversed = try names("item", "list", "--sort", order, "--reverse")
      #expect(reversed == expected.reversed(), "\(order)")
      #expect(
        try names("item", "list", "--sort", order, "--limit", "2") == Array(expected.prefix(2)))
    }
    let added = try json("item", "list").array?.compactMap { $0["createdAt"]?.string }
    #expect(added?.count == 4 && added == added?.sorted(by: >))

    #expect(try names("item", "list", "--search", "ete A lodz") == ["Beta"])
    #expect(try names("item", "list", "--search", "ÁLPHA") == ["alpha"])
    #expect(try names("item", "list", "--category", "HOME", "--sort", "name") == ["Beta", "delta"])
    let nothing = try home.run("item", "list", "--search", "x", "--exit-code")
    #expect(nothing.end == .exited(1) && nothing.err.isEmpty)
    #expect(try home.run("item", "list", "--tag", "x").err.isEmpty)

    let totals = try json("item", "totals")
    let rows = try #require(totals["categories"]?.array)
    // One spelling, that of the first by time and id, for all of a category.
    let spelling = try #require(rows[1]["category"])
    let told = rows.map { row in
      ["category", "currency", "items", "value", "replacementValue"].map { row[$0] ?? .null }
    }
    #expect(
      told == [
        ["animals", "USD", 1, "22.50", "0.00"], [spelling, "EUR", 1, "20.00", "0.00"],
        [spelling, "KWD", 1, "1234.000", "0.000"], [.null, "EUR", 1, "100.00", "0.00"],
        [.null, "JPY", 1, "0", "900"],
      ])
    #expect(totals["totals"]?.array?.map { $0["value"] } == ["120.00", "0", "1234.000", "22.50"])
    let categories = try done("item", "categories")
    #expect(categories.lowercased() == "animals\t1\nhome\t2\n")
    #expect(categories.contains(spelling.string ?? "nothing"))
    let completed = try home.shell("$capsule __complete -- item list --category ''")
    #expect(completed.out.lowercased().contains("\nhome\t") && completed.out.contains("animals"))
  }

  @Test func `editing shows each field as it was and as it is, and nothing where nothing changed`()
    throws
  {
    try done("item", "add", "Vase")
    let out = try done(
      "item", "edit", "vase", "--name", "Urn", "--description", "one\ntwo", "--category", "Clay",
      "--value", "EUR 3", "--replacement-value", "EUR 4", "--quantity", "2", "--location", "Attic",
      "--tag", "old")
    for line in [
      "name  Vase → Urn", "description  none → one", "category  none → Clay",
      "value  none → EUR 3.00", "replacementValue  none → EUR 4.00", "quantity  1 → 2",
      "location  none → Attic", "tags  none → old",
    ] {
      #expect(out.contains("  \(line)\n"), "\(line)")
    }
    #expect(
      try done("item", "edit", "Urn", "--description", "one\nthree").contains(
        "  description  two → three\n"))
    let changes = try json("item", "edit", "Urn", "--value", "none", "--untag", "old")["changes"]
    #expect(
      changes
        == .array([
          .object(["field": "value", "from": "EUR 3.00", "to": ""]),
          .object(["field": "tags", "from": "old", "to": ""]),
        ]))
    let revision = try json("item", "show", "Urn")["revision"]
    let same = try home.run("item", "edit", "Urn", "--location", "Attic")
    #expect(same.out.isEmpty && same.err == "Nothing changed.\n")
    #expect(try json("item", "show", "Urn")["revision"] == revision)
    #expect(try refusal("item", "edit", "Urn").end == .exited(2))
  }

  @Test func `an amount is accepted in one form only, and exact`() throws {
    for (text, amount) in [
      ("EUR 1200", "1200.00"), ("1200 EUR", "1200.00"), ("0.01 usd", "0.01"), ("JPY 5", "5"),
      ("KWD 1.001", "1.001"), ("EUR 92233720368547758.07", "92233720368547758.07"),
    ] {
      let item = try json("item", "add", text, "--value", text)
      #expect(item["value"]?["amount"] == .string(amount))
    }
    for (text, told) in [
      ("EUR 1,200.50", "nothing between the thousands"), ("EUR 1.200,50", "a point stands before"),
      ("EUR1200", "'EUR 1200'"), ("1200", "'EUR 1200'"), ("EUR 1 200", "'EUR 1200'"),
      ("€ 12", "no currency of ISO 4217"), ("JPY 1.5", "0 digits behind the point"),
      ("EUR 0.001", "2 digits behind the point"), ("EUR -1", "0 or more"),
      ("EUR 92233720368547758.08", "more than can be kept"),
      ("EUR 999999999999999999999999999999999999999999", "more than can be kept"),
    ] {
      let (end, err) = try refusal("item", "add", "Bad", "--value", text)
      #expect(end == .exited(2) && err.contains(told), "\(text): \(err)")
    }
    let pair = "EUR 92233720368547758.07"
    try done("item", "add", "Many", "--quantity", "1000000000", "--value", pair)
    let totals = try json("item", "totals")["totals"]?.array?.first { $0["currency"] == "EUR" }
    // A thousand million and one times the largest, and twice 1200, by Python's decimal.
    #expect(totals?["value"] == "92233720460781478438550158.07")
    #expect(totals?["items"] == 4)
  }
}
