import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct CreateTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  @Test func `contents come back in the order given, byte for byte, with names and types`() throws {
    let png: [UInt8] = [0x89] + Array("PNG\r\n\u{1a}\nrest".utf8)
    let picture = try home.write(png, as: "p.png")
    let plain = try home.write("plain", as: "n.txt")
    let id = try home.createUnlocked("Box", "--text", "first", picture, "--file", plain)
    let items = try require(try home.json("open", id)["items"]?.array)
    expect(items.map { $0["text"] }, is: ["first", .null, .null])
    expect(items.map { $0["name"] }, is: [.null, "p.png", "n.txt"])
    expect(items.map { $0["mediaType"] }, is: ["text/plain", "image/png", "text/plain"])
    try home.done("open", id, "--output", home.path + "/out")
    try expect(home.bytes(of: "out/p.png"), is: png)
    try expect(home.text(of: "out/n.txt"), is: "plain")
    try expect(home.text(of: "out/text-1.txt"), is: "first")
  }

  @Test func `standard input is a text where it is text`() throws {
    try home.done("create", "T", "-u", "2020", "--allow-past", "-q", "-", input: "Grüße\n")
    try expect(home.done("open", "T"), is: "Grüße\n")
  }

  @Test(arguments: [
    ("missing.txt", ExitCode.io, "missing.txt"), ("folder", .refused, "is a directory"),
    ("big", .refused, "maxFileSize"),
  ])
  func `what cannot be taken is refused by name, and nothing is made`(
    content: String, code: ExitCode, words: String
  ) throws {
    try home.write("", as: "folder/file")
    let big = try FileHandle(forWritingTo: URL(filePath: try home.write("", as: "big")))
    try big.truncate(atOffset: 2 << 30)
    try big.close()
    let message = try home.refusal(
      code, "create", "X", "--unlock", "2090", "--text", "t", home.path + "/" + content)
    expect(message.contains(words))
    expect(home.files(below: ".local"), is: [])
  }

  @Test func `an unlock time in the past is refused, but for imports`() throws {
    let message = try home.refusal(.usage, "create", "P", "--unlock", "1999-12-31", "--empty")
    expect(message.contains("--allow-past"))
    try home.done("create", "P", "--unlock", "1999-12-31", "--empty", "--allow-past")
  }

  @Test func `without an unlock time and without a terminal it says which option answers`() throws {
    let result = try home.run("create", "X", "--empty", "--json")
    expect(result.code == .usage && result.out == "")
    try expect(result.errorJSON()["error"]?["hint"]?.string?.contains("--unlock"), is: true)
  }

  @Test(arguments: ["", "   ", String(repeating: "x", count: 1025)])
  func `a title that is empty or too long is refused`(title: String) throws {
    try home.refusal(.usage, "create", title, "--unlock", "2090", "--empty")
  }

  @Test func `a text in the editor is sealed, and its draft is gone`() throws {
    home.environment["EDITOR"] = "printf 'From the editor.' >"
    home.process = SystemProcess.run
    try home.done("create", "E", "-u", "2020", "--allow-past", "--edit")
    try expect(home.done("open", "E"), is: "From the editor.")
    let left = home.files(below: "").filter { $0.contains("draft") || $0.hasSuffix("text.txt") }
    expect(left, is: [])
  }

  @Test func `an editor that fails keeps the draft and names it`() throws {
    home.environment["EDITOR"] = "sh -c 'printf words > \"$0\"; exit 1'"
    home.process = SystemProcess.run
    let message = try home.refusal(.refused, "create", "E", "-u", "2090", "--edit")
    let path = try require(message.split(separator: "'").first { $0.hasSuffix("text.txt") })
    try expect(String(contentsOfFile: String(path), encoding: .utf8), is: "words")
  }

  @Test func `an editor that writes nothing and fails leaves nothing, and no store`() throws {
    home.environment["EDITOR"] = "false"
    home.process = SystemProcess.run
    let message = try home.refusal(.refused, "create", "E", "-u", "2090", "--edit")
    expect(message.contains("failed; nothing was made") && !message.contains("kept"))
    expect(home.files(below: "") == [] && home.names(in: ".local") == nil)
  }

  @Test func `an editor that cannot be started claims no draft`() throws {
    home.environment["EDITOR"] = "no-such-editor"
    home.process = SystemProcess.run
    let message = try home.refusal(.refused, "create", "E", "-u", "2090", "--edit")
    expect(!message.contains("kept"))
    expect(home.files(below: "").filter { $0.contains("draft") }, is: [])
  }

  @Test func `a signal while the editor runs ends it, and the draft is kept and named`() throws {
    let home = try ProgramStore()
    let editor = "printf words >\"$1\"; kill -TERM $PPID; sleep 0.2; false"
    let run = try home.shell(
      "EDITOR='\(editor)' $capsule create E -u 2090 --edit; [ $? = 143 ] || exit 1")
    expect(run.end, is: .exited(0), "\(run.err)")
    let path = try require(run.err.split(separator: "'").first { $0.hasSuffix("text.txt") })
    try expect(String(contentsOfFile: String(path), encoding: .utf8), is: "words")
    expect(!run.err.contains("error"), "\(run.err)")
  }

  /// An editor that writes a text, and what comes while it runs.
  private func edit(_ text: String, _ outcome: ProcessOutcome) {
    home.environment["EDITOR"] = "editor"
    home.process = { request throws(SystemError) in
      if !request.isForeground { throw SystemError(code: 1, action: "run the editor") }
      let file = URL(filePath: String(decoding: request.arguments.last ?? [], as: UTF8.self))
      if !text.isEmpty, (try? Data(text.utf8).write(to: file)) == nil {
        throw SystemError(code: 1, action: "write")
      }
      return outcome
    }
  }

  @Test func `of an editor that was interrupted before anything was written nothing stays`() throws
  {
    var outcome = ProcessOutcome(end: .signalled(2))
    outcome.interruption = .interrupted
    edit("", outcome)
    let message = try home.refusal(.interrupted, "create", "E", "-u", "2090", "--edit")
    expect(message, is: "")
    expect(home.files(below: "").filter { $0.contains("draft") }, is: [])
  }

  @Test func `Ctrl-C that the editor took for itself loses nothing`() throws {
    var outcome = ProcessOutcome(end: .exited(0))
    outcome.interruption = .interrupted
    edit("words", outcome)
    try home.done("create", "E", "-u", "2020", "--allow-past", "--edit")
    try expect(home.done("open", "E"), is: "words")
    outcome.interruption = .terminated
    edit("words", outcome)
    let message = try home.refusal(.terminated, "create", "F", "-u", "2090", "--edit")
    expect(message.contains("the draft is kept in"))
  }

  // MARK: Nothing named

  @Test
  func `where nothing is named and no terminal is there, it says what to do and reads nothing`()
    throws
  {
    let result = try ProgramStore().shell(
      "printf 'a\nb\n' | while read -r t; do $capsule create \"$t\" -u 2090; echo $t $?; done")
    expect(result.out, is: "a 2\nb 2\n")
    expect(result.err.contains("pass '-' for standard input, or '--empty'"))
    let message = try home.refusal(.usage, "create", "Diary", "-u", "2090", input: "secret")
    expect(message.contains("nothing is named to be put in"))
    expect(home.names(in: ".local") == nil)
  }

  @Test func `an empty one is made on purpose, and filled later`() throws {
    let made = try home.run("create", "E", "-u", "2090", "--empty")
    expect(made.code == .ok && made.err.contains("holds nothing yet"))
    try home.done("add", "E", "--text", "t")
    try expect(home.json("show", "E")["contents"]?["total"], is: 1)
  }

  @Test(arguments: [["--text", "t"], ["-"], ["x.txt"], ["--edit"]])
  func `an empty one with contents is a contradiction`(words: [String]) throws {
    try home.refusal(.usage, ["create", "E", "-u", "2090", "--empty"] + words)
  }

  @Test func `on a terminal the editor is offered where nothing is named`() throws {
    home.environment["EDITOR"] = "editor"
    home.process = { request throws(SystemError) in
      let file = URL(filePath: String(decoding: request.arguments.last ?? [], as: UTF8.self))
      return ProcessOutcome(end: .exited((try? Data("t".utf8).write(to: file)) == nil ? 1 : 0))
    }
    home.inputIsTerminal = true
    home.answers = [""]
    let made = try home.run("create", "E", "-u", "2020", "--allow-past")
    expect(made.code == .ok && made.questions.first?.contains("in the editor? [Y/n]") == true)
    home.answers = ["n"]
    try home.refusal(.usage, "create", "F", "-u", "2090")
    home.answers = ["y"]
    try home.done("add", "E")
    try expect(home.json("show", "E")["contents"]?["text"], is: 2)
  }

  // MARK: Captions

  @Test func `each caption is sealed with the content before it`() throws {
    try home.createUnlocked(
      "C", try home.write("x", as: "a.txt"), "--caption", "The first", "--text", "t",
      try home.write("y", as: "b.txt"), "--caption", "The last")
    let items = try require(try home.json("open", "C")["items"]?.array)
    expect(items.map { $0["caption"]?.string }, is: ["The first", nil, "The last"])
    for name in home.files(below: ".local") where name.hasSuffix(".json") {
      expect(try !home.text(of: ".local/" + name).contains("The first"))
    }
    home.columns = 80
    home.environment["NO_COLOR"] = "1"
    expect(try home.done("open", "C").contains("a.txt  text/plain  1 B  The first\n"))
  }

  @Test func `the caption of an only content may stand before it`() throws {
    try home.createUnlocked("C", "--caption", "Us", try home.write("x", as: "a.txt"))
    try expect(home.json("open", "C")["items"]?.array?.first?["caption"], is: "Us")
  }

  @Test(arguments: [
    ["--caption", "a"], ["--caption", "a", "--text", "t", "--text", "u"],
    ["--text", "t", "--caption", "a", "--caption", "b"],
  ])
  func `a caption of nothing, and a second one, are refused`(words: [String]) throws {
    try home.refusal(.usage, ["create", "C", "-u", "2090"] + words)
  }

  @Test func `nothing of what is sealed lies in the store in the clear`() throws {
    try home.create(
      "Open title", "-u", "2090", "--text", "the secret words",
      try home.write("the secret words", as: "secret-name.txt"))
    for name in home.files(below: ".local") {
      let text = try home.text(of: ".local/" + name)
      expect(!text.contains("secret words") && !text.contains("secret-name"), "\(name)")
    }
  }

  @Test func `a directory that holds something else is not made a store`() throws {
    try home.write("", as: "other/file")
    try home.refusal(
      .refused, "create", "X", "-u", "2090", "--empty", "--store", home.path + "/other")
    expect(home.names(in: "other"), is: ["file"])
  }
}

/// What only the real program shows: its streams, its umask, and names that are no text.
@Suite struct CreateProgramTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  @Test func `standard input is a file where it is no text`() throws {
    try home.walk("head -c 70000 /dev/zero | $capsule create Z -u 2020 --allow-past -")
    try expect(home.run("open", "Z").output, is: [UInt8](repeating: 0, count: 70_000))
  }

  @Test func `a file name that is not UTF-8 is kept as it is`() throws {
    try home.walk(
      "n=$(printf 'caf\\351.txt'); printf x > \"$n\"; "
        + "$capsule create N -u 2020 --allow-past \"$n\" && $capsule open N -o out")
    try expect(home.shell("ls out | od -An -tx1 | tr -d ' \\n'").out, is: "636166e92e7478740a")
  }

  @Test func `a store is private whatever the umask`() throws {
    try home.walk("umask 000; $capsule create X -u 2090 --text t")
    let modes = try home.shell(
      "cd '\(home.store)' && find . -type d ! -perm 700; find . -type f ! -perm 600 ! -perm 400")
    expect(modes.out, is: "")
  }
}
