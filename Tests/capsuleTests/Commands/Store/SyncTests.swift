import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What of `capsule sync` no transcript tells.
@Suite struct SyncTests {
  private let first: HostedStore
  private let second: HostedStore

  /// Two homes, of which the first has a store with an item in it, and a carrier.
  init() throws {
    first = try HostedStore()
    second = try HostedStore()
    try first.write("the passphrase of both machines", as: "p")
    try first.done("item", "add", "Ring", "--notes", "gold")
    try first.done("sync", "add", "meet", carrier, "--passphrase-file", first.path + "/p")
  }

  private var carrier: String { first.path + "/carrier" }

  /// The name of a machine in the carrier.
  private func actor(of home: HostedStore) throws -> String? {
    let machines = try home.json("sync", "status")["carriers"]?.array?.first?["machines"]?.array
    return machines?.first { $0["isOwn"] == .bool(true) }?["actor"]?.string
  }

  @Test func `a link in a carrier is named, and nothing goes through it`() throws {
    try first.write("mine", as: "out/letter")
    try FileManager.default.createSymbolicLink(
      atPath: carrier + "/heads", withDestinationPath: first.path + "/out")
    let error = try first.refusal(.refused, "sync")
    expect(error.contains("'\(carrier)/heads' in the remote 'meet' is not a directory"))
    expect(first.files(below: "out"), is: ["letter"])
  }

  @Test func `every answer is as its schema says`() throws {
    func check(_ home: HostedStore, _ name: String, _ words: String...) throws {
      let problems = try JSONSchema(name).problems(of: try home.json(words))
      expect(problems.isEmpty, "\(name): \(problems)")
    }
    try check(first, "sync-add", "sync", "add", "meet", carrier)
    try check(first, "sync-run", "sync")
    try check(
      second, "sync-clone", "sync", "clone", carrier, "--passphrase-file", first.path + "/p")
    try first.done("item", "edit", "Ring", "--notes", "silver")
    try second.done("item", "edit", "Ring", "--notes", "bronze")
    try first.done("sync")
    try check(second, "sync-run", "sync", "run", "carrier")
    try check(second, "sync-conflicts", "sync", "conflicts")
    try check(second, "sync-status", "sync", "status")
    try check(second, "sync-resolve", "sync", "resolve", "Ring")
    try check(second, "sync-verify", "sync", "verify")
    try check(second, "sync-prune", "sync", "prune")
    try second.done("item", "edit", "Ring", "--notes", "on")
    try second.done("sync")
    try check(first, "sync-forget", "sync", "forget", try require(try actor(of: second)))
    try check(second, "sync-reset", "sync", "reset")
  }
}
