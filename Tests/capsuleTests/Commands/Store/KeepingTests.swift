import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Editing, deleting, restoring, purging, verifying and repairing.
@Suite struct KeepingTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/Paris") }

  private func capsule(_ name: String) throws -> JSON { try home.json("show", name) }

  // MARK: Finding

  @Test func `what a clock that was ahead dated counts as no care`() throws {
    try home.done("item", "add", "Ring")
    home.now = "2090-01-01T12:00:00Z"
    try home.done("backup", home.path + "/backups")
    try home.done("verify")
    home.now = "2028-06-01T12:00:00Z"
    let status = try home.json("verify", "--status")
    expect(status["isBackupDue"] == true && status["isVerificationDue"] == true)
    expect(try home.done("verify", "--status").contains("a clock was ahead then"))
  }

  @Test func `a title in any case or the start of an id is enough`() throws {
    let id = try home.create("Straße", "-u", "2090")
    for name in ["STRASSE", "straße", String(id.prefix(4))] {
      try expect(capsule(name)["id"], is: .string(id))
    }
    let nobody = try home.run("show", "nobody", "--json")
    try expect(nobody.errorJSON()["error"]?["kind"], is: "notFound")
  }

  @Test func `of several with one title each is offered`() throws {
    try home.create("Twin", "-u", "2090")
    try home.create("TWIN", "-u", "2090")
    let several = try home.run("show", "twin", "--json")
    expect(several.code, is: .notFound)
    try expect(several.errorJSON()["error"]?["candidates"]?.array?.count, is: 2)
  }

  // MARK: Editing

  @Test func `the unlock time moves later and never earlier`() throws {
    try home.create("Move", "-u", "2080-01-01")
    try home.refusal(.refused, "edit", "Move", "--unlock", "2079-12-31")
    try home.done("edit", "Move", "--unlock", "2081-01-01")
    try expect(capsule("Move")["unlockAt"], is: "2080-12-31T23:00:00Z")
  }

  @Test func `tags, notes and title are changed`() throws {
    try home.create("Old", "-u", "2090", "--tag", "a", "--tag", "b")
    try home.done("edit", "Old", "--title", "New", "--untag", "A", "--tag", "c", "--notes", "N")
    let shown = try capsule("New")
    expect(shown["tags"] == ["b", "c"] && shown["notes"] == "N")
  }

  @Test func `a field that nobody knows survives a repair and an edit`() throws {
    let id = try home.create("Old", "-u", "2090")
    let file = try home.record(id)
    try home.replace(
      "\"notes\": \"\"", with: "\"notes\": \"\",\n  \"later\": {\"x\": 1.50}", in: file)
    try home.refusal(.damaged, "edit", id, "--title", "New")
    try home.done("repair", "--accept", id)
    try home.done("edit", id, "--title", "New")
    expect(try home.text(of: file).contains("\"x\": 1.50"))
  }

  // MARK: Deleting

  @Test func `a deletion is asked for, and what is deleted is not found`() throws {
    let id = try home.createUnlocked("Gone", "--text", "t")
    try home.refusal(.refused, "delete", id)
    try home.done("delete", id, "--yes")
    try expect(home.titles(), is: [])
    try home.refusal(.notFound, "show", id)
  }

  @Test func `what is deleted comes back whole, until it is purged`() throws {
    let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let id = try home.createUnlocked("Gone", try home.write(bytes, as: "blob.bin"))
    try home.done("delete", id, "--yes")
    try home.done("restore", "gone")
    try expect(home.run("open", "Gone").output, is: bytes)
    try home.done("delete", id, "--yes")
    try expect(home.json("purge", "--older-than", "1d", "--yes")["records"], is: [])
    try expect(home.json("purge", "--yes")["blobs"], is: 1)
    expect(home.files(below: ".local/share/capsule/blobs"), is: [])
    try home.refusal(.notFound, "restore", id)
  }

  @Test func `nothing is purged while what is needed is not known`() throws {
    let id = try home.create("A", "-u", "2090")
    try home.create("B", "-u", "2090")
    try home.done("delete", "B", "--yes")
    let file = try home.record(id)
    try home.write(
      try home.bytes(of: file), as: String(file.dropLast(5)) + ".sync-conflict-20260101.json")
    try home.refusal(.refused, "purge", "--yes")
    let list = try home.run("list", "--json")
    expect(list.code, is: .ok)
    expect(list.err.contains("sync-conflict"))
    try expect(home.json("verify")["isSound"], is: true)
  }

  @Test func `of what is deleted or missing its versions say how it comes back`() throws {
    try home.done("item", "add", "Ring")
    let id = try require(home.json("item", "show", "Ring")["id"]?.string)
    let file = try home.record(id)
    let bytes = try home.bytes(of: file)
    try home.remove(file)
    for word in ["Ring", String(id.prefix(6))] {
      let missing = try home.refusal(.notFound, "versions", word)
      expect(missing.contains("'Ring'") && missing.contains("capsule repair"))
    }
    try home.write(bytes, as: file)
    try home.done("item", "delete", "Ring", "--yes")
    let deleted = try home.refusal(.notFound, "versions", String(id.prefix(6)))
    expect(deleted.contains("the item 'Ring' is in the trash"))
    expect(deleted.contains("capsule restore \(id)"))
  }

  @Test func `a deleted record that is damaged is said to be so when it comes back`() throws {
    let id = try home.create("Half", "-u", "2090")
    try home.done("delete", "Half", "--yes")
    let file = ".local/share/capsule/trash/capsules"
    let name = try file + "/" + require(home.names(in: file)?.first)
    let bytes = try home.bytes(of: name)
    try home.write(Array(bytes.prefix(bytes.count / 2)), as: name)
    let restored = try home.run("restore", id)
    expect(restored.code, is: .partial)
    expect(restored.out, is: "Restored the capsule \(id) (damaged)\n")
  }

  @Test func `a version whose file is gone is not restored`() throws {
    try home.done("item", "add", "Ring")
    try home.done("item", "attach", "Ring", try home.write("x", as: "f.txt"))
    try home.done("versions", "Ring", "--restore", "2")
    try home.remove(".local/share/capsule/blobs")
    let verified = try home.run("verify", "--json")
    expect(verified.code, is: .ok)
    let kinds = try verified.json()["problems"]?.array?.map { $0["kind"] }
    expect(kinds, is: ["versionBlob"])
    let refusal = try home.refusal(.damaged, "versions", "Ring", "--restore", "2")
    expect(refusal.contains("/blobs/") && refusal.contains("is missing"))
  }

  @Test func `what another machine may bring is said to be on its way, whoever named it`() throws {
    let id = try home.create("A", "-u", "2090")
    try home.remove(try home.record(id))
    try home.remove(".local/state")
    let verified = try home.run("verify")
    expect(verified.code, is: .ok)
    expect(
      verified.out.contains(
        "is not here; it may be on its way from another machine, else 'capsule repair' brings it"))
  }

  // MARK: Repairing

  @Test func `where a file stands for this machine's state no sync is missed`() throws {
    try home.create("A", "-u", "2090")
    try home.remove(".local/state")
    try home.write("x", as: ".local/state")
    try expect(home.done("repair"), is: "There is nothing to mend.\n")
    let kinds = try home.json("verify")["problems"]?.array?.map { $0["kind"] }
    expect(kinds?.contains("syncState") == false)
  }

  @Test func `a change by hand is marked, and kept from opening`() throws {
    let id = try home.createUnlocked("Hand", "--text", "t")
    try home.replace("\"Hand\"", with: "\"Edited\"", in: try home.record(id))
    let list = try home.run("list", "--json")
    expect(list.code, is: .partial)
    try expect(list.json().array?.first?["problem"], is: "altered")
    try home.refusal(.damaged, "open", id)
  }

  @Test func `a change by hand is accepted where that is asked for, and what was there is kept`()
    throws
  {
    let id = try home.createUnlocked("Hand", "--text", "t")
    try home.replace("\"Hand\"", with: "\"Edited\"", in: try home.record(id))
    try home.done("repair", "--accept", id)
    try expect(home.done("open", "Edited"), is: "t")
    let backups = home.files(below: ".local/share/capsule/backups")
    expect(backups.count == 1 && backups[0].hasSuffix("/\(id).json"))
  }

  @Test func `repair accepts no unlock time earlier than the sealed one`() throws {
    let id = try home.create("Sealed", "-u", "2090-01-01", "--text", "t")
    try home.replace("\"unlockAt\": \"2089", with: "\"unlockAt\": \"2019", in: try home.record(id))
    let result = try home.run("repair", "--accept", id)
    expect(result.code, is: .damaged)
    expect(result.out.contains("earlier"))
    try home.refusal(.damaged, "open", id)
  }

  @Test func `a lost identity is made again from its copy`() throws {
    let id = try home.createUnlocked("Id", "--text", "t")
    for name in home.files(below: ".local/share/capsule/identities") where name.hasSuffix(".txt") {
      try home.remove(".local/share/capsule/identities/" + name)
    }
    try expect(home.run("verify").code, is: .damaged)
    try home.done("repair")
    try home.done("verify")
    try expect(home.done("open", id), is: "t")
  }

  @Test func `a store of a newer format can be read and not changed`() throws {
    let id = try home.createUnlocked("New", "--text", "t")
    try home.replace("\"format\": 1", with: "\"format\": 2", in: ".local/share/capsule/store.json")
    try expect(home.titles(), is: ["New"])
    try home.refusal(.version, "edit", id, "--title", "X")
    try home.refusal(.version, "create", "Y", "-u", "2090", "--empty")
  }
}
