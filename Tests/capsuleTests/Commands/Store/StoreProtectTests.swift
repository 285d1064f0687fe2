import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Who may use the store: `store protect` and what asks for its passphrase.
@Suite struct StoreProtectTests {
  private static let words = "winter in Lisbon, four chairs"

  /// A store with an honor capsule that is unlocked, protected with a passphrase in a file.
  private func protected() throws -> (home: HostedStore, word: String) {
    let home = try HostedStore()
    try home.createUnlocked("Letter", "--text", "dear me")
    let word = try home.secretFile(Self.words, as: "word")
    try home.done("store", "protect", "--passphrase-file", word)
    return (home, word)
  }

  @Test func `an honor capsule opens with the passphrase in a file`() throws {
    let (home, word) = try protected()
    try expect(home.done("open", "Letter", "--passphrase-file", word), is: "dear me")
  }

  @Test func `without a terminal and a passphrase it ends with 6 and says how to give one`() throws
  {
    let (home, _) = try protected()
    let words = try home.refusal(.key, "open", "Letter")
    expect(words.contains("--passphrase-file"))
    expect(words.contains("store hold"))
  }

  @Test func `a wrong passphrase ends with 6`() throws {
    let (home, _) = try protected()
    let other = try home.secretFile("summer", as: "other")
    expect(
      try home.refusal(.key, "open", "Letter", "--passphrase-file", other)
        .contains("not that of the store"))
  }

  @Test func `at a terminal it is asked for`() throws {
    let (home, _) = try protected()
    home.answers = [Self.words]
    let run = home.run(["open", "Letter"], input: "")
    expect(run.out, is: "dear me")
    expect(run.questions, is: ["Passphrase of the store: "])
  }

  @Test(arguments: [
    ["list"], ["show", "Letter"], ["check"], ["countdown", "Letter", "--once"], ["status"],
    ["verify"], ["create", "New", "--unlock", "2030-01-01", "--text", "hello"],
    ["add", "Letter", "--text", "more"], ["backup", "/copies"],
  ])
  func `what opens no honor lock asks for nothing`(words: [String]) throws {
    let (home, _) = try protected()
    try home.done(words.map { $0 == "/copies" ? home.path + $0 : $0 })
  }

  @Test func `verify says how many locks it did not open, and is content`() throws {
    let (home, word) = try protected()
    try expect(home.json("verify")["unprovenLocks"], is: .integer(1))
    try expect(
      home.json("verify", "--passphrase-file", word)["unprovenLocks"], is: .integer(0))
  }

  @Test func `a capsule made in a protected store opens with its passphrase`() throws {
    let (home, word) = try protected()
    try home.createUnlocked("Later", "--text", "made later")
    try expect(home.done("open", "Later", "--passphrase-file", word), is: "made later")
  }

  @Test func `a capsule is not sealed to a recipient that was put into store json`() throws {
    let (home, _) = try protected()
    let path = home.store + "/store.json"
    var fields = try RecordFile.decode([UInt8](try Data(contentsOf: URL(filePath: path)))).fields
    guard case .object(var own)? = fields["identities"] else {
      Issue.record("no identities")
      return
    }
    own["recipient"] = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
    fields["identities"] = .object(own)
    fields["checksum"] = nil
    try Data(RecordFile.encode(fields)).write(to: URL(filePath: path))
    expect(
      try home.refusal(.damaged, "create", "Evil", "--unlock", "2030-01-01", "--text", "hello")
        .contains("this device knows"))
  }

  @Test func `an unprotected store opens all of its capsules without a passphrase`() throws {
    let (home, word) = try protected()
    try home.createUnlocked("Later", "--text", "made later")
    try home.done("store", "unprotect", "--passphrase-file", word)
    try expect(home.done("open", "Letter"), is: "dear me")
    try expect(home.done("open", "Later"), is: "made later")
  }

  @Test func `it is protected anew with another passphrase, and opens`() throws {
    let (home, word) = try protected()
    try home.done("store", "unprotect", "--passphrase-file", word)
    let other = try home.secretFile("nine green umbrellas", as: "other")
    try home.done("store", "protect", "--passphrase-file", other)
    try expect(home.done("open", "Letter", "--passphrase-file", other), is: "dear me")
    try home.refusal(.key, "open", "Letter", "--passphrase-file", word)
  }

  @Test func `a passphrase is asked for twice, and a weak one is warned of`() throws {
    let home = try HostedStore()
    try home.createUnlocked("Letter", "--text", "dear me")
    home.answers = ["1234", "1234"]
    let run = home.run(["store", "protect"], input: "")
    expect(run.code, is: .ok)
    expect(run.err.contains("the passphrase is weak"))
    expect(run.questions, is: ["Passphrase: ", "The same once more: "])
  }

  @Test func `protecting says what it does not reach, and what stays in the clear`() throws {
    let home = try HostedStore()
    try home.createUnlocked("Letter", "--text", "dear me")
    let word = try home.secretFile(Self.words, as: "word")
    let run = home.run(["store", "protect", "--passphrase-file", word], input: "")
    for words in ["other machines", "backups", "archives", "printed pages", "In the clear stay"] {
      expect(run.err.contains(words))
    }
  }

  @Test func `a file of one's own with the key is named, and left`() throws {
    let home = try HostedStore()
    try home.createUnlocked("Letter", "--text", "dear me")
    let page = try home.done("identity", "print", "-o", "-")
    try home.write(Array(page.utf8), as: ".local/share/capsule/mine.txt")
    let word = try home.secretFile(Self.words, as: "word")
    let run = home.run(["store", "protect", "--passphrase-file", word], input: "")
    expect(run.code, is: .partial)
    expect(run.err.contains("mine.txt"))
  }

  @Test func `an identity typed back from paper is sealed`() throws {
    let (home, _) = try protected()
    let other = try HostedStore()
    try other.createUnlocked("Theirs", "--text", "x")
    let page = try home.secretFile(try other.done("identity", "print", "-o", "-"), as: "page.txt")
    try home.done("identity", "import", page)
    let names = try home.identityNames()
    expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".age") })
  }

  @Test func `an identity in the clear that came back is told, and removed by protecting again`()
    throws
  {
    let home = try HostedStore()
    try home.createUnlocked("Letter", "--text", "dear me")
    let name = try require(try home.identityNames().first)
    let path = home.store + "/identities/" + name
    let clear = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let word = try home.secretFile(Self.words, as: "word")
    try home.done("store", "protect", "--passphrase-file", word)
    try home.write(clear, as: ".local/share/capsule/identities/" + name)
    let kinds = try home.json("verify")["problems"]?.array?.compactMap { $0["kind"]?.string }
    expect(kinds, is: ["clearIdentity"])
    try home.done("repair")
    try home.done("store", "protect", "--passphrase-file", word)
    try expect(home.json("verify")["problems"], is: .array([]))
  }

  @Test func `an archive of a protected store has no identity in the clear, and opens elsewhere`()
    throws
  {
    let (home, word) = try protected()
    let archive = home.path + "/all.tar"
    try home.done("export", "archive", "-o", archive, "--in-the-clear")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: archive)))
    expect(!String(decoding: bytes, as: UTF8.self).contains("AGE-SECRET-KEY-"))
    let other = try HostedStore()
    try other.done("import", "archive", archive)
    try expect(other.done("open", "Letter", "--passphrase-file", word), is: "dear me")
  }

  @Test func `an archive from before brings no identity in the clear, and changes no lock`() throws
  {
    let home = try HostedStore()
    try home.createUnlocked("Letter", "--text", "dear me")
    let archive = home.path + "/all.tar"
    try home.done("export", "archive", "-o", archive, "--in-the-clear")
    let word = try home.secretFile(Self.words, as: "word")
    try home.done("store", "protect", "--passphrase-file", word)
    try home.done("import", "archive", archive)
    expect(try home.identityNames().allSatisfy { $0.hasSuffix(".age") })
    try expect(home.done("open", "Letter", "--passphrase-file", word), is: "dear me")
    try expect(home.json("store", "protect", "--passphrase-file", word)["sealed"], is: .integer(0))
  }

  @Test func `an archive of another protected store is refused`() throws {
    let (home, _) = try protected()
    let archive = home.path + "/all.tar"
    try home.done("export", "archive", "-o", archive, "--in-the-clear")
    let other = try HostedStore()
    try other.createUnlocked("Mine", "--text", "x")
    try expect(other.run("import", "archive", archive).exitCode, is: 12)
    try expect(other.titles(), is: ["Mine"])
  }

  @Test func `a delivery of several honor capsules asks for the passphrase once`() throws {
    let (home, _) = try protected()
    try home.createUnlocked("Second", "--text", "b")
    try home.done("beneficiary", "add", "Mia")
    for title in ["Letter", "Second"] {
      try home.done("bequeath", title, "--to", "Mia", "--access-after", "2021-01-01")
    }
    home.answers = [Self.words]
    let run = home.run(["deliver", "--output", home.path + "/out"], input: "")
    expect(run.code, is: .ok, "\(run.err)")
    expect(run.questions, is: ["Passphrase of the store: "])
  }

  @Test func `a page of the identity needs the passphrase`() throws {
    let (home, word) = try protected()
    try home.refusal(.key, "identity", "print", "-o", "-")
    expect(
      try home.done("identity", "print", "-o", "-", "--passphrase-file", word)
        .contains("AGE-SECRET-KEY-1"))
  }

  @Test func `the store's own identity takes the protection off without the passphrase`() throws {
    let (home, word) = try protected()
    let page = try home.secretFile(
      try home.done("identity", "print", "-o", "-", "--passphrase-file", word), as: "page.txt")
    try home.done("store", "unprotect", "--identity", page)
    try expect(home.done("open", "Letter"), is: "dear me")
  }

  @Test func `the key of trustees takes the protection off, where a copy was sealed to them`()
    throws
  {
    let home = try HostedStore()
    try home.createUnlocked("Letter", "--text", "dear me")
    try home.insertTrustees()
    let word = try home.secretFile(Self.words, as: "word")
    try home.done("store", "protect", "--passphrase-file", word, "--trustees", "family")
    try home.done("store", "unprotect", "--identity", home.path + "/family.key")
    try expect(home.done("open", "Letter"), is: "dear me")
    expect(try home.identityNames().allSatisfy { $0.hasSuffix(".txt") })
  }

  /// A protected store with a copy for the trustees.
  private func withTrustees() throws -> (home: HostedStore, word: String, copy: String) {
    let (home, word) = try protected()
    try home.insertTrustees(isPostQuantum: false)
    try home.done("store", "protect", "--passphrase-file", word, "--trustees", "family")
    let copies = home.files(below: ".local/share/capsule/identities").filter {
      $0.hasSuffix(".trustees.age")
    }
    return (home, word, ".local/share/capsule/identities/" + (try require(copies.first)))
  }

  @Test(arguments: [nil, "", "other"])
  func `a lost or damaged copy for trustees is noticed, and made again`(text: String?) throws {
    let (home, _, copy) = try withTrustees()
    try home.done("verify")
    let before = try home.bytes(of: copy)
    try home.remove(copy)
    if let text { try home.write(text, as: copy) }
    let run = home.run(["verify", "--json"], input: "")
    expect(run.code, is: .damaged)
    let problem = try require(try JSON.parse(Array(run.out.utf8))["problems"]?.array?.first)
    expect(problem["kind"], is: "identity")
    expect(problem["message"]?.string?.contains(".trustees.age"), is: true)
    try home.done("repair")
    try expect(home.bytes(of: copy), is: before)
    try home.done("verify")
  }

  @Test func `an archive has the copy for trustees, and the store made of it too`() throws {
    let (home, word, copy) = try withTrustees()
    let archive = home.path + "/a.tar"
    try home.done("export", "archive", "-o", archive, "--in-the-clear")
    let other = try HostedStore()
    try other.done("import", "archive", archive)
    try expect(other.bytes(of: copy), is: home.bytes(of: copy))
    try other.done("verify", "--passphrase-file", word)
  }

  @Test func `a copy that an earlier version left without a mark is taken into the header`() throws
  {
    let (home, word, copy) = try withTrustees()
    let path = home.store + "/store.json"
    var fields = try RecordFile.decode([UInt8](try Data(contentsOf: URL(filePath: path)))).fields
    expect(fields["trusteesCopy"]?.string?.hasPrefix("-----BEGIN AGE"), is: true)
    fields["trusteesCopy"] = nil
    try Data(RecordFile.encode(fields)).write(to: URL(filePath: path))
    try home.done("verify")
    try home.done("store", "protect", "--passphrase-file", word)
    try home.remove(copy)
    expect(home.run(["verify"], input: "").code, is: .damaged)
    try home.done("repair")
    expect(try home.bytes(of: copy).count > 100)
  }

  @Test func `the key of trustees without a copy opens nothing`() throws {
    let (home, _) = try protected()
    try home.insertTrustees()
    try home.refusal(.key, "store", "unprotect", "--identity", home.path + "/family.key")
  }

  @Test func `machines go on meeting, and no sync puts a former lock back`() throws {
    let home = try HostedStore()
    let other = try HostedStore()
    let word = try home.secretFile(Self.words, as: "word")
    let carrier = home.path + "/carrier"
    try home.createUnlocked("Letter", "--text", "dear me")
    try home.done("sync", "add", "stick", carrier, "--passphrase-file", word)
    try home.done("sync", "run")
    try other.done("sync", "join", carrier, "--passphrase-file", word)
    try home.done("store", "protect", "--passphrase-file", word)
    try home.refusal(.key, "sync", "run")
    try home.done("sync", "run", "--passphrase-file", word)
    try other.pass(seconds: 60)
    try other.done("edit", "Letter", "--title", "From there")
    try other.done("sync", "run")
    try home.pass(seconds: 120)
    try home.done("sync", "run", "--passphrase-file", word)
    try expect(home.done("open", "From there", "--passphrase-file", word), is: "dear me")
    try expect(other.done("open", "From there"), is: "dear me")
    try expect(home.json("store", "protect", "--passphrase-file", word)["sealed"], is: .integer(0))
  }

  @Test func `a store that joins a protected one is protected, and opens what was made there`()
    throws
  {
    let (home, word) = try protected()
    let other = try HostedStore()
    let carrier = home.path + "/carrier"
    home.answers = [Self.words]
    try home.done("sync", "add", "stick", carrier, "--passphrase-file", word)
    try home.createUnlocked("Later", "--text", "made later")
    try home.done("sync", "run", "--passphrase-file", word)
    other.answers = [Self.words]
    try other.done("sync", "join", carrier, "--passphrase-file", word)
    try expect(other.done("open", "Later", "--passphrase-file", word), is: "made later")
  }

  // MARK: Held

  private func held() throws -> (home: HostedStore, path: String) {
    let (home, word) = try protected()
    try home.makeRuntime(mode: 0o700)
    try home.done("store", "hold", "--for", "1 hour", "--passphrase-file", word)
    let names = try FileManager.default.contentsOfDirectory(atPath: home.path + "/run")
    return (home, home.path + "/run/" + (try require(names.first)))
  }

  @Test func `a held passphrase is not asked for`() throws {
    let (home, _) = try held()
    try expect(home.done("open", "Letter"), is: "dear me")
  }

  @Test func `only its owner can read a held passphrase`() throws {
    let (home, path) = try held()
    expect(path.hasPrefix(home.path))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    expect(mode, is: 0o600)
  }

  @Test func `after its time a held passphrase is not used, and the next command removes it`()
    throws
  {
    let (home, path) = try held()
    try home.pass(seconds: 3_600)
    try home.done("list")
    expect(!FileManager.default.fileExists(atPath: path))
    try home.refusal(.key, "open", "Letter")
  }

  @Test func `a clock that stands still gives a held passphrase no more time`() throws {
    let (home, path) = try held()
    home.boot += 3_600 * 1_000_000_000
    try home.refusal(.key, "open", "Letter")
    expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a held passphrase from a time to come is not used`() throws {
    let (home, _) = try held()
    try home.pass(seconds: -10)
    try home.refusal(.key, "open", "Letter")
  }

  @Test func `release removes it`() throws {
    let (home, path) = try held()
    try expect(home.json("store", "release")["wasHeld"], is: .bool(true))
    expect(!FileManager.default.fileExists(atPath: path))
    try expect(home.json("store", "release")["wasHeld"], is: .bool(false))
  }

  @Test func `what a killed one left goes with its time, and with every release`() throws {
    let (home, path) = try held()
    func leave() throws -> String {
      try FileManager.default.copyItem(atPath: path, toPath: path + ".0123")
      return path + ".0123"
    }
    let part = try leave()
    try home.done("list")
    expect(FileManager.default.fileExists(atPath: part))
    try home.pass(seconds: 3_600)
    try home.done("list")
    expect(!FileManager.default.fileExists(atPath: part))
    let word = home.path + "/word"
    let hold = ["store", "hold", "--passphrase-file", word]
    try home.done(hold)
    _ = try leave()
    try home.done(hold)
    expect(!FileManager.default.fileExists(atPath: part))
    _ = try leave()
    try FileManager.default.removeItem(atPath: path)
    try expect(home.json("store", "release")["wasHeld"], is: true)
    expect(!FileManager.default.fileExists(atPath: part))
  }

  @Test(arguments: [nil, 0o755] as [Int?])
  func `without a directory of one's own nothing is held`(mode: Int?) throws {
    let (home, word) = try protected()
    if let mode { try home.makeRuntime(mode: mode) }
    expect(
      try home.refusal(.refused, "store", "hold", "--passphrase-file", word)
        .contains("XDG_RUNTIME_DIR"))
  }

  @Test func `a wrong passphrase is not held`() throws {
    let (home, path) = try held()
    try home.done("store", "release")
    let other = try home.secretFile("summer", as: "other")
    try home.refusal(.key, "store", "hold", "--passphrase-file", other)
    expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a store that is not protected has nothing to hold`() throws {
    let home = try HostedStore()
    try home.createUnlocked("Letter", "--text", "dear me")
    try home.refusal(.refused, "store", "hold")
  }
}

extension HostedStore {
  func secretFile(_ text: String, as name: String) throws -> String {
    try write(Array(text.utf8), as: name)
  }

  fileprivate func identityNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: store + "/identities").sorted()
  }

  fileprivate func makeRuntime(mode: Int) throws {
    let runtime = path + "/run"
    try FileManager.default.createDirectory(
      atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
    environment["XDG_RUNTIME_DIR"] = runtime
  }
}
