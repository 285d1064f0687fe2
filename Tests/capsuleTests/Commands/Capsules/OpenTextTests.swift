import CapsuleCore
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Files of text in a capsule, which are read and not only named.
@Suite struct OpenTextTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore()
    home.columns = 80
    home.environment["NO_COLOR"] = "1"
  }

  /// What a terminal shows of a capsule.
  private func screen(_ title: String, _ words: String...) throws -> String {
    try home.done(["open", title] + words)
  }

  @Test func `of a damaged text file the others are shown, and the code says so`() throws {
    let id = try home.createUnlocked(
      "D", try home.write("first words", as: "one.txt"),
      try home.write("second words", as: "two.txt"))
    let record = try JSON.parse(home.bytes(of: try home.record(id)))
    let name = try require(record["contents"]?.array?.first?["blob"]?.string)
    let blobs = ".local/share/capsule/blobs/"
    let blob = try require(home.files(below: blobs).first { $0.hasSuffix(name) })
    var bytes = try home.bytes(of: blobs + blob)
    bytes[bytes.count - 1] ^= 1
    try home.remove(blobs + blob)
    try home.write(bytes, as: blobs + blob)
    let run = try home.run("open", "D")
    expect(run.code, is: .damaged)
    expect(run.out.contains("second words") && !run.out.contains("first words"))
  }

  // MARK: The pager

  /// What a pager gets, when there is one.
  private final class Shown: Sendable {
    let texts = Mutex<[(line: String, text: String)]>([])
  }

  private func pager(_ end: ProcessOutcome.End = .exited(0)) -> Shown {
    let shown = Shown()
    home.answers = []
    home.process = { request throws(Fault) in
      let line = String(decoding: request.arguments[2], as: UTF8.self)
      shown.texts.withLock {
        $0.append((line, String(decoding: request.input ?? [], as: UTF8.self)))
      }
      return ProcessOutcome(end: end)
    }
    return shown
  }

  private func createLong() throws {
    let lines = (1...40).map { "line \($0)\n" }.joined()
    try home.createUnlocked("Long", try home.write(lines, as: "long.txt"))
  }

  @Test func `what is longer than the screen goes through the pager, and nowhere else`() throws {
    try createLong()
    home.environment["PAGER"] = "my-pager -x"
    let shown = pager()
    try expect(screen("Long"), is: "")
    let texts = shown.texts.withLock { $0 }
    expect(texts.map(\.line), is: ["my-pager -x"])
    expect(texts.first?.text.contains("line 40\n"), is: true)
  }

  @Test func `what fits on the screen needs no pager`() throws {
    try home.createUnlocked("Short", "--text", "one line")
    let shown = pager()
    expect(try screen("Short").contains("one line"))
    expect(shown.texts.withLock { $0.isEmpty })
  }

  @Test func `lines that the terminal breaks count as often as they are broken`() throws {
    try home.createUnlocked("Wide", "--text", String(repeating: "x", count: 80 * 30))
    let shown = pager()
    _ = try screen("Wide")
    expect(shown.texts.withLock { $0.count }, is: 1)
  }

  @Test(arguments: ["cat", "", " "])
  func `a pager that is none is not used`(name: String) throws {
    try createLong()
    home.environment["PAGER"] = name
    let shown = pager()
    expect(try screen("Long").contains("line 40"))
    expect(shown.texts.withLock { $0.isEmpty })
  }

  @Test(arguments: [ProcessOutcome.End.exited(3), .signalled(9)])
  func `a pager that fails is told, and the text is on the screen`(end: ProcessOutcome.End) throws {
    try createLong()
    _ = pager(end)
    home.columns = 80
    defer { home.columns = nil }
    let run = try home.run("open", "Long")
    expect(run.out.contains("line 40") && run.err.contains("the pager"), "\(run.err)")
  }

  @Test func `a pager that is not there leaves the text on the screen`() throws {
    try createLong()
    _ = pager(.exited(127))
    expect(try screen("Long").contains("line 40"))
  }

  @Test(arguments: [["--raw"], ["--no-input"]])
  func `without questions and as it is, nothing goes through a pager`(words: [String]) throws {
    try createLong()
    let shown = pager()
    expect(try home.done(["open", "Long"] + words).contains("line 40"))
    expect(shown.texts.withLock { $0.isEmpty })
  }
}
