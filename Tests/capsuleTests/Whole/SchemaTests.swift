import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The answers in JSON against `docs/schema`.
@Suite struct SchemaTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/Paris") }

  /// Runs a command with `--json`, and checks its answer by the schema of its name.
  @discardableResult
  private func check(
    _ words: String..., name: String, file: String = #fileID, line: Int = #line
  ) throws -> JSON {
    let json = try home.json(words, file: file, line: line)
    let problems = try JSONSchema(name).problems(of: json)
    expect(
      problems.isEmpty, "docs/schema/\(name).schema.json, \(words): \(problems)",
      sourceLocation: SourceLocation(file, line))
    return json
  }

  @Test func `every answer in JSON is as its schema says`() throws {
    // Where there is no store yet, a list is empty.
    for name in ["list", "countdown", "check"] {
      try expect(check(name, name: name), is: [])
    }
    let made = try check(
      "create", "One", "--unlock", "2040-01-01", "--text", "hello", "--tag", "t", "--notes", "n",
      name: "create")
    // Its unlock time has come when it is asked for again, a moment later.
    try check("create", "Two", "--unlock", "in 1 second", "--text", "x", name: "create")
    try check("list", name: "list")
    try check("show", "One", name: "show")
    try check("add", "One", "--text", "more", name: "add")
    try check("edit", "One", "--title", "Uno", name: "edit")
    try check(
      "create", "Three", "--unlock", "2030-01-01", "--timelock", "--empty", name: "create")
    try check("show", "Three", name: "show")
    try check("countdown", "Uno", name: "countdown")
    try check("open", "Two", "--wait", name: "open")
    try check("check", name: "check")
    try check("edit", "Uno", "--title", "Eins", name: "edit")
    try check("undo", "--dry-run", name: "undo")
    try check("undo", name: "undo")
    try check("redo", name: "redo")
    try check("edit", "Eins", "--title", "Uno", name: "edit")
    try check("settings", "set", "owner", "Ada", name: "settings-set")
    try check("undo", name: "undo")
    try check("log", name: "log")
    try check("log", "Uno", name: "log")
    try check("delete", "Uno", "--yes", name: "delete")
    try check("restore", made["id"]?.string ?? "", name: "restore")
    try check("delete", "Two", "--yes", name: "delete")
    try check("purge", "--yes", name: "purge")
    try check("verify", name: "verify")
    try check("verify", "--budget", "1 hour", name: "verify")
    try check("verify", "--status", name: "verify")
    try check("repair", name: "repair")
    try check("settings", "list", name: "settings-list")
    try check("settings", "set", "timeOfDay", "09:00", name: "settings-set")
    try check("settings", "get", "timeOfDay", name: "settings-get")
    try check("settings", "unset", "timeOfDay", name: "settings-unset")
    try check("date", "next", "friday", name: "date")
    try check("date", "in 3 hours", name: "date")
    try check("version", name: "version")
    try check("help", name: "help")
    try check("help", "create", name: "help")
  }

  @Test func `the schema of search has every field that a search looks through`() throws {
    let schema = try DocumentText("docs/schema/search.schema.json").text
    for kind in RecordKind.allCases {
      for member in kind.shape.members where member.facts.traits.contains(.searched) {
        let name = SearchField.Name(field: member.name).rawValue
        expect(schema.contains("\"\(name)\""), "\(kind): \(name)")
      }
    }
  }

  @Test func `every answer about who may use the store is as its schema says`() throws {
    try home.createUnlocked("One", "--text", "hello")
    let word = try home.write(Array("winter in Lisbon, four chairs".utf8), as: "word")
    let runtime = home.path + "/run"
    try POSIXFileSystem().createDirectory(FilePath(runtime), mode: 0o700)
    home.environment["XDG_RUNTIME_DIR"] = runtime
    try check("store", "protect", "--passphrase-file", word, name: "store-protect")
    try check("verify", name: "verify")
    try check("store", "remember", "--passphrase-file", word, name: "store-remember")
    try check("store", "forget", name: "store-forget")
    try check("store", "unprotect", "--passphrase-file", word, name: "store-unprotect")
  }

  @Test func `every answer about events and the timeline is as its schema says`() throws {
    for name in ["agenda", "next", "on-this-day"] {
      try expect(check(name, name: name), is: [])
    }
    try expect(check("event", "list", name: "event-list"), is: [])
    try check("status", name: "status")
    try check(
      "event", "add", "Birth", "--on", "2016-02-29", "--repeat", "yearly", "--alert",
      "1 week before", "--text-color", "#ff8800", name: "event-add")
    try check(
      "event", "add", "Tax", "--on", "in 1 second", "--deadline", "--alert", "at the time",
      "--notes", "n", name: "event-add")
    try check("create", "One", "--unlock", "in 10 days", "--empty", name: "create")
    try check("event", "list", name: "event-list")
    try check("event", "show", "Birth", name: "event-show")
    try check("event", "edit", "Birth", "--notes", "m", name: "event-edit")
    try check("show", "Birth", name: "show")
    try check("search", "birth", name: "search")
    try check("countdown", "Birth", "Tax", "One", name: "countdown")
    try check("agenda", "--to", "in 2 years", name: "agenda")
    try check("next", "--limit", "3", name: "next")
    try check("on-this-day", "2028-02-29", name: "on-this-day")
    for words in [["status"], ["status", "Tax"], ["status", "One"], ["status", "Nothing"]] {
      try expect(JSONSchema("status").problems(of: home.json(words)), is: [])
      guard words.last != "Nothing" else { continue }
      try home.done(words + ["--write", home.path + "/status"])
      let file = try JSON.parse(home.bytes(of: "status"))
      try expect(JSONSchema("status-write").problems(of: file), is: [], "\(words)")
    }
    try home.done("countdown", "Tax", "--wait")
    let due = try check("check", name: "check")
    expect(due.array?.compactMap { $0["topic"]?.string }, is: ["alert:at-the-time", "over"])
    let calendar = try home.write(
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u\nDTSTART:20360615\nSUMMARY:One\nEND:VEVENT\n"
        + "BEGIN:VTODO\nUID:t\nSUMMARY:Two\nEND:VTODO\nEND:VCALENDAR\n", as: "a.ics")
    try check("event", "import", calendar, "--dry-run", name: "event-import")
    try check("event", "import", calendar, name: "event-import")
    try check("event", "import", calendar, name: "event-import")
    try check("event", "done", "Tax", name: "event-done")
    try check("event", "delete", "Tax", "--yes", name: "event-delete")
    try check("trash", name: "trash")
    try check("restore", "Tax", name: "restore")
  }

  @Test func `every answer about items is as its schema says`() throws {
    for name in ["since"] { try expect(check(name, name: name), is: []) }
    try expect(check("item", "list", name: "item-list"), is: [])
    try check(
      "item", "add", "Ring", "--value", "EUR 1200", "--replacement-value", "JPY 5", "--category",
      "Gems", "--tag", "t", name: "item-add")
    try check("item", "edit", "ring", "--location", "Safe", name: "item-edit")
    try check(
      "item", "log", "Ring", "--when", "2020-02-29", "--value", "1.50", name: "item-log")
    try check("item", "log", "Ring", "--notes", "n", name: "item-log")
    try check(
      "item", "remind", "Ring", "--every", "2 weeks", "--from", "2026-01-01", "--time", "09:00",
      name: "item-remind")
    try check("item", "attach", "Ring", try home.write("bytes", as: "file"), name: "item-attach")
    try check("item", "media", "Ring", name: "item-media")
    try check(
      "item", "extract", "Ring", "--output", home.path + "/out", name: "item-extract")
    try check("item", "detach", "Ring", "1", "--yes", name: "item-detach")
    try check("item", "list", name: "item-list")
    try check("item", "show", "Ring", name: "item-show")
    try check("show", "Ring", name: "show")
    let found = try check("search", "n", name: "search")
    expect(found.array?.first?["matches"]?.array?.contains { $0["at"] != .null }, is: true)
    try check("item", "history", "Ring", name: "item-history")
    try check("item", "totals", name: "item-totals")
    try check("item", "categories", name: "item-categories")
    try check("item", "report", "--output", home.path + "/report", name: "item-report")
    try check("since", name: "since")
    try check("check", "--dry-run", "--at", "2040-01-01", name: "check")
    try check("item", "unlog", "Ring", "--yes", name: "item-unlog")
    try check("item", "delete", "Ring", "--yes", name: "item-delete")
  }

  @Test func `every answer about archives and the identity is as its schema says`() throws {
    let id = try home.create("One", "-u", "2040", "--text", "t")
    try home.done("item", "add", "Ring")
    let archive = home.path + "/a.tar"
    try check(
      "export", "archive", "-o", archive, "--in-the-clear", name: "export-archive")
    try check("export", "archive", "--check", archive, name: "export-archive")
    try home.done("delete", id, "--yes")
    let answer = try check("import", "archive", archive, "--dry-run", name: "import-archive")
    expect(answer["inTrash"]?.array?.count, is: 1)
    try home.done("item", "delete", "Ring", "--yes")
    try home.done("purge", "--yes")
    try home.done("item", "add", "Ring")
    let taken = try check("import", "archive", archive, name: "import-archive")
    expect(taken["sameNames"]?.array?.count, is: 1)
    let page = home.path + "/page.txt"
    try check("identity", "print", "-o", page, name: "identity-print")
    try check("identity", "import", page, name: "identity-import")
  }

  @Test func `every answer about people is as its schema says`() throws {
    try expect(check("beneficiary", "list", name: "beneficiary-list"), is: [])
    try check(
      "beneficiary", "add", "Zoe", "--relationship", "daughter", "--email", "z@example.org",
      "--phone", "1", name: "beneficiary-add")
    try check(
      "beneficiary", "edit", "Zoe", "--name", "Zoë", "--notes", "n", name: "beneficiary-edit")
    try check("beneficiary", "list", name: "beneficiary-list")
    try check("beneficiary", "show", "Zoë", name: "beneficiary-show")
    let cards = home.path + "/cards.vcf"
    let text = [(1, 1), (2, 2), (1, 3)].map { uid, tel in
      "BEGIN:VCARD\nFN:Ann\nUID:\(uid)\nTEL:\(tel)\nEND:VCARD\n"
    }
    try home.write(text.joined(), as: "cards.vcf")
    try check("beneficiary", "import", cards, "--dry-run", name: "beneficiary-import")
    try check("beneficiary", "import", cards, name: "beneficiary-import")
    try check("beneficiary", "import", cards, name: "beneficiary-import")
    try check("beneficiary", "delete", "Zoë", "--yes", name: "beneficiary-delete")
    try check("restore", "Zoë", name: "restore")
  }

  @Test func `every answer about bequests is as its schema says`() throws {
    try expect(check("bequest", "list", name: "bequest-list"), is: [])
    try check("passing", "show", name: "passing-show")
    try check("item", "add", "Ring", name: "item-add")
    try check("create", "Letter", "--unlock", "2040-01-01", "--empty", name: "create")
    try check("beneficiary", "add", "Mia", name: "beneficiary-add")
    try check(
      "bequeath", "Ring", "--to", "Mia", "--access-after", "in 1 day", "-m", "for you",
      name: "bequeath")
    try check(
      "bequeath", "Letter", "--to", "Mia", "--access", "upon-passing", name: "bequeath")
    try check("bequest", "list", name: "bequest-list")
    try check("item", "show", "Ring", name: "item-show")
    try check("show", "Letter", name: "show")
    try check("beneficiary", "show", "Mia", name: "beneficiary-show")
    try check("check", "--dry-run", "--at", "in 2 days", name: "check")
    try check("agenda", name: "agenda")
    try check("bequest", "edit", "Ring", "--access", "immediate", name: "bequest-edit")
    try check("bequest", "mark", "Ring", "sent", "--notes", "n", name: "bequest-mark")
    try check("bequest", "revoke", "Ring", name: "bequest-revoke")
    try check("bequest", "show", "Ring", name: "bequest-show")
    try check("settings", "set", "owner", "Anna", name: "settings-set")
    try check("passing", "declare", "--owner", "Anna", name: "passing-declare")
    try check("passing", "withdraw", "--yes", name: "passing-withdraw")
    try check("bequest", "delete", "Ring", "--yes", name: "bequest-delete")
    try check("restore", "Ring to Mia", name: "restore")
  }

  @Test func `every answer about the switch is as its schema says`() throws {
    try check("switch", "show", name: "switch-show")
    try check("beneficiary", "add", "Zoe", "--email", "z@example.org", name: "beneficiary-add")
    try check("switch", "set", "--contact", "Zoe", "--phone", "123", name: "switch-set")
    try check("switch", "checkin", name: "switch-checkin")
    try check("check", "--dry-run", "--at", "in 32 days", name: "check")
    try home.pass(seconds: 38 * 86_400)
    expect(try check("check", name: "check") != [])
    try home.pass(seconds: 2 * 86_400)
    try expect(check("check", name: "check").array?.count, is: 2)
    try check("switch", "show", name: "switch-show")
    try check("switch", "pause", "--until", "in 3 days", name: "switch-pause")
    try check("switch", "off", "--yes", name: "switch-off")
  }

  @Test func `every answer about trustees is as its schema says`() throws {
    try expect(check("trustees", "list", name: "trustees-list"), is: [])
    let pages = home.path + "/pages"
    try check(
      "trustees", "make", "family", "-k", "2", "--holder", "Mia", "--holder", "Ben", "-o", pages,
      name: "trustees-make")
    try check("trustees", "list", name: "trustees-list")
    try check("trustees", "confirm", "family", "Mia", name: "trustees-confirm")
    try check("trustees", "lost", "family", "Ben", name: "trustees-lost")
    try check("trustees", "show", "family", name: "trustees-show")
    let page = pages + "/1 Mia.txt"
    try check("trustees", "verify", "--share", page, name: "trustees-verify")
    try check(
      "trustees", "renew", "family", "--share", page, "--share", pages + "/2 Ben.txt", "-o",
      home.path + "/new", name: "trustees-renew")
    try check(
      "trustees", "replace", "family", "--without", "Ben", "--holder", "Ann", "-o",
      home.path + "/third", name: "trustees-replace")
    try check("trustees", "show", "family", name: "trustees-show")
    try check("trustees", "verify", "--share", page, name: "trustees-verify")
    try check("trustees", "delete", "family", "--yes", name: "trustees-delete")
    try check("trustees", "verify", "--share", page, name: "trustees-verify")
    try check("restore", "family", name: "restore")
  }

  @Test func `what is delivered is told as its schema says`() throws {
    try expect(check("deliver", "--dry-run", name: "deliver"), is: [])
    try check("beneficiary", "add", "Mia", name: "beneficiary-add")
    try check("item", "add", "Ring", "--tag", "t", name: "item-add")
    try check("item", "attach", "Ring", try home.write("bytes", as: "file"), name: "item-attach")
    try check("create", "Late", "--unlock", "2040-01-01", "--empty", name: "create")
    try check(
      "create", "Round", "--unlock", "2030-01-01", "--timelock", "--text", "x", name: "create")
    try check(
      "bequeath", "--access", "immediate", "Ring", "--to", "Mia", "--message", "m", name: "bequeath"
    )
    try home.write("from = a@example.org\n", as: ".config/capsule/mail")
    try check("beneficiary", "edit", "Mia", "--email", "m@example.org", name: "beneficiary-edit")
    let mail = try check("deliver", "--mail", "--dry-run", name: "deliver")
    expect(mail.array?.first?["mail"]?["address"], is: "m@example.org")
    expect(mail.array?.first?["mail"]?["text"], is: .null)
    let later = try check("deliver", "--mail", "--dry-run", "--at", "2041", name: "deliver")
    expect(later.array?.first?["mail"]?["text"]?.string?.contains("Ring") == true)
    for title in ["Late", "Round"] {
      try check(
        "bequeath", "--access", "immediate", title, "--to", "Mia", "--message", "m",
        name: "bequeath")
    }
    try check("deliver", "--dry-run", "--with-values", name: "deliver")
    try home.insertTrustees(isPostQuantum: false)
    let estate = home.path + "/estate.age"
    try check("estate", "--trustees", "family", "-o", estate, name: "estate-make")
    try check(
      "estate", "open", estate, "-i", home.path + "/family.key", "-o", home.path + "/opened",
      name: "estate-open")
    try check("item", "edit", "Ring", "--location", "Safe", name: "item-edit")
    try check("estate", "--check", estate, name: "estate-make")
    let path = home.path + "/out"
    let made = try check("deliver", "--output", path, "--mark-sent", name: "deliver")
    expect(made.array?.first?["gifts"]?.array?.count, is: 2)
    expect(made.array?.first?["leftOut"]?.array?.count, is: 1)
    try check("deliver", "--output", path, name: "deliver")
  }

  @Test func `what is drafted is told as its schema says`() throws {
    try check("beneficiary", "add", "Mia", name: "beneficiary-add")
    try check("item", "add", "Ring", name: "item-add")
    try check("bequeath", "--access", "immediate", "Ring", "--to", "Mia", name: "bequeath")
    home.process = { _ throws(Fault) in
      ProcessOutcome(end: .exited(0), output: Array("Mia: hers".utf8))
    }
    for name in ["message", "suggest", "describe"] {
      try check("draft", name, "Ring", "--with", "x", name: "draft-" + name)
    }
  }

  @Test(
    arguments: CommandTable.capsule.visibleCommands.filter { $0.outputs.contains(.json) }
      .map { $0.path.joined(separator: "-") })
  func `every command that answers in JSON has a schema`(name: String) throws {
    expect(RepositoryFile.content("docs/schema/\(name).schema.json") != nil)
  }

  @Test func `no schema is left over`() {
    let names = Set(
      CommandTable.capsule.visibleCommands.map {
        $0.path.joined(separator: "-") + ".schema.json"
      })
    let others =
      ["definitions", "error", "status-write", "warning"].map { $0 + ".schema.json" }
      + ["history"]
    expect(Set(RepositoryFile.names(in: "docs/schema")).subtracting(names), is: Set(others))
  }

  @Test(
    arguments: [
      (["list", "--bogus", "--json"], 2), (["show", "Nothing", "--json"], 5),
      (["open", "Late", "--json"], 4), (["delete", "Late", "--json", "--no-input"], 12),
      (["edit", "Late", "--unlock", "2030-01-01", "--json"], 12),
    ] as [([String], Int32)])
  func `an error in JSON is one line as its schema says`(words: [String], code: Int32) throws {
    try check("create", "Late", "--unlock", "2040-01-01", "--empty", name: "create")
    let result = try home.run(words)
    expect(result.exitCode, is: code)
    expect(result.output.isEmpty)
    expect(result.err.split(separator: "\n").count, is: 1)
    let error = try result.errorJSON()
    expect(error["error"]?["code"], is: .integer(Int64(code)))
    // Errors have members of their own besides.
    let known = try JSONSchema("error").problems(of: error).filter { !$0.contains("in no schema") }
    expect(known, is: [])
  }
}
