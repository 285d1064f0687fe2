import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Items: added, edited, listed, added up, with a history.
@Suite struct ItemTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/Paris") }

  private func item(_ name: String) throws -> JSON { try home.json("item", "show", name) }

  private func names(_ words: [String]) throws -> [String] {
    let list = try home.run(["item", "list", "--json"] + words).json().array
    return try require(list).compactMap { $0["name"]?.string }
  }

  private func names(_ words: String...) throws -> [String] { try names(words) }

  // MARK: Names

  @Test func `every option of add is kept`() throws {
    try home.done(
      "item", "add", "Gold ring", "--description", "From the café\nWorn on Sundays", "--category",
      "Jewellery", "--value", "EUR 1200", "--replacement-value", "1500.5 eur", "--quantity", "2",
      "--location", "Safe", "--tag", "gold", "--tag", "family", "--tag", "gold")
    let shown = try item("GOLD RING")
    expect(shown["description"], is: "From the café\nWorn on Sundays")
    expect(shown["category"] == "Jewellery" && shown["location"] == "Safe")
    expect(shown["value"], is: .object(["amount": "1200.00", "currency": "EUR"]))
    expect(shown["replacementValue"], is: .object(["amount": "1500.50", "currency": "EUR"]))
    expect(shown["quantity"], is: 2)
    expect(shown["tags"], is: .array(["gold", "family"]))
  }

  @Test(arguments: [
    ("Gold ring", ["gold RING"]), ("Caf\u{e9} mug", ["CAF\u{c9} MUG", "cafe\u{301} mug"]),
    ("Straße", ["STRASSE", "strasse", "STRA\u{1e9e}E"]),
    ("ΜΟΥΣΕΙΟΣ", ["μουσειος", "Μουσειοσ"]), ("Ωmega", ["ωMEGA", "\u{2126}mega"]),
  ])
  func `a name is found and refused in any spelling of it`(first: String, others: [String]) throws {
    try home.done("item", "add", "Another")
    try home.done("item", "add", first)
    for other in others {
      let message = try home.refusal(.refused, "item", "add", other)
      expect(message.contains("another item is called '\(first)'"), "\(other)")
      try home.refusal(.refused, "item", "edit", "Another", "--name", other)
      try expect(item(other)["name"], is: .string(first))
    }
  }

  @Test func `an item takes another spelling of its own name`() throws {
    try home.done("item", "add", "Straße")
    try home.done("item", "edit", "straße", "--name", "STRASSE")
    try expect(names(), is: ["STRASSE"])
  }

  @Test func `what is deleted does not come back beside one of its name`() throws {
    try home.done("item", "add", "Straße")
    try home.done("item", "delete", "strasse", "--yes")
    try home.done("item", "add", "Strasse")
    try expect(home.run("restore", "Straße").code, is: .refused)
  }

  @Test func `of two processes that add one name, one is refused`() throws {
    try ProgramStore().walk(
      """
      $capsule item add First -q
      for number in 1 2 3 4 5 6; do
        $capsule item add "Race $number" -q > one 2>/dev/null & first=$!
        $capsule item add "RACE $number" -q > two 2>/dev/null & second=$!
        count=0
        wait $first && count=$((count + 1)) || true
        wait $second && count=$((count + 1)) || true
        test $count -eq 1
      done
      test "$($capsule item list --search race --plain | wc -l)" -eq 6
      """)
  }

  // MARK: Lists

  /// Four items in three categories and four currencies, two of them with a history.
  private func addFour() throws {
    for (name, words) in [
      ("Beta", ["--category", "Home", "--value", "EUR 20", "--description", "L'été à Łódź"]),
      ("alpha", ["--category", "animals", "--value", "USD 7.5", "--quantity", "3"]),
      ("Gamma", ["--value", "EUR 100", "--replacement-value", "JPY 900"]),
      ("delta", ["--category", "home", "--value", "KWD 1.234", "--quantity", "1000"]),
    ] {
      try expect(home.run(["item", "add", name] + words).code, is: .ok)
      try home.pass(seconds: 1)
    }
    try home.done("item", "log", "Gamma", "--when", "2020-01-01")
    try home.done("item", "log", "alpha", "--when", "2021-01-01")
  }

  @Test(arguments: [
    ("name", ["alpha", "Beta", "delta", "Gamma"]), ("value", ["Gamma", "Beta", "delta", "alpha"]),
    ("category", ["alpha", "Beta", "delta", "Gamma"]),
    ("since", ["Gamma", "alpha", "Beta", "delta"]), ("added", ["delta", "Gamma", "alpha", "Beta"]),
  ])
  func `the list is sorted by all it can be`(order: String, expected: [String]) throws {
    try addFour()
    try expect(names("--sort", order), is: expected)
    try expect(names("--sort", order, "--reverse"), is: expected.reversed())
    try expect(names("--sort", order, "--limit", "2"), is: Array(expected.prefix(2)))
    if order == "added" { try expect(names(), is: expected) }
  }

  @Test(arguments: [
    (["--search", "ete A lodz"], ["Beta"]), (["--search", "ÁLPHA"], ["alpha"]),
    (["--category", "HOME", "--sort", "name"], ["Beta", "delta"]),
  ])
  func `the list is searched whatever the case and the accents`(
    words: [String], expected: [String]
  ) throws {
    try addFour()
    try expect(names(words), is: expected)
  }

  @Test func `a name and a description are both searched`() throws {
    try home.done("item", "add", "Gold ring", "--description", "From a café")
    try home.done("item", "add", "Caf\u{e9} mug")
    try expect(names("--search", "CAFE").count, is: 2)
  }

  @Test func `a list that holds nothing is silent`() throws {
    try addFour()
    let nothing = try home.run("item", "list", "--search", "x", "--exit-code")
    expect(nothing.code == .none && nothing.err.isEmpty)
    expect(try home.run("item", "list", "--tag", "x").err.isEmpty)
  }

  @Test func `totals are by category and by currency`() throws {
    try addFour()
    let totals = try home.json("item", "totals")
    let rows = try require(totals["categories"]?.array)
    // One spelling, that of the first by time and id, for all of a category.
    let told = rows.map { row in
      ["category", "currency", "items", "value", "replacementValue"].map { row[$0] ?? .null }
    }
    expect(
      told,
      is: [
        ["animals", "USD", 1, "22.50", "0.00"], ["Home", "EUR", 1, "20.00", "0.00"],
        ["Home", "KWD", 1, "1234.000", "0.000"], [.null, "EUR", 1, "100.00", "0.00"],
        [.null, "JPY", 1, "0", "900"],
      ])
    expect(totals["totals"]?.array?.map { $0["value"] }, is: ["120.00", "0", "1234.000", "22.50"])
  }

  @Test func `totals as text have a line a category and a total`() throws {
    try home.done(
      "item", "add", "Gold ring", "--category", "Gems", "--value", "EUR 1200", "--quantity", "2",
      "--replacement-value", "EUR 1500.50")
    try home.done("item", "add", "Mug", "--value", "usd 5.5", "--category", "Kitchen")
    let totals = try home.done("item", "totals")
    expect(totals.contains("Gems\t1\tEUR 2400.00\tEUR 3001.00"), "\(totals)")
    expect(totals.contains("Total\t1\tUSD 5.50\t\n"), "\(totals)")
  }

  @Test func `categories are counted, and completed`() throws {
    try addFour()
    try expect(home.done("item", "categories"), is: "animals\t1\nHome\t2\n")
    let completed = try home.done("__complete", "--", "item", "list", "--category", "")
    expect(completed.contains("\nHome\t") && completed.contains("animals"))
  }

  // MARK: Editing

  @Test func `editing shows each field as it was and as it is`() throws {
    try home.done("item", "add", "Vase")
    let out = try home.done(
      "item", "edit", "vase", "--name", "Urn", "--description", "one\ntwo", "--category", "Clay",
      "--value", "EUR 3", "--replacement-value", "EUR 4", "--quantity", "2", "--location", "Attic",
      "--tag", "old")
    for line in [
      "name  Vase → Urn", "description  none → one; two", "category  none → Clay",
      "value  none → EUR 3.00", "replacement value  none → EUR 4.00", "quantity  1 → 2",
      "location  none → Attic", "tags  none → old",
    ] {
      expect(out.contains("  \(line)\n"), "\(line)")
    }
    expect(
      try home.done("item", "edit", "Urn", "--description", "one\nthree").contains(
        "  description  two → three\n"))
  }

  @Test func `a field that has a value is changed, and taken away`() throws {
    try home.done(
      "item", "add", "Gold ring", "--category", "Gems", "--value", "EUR 1200", "--quantity", "2",
      "--replacement-value", "EUR 1500.50", "--location", "Safe", "--tag", "gold", "--description",
      "From a café")
    let out = try home.done(
      "item", "edit", "gold ring", "--name", "Ring", "--description", "New", "--category", "Old",
      "--value", "EUR 3", "--replacement-value", "", "--quantity", "1", "--location", "Bank",
      "--tag", "new", "--untag", "GOLD")
    for line in [
      "name  Gold ring → Ring", "description  From a café → New", "category  Gems → Old",
      "value  EUR 1200.00 → EUR 3.00", "replacement value  EUR 1500.50 → none",
      "quantity  2 → 1", "location  Safe → Bank", "tags  gold → new",
    ] {
      expect(out.contains("  \(line)\n"), "\(line)")
    }
    let list = try home.done("item", "list", "--sort", "value", "--plain")
    let columns = list.split(separator: "\t", omittingEmptySubsequences: false)
    expect(columns[1] == "Ring" && columns[3] == "EUR 3.00")
  }

  @Test func `changes in JSON have the field, from what and to what`() throws {
    try home.done("item", "add", "Urn", "--value", "EUR 3", "--tag", "old")
    let changes = try home.json("item", "edit", "Urn", "--value", "none", "--untag", "old")
    expect(
      changes["changes"],
      is: .array([
        .object(["field": "value", "from": "EUR 3.00", "to": ""]),
        .object(["field": "tags", "from": "old", "to": ""]),
      ]))
  }

  @Test func `where nothing changed nothing is written, and without a field it is refused`() throws
  {
    try home.done("item", "add", "Urn", "--location", "Attic")
    let revision = try item("Urn")["revision"]
    let same = try home.run("item", "edit", "Urn", "--location", "Attic")
    expect(same.out.isEmpty && same.err == "Nothing changed.\n")
    try expect(item("Urn")["revision"], is: revision)
    try home.refusal(.usage, "item", "edit", "Urn")
  }

  // MARK: Amounts

  @Test(arguments: [
    ("EUR 1200", "1200.00"), ("1200 EUR", "1200.00"), ("0.01 usd", "0.01"), ("JPY 5", "5"),
    ("KWD 1.001", "1.001"), ("EUR 92233720368547758.07", "92233720368547758.07"),
  ])
  func `an amount is kept exactly`(text: String, amount: String) throws {
    let item = try home.json("item", "add", text, "--value", text)
    expect(item["value"]?["amount"], is: .string(amount))
  }

  @Test(arguments: [
    ("EUR 1,200.50", "nothing between the thousands"), ("EUR 1.200,50", "a point stands before"),
    ("EUR1200", "'EUR 1200'"), ("1200", "'EUR 1200'"), ("EUR 1 200", "'EUR 1200'"),
    ("€ 12", "no currency of ISO 4217"), ("JPY 1.5", "0 digits behind the point"),
    ("EUR 0.001", "2 digits behind the point"), ("EUR 1.005", "2 digits behind the point"),
    ("EUR -1", "0 or more"), ("EUR 92233720368547758.08", "more than can be kept"),
    ("EUR 999999999999999999999999999999999999999999", "more than can be kept"),
  ])
  func `an amount in another form is refused with the form`(text: String, told: String) throws {
    let message = try home.refusal(.usage, "item", "add", "Bad", "--value", text)
    expect(message.contains(told), "\(message)")
    try expect(names(), is: [])
  }

  @Test func `the most that can be kept is added up exactly`() throws {
    for text in ["EUR 1200", "1200 EUR", "EUR 92233720368547758.07"] {
      try home.done("item", "add", text, "--value", text)
    }
    let most = "EUR 92233720368547758.07"
    try home.done("item", "add", "Many", "--quantity", "1000000000", "--value", most)
    let all = try require(try home.json("item", "totals")["totals"]?.array)
    let totals = all.first { $0["currency"] == "EUR" }
    // A thousand million and one times the largest, and twice 1200, by Python's decimal.
    expect(totals?["value"], is: "92233720460781478438550158.07")
    expect(totals?["items"], is: 4)
  }

  // MARK: A history

  private func addFilter() throws {
    try home.done("item", "add", "Filter")
    try home.done(
      "item", "log", "Filter", "--when", "2020-03-01 10:00", "--value", "1.50", "--notes",
      "a, \"b\"")
    try home.done("item", "log", "Filter", "--when", "2020-01-01 10:00", "--value", "-2")
  }

  @Test func `a history is in order of time, and exact in CSV`() throws {
    try addFilter()
    let csv = try home.done("item", "history", "Filter", "--csv")
    expect(csv.contains("1,2020-01-01T09:00:00Z,2020-01-01T10:00:00+01:00,-2,,\r\n"))
    expect(
      csv.contains(
        "2,2020-03-01T09:00:00Z,2020-03-01T10:00:00+01:00,1.50,5184000,\"a, \"\"b\"\"\"\r\n"))
    for plot in ["values", "intervals"] {
      try home.done("item", "history", "Filter", "--plot", plot)
    }
  }

  @Test func `what is yet to come is not logged`() throws {
    try addFilter()
    try expect(home.run("item", "log", "Filter", "--when", "tomorrow").code, is: .usage)
    try expect(home.json("item", "history", "Filter").array?.count, is: 2)
  }

  @Test func `the time since is said in units or in tenths`() throws {
    try addFilter()
    let units = try home.done("since", "--at", "2020-03-03 10:00", "--style", "subUnits")
    expect(units.hasPrefix("Filter\t2 d\t"))
    let tenths = try home.done(
      "since", "--at", "2020-03-02 22:00", "--style", "tenths", "--details")
    let columns = tenths.split(separator: "\t", omittingEmptySubsequences: false)
    expect(columns[0] == "Filter" && columns[1] == "1.5 days" && columns[4] == "2")
  }

  @Test func `history and reminder go and come back with their item`() throws {
    try addFilter()
    try home.done(
      "item", "remind", "Filter", "--every", "3 months", "--time", "09:00", "--name", "Change")
    try home.done("item", "delete", "Filter", "--yes", "-q")
    try expect(home.json("since"), is: [])
    try home.done("restore", "Filter")
    try expect(home.json("item", "history", "Filter").array?.count, is: 2)
    expect(try home.done("item", "show", "Filter").contains("Change, every 3 months at 09:00"))
  }

  @Test func `show has the media, the last five entries, the reminder and who receives it`() throws
  {
    try home.done("item", "add", "Filter", "--notes", "Bought in May")
    for day in 1...7 {
      try home.done("item", "log", "Filter", "--when", "2020-03-0\(day)", "--value", "\(day)")
    }
    try home.done("item", "remind", "Filter", "--every", "3 months")
    let paper = try home.write("A manual.", as: "manual.txt")
    try home.done("item", "attach", "Filter", paper, "--title", "How to")
    try home.done("beneficiary", "add", "Mia")
    try home.done("bequeath", "Filter", "--to", "Mia")
    let id = try require(try item("Filter")["id"]?.string)
    let lines = try home.run("item", "show", "Filter").lines
    let media = try require(lines.firstIndex(of: "Media"))
    expect(lines[media + 1].hasPrefix("1\tmanual.txt\tHow to\ttext/plain\t"))
    let entries = try require(lines.firstIndex(of: "Last entries"))
    let numbers = lines[(entries + 1)...(entries + 5)].map { $0.prefix(1) }
    expect(numbers, is: ["3", "4", "5", "6", "7"])
    expect(lines[entries + 6], is: "2 more: capsule item history \(id)")
    expect(lines.contains { $0.hasPrefix("Reminder") && $0.contains("every 3 months") })
    let left = try require(lines.firstIndex(of: "Left to"))
    expect(lines[left + 1].contains("Mia"))
    expect(lines.contains("Bought in May"))
  }

  @Test func `notes are kept, changed, found, and taken away`() throws {
    try home.done("item", "add", "Ring", "--notes", "Appraised by Löwe")
    try expect(item("Ring")["notes"], is: "Appraised by Löwe")
    try expect(names("--search", "lowe"), is: ["Ring"])
    let changed = try home.done("item", "edit", "Ring", "--notes", "x")
    expect(changed.contains("notes  Appraised by Löwe → x"))
    try home.done("item", "edit", "Ring", "--notes", "")
    try expect(home.json("item", "list").array?.first?["notes"], is: .null)
  }

  @Test func `an entry is corrected, and what is not named of it stays`() throws {
    try addFilter()
    let told = try home.done("item", "log", "Filter", "--replace", "1", "--value", "2.5")
    expect(told.contains("Corrected entry 1 of 'Filter'") && told.contains("value"))
    var rows = try require(try home.json("item", "history", "Filter").array)
    expect(rows.count, is: 2)
    expect(try home.done("item", "history", "Filter", "--csv").contains(",2.5,"))
    let at = rows[0]["at"]
    try home.done("item", "log", "Filter", "--replace", "1", "--value", "", "--notes", "n")
    rows = try require(try home.json("item", "history", "Filter").array)
    expect(rows[0]["value"] == .null && rows[0]["notes"] == "n" && rows[0]["at"] == at)
  }

  @Test func `a corrected time puts the entry where it belongs`() throws {
    try addFilter()
    try home.done("item", "log", "Filter", "--replace", "2", "--when", "2019-01-01 10:00")
    let rows = try require(try home.json("item", "history", "Filter").array)
    expect(rows.count == 2 && rows[0]["at"] == "2019-01-01T09:00:00Z")
  }

  @Test(arguments: [["0"], ["3", "--value", "1"], ["1"], ["x", "--notes", "n"]])
  func `there is nothing to correct where no entry or no change is named`(words: [String]) throws {
    try addFilter()
    let run = try home.run(["item", "log", "Filter", "--replace"] + words)
    expect(run.code == (words == ["3", "--value", "1"] ? .notFound : .usage))
    try expect(home.json("item", "history", "Filter").array?.count, is: 2)
  }

  @Test func `a question names what is destroyed`() throws {
    try addFilter()
    for name in ["A", "B"] { try home.done("item", "add", name) }
    func question(_ words: String...) throws -> String {
      home.answers = ["n"]
      return try require(try home.run(words).questions.first)
    }
    expect(try question("item", "unlog", "Filter").contains("entry 2 of 'Filter'"))
    expect(try question("item", "delete", "A", "B").contains("the item 'A' and the item 'B'"))
    try home.done("item", "delete", "A", "B", "--yes")
    expect(try question("purge").contains("'A'") && question("purge").contains("'B'"))
  }

  @Test func `the trash is listed, by a word of its own too`() throws {
    try home.done("item", "add", "A")
    try home.done("item", "delete", "A", "--yes")
    try expect(home.strings("title", "trash"), is: ["A"])
    try expect(home.done("trash"), is: home.done("restore"))
  }

  @Test func `an entry is taken out of a history by its number`() throws {
    try addFilter()
    try home.done("item", "unlog", "Filter", "1", "--yes")
    let rows = try require(try home.json("item", "history", "Filter").array)
    expect(rows.map { $0["at"] }, is: ["2020-03-01T09:00:00Z"])
  }
}
