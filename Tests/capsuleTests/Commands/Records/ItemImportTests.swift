import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `item import` and `item export csv`.
@Suite struct ItemImportTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  private func table(_ lines: String..., as name: String = "t.csv") throws -> String {
    try home.write(lines.joined(separator: "\r\n") + "\r\n", as: name)
  }

  private func item(_ name: String) throws -> JSON { try home.json("item", "show", name) }

  private func names() throws -> [String] {
    try home.json("item", "list", "--sort", "name").array.map { list in
      list.compactMap { $0["name"]?.string }
    } ?? []
  }

  private func id(_ name: String) throws -> String {
    try require(try item(name)["id"]?.string)
  }

  private static func sample(_ name: String) -> String {
    BuiltProgram.packageRoot + "Fuzz/corpus/table/" + name
  }

  // MARK: Columns

  @Test func `a table's columns are taken by their names`() throws {
    try home.done(
      "item", "import",
      try table(
        "Name,VALUE,replacement value,Quantity,location,tags,category,description,notes",
        "Gold ring,EUR 1200.50,JPY 5000,2,Safe,gift; old,Jewels,\"with a \"\"stone\"\"\nred\",n"))
    let item = try item("Gold ring")
    expect(item["value"]?["amount"] == "1200.50" && item["quantity"] == 2)
    expect(item["tags"] == ["gift", "old"] && item["location"] == "Safe")
    expect(item["description"], is: "with a \"stone\"\nred")
  }

  @Test func `a column of another name is mapped, and what is left out is named once`() throws {
    let file = try table("Bezeichnung;Kaufpreis;Farbe;Form;Leer", "Uhr;1200,50;rot;rund;")
    let run = try home.run(
      "item", "import", file, "--map", "Bezeichnung=name", "--map", "Kaufpreis=value",
      "--currency", "EUR")
    expect(run.exitCode == 0 && run.err.contains("columns are left out: 'Farbe', 'Form'\n"))
    try expect(item("Uhr")["value"]?["amount"], is: "1200.50")
  }

  @Test(arguments: [
    (["--map", "name=nam"], "takes no column for a field"),
    (["--map", "=name"], "there is no column ''"), (["--map", "name"], "takes no column"),
    (["--map", "a=name", "--map", "A=value"], "takes the column 'A' twice"),
    (["--map", "Titel=name"], "there is no column 'Titel'"),
    (["--map", "location=name"], "'name' and 'location' are both 'name'"),
    (["--currency", "XXY"], "no currency of ISO 4217"),
  ])
  func `a wrong mapping is refused`(words: [String], message: String) throws {
    let run = try home.run(["item", "import", try table("name,location", "a,b")] + words)
    expect([2, 12].contains(run.exitCode) && run.err.contains(message), "\(run.err)")
  }

  @Test func `Homebox's columns are taken, what has no place stands in the notes`() throws {
    try home.done("item", "import", Self.sample("homebox.csv"), "--currency", "EUR")
    let item = try item("Mixer")
    expect(item["location"] == "Home / Kitchen" && item["tags"] == ["tools", "kitchen"])
    expect(item["value"]?["amount"], is: "49.90")
    expect(
      item["notes"],
      is: """
        loud
        Asset id: 000-001
        Insured: true
        Purchase from: Shop
        Purchase time: 2024-05-01
        Manufacturer: Maker
        Model number: M5
        Serial number: 12-34
        Colour: red
        """)
    try expect(self.item("Ladder")["value"], is: .null)
    try expect(self.item("Ladder")["notes"], is: .null)
  }

  @Test func `a table of a spreadsheet in Latin-1 is read, and that is said`() throws {
    let run = try home.run(
      "item", "import", Self.sample("spreadsheet.csv"), "--map", "Bezeichnung=name", "--map",
      "Kaufpreis=value", "--map", "Ort=location", "--map", "Schlagwörter=tags")
    expect(run.exitCode == 0 && run.err.contains("read as Latin-1"), "\(run.err)")
    try expect(item("Ring \"Mia\"")["location"], is: "Bank\nFach 3")
    try expect(item("Uhr")["value"]?["amount"], is: "1200.50")
  }

  // MARK: Which item

  @Test func `a line changes the item of its id, then that of its name`() throws {
    try home.done("item", "add", "Ring", "--value", "EUR 5", "--location", "Safe")
    let run = try home.run(
      "item", "import", try table("id,name,value", "\(try id("Ring")),Gold ring,EUR 6", ",Vase,"))
    expect(run.out.contains("Updated 'Gold ring'") && run.out.contains("name  Ring → Gold ring"))
    try expect(item("Gold ring")["location"], is: "Safe")
    try home.done("item", "import", try table("name,location", "gold RING,Bank"))
    try expect(item("gold ring")["location"], is: "Bank")
    try expect(names().count, is: 2)
  }

  @Test func `items change names with one another in one table`() throws {
    for name in ["One", "Two", "Three"] { try home.done("item", "add", name) }
    let ids = try ["One", "Two", "Three"].map(id)
    try home.done(
      "item", "import",
      try table("id,name", "\(ids[0]),Two", "\(ids[1]),Three", "\(ids[2]),One"))
    try expect(["Two", "Three", "One"].map(id), is: ids)
  }

  @Test func `a name is not free where the line of its item is wrong`() throws {
    for name in ["One", "Two", "Three"] { try home.done("item", "add", name) }
    let ids = try ["One", "Two", "Three"].map(id)
    let file = try table(
      "id,name,quantity", "\(ids[0]),Two,1", "\(ids[1]),Three,1", "\(ids[2]),Four,0")
    let run = try home.run("item", "import", "--skip-bad", file)
    expect(run.err.contains("t.csv:2: 'Two': another item has the name 'Two'"), "\(run.err)")
    expect(run.err.contains("t.csv:3: 'Three': another item has the name 'Three'"))
    try expect(["One", "Two", "Three"].map(id), is: ids)
  }

  @Test func `an empty cell takes away what the item has, a missing column leaves it`() throws {
    try home.done("item", "add", "Ring", "--value", "EUR 5", "--location", "Safe", "--tag", "a")
    try home.done("item", "import", try table("name,value,tags", "Ring,,"))
    let item = try item("Ring")
    expect(item["value"] == .null && item["tags"] == [] && item["location"] == "Safe")
  }

  @Test func `importing twice changes nothing`() throws {
    try home.write("photo", as: "ring.txt")
    let file = try table("name,value,files", "Ring,EUR 5,ring.txt", "Vase,,")
    try home.done("item", "import", file)
    let before = try home.json("item", "list")
    let run = try home.run("item", "import", file)
    expect(run.err.contains("0 added, 0 updated, 2 unchanged, 0 skipped."))
    try expect(home.json("item", "list"), is: before)
    try expect(home.json("item", "media", "Ring").array?.count, is: 1)
  }

  // MARK: Files

  @Test func `files are kept with their item, beside those that it has`() throws {
    try home.write("one", as: "a.txt")
    try home.write("two", as: "b; c.txt")
    try home.done("item", "add", "Ring")
    try home.done("item", "attach", "Ring", home.path + "/a.txt")
    try home.done("item", "import", try table("name,files", "Ring,a.txt;b\\; c.txt"))
    let media = try home.json("item", "media", "Ring").array ?? []
    expect(media.compactMap { $0["name"]?.string }, is: ["a.txt", "b; c.txt"])
    try expect(home.json("verify")["problems"], is: [])
  }

  /// A folder with a table's own files in it, and one beside it that holds a key.
  private func household() throws -> (table: (String) throws -> String, keys: String) {
    try home.write("inside", as: "table/photos/ring.txt")
    try home.write("AGE-SECRET-KEY-1", as: "keys/key.txt")
    let folder = home.path + "/table"
    for (name, target) in [
      ("out.txt", "../keys/key.txt"), ("out", home.path + "/keys"), ("again.txt", "out.txt"),
      ("in.txt", "photos/ring.txt"), ("in", "../table/photos"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + name, withDestinationPath: target)
    }
    return (
      { path in try self.table("name,files", "Ring,\(path)", as: "table/t.csv") },
      home.path + "/keys"
    )
  }

  @Test(arguments: [
    "../keys/key.txt", "/keys/key.txt", "out.txt", "out/key.txt", "again.txt",
    "photos/../../keys/key.txt", "in/../../keys/key.txt", "../keys/none.txt",
  ])
  func `a table takes no file from outside its folder`(path: String) throws {
    let (table, _) = try household()
    let path = path.first == "/" ? home.path + path : path
    for words in [[], ["--dry-run"]] {
      let run = try home.run(["item", "import", try table(path)] + words)
      expect(run.exitCode == 12 && run.err.contains("t.csv:2: 'Ring': "), "\(run.err)")
      expect(run.err.contains("is outside the folders that this import takes files from"))
      expect(
        run.err.contains(
          "hint: if you want the file in the store, name its folder: --files-from DIR"))
    }
    let skipped = try home.run("item", "import", try table(path), "--skip-bad")
    expect(skipped.exitCode, is: 3)
    try expect(names(), is: [])
  }

  @Test(arguments: ["photos/ring.txt", "in.txt", "in/ring.txt", "../table/photos/ring.txt"])
  func `a table takes files from its folder and below, by links too`(path: String) throws {
    let (table, _) = try household()
    try home.done("item", "import", try table(path))
    try expect(home.json("item", "media", "Ring").array?.count, is: 1)
  }

  @Test func `--files-from allows one more folder, and paths stay relative to the table's`() throws
  {
    let (table, keys) = try household()
    try home.done(
      "item", "import", try table("../keys/key.txt;photos/ring.txt"), "--files-from", keys)
    let media = try home.json("item", "media", "Ring").array ?? []
    expect(media.compactMap { $0["name"]?.string }, is: ["key.txt", "ring.txt"])
    try home.done("item", "delete", "Ring", "--yes")
    let elsewhere = keys + "/other"
    try home.write("", as: "keys/other/none")
    let run = try home.run(
      "item", "import", try table("../keys/key.txt"), "--files-from", elsewhere)
    expect(run.exitCode == 12 && run.err.contains("is outside the folders"))
    expect(
      try home.run("item", "import", try table("out.txt"), "--files-from", keys + "/key.txt")
        .err.contains("key.txt' is not a directory"))
  }

  @Test func `a table on standard input takes files only where --files-from allows it`() throws {
    let home = try ProgramStore()
    try home.write("key", as: "keys/key.txt")
    let lines = "name,files\nRing,\(home.path)/keys/key.txt\n"
    for input in ["-", "/dev/stdin"] {
      let refused = try home.refusal(.refused, "item", "import", input, input: lines)
      expect(refused.contains("is outside the folders"), "\(refused)")
    }
    try home.done("item", "import", "-", "--files-from", home.path + "/keys", input: lines)
    try expect(home.json("item", "media", "Ring").array?.count, is: 1)
  }

  /// By the program itself, which would wait without end for whoever writes into the FIFO.
  @Test func `a file that is missing, a directory, a FIFO or too large is a wrong line`() throws {
    let home = try ProgramStore()
    try home.write("12345", as: "large.bin")
    expect(mkfifo(home.path + "/fifo", 0o600), is: 0)
    try home.done("settings", "set", "maxFileSize", "4")
    let lines = ["name,files", "A,missing", "B,.", "C,fifo", "D,large.bin", "E,large.bin/x"]
    try home.write(lines.joined(separator: "\r\n") + "\r\n", as: "t.csv")
    let run = try home.run("item", "import", home.path + "/t.csv")
    expect(run.exitCode == 12 && run.err.contains("5 lines are wrong; nothing was imported"))
    for words in [
      "t.csv:2: 'A': ", "t.csv:3: 'B': ", "t.csv:4: 'C': ", "t.csv:5: 'D': ", "t.csv:6: 'E': ",
      "not a regular file", "is a directory", "the setting 'maxFileSize'",
    ] { expect(run.err.contains(words), "\(words): \(run.err)") }
    try expect(home.json("item", "list"), is: [])
  }

  // MARK: Wrong lines

  @Test func `each wrong line is told, and nothing is imported`() throws {
    try home.done("item", "add", "Vase")
    try home.done("item", "add", "Bowl")
    let file = try table(
      "id,name,value,quantity", ",Good,EUR 5,1", ",Bad,EUR 5.555,1", ",Less,5,1", ",None,,0",
      ",,EUR 5,1", ",Short", ",\"Quote\"x,,", ",good,,", "\(try id("Vase")),Bowl,,",
      "\(try id("Vase")),Other,,", ",Comma,\"1,200.00 EUR\",", ",Minus,EUR -1,", ",Sign,€ 5,",
      ",Open,\"x,")
    let run = try home.run("item", "import", file)
    expect(run.exitCode, is: Int32(ExitCode.refused.rawValue))
    for words in [
      "t.csv:3: 'Bad': value 'EUR 5.555' has more digits behind the point than the 2 of EUR",
      "t.csv:4: 'Less': value '5' has no currency", "t.csv:5: 'None': quantity '0' is no whole",
      "t.csv:6: it has no name", "t.csv:7: it has 2 fields, and the first line has 4",
      "t.csv:8: something stands behind", "t.csv:9: 'good': line 2 has the name",
      "t.csv:10: 'Bowl': another item has the name", "t.csv:11: 'Other': line 10 is of the same",
      "t.csv:12: 'Comma': value '1,200.00 EUR' is no amount", "t.csv:13: 'Minus': value",
      "t.csv:14: 'Sign': value '€ 5': '€' is no currency",
      "t.csv:15: a field in quotes has no end", "13 lines are wrong; nothing was imported",
    ] { expect(run.err.contains(words), "\(words): \(run.err)") }
    try expect(names(), is: ["Bowl", "Vase"])
    let skipping = try home.run("item", "import", "--skip-bad", file)
    expect(
      skipping.exitCode == 3 && skipping.err.contains("1 added, 0 updated, 0 unchanged, 13 sk"))
    try expect(names(), is: ["Bowl", "Good", "Vase"])
  }

  @Test(arguments: [
    ("", "there is no line in it"), ("value,location\r\n", "no column is the name"),
    ("name,NAME\r\n", "are both 'name'"), ("\"name\r\n", "a field in quotes has no end"),
  ])
  func `a table whose columns are none of items is refused`(text: String, words: String) throws {
    let run = try home.run("item", "import", try home.write(text, as: "t.csv"))
    expect(run.exitCode == Int32(ExitCode.refused.rawValue) && run.err.contains(words))
  }

  @Test func `a line without a name says whether an item has its id`() throws {
    try home.done("item", "add", "Ring")
    let file = try table("id,name,value", "\(try id("Ring")),,EUR 5", "zzz,,EUR 5", ",,EUR 5")
    let run = try home.run("item", "import", file)
    expect(run.err.contains("t.csv:2: it has no name"), "\(run.err)")
    expect(run.err.contains("t.csv:3: no item has the id 'zzz', and it has no name"))
    expect(run.err.contains("t.csv:4: it has no name"))
  }

  @Test func `a dry run shows what would change, and changes nothing`() throws {
    try home.done("item", "add", "Ring", "--value", "EUR 5")
    let before = try item("Ring")
    let run = try home.run(
      "item", "import", "--dry-run", try table("name,value", "Ring,EUR 6", "Vase,"))
    expect(run.out.contains("value  EUR 5.00 → EUR 6.00") && run.out.contains("Would add 'Vase'"))
    try expect(item("Ring"), is: before)
    try expect(names(), is: ["Ring"])
  }

  @Test func `the answer in JSON is as its schema says, for every outcome`() throws {
    try home.write("photo", as: "a.txt")
    try home.done("item", "import", try table("name", "Same", "Other"))
    let file = try table(
      "name,quantity,files", "New,2,a.txt", "Same,1,", "Other,3,", "Bad,0,", as: "u.csv")
    for more in [["--dry-run"], []] {
      let run = try home.run(["item", "import", file, "--skip-bad", "--json"] + more)
      let json = try JSON.parse(Array(run.out.utf8))
      expect(try JSONSchema("item-import").problems(of: json).isEmpty)
      expect(
        json.array?.compactMap { $0["state"]?.string },
        is: [
          "added", "unchanged", "updated", "skipped",
        ])
    }
  }

  // MARK: The way out and back

  @Test func `a table that was written changes nothing when it is read, and fills an empty store`()
    throws
  {
    for words in [
      ["=1+1", "--notes", " two\nlines, \"quoted\"; ", "--value", "JPY 5000"],
      ["Tags", "--tag", "a;b", "--tag", " c ", "--tag", #"back\slash"#, "--tag", #"\e"#],
      [
        "Plain", "--description", "d\r\ne", "--category", "c", "--location", "l", "--quantity", "3",
      ],
      ["Zoë, \u{600}|", "--replacement-value", "USD 0.05"],
    ] {
      try home.done(["item", "add"] + words)
    }
    let before = try home.json("item", "list")
    let text = try home.done("item", "export", "csv")
    expect(text.hasPrefix("id,name,description,category,quantity,value,"))
    let file = try home.write(text, as: "out.csv")
    let run = try home.run("item", "import", file)
    expect(run.err.contains("0 added, 0 updated, 4 unchanged, 0 skipped."), "\(run.err)\(run.out)")
    try expect(home.json("item", "list"), is: before)
    let other = try HostedStore()
    try other.done("item", "import", file)
    func withoutIDs(_ text: String) -> [Substring] {
      text.split(separator: "\r\n").map { $0.hasPrefix("id,") ? $0 : $0.dropFirst(36) }
    }
    expect(withoutIDs(try other.done("item", "export", "csv")), is: withoutIDs(text))
  }

  @Test func `no text of a table is a formula, and every text comes back`() throws {
    let texts = ["=1+1", "+1", "-5", "@SUM(1)", "'=1", "''-5", "'plain'", " =1", "\t=1"]
    for (number, text) in texts.enumerated() {
      try home.done(
        "item", "add", "--category", text, "--tag", text, "--description", text, "--location", text,
        "--notes", text, "--quantity", "7", "--value", "EUR 5", "--", "\(text)\(number)")
    }
    let before = try home.json("item", "list", "--sort", "name")
    let text = try home.done("item", "export", "csv")
    for case .row(let row) in CommaSeparated(Array(text.utf8)) {
      for cell in row.cells {
        expect(!"=+-@\t\r".contains(cell.first ?? "x"), "\(cell)")
        expect(!cell.trimmed.hasPrefix("="), "\(cell)")
      }
      expect(row.cells[4] == "7" && row.cells[5] == "EUR 5.00", "\(row)")
    }
    let file = try home.write(text, as: "out.csv")
    let run = try home.run("item", "import", file)
    expect(run.err.contains("0 added, 0 updated, 9 unchanged, 0 skipped."), "\(run.err)\(run.out)")
    let other = try HostedStore()
    try other.done("item", "import", file)
    let after = try other.json("item", "list", "--sort", "name")
    for field in ["name", "category", "tags", "description", "location", "notes", "quantity"] {
      let values = [before, after].map { list in list.array?.map { $0[field] ?? .null } }
      expect(values[0] == values[1], "\(field): \(values)")
    }
  }

  @Test func `a text that another program guarded names the item that it means`() throws {
    try home.done("item", "add", "@home")
    try home.done("item", "import", try table("name,quantity", "'@home,'+2"))
    try expect(item("@home")["quantity"], is: 2)
  }

  @Test func `a file that exists is not written over`() throws {
    let path = try home.write("x", as: "items.csv")
    let message = try home.refusal(.refused, "item", "export", "csv", "--output", path)
    expect(message.contains("exists already"))
  }
}
