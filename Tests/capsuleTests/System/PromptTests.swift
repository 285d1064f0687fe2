import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Questions on a real terminal.
@Suite(.ownThread) struct PromptTests {
  private func passphrase(pipedOutput: Bool = false) throws -> TerminalRun {
    let run = ProgramRun(
      "create", "Letter", "--unlock", "2040-01-01", "--text", "x", "--passphrase",
      environment: ["CAPSULE_STORE": "/tmp/capsule-has-no-such-store/store", "TZ": "UTC"])
    return try TerminalRun(run, pipedOutput: pipedOutput)
  }

  @Test func `a passphrase is not shown, and Ctrl-C gives the terminal back as it was`() throws {
    let terminal = try passphrase()
    try terminal.wait(for: "Passphrase: ")
    expect(!terminal.echoes)
    terminal.send("secret\u{3}")
    let result = terminal.finish()
    expect(result.end, is: .signalled(SIGINT))
    expect(terminal.echoes)
    expect(!result.out.contains("secret"))
  }

  /// A capsule is being sealed with a passphrase, which takes a second or more.
  private func computing(in folder: TemporaryFolder) throws -> TerminalRun {
    let terminal = try TerminalRun(
      ProgramRun(
        "create", "Letter", "--unlock", "2040-01-01", "--text", "x", "--passphrase",
        environment: ["HOME": folder.path, "TZ": "UTC"]))
    try terminal.wait(for: "Passphrase: ")
    terminal.send("tulip ocean marble\n")
    try terminal.wait(for: "once more: ")
    terminal.send("tulip ocean marble\n")
    try terminal.wait(for: "\r\n")
    usleep(100_000)
    expect(!terminal.echoes)
    return terminal
  }

  @Test func `what is typed while a passphrase's key is computed is not shown`() throws {
    let folder = try TemporaryFolder()
    let terminal = try computing(in: folder)
    terminal.send("typed ahead\n")
    let result = terminal.finish()
    expect(result.end, is: .exited(0))
    expect(terminal.echoes)
    expect(!result.out.contains("ahead"), "\(result.out)")
  }

  @Test func `Ctrl-C while a passphrase's key is computed gives the terminal back`() throws {
    let folder = try TemporaryFolder()
    let terminal = try computing(in: folder)
    terminal.send("\u{3}")
    expect(terminal.finish().end, is: .signalled(SIGINT))
    expect(terminal.echoes)
  }

  @Test func `a signal from outside gives the terminal back too`() throws {
    let terminal = try passphrase()
    try terminal.wait(for: "Passphrase: ")
    terminal.signal(SIGTERM)
    expect(terminal.finish().end, is: .signalled(SIGTERM))
    expect(terminal.echoes)
  }

  @Test func `the question goes to the terminal also when the output goes elsewhere`() throws {
    let terminal = try passphrase(pipedOutput: true)
    try terminal.wait(for: "Passphrase: ")
    terminal.send("one\n")
    try terminal.wait(for: "once more: ")
    terminal.send("an\u{7f}\u{7f}\u{15}other\n")
    terminal.send("\u{3}")
    let result = terminal.finish()
    expect(result.end, is: .signalled(SIGINT))
    expect(result.output.isEmpty)
    expect(!result.err.contains("one") && !result.err.contains("other"))
  }

  @Test func `without a terminal nothing is asked, and the option that answers is named`() throws {
    let run = try ProgramRun(
      "create", "Letter", "--unlock", "2040-01-01", "--text", "x", "--passphrase", "--no-input",
      environment: ["CAPSULE_STORE": "/tmp/capsule-has-no-such-store/store", "TZ": "UTC"]
    ).result()
    expect(run.end, is: .exited(6))
    expect(run.err.contains("--passphrase-file"))
    expect(run.out.isEmpty)
  }

  @Test func `Ctrl-W takes the last word away`() throws {
    let folder = try TemporaryFolder()
    let terminal = try TerminalRun(
      ProgramRun(
        "create", "Letter", "--unlock", "2040-01-01", "--text", "x", "--passphrase",
        environment: ["HOME": folder.path, "TZ": "UTC"]))
    try terminal.wait(for: "Passphrase: ")
    terminal.send("tulip ocean wrong  \u{17}marble\n")
    try terminal.wait(for: "once more: ")
    terminal.send("tulip ocean marble\n")
    expect(terminal.finish().end, is: .exited(0))
  }

  @Test func `the end of the input at a question does nothing, on a line of its own`() throws {
    let folder = try TemporaryFolder()
    let environment = ["HOME": folder.path, "TZ": "UTC"]
    try expect(
      ProgramRun("item", "add", "Ring", environment: environment).result().end, is: .exited(0))
    let terminal = try TerminalRun(
      ProgramRun("item", "delete", "Ring", environment: environment))
    try terminal.wait(for: "[y/N] ")
    terminal.send("\u{4}")
    let result = terminal.finish()
    expect(result.end, is: .exited(12))
    expect(result.out.contains("[y/N] \r\n"), "\(result.out)")
    expect(result.out.contains("Canceled."), "\(result.out)")
  }

  @Test func `a missing operand is asked for until it can be read, and Ctrl-D leaves`() throws {
    let folder = try TemporaryFolder()
    let environment = ["HOME": folder.path, "TZ": "UTC", "NO_COLOR": "1"]
    let terminal = try TerminalRun(ProgramRun("item", "add", environment: environment))
    try terminal.wait(for: "Name? ")
    terminal.send("\n")
    try terminal.wait(for: "must not be empty")
    try terminal.wait(for: "Name? ")
    terminal.send("\u{4}")
    expect(terminal.finish().end, is: .exited(12))
    let list = try ProgramRun("item", "list", "--json", environment: environment).result()
    expect(list.out, is: "[]\n")
  }

  @Test func `Ctrl-C at a question ends the program, and adds nothing`() throws {
    let folder = try TemporaryFolder()
    let environment = ["HOME": folder.path, "TZ": "UTC"]
    let terminal = try TerminalRun(ProgramRun("event", "add", environment: environment))
    try terminal.wait(for: "Title? ")
    terminal.send("Dinner\n")
    try terminal.wait(for: "On which date? ")
    terminal.send("\u{3}")
    expect(terminal.finish().end, is: .signalled(SIGINT))
    let list = try ProgramRun("event", "list", "--json", environment: environment).result()
    expect(list.out, is: "[]\n")
  }
}
