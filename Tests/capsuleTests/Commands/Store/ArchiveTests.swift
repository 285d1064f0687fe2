import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `export archive`, `import archive`, `identity print` and `identity import`.
@Suite struct ArchiveTests {
  private let home: HostedStore
  private let other: HostedStore

  init() throws {
    home = try HostedStore()
    other = try HostedStore()
  }

  /// An archive in the other home, of what is in the first.
  @discardableResult
  private func carry(_ words: String..., to name: String = "a.tar.age") throws -> String {
    let keys = try key()
    try home.done(
      ["export", "archive"] + words + ["-r", keys.recipient, "-o", home.path + "/" + name])
    return try other.write(try home.bytes(of: name), as: name)
  }

  private func key() throws -> (recipient: String, path: String) {
    let path = other.path + "/key.txt"
    if other.names(in: "")?.contains("key.txt") != true { try other.done("keygen", "-o", path) }
    return (try other.done("keygen", "-y", path).trimmed, path)
  }

  @Test func `a store on a new machine is the same store`() throws {
    let id = try home.createUnlocked(
      "Letter", "--text", "hello", "--file", try home.write([1, 2, 3], as: "x.bin"))
    try home.done("item", "add", "Ring")
    try home.create("Gone", "-u", "2040")
    try home.done("delete", "Gone", "--yes")
    try home.done("settings", "set", "owner", "Anna")
    let file = try carry()
    let made = try other.json("import", "archive", file, "-i", try key().path)
    expect(made["hasMadeStore"] == true && made["added"] == 3 && made["problems"] == [])
    try expect(other.titles(), is: ["Letter"])
    try expect(other.text(of: other.record(id)), is: home.text(of: home.record(id)))
    try expect(other.done("open", "Letter", "--content", "1"), is: "hello")
    try expect(other.strings("title", "trash"), is: ["Gone"])
    try expect(other.json("settings", "get", "owner")["value"], is: "Anna")
    try other.done("verify")
    let again = try other.json("import", "archive", file, "-i", try key().path)
    expect(again["added"] == 0 && again["merged"] == [] && again["hasMadeStore"] == false)
    expect(
      try other.done("import", "archive", file, "-i", try key().path)
        .contains("Nothing changed. 3 were here already."))
  }

  @Test func `an archive is sealed, or said to be in the clear`() throws {
    try home.create("A", "-u", "2040")
    let path = home.path + "/a.tar"
    expect(try home.refusal(.usage, "export", "archive", "-o", path).contains("--in-the-clear"))
    let clear = try home.run("export", "archive", "-o", path, "--in-the-clear")
    expect(clear.code == .ok && clear.err.contains("not sealed"))
    expect(try home.bytes(of: "a.tar").starts(with: Array("archive.json\u{0}".utf8)))
    try home.refusal(.refused, "export", "archive", "-o", path, "--in-the-clear")
    try home.refusal(
      .usage, "export", "archive", "-o", path + "2", "--in-the-clear", "-r", try key().recipient)
    try home.refusal(
      .refused, "export", "archive", "-o", home.store + "/a.tar", "--in-the-clear")
    try carry()
    expect(try home.bytes(of: "a.tar.age").starts(with: Array("age-encryption.org/v1".utf8)))
  }

  @Test func `nobody is shown a passphrase for an archive that is refused`() throws {
    try home.create("A", "-u", "2040")
    try carry()
    let refusal = try home.run(
      "export", "archive", "--passphrase-generate", "-o", home.path + "/a.tar.age")
    expect(refusal.code == .refused && !refusal.err.contains("passphrase"), "\(refusal.err)")
  }

  @Test func `a copy of a store is said to be put where no store is`() throws {
    try home.create("A", "-u", "2040")
    try home.done("backup", home.path + "/backups")
    let name = try require(home.names(in: "backups")?.first { $0.hasPrefix("2") })
    let copy = home.path + "/backups/" + name
    expect(
      try other.refusal(.notFound, "repair", "--from", copy)
        .contains("cp -a \(copy.shellWord) \(other.store.shellWord)"))
    expect(try other.refusal(.refused, "import", "archive", copy).contains("is a store"))
    try other.create("B", "-u", "2040")
    expect(
      try other.refusal(.refused, "repair", "--from", copy).contains("capsule import archive"))
  }

  @Test func `an archive is read back, and damage of it is named`() throws {
    try home.createUnlocked("A", "--text", "t", "--file", try home.write([1, 2], as: "x"))
    let file = try carry()
    let key = try key().path
    let sound = try other.json("export", "archive", "--check", file, "-i", key)
    expect(sound["isSound"] == true && sound["records"] == 1 && sound["blobs"] == 1)
    let bytes = try other.bytes(of: "a.tar.age")
    let cut = try other.write(Array(bytes.dropLast(3)), as: "cut.age")
    try other.refusal(.damaged, "export", "archive", "--check", cut, "-i", key)
    try other.refusal(.damaged, "import", "archive", cut, "-i", key)
    let foreign = try other.write("Not an archive.", as: "foreign")
    expect(
      try other.refusal(.damaged, "import", "archive", foreign).contains("no archive of capsule"))
    try other.done("keygen", "-o", other.path + "/wrong.txt")
    try other.refusal(.key, "import", "archive", file, "-i", other.path + "/wrong.txt")
    try other.refusal(.key, "import", "archive", file)
    try other.refusal(.io, "import", "archive", other.path + "/none")
    expect(other.names(in: ".local/share") == nil)
  }

  @Test func `of a sealed archive that is cut behind its identities no store is left`() throws {
    let content = [UInt8](repeating: 5, count: 200_000)
    try home.create("A", "-u", "2040", "--file", try home.write(content, as: "x"))
    let file = try carry()
    let bytes = try other.bytes(of: "a.tar.age")
    try other.write(Array(bytes.prefix(150_000)), as: "a.tar.age")
    try other.refusal(.damaged, "import", "archive", file, "-i", try key().path)
    expect(other.files(below: ".local/share"), is: [])
  }

  @Test func `a damaged record is held back, and the rest is taken`() throws {
    let id = try home.create("A", "-u", "2040")
    try home.create("B", "-u", "2041")
    try home.replace("\"A\"", with: "\"Z\"", in: try home.record(id))
    let file = home.path + "/a.tar"
    let made = try home.run("export", "archive", "--in-the-clear", "-o", file)
    expect(made.code, is: .damaged)
    try expect(other.run("import", "archive", file).code, is: .damaged)
    try expect(other.titles(), is: ["B"])
  }

  @Test func `a part says what its honor capsules need, and opens where that is`() throws {
    let id = try home.createUnlocked("Letter", "--text", "hello")
    try home.create("Other", "-u", "2040")
    let part = home.path + "/part.tar"
    let made = try home.run("export", "archive", id, "-o", part, "--in-the-clear")
    expect(made.code == .ok && made.err.contains("1 capsule"))
    try expect(home.json("export", "archive", "--check", part)["withoutIdentity"], is: 1)
    let taken = try other.json("import", "archive", part)
    expect(taken["added"] == 1 && taken["isWhole"] == false && taken["withoutIdentity"] == 1)
    try other.refusal(.key, "open", "Letter")
    let page = home.path + "/identity.txt"
    try home.done("identity", "print", "-o", page)
    let back = try other.json("identity", "import", page)
    expect(back.array?.first?["isNew"] == true && back.array?.first?["isOwn"] == false)
    try expect(other.done("open", "Letter"), is: "hello")
  }

  @Test func `a dry run writes nothing`() throws {
    try home.create("A", "-u", "2040")
    let file = try carry()
    let plan = try other.json("import", "archive", file, "-i", try key().path, "--dry-run")
    expect(plan["added"] == 1 && plan["isDryRun"] == true && plan["store"] == .null)
    expect(other.names(in: ".local/share") == nil)
  }

  /// The answer of a dry run, and its lines.
  private func rehearse(
    _ file: String, _ words: String...
  ) throws -> (answer: JSON, lines: [String]) {
    let command = ["import", "archive", file, "-i", try key().path, "--dry-run"] + words
    let text = try other.run(command).out
    return (
      try JSON.parse(Array(try other.run(command + ["--json"]).out.utf8)),
      text.split(separator: "\n").map(String.init)
    )
  }

  @Test func `a dry run lists what would come, by kind and title, and whose identity`() throws {
    let letter = try home.create("To Mia", "-u", "2040")
    let ring = try home.json("item", "add", "Ring")["id"]?.string ?? ""
    let anchor = try home.json("item", "add", "Anchor")["id"]?.string ?? ""
    let gone = try home.create("Gone", "-u", "2040")
    try home.done("delete", "Gone", "--yes")
    try other.done("item", "add", "Own")
    let (answer, lines) = try rehearse(try carry())
    let own = try require(home.files(below: ".local/share/capsule/identities").first).dropLast(4)
    expect(
      lines,
      is: [
        "new  capsule 'Gone' \(gone), in the trash", "new  capsule 'To Mia' \(letter)",
        "new  item 'Anchor' \(anchor)", "new  item 'Ring' \(ring)", "identity  \(own)",
        "Would add 4 records, add 1 identity.",
      ])
    expect(
      answer["new"]?.array?.map { $0["title"]?.string }, is: ["Gone", "To Mia", "Anchor", "Ring"])
    expect(
      answer["new"]?.array?.map { $0["isTrashed"] == true }, is: [true, false, false, false])
    expect(answer["identities"], is: [.string(String(own))])
    try expect(other.strings("name", "item", "list"), is: ["Own"])
  }

  @Test func `a dry run tells what is merged, held back and stays in the trash`() throws {
    let merged = try home.create("A", "-u", "2040")
    let trashed = try home.create("B", "-u", "2040")
    try other.done("import", "archive", try carry(), "-i", try key().path)
    try other.done("delete", "B", "--yes")
    home.now = "2026-03-11T12:00:00Z"
    try home.done("edit", merged, "--tag", "h")
    let held = try home.createUnlocked("C", "--file", try home.write([1, 2, 3], as: "x.bin"))
    for name in home.files(below: ".local/share/capsule/blobs") {
      try home.remove(".local/share/capsule/blobs/" + name)
    }
    let file = home.path + "/b.tar"
    try expect(
      home.run("export", "archive", "--in-the-clear", "-o", file).code, is: .damaged)
    let text = try other.run("import", "archive", file, "--dry-run").out
    expect(text.contains("merged  capsule 'A' \(merged)\n"), "\(text)")
    expect(text.contains("held back  capsule 'C' \(held): "), "\(text)")
    expect(text.contains("capsule 'B' \(trashed) lies in the trash here"), "\(text)")
  }

  @Test func `a dry run has settings with their values here and in the archive`() throws {
    try home.create("A", "-u", "2040")
    try other.done("import", "archive", try carry(), "-i", try key().path)
    try home.done("settings", "set", "owner", "Anna")
    try home.done("settings", "set", "backupEvery", "60 days")
    try other.done("settings", "set", "backupEvery", "never")
    let (answer, lines) = try rehearse(try carry(to: "b.age"))
    expect(
      lines,
      is: [
        "setting  backupEvery: 'never' stays, the archive has '60'",
        "setting  owner: not set → 'Anna'", "Would set 1 setting. 1 were here already.",
      ])
    expect(
      answer["settingChanges"],
      is: [
        ["name": "backupEvery", "old": "never", "new": 60, "isTaken": false],
        ["name": "owner", "old": .null, "new": "Anna", "isTaken": true],
      ])
    try expect(other.json("settings", "get", "owner")["isSet"], is: false)
  }

  @Test func `a dry run is as long as it is asked for, and hostile titles act on no terminal`()
    throws
  {
    try home.done("item", "add", "Anchor")
    let id = try home.json("item", "add", "Ring")["id"]?.string ?? ""
    let path = try home.record(id)
    var fields = try RecordFile.decode(try home.bytes(of: path)).fields
    fields["name"] = "Zip\u{1b}[2J\nnew  capsule 'To Mia'\u{202e}"
    try home.write(RecordFile.encode(fields), as: path)
    let file = try carry()
    let all = try rehearse(file).lines
    expect(
      all[1], is: "new  item 'Zip\\u{1b}[2J\\nnew  capsule 'To Mia'\\u{202e}' \(id)")
    let (answer, lines) = try rehearse(file, "--limit", "1")
    expect(lines.dropFirst().first, is: "and 1 more: '--limit' shows them")
    expect(answer["new"]?.array?.count, is: 2)
  }

  @Test func `what was changed on both sides is told with the way to both`() throws {
    let id = try home.create("A", "-u", "2040", "--notes", "first")
    let key = try key().path
    try other.done("import", "archive", try carry(), "-i", key)
    home.now = "2026-03-11T12:00:00Z"
    try home.done("edit", id, "--notes", "here", "--tag", "h")
    other.now = "2026-03-12T12:00:00Z"
    try other.done("edit", id, "--notes", "there", "--tag", "o")
    let text = try other.done("import", "archive", try carry(to: "b.age"), "-i", key)
    expect(
      text.contains("conflict") && text.contains("notes") && text.contains("capsule versions"))
    let shown = try other.json("show", id)
    expect(shown["notes"] == "there" && shown["tags"] == ["o", "h"])
    try expect(other.json("versions", id).array?.count, is: 4)
    try other.done("verify")
  }

  // MARK: The identity

  @Test func `a lost identity is typed back, and a wrong line is named`() throws {
    try home.createUnlocked("Letter", "--text", "hello")
    let page = home.path + "/page.txt"
    try home.done("identity", "print", "-o", page)
    let lines = try home.text(of: "page.txt").split(separator: "\n").filter {
      $0.hasPrefix("#   ")
    }.map { String($0.dropFirst(2)) }
    try require(lines.count == 5)
    for file in home.files(below: ".local/share/capsule/identities") {
      try home.remove(".local/share/capsule/identities/" + file)
    }
    var wrong = Array(lines[2])
    wrong[6] = wrong[6] == "Q" ? "P" : "Q"
    home.answers = [lines[0], lines[1].lowercased(), String(wrong)] + lines[2...]
    let answer = try home.run("identity", "import")
    expect(answer.code, is: .ok, "\(answer.err)")
    expect(answer.err.contains("line 3 is wrong"))
    expect(home.files(below: ".local/share/capsule/identities").count, is: 1)
    try expect(home.done("open", "Letter"), is: "hello")
    let typed = try home.write(
      lines.joined(separator: "\n").replacing(
        lines[3], with: String(lines[3].dropLast(5)) + "0000"), as: "typed")
    expect(try home.refusal(.key, "identity", "import", typed).contains("line 4 is wrong"))
    expect(try home.done("identity", "import", page).contains("there already"))
  }

  @Test func `a store that lost everything but its records is found by its identity`() throws {
    try home.createUnlocked("Letter", "--text", "hello")
    let page = home.path + "/page.txt"
    try home.done("identity", "print", "-o", page)
    for name in ["store.json", "identities", "journal"] {
      try home.remove(".local/share/capsule/" + name)
    }
    try home.refusal(.damaged, "list")
    try home.done("identity", "import", page)
    try home.done("repair")
    try expect(home.done("open", "Letter"), is: "hello")
  }

  @Test func `a page is for its owner alone, and lies in no store`() throws {
    try home.create("A", "-u", "2040")
    let page = home.path + "/page.html"
    try home.done("identity", "print", "-o", page)
    try expect(POSIXFileSystem().status(FilePath(page)).mode & 0o777, is: 0o600)
    expect(try home.text(of: "page.html").hasPrefix("<!DOCTYPE html>"))
    try home.refusal(.refused, "identity", "print", "-o", page)
    try home.refusal(.refused, "identity", "print", "-o", home.store + "/page.txt")
    try home.refusal(.key, "identity", "import", page)
    try other.refusal(.notFound, "identity", "print", "-o", other.path + "/page.txt")
  }

  @Test func `a post-quantum key is printed, and read back into a file`() throws {
    let key = home.path + "/key.txt"
    try home.done("keygen", "--pq", "-o", key)
    let page = home.path + "/page.txt"
    try home.done("identity", "print", "-i", key, "-o", page)
    try home.create("A", "-u", "2040")
    try home.refusal(.refused, "identity", "import", page)
    let own = home.path + "/own.txt"
    try home.done("keygen", "-o", own)
    let both = try home.write(home.bytes(of: "own.txt") + home.bytes(of: "key.txt"), as: "both.txt")
    let kept = home.files(below: ".local/share/capsule/identities")
    try home.refusal(.refused, "identity", "import", both)
    expect(home.files(below: ".local/share/capsule/identities"), is: kept)
    try home.done("identity", "import", page, "-o", home.path + "/back.txt")
    try expect(
      home.done("keygen", "-y", home.path + "/back.txt"), is: home.done("keygen", "-y", key))
  }
}
