import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The estate: all that is handed over, as one file for trustees.
@Suite struct EstateTests {
  private let home: HostedStore
  private let group: AgeIdentity
  private let mia: AgeIdentity

  /// Mia has a recipient and Jonas has none; a ring and a house are there.
  init() throws {
    home = try HostedStore()
    group = try home.insertTrustees(isPostQuantum: false)
    mia = try AgeIdentity(isPostQuantum: false, random: .system)
    try home.done("beneficiary", "add", "Mia", "--recipient", mia.recipient.description)
    try home.done("beneficiary", "add", "Jonas", "--phone", "+49 30 1234")
    try home.done("settings", "set", "owner", "Anna Berg")
    try home.done("item", "add", "Ring", "--value", "EUR 1200", "--location", "Safe")
    try home.done(
      "item", "attach", "Ring", try home.write([UInt8](repeating: 7, count: 70_000), as: "ring.gif")
    )
    try home.done("item", "add", "House")
  }

  private var file: String { home.path + "/out/estate.age" }

  @discardableResult
  private func make(
    _ words: String..., code: ExitCode = .ok, file: String = #fileID, line: Int = #line
  ) throws -> TestHost.Run {
    try FileManager.default.createDirectory(
      atPath: home.path + "/out", withIntermediateDirectories: true)
    let run = home.run(["estate", "--trustees", "family", "-o", self.file] + words, input: "")
    expect(run.code, is: code, "\(run.err)", sourceLocation: SourceLocation(file, line))
    return run
  }

  /// The files of a sealed archive by their paths, in their order.
  private func members(
    _ sealed: [UInt8], with identity: AgeIdentity
  ) throws -> [(path: String, bytes: [UInt8])] {
    var sink = MemorySink()
    var reader = try AgeReader(MemorySource(sealed))
    let key = try reader.unlock(with: [identity])
    _ = try reader.open(with: key, to: &sink, threads: 1)
    var members: [(String, [UInt8])] = []
    var rest = sink.bytes[...]
    var longPath: String?
    while let type = rest.dropFirst(156).first, rest.first != 0 {
      func text(_ range: Range<Int>) -> String {
        let field = rest[
          (rest.startIndex + range.lowerBound)..<(rest.startIndex + range.upperBound)]
        return String(
          decoding: field.prefix { $0 != 0 && $0 != 0x20 || range.count == 100 && $0 != 0 },
          as: UTF8.self)
      }
      let size = try require(Int(text(124..<136), radix: 8))
      let bytes = Array(rest.dropFirst(512).prefix(size))
      if type == UInt8(ascii: "x") {
        let record = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
          .first { $0.contains(" path=") }
        longPath = record?.split(separator: "=", maxSplits: 1).last.map(String.init)
      } else {
        if type == UInt8(ascii: "0") { members.append((longPath ?? text(0..<100), bytes)) }
        longPath = nil
      }
      rest = rest.dropFirst(512 + (size + 511) / 512 * 512)
    }
    return members
  }

  private func estate() throws -> [String: [UInt8]] {
    let members = try members(home.bytes(of: "out/estate.age"), with: group)
    return Dictionary(members.map { ($0.path, $0.bytes) }, uniquingKeysWith: { $1 })
  }

  private func page() throws -> String {
    String(decoding: try require(try estate()["estate/READ-ME-FIRST.html"]), as: UTF8.self)
  }

  // MARK: What is in it

  @Test func `it begins with the page, and has what each person receives`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia", "--message", "for you")
    try home.done("bequeath", "House", "--to", "Jonas", "--access", "upon-passing")
    try make()
    let all = try members(home.bytes(of: "out/estate.age"), with: group)
    expect(all.first?.path, is: "estate/READ-ME-FIRST.html")
    let files = try estate()
    expect(files["estate/people/Jonas/letter.txt"] != nil)
    let inner = try members(try require(files["estate/people/Mia.tar.age"]), with: mia)
    expect(
      inner.map(\.path), is: ["Mia/index.html", "Mia/letter.txt", "Mia/files/ring.gif"])
    expect(inner.last?.bytes, is: [UInt8](repeating: 7, count: 70_000))
  }

  @Test func `the trustees cannot read what is a person's who has a recipient`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    try make()
    let sealed = try require(try estate()["estate/people/Mia.tar.age"])
    expect(throws: AgeFailure.self) { try members(sealed, with: group) }
  }

  @Test func `page and command say whose the trustees can read`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    try home.done("bequeath", "House", "--to", "Jonas")
    let out = try make().out
    expect(out.contains("'Jonas': 1 gift in 'people/Jonas', which the trustees can read, too"))
    expect(out.contains("'Mia': 1 gift in 'people/Mia.tar.age', which only the person can open"))
    let page = try page()
    expect(page.contains("people/Jonas</bdi>, which you can read, too"))
    expect(page.contains("+49 30 1234"))
  }

  @Test func `a locked honor capsule has its key beside it, and is marked`() throws {
    try home.create("Diary", "--unlock", "2090", "--text", "dear me")
    let run = try make()
    let files = try estate()
    let key = try require(files["estate/capsules/Diary/key.txt"])
    let identity = try require(try IdentityFile(key).identities.first)
    let details = try require(files["estate/capsules/Diary/text-1.details.age"])
    let text = try HostedStore.opened(
      .string(String(decoding: details, as: UTF8.self)), with: identity)
    expect(text?.contains("dear me"), is: true)
    expect(try page().contains("It can be opened early"))
    expect(run.out.contains("1 of all can be opened early"))
    expect(files["estate/capsules/Diary/key.age"] == nil)
  }

  @Test func `one that is left to a person with a recipient is with that person only`() throws {
    try home.create("Diary", "--unlock", "2090", "--text", "dear me")
    try home.done("bequeath", "Diary", "--to", "Mia")
    try make()
    let files = try estate()
    expect(!files.keys.contains { $0.hasPrefix("estate/capsules") })
    let inner = try members(try require(files["estate/people/Mia.tar.age"]), with: mia)
    expect(inner.contains { $0.path == "Mia/sealed/Diary/key.txt" })
    let page = try require(inner.first { $0.path == "Mia/index.html" })
    expect(String(decoding: page.bytes, as: UTF8.self).contains("It can be opened early"))
  }

  @Test func `a delivery still leaves a locked honor capsule out`() throws {
    try home.create("Diary", "--unlock", "2090", "--text", "dear me")
    try home.done("bequeath", "Diary", "--to", "Jonas")
    let planned = try home.json("deliver", "--dry-run").array?.first
    expect(planned?["gifts"]?.array == [] && planned?["leftOut"]?.array?.count == 1)
  }

  @Test func `a timelock stays, and has no key beside it`() throws {
    try home.done("create", "Bet", "-u", "2090", "--timelock", "--text", "x")
    try make()
    let files = try estate()
    expect(files["estate/capsules/Bet/key.age"] != nil)
    expect(files["estate/capsules/Bet/key.txt"] == nil)
    expect(try page().contains("tle -d -o key.txt key.age"))
  }

  @Test func `a passphrase with a spare comes with it, and one without is only named`() throws {
    let pass = try home.write("living damage headset isolate", as: "pass")
    // A group of the same kind of key as the capsule's.
    try home.done("settings", "set", "postQuantum", "off")
    try home.done(
      "create", "With", "-u", "2090", "--passphrase-file", pass, "--trustees", "family", "--text",
      "hello")
    try home.create("Without", "--unlock", "2090", "--passphrase-file", pass, "--text", "x")
    let run = try make()
    expect(run.err.contains("the trustees cannot open 'Without'"))
    let files = try estate()
    expect(!files.keys.contains { $0.contains("Without") })
    let spare = try require(files["estate/capsules/With/spare.age"])
    let key = try HostedStore.opened(.string(String(decoding: spare, as: UTF8.self)), with: group)
    expect(key?.contains("AGE-SECRET-KEY-"), is: true)
    let page = try page()
    expect(page.contains("What you cannot open") && page.contains(">Without</bdi>"))
    expect(page.contains("age -d -i identity.txt -o key.txt spare.age"))
  }

  @Test func `what waits for a date lies apart, marked`() throws {
    try home.done("bequeath", "Ring", "--to", "Jonas", "--access-after", "2040-05-01")
    try home.done("bequeath", "House", "--to", "Jonas")
    let out = try make().out
    expect(out.contains("'later/2040-05-01/Jonas'") && out.contains("not before"))
    let files = try estate()
    let letter = try require(files["estate/later/2040-05-01/Jonas/letter.txt"])
    expect(
      String(decoding: letter, as: UTF8.self)
        .contains("Not to be handed over before Tue 1 May 2040"))
    expect(files["estate/people/Jonas/files/ring.gif"] == nil)
    expect(try page().contains("<dt>Not before</dt>"))
  }

  @Test func `what waits for two times of one day is one gift, of which nothing is lost`() throws {
    for (thing, time, words) in [("Ring", "08:00", "the first"), ("House", "20:00", "the second")] {
      try home.done(
        "bequeath", thing, "--to", "Jonas", "--access-after", "2040-05-01 \(time)", "-m", words)
    }
    try make()
    let paths = try members(home.bytes(of: "out/estate.age"), with: group).map(\.path)
    expect(Set(paths).count, is: paths.count)
    let letter = try require(try estate()["estate/later/2040-05-01/Jonas/letter.txt"])
    let text = String(decoding: letter, as: UTF8.self)
    expect(text.contains("the first") && text.contains("the second"))
    expect(text.contains("Not to be handed over before Tue 1 May 2040 20:00"))
  }

  @Test func `a spare for another group, or for the key before, is none for these trustees`() throws
  {
    let pass = try home.write("living damage headset isolate", as: "pass")
    try home.done("settings", "set", "postQuantum", "off")
    try home.insertTrustees("lawyers", isPostQuantum: false)
    for (title, trustees) in [("Theirs", "lawyers"), ("Ours", "family")] {
      try home.done(
        "create", title, "-u", "2090", "--passphrase-file", pass, "--trustees", trustees, "--text",
        "x")
    }
    let run = try make()
    expect(run.err.contains("'Theirs': it asks for a passphrase and has a spare for another key"))
    expect(!run.err.contains("Ours"))
    let files = try estate()
    expect(files["estate/capsules/Ours/spare.age"] != nil)
    expect(!files.keys.contains { $0.contains("Theirs") })
    expect(try page().contains("What you cannot open"))
  }

  @Test func `of a spare that another machine made it is said that it may be for others`() throws {
    let pass = try home.write("living damage headset isolate", as: "pass")
    try home.done("settings", "set", "postQuantum", "off")
    try home.insertTrustees("lawyers", isPostQuantum: false)
    try home.done(
      "create", "Will", "-u", "2090", "--passphrase-file", pass, "--trustees", "lawyers", "--text",
      "x")
    try home.remove(".local/state")
    let run = try make()
    expect(run.err.contains("'Will' has a spare that another machine made"))
    expect(try page().contains("It may open with the key of the trustees of “family”"))
  }

  @Test func `the inventory says to whom a thing was handed over`() throws {
    try home.done("bequeath", "Ring", "--to", "Jonas")
    try home.done("bequest", "mark", "Ring", "sent")
    try home.done("bequest", "mark", "Ring", "accepted")
    try make()
    expect(try page().contains("handed over to <bdi lang=\"\">Jonas</bdi> on 10 March 2026"))
  }

  @Test func `the inventory has every item, with its value and its heirs`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    try make()
    let page = try page()
    expect(page.contains(">Ring</bdi>") && page.contains("worth EUR 1200.00"))
    expect(page.contains("left to <bdi lang=\"\">Mia</bdi>") && page.contains("left to nobody"))
  }

  @Test func `nothing on the page is markup of a title, and it has no script`() throws {
    let hostile = "<script>alert(1)</script>\"'&"
    try home.done("item", "add", "--description", hostile, "--", hostile)
    try home.done("beneficiary", "add", "--", hostile)
    try home.create("C " + hostile, "--unlock", "2090", "--text", "x")
    try home.done("bequeath", hostile, "--to", "Jonas", "--message", hostile)
    try make()
    let page = try page()
    expect(!page.contains("<script") && !page.contains("alert(1)</script>"))
    expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"))
    expect(page.contains("default-src &#39;none&#39;"))
  }

  @Test func `the store's identities are never in it, and nothing in the store changes`() throws {
    try home.create("Diary", "--unlock", "2090", "--text", "dear me")
    try home.done("bequeath", "Ring", "--to", "Jonas")
    func bytes() throws -> [String: [UInt8]] {
      let names = home.files(below: ".local/share/capsule")
      return Dictionary(
        uniqueKeysWithValues: try names.map {
          ($0, try home.bytes(of: ".local/share/capsule/" + $0))
        })
    }
    let before = try bytes()
    try make()
    try expect(bytes(), is: before)
    let identities = try home.files(below: ".local/share/capsule/identities").map {
      try home.text(of: ".local/share/capsule/identities/" + $0)
    }
    let secret = try require(
      identities.first?.split(separator: "\n").first { $0.hasPrefix("AGE-SECRET-KEY") })
    for (path, bytes) in try estate() {
      expect(!String(decoding: bytes, as: UTF8.self).contains(secret), "\(path)")
    }
    try expect(home.json("passing", "show")["isDeclared"], is: false)
  }

  // MARK: The place

  @Test func `neither an estate nor a list that is there is replaced, unless by force`() throws {
    try make()
    let before = try home.bytes(of: "out/estate.age")
    expect(try make(code: .refused).err.contains("'--force' replaces it"))
    try expect(home.bytes(of: "out/estate.age"), is: before)
    try home.remove("out/estate.age")
    expect(try make(code: .refused).err.contains("estate.age.list' exists already"))
    try make("--force")
    try home.done("estate", "--check", file)
    expect(home.names(in: "out"), is: ["estate.age", "estate.age.list"])
  }

  @Test func `it never lies in a store, nor where nothing is named`() throws {
    for place in [home.store + "/estate.age", home.store + "/blobs/estate.age"] {
      try home.refusal(.refused, "estate", "--trustees", "family", "-o", place)
    }
    try home.refusal(.usage, "estate", "--trustees", "family")
    try home.refusal(.usage, "estate", "-o", file)
    try home.refusal(.notFound, "estate", "--trustees", "nobody", "-o", file)
  }

  @Test func `the group of the setting is taken where none is named`() throws {
    try home.done("settings", "set", "trustees", "family")
    try make()
    try home.done("estate", "-o", home.path + "/out/other.age")
    expect(home.names(in: "out")?.contains("other.age.list"), is: true)
  }

  @Test func `standard output takes it, and no terminal nor JSON beside`() throws {
    let run = home.run(["estate", "--trustees", "family", "-o", "-"], input: "")
    expect(run.code, is: .ok, "\(run.err)")
    try expect(members(run.output, with: group).first?.path, is: "estate/READ-ME-FIRST.html")
    try home.refusal(.usage, "estate", "--trustees", "family", "-o", "-", "--json")
    home.columns = 80
    let refused = home.run(["estate", "--trustees", "family", "-o", "-"], input: "")
    expect(refused.code == .refused && refused.err.contains("not written to a terminal"))
  }

  @Test func `an estate of nothing is not made`() throws {
    let other = try HostedStore()
    try other.insertTrustees()
    let message = try other.refusal(
      .refused, "estate", "--trustees", "family", "-o", other.path + "/e")
    expect(message.contains("nothing to hand over"))
    expect(other.names(in: "")?.contains("e"), is: false)
  }

  @Test func `where nobody is left anything it is said`() throws {
    expect(try make().err.contains("nothing is left to anybody"))
  }

  @Test func `a damaged file is named, and nothing is made`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    let blob = try require(home.files(below: ".local/share/capsule/blobs").first)
    var bytes = try home.bytes(of: ".local/share/capsule/blobs/" + blob)
    bytes[100] ^= 1
    try home.remove(".local/share/capsule/blobs/" + blob)
    try home.write(bytes, as: ".local/share/capsule/blobs/" + blob)
    expect(try make(code: .damaged).err.contains("'ring.gif' of 'Ring' is damaged"))
    expect(home.names(in: "out"), is: [])
  }

  // MARK: The list

  @Test func `the list has ids and revisions, and no titles`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia", "--message", "with love")
    try make()
    let text = try home.text(of: "out/estate.age.list")
    for secret in ["Ring", "House", "Mia", "Jonas", "Anna", "love", "Safe", "family"] {
      expect(!text.contains(secret), "\(secret)")
    }
    let list = try JSON.parse(Array(text.utf8))
    let digest = SHA256.hash(try home.bytes(of: "out/estate.age"))
    expect(list["sha256"], is: .string(Hex.encode(digest)))
    expect(list["records"]?.array?.count, is: 5)
  }

  @Test func `what became stale is said, without the estate being opened`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    try make()
    try expect(home.json("estate", "--check", file)["isStale"], is: false)
    expect(home.run(["estate", "--check", file, "--exit-code"], input: "").code, is: .none)
    try home.done("item", "edit", "Ring", "--location", "Bank")
    try home.done("item", "add", "Car")
    try home.done("item", "delete", "House", "--yes")
    try home.done("settings", "set", "owner", "Anna B.")
    let checked = try home.json("estate", "--check", file)
    func titles(_ member: String) -> [String] {
      checked[member]?.array?.compactMap { $0["title"]?.string } ?? []
    }
    expect(checked["isStale"] == true && checked["settingsChanged"] == true)
    expect(titles("changed") == ["Ring"] && titles("added") == ["Car"])
    expect(titles("removed"), is: ["House"])
    expect(checked["trustees"], is: "none")
    let run = home.run(["estate", "--check", file, "--exit-code"], input: "")
    expect(run.code == .ok && run.out.contains("the item 'Car' came"))
  }

  @Test func `a group that went is said`() throws {
    try make()
    try home.done("trustees", "delete", "family", "--yes")
    try expect(home.json("estate", "--check", file)["trustees"], is: "gone")
  }

  @Test func `a file that is another, or has no list, is refused`() throws {
    try make()
    var bytes = try home.bytes(of: "out/estate.age")
    bytes[bytes.count - 1] ^= 1
    try home.write(bytes, as: "out/estate.age")
    try home.refusal(.damaged, "estate", "--check", file)
    try home.remove("out/estate.age.list")
    try home.refusal(.notFound, "estate", "--check", file)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"estate":1}"#, #"{"estate":-1}"#, "{\"estate\":1,\"records\":[[[[", "\u{0}",
  ])
  func `a list that is none is refused`(text: String) throws {
    try make()
    try home.write(text, as: "out/estate.age.list")
    try home.refusal(.damaged, "estate", "--check", file)
  }

  @Test func `a list of a later version asks for a later program`() throws {
    try make()
    try home.replace("\"estate\": 1", with: "\"estate\": 2", in: "out/estate.age.list")
    try home.refusal(.version, "estate", "--check", file)
  }

  @Test(arguments: ["--trustees", "--output", "--force"])
  func `to check and to make are not done at once`(option: String) throws {
    let words = option == "--force" ? [option] : [option, "x"]
    try home.refusal(.usage, ["estate", "--check", "x"] + words)
  }

  // MARK: Without this program

  @Test(.enabled(if: OtherPrograms.areExpected("age", "tar", "python3"), "age is not installed"))
  func `age, tar and Python open all of it, with nothing of this program`() throws {
    try home.create("Diary", "--unlock", "2090", "--text", "dear me", home.path + "/ring.gif")
    try home.done("bequeath", "Ring", "--to", "Mia")
    try home.done("bequeath", "House", "--to", "Jonas", "--message", "yours")
    try make()
    try home.write(IdentityFile.text(mia, comments: []), as: "out/identity.txt")
    let line = """
      set -eu
      cd '\(home.path)/out'
      mkdir opened
      age -d -i ../family.key estate.age | tar -x -C opened
      cd opened/estate
      test -f READ-ME-FIRST.html
      grep -q yours people/Jonas/letter.txt
      age -d -i ../../identity.txt people/Mia.tar.age | tar -x -C people
      cmp people/Mia/files/ring.gif ../../../ring.gif
      cd capsules/Diary
      age -d -i key.txt -o text-1.json text-1.details.age
      python3 -c 'import json; assert json.load(open("text-1.json"))["text"] == "dear me"'
      age -d -i key.txt -o other-2 other-2.age
      cmp other-2 ../../../../../ring.gif
      """
    var run = ProgramRun(
      shell: line, environment: ["PATH": OtherPrograms.path, "LC_ALL": "C.UTF-8"])
    run.workingDirectory = home.path
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
  }
}
