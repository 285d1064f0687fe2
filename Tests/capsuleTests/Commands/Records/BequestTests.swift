import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Bequests, deliveries marked by hand, and a passing.
@Suite struct BequestTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore(zone: "Europe/Paris")
    try home.done("item", "add", "Gold ring")
    try home.done("item", "add", "Watch")
    try home.done("beneficiary", "add", "Mia", "--relationship", "daughter")
  }

  private func addLetter() throws {
    try home.create("Letter", "--unlock", "2040-01-01", "--text", "Dear Mia")
  }

  private func states() throws -> [String] { try home.strings("state", "bequest", "list") }

  private func bequestCount() throws -> Int? {
    try home.json("bequest", "list").array?.count
  }

  // MARK: What is left, and when

  @Test func `a bequest is immediate unless a rule is given`() throws {
    let made = try home.json("bequeath", "gold RING", "--to", "mia")
    expect(made["access"] == "immediate" && made["accessAt"] == .null)
    expect(made["isAccessible"] == true && made["state"] == "notSent")
    expect(made["subject"]?["title"] == "Gold ring" && made["beneficiary"]?["name"] == "Mia")
    expect(made["delivery"], is: [])
  }

  @Test func `a thing is left to a person once, and the way to edit is named`() throws {
    let made = try home.json("bequeath", "Gold ring", "--to", "mia")
    let again = try home.refusal(.refused, "bequeath", "Gold ring", "--to", "Mia")
    expect(again.contains("bequest edit \(try require(made["id"]?.string))"))
  }

  @Test func `the rule and the date are edited`() throws {
    try home.done("bequeath", "Gold ring", "--to", "Mia")
    let later = try home.json("bequest", "edit", "Gold ring", "--access", "upon-passing")
    expect(later["access"] == "uponPassing" && later["isAccessible"] == false)
    expect(later["accessibleAt"], is: .null)
    let dated = try home.json(
      "bequest", "edit", "Gold ring", "--access-after", "2036-06-15", "-m", "It was my mother's.")
    expect(dated["access"] == "afterDate" && dated["accessAt"] == "2036-06-14T22:00:00Z")
    expect(dated["accessibleAt"], is: dated["accessAt"])
    expect(dated["message"], is: "It was my mother's.")
    expect(dated["revision"], is: 3)
    try home.done("bequest", "edit", "Gold ring", "--access", "immediate", "-m", "")
    let plain = try home.json("bequest", "show", "Gold ring")
    expect(plain["message"] == "" && plain["access"] == "immediate")
  }

  @Test func `the message comes from a file, from standard input, and from the editor`() throws {
    func message() throws -> JSON? { try home.json("bequest", "show", "Gold ring")["message"] }
    try home.done("bequeath", "Gold ring", "--to", "Mia")
    let file = try home.write("From a file\n", as: "message.txt")
    try home.done("bequest", "edit", "Gold ring", "--message-file", file)
    try expect(message(), is: "From a file\n")
    try home.done("bequest", "edit", "Gold ring", "--message-file", "-", input: "Pipe")
    try expect(message(), is: "Pipe")
    // The editor begins with what is there.
    home.environment["EDITOR"] = "sed -i s/Pipe/Written/"
    home.process = SystemProcess.run
    try home.done("bequest", "edit", "Gold ring", "--message-edit")
    try expect(message(), is: "Written")
    // What cannot be kept stays in its draft.
    home.environment["EDITOR"] = "head -c \(Bequest.messageLimit + 1) /dev/zero | tr '\\0' x >"
    let refusal = try home.refusal(.refused, "bequest", "edit", "Gold ring", "--message-edit")
    expect(refusal.contains("the draft is kept in"), "\(refusal)")
  }

  @Test(arguments: [
    (ExitCode.usage, ["bequest", "edit", "Gold ring"], "nothing is named"),
    (
      .usage, ["bequest", "edit", "Gold ring", "--access", "immediate", "--access-after", "2040"],
      "contradict"
    ),
    (
      .usage, ["bequeath", "Watch", "--to", "Mia", "-m", "a", "--message-file", "b"],
      "several messages"
    ),
    (.notFound, ["bequeath", "Watch", "--to", "Nobody"], "beneficiary add"),
    (.notFound, ["bequeath", "Nothing", "--to", "Mia"], "item or capsule"),
    // Where nothing may be asked, the option is named.
    (.usage, ["bequeath", "Watch", "--no-input"], "--to"),
  ])
  func `what contradicts itself or names nothing is refused`(
    code: ExitCode, words: [String], told: String
  ) throws {
    try home.done("bequeath", "Gold ring", "--to", "Mia")
    let answer = try home.run(words)
    expect(answer.code == code && answer.out.isEmpty, "\(answer.err)")
    expect(answer.err.contains(told), "\(answer.err)")
  }

  // MARK: Somebody who is chosen

  @Test func `without a name the people are offered by number`() throws {
    try home.done("beneficiary", "add", "Ida")
    home.answers = ["2"]
    let run = try home.run("bequeath", "Gold ring")
    expect(run.code == .ok && run.out.contains("to 'Mia', immediately"), "\(run.err)")
    expect(run.questions, is: ["Who shall have 'Gold ring'? A number, or another name: "])
    expect(run.err.contains("1  Ida\n2  Mia, daughter\n"))
  }

  @Test func `somebody new is added on the spot, and there for all from then on`() throws {
    home.answers = ["Jon Snow", "y", "nephew"]
    let run = try home.run("bequeath", "Gold ring")
    expect(run.code, is: .ok, "\(run.err)")
    expect(
      Array(run.questions.dropFirst()),
      is: [
        "'Jon Snow' is not known yet. Add this person? [y/N] ", "Relationship (may stay empty): ",
      ])
    try expect(home.json("beneficiary", "show", "jon snow")["relationship"], is: "nephew")
    try home.done("bequeath", "Watch", "--to", "Jon Snow")
    let left = try home.json("bequest", "list", "--to", "Jon Snow").array
    expect(
      Set(left?.compactMap { $0["subject"]?["title"]?.string } ?? []), is: ["Gold ring", "Watch"])
  }

  @Test func `nobody is added whom the user does not want`() throws {
    home.answers = ["Nobody", "n"]
    try expect(home.run("bequeath", "Watch").code, is: .refused)
    try expect(home.strings("name", "beneficiary", "list"), is: ["Mia"])
    try expect(bequestCount(), is: 0)
  }

  @Test func `on a real terminal a name is asked for, and typed`() throws {
    let real = try ProgramStore()
    try real.done("item", "add", "Ring")
    try real.done("beneficiary", "add", "Mia", "--relationship", "daughter")
    let terminal = try TerminalRun(
      ProgramRun("bequeath", "Ring", environment: real.environment))
    try terminal.wait(for: "Mia")
    try terminal.wait(for: "daughter")
    try terminal.wait(for: "Who shall have 'Ring'? A number, or another name: ")
    terminal.send("1\n")
    let run = terminal.finish()
    expect(run.end == .exited(0) && run.out.contains("to 'Mia', immediately"))
  }

  // MARK: States

  @Test(arguments: [
    (ExitCode.refused, ["accepted"], "sent"), (.usage, ["lost"], "lost"),
    (.usage, ["sent", "--when", "2040-01-01"], "future"),
  ])
  func `a state in a wrong order or at a wrong time is refused`(
    code: ExitCode, words: [String], told: String
  ) throws {
    try home.done("bequeath", "Gold ring", "--to", "Mia")
    let answer = try home.run(["bequest", "mark", "Gold ring"] + words)
    expect(answer.code == code && answer.out.isEmpty)
    expect(answer.err.contains(told), "\(answer.err)")
  }

  @Test func `states are dated and kept, and what is accepted stays so`() throws {
    try home.done("bequeath", "Gold ring", "--to", "Mia")
    try home.done("bequest", "mark", "Gold ring", "sent", "--notes", "by post")
    expect(
      try home.refusal(.refused, "bequest", "edit", "Gold ring", "-m", "x").contains("sent"))
    try home.pass(seconds: 60)
    let accepted = try home.json("bequest", "mark", "Gold ring", "accepted")
    let changes = try require(accepted["delivery"]?.array)
    expect(changes.compactMap { $0["state"]?.string }, is: ["sent", "accepted"])
    expect(changes.first?["notes"], is: "by post")
    expect(changes.map { $0["at"] }, is: ["2026-03-10T12:00:00Z", "2026-03-10T12:01:00Z"])
    for state in ["sent", "declined"] {
      let message = try home.refusal(.refused, "bequest", "mark", "Gold ring", state)
      expect(message.contains("stays so"))
    }
    expect(try home.refusal(.refused, "bequest", "revoke", "Gold ring").contains("accepted"))
  }

  @Test func `what was revoked can be left anew, and is found by id only then`() throws {
    try home.done("bequeath", "Watch", "--to", "Mia")
    let revoked = try home.json("bequest", "revoke", "Watch", "--notes", "sold")
    expect(revoked["state"] == "revoked" && revoked["isAccessible"] == false)
    try expect(home.json("bequest", "show", "Watch")["state"], is: "revoked")
    try home.done("bequeath", "Watch", "--to", "Mia")
    try expect(home.json("bequest", "show", "Watch")["state"], is: "notSent")
    try expect(states().sorted(), is: ["notSent", "revoked"])
  }

  @Test func `the list is cut by state and by thing`() throws {
    try home.done("bequeath", "Gold ring", "--to", "Mia")
    try home.done("bequeath", "Watch", "--to", "Mia")
    let open = try home.json("bequest", "list", "--state", "notSent", "--of", "Watch").array
    expect(open?.count, is: 1)
    try expect(home.run("bequest", "list", "--state", "sent", "--exit-code").code, is: .none)
  }

  // MARK: A passing

  private func setOwner() throws { try home.done("settings", "set", "owner", "Anna Berg") }

  @Test func `without an owner no passing is declared`() throws {
    let message = try home.refusal(.refused, "passing", "declare", "--owner", "x")
    expect(message.contains("settings set owner"))
    let name = try home.refusal(.usage, "settings", "set", "owner", "a\nb")
    expect(name.contains("it takes a name"))
  }

  @Test(arguments: [
    (ExitCode.refused, ["declare"], "--owner"),
    (.refused, ["declare", "--owner", "anna berg"], "not the"),
    (.usage, ["declare", "--owner", "Anna Berg", "--on", "2040-01-01"], "future"),
    (.refused, ["withdraw", "--yes"], "no passing"),
  ])
  func `a passing is declared by the owner's name alone, and never in the future`(
    code: ExitCode, words: [String], told: String
  ) throws {
    try setOwner()
    let answer = try home.run(["passing"] + words)
    expect(answer.code == code && answer.out.isEmpty)
    expect(answer.err.contains(told), "\(answer.err)")
    try expect(home.json("passing", "show")["isDeclared"], is: false)
  }

  @Test func `whether somebody is alive is not guessed from settings that were changed`() throws {
    try setOwner()
    try home.replace("Anna", with: "Hanna", in: ".local/share/capsule/settings.json")
    expect(try home.refusal(.damaged, "passing", "show").contains("settings.json"))
    let message = try home.refusal(.damaged, "passing", "declare", "--owner", "Hanna Berg")
    expect(message.contains("repair"))
  }

  @Test func `a passing that is declared names a command line that hands over`() throws {
    try setOwner()
    try home.done("bequeath", "Gold ring", "--to", "Mia", "--access", "upon-passing")
    let told = try home.run("passing", "declare", "--owner", "Anna Berg").err
    let line = try require(
      told.split(separator: "now: capsule ").last?.split(separator: "\n").first)
    expect(line, is: "deliver --output handover")
    try home.done(["deliver", "--output", home.path + "/handover"])
    expect(home.names(in: "handover"), is: ["Mia"])
  }

  @Test func `a passing is declared on a terminal by typing the name`() throws {
    try setOwner()
    home.answers = ["Anna Berg"]
    let run = try home.run("passing", "declare")
    expect(run.questions, is: ["Type the owner's name to declare it: "])
    expect(run.code == .ok && (run.out + run.err).contains("Anna Berg passed away"))
    try expect(home.json("passing")["isDeclared"], is: true)
  }

  @Test func `on a real terminal a passing is declared by typing the name`() throws {
    let real = try ProgramStore()
    try real.done("item", "add", "Ring")
    try real.done("settings", "set", "owner", "Anna Berg")
    let terminal = try TerminalRun(
      ProgramRun("passing", "declare", environment: real.environment))
    try terminal.wait(for: "Type the owner's name to declare it: ")
    terminal.send("Anna Berg\n")
    try terminal.wait(for: "Anna Berg passed away")
    expect(terminal.finish().end, is: .exited(0))
  }

  @Test(arguments: [
    (["settings", "set", "owner", "Eve"], "passing withdraw"),
    (["settings", "unset", "owner"], "declared"),
    (["passing", "declare", "--owner", "Anna Berg"], "already"),
  ])
  func `while a passing is declared the owner stays who it is`(
    words: [String], told: String
  ) throws {
    try setOwner()
    try home.done("passing", "declare", "--owner", "Anna Berg")
    let answer = try home.run(words)
    expect(answer.code == .refused && answer.out.isEmpty)
    expect(answer.err.contains(told), "\(answer.err)")
  }

  @Test func `a passing opens what waits for it, until it is withdrawn`() throws {
    try home.done("bequeath", "Gold ring", "--to", "Mia", "--access", "upon-passing")
    try expect(home.json("bequest", "list", "--accessible"), is: [])
    try setOwner()
    try home.done("passing", "declare", "--owner", "Anna Berg")
    try expect(home.json("bequest", "list", "--accessible").array?.count, is: 1)
    // What depends on it is shown where it is looked at.
    let mia = try home.json("beneficiary", "show", "Mia")
    expect(mia["bequests"]?.array?[0]["isAccessible"], is: true)
    try home.done("passing", "withdraw", "--yes")
    try expect(home.json("bequest", "list", "--accessible"), is: [])
    let settings = try JSON.parse(home.bytes(of: ".local/share/capsule/settings.json"))
    expect(settings["passing"] == nil && settings["owner"] == "Anna Berg")
  }

  // MARK: What belongs together

  private func leaveTwo() throws {
    try addLetter()
    try home.done("bequeath", "Gold ring", "--to", "Mia")
    try home.done("bequeath", "Letter", "--to", "Mia", "--access-after", "2041-01-01")
  }

  @Test func `a person and a thing show what is left`() throws {
    try leaveTwo()
    let person = try home.done("beneficiary", "show", "Mia")
    expect(person.contains("Receives now\n  Gold ring"))
    expect(person.contains("Receives from a date\n  Letter"))
    expect(try home.done("item", "show", "Gold ring").contains("Left to\n  Mia"))
    try expect(home.json("show", "Letter")["bequests"]?.array?.count, is: 1)
  }

  @Test(arguments: [(["beneficiary"], "Mia", 2), (["item"], "Gold ring", 1), ([], "Letter", 1)])
  func `what hangs on a person or a thing goes with it when asked, and comes back with it`(
    noun: [String], name: String, count: Int
  ) throws {
    try leaveTwo()
    let words = noun + ["delete", name, "--yes"]
    let refused = try home.run(words)
    expect(refused.code == .refused && refused.err.contains("--with-bequests"))
    try expect(bequestCount(), is: 2)
    let deleted = try home.run(words + ["--with-bequests", "--json"]).json().array
    expect(deleted?.count, is: count + 1)
    expect(deleted?.last?["title"]?.string, is: name)
    try expect(bequestCount(), is: 2 - count)
    try expect(home.json("verify")["problems"], is: [])
    try expect(home.json("restore", name).array?.count, is: count + 1)
    try expect(bequestCount(), is: 2)
  }

  @Test func `a bequest alone does not come back before what it names`() throws {
    try leaveTwo()
    try home.done("bequest", "delete", "Gold ring", "--yes")
    try home.done("item", "delete", "Gold ring", "--yes")
    let alone = try home.refusal(.refused, "restore", "Gold ring to Mia")
    expect(alone.contains("the item") && alone.contains("capsule restore"))
    try home.done("restore", "Gold ring to Mia", "Gold ring")
    try expect(bequestCount(), is: 2)
    try expect(home.json("verify")["problems"], is: [])
  }

  @Test func `what waits for its other side is named, and comes back with it`() throws {
    let id = try require(try home.json("bequeath", "Gold ring", "--to", "Mia")["id"]?.string)
    try home.done("beneficiary", "delete", "Mia", "--yes", "--with-bequests")
    try home.pass(seconds: 2)
    try home.done("item", "delete", "Gold ring", "--yes")
    let first = try home.run("restore", "Mia")
    expect(first.code == .ok && first.err.contains("capsule restore \(id)"))
    try home.done("restore", "Gold ring")
    try expect(home.run("restore", id, "Nothing else").code, is: .notFound)
    try home.done("restore", id)
    try expect(bequestCount(), is: 1)
  }

  @Test func `at the same time it is left once, and declared once`() throws {
    let real = try ProgramStore()
    try real.done("item", "add", "Watch")
    try real.done("beneficiary", "add", "Mia")
    try real.done("settings", "set", "owner", "Anna")
    let line = """
      for i in 1 2 3 4; do
        { $capsule bequeath Watch --to Mia -q; echo $? >> left; } 2>/dev/null &
        { $capsule passing declare --owner Anna -q; echo $? >> declared; } 2>/dev/null &
      done
      wait
      grep -c '^0$' left; grep -c '^0$' declared
      """
    try expect(real.shell(line).lines.suffix(2), is: ["1", "1"])
    try expect(real.json("bequest", "list").array?.count, is: 1)
  }

  // MARK: In time

  @Test func `a date of a bequest stands in the agenda, in what is next and in the calendar`()
    throws
  {
    try home.done("bequeath", "Watch", "--to", "Mia", "--access-after", "in 10 days")
    try addLetter()
    try home.done("bequeath", "Letter", "--to", "Mia", "--access", "upon-passing")
    let agenda = try home.json("agenda", "--kind", "bequest").array
    expect(agenda?.last?["title"] == "Watch to Mia" && agenda?.last?["what"] == "delivery")
    try expect(home.json("next", "--kind", "bequest").array?.last?["kind"], is: "bequest")
    expect(try home.done("export", "ics").contains("SUMMARY:Watch to Mia"))
  }

  @Test func `what became accessible by its date is announced once`() throws {
    try home.done("check")
    try home.done("bequeath", "Gold ring", "--to", "Mia", "--access-after", "in 1 second")
    try addLetter()
    try home.done("bequeath", "Letter", "--to", "Mia", "--access", "upon-passing")
    try home.pass(seconds: 2)
    let due = try home.json("check").array
    expect(due?.count, is: 1)
    expect(due?.first?["topic"] == "accessible" && due?.first?["subject"]?["title"] == "Gold ring")
    try expect(home.json("check"), is: [])
  }

  @Test func `what was handed over meanwhile is not announced any more`() throws {
    try home.done("bequeath", "Watch", "--to", "Mia", "--access-after", "in 10 days")
    try home.done("bequest", "mark", "Watch", "sent")
    try expect(home.json("check", "--dry-run", "--at", "in 20 days"), is: [])
    try expect(home.json("agenda", "--kind", "bequest", "--from", "tomorrow"), is: [])
  }
}
