import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Links in the place of a store's own files, and on the way to it.
@Suite struct LostHeaderTests {
  private let home: HostedStore
  private static let store = ".local/share/capsule"

  init() throws {
    home = try HostedStore()
    try home.done("item", "add", "Ring")
    try home.done("settings", "set", "owner", "Ada")
    try home.done("backup", home.path + "/copies")
  }

  @Test(arguments: ["store.json", "settings.json"])
  func `a link in the place of an own file is put aside, and the file comes back`(
    name: String
  ) throws {
    let before = try home.bytes(of: Self.store + "/" + name)
    try home.remove(Self.store + "/" + name)
    try FileManager.default.createSymbolicLink(
      atPath: home.store + "/" + name, withDestinationPath: home.path + "/copies")
    try expect(home.strings("name", "item", "list"), is: ["Ring"])
    try expect(home.run("verify").code, is: .damaged)
    try home.done("repair")
    try expect(home.bytes(of: Self.store + "/" + name), is: before)
    try expect(home.json("verify")["isSound"], is: .bool(true))
    expect(home.names(in: "copies")?.isEmpty, is: false)
  }

  @Test func `a backup lands in no store, also not through a link`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: home.path + "/link", withDestinationPath: home.store + "/items")
    try home.refusal(.refused, "backup", home.path + "/link/copies")
    try home.refusal(.refused, "backup", home.path + "/link/copies", "--dry-run")
    expect(!home.files(below: Self.store + "/items").contains { $0.hasPrefix("copies") })
  }
}
