import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct CreateTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  @Test func `a title that is too long is refused`() throws {
    let title = String(repeating: "x", count: 1025)
    try home.refusal(.usage, "create", title, "--unlock", "2090", "--empty")
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
    home.process = { request throws(Fault) in
      if !request.isForeground { throw Fault(system: 1, action: "run the editor") }
      let file = URL(filePath: String(decoding: request.arguments.last ?? [], as: UTF8.self))
      if !text.isEmpty, (try? Data(text.utf8).write(to: file)) == nil {
        throw Fault(system: 1, action: "write")
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
    expect(result.err.contains("or - for standard input; or create an empty capsule: --empty"))
  }

  @Test func `nothing of what is sealed lies in the store in the clear`() throws {
    try home.create(
      "Open title", "-u", "2090", "--text", "the secret words",
      try home.write("the secret words", as: "secret-name.txt"), "--caption", "secret words")
    for name in home.files(below: ".local") {
      let text = try home.text(of: ".local/" + name)
      expect(!text.contains("secret words") && !text.contains("secret-name"), "\(name)")
    }
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
