import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What is left in the user's folders of a command that was ended while it wrote there.
@Suite struct InterruptedWritingTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore()
    try home.write([UInt8](repeating: 7, count: 300_000), as: "big")
  }

  /// Runs a command that a signal ends the first time that it looks for one, then the second, and so on
  /// until it is done before that.
  private func interrupt(
    _ words: String..., file: String = #fileID, line: Int = #line
  ) throws {
    for count in 0..<100 {
      home.signal = (.terminate, count)
      let run = try home.run(words)
      let left = (home.names(in: "out") ?? []).filter { $0.hasPrefix(".") }
      expect(left.isEmpty, "after \(count)", sourceLocation: SourceLocation(file, line))
      if run.code == .ok {
        expect(count >= 2, sourceLocation: SourceLocation(file, line))
        return
      }
      expect(run.code, is: .terminated, "\(run.err)", sourceLocation: SourceLocation(file, line))
      for name in home.names(in: "out") ?? [] { try home.remove("out/" + name) }
    }
    Issue.record("it did not end", sourceLocation: SourceLocation(file, line))
  }

  private var output: String { home.path + "/out" }
  private var big: String { home.path + "/big" }

  @Test func `a signal leaves nothing of a content that is not whole`() throws {
    try home.createUnlocked("Film", "--text", "a", big)
    try interrupt("open", "Film", "-o", output)
    expect(home.names(in: "out"), is: ["big", "text-1.txt"])
  }

  @Test func `a signal leaves nothing of an item's media`() throws {
    try home.done("item", "add", "Camera")
    try home.done("item", "attach", "Camera", big)
    try interrupt("item", "extract", "Camera", "-o", output)
    expect(home.names(in: "out"), is: ["big"])
  }

  @Test func `a signal leaves nothing of a file that is sealed, or unsealed`() throws {
    let key = home.path + "/key"
    try home.done("keygen", "-o", key)
    let recipient = String(try home.done("keygen", "--recipients", key).dropLast())
    try home.write("x", as: "out/other")
    try interrupt("seal", "-r", recipient, "-o", output + "/big.age", big)
    let sealed = try home.write(try home.bytes(of: "out/big.age"), as: "big.age")
    try home.remove("out/big.age")
    try interrupt("unseal", "-i", key, "-o", output + "/back", sealed)
    try expect(home.bytes(of: "out/back"), is: home.bytes(of: "big"))
  }

  @Test func `what a killed process left is gone after the next opening`() throws {
    try home.createUnlocked("Letter", "--text", "a")
    try home.write("secret", as: "out/.capsule-00112233445566778899aabbccddeeff.tmp")
    try home.write("kept", as: "out/.capsule-notes.tmp")
    try home.done("open", "Letter", "-o", output)
    expect(home.names(in: "out"), is: [".capsule-notes.tmp", "text-1.txt"])
  }
}
