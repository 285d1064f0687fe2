import CapsuleCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `open --page`: a capsule as people receive it.
@Suite struct OpenPageTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore()
    try home.createUnlocked(
      "Summer", "--text", "At the <lake>.", try home.write([0, 1, 2], as: "photo.bin"))
  }

  @Test func `a page is made whole in a folder of its own, and counts as opened`() throws {
    let folder = home.path + "/page"
    let out = try home.done("open", "Summer", "--page", "--output", folder)
    expect(out, is: "Made the page of 'Summer': \(folder)/index.html\n")
    expect(
      home.files(below: "page"),
      is: [
        "files/photo.bin", "files/text-1.txt", "index.html", "letter.txt",
      ])
    expect(try home.text(of: "page/index.html").contains("At the &lt;lake&gt;."))
    try expect(home.bytes(of: "page/files/photo.bin"), is: [0, 1, 2])
    expect(try home.json("show", "Summer")["openedAt"]?.string != nil)
  }

  @Test func `a folder that is there is not written into, and nothing is left beside it`() throws {
    try home.write("mine", as: "page/own.txt")
    try home.refusal(.refused, "open", "Summer", "--page", "--output", home.path + "/page")
    expect(home.files(below: "page"), is: ["own.txt"])
    expect(home.names(in: "")?.contains { $0.contains("partial") }, is: false)
    expect(try home.json("show", "Summer")["openedAt"]?.string == nil)
  }

  @Test func `an empty folder is taken, and a file is not`() throws {
    let folder = home.path + "/page"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try home.done("open", "Summer", "--page", "--output", folder + "/")
    expect(home.files(below: "page").contains("index.html"))
    try home.done("open", "Summer", "--page", "--output", home.path + "/new//")
    expect(home.files(below: "new").contains("index.html"))
    let file = try home.write("mine", as: "file")
    let said = try home.refusal(.refused, "open", "Summer", "--page", "--output", file)
    expect(said.contains("new or empty") && !said.contains("--force"))
    try expect(home.text(of: "file"), is: "mine")
  }

  @Test func `the page is for the owner, where the settings name one`() throws {
    try home.done("open", "Summer", "--page", "--output", home.path + "/one")
    expect(try home.text(of: "one/letter.txt").hasPrefix("For you\n"))
    try home.done("settings", "set", "owner", "Anna Berg")
    try home.done("open", "Summer", "--page", "--output", home.path + "/two")
    expect(try home.text(of: "two/letter.txt").hasPrefix("For Anna Berg\n"))
  }

  @Test func `nothing of a file runs in a browser, and every name leads to its file`() throws {
    let script = "<script>alert(1)</script>"
    let names = ["a%2e#?&.png", "back\\slash.png", "\u{600}|.png", "two\nlines.png"]
    let files =
      try names.map { try home.write([1], as: $0) } + [
        try home.write(script, as: "page.html"),
        try home.write("<svg xmlns='http://www.w3.org/2000/svg'>\(script)</svg>", as: "x.svg"),
      ]
    try home.done(
      ["create", "<i>Odd\u{202e}", "-u", "2020-01-01", "--allow-past", "--text", script] + files)
    try home.done("open", "<i>Odd\u{202e}", "--page", "--output", home.path + "/page")
    let page = try home.text(of: "page/index.html")
    expect(!page.contains("<script") && !page.contains("<i>"))
    let made = home.files(below: "page").filter { $0.hasPrefix("files/") }
    expect(made.count == 7 && made.contains("files/page.html.txt"))
    for file in made {
      let address = file.addingPercentEncoding(
        withAllowedCharacters: .init(charactersIn: "abcdefghijklmnopqrstuvwxyz0123456789/.-_"))
      expect(page.contains(address ?? "none") || page.contains(file), "\(file)")
    }
  }

  @Test func `what a killed run left in the clear is named`() throws {
    try home.write("x", as: ".capsule-page-1234/index.html")
    let run = try home.run("open", "Summer", "--page", "-o", home.path + "/page/")
    expect(run.code == .ok && run.err.contains("/.capsule-page-1234' was left by a run"))
  }

  @Test func `a locked capsule has no page`() throws {
    try home.create("Later", "--unlock", "2040-01-01", "--text", "x")
    try home.refusal(.locked, "open", "Later", "--page", "--output", home.path + "/page")
    expect(home.names(in: "page") == nil)
  }

  @Test func `without a terminal a page needs a folder`() throws {
    let said = try home.refusal(.usage, "open", "Summer", "--page")
    expect(said.contains("--output DIR"))
  }

  @Test func `words that do not go with a page are refused`() throws {
    let folder = home.path + "/page"
    try home.refusal(.usage, "open", "Summer", "--page", "-o", folder, "--force")
    try home.refusal(.usage, "open", "Summer", "--page", "-o", folder, "--raw")
    try home.refusal(.usage, "open", "Summer", "--page", "--content", "1")
  }

  @Test func `the answer for programs names the page`() throws {
    let answer = try home.json("open", "Summer", "--page", "-o", home.path + "/page")
    let problems = try JSONSchema("open").problems(of: answer)
    expect(problems.isEmpty, "\(problems)")
    expect(answer["page"]?.string, is: home.path + "/page/index.html")
  }
}

/// The page on a desktop, by the real program in a terminal.
@Suite struct OpenPageTerminalTests {
  @Test(
    .enabled(if: OtherPrograms.areExpected("python3"), "python3 is not installed"),
    arguments: [("\\n", 0), ("\\x03", -2)])
  func `the page is there while it is looked at, and gone after Enter or a signal`(
    key: String, end: Int
  ) throws {
    let home = try ProgramStore()
    try home.createUnlocked("Summer", "--text", "At the lake.")
    try home.writeProgram(
      "xdg-open",
      """
      grep -c 'At the lake' "$1" > "$HOME/seen"; stat -c %a "${1%/page/index.html}" >> "$HOME/seen"
      echo > "$HOME/ready"
      """)
    try FileManager.default.createDirectory(
      atPath: home.path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let script = """
      import os, pty, sys, time
      pid, terminal = pty.fork()
      if pid == 0:
          os.execv(sys.argv[1], [sys.argv[1], "open", "Summer", "--page"])
      shown = b""
      while b"first time" not in shown:
          shown += os.read(terminal, 1000)
      assert b"Press Enter" in shown and os.path.exists("ready")
      assert len(os.listdir(os.environ["XDG_RUNTIME_DIR"])) == 1
      os.write(terminal, b"\(key)")
      try:
          while os.read(terminal, 1000):
              pass
      except OSError:
          pass
      print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), os.listdir(os.environ["XDG_RUNTIME_DIR"]))
      """
    var run = ProgramRun(environment: home.environment)
    run.environment["PATH"] = home.path + "/bin:" + OtherPrograms.path
    run.environment["XDG_RUNTIME_DIR"] = home.path + "/run"
    run.program = "/usr/bin/env"
    run.arguments = ["python3", "-c", script, BuiltProgram.path].map { Array($0.utf8) }
    run.workingDirectory = home.path
    run.timeLimit = 60
    let result = try run.result()
    expect(result.out, is: "\(end) []\n", "\(result.out)\(result.err)")
    try expect(home.text(of: "seen"), is: "1\n700\n")
  }
}
