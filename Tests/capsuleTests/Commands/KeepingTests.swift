import CapsuleCore
import Testing

/// Editing, deleting, restoring, purging, verifying and repairing.
@Suite struct KeepingTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  @Test func `a title or the start of an id is enough, and several are told apart`() throws {
    let id = try home.create("Straße", "-u", "2090")
    try home.create("Twin", "-u", "2090")
    try home.create("TWIN", "-u", "2090")
    #expect(try home.run("show", "STRASSE", "--json").json()["id"] == .string(id))
    #expect(try home.run("show", "straße", "--json").json()["id"] == .string(id))
    #expect(try home.run("show", String(id.prefix(4)), "--json").json()["id"] == .string(id))
    let several = try home.run("show", "twin", "--json")
    #expect(several.end == .exited(5))
    #expect(try several.errorJSON()["error"]?["candidates"]?.array?.count == 2)
    #expect(try home.run("show", "nobody", "--json").errorJSON()["error"]?["kind"] == "notFound")
  }

  @Test func `the unlock time moves later and never earlier`() throws {
    try home.create("Move", "-u", "2080-01-01")
    #expect(try home.run("edit", "Move", "--unlock", "2079-12-31").end == .exited(12))
    #expect(try home.run("edit", "Move", "--unlock", "2081-01-01").end == .exited(0))
    #expect(
      try home.run("show", "Move", "--json").json()["unlockAt"] == "2080-12-31T23:00:00Z")
  }

  @Test func `tags, notes and title are changed, and unknown fields survive`() throws {
    let id = try home.create("Old", "-u", "2090", "--tag", "a", "--tag", "b")
    let file = try home.shell("find '\(home.store)/capsules' -name '\(id).json'").out.dropLast()
    try home.shell(
      "sed -i 's/\"notes\": \"\"/\"notes\": \"\",\\n  \"later\": {\"x\": 1.50}/' '\(file)'")
    #expect(try home.run("edit", id, "--title", "New").end == .exited(7))
    #expect(try home.run("repair").end == .exited(0))
    try home.run("edit", id, "--title", "New", "--untag", "A", "--tag", "c", "--notes", "N")
    let shown = try home.run("show", "New", "--json").json()
    #expect(shown["tags"] == ["b", "c"])
    #expect(shown["notes"] == "N")
    #expect(try home.shell("grep -c '\"x\": 1.50' '\(file)'").out == "1\n")
  }

  @Test func `what is deleted comes back whole, until it is purged`() throws {
    try home.shell("head -c 300000 /dev/urandom > blob.bin")
    let id = try home.createUnlocked("Gone", "blob.bin")
    #expect(try home.run("delete", id).end == .exited(12))
    #expect(try home.run("delete", id, "--yes").end == .exited(0))
    #expect(try home.titles() == [])
    #expect(try home.run("show", id).end == .exited(5))
    #expect(try home.run("restore", "gone").end == .exited(0))
    #expect(try home.shell("$capsule open Gone | cmp - blob.bin && echo same").out == "same\n")
    try home.run("delete", id, "--yes")
    #expect(try home.run("purge", "--older-than", "1d", "--yes", "--json").json()["records"] == [])
    #expect(try home.run("purge", "--yes", "--json").json()["blobs"] == 1)
    #expect(try home.shell("find '\(home.store)' -type f -size +100k").out == "")
    #expect(try home.run("restore", id).end == .exited(5))
  }

  @Test func `nothing is purged while what is needed is not known`() throws {
    let id = try home.create("A", "-u", "2090")
    try home.create("B", "-u", "2090")
    try home.run("delete", "B", "--yes")
    try home.shell(
      "f=$(find '\(home.store)/capsules' -name '\(id).json'); "
        + "cp \"$f\" \"${f%.json}.sync-conflict-20260101.json\"")
    #expect(try home.run("purge", "--yes").end == .exited(12))
    let list = try home.run("list", "--json")
    #expect(list.end == .exited(0))
    #expect(list.err.contains("sync-conflict"))
    #expect(try home.run("verify", "--json").json()["isSound"] == true)
  }

  @Test func `a change by hand is marked, kept from opening, and accepted by repair`() throws {
    let id = try home.createUnlocked("Hand", "--text", "t")
    try home.shell("sed -i 's/\"Hand\"/\"Edited\"/' '\(home.store)'/capsules/*/'\(id).json'")
    let list = try home.run("list", "--json")
    #expect(list.end == .exited(3))
    #expect(try list.json().array?.first?["problem"] == "altered")
    #expect(try home.run("open", id).end == .exited(7))
    #expect(try home.run("repair").end == .exited(0))
    #expect(try home.run("open", "Edited").out == "t")
    #expect(try home.shell("ls '\(home.store)'/backups/*/").out == "\(id).json\n")
  }

  @Test func `repair accepts no unlock time earlier than the sealed one`() throws {
    let id = try home.create("Sealed", "-u", "2090-01-01", "--text", "t")
    let file = "'\(home.store)'/capsules/*/'\(id).json'"
    try home.shell("sed -i 's/\"unlockAt\": \"2089/\"unlockAt\": \"2019/' \(file)")
    let result = try home.run("repair")
    #expect(result.end == .exited(7))
    #expect(result.out.contains("earlier"))
    #expect(try home.run("open", id).end == .exited(7))
  }

  @Test func `a lost identity is made again from its copy`() throws {
    let id = try home.createUnlocked("Id", "--text", "t")
    try home.shell("rm -f '\(home.store)'/identities/*.txt")
    #expect(try home.run("verify").end == .exited(7))
    #expect(try home.run("repair").end == .exited(0))
    #expect(try home.run("verify").end == .exited(0))
    #expect(try home.run("open", id).out == "t")
  }

  @Test func `a store of a newer format can be read and not changed`() throws {
    let id = try home.createUnlocked("New", "--text", "t")
    try home.shell("sed -i 's/\"format\": 1/\"format\": 2/' '\(home.store)/store.json'")
    #expect(try home.titles() == ["New"])
    #expect(try home.run("edit", id, "--title", "X").end == .exited(11))
    #expect(try home.run("create", "Y", "-u", "2090").end == .exited(11))
  }
}
