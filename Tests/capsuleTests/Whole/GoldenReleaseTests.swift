import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What version 0.1.0 wrote beside its store, and keeps: an archive, a backup, a remote and an estate file. Every
/// later version takes each of them.
@Suite struct GoldenReleaseTests {
  private let home: HostedStore
  private let golden = BuiltProgram.packageRoot + "Tests/capsuleTests/Golden/"
  private var released: String { golden + "0.1.0/" }
  private var identity: String { golden + "identity.txt" }

  init() throws { home = try HostedStore(now: "2030-02-28T12:00:00Z") }

  /// A record a line, without what differs from device to device.
  private func records() throws -> [String] {
    try ["list", "event list", "item list", "beneficiary list", "bequest list", "restore"].flatMap {
      let listed = try home.json($0.split(separator: " ").map(String.init))
      return try require(listed.array).map { record in
        ["id", "title", "name", "revision", "unlockAt", "at", "location"].map { key in
          String(decoding: (record[key] ?? .null).encoded(.compact), as: UTF8.self)
        }.joined(separator: " ")
      }
    }.sorted()
  }

  private func expectEverything() throws {
    let found = try records()
    let copied = try ProgramRun(
      shell: "rm -rf '\(home.store)'; cp -R '\(released)store' '\(home.store)'"
    ).result()
    try require(copied.end == .exited(0))
    expect(found.count > 15)
    expect(found, is: try records())
  }

  @Test func `its archive is imported`() throws {
    let run = try home.run(["import", "archive", released + "archive.age", "--identity", identity])
    expect(run.code, is: .ok, "\(run.err)")
    try expect(home.run(["verify"]).code, is: .ok)
    try expectEverything()
  }

  @Test func `a snapshot of its backup is a store`() throws {
    let copied = try ProgramRun(
      shell: "mkdir -p '\(home.path)/.local/share' && cp -R '\(released)'backup/2* '\(home.store)'"
    ).result()
    expect(copied.end, is: .exited(0), "\(copied.err)")
    try expect(home.run(["verify"]).code, is: .ok)
    try expectEverything()
  }

  @Test func `a device joins by its remote, and syncs`() throws {
    // A clone has no empty directories, and a remote may be written.
    let remote = home.path + "/remote"
    _ = try ProgramRun(shell: "cp -R '\(released)remote' '\(remote)'").result()
    let run = try home.run(["sync", "clone", remote, "--identity", identity])
    expect(run.code, is: .ok, "\(run.err)")
    try expect(home.run(["verify"]).code, is: .ok)
    try expect(home.run(["sync"]).code, is: .ok)
    try expectEverything()
  }

  @Test func `its estate file opens with two sheets`() throws {
    let out = home.path + "/opened"
    let run = try home.run([
      "estate", "open", released + "estate.age", "--output", out,
      "--share", released + "sheets/1 Zoe.txt", "--share", released + "sheets/2 Lena.txt",
    ])
    expect(run.code, is: .ok, "\(run.err)")
    let found = try ProgramRun(shell: "cd '\(out)' && find . -type f | sort").result()
    expect(found.out.contains("people/Zoe"), "\(found.out)")
  }
}
