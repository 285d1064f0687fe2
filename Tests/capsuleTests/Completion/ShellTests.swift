import TestSupport
import Testing

@testable import capsule

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The scripts in real shells, where they are installed.
@Suite(.ownThread) struct ShellTests {
  private static func path(_ shell: String) -> String? {
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + shell }
      .first { access($0, X_OK) == 0 }
  }

  /// The environment with the program's directory in front of `PATH`.
  private var environment: [String: String] {
    let directory = BuiltProgram.path.split(separator: "/", omittingEmptySubsequences: false)
      .dropLast().joined(separator: "/")
    return ["PATH": directory + ":/usr/bin:/bin:/usr/local/bin", "HOME": "/nonexistent"]
  }

  @Test(
    .enabled(if: path("bash") != nil),
    arguments: [
      ("capsule keyg", "keygen"), ("capsule --color = al", "always"),
      ("capsule --color al", "always"), ("capsule help exit", "exit-codes"),
      ("capsule --store ./Sourc", "./Sources"), ("capsule --store = ./Sourc", "./Sources"),
      ("capsule completions z", "zsh"), ("capsule nonsense --bogu", ""),
    ])
  func `bash completes`(words: String, completed: String) throws {
    let line = """
      source completions/capsule.bash
      COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _capsule
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    var run = ProgramRun("-c", line, environment: environment)
    run.program = try #require(Self.path("bash"))
    run.workingDirectory = BuiltProgram.packageRoot
    let result = try run.result()
    #expect(result.out == completed + "\n")
    #expect(result.err.isEmpty)
  }

  @Test(
    .enabled(if: path("fish") != nil),
    arguments: [
      ("capsule keyg", "keygen\tMake an age identity, or tell its recipient\n"),
      ("capsule --store=Sourc", "--store=Sources/"),
      ("capsule completions z", "zsh\tThe shell\n"), ("capsule nonsense --bogu", ""),
    ])
  func `fish completes`(line: String, completed: String) throws {
    var run = ProgramRun(
      "--no-config", "-c", "source completions/capsule.fish; complete -C '\(line)'",
      environment: environment)
    run.program = try #require(Self.path("fish"))
    run.workingDirectory = BuiltProgram.packageRoot
    let result = try run.result()
    #expect(result.out.hasPrefix(completed), "\(result.err)")
    if completed.isEmpty { #expect(result.out.isEmpty) }
  }

  @Test(
    .enabled(if: path("zsh") != nil),
    arguments: [
      ("capsule keyg\t", "capsule keygen"), ("capsule help exit\t", "capsule help exit-codes"),
      ("capsule --color=al\t", "capsule --color=always"),
      ("capsule --store=Sourc\t", "capsule --store=Sources"),
    ])
  func `zsh completes`(typed: String, completed: String) throws {
    var run = ProgramRun("-f", "-i", environment: environment)
    run.program = try #require(Self.path("zsh"))
    run.workingDirectory = BuiltProgram.packageRoot
    let terminal = try TerminalRun(run)
    terminal.send(
      "PS1='ready> '; fpath=($PWD/completions $fpath); "
        + "autoload -U compinit; compinit -u -D; echo set'up'\n"
    )
    try terminal.wait(for: "setup\r\n")
    try terminal.wait(for: "ready> ")
    terminal.send(typed)
    try terminal.wait(for: completed.split(separator: " ").last.map(String.init) ?? "")
    terminal.send("\u{15}exit\n")
    #expect(terminal.finish().end == .exited(0))
  }

  /// A store with a title of several words, in a folder of its own.
  private func store() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let run = try ProgramRun(
      "create", "To Mia: at 18", "--unlock", "2040-01-01", "--tag", "family", "-q",
      environment: ["CAPSULE_STORE": folder.path + "/store", "HOME": folder.path, "TZ": "UTC"]
    ).result()
    try #require(run.end == .exited(0), "\(run.err)")
    return folder
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `titles and tags of the store are completed and quoted`(shell: String) throws {
    guard let path = Self.path(shell) else { return }
    let folder = try store()
    var run = ProgramRun(environment: environment)
    run.arguments =
      switch shell {
      case "bash": ["--norc", "--noprofile", "-i"].map { Array($0.utf8) }
      case "zsh": ["-f", "-i"].map { Array($0.utf8) }
      default: ["--no-config", "-i"].map { Array($0.utf8) }
      }
    run.program = path
    run.workingDirectory = BuiltProgram.packageRoot
    run.environment["CAPSULE_STORE"] = folder.path + "/store"
    run.environment["HOME"] = folder.path
    run.environment["TERM"] = "dumb"
    let terminal = try TerminalRun(run, columns: 200)
    let prepare =
      switch shell {
      case "bash": "source completions/capsule.bash"
      case "zsh":
        "fpath=($PWD/completions $fpath); autoload -U compinit; compinit -u -D"
      default: "source completions/capsule.fish"
      }
    terminal.send(prepare + "; echo set'up'\n")
    try terminal.wait(for: "setup\r\n")
    terminal.send("capsule show To\t --json | tr , '\\n' | grep title\n")
    try terminal.wait(for: "\"title\":\"To Mia: at 18\"")
    terminal.send("capsule list --tag fa\t | cut -f3 | sed 's/^/found /'\n")
    try terminal.wait(for: "found To Mia: at 18")
    terminal.send("exit\n")
    _ = terminal.finish()
  }
}
