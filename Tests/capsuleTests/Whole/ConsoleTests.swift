import CapsuleCore
import CapsulePlatform
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A program of one command, which does what the test says.
private func run(
  _ arguments: [String], environment: [String: String] = [:], columns: Int? = nil,
  answers: [String]? = nil, now: String? = nil,
  _ body: @escaping Command.Run
) -> TestHost.Run {
  let list = Command("list", summary: "List things", outputs: [.json, .ndjson], run: body)
  var host = TestHost()
  host.arguments = arguments.map { Array($0.utf8) }
  host.environment = environment
  host.columns = columns
  host.answers = answers
  host.now = now
  host.zones = TestZones.database
  host.table = CommandTable(groups: [CommandGroup("Things", [list])])
  return host.run()
}

@Suite struct ConsoleTests {
  @Test func `an error is a line and a hint on standard error`() {
    let run = run(["list"]) { _, _ throws in
      throw Fault(.locked, "'A\u{1b}B' is locked", hint: "wait")
    }
    expect(run.code, is: .locked)
    expect(run.out.isEmpty)
    expect(run.err, is: "capsule: error: 'A\\u{1b}B' is locked\ncapsule: hint: wait\n")
  }

  @Test func `with JSON an error is one object on one line and standard output is empty`() throws {
    let run = run(["list", "--json"]) { _, session throws in
      session.console.warning("the disk is full\nof words")
      throw Fault(.locked, "'A' is locked", details: ["secondsRemaining": 5])
    }
    expect(run.code, is: .locked)
    expect(run.out.isEmpty)
    expect(
      run.err,
      is: """
        {"warning":{"hint":null,"message":"the disk is full\\nof words"}}
        {"error":{"code":4,"fault":"locked","hint":null,"kind":"locked","message":"'A' is locked","secondsRemaining":5}}

        """)
  }

  @Test(arguments: [
    ("capsule list", "capsule --store 'b c' list"),
    (
      "list the store's trash: capsule trash; then: capsule purge",
      "list the store's trash: capsule --store 'b c' trash; then: capsule --store 'b c' purge"
    ),
    (
      "list: capsule show 'it'\\''s; a: capsule list'; or: capsule list",
      "list: capsule --store 'b c' show 'it'\\''s; a: capsule list'; or: capsule --store 'b c' list"
    ),
    ("choose one of: 'capsule list', 'Mia's: capsule list'", nil),
    ("capsule --store other list", nil), ("list the forms: capsule help dates", nil),
    ("on another device: capsule sync clone PLACE", nil), ("open the capsule again", nil),
  ])
  func `a hint's commands act on the store that the option names`(hint: String, shown: String?) {
    let run = run(["list", "--store", "b c"]) { _, _ throws in
      throw Fault(.refused, "no", hint: hint)
    }
    expect(run.err, is: "capsule: error: no\ncapsule: hint: \(shown ?? hint)\n")
  }

  @Test(arguments: [
    ["list", "--json", "--bogus"], ["list", "--bogus", "--ndjson"], ["lst", "--json"],
    ["--json", "--nonsense"],
  ])
  func `a wrong command line is told in JSON where JSON was asked for`(arguments: [String]) throws {
    let run = run(arguments) { _, _ throws in .done }
    expect(run.code, is: .usage)
    try expect(run.errorJSON()["error"]?["kind"], is: "usage")
    try expect(run.errorJSON()["error"]?["code"], is: 2)
  }

  @Test func `notes are silent with -q and in JSON, warnings are not`() {
    let body: Command.Run = { _, session throws in
      session.console.note("by the way")
      session.console.warning("look out")
      return .done
    }
    expect(run(["list"], body).err, is: "by the way\ncapsule: warning: look out\n")
    expect(run(["list", "-q"], body).err, is: "capsule: warning: look out\n")
    expect(run(["list", "--json"], body).err.hasPrefix(#"{"warning":"#))
  }

  @Test func `a list is an array, one object a line, or text`() throws {
    let body: Command.Run = { _, session throws in
      Answer(rows: [1, 2]) {
        ["number": .integer(Int64($0))]
      } text: {
        $0.line("1 and 2")
      }
    }
    expect(run(["list"], body).out, is: "1 and 2\n")
    expect(run(["list", "--json"], body).out, is: "[{\"number\":1},{\"number\":2}]\n")
    expect(run(["list", "--ndjson"], body).out, is: "{\"number\":1}\n{\"number\":2}\n")
    let colored = run(["list", "--json", "--color=always"], columns: 80, body)
    expect(!colored.out.contains("\u{1b}"))
  }

  @Test func `an empty list is an empty array`() {
    let body: Command.Run = { _, session throws in
      .empty()
    }
    expect(run(["list", "--json"], body).out, is: "[]\n")
    expect(run(["list", "--ndjson"], body).out.isEmpty)
  }

  @Test func `with -q an answer has all of its text, a part of it, its id or nothing`() throws {
    let id = try require(RecordID("01234567-89ab-4cde-8f01-23456789abcd"))
    func out(_ arguments: String..., answer: @escaping @Sendable () -> Answer) -> String {
      run(["list"] + arguments) { _, _ throws in answer() }.out
    }
    expect(out("-q") { Answer { $0.line("text") } }, is: "text\n")
    expect(out("-q") { Answer(quiet: .nothing) { $0.line("text") } }, is: "")
    expect(out("-q") { Answer(["a": 1], quiet: .id(id)) { $0.line("text") } }, is: "\(id)\n")
    expect(out("-q", "--json") { Answer(["a": 1], quiet: .id(id)) }, is: "{\"a\":1}\n")
    let parts: @Sendable () -> Answer = {
      Answer { $0.line("damage") }.unlessQuiet { $0.line("1 record") }
    }
    expect(out(answer: parts), is: "damage\n1 record\n")
    expect(out("-q", answer: parts), is: "damage\n")
  }

  @Test func `a remark is asked for when the text is written, and not elsewhere`() {
    let body: Command.Run = { _, session throws in
      var isEmpty = false
      return Answer(["a": 1]) { _ in isEmpty = true }
        .noting(isEmpty ? "Nothing is here." : nil)
        .noting(nil)
    }
    expect(run(["list"], body).err, is: "Nothing is here.\n")
    expect(run(["list", "-q"], body).err.isEmpty)
    expect(run(["list", "--json"], body).err.isEmpty)
  }

  @Test func `what follows an answer is given its code and may give another`() {
    let body: Command.Run = { _, session throws in
      Answer(ending: .none) { $0.line("text") }
        .then { code in
          session.console.warning("\(code.rawValue)")
          return .partial
        }
        .then { $0 == .partial ? .damaged : .ok }
    }
    let run = run(["list"], body)
    expect(run.code, is: .damaged)
    expect(run.err, is: "capsule: warning: 1\n")
    expect(run.said, is: [.output(Array("text\n".utf8)), .error(Array(run.err.utf8))])
  }

  @Test func `questions are asked on the terminal, and none with --no-input`() {
    let body: Command.Run = { _, session throws in
      let isSure = try session.ask.isYes(
        "Delete it?",
        unanswered: Fault(.refused, "nothing is deleted unasked", hint: "give '--yes'"))
      return .ended(isSure ? .ok : .refused)
    }
    let yes = run(["list"], answers: ["Yes"], body)
    expect(yes.code, is: .ok)
    expect(yes.questions, is: ["Delete it? [y/N] "])
    expect(run(["list"], answers: [""], body).code, is: .refused)
    let silent = run(["list", "--no-input"], answers: ["y"], body)
    expect(silent.code, is: .refused)
    expect(silent.questions.isEmpty)
    expect(silent.err.contains("--yes"))
    expect(run(["list"], body).code, is: .refused)
    expect(run(["list"], answers: [], body).err.contains("--yes"))
  }

  @Test func `the clock is read once a run`() {
    let run = run(["list"], now: "2026-03-01T12:00:00Z") { _, session throws in
      expect(session.now, is: session.now)
      expect(session.now.rfc3339, is: "2026-03-01T12:00:00Z")
      return .done
    }
    expect(run.code, is: .ok)
  }

  @Test func `an unusable TZ is warned about once`() {
    let run = run(["list"], environment: ["TZ": "/nowhere"]) { _, session throws in
      _ = session.zone
      _ = session.zone
      return .done
    }
    expect(run.err.split(separator: "\n").count, is: 2)
    expect(run.err.contains("'/nowhere'"))
  }

  @Test(arguments: [
    (ExitCode.ok, ENOSPC, ExitCode.io), (.partial, ENOSPC, .partial), (.ok, EPIPE, .brokenPipe),
    (.partial, EPIPE, .brokenPipe),
  ])
  func `the last line of an answer that cannot be written changes the exit status`(
    code: ExitCode, errno: Int32, end: ExitCode
  ) {
    let list = Command("list", summary: "List things") { _, session in
      session.console.out.line("a thing")
      return .ended(code)
    }
    let record = TestHost.Record()
    var host = TestHost("list").host(record)
    host.output.write = { _ throws(Fault) in
      throw Fault(system: errno, action: "write to standard output")
    }
    let table = CommandTable(groups: [CommandGroup("Things", [list])])
    expect(Program(table: table, host: host).run(), is: end)
    let error = "capsule: error: cannot write to standard output: no space left on device\n"
    let said = record.state.withLock { String(decoding: $0.errorOutput, as: UTF8.self) }
    expect(said, is: end == .io ? error : "")
  }

  @Test func `opened text is made harmless on a terminal and exact in a pipe`() {
    let body: Command.Run = { _, session throws in
      Answer { $0.block("a\u{1b}[2Jb\n") }
    }
    expect(run(["list"], body).out, is: "a\u{1b}[2Jb\n")
    expect(run(["list"], columns: 80, body).out, is: "a\\u{1b}[2Jb\n")
  }
}
