import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Groups of trustees, their shares, and what is sealed to them.
@Suite struct TrusteesTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  private static let holders = ["--holder", "Mia", "--holder", "Ben", "--holder", "Dr Okoye"]

  private var pages: String { home.path + "/pages" }

  /// Makes a group, any two of three.
  @discardableResult
  private func make(_ words: String...) throws -> JSON {
    try home.json(
      ["trustees", "make", "family", "-k", "2", "-o", pages] + Self.holders + words)
  }

  /// A home with the group in it, made once: to make one takes a debug build long.
  private struct Made: Sendable {
    let group: JSON
    let files: [String: [UInt8]]

    init() throws {
      let home = try HostedStore()
      group = try home.json(
        ["trustees", "make", "family", "-k", "2", "-o", home.path + "/pages"]
          + TrusteesTests.holders)
      var files: [String: [UInt8]] = [:]
      for folder in [".local/share", "pages"] {
        for name in home.files(below: folder) {
          files["\(folder)/\(name)"] = try home.bytes(of: "\(folder)/\(name)")
        }
      }
      self.files = files
    }
  }

  private static let once = Result { try Made() }

  /// Puts the group and its pages into the home.
  @discardableResult
  private func made() throws -> JSON {
    let made = try Self.once.get()
    for (name, bytes) in made.files { try home.write(bytes, as: name) }
    return made.group
  }

  private func page(_ number: Int) throws -> String {
    let names = try require(home.names(in: "pages"))
    let name = try require(names.first { $0.hasPrefix("\(number) ") && $0.hasSuffix(".txt") })
    return pages + "/" + name
  }

  /// The words of a page.
  private func words(_ number: Int) throws -> String {
    let text = try String(contentsOfFile: page(number), encoding: .utf8)
    let share = try Share(text: SecretBytes(copying: text.utf8))
    return String(decoding: share.text.bytes, as: UTF8.self)
  }

  /// The shares of two pages, as options.
  private func two(_ first: Int = 1, _ second: Int = 3) throws -> [String] {
    ["--share", try page(first), "--share", try page(second)]
  }

  // MARK: Making

  @Test func `a group is made with a page a holder in both forms, and kept without a share`()
    throws
  {
    let group = try make()
    expect(group["threshold"], is: 2)
    expect(group["recipient"]?.string?.hasPrefix("age1pq1"), is: true)
    expect(
      home.names(in: "pages")?.sorted(),
      is: [
        "1 Mia.html", "1 Mia.txt", "2 Ben.html", "2 Ben.txt", "3 Dr Okoye.html", "3 Dr Okoye.txt",
      ])
    let shares = try require(group["shares"]?.array)
    for (place, share) in shares.enumerated() {
      let digest = Hex.encode(SHA256.hash(Array(try words(place + 1).utf8)))
      expect(share["digest"], is: .string(digest))
    }
  }

  @Test func `the pages are the owner's alone`() throws {
    try make()
    let files = POSIXFileSystem()
    try expect(files.status(FilePath(pages)).mode, is: 0o700)
    for name in try require(home.names(in: "pages")) {
      try expect(files.status(FilePath(pages + "/" + name)).mode, is: 0o600)
    }
  }

  @Test func `no file of the store, cache or state holds a share or the identity`() throws {
    try make()
    let identity = try home.done(["trustees", "combine"] + two())
    let secret = try require(identity.split(separator: "\n").last)
    for name in home.files(below: "") where !name.hasPrefix("pages/") {
      let text = String(decoding: try home.bytes(of: name), as: UTF8.self).lowercased()
      expect(!text.contains(secret.lowercased()), "\(name)")
      for number in 1...3 {
        let start = try words(number).split(separator: " ")[4...7].joined(separator: " ")
        expect(!text.contains(start), "\(name)")
      }
    }
  }

  @Test func `with the setting off the key is X25519`() throws {
    try home.done("create", "C", "-u", "2090", "-q", "--empty")
    try home.done("settings", "set", "postQuantum", "off")
    try expect(make()["recipient"]?.string?.count, is: 62)
  }

  @Test func `holders are people of the store where they are among them`() throws {
    let person = try home.json("beneficiary", "add", "Mia")
    let shares = try require(try make()["shares"]?.array)
    expect(shares[0]["person"], is: person["id"])
    expect(shares[1]["person"] == .null && shares[1]["holder"] == "Ben")
  }

  @Test func `with seal each page is an age file to its holder`() throws {
    var recipients: [String] = []
    for name in ["Mia", "Ben", "Dr Okoye"] {
      let key = home.path + "/\(name).key"
      try home.done("keygen", "--pq", "-o", key)
      recipients.append(String(try home.done("keygen", "-y", key).dropLast()))
      try home.done("beneficiary", "add", name, "--recipient", recipients.last ?? "")
    }
    try make("--seal")
    let names = try require(home.names(in: "pages"))
    expect(names.count == 6 && names.allSatisfy { $0.hasSuffix(".age") })
    let text = try home.done(
      "unseal", "-i", home.path + "/Ben.key", pages + "/2 Ben.txt.age")
    try expect(Share(text: SecretBytes(copying: text.utf8)).member, is: 1)
    try home.refusal(.key, "unseal", "-i", home.path + "/Mia.key", pages + "/2 Ben.txt.age")
  }

  @Test func `a page sealed to an X25519 recipient is warned of, and one to nobody refused`() throws
  {
    let message = try home.refusal(
      .usage, ["trustees", "make", "f", "-k", "2", "-o", pages, "--seal"] + Self.holders)
    expect(message.contains("'Mia' has no age recipient"))
    try home.done("keygen", "-o", home.path + "/key")
    let recipient = String(try home.done("keygen", "-y", home.path + "/key").dropLast())
    for name in ["Mia", "Ben", "Dr Okoye"] {
      try home.done("beneficiary", "add", name, "--recipient", recipient)
    }
    let run = home.run(
      ["trustees", "make", "f", "-k", "2", "-o", pages, "--seal"] + Self.holders, input: "")
    expect(run.code == .ok && run.err.contains("not post-quantum"))
  }

  @Test(
    arguments: [
      ["-k", "4"], ["-k", "1"], ["-k", "17"], ["-k", "2", "--holder", "mia"],
      ["-k", "2", "--holder", " "],
    ])
  func `what makes no group is refused, and nothing is made`(words: [String]) throws {
    try home.refusal(.usage, ["trustees", "make", "f", "-o", pages] + Self.holders + words)
    expect(home.files(below: "").isEmpty)
    expect(home.names(in: "pages") == nil)
  }

  @Test func `one holder, and seventeen, are refused`() throws {
    for count in [1, 17] {
      let holders = (0..<count).flatMap { ["--holder", "H\($0)"] }
      let told = try home.refusal(
        .usage, ["trustees", "make", "f", "-k", "2", "-o", pages] + holders)
      expect(told.contains("\(String.counting(count, "holder")) cannot be a group"), "\(told)")
    }
  }

  @Test func `a name that another group has is refused before pages are made`() throws {
    try make()
    try home.refusal(
      .refused,
      ["trustees", "make", "FAMILY", "-k", "2", "-o", home.path + "/more"] + Self.holders)
    expect(home.names(in: "more") == nil)
  }

  @Test func `pages never lie in a store, nor in the place of something`() throws {
    try make()
    for place in [home.store + "/pages", home.store + "/blobs/pages", pages, pages + "/"] {
      try home.refusal(
        .refused, ["trustees", "make", "other", "-k", "2", "-o", place] + Self.holders)
    }
    try expect(home.strings("name", "trustees", "list"), is: ["family"])
  }

  @Test func `where all are needed it is warned of`() throws {
    let run = home.run(
      ["trustees", "make", "f", "-k", "3", "-o", pages] + Self.holders, input: "")
    expect(run.code == .ok && run.err.contains("one share lost is everything lost"))
  }

  // MARK: Shares

  @Test(arguments: [(1, 2), (1, 3), (2, 3), (3, 1)])
  func `any two of three shares give the key`(first: Int, second: Int) throws {
    let group = try made()
    let key = home.path + "/key"
    try home.done(["trustees", "combine", "-o", key] + two(first, second))
    try expect(home.done("keygen", "-y", key), is: (group["recipient"]?.string ?? "") + "\n")
    try expect(POSIXFileSystem().status(FilePath(key)).mode, is: 0o600)
  }

  @Test func `shares are typed one after another, and it says how many are missing`() throws {
    try made()
    home.answers = [try words(2).uppercased(), try words(1)]
    let run = home.run(["trustees", "combine", "-o", home.path + "/key"], input: "")
    expect(run.code, is: .ok, "\(run.err)")
    expect(run.err.contains("Share 2 of 'family', Ben's. 1 more is needed."))
    expect(run.err.contains("That is enough."))
  }

  @Test func `one that is mistyped is asked for again, and what was typed is not repeated`() throws
  {
    try made()
    var wrong = try words(2).split(separator: " ").map(String.init)
    wrong.swapAt(9, 10)
    home.answers = [
      try words(1), wrong.joined(separator: " "), try words(1), try words(2),
    ]
    let run = home.run(["trustees", "combine", "-o", home.path + "/key"], input: "")
    expect(run.code, is: .ok, "\(run.err)")
    expect(run.err.contains("words 10 and 11 are likely swapped"))
    expect(run.err.contains("the share was given already"))
    expect(!run.err.contains(wrong[5] + " " + wrong[6]))
  }

  @Test func `without a store both keys that it may be are written`() throws {
    let group = try made()
    let other = try HostedStore()
    let text = try other.done(["trustees", "combine"] + two())
    expect(text.contains("AGE-SECRET-KEY-PQ-1") && text.contains("AGE-SECRET-KEY-1"))
    expect(text.contains(group["recipient"]?.string ?? "?"))
    expect(other.files(below: "").isEmpty)
  }

  @Test func `too few shares, the same twice, one too many and another group's are refused`() throws
  {
    try made()
    let first = ["--share", try page(1)]
    expect(
      try home.refusal(.key, ["trustees", "combine"] + first).contains("1 more share is needed"))
    expect(
      try home.refusal(.key, ["trustees", "combine"] + first + first).contains("given already"))
    expect(
      try home.refusal(.key, ["trustees", "combine"] + first + two(2, 3)).contains("one too many"))
    let more = home.path + "/more"
    try home.done(["trustees", "make", "other", "-k", "2", "-o", more] + Self.holders)
    expect(
      try home.refusal(
        .key, ["trustees", "combine"] + first + ["--share", more + "/2 Ben.txt"]
      ).contains("another set"))
  }

  @Test func `a file that is in the way is refused before a share is asked for`() throws {
    try made()
    let key = try home.write("mine", as: "key")
    home.answers = []
    let run = home.run(["trustees", "combine", "-o", key], input: "")
    expect(run.code == .refused && run.questions.isEmpty)
  }

  @Test func `a page for a browser and a sealed page are refused by what they are`() throws {
    try made()
    expect(
      try home.refusal(.damaged, "trustees", "check", "--share", pages + "/1 Mia.html")
        .contains("browser"))
  }

  @Test func `one share is checked alone, and known by its digest`() throws {
    try made()
    let share = try home.json("trustees", "check", "--share", try page(3))
    expect(share["holder"] == "Dr Okoye" && share["trustees"] == "family")
    expect(share["number"] == 3 && share["threshold"] == 2)
  }

  @Test func `a share of nobody's here is whole, and one made up for a group is not`() throws {
    try made()
    let other = try HostedStore()
    let share = try other.json("trustees", "check", "--share", try page(3))
    expect(share["holder"] == .null && share["trustees"] == .null)
    // The number of the group's set, and another piece.
    let own = try Share(text: SecretBytes(copying: try words(1).utf8))
    let forged = try ShareSet.split(
      SecretBytes(copying: 0..<32), threshold: 2, count: 2, identifier: own.common.identifier,
      random: .system)
    let file = try home.write(String(decoding: forged[0].text.bytes, as: UTF8.self), as: "forged")
    expect(
      try home.refusal(.damaged, "trustees", "check", "--share", file)
        .contains("none of those that were made for 'family'"))
  }

  @Test func `a wrong word is named by its place, in JSON too`() throws {
    try made()
    let text = try words(1).split(separator: " ").enumerated()
      .map { $0 == 11 ? "axel" : String($1) }.joined(separator: " ")
    let file = try home.write(text, as: "share")
    let run = home.run(["trustees", "check", "--share", file, "--json"], input: "")
    let error = try JSON.parse(run.errorOutput)["error"]
    expect(run.code == .damaged && error?["place"] == 12)
    expect(error?["nearest"], is: ["axle"])
  }

  // MARK: Keeping

  @Test func `confirmations are kept, and too few of them warned of`() throws {
    try made()
    expect(home.run(["trustees", "list"], input: "").err.contains("0 of the 3 shares"))
    try home.done("trustees", "confirm", "family", "mia", "2", "Dr Okoye")
    let run = home.run(["trustees", "list"], input: "")
    expect(run.code == .ok && run.err.isEmpty, "\(run.err)")
    try expect(home.json("trustees", "show", "family")["confirmed"], is: 3)
  }

  @Test func `lost shares are kept, and it is said when too few are left`() throws {
    try made()
    let first = home.run(["trustees", "lost", "family", "Mia"], input: "")
    expect(first.err.contains("2 of the 3 shares of 'family' are left, and 3 ought to be"))
    expect(first.err.contains("capsule trustees renew 'family'"))
    let run = home.run(["trustees", "lost", "family", "Ben"], input: "")
    expect(run.err.contains("opens nothing any more"))
    try home.done("trustees", "confirm", "family", "Ben")
    try expect(home.json("trustees", "show", "family")["lost"], is: 1)
  }

  @Test func `a holder that there is not is refused with those that there are`() throws {
    try made()
    let message = try home.refusal(.notFound, "trustees", "confirm", "family", "Zoe")
    expect(message.contains("'Mia', 'Ben', 'Dr Okoye'"))
  }

  @Test func `a group goes to the trash and comes back, and has a journal`() throws {
    try make()
    try home.done("trustees", "delete", "family", "--yes")
    try expect(home.strings("name", "trustees", "list"), is: [])
    try home.done("restore", "family")
    try expect(home.strings("name", "trustees", "list"), is: ["family"])
    try home.done("verify")
    try FileManager.default.removeItem(
      atPath: home.store + "/trustees/"
        + (try require(home.files(below: ".local/share/capsule/trustees").first)))
    expect(home.run(["verify"], input: "").code, is: .damaged)
    try home.done("repair")
    try expect(home.strings("name", "trustees", "list"), is: ["family"])
  }

  @Test(.enabled(if: OtherPrograms.areExpected("python3"), "python3 is not installed"))
  func `the program in the document joins pages to the key that combine writes`() throws {
    try made()
    let program = try DocumentText("docs/trustees.md").block(
      after: "<!-- join -->", language: "python")
    var run = ProgramRun(environment: ["PATH": OtherPrograms.path])
    run.program = "/usr/bin/env"
    let file = try home.write(program, as: "join.py")
    run.arguments = try ["python3", file, page(3), page(1)].map { Array($0.utf8) }
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
    let lines = result.out.split(separator: "\n").map(String.init)
    let own = try home.done(["trustees", "combine"] + two()).split(separator: "\n").last
    expect(lines.count == 2 && lines[0] == own.map(String.init))
    let other = try HostedStore()
    let both = try other.done(["trustees", "combine"] + two()).split(separator: "\n")
    expect(both.filter { !$0.hasPrefix("#") }.map(String.init), is: lines)
  }

  // MARK: Renewing

  @Test func `new shares are of the same key, and the old ones still open everything`() throws {
    let group = try made()
    let new = home.path + "/new"
    let run = try home.run(
      ["trustees", "renew", "family", "-o", new, "-k", "3", "--json"] + two(), input: "")
    expect(run.code, is: .ok, "\(run.err)")
    let renewed = try JSON.parse(run.output)
    expect(renewed["recipient"] == group["recipient"] && renewed["threshold"] == 3)
    expect(renewed["identifier"] != group["identifier"])
    expect(renewed["earlierIdentifiers"]?.array, is: [group["identifier"] ?? .null])
    let old = try home.done(["trustees", "combine"] + two(2, 3))
    let names = ["1 Mia", "2 Ben", "3 Dr Okoye"]
    let joined = try home.done(
      ["trustees", "combine"] + names.flatMap { ["--share", "\(new)/\($0).txt"] })
    expect(joined, is: old)
    expect(try home.text(of: "new/1 Mia.txt").contains("Earlier sheets"))
    expect(try home.done("trustees", "check", "--share", page(1)).contains("earlier set"))
  }

  @Test func `old and new shares do not go together`() throws {
    try made()
    let new = home.path + "/new"
    try home.done(["trustees", "renew", "family", "-o", new] + two())
    let message = try home.refusal(
      .key, "trustees", "combine", "--share", try page(1), "--share", new + "/2 Ben.txt")
    expect(message.contains("another set"))
  }

  @Test func `shares of another group renew nothing`() throws {
    try made()
    let more = home.path + "/more"
    try home.done(["trustees", "make", "other", "-k", "2", "-o", more] + Self.holders)
    try home.refusal(
      .key, ["trustees", "renew", "other", "-o", home.path + "/new"] + two())
    expect(home.names(in: "new") == nil)
  }

  // MARK: Replacing

  @Test func `another key drops a holder, and the old shares open what was sealed before alone`()
    throws
  {
    let group = try made()
    try home.done(["create", "Old", "--trustees", "family", "--text", "old"] + Self.unlocked)
    let new = home.path + "/new"
    let replaced = try home.json(
      "trustees", "replace", "family", "--without", "Ben", "--holder", "Ann", "-o", new)
    expect(replaced["id"] == group["id"] && replaced["recipient"] != group["recipient"])
    expect(replaced["holders"], is: ["Mia", "Dr Okoye", "Ann"])
    expect(replaced["replaced"]?.array?.first?["recipient"], is: group["recipient"])
    expect(replaced["openToFormer"]?.array?.first?["title"], is: "Old")
    try home.done(["create", "New", "--trustees", "family", "--text", "new"] + Self.unlocked)
    let shares = ["--share", new + "/1 Mia.txt", "--share", new + "/3 Ann.txt"]
    try expect(home.done(["open", "Old"] + two()), is: "old")
    let refusal = try home.refusal(.key, ["open", "New"] + two())
    expect(refusal.contains("these shares are not of the trustees that 'New' is sealed to"))
    try expect(home.done(["open", "New"] + shares), is: "new")
    try home.refusal(.key, ["open", "Old"] + shares)
    // What the shares are is known of both.
    try expect(home.json("trustees", "check", "--share", page(2))["holder"], is: "Ben")
    expect(try home.json("trustees", "check", "--share", page(2))["replacedAt"] != .null)
    try expect(home.json("trustees", "check", "--share", shares[3])["replacedAt"], is: .null)
    expect(try home.done(["trustees", "combine"] + two()).contains("trustees: family"))
  }

  @Test func `spares are sealed to the new key where theirs can be had, others named`() throws {
    try made()
    let file = try home.write("living damage headset isolate birthday valid", as: "pass")
    for (title, lock) in [("Honor", []), ("Secret", ["--passphrase-file", file]), ("Gone", [])] {
      try home.done(["create", title, "--text", title] + lock + Self.unlocked)
      try home.done(["edit", title, "--trustees", "family"] + lock)
    }
    try home.done("delete", "Gone", "--yes")
    let (new, last) = (home.path + "/new", home.path + "/last")
    let run = home.run(["trustees", "replace", "family", "-o", new, "--json"], input: "")
    let first = try JSON.parse(run.output)
    expect(first["sealedAnew"]?.array?.map { $0["title"] }, is: ["Honor"])
    let left = first["openToFormer"]?.array
    expect(left?.map { $0["title"] }, is: ["Secret", "Gone"])
    expect(left?.map { $0["isInTrash"] }, is: [false, true])
    let refusal = try home.refusal(.key, ["open", "Honor"] + two())
    expect(refusal.contains("these shares are not of the trustees that 'Honor' is sealed to"))
    let shares = ["--share", new + "/1 Mia.txt", "--share", new + "/2 Ben.txt"]
    try expect(home.done(["open", "Honor"] + shares), is: "Honor")
    try home.done(["edit", "Secret", "--trustees", "family", "--passphrase-file", file])
    let second = try home.json(["trustees", "replace", "family", "-o", last] + shares)
    expect(second["sealedAnew"]?.array?.count == 2 && second["openToFormer"] == [])
    let lastShares = ["--share", last + "/1 Mia.txt", "--share", last + "/2 Ben.txt"]
    for title in ["Honor", "Secret"] {
      try home.refusal(.key, ["open", title] + shares)
      try expect(home.done(["open", title] + lastShares), is: title)
    }
  }

  @Test(arguments: [false, true])
  func `the store's copy for trustees goes to the new key, or is named`(withShares: Bool) throws {
    try made()
    try home.createUnlocked("Letter", "--text", "dear me")
    let word = try home.secretFile("winter in Lisbon, four chairs", as: "word")
    try home.done("store", "protect", "--passphrase-file", word, "--trustees", "family")
    let refusal = try home.refusal(.key, ["open", "Letter"] + two())
    expect(refusal.contains("capsule store unprotect --shares"), "\(refusal)")
    let new = home.path + "/new"
    let shares = ["--share", new + "/1 Mia.txt", "--share", new + "/2 Ben.txt"]
    let words = ["trustees", "replace", "family", "-o", new] + (withShares ? try two() : [])
    let run = home.run(words + ["--json"], input: "")
    expect(run.code, is: .ok, "\(run.err)")
    let copy = try JSON.parse(Array(run.out.utf8))["storeCopy"]
    expect(copy, is: withShares ? "renewed" : "left")
    if !withShares {
      expect(run.err.contains("capsule store protect --trustees family"))
      try home.refusal(.key, ["store", "unprotect"] + shares)
      // The key before this one does not open it either.
      let third = ["trustees", "replace", "family", "-o", home.path + "/third"]
      try expect(home.json(third + shares)["storeCopy"], is: "left")
      try home.done("store", "protect", "--passphrase-file", word, "--trustees", "family")
      let last = ["/third/1 Mia.txt", "/third/2 Ben.txt"].flatMap { ["--share", home.path + $0] }
      try home.done(["store", "unprotect"] + last)
      return
    }
    try home.refusal(.key, ["store", "unprotect"] + two())
    try home.done(["store", "unprotect"] + shares)
    try expect(home.done("open", "Letter"), is: "dear me")
  }

  @Test func `a holder who has no share cannot be dropped, and one alone is no group`() throws {
    try made()
    let output = ["-o", home.path + "/new"]
    try home.refusal(
      .notFound, ["trustees", "replace", "family", "--without", "Zoe"] + output)
    try home.refusal(
      .usage,
      ["trustees", "replace", "family", "--without", "Ben", "--without", "Mia"] + output)
    expect(home.names(in: "new") == nil)
  }

  // MARK: What they open

  private static let unlocked = ["--unlock", "2020-01-01", "--allow-past"]

  @Test func `a capsule sealed to trustees opens with their shares from its time on`() throws {
    try made()
    try home.done(
      ["create", "C", "-u", "2026-03-11", "--trustees", "family", "--text", "hello"])
    home.now = "2026-03-12T00:00:00Z"
    try home.refusal(.key, "open", "C")
    try expect(home.done(["open", "C", "--shares"] + two()), is: "hello")
  }

  @Test func `before its time it stays closed to shares, and it says what to do by hand`() throws {
    try made()
    try home.done("create", "C", "-u", "2090", "--trustees", "family", "--text", "hello")
    let message = try home.refusal(.locked, ["open", "C"] + two())
    expect(message.contains("capsule trustees combine -o group.txt"))
    expect(message.contains("jq -r .lock.key"))
  }

  @Test func `a capsule that is not sealed to trustees says so`() throws {
    try made()
    try home.createUnlocked("C", "--text", "hello")
    let message = try home.refusal(.key, ["open", "C"] + two())
    expect(message.contains("not sealed to trustees"))
  }

  @Test func `shares of another group do not open it`() throws {
    try made()
    let more = home.path + "/more"
    try home.done(["trustees", "make", "other", "-k", "2", "-o", more] + Self.holders)
    try home.done(
      ["create", "C", "--trustees", "other", "--text", "hello"] + Self.unlocked)
    try home.refusal(.key, ["open", "C", "--shares"] + two())
  }

  @Test func `a recipient beside the trustees opens it alone`() throws {
    try made()
    let key = home.path + "/key"
    try home.done("keygen", "--pq", "-o", key)
    let recipient = String(try home.done("keygen", "-y", key).dropLast())
    try home.done(
      ["create", "C", "--trustees", "family", "-r", recipient, "--text", "hello"] + Self.unlocked)
    try expect(home.done("open", "C", "-i", key), is: "hello")
    try expect(home.done(["open", "C", "--shares"] + two(2, 1)), is: "hello")
  }

  @Test func `trustees have a spare beside a passphrase, and show says so`() throws {
    try made()
    let file = try home.write("living damage headset isolate birthday valid", as: "pass")
    try home.done(
      ["create", "C", "--trustees", "family", "--passphrase-file", file, "--text", "hello"]
        + Self.unlocked)
    let strength = try home.json("show", "C")["lockStrength"]?.string
    expect(strength?.contains("whoever knows the passphrase"), is: true)
    expect(strength?.contains("so can the trustees of its spare"), is: true)
    try expect(home.done(["open", "C", "--shares"] + two()), is: "hello")
    try expect(home.done("open", "C", "--passphrase-file", file), is: "hello")
  }

  @Test func `trustees and recipients of two kinds are refused by name`() throws {
    try made()
    try home.done("keygen", "-o", home.path + "/key")
    let recipient = String(try home.done("keygen", "-y", home.path + "/key").dropLast())
    let message = try home.refusal(
      .usage, "create", "C", "-u", "2090", "--trustees", "family", "-r", recipient,
      "--empty")
    expect(message.contains(recipient) && message.contains("post-quantum"))
  }

  @Test(
    arguments: [
      ["--and"], ["--and", "--timelock"], ["--and", "--trustees", "family"],
      ["--and", "--timelock", "--trustees", "family", "--passphrase"],
      ["--and", "--timelock", "--trustees", "family", "-r", "age1x"],
      ["--trustees", "family", "--passphrase", "-r", "age1x"],
    ])
  func `what does not go together is refused`(words: [String]) throws {
    try made()
    try home.refusal(.usage, ["create", "C", "-u", "2090", "--empty"] + words)
    try expect(home.titles(), is: [])
  }

  @Test func `a group that there is not is refused, and no store is made`() throws {
    try home.refusal(.notFound, "create", "C", "-u", "2090", "--trustees", "family", "--empty")
    expect(home.files(below: "").isEmpty)
  }

  /// The lock of a capsule, opened by hand with the key of the group.
  private func byHand(_ lock: JSON?) throws -> Bool {
    let key = try home.done(["trustees", "combine"] + two())
    let identities = try IdentityFile(Array(key.utf8)).identities
    let text = Array(try require(lock?["key"]?.string).utf8)
    var sink = MemorySink()
    do throws(AgeFailure) {
      var reader = try AgeReader(MemorySource(text), encoding: .armor)
      let fileKey = try reader.unlock(with: identities)
      _ = try reader.open(with: fileKey, to: &sink, threads: 1)
    } catch {
      if case .noMatch = error { return false }
      throw error
    }
    return String(decoding: sink.bytes, as: UTF8.self).contains("AGE-SECRET-KEY-")
  }

  private func lock(_ title: String) throws -> JSON? {
    let id = try require(try home.json("show", title)["id"]?.string)
    return try JSON.parse(home.bytes(of: home.record(id)))["lock"]
  }

  @Test
  func `beside a timelock alone the trustees are its escrow, and lift it by hand at any time`()
    throws
  {
    let group = try made()
    try home.done("create", "C", "-u", "2090", "--timelock", "--trustees", "family", "--text", "x")
    let lock = try lock("C")
    expect(lock?["timelock"]?["escrow"]?.array, is: [group["recipient"] ?? .null])
    expect(try byHand(lock))
    expect(try home.refusal(.locked, ["open", "C"] + two()).contains("escrow"))
  }

  @Test func `with both the trustees' key does not lift the timelock`() throws {
    try made()
    try home.done(
      "create", "C", "-u", "2090", "--timelock", "--trustees", "family", "--and", "--text", "x")
    let lock = try lock("C")
    expect(lock?["timelock"]?["inner"], is: "recipients")
    expect(lock?["timelock"]?["escrow"]?.array, is: [])
    expect(try !byHand(lock))
    expect(try home.refusal(.locked, ["open", "C"] + two()).contains("to nobody before its date"))
  }
}
