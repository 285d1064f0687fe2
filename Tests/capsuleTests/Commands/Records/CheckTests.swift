import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A notifier that the system refuses to run.
@Suite struct CheckTests {
  @Test func `a notifier that cannot be run is named, and no other is tried`() throws {
    let home = try HostedStore()
    try home.create("Letter", "--unlock", "in 1 second", "--text", "t")
    try home.pass(seconds: 2)
    home.process = { request throws(Fault) in
      expect(request.program, is: Array("notify-send".utf8))
      throw Fault(system: 13, action: "run 'notify-send'")
    }
    let answer = try home.run("check", "--notify")
    expect(answer.code, is: .partial)
    expect(
      answer.err.contains(
        "'Letter' was not announced: 'notify-send' cannot be run: permission denied"))
  }
}

/// What only several processes, a full disk or a hook show.
@Suite(.ownThread) struct CheckProcessTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    for title in ["A", "B", "C"] {
      try home.create(title, "--unlock", "in 1 second", "--text", "t")
    }
    try home.shell("sleep 1.1")
  }

  @Test func `checks at the same time announce each thing once`() throws {
    let result = try home.shell("for i in 1 2 3 4 5 6 7 8; do $capsule check & done; wait")
    expect(result.lines.count, is: 3)
  }

  @Test func `what could not be written is not counted as announced`() throws {
    try expect(home.shell("$capsule check > /dev/full").end, is: .exited(10))
    expect(try home.done("check").contains("'A'"))
  }

  @Test func `no command runs where its line cannot be written`() throws {
    for _ in 0..<3 {
      try expect(
        home.shell("$capsule check --exec 'echo ran >> ran' > /dev/full").end, is: .exited(10))
    }
    try expect(home.shell("cat ran").out, is: "")
    expect(try home.done("check", "--exec", "echo ran >> ran").contains("'A'"))
    try expect(home.shell("cat ran").lines.count, is: 3)
  }

  @Test func `no command runs where it could not be marked`() throws {
    // The ledger may not grow: a limit of blocks that it fills.
    let filled = try home.shell(
      """
      set -e; ledger=$(find . -name announced)
      size=$(wc -c < "$ledger"); printf "%*s\n" $((1023 - size)) "" >> "$ledger"
      """)
    expect(filled.end, is: .exited(0))
    for _ in 0..<3 {
      try expect(
        home.shell("trap '' XFSZ; ulimit -f 1; $capsule check --exec 'echo ran >> ran'").end,
        is: .exited(10))
    }
    try expect(home.shell("cat ran").out, is: "")
    expect(try home.done("check", "--exec", "echo ran >> ran").contains("'A'"))
  }

  @Test func `a command that takes too long is ended, and tried again`() throws {
    try home.done("delete", "B", "C", "--yes")
    let run = try home.run("check", "--exec", "sleep 30", "--time-limit", "1")
    expect(run.end, is: .exited(3))
    expect(try home.done("check").contains("'A'"))
  }
}
