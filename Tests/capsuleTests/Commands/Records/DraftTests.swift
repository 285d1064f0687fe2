import CapsuleCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `draft message`, `draft suggest` and `draft describe`, with programs that stand for a model.
@Suite struct DraftTests {
  private let home: HostedStore
  private let assistant = Assisting()

  /// What the program answers, what it was asked, and what the user makes of it in the editor.
  private final class Assisting: Sendable {
    private let state = Mutex<(asked: [[UInt8]], outcome: ProcessOutcome, edit: String?)>(
      ([], ProcessOutcome(end: .exited(0)), nil))

    var asked: [[UInt8]] { state.withLock { $0.asked } }

    func answers(_ text: String, end: ProcessOutcome.End = .exited(0), edited: String? = nil) {
      state.withLock { state in
        state.outcome = ProcessOutcome(end: end, output: Array(text.utf8))
        state.edit = edited
      }
    }

    func run(_ request: ProcessRequest) -> ProcessOutcome {
      state.withLock { state in
        if let input = request.input {
          state.asked.append(input)
          return state.outcome
        }
        // The editor, with the file as its word.
        if let edit = state.edit, let path = request.arguments.last {
          let path = String(decoding: path, as: UTF8.self)
          _ = FileManager.default.createFile(atPath: path, contents: Data(edit.utf8))
        }
        return ProcessOutcome(end: .exited(0))
      }
    }
  }

  init() throws {
    home = try HostedStore()
    home.environment["EDITOR"] = "an-editor"
    home.environment["TERM"] = "xterm"
    try home.done(
      "beneficiary", "add", "Mia", "--relationship", "daughter", "--email", "mia@example.org",
      "--phone", "+49 30 1", "--contact", "Elm Street", "--notes", "secret of Mia")
    try home.done("settings", "set", "owner", "Anna Berg")
    try home.done(
      "item", "add", "Ring", "--description", "From 1912", "--notes", "secret of the ring",
      "--location", "Safe 7")
    try home.done("bequeath", "Ring", "--to", "Mia", "--access", "upon-passing")
    let assistant = assistant
    home.process = { request throws(SystemError) in assistant.run(request) }
  }

  /// Lets the next command run at a terminal, with a user who answers.
  private func sit(_ answers: String...) {
    home.answers = answers
    home.columns = 80
  }

  private func field(_ name: String, _ words: String...) throws -> String? {
    home.columns = nil
    return try home.json(words)[name]?.string
  }

  @Test(arguments: [
    ["draft", "message", "Ring"], ["draft", "suggest", "Ring"], ["draft", "describe", "Ring"],
  ])
  func `a dry run prints the very input, and nothing of it is private`(words: [String]) throws {
    let out = try home.done(words + ["--dry-run"])
    expect(assistant.asked.isEmpty)
    let request = try JSON.parse(Array(out.utf8))
    expect(request.object?.keys.sorted(), is: ["input", "instructions", "task", "version"])
    expect(request["version"] == 1 && request["task"]?.string == words[1])
    for word in ["secret", "example.org", "+49", "Elm Street", "Safe 7", "age1"] {
      expect(!out.contains(word), "\(word)")
    }
    assistant.answers("Mia")
    try home.done(words + ["--with", "x"])
    expect(assistant.asked.map { String(decoding: $0, as: UTF8.self) }, is: [out])
  }

  @Test func `notes and media are sent only where they are asked for`() throws {
    let out = try home.done("draft", "message", "Ring", "--dry-run", "--include", "notes")
    expect(out.contains("secret of Mia") && out.contains("secret of the ring"))
    try home.done("item", "attach", "Ring", try home.write("picture", as: "ring.bin"))
    expect(try !home.done("draft", "describe", "Ring", "--dry-run").contains("ring.bin"))
    let media = try home.done("draft", "describe", "Ring", "--dry-run", "--include", "media")
    expect(media.contains("\"base64\":\"cGljdHVyZQ==\""))
  }

  @Test func `a capsule's contents are never sent`() throws {
    try home.done(
      "create", "Letter", "--unlock", "2020-01-01", "--allow-past", "--text", "secret words")
    try home.done("bequeath", "Letter", "--to", "Mia")
    let words = ["draft", "message", "Letter", "--dry-run", "--include", "notes"]
    expect(try !home.done(words).contains("secret words"))
  }

  @Test func `without a terminal a draft is printed, and nothing is kept`() throws {
    assistant.answers("\u{1b}[1mDear Mia\u{1b}[0m\r\n")
    try expect(home.done("draft", "message", "Ring", "--with", "x"), is: "Dear Mia\n")
    try expect(
      home.json("draft", "message", "Ring", "--with", "x")["draft"]?.string, is: "Dear Mia")
    try expect(field("message", "bequest", "show", "Ring"), is: "")
  }

  @Test func `at a terminal a message is shown, edited, and kept as it was saved`() throws {
    assistant.answers("Dear Mia", edited: "Dearest Mia\n")
    sit("y")
    let out = try home.done("draft", "message", "Ring", "--with", "x")
    expect(out.contains("Dear Mia") && out.contains("Kept it as the message"))
    try expect(field("message", "bequest", "show", "Ring"), is: "Dearest Mia\n")
  }

  @Test func `who does not want a draft keeps nothing of it`() throws {
    assistant.answers("Dear Mia", edited: "Dearest Mia\n")
    sit("n")
    expect(
      try home.run("draft", "message", "Ring", "--with", "x").err.contains("Nothing was kept"))
    try expect(field("message", "bequest", "show", "Ring"), is: "")
  }

  @Test(arguments: [
    (ProcessOutcome.End.exited(1), "Dear Mia", ExitCode.io), (.exited(127), "", .io),
    (.timedOut, "Dear", .io), (.signalled(9), "Dear", .io), (.exited(0), "", .refused),
    (.exited(0), "\u{1b}[2J \n", .refused),
    (.exited(0), String(repeating: "a", count: 65_537), .refused),
  ])
  func `a program that fails, or says nothing or too much, changes nothing`(
    end: ProcessOutcome.End, text: String, code: ExitCode
  ) throws {
    assistant.answers(text, end: end, edited: "kept all the same")
    for command in ["message", "suggest", "describe"] {
      sit("y")
      try expect(home.run("draft", command, "Ring", "--with", "x").code, is: code, "\(command)")
    }
    try expect(field("message", "bequest", "show", "Ring"), is: "")
    try expect(field("description", "item", "show", "Ring"), is: "From 1912")
  }

  @Test func `what is not text in UTF-8 changes nothing`() throws {
    home.process = { _ throws(SystemError) in
      ProcessOutcome(end: .exited(0), output: [0x61, 0xff])
    }
    let said = try home.refusal(.refused, "draft", "message", "Ring", "--with", "x")
    expect(said.contains("UTF-8"))
  }

  @Test func `the words of a program that fails are passed on, made harmless`() throws {
    home.process = { _ throws(SystemError) in
      ProcessOutcome(
        end: .exited(3), output: Array("Dear".utf8),
        errorOutput: Array("no model\u{1b}[2J\n".utf8))
    }
    let said = try home.refusal(.io, "draft", "message", "Ring", "--with", "x")
    expect(said.contains("it ended with 3: no model\\u{1b}[2J"), "\(said)")
  }

  @Test func `a draft for what is gone meanwhile is not kept, and its text is`() throws {
    let (assistant, place) = (assistant, home.path)
    assistant.answers("Dear Mia", edited: "Dearest Mia\n")
    home.process = { request throws(SystemError) in
      if request.input != nil {
        let names =
          FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
        for name in names where name.contains("/bequests/") && name.hasSuffix(".json") {
          try? FileManager.default.removeItem(atPath: place + "/" + name)
        }
      }
      return assistant.run(request)
    }
    sit("y")
    let run = try home.run("draft", "message", "Ring", "--with", "x")
    expect(run.code == .notFound && run.err.contains("the draft is kept in"), "\(run)")
  }

  @Test func `a message that was delivered is not drafted anew`() throws {
    try home.done("bequest", "mark", "Ring", "sent")
    try home.refusal(.refused, "draft", "message", "Ring", "--with", "x")
    expect(assistant.asked.isEmpty)
  }

  @Test func `without an editor a draft is shown, and nothing is kept`() throws {
    home.environment["EDITOR"] = nil
    home.environment["TERM"] = "dumb"
    assistant.answers("Dear Mia")
    sit("y")
    let run = try home.run("draft", "message", "Ring", "--with", "x")
    expect(run.code == .ok && run.out.contains("Dear Mia") && run.err.contains("Nothing was kept"))
  }

  @Test func `a name that several have suggests none of them`() throws {
    try home.done("beneficiary", "add", "Bo", "--relationship", "son")
    try home.done("beneficiary", "add", "bo", "--relationship", "uncle")
    assistant.answers("Bo: strong\nMia\nmia: again\n")
    let run = try home.run("draft", "suggest", "Ring", "--with", "x", "--json")
    expect(run.code == .partial && run.err.contains("several people"), "\(run.err)")
    let answer = try run.json()
    expect(answer["suggestions"]?.array?.map { $0["name"]?.string }, is: ["Mia"])
    expect(answer["ambiguous"]?.array?.map(\.string), is: ["Bo: strong"])
  }

  @Test func `many lines that name nobody are counted`() throws {
    assistant.answers(String(repeating: "Eve\n", count: 1000) + "Mia")
    let run = try home.run("draft", "suggest", "Ring", "--with", "x")
    expect(run.code == .partial && run.err.contains("995 more"))
    expect(run.err.utf8.count < 1000)
  }

  @Test func `people who do not exist are named, and never suggested`() throws {
    assistant.answers("Eve: she would like it\nMia: she wore it\n")
    let run = try home.run("draft", "suggest", "Ring", "--with", "x", "--json")
    expect(run.code == .partial && run.err.contains("Eve"))
    let answer = try run.json()
    expect(answer["suggestions"]?.array?.map { $0["name"]?.string }, is: ["Mia"])
    assistant.answers("Eve\nAdam\n")
    try home.refusal(.refused, "draft", "suggest", "Ring", "--with", "x")
  }

  @Test func `a suggestion that is chosen leaves the item upon passing, or as it is asked`() throws
  {
    try home.done("item", "add", "House")
    assistant.answers("Mia: it is hers\n")
    sit("1")
    try home.done("draft", "suggest", "House", "--with", "x")
    home.columns = nil
    let bequest = try home.json("bequest", "show", "House")
    expect(bequest["access"]?.string, is: "uponPassing", "\(bequest)")
    sit("7")
    try expect(home.run("draft", "suggest", "House", "--with", "x").code, is: .usage)
  }

  @Test func `a description takes the category and the value that stand above it`() throws {
    assistant.answers("A ring.", edited: "Category: Jewellery\nValue: EUR 12\n\nA gold ring.\n")
    sit("")
    try home.done("draft", "describe", "Ring", "--with", "x")
    home.columns = nil
    let item = try home.json("item", "show", "Ring")
    expect(item["description"]?.string, is: "A gold ring.")
    expect(item["category"]?.string, is: "Jewellery")
  }

  @Test func `the program is named in the configuration of the machine, or by an option`() throws {
    let said = try home.refusal(.usage, "draft", "message", "Ring")
    expect(said.contains("--with") && said.contains("capsule/assistant"))
    try home.write("command = my-model\n", as: ".config/capsule/assistant")
    assistant.answers("Dear Mia")
    try home.done("draft", "message", "Ring")
  }
}

/// Drafts by real programs.
@Suite struct DraftProgramTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    try home.done("beneficiary", "add", "Mia", "--relationship", "daughter")
    try home.done("item", "add", "Ring", "--description", "From 1912")
    try home.done("bequeath", "Ring", "--to", "Mia")
  }

  @Test func `a program that hangs or floods is ended, with all that it started`() throws {
    let start = ContinuousClock.now
    // Both ignore SIGTERM, and the second one holds the pipe.
    let hanging = try home.run(
      "draft", "message", "Ring", "--time-limit", "1", "--with",
      "trap '' TERM; (echo $$ > \"$HOME/group\"; sleep 61) & echo Dear; sleep 61")
    expect(
      hanging.end == .exited(10) && hanging.err.contains("longer than 1 second"), "\(hanging.err)")
    try expectNobody(in: "group")
    let flooding = try home.run("draft", "message", "Ring", "--with", "yes")
    expect(flooding.end == .exited(12) && flooding.err.contains("more than 64 KiB"))
    expect(ContinuousClock.now - start < .seconds(40))
  }

  /// Waits until no process is left in the group whose number a file holds.
  private func expectNobody(in name: String) throws {
    let group = try require(Int32(try home.text(of: name).trimmed))
    for _ in 0..<100 where kill(-group, 0) == 0 { usleep(20_000) }
    expect(kill(-group, 0) != 0)
  }

  @Test func `a program that leaves another one behind is not waited for, and that one ends`()
    throws
  {
    let start = ContinuousClock.now
    let run = try home.run(
      "draft", "message", "Ring", "--with",
      "trap '' TERM; echo $$ > \"$HOME/group\"; sleep 62 & echo Dear")
    expect(run.end == .exited(0) && run.out == "Dear\n")
    expect(ContinuousClock.now - start < .seconds(40))
    try expectNobody(in: "group")
  }

  @Test func `a program that does not heed the signal which ends the command ends with it`() throws
  {
    var run = home.program([
      "draft", "message", "Ring", "--with",
      "trap '' TERM; echo $$ > \"$HOME/group\"; kill -TERM $PPID; sleep 63",
    ])
    run.timeLimit = 60
    try expect(run.result().end, is: .signalled(SIGTERM))
    try expectNobody(in: "group")
  }

  @Test func `a program may read nothing of what it is asked`() throws {
    try expect(home.done("draft", "message", "Ring", "--with", "echo Dear"), is: "Dear\n")
  }

  @Test(.enabled(if: OtherPrograms.areExpected("jq"), "jq is not installed"))
  func `the template in contrib drafts all three`() throws {
    let template = BuiltProgram.packageRoot + "contrib/assistants/template"
    try expect(
      home.done("draft", "message", "Ring", "--with", template),
      is: "Dear Mia,\n\nthis is for you: Ring. From 1912\n")
    try expect(home.done("draft", "suggest", "Ring", "--with", template), is: "Mia: daughter\n")
    try expect(home.done("draft", "describe", "Ring", "--with", template), is: "From 1912\n")
  }
}
