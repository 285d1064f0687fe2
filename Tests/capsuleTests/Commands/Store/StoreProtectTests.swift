import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What of a held passphrase no transcript tells.
@Suite struct StoreProtectTests {
  @Test func `a held passphrase is its owner's, like a page, and ends by the boot clock`() throws {
    let home = try HostedStore()
    try home.createUnlocked("Letter", "--text", "dear me")
    let word = try home.secretFile("winter in Lisbon, four chairs", as: "word")
    try home.done("store", "protect", "--passphrase-file", word)
    try FileManager.default.createDirectory(
      atPath: home.path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    home.environment["XDG_RUNTIME_DIR"] = home.path + "/run"
    try home.done("store", "remember", "--for", "1 hour", "--passphrase-file", word)
    let path = home.path + "/run/" + (try require(home.names(in: "run")?.first))
    try expect(POSIXFileSystem().status(FilePath(path)).mode & 0o777, is: 0o600)
    try home.done("identity", "print", "-o", home.path + "/page")
    try expect(POSIXFileSystem().status(FilePath(home.path + "/page")).mode & 0o777, is: 0o600)
    home.boot += 3_600 * 1_000_000_000
    try home.refusal(.key, "open", "Letter")
    expect(home.names(in: "run"), is: [])
  }
}

extension HostedStore {
  func secretFile(_ text: String, as name: String) throws -> String {
    try write(Array(text.utf8), as: name)
  }
}
