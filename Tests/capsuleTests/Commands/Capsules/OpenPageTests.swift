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
    let result = try run.result()
    expect(result.out, is: "\(end) []\n", "\(result.out)\(result.err)")
    try expect(home.text(of: "seen"), is: "1\n700\n")
  }
}
