import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A repair of a store whose own files and their second copies are damaged together.
@Suite struct LostHeaderTests {
  private let home: HostedStore
  private static let store = ".local/share/capsule"

  init() throws {
    home = try HostedStore()
    try home.done("item", "add", "Ring")
    try home.done("settings", "set", "owner", "Ada")
    try home.done("backup", home.path + "/copies")
  }

  private var copy: String {
    home.path + "/copies/" + (home.names(in: "copies")?.sorted().last ?? "")
  }

  private func removeHeaders() throws {
    for file in home.files(below: Self.store + "/journal") where file.hasSuffix("/header") {
      try home.remove(Self.store + "/journal/" + file)
    }
  }

  private func flipHeaders() throws {
    for file in home.files(below: Self.store + "/journal") where file.hasSuffix("/header") {
      let name = Self.store + "/journal/" + file
      var bytes = try home.bytes(of: name)
      bytes[bytes.count / 2] ^= 1
      try home.write(bytes, as: name)
    }
  }

  private func id(_ directory: String) throws -> JSON? {
    try JSON.parse(try home.bytes(of: directory + "/store.json"))["id"]
  }

  @Test(arguments: [false, true])
  func `the id of a store of which only the identities are left comes from a copy`(
    isRepairedBefore: Bool
  ) throws {
    let before = try id(Self.store)
    try home.remove(Self.store + "/store.json")
    try removeHeaders()
    if isRepairedBefore {
      expect(try home.done("repair").contains("with a new id"))
      expect(try id(Self.store) != before)
    }
    try home.done("repair", "--from", copy)
    try expect(id(Self.store), is: before)
    try expect(home.json("verify")["isSound"], is: .bool(true))
    try home.done("backup", home.path + "/copies")
  }

  @Test func `a copy of another store gives no id`() throws {
    let other = try HostedStore()
    try other.done("item", "add", "Other")
    try home.remove(Self.store + "/store.json")
    try removeHeaders()
    try home.refusal(.refused, "repair", "--from", other.store)
  }

  @Test func `one changed bit of the second copy loses neither the id nor the settings`() throws {
    let before = try id(Self.store)
    try home.remove(Self.store + "/store.json")
    try home.remove(Self.store + "/settings.json")
    try flipHeaders()
    try home.done("repair")
    try expect(id(Self.store), is: before)
    expect(try home.done("settings", "get", "owner").contains("Ada"))
  }

  @Test(arguments: [nil, "junk"])
  func `settings that nothing here has come from a copy`(junk: String?) throws {
    try home.remove(Self.store + "/settings.json")
    if let junk { try home.write(junk, as: Self.store + "/settings.json") }
    try removeHeaders()
    expect(try home.done("repair", "--from", copy).contains("settings.json"))
    expect(try home.done("settings", "get", "owner").contains("Ada"))
  }

  @Test func `an identity and the header that are damaged together come back at once`() throws {
    let identity = try require(home.files(below: Self.store + "/identities").first)
    try home.remove(Self.store + "/identities/" + identity)
    try home.write("", as: Self.store + "/identities/" + identity)
    try home.remove(Self.store + "/store.json")
    try home.done("repair")
    try expect(home.json("verify")["isSound"], is: .bool(true))
  }

  @Test func `a folder in place of a journal's log keeps nothing from being mended`() throws {
    let record = try require(home.files(below: Self.store + "/items").first)
    try home.remove(Self.store + "/items/" + record)
    let log = try require(
      home.files(below: Self.store + "/journal").first { $0.hasSuffix(".log") })
    try home.remove(Self.store + "/journal/" + log)
    try home.write("", as: Self.store + "/journal/" + log + "/file")
    try home.done("repair", "--from", copy)
    try expect(home.strings("name", "item", "list"), is: ["Ring"])
    try expect(home.json("verify")["isSound"], is: .bool(true))
  }

  @Test(arguments: ["store.json", "settings.json"], [false, true])
  func `what took the place of an own file is put aside, and the file comes back`(
    name: String, isLink: Bool
  ) throws {
    let before = try home.bytes(of: Self.store + "/" + name)
    try home.remove(Self.store + "/" + name)
    let path = home.store + "/" + name
    if isLink {
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: home.path + "/copies")
    } else {
      try FileManager.default.createDirectory(
        atPath: path + "/inside", withIntermediateDirectories: true)
    }
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
