import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Passphrases of a command, and the traces of one that is made of words.
@Suite struct NewPassphraseTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  @Test func `a command that prints more than any passphrase has is ended, and that is said`()
    throws
  {
    home.process = SystemProcess.run
    for command in ["yes", "head -c 70000 /dev/zero"] {
      let refusal = try home.refusal(
        .usage, ["seal", "--passphrase-command", command], input: "x")
      expect(refusal.contains("is longer than 64 KiB"), "\(refusal)")
    }
  }

  @Test func `the questions of a command for the passphrase go where those of this program go`()
    throws
  {
    let home = try ProgramStore()
    try home.walk(
      """
      $capsule seal --passphrase-command 'test -f /dev/fd/2 && echo Which? >&2; exit 1' 2>log && exit 1
      grep -q Which? log
      """)
  }

  /// The words on the terminal.
  private func words(_ run: TestHost.Run) throws -> String {
    let line = run.shown.split(separator: "\n").last { $0.hasPrefix("  ") }
    return try require(line).trimmingCharacters(in: .whitespaces)
  }

  @Test func `a generated passphrase is shown once, on the terminal, and opens the capsule`() throws
  {
    home.answers = []
    let run = try home.run(
      "create", "Letter", "-u", "2020-01-01", "--allow-past", "--text", "x",
      "--passphrase-generate", "--json")
    expect(run.code, is: .ok)
    let words = try words(run)
    expect(words.split(separator: " ").count, is: 10)
    expect(run.shown.components(separatedBy: words).count, is: 2)
    expect(run.questions.isEmpty)
    // In no stream, record, journal, cache, state or temporary file.
    let piece = words.split(separator: " ").prefix(2).joined(separator: " ")
    expect(!run.out.contains(piece) && !run.err.contains(piece))
    let files = home.files(below: "")
    expect(files.count > 5)
    for file in files {
      let text = String(decoding: try home.bytes(of: file), as: UTF8.self)
      expect(!text.contains(piece), "\(file)")
    }
    let opened = try home.run(
      "open", "Letter", "-q", "--passphrase-file", home.write(words + "\n", as: "pass.txt"))
    expect(opened.code == .ok && opened.out == "x")
  }

  @Test func `on a real terminal it is on the screen while the output goes elsewhere`() throws {
    let home = try ProgramStore()
    home.environment["EDITOR"] = "false"
    let terminal = try TerminalRun(
      home.program(["create", "Letter", "-u", "2090", "--passphrase-generate", "--edit", "--json"]),
      pipedOutput: true)
    let run = terminal.finish()
    expect(run.output.isEmpty)
    let screen = run.err.replacingOccurrences(of: "\r", with: "")
    let line = try require(screen.split(separator: "\n").first { $0.hasPrefix("  ") })
    expect(line.split(separator: " ").count, is: 10)
  }
}
