import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Choosing a passphrase: the warning of a weak one, and one that is made of words.
@Suite struct NewPassphraseTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  private static let strong = "living damage headset isolate birthday valid"

  private func passphrase(_ text: String) throws -> String {
    try home.write(text + "\n", as: "pass.txt")
  }

  private func run(_ words: [String], input: String = "") throws -> TestHost.Run {
    home.run(words, input: input)
  }

  private func create(_ words: String...) throws -> TestHost.Run { try create(words) }

  private func create(_ words: [String]) throws -> TestHost.Run {
    try run(["create", "Letter", "-u", "2090", "--text", "x"] + words)
  }

  // MARK: Weak ones

  @Test func `a weak passphrase is warned of, and taken`() throws {
    let run = try create("--passphrase-file", passphrase("a"))
    expect(run.code, is: .ok)
    expect(run.err.contains("capsule: warning: the passphrase is weak: about 4 bits"))
    expect(run.err.contains("--passphrase-generate"))
  }

  @Test func `a strong one is taken without a word`() throws {
    let run = try create("--passphrase-file", passphrase(Self.strong))
    expect(run.code == .ok && !run.err.contains("warning"), "\(run.err)")
  }

  @Test func `in JSON the warning is an object on standard error`() throws {
    let run = try create("--passphrase-file", passphrase("password1"), "--json")
    let line = try require(run.errorOutput.split(separator: UInt8(ascii: "\n")).first)
    let warning = try JSON.parse(Array(line))["warning"]
    expect(warning?["message"]?.string?.contains("weak"), is: true)
  }

  @Test func `one that is typed is warned of too`() throws {
    home.answers = ["short", "short"]
    expect(try create("--passphrase").err.contains("weak"))
  }

  @Test func `a filter that seals warns, and none that opens`() throws {
    let file = try passphrase("a")
    let sealed = try self.run(["seal", "-a", "--passphrase-file", file], input: "y")
    expect(sealed.code == .ok && sealed.err.contains("weak"))
    let opened = try self.run(
      ["unseal", "--passphrase-file", file], input: sealed.out)
    expect(opened.out == "y" && opened.err.isEmpty, "\(opened.err)")
  }

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

  // MARK: Before anything is asked

  @Test func `what is refused anyhow is refused before a passphrase is asked for, or shown`() throws
  {
    let there = try home.write("x", as: "there")
    let none = home.path + "/none"
    for words in [
      ["create", "L", "-u", "2090", none], ["seal", "-o", home.path + "/new", none],
      ["seal", "-o", there, there],
    ] {
      for option in ["--passphrase", "--passphrase-generate"] {
        home.answers = ["word", "word"]
        let run = try run(words + [option])
        expect(run.code != .ok && run.questions.isEmpty && run.shown.isEmpty, "\(run.err)")
      }
    }
    home.columns = 80
    home.answers = ["word", "word"]
    let run = try run(["seal", "--passphrase", there])
    expect(run.code == .refused && run.questions.isEmpty, "\(run.err)")
  }

  @Test func `a passphrase is asked for where the file asks for it, beside an identity too`() throws
  {
    let key = home.path + "/key.txt"
    try home.done("keygen", "-o", key)
    let sealed = try home.write(
      self.run(["seal", "--passphrase-file", passphrase(Self.strong)], input: "text").output,
      as: "sealed")
    home.answers = [Self.strong]
    let run = try run(["unseal", "-p", "-i", key, sealed])
    expect(run.out == "text" && run.questions == ["Passphrase: "], "\(run.err)")
  }

  // MARK: Generated ones

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
      "open", "Letter", "-q", "--passphrase-file", passphrase(words))
    expect(opened.code == .ok && opened.out == "x")
  }

  @Test func `the filter that seals makes one too`() throws {
    home.answers = []
    let sealed = try self.run(["seal", "-a", "--passphrase-generate"], input: "text")
    expect(sealed.code, is: .ok)
    let opened = try self.run(
      ["unseal", "--passphrase-file", passphrase(words(sealed))], input: sealed.out)
    expect(opened.out, is: "text")
  }

  @Test func `without a terminal nothing is sealed, and the options that do without are named`()
    throws
  {
    for words in [["create", "Letter", "-u", "2090", "--text", "x"], ["seal"]] {
      let error = try home.refusal(.key, words + ["--passphrase-generate"], input: "text")
      expect(error.contains("--passphrase-file"))
    }
    expect(home.names(in: ".local") == nil)
  }

  @Test func `that nothing may be asked does not keep it from being shown`() throws {
    home.answers = []
    let run = try create("--passphrase-generate", "--no-input")
    try expect(words(run).split(separator: " ").count, is: 10)
  }

  @Test(arguments: [
    ["--passphrase"], ["--passphrase-file", "pass.txt"], ["--passphrase-command", "echo a"],
    ["-r", "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"],
  ])
  func `another way to lock it contradicts it`(words: [String]) throws {
    home.answers = []
    try home.refusal(
      .usage, ["create", "A", "-u", "2090", "--text", "x", "--passphrase-generate"] + words)
    home.answers = []
    try home.refusal(.usage, ["seal", "--passphrase-generate"] + words, input: "text")
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
