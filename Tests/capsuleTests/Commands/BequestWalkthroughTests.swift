import CapsuleCore
import Testing

@testable import capsule

/// A walk through bequests with the real program, each step a run of its own.
@Suite struct BequestWalkthroughTests {
  private let store: ProgramStore

  init() throws {
    store = try ProgramStore()
    for words in [
      ["item", "add", "Gold ring"], ["item", "add", "Watch"],
      ["create", "Letter", "--unlock", "2040-01-01", "--text", "Dear Mia"],
      ["beneficiary", "add", "Mia", "--relationship", "daughter"],
    ] {
      let result = try store.run(words)
      try #require(result.end == .exited(0), "\(words): \(result.err)")
    }
  }

  @discardableResult
  private func done(_ words: String...) throws -> String {
    let result = try store.run(words)
    try #require(result.end == .exited(0), "\(words): \(result.err)")
    return result.out
  }

  private func json(_ words: String...) throws -> JSON {
    let result = try store.run(words + ["--json"])
    try #require(result.end == .exited(0), "\(words): \(result.err)")
    return try result.json()
  }

  /// What a command says that is refused with a code, and leaves nothing on standard output.
  private func refusal(_ code: ExitCode, _ words: String...) throws -> String {
    let result = try store.run(words)
    #expect(result.end == .exited(Int32(code.rawValue)), "\(words): \(result.err)")
    #expect(result.output.isEmpty, "\(words)")
    return result.err
  }

  private func states() throws -> [String] {
    try json("bequest", "list").array?.compactMap { $0["state"]?.string } ?? []
  }

  @Test func `it is immediate unless a rule is given, and the rule, date and message are edited`()
    throws
  {
    let made = try json("bequeath", "gold RING", "--to", "mia")
    #expect(made["access"] == "immediate" && made["accessAt"] == .null)
    #expect(made["isAccessible"] == true && made["state"] == "notSent")
    #expect(made["subject"]?["title"] == "Gold ring" && made["beneficiary"]?["name"] == "Mia")
    #expect(made["delivery"] == [])

    let again = try refusal(.refused, "bequeath", "Gold ring", "--to", "Mia")
    #expect(again.contains("bequest edit \(try #require(made["id"]?.string))"))

    let later = try json("bequest", "edit", "Gold ring", "--access", "upon-passing")
    #expect(later["access"] == "uponPassing" && later["isAccessible"] == false)
    #expect(later["accessibleAt"] == .null)
    let dated = try json(
      "bequest", "edit", "Gold ring", "--access-after", "2036-06-15", "-m", "It was my mother's.")
    #expect(dated["access"] == "afterDate" && dated["accessAt"] == "2036-06-14T22:00:00Z")
    #expect(dated["accessibleAt"] == dated["accessAt"])
    #expect(dated["message"] == "It was my mother's.")
    #expect(dated["revision"] == 3)

    try store.shell("printf 'From a file\\n' > message.txt")
    try done("bequest", "edit", "Gold ring", "--message-file", "message.txt")
    #expect(try json("bequest", "show", "Gold ring")["message"] == "From a file\n")
    let piped = try store.run("bequest", "edit", "Gold ring", "--message-file", "-", input: "Pipe")
    #expect(piped.end == .exited(0))
    #expect(try json("bequest", "show", "Gold ring")["message"] == "Pipe")
    // The editor begins with what is there.
    store.environment["EDITOR"] = "sed -i s/Pipe/Written/"
    try done("bequest", "edit", "Gold ring", "--message-edit")
    #expect(try json("bequest", "show", "Gold ring")["message"] == "Written")
    try done("bequest", "edit", "Gold ring", "--access", "immediate", "-m", "")
    let plain = try json("bequest", "show", "Gold ring")
    #expect(plain["message"] == "" && plain["access"] == "immediate")
    #expect(try refusal(.usage, "bequest", "edit", "Gold ring").contains("nothing is named"))
    #expect(
      try refusal(
        .usage, "bequest", "edit", "Gold ring", "--access", "immediate", "--access-after", "2040"
      ).contains("contradict"))
    #expect(
      try refusal(.usage, "bequeath", "Watch", "--to", "Mia", "-m", "a", "--message-file", "b")
        .contains("several messages"))
    #expect(
      try refusal(.notFound, "bequeath", "Watch", "--to", "Nobody").contains("beneficiary add"))
    #expect(
      try refusal(.notFound, "bequeath", "Nothing", "--to", "Mia").contains("item or capsule"))
  }

  @Test
  func `without a name the people are offered, and somebody new is there for all from then on`()
    throws
  {
    func bequeath(_ subject: String) throws -> TerminalRun {
      var run = ProgramRun("bequeath", subject, environment: store.environment)
      run.workingDirectory = store.path
      return try TerminalRun(run)
    }
    try done("beneficiary", "add", "Ida")
    let known = try bequeath("Gold ring")
    try known.wait(for: "Ida")
    try known.wait(for: "Mia")
    try known.wait(for: "daughter")
    try known.wait(for: "Who shall have 'Gold ring'? A number, or another name: ")
    known.send("2\n")
    let first = known.finish()
    #expect(first.end == .exited(0) && first.out.contains("to 'Mia', immediately"))

    let new = try bequeath("Gold ring")
    try new.wait(for: "another name: ")
    new.send("Jon Snow\n")
    try new.wait(for: "'Jon Snow' is not known yet. Add this person? [y/N] ")
    new.send("y\n")
    try new.wait(for: "Relationship")
    new.send("nephew\n")
    #expect(new.finish().end == .exited(0))
    #expect(try json("beneficiary", "show", "jon snow")["relationship"] == "nephew")
    try done("bequeath", "Watch", "--to", "Jon Snow")
    let left = try json("bequest", "list", "--to", "Jon Snow").array
    #expect(
      Set(left?.compactMap { $0["subject"]?["title"]?.string } ?? []) == ["Gold ring", "Watch"])

    let no = try bequeath("Watch")
    try no.wait(for: "another name: ")
    no.send("Nobody\n")
    try no.wait(for: "[y/N] ")
    no.send("n\n")
    #expect(no.finish().end == .exited(Int32(ExitCode.refused.rawValue)))
    #expect(try json("beneficiary", "list").array?.count == 3)
    // Where nothing may be asked, the option is named.
    #expect(try refusal(.usage, "bequeath", "Watch", "--no-input").contains("--to"))
  }

  @Test func `states are dated and kept, change by mark alone, and wrong orders are refused`()
    throws
  {
    try done("bequeath", "Gold ring", "--to", "Mia")
    #expect(try refusal(.refused, "bequest", "mark", "Gold ring", "accepted").contains("sent"))
    #expect(try refusal(.usage, "bequest", "mark", "Gold ring", "lost").contains("lost"))
    #expect(
      try refusal(.refused, "bequest", "mark", "Gold ring", "sent", "--when", "2020-01-01")
        .contains("later"))
    #expect(
      try refusal(.usage, "bequest", "mark", "Gold ring", "sent", "--when", "2040-01-01")
        .contains("future"))
    try done("bequest", "mark", "Gold ring", "sent", "--notes", "by post")
    #expect(try refusal(.refused, "bequest", "edit", "Gold ring", "-m", "x").contains("sent"))
    let accepted = try json("bequest", "mark", "Gold ring", "accepted")
    let changes = try #require(accepted["delivery"]?.array)
    #expect(changes.compactMap { $0["state"]?.string } == ["sent", "accepted"])
    #expect(changes.first?["notes"] == "by post")
    #expect(changes.allSatisfy { $0["at"]?.string?.hasSuffix("Z") == true })
    for state in ["sent", "declined"] {
      #expect(
        try refusal(.refused, "bequest", "mark", "Gold ring", state).contains("stays so"))
    }
    #expect(try refusal(.refused, "bequest", "revoke", "Gold ring").contains("accepted"))

    // What was declined or revoked can be left anew, and is found by id only then.
    try done("bequeath", "Watch", "--to", "Mia")
    let revoked = try json("bequest", "revoke", "Watch", "--notes", "sold")
    #expect(revoked["state"] == "revoked" && revoked["isAccessible"] == false)
    #expect(try json("bequest", "show", "Watch")["state"] == "revoked")
    try done("bequeath", "Watch", "--to", "Mia")
    #expect(try json("bequest", "show", "Watch")["state"] == "notSent")
    #expect(try states().sorted() == ["accepted", "notSent", "revoked"])
    let open = try json("bequest", "list", "--state", "notSent", "--of", "Watch").array
    #expect(open?.count == 1)
    #expect(try store.run("bequest", "list", "--state", "sent", "--exit-code").end == .exited(1))
  }

  @Test func `a passing is declared by the owner's name alone, and opens what waits for it`() throws
  {
    try done("bequeath", "Gold ring", "--to", "Mia", "--access", "upon-passing")
    #expect(try json("bequest", "list", "--accessible") == [])
    #expect(
      try refusal(.refused, "passing", "declare", "--owner", "x").contains("settings set owner"))
    try done("settings", "set", "owner", "Anna Berg")
    #expect(try refusal(.refused, "passing", "declare").contains("--owner"))
    #expect(try refusal(.refused, "passing", "declare", "--owner", "anna berg").contains("not the"))
    #expect(
      try refusal(.usage, "passing", "declare", "--owner", "Anna Berg", "--on", "2040-01-01")
        .contains("future"))
    #expect(try json("passing", "show")["isDeclared"] == false)
    #expect(try refusal(.refused, "passing", "withdraw", "--yes").contains("no passing"))
    #expect(try refusal(.usage, "settings", "set", "owner", "a\nb").contains("it takes a name"))
    // Whether somebody is alive is not guessed.
    try store.shell("sed -i s/Anna/Hanna/ '\(store.store)/settings.json'")
    #expect(try refusal(.damaged, "passing", "show").contains("settings.json"))
    #expect(try refusal(.damaged, "passing", "declare", "--owner", "Hanna Berg").contains("repair"))
    try store.shell("sed -i s/Hanna/Anna/ '\(store.store)/settings.json'")

    var run = ProgramRun("passing", "declare", environment: store.environment)
    run.workingDirectory = store.path
    let terminal = try TerminalRun(run)
    try terminal.wait(for: "Type the owner's name to declare it: ")
    terminal.send("Anna Berg\n")
    try terminal.wait(for: "Anna Berg passed away")
    #expect(terminal.finish().end == .exited(0))
    #expect(try json("passing")["isDeclared"] == true)
    #expect(try refusal(.refused, "settings", "set", "owner", "Eve").contains("passing withdraw"))
    #expect(try refusal(.refused, "settings", "unset", "owner").contains("declared"))
    #expect(try refusal(.refused, "passing", "declare", "--owner", "Anna Berg").contains("already"))
    #expect(try json("bequest", "list", "--accessible").array?.count == 1)
    // What depends on it is told where it is looked at.
    #expect(try json("beneficiary", "show", "Mia")["bequests"]?.array?[0]["isAccessible"] == true)
    try done("passing", "withdraw", "--yes")
    #expect(try json("bequest", "list", "--accessible") == [])
    let settings = try store.shell("cat '\(store.store)/settings.json'").json()
    #expect(settings["passing"] == nil && settings["owner"] == "Anna Berg")
  }

  @Test func `what hangs on a person or a thing is told, goes with it, and comes back with it`()
    throws
  {
    try done("bequeath", "Gold ring", "--to", "Mia")
    try done("bequeath", "Letter", "--to", "Mia", "--access-after", "2041-01-01")
    let person = try done("beneficiary", "show", "Mia")
    #expect(person.contains("Receives now\n  Gold ring"))
    #expect(person.contains("Receives from a date\n  Letter"))
    #expect(try done("item", "show", "Gold ring").contains("Left to\n  Mia"))
    #expect(try json("show", "Letter")["bequests"]?.array?.count == 1)

    for (noun, name, count) in [
      (["beneficiary"], "Mia", 2), (["item"], "Gold ring", 1), ([], "Letter", 1),
    ] {
      let words = noun + ["delete", name, "--yes"]
      let refused = try store.run(words)
      #expect(refused.end == .exited(Int32(ExitCode.refused.rawValue)), "\(words)")
      #expect(refused.err.contains("--with-bequests"), "\(words)")
      #expect(try json("bequest", "list").array?.count == 2)
      let deleted = try store.run(words + ["--with-bequests", "--json"]).json().array
      #expect(deleted?.count == count + 1)
      #expect(deleted?.last?["title"]?.string == name)
      #expect(try json("bequest", "list").array?.count == 2 - count)
      #expect(try json("verify")["problems"] == [])
      #expect(try json("restore", name).array?.count == count + 1)
      #expect(try json("bequest", "list").array?.count == 2)
    }
    // A bequest alone does not come back before what it names.
    try done("bequest", "delete", "Gold ring", "--yes")
    try done("item", "delete", "Gold ring", "--yes")
    let alone = try refusal(.refused, "restore", "Gold ring to Mia")
    #expect(alone.contains("the item") && alone.contains("capsule restore"))
    try done("restore", "Gold ring to Mia", "Gold ring")
    #expect(try json("bequest", "list").array?.count == 2)
    #expect(try json("verify")["problems"] == [])
  }

  @Test func `at the same time it is left once, and declared once`() throws {
    try done("settings", "set", "owner", "Anna")
    let line = """
      for i in 1 2 3 4; do
        { $capsule bequeath Watch --to Mia -q; echo $? >> left; } 2>/dev/null &
        { $capsule passing declare --owner Anna -q; echo $? >> declared; } 2>/dev/null &
      done
      wait
      grep -c '^0$' left; grep -c '^0$' declared
      """
    #expect(try store.shell(line).out.split(separator: "\n").suffix(2) == ["1", "1"])
    #expect(try json("bequest", "list").array?.count == 1)
  }

  @Test func `what waits for its other side is named, and comes back with it`() throws {
    let id = try #require(try json("bequeath", "Gold ring", "--to", "Mia")["id"]?.string)
    try done("beneficiary", "delete", "Mia", "--yes", "--with-bequests")
    try store.shell("sleep 1.1")
    try done("item", "delete", "Gold ring", "--yes")
    let first = try store.run("restore", "Mia")
    #expect(first.end == .exited(0) && first.err.contains("capsule restore \(id)"))
    try done("restore", "Gold ring")
    let both = try store.run("restore", id, "Nothing else")
    #expect(both.end == .exited(5))
    try done("restore", id)
    #expect(try json("bequest", "list").array?.count == 1)
  }

  @Test func `what became accessible by its date is announced once, and stands in the agenda`()
    throws
  {
    try done("check")
    try done("bequeath", "Gold ring", "--to", "Mia", "--access-after", "in 1 second")
    try done("bequeath", "Watch", "--to", "Mia", "--access-after", "in 10 days")
    try done("bequeath", "Letter", "--to", "Mia", "--access", "upon-passing")
    let agenda = try json("agenda", "--kind", "bequest").array
    #expect(agenda?.last?["title"] == "Watch to Mia" && agenda?.last?["what"] == "delivery")
    #expect(try json("next", "--kind", "bequest").array?.last?["kind"] == "bequest")
    #expect(try done("export", "ics").contains("SUMMARY:Watch to Mia"))
    try store.shell("sleep 1.2")
    let due = try json("check").array
    #expect(due?.count == 1)
    #expect(due?.first?["topic"] == "accessible" && due?.first?["subject"]?["title"] == "Gold ring")
    #expect(try json("check") == [])
    // What was handed over meanwhile is not announced any more.
    try done("bequest", "mark", "Watch", "sent")
    #expect(try json("check", "--dry-run", "--at", "in 20 days") == [])
    #expect(try json("agenda", "--kind", "bequest", "--from", "tomorrow") == [])
  }
}
