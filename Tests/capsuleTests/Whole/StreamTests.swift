import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Streams and descriptors, with the real program.
@Suite(.ownThread) struct StreamTests {
  @Test func `the version goes to standard output and nothing to standard error`() throws {
    let run = try ProgramRun("--version").result()
    expect(run.end, is: .exited(0))
    expect(run.out, is: "capsule \(Version.text)\n")
    expect(run.err.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a closed pipe ends the program by SIGPIPE without a word`(ignored: Bool) throws {
    var run = ProgramRun("help")
    run.outputIsClosedPipe = true
    run.ignoresSIGPIPE = ignored
    let result = try run.result()
    expect(result.end, is: .signalled(SIGPIPE))
    expect(result.err.isEmpty)
  }

  @Test(arguments: ["CHLD", "INT", "HUP"])
  func `a signal that was to be ignored neither ends a program nor hides its end`(signal: String)
    throws
  {
    let folder = try TemporaryFolder()
    let environment = ["HOME": folder.path, "TZ": "UTC"]
    let hook = "kill -\(signal) $PPID; sleep 0.1; echo done >>$HOME/log"
    let run = ProgramRun(
      shell: """
        $capsule item add Cup && $capsule check &&
        $capsule event add Tea --on 'in 1 second' --alert 'at the time' && sleep 1.1 && trap '' \(signal) && $capsule check --exec '\(hook)' && $capsule check
        """, environment: environment)
    let result = try run.result()
    expect(result.end, is: .exited(0))
    expect(result.out.split(separator: "\n").filter { $0.hasPrefix("'Tea'") }.count, is: 1)
    let log = try POSIXFileSystem().readFile(FilePath(folder.path + "/log"), limit: 1024)
    expect(String(decoding: log, as: UTF8.self), is: "done\n")
  }

  @Test func `what is waited for may be moved, or go`() throws {
    let folder = try TemporaryFolder()
    let environment = ["HOME": folder.path, "TZ": "UTC"]
    let run = ProgramRun(
      shell: """
        $capsule event add Tea --on 'in 10 seconds' --quiet; start=$(date +%s)
        $capsule countdown Tea --wait & waiting=$!
        sleep 0.5; $capsule event edit Tea --on 'in 12 seconds' --quiet
        wait $waiting && [ $(($(date +%s) - start)) -ge 12 ] || exit 1
        $capsule event edit Tea --on 'in 1 hour' --quiet
        $capsule countdown Tea --wait & waiting=$!
        sleep 4; $capsule event delete Tea --yes --quiet; wait $waiting
        """, environment: environment)
    let result = try run.result()
    expect(result.end, is: .exited(5))
    expect(result.err.contains("no longer exists"), "\(result.err)")
  }

  @Test func `a command for the passphrase does not read what is to be sealed`() throws {
    let folder = try TemporaryFolder()
    let environment = ["CAPSULE_STORE": folder.path + "/store"]
    var run = ProgramRun(
      "seal", "--passphrase-command", "cat >/dev/null; exit 3", environment: environment)
    run.input = Array("the content".utf8)
    let refused = try run.result()
    expect(refused.end == .exited(6) && refused.err.contains("'--passphrase-command' failed"))
    // A line that begins with a hyphen is no option of the shell: it would run the content.
    run = ProgramRun("seal", "--passphrase-command=-s", environment: environment)
    run.input = Array("touch \(folder.path)/ran".utf8)
    try expect(run.result().end, is: .exited(6))
    expect(access(folder.path + "/ran", F_OK) != 0)
  }

  @Test(arguments: [
    ["seal", "-R", "-"], ["seal", "-R", "-", "-"], ["seal", "-R", "-", "-R", "-", "none"],
    ["create", "A", "--unlock", "2040-01-01", "-R", "-", "-"], ["unseal", "-i", "-"],
    ["unseal", "-i", "/dev/stdin", "-"],
  ])
  func `standard input is read for one thing only`(words: [String]) throws {
    let folder = try TemporaryFolder()
    let environment = ["CAPSULE_STORE": folder.path + "/store"]
    let key = try ProgramRun("keygen", environment: environment).result().out
    let recipient = key.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("age1") } ?? ""
    var run = ProgramRun(environment: environment)
    run.arguments = words.map { Array($0.utf8) }
    run.input = Array((words[0] == "unseal" ? key : recipient + "\n").utf8)
    let result = try run.result()
    expect(result.end == .exited(2) && result.err.contains("standard input can only be"))
    expect(result.out.isEmpty)
    expect(access(folder.path + "/store/capsules", F_OK) != 0)
  }

  @Test(.enabled(if: access("/dev/full", W_OK) == 0))
  func `a full disk under standard output is exit 10`() throws {
    var run = ProgramRun("version")
    run.outputFile = "/dev/full"
    let result = try run.result()
    expect(result.end, is: .exited(10))
    expect(
      result.err, is: "capsule: error: cannot write to standard output: no space left on device\n")
  }

  @Test(arguments: [[0], [1], [2], [0, 1], [0, 1, 2]] as [Set<Int32>])
  func `closed descriptors do not crash it, and a closed output is told`(closed: Set<Int32>) throws
  {
    var run = ProgramRun("version")
    run.closed = closed
    try expect(run.result().end, is: .exited(closed.contains(1) ? 10 : 0))
  }

  @Test(arguments: [[0], [1], [2], [0, 1, 2]] as [Set<Int32>])
  func `no file of the store takes the number of a closed descriptor`(closed: Set<Int32>) throws {
    let folder = try TemporaryFolder()
    let environment = ["CAPSULE_STORE": folder.path + "/store"]
    var run = ProgramRun(
      "create", "Letter", "--unlock", "2040-01-01", "--text", "x", environment: environment)
    run.closed = closed
    // The capsule is made; what cannot be told is told by the code.
    try expect(run.result().end, is: .exited(closed.contains(1) ? 10 : 0))
    let verified = try ProgramRun("verify", "--json", environment: environment).result()
    try expect(verified.json()["isSound"], is: true)
    try expect(verified.json()["records"], is: 1)
  }

  @Test func `it works without HOME, TERM, TZ, LANG and PATH`() throws {
    let folder = try TemporaryFolder()
    let environment = ["CAPSULE_STORE": folder.path + "/store"]
    let made = try ProgramRun(
      "create", "Été 東京", "--unlock", "2040-01-01", "--empty", "-q", environment: environment
    ).result()
    expect(made.end, is: .exited(0))
    expect(made.out.count, is: 37)
    let listed = try ProgramRun("list", "--plain", environment: environment).result()
    expect(listed.out.contains("\tÉté 東京\t"))
    expect(try ProgramRun("list", "--json", environment: [:]).result().json().array != nil)
  }

  #if !canImport(Darwin)
    @Test func `a file whose name is not UTF-8 goes in and comes out`() throws {
      let folder = try TemporaryFolder()
      var run = ProgramRun(
        shell: """
          set -e
          name=$(printf 'a\\377b'); printf 'bytes' > "$name"
          "$capsule" create T --unlock 'in 1 second' -q "$name" >/dev/null
          "$capsule" open T --wait --output out -q >/dev/null
          cmp "$name" "out/$name" && echo same
          """, environment: ["CAPSULE_STORE": folder.path + "/store", "TZ": "UTC"])
      run.workingDirectory = folder.path
      let result = try run.result()
      expect(result.out, is: "same\n", "\(result.err)")
    }
  #endif

  @Test func `on a terminal a title is made harmless and no line is wider than COLUMNS`() throws {
    let folder = try TemporaryFolder()
    let environment = ["CAPSULE_STORE": folder.path + "/store", "TZ": "UTC", "COLUMNS": "50"]
    let title = "\u{1b}]0;owned\u{7}" + String(repeating: "long ", count: 30) + "東京"
    let made = try ProgramRun(
      "create", title, "--unlock", "2040-01-01", "--empty", "-q", environment: environment
    ).result()
    expect(made.end, is: .exited(0), "\(made.err)")
    let screen = try TerminalRun(
      ProgramRun("list", "--color", "never", environment: environment)
    ).finish().out
    expect(!screen.contains("\u{1b}") && !screen.contains("\u{7}"))
    expect(screen.contains("\\u{1b}"))
    for line in screen.split(separator: "\r\n") { expect(TextWidth.of(String(line)) <= 50) }
  }

  @Test func `a countdown on a terminal is drawn in place and leaves it as it was`() throws {
    let folder = try TemporaryFolder()
    let environment = ["CAPSULE_STORE": folder.path + "/store", "TZ": "UTC"]
    // What is left is as wide whenever this is run: "in 3 d 23:59:58".
    _ = try ProgramRun(
      "create", "Letter", "--unlock", "in 4 days", "--empty", environment: environment
    ).result()
    let terminal = try TerminalRun(ProgramRun("countdown", environment: environment))
    try terminal.wait(for: "\u{1b}[?25l")
    try terminal.wait(for: "Letter")
    // The title gives way, never the time.
    terminal.resize(columns: 20, rows: 10)
    try terminal.wait(for: "…")
    terminal.send("\u{3}")
    let result = terminal.finish()
    expect(result.end, is: .signalled(SIGINT))
    expect(result.out.contains("\u{1b}[?25h"))
  }
}
