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
@Suite struct ShellTests {
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
      ("capsule ver", "version"), ("capsule --color = al", "always"),
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
      ("capsule ver", "version\tShow the version\n"), ("capsule --store=Sourc", "--store=Sources/"),
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
      ("capsule vers\t", "capsule version"), ("capsule help exit\t", "capsule help exit-codes"),
      ("capsule --color=al\t", "capsule --color=always"),
      ("capsule --store=Sourc\t", "capsule --store=Sources"),
    ])
  func `zsh completes`(typed: String, completed: String) throws {
    var run = ProgramRun("-f", "-i", environment: environment)
    run.program = try #require(Self.path("zsh"))
    run.workingDirectory = BuiltProgram.packageRoot
    let terminal = try TerminalRun(run)
    terminal.send(
      "PS1='ready> '; fpath=($PWD/completions $fpath); autoload -U compinit; compinit -u -D; echo set'up'\n"
    )
    try terminal.wait(for: "setup\r\n")
    try terminal.wait(for: "ready> ")
    terminal.send(typed)
    try terminal.wait(for: completed.split(separator: " ").last.map(String.init) ?? "")
    terminal.send("\u{15}exit\n")
    #expect(terminal.finish().end == .exited(0))
  }
}
