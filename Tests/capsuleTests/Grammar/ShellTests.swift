import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

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
    return ["PATH": directory + ":/usr/bin:/bin:/usr/local/bin", "HOME": directory]
  }

  @Test(
    .enabled(if: path("bash") != nil),
    arguments: [
      ("capsule keyg", "keygen"), ("capsule --color = al", "always"),
      ("capsule --color al", "always"), ("capsule help exit", "exit-codes"),
      ("capsule --store ./Sourc", "./Sources"), ("capsule --store = ./Sourc", "./Sources"),
      ("capsule completions z", "zsh"), ("capsule nonsense --bogu", ""),
      // Readline keeps what stands before the sign.
      ("capsule seal ./README.m", "./README.md"), ("capsule seal no:READM", ""),
    ])
  func `bash completes`(words: String, completed: String) throws {
    let line = """
      source completions/capsule.bash
      COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _capsule
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    var run = ProgramRun("-c", line, environment: environment)
    run.program = try require(Self.path("bash"))
    run.workingDirectory = BuiltProgram.packageRoot
    let result = try run.result()
    expect(result.out, is: completed + "\n")
    expect(result.err.isEmpty)
  }

  @Test(
    .enabled(if: path("fish") != nil),
    arguments: [
      ("capsule keyg", "keygen\tMake an age identity, or print its recipient\n"),
      ("capsule --store=Sourc", "--store=Sources/"),
      ("capsule completions z", "zsh\tThe shell\n"), ("capsule nonsense --bogu", ""),
      ("capsule seal Sources\\\\/caps", "Sources/capsule/"),
    ])
  func `fish completes`(line: String, completed: String) throws {
    var run = ProgramRun(
      "--no-config", "-c", "source completions/capsule.fish; complete -C '\(line)'",
      environment: environment)
    run.program = try require(Self.path("fish"))
    run.workingDirectory = BuiltProgram.packageRoot
    let result = try run.result()
    expect(result.out.hasPrefix(completed), "\(result.err)")
    if completed.isEmpty { expect(result.out.isEmpty) }
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
    run.program = try require(Self.path("zsh"))
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
    expect(terminal.finish().end, is: .exited(0))
  }

  /// A store with a title of several words, in a folder of its own.
  private func store() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let run = try ProgramRun(
      "create", "To Mia: at 18", "--unlock", "2040-01-01", "--tag", "family", "--empty", "-q",
      environment: ["CAPSULE_STORE": folder.path + "/store", "HOME": folder.path, "TZ": "UTC"]
    ).result()
    try require(run.end == .exited(0), "\(run.err)")
    return folder
  }

  @Test(arguments: ["bash", "zsh", "fish"].filter { path($0) != nil })
  func `titles and tags of the store are completed and quoted`(shell: String) throws {
    let path = try require(Self.path(shell))
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

  // MARK: Words that a shell would run

  /// What stands in titles, names, tags and categories: none of it may run or be another word.
  private static let hostile = [
    "`touch ran`", "$(touch ran)", "; touch ran", "| touch ran", "& touch ran", "(touch ran)",
    "{a,b}", "* ? [a-z]", "~", "#x", "! !! !touch", "\\ \\$(touch ran)", "'`touch ran`'",
    "\"$(touch ran)\"", "<a >ran", ":x:y", "=x", "%x", "^x^y", "a\u{600}`touch ran`", "  two", "\\",
  ]

  private static let shells = ["bash", "bash with bash-completion", "zsh", "fish"]

  /// A store with a capsule for each title, which begins with a letter and a number of its own, as its
  /// tag does, and likewise items with categories. The program is asked for words, and keeps the
  /// arguments of all else.
  private func hostileStore() throws -> (home: HostedStore, environment: [String: String]) {
    let home = try HostedStore()
    for (index, text) in Self.hostile.enumerated().map({ ($0 + 10, $1) }) {
      try home.create(
        "T\(index)\(text)", "--unlock", "2040-01-01", "--text", "x", "--tag", "G\(index)\(text)")
      try home.done("item", "add", "--category", "C\(index)\(text)", "--", "N\(index)\(text)")
    }
    try home.writeProgram(
      "capsule",
      """
      if [ "$1" = __complete ]; then exec '\(BuiltProgram.path)' "$@"; fi
      printf '%s\\0' "$@" >>"$HOME/arguments"
      printf '\\n\\0' >>"$HOME/arguments"
      """)
    var environment = environment
    environment["PATH"] = home.path + "/bin:/usr/bin:/bin:/usr/local/bin"
    environment["HOME"] = home.path
    environment["CAPSULE_STORE"] = home.store
    environment["TERM"] = "dumb"
    environment["LC_ALL"] = "C.UTF-8"
    return (home, environment)
  }

  @Test(arguments: ["-rf", "--yes", "~", "~root", "two\nlines", "\u{1b}[31m", "\u{202e}gpj"])
  func `a title that a shell would not give back is offered by its id`(title: String) throws {
    let home = try HostedStore()
    let id = try home.done(
      "create", "--unlock", "2040-01-01", "--text", "x", "--tag", title, "-q", "--", title)
    let titles = try home.done("__complete", "--", "show", "").split(separator: "\n")
    expect(titles.dropFirst().map { $0.prefix(8) }, is: [id.prefix(8)])
    let tags = try home.done("__complete", "--", "list", "--tag", "").split(separator: "\n")
    let isPlain = title.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    expect(tags.dropFirst().map { String($0.prefix { $0 != "\t" }) } == (isPlain ? [title] : []))
  }

  @Test(arguments: shells)
  func `every word of the store comes back as it is, and runs nothing`(shell: String) throws {
    let name = String(shell.prefix { $0 != " " })
    let completion = "/usr/share/bash-completion/bash_completion"
    let isWithout = shell == name
    guard let path = Self.path(name), isWithout || access(completion, R_OK) == 0 else { return }
    let (home, environment) = try hostileStore()
    var run = ProgramRun(environment: environment)
    run.arguments =
      switch name {
      case "bash": ["--norc", "--noprofile", "-i"].map { Array($0.utf8) }
      case "zsh": ["-f", "-i"].map { Array($0.utf8) }
      default: ["--no-config", "-i"].map { Array($0.utf8) }
      }
    run.program = path
    try home.write("", as: "work/empty")
    run.workingDirectory = home.path + "/work"
    run.timeLimit = 240
    let root = BuiltProgram.packageRoot
    let terminal = try TerminalRun(run, columns: 200)
    let prepare =
      switch shell {
      case "bash": "source '\(root)completions/capsule.bash'"
      case "zsh": "fpath=('\(root)completions' $fpath); autoload -U compinit; compinit -u -D"
      case "fish": "source '\(root)completions/capsule.fish'"
      default: "source \(completion); source '\(root)completions/capsule.bash'"
      }
    terminal.send(prepare + "; echo set'up'\n")
    try terminal.wait(for: "setup\r\n")
    var expected: [[String]] = []
    for (index, text) in Self.hostile.enumerated().map({ ($0 + 10, $1) }) {
      let lines = [
        ("show T\(index)", ["show", "T\(index)\(text)"]),
        ("list --tag G\(index)", ["list", "--tag", "G\(index)\(text)"]),
        ("item show N\(index)", ["item", "show", "N\(index)\(text)"]),
        ("item list --category C\(index)", ["item", "list", "--category", "C\(index)\(text)"]),
      ]
      for (typed, words) in lines {
        terminal.send("capsule \(typed)\t; echo do'ne\(expected.count).'\n")
        try terminal.wait(for: "done\(expected.count).")
        expected.append(words)
      }
    }
    terminal.send("exit\n")
    let screen = terminal.finish().out
    let written = try require(try? home.bytes(of: "arguments"), "\(screen)")
    let given = written.split(separator: 0)
      .map { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").map(Array.init)
    expect(given.count, is: expected.count)
    for (given, expected) in zip(given, expected) {
      let isSame = zip(given, expected).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
      expect(given.count == expected.count && isSame, "\(given) for \(expected)")
    }
    expect(home.names(in: "work"), is: ["empty"])
  }
}
