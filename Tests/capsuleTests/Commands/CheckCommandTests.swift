import CapsuleCore
import Testing

@testable import capsule

/// What `check` keeps between two runs, with the real program.
@Suite struct CheckCommandTests {
  private let folder: TemporaryFolder
  private let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    environment = [
      "HOME": folder.path, "CAPSULE_STORE": folder.path + "/store", "TZ": "UTC",
      "XDG_STATE_HOME": folder.path + "/state", "XDG_CACHE_HOME": folder.path + "/cache",
    ]
  }

  private func capsule(_ words: String...) throws -> ProgramRun.Result {
    var run = ProgramRun("help", environment: environment)
    run.arguments = words.map { Array($0.utf8) }
    return try run.result()
  }

  @Test func `a check after one that left nothing still tells what came in since`() throws {
    #expect(try capsule("create", "First", "-u", "2090-01-01", "--text", "x").end == .exited(0))
    for _ in 0..<2 {
      let idle = try capsule("check")
      #expect(idle.end == .exited(0))
      #expect(idle.out.isEmpty)
    }
    // The unlock time is after the first use of the store, and past when it is looked at.
    #expect(try capsule("create", "Soon", "-u", "in 1 second", "--text", "x").end == .exited(0))
    #expect(try capsule("countdown", "Soon", "--wait").end == .exited(0))
    #expect(try capsule("check").out.contains("'Soon' is unlocked"))
    #expect(try capsule("check").out.isEmpty)
    #expect(try capsule("check", "--json").out == "[]\n")
    #expect(try capsule("check", "--exit-code").end == .exited(1))
  }

  @Test func `what was announced is announced again when the ledger is lost`() throws {
    #expect(try capsule("create", "First", "-u", "in 1 second", "--text", "x").end == .exited(0))
    #expect(try capsule("countdown", "First", "--wait").end == .exited(0))
    #expect(try capsule("check").out.contains("'First' is unlocked"))
    #expect(try capsule("check").out.isEmpty)
    let files = POSIXFileSystem()
    let state = FilePath(bytes: Array((folder.path + "/state/capsule").utf8))
    for entry in try files.contents(ofDirectory: state) {
      try files.unlink(state.appending(bytes: entry.name).appending("announced"))
    }
    // The first use is now: it was due before, and is summed up.
    #expect(try capsule("check").out.contains("1 was due already"))
  }
}
