import CapsuleCore
import Testing

@testable import capsule

/// The answers in JSON against `docs/schema`, with the real program.
@Suite struct SchemaTests {
  /// Runs a command with `--json`, and checks what it tells by the schema of its name.
  @discardableResult
  private func check(
    _ words: String..., name: String, in folder: TemporaryFolder
  ) throws -> JSON {
    var run = ProgramRun(
      environment: [
        "CAPSULE_STORE": folder.path + "/store", "HOME": folder.path, "TZ": "Europe/Paris",
      ])
    run.arguments = (words + ["--json"]).map { Array($0.utf8) }
    let result = try run.result()
    try #require(result.end == .exited(0), "\(words): \(result.err)")
    let json = try result.json()
    let problems = try JSONSchema(name).problems(of: json)
    #expect(problems.isEmpty, "docs/schema/\(name).schema.json, \(words): \(problems)")
    return json
  }

  @Test func `every answer in JSON is as its schema says`() throws {
    let folder = try TemporaryFolder()
    // Where there is no store yet, a list is empty.
    for name in ["list", "countdown", "check"] {
      #expect(try check(name, name: name, in: folder) == [])
    }
    try check("verify", name: "verify", in: folder)
    let made = try check(
      "create", "One", "--unlock", "2040-01-01", "--text", "hello", "--tag", "t", "--notes", "n",
      name: "create", in: folder)
    // Its unlock time has come when it is asked for again, a moment later.
    try check("create", "Two", "--unlock", "in 1 second", "--text", "x", name: "create", in: folder)
    try check("list", name: "list", in: folder)
    try check("show", "One", name: "show", in: folder)
    try check("add", "One", "--text", "more", name: "add", in: folder)
    try check("edit", "One", "--title", "Uno", name: "edit", in: folder)
    try check(
      "create", "Three", "--unlock", "2030-01-01", "--timelock", name: "create", in: folder)
    try check("show", "Three", name: "show", in: folder)
    try check("countdown", "Uno", name: "countdown", in: folder)
    try check("open", "Two", "--wait", name: "open", in: folder)
    try check("check", name: "check", in: folder)
    try check("delete", "Uno", "--yes", name: "delete", in: folder)
    try check("restore", made["id"]?.string ?? "", name: "restore", in: folder)
    try check("delete", "Two", "--yes", name: "delete", in: folder)
    try check("purge", "--yes", name: "purge", in: folder)
    try check("verify", name: "verify", in: folder)
    try check("repair", name: "repair", in: folder)
    try check("settings", "list", name: "settings-list", in: folder)
    try check("settings", "set", "timeOfDay", "09:00", name: "settings-set", in: folder)
    try check("settings", "get", "timeOfDay", name: "settings-get", in: folder)
    try check("settings", "unset", "timeOfDay", name: "settings-unset", in: folder)
    try check("date", "next", "friday", name: "date", in: folder)
    try check("date", "in 3 hours", name: "date", in: folder)
    try check("version", name: "version", in: folder)
    try check("help", name: "help", in: folder)
    try check("help", "create", name: "help", in: folder)
  }

  @Test func `every answer about events and the timeline is as its schema says`() throws {
    let folder = try TemporaryFolder()
    for name in ["agenda", "next", "on-this-day"] {
      #expect(try check(name, name: name, in: folder) == [])
    }
    #expect(try check("event", "list", name: "event-list", in: folder) == [])
    try check("status", name: "status", in: folder)
    try check(
      "event", "add", "Birth", "--on", "2016-02-29", "--repeat", "yearly", "--alert",
      "1 week before", "--text-color", "#ff8800", name: "event-add", in: folder)
    try check(
      "event", "add", "Tax", "--on", "in 1 second", "--deadline", "--alert", "at the time",
      "--notes", "n", name: "event-add", in: folder)
    try check("create", "One", "--unlock", "in 10 days", name: "create", in: folder)
    try check("event", "list", name: "event-list", in: folder)
    try check("event", "show", "Birth", name: "event-show", in: folder)
    try check("event", "edit", "Birth", "--notes", "m", name: "event-edit", in: folder)
    try check("countdown", "Birth", "Tax", "One", name: "countdown", in: folder)
    try check("agenda", "--to", "in 2 years", name: "agenda", in: folder)
    try check("next", "--limit", "3", name: "next", in: folder)
    try check("on-this-day", "2028-02-29", name: "on-this-day", in: folder)
    for words in [["status"], ["status", "Tax"], ["status", "One"], ["status", "Nothing"]] {
      var run = ProgramRun(environment: ["CAPSULE_STORE": folder.path + "/store", "TZ": "UTC"])
      run.arguments = (words + ["--json"]).map { Array($0.utf8) }
      let result = try run.result()
      #expect(result.end == .exited(0))
      #expect(try JSONSchema("status").problems(of: try result.json()) == [])
    }
    _ = try ProgramRun(
      "countdown", "Tax", "--wait", environment: ["CAPSULE_STORE": folder.path + "/store"]
    ).result()
    let due = try check("check", name: "check", in: folder)
    #expect(due.array?.compactMap { $0["topic"]?.string } == ["alert:at-the-time", "over"])
    try check("event", "done", "Tax", name: "event-done", in: folder)
    try check("event", "delete", "Tax", "--yes", name: "event-delete", in: folder)
    try check("restore", "Tax", name: "restore", in: folder)
  }

  @Test func `every answer about items is as its schema says`() throws {
    let folder = try TemporaryFolder()
    for name in ["since"] { #expect(try check(name, name: name, in: folder) == []) }
    #expect(try check("item", "list", name: "item-list", in: folder) == [])
    try check(
      "item", "add", "Ring", "--value", "EUR 1200", "--replacement-value", "JPY 5", "--category",
      "Gems", "--tag", "t", name: "item-add", in: folder)
    try check("item", "edit", "ring", "--location", "Safe", name: "item-edit", in: folder)
    try check(
      "item", "log", "Ring", "--when", "2020-02-29", "--value", "1.50", name: "item-log",
      in: folder)
    try check("item", "log", "Ring", "--notes", "n", name: "item-log", in: folder)
    try check(
      "item", "remind", "Ring", "--every", "2 weeks", "--from", "2026-01-01", "--time", "09:00",
      name: "item-remind", in: folder)
    try check("item", "attach", "Ring", BuiltProgram.path, name: "item-attach", in: folder)
    try check("item", "media", "Ring", name: "item-media", in: folder)
    try check(
      "item", "extract", "Ring", "--output", folder.path + "/out", name: "item-extract",
      in: folder)
    try check("item", "detach", "Ring", "1", "--yes", name: "item-detach", in: folder)
    try check("item", "list", name: "item-list", in: folder)
    try check("item", "show", "Ring", name: "item-show", in: folder)
    try check("item", "history", "Ring", name: "item-history", in: folder)
    try check("item", "totals", name: "item-totals", in: folder)
    try check("item", "categories", name: "item-categories", in: folder)
    try check("since", name: "since", in: folder)
    try check("check", "--dry-run", "--at", "2040-01-01", name: "check", in: folder)
    try check("item", "unlog", "Ring", "--yes", name: "item-unlog", in: folder)
    try check("item", "delete", "Ring", "--yes", name: "item-delete", in: folder)
  }

  @Test func `every answer about people is as its schema says`() throws {
    let folder = try TemporaryFolder()
    #expect(try check("beneficiary", "list", name: "beneficiary-list", in: folder) == [])
    try check(
      "beneficiary", "add", "Zoe", "--relationship", "daughter", "--email", "z@example.org",
      "--phone", "1", name: "beneficiary-add", in: folder)
    try check(
      "beneficiary", "edit", "Zoe", "--name", "Zoë", "--notes", "n", name: "beneficiary-edit",
      in: folder)
    try check("beneficiary", "list", name: "beneficiary-list", in: folder)
    try check("beneficiary", "show", "Zoë", name: "beneficiary-show", in: folder)
    let cards = folder.path + "/cards.vcf"
    let text = "BEGIN:VCARD\nFN:Ann\nUID:%s\nTEL:%s\nEND:VCARD\n"
    let format = "printf '\(text)' 1 1 2 2 1 3 > \(cards)"
    #expect(try ProgramRun(shell: format).result().end == .exited(0))
    try check("beneficiary", "import", cards, "--dry-run", name: "beneficiary-import", in: folder)
    try check("beneficiary", "import", cards, name: "beneficiary-import", in: folder)
    try check("beneficiary", "import", cards, name: "beneficiary-import", in: folder)
    try check("beneficiary", "delete", "Zoë", "--yes", name: "beneficiary-delete", in: folder)
    try check("restore", "Zoë", name: "restore", in: folder)
  }

  @Test func `every answer about bequests is as its schema says`() throws {
    let folder = try TemporaryFolder()
    #expect(try check("bequest", "list", name: "bequest-list", in: folder) == [])
    try check("passing", "show", name: "passing-show", in: folder)
    try check("item", "add", "Ring", name: "item-add", in: folder)
    try check("create", "Letter", "--unlock", "2040-01-01", name: "create", in: folder)
    try check("beneficiary", "add", "Mia", name: "beneficiary-add", in: folder)
    try check(
      "bequeath", "Ring", "--to", "Mia", "--access-after", "in 1 day", "-m", "for you",
      name: "bequeath", in: folder)
    try check(
      "bequeath", "Letter", "--to", "Mia", "--access", "upon-passing", name: "bequeath", in: folder)
    try check("bequest", "list", name: "bequest-list", in: folder)
    try check("item", "show", "Ring", name: "item-show", in: folder)
    try check("show", "Letter", name: "show", in: folder)
    try check("beneficiary", "show", "Mia", name: "beneficiary-show", in: folder)
    try check("check", "--dry-run", "--at", "in 2 days", name: "check", in: folder)
    try check("agenda", name: "agenda", in: folder)
    try check("bequest", "edit", "Ring", "--access", "immediate", name: "bequest-edit", in: folder)
    try check("bequest", "mark", "Ring", "sent", "--notes", "n", name: "bequest-mark", in: folder)
    try check("bequest", "revoke", "Ring", name: "bequest-revoke", in: folder)
    try check("bequest", "show", "Ring", name: "bequest-show", in: folder)
    try check("settings", "set", "owner", "Anna", name: "settings-set", in: folder)
    try check("passing", "declare", "--owner", "Anna", name: "passing-declare", in: folder)
    try check("passing", "withdraw", "--yes", name: "passing-withdraw", in: folder)
    try check("bequest", "delete", "Ring", "--yes", name: "bequest-delete", in: folder)
    try check("restore", "Ring to Mia", name: "restore", in: folder)
  }

  @Test func `what is delivered is told as its schema says`() throws {
    let folder = try TemporaryFolder()
    #expect(try check("deliver", "--dry-run", name: "deliver", in: folder) == [])
    try check("beneficiary", "add", "Mia", name: "beneficiary-add", in: folder)
    try check("item", "add", "Ring", "--tag", "t", name: "item-add", in: folder)
    try check("item", "attach", "Ring", "/bin/sh", name: "item-attach", in: folder)
    try check("create", "Late", "--unlock", "2040-01-01", name: "create", in: folder)
    try check(
      "create", "Round", "--unlock", "2030-01-01", "--timelock", "--text", "x", name: "create",
      in: folder)
    for title in ["Ring", "Late", "Round"] {
      try check("bequeath", title, "--to", "Mia", "--message", "m", name: "bequeath", in: folder)
    }
    try check("deliver", "--dry-run", "--with-values", name: "deliver", in: folder)
    let path = folder.path + "/out"
    let made = try check("deliver", "--output", path, "--mark-sent", name: "deliver", in: folder)
    #expect(made.array?.first?["gifts"]?.array?.count == 2)
    #expect(made.array?.first?["leftOut"]?.array?.count == 1)
    try check("deliver", "--output", path, name: "deliver", in: folder)
  }

  @Test(
    arguments: CommandTable.capsule.visibleCommands.filter { $0.outputs.contains(.json) }
      .map { $0.path.joined(separator: "-") })
  func `every command that answers in JSON has a schema`(name: String) throws {
    #expect(RepositoryFile.content("docs/schema/\(name).schema.json") != nil)
  }

  @Test func `no schema is left over`() {
    let names = Set(
      CommandTable.capsule.visibleCommands.map {
        $0.path.joined(separator: "-") + ".schema.json"
      })
    let others = ["definitions", "error", "warning"].map { $0 + ".schema.json" }
    #expect(Set(RepositoryFile.names(in: "docs/schema")).subtracting(names) == Set(others))
  }

  @Test(
    arguments: [
      (["list", "--bogus", "--json"], 2), (["show", "Nothing", "--json"], 5),
      (["open", "Late", "--json"], 4), (["delete", "Late", "--json", "--no-input"], 12),
      (["edit", "Late", "--unlock", "2030-01-01", "--json"], 12),
    ] as [([String], Int32)])
  func `an error in JSON is one line as its schema says`(words: [String], code: Int32) throws {
    let folder = try TemporaryFolder()
    try check("create", "Late", "--unlock", "2040-01-01", name: "create", in: folder)
    var run = ProgramRun(environment: ["CAPSULE_STORE": folder.path + "/store", "TZ": "UTC"])
    run.arguments = words.map { Array($0.utf8) }
    let result = try run.result()
    #expect(result.end == .exited(code))
    #expect(result.output.isEmpty)
    #expect(result.err.split(separator: "\n").count == 1)
    let error = try result.errorJSON()
    #expect(error["error"]?["code"] == .integer(Int64(code)))
    // Errors have members of their own besides.
    let known = try JSONSchema("error").problems(of: error).filter { !$0.contains("in no schema") }
    #expect(known == [])
  }
}
