import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Whom a store seals to, when somebody who can write its directory says otherwise.
@Suite struct StoreTrustTests {
  private let home: HostedStore
  private let thief: AgeIdentity

  init() throws {
    home = try HostedStore()
    thief = try AgeIdentity(isPostQuantum: false, random: .system)
  }

  private func protect() throws -> String {
    let word = try home.secretFile("four chairs in Lisbon", as: "word")
    try home.done("store", "protect", "--passphrase-file", word)
    return word
  }

  /// Changes a file of the store, whose checksum fits again afterwards.
  private func edit(_ path: String, _ change: (inout JSONObject) -> Void) throws {
    let file = URL(filePath: path)
    var fields = try RecordFile.decode([UInt8](try Data(contentsOf: file))).fields
    change(&fields)
    fields["checksum"] = nil
    try Data(RecordFile.encode(fields)).write(to: file)
  }

  private func editHeader(_ change: (inout JSONObject) -> Void) throws {
    try edit(home.store + "/store.json", change)
  }

  private func editSettings(_ change: (inout JSONObject) -> Void) throws {
    let path = home.store + "/settings.json"
    if !FileManager.default.fileExists(atPath: path) {
      try Data(RecordFile.encode([:])).write(to: URL(filePath: path))
    }
    try edit(path, change)
  }

  /// The thief's identity as `store.json` has one.
  private var thiefs: JSON {
    .object([
      "recipient": .string(thief.recipient.description),
      "file": .string("# public key: \(thief.recipient)\n\(thief.secretText)\n"),
    ])
  }

  private func group(_ title: String = "family") throws -> String {
    let id = try require(
      try home.json("trustees", "list").array?.first { $0["name"]?.string == title }?["id"]?.string)
    return home.store + "/trustees/\(id.prefix(2))/\(id).json"
  }

  private static let new = ["create", "New", "--unlock", "2050-01-01", "--text", "hello"]

  // MARK: The store's own key

  @Test func `a second recipient behind the protected one is refused, also by quiet and JSON`()
    throws
  {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    _ = try protect()
    try editHeader { header in
      header["identities"] = .array([header["identities"] ?? .null, thiefs])
    }
    for options in [[], ["--quiet"], ["--json"]] as [[String]] {
      try home.refusal(.damaged, Self.new + options)
    }
    let verified = try home.run(["verify"])
    expect(verified.exitCode, is: 7)
    expect(verified.out.contains(thief.recipient.description), "\(verified.out)")
  }

  @Test func `no secret key that comes in is sealed to a recipient that was put in`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    _ = try protect()
    let archive = home.path + "/other.tar"
    try home.done("event", "add", "Moved", "--on", "2030-01-01", "--store", home.path + "/foreign")
    try home.done(
      "export", "archive", "--in-the-clear", "--output", archive, "--store", home.path + "/foreign")
    let paper = try AgeIdentity(isPostQuantum: false, random: .system)
    let key = try home.secretFile(paper.secretText, as: "key")
    try editHeader { header in
      guard case .object(var own)? = header["identities"] else { return }
      own["recipient"] = .string(thief.recipient.description)
      header["identities"] = .object(own)
    }
    expect(try home.run(["import", "archive", archive]).exitCode, is: 7)
    try home.refusal(.damaged, "identity", "import", key)
    expect(try home.run(["import", "archive", archive, "--dry-run"]).exitCode, is: 0)
  }

  @Test func `a second recipient in the clear, as an array or an object, is refused`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try editHeader { header in
      header["identities"] = .array((header["identities"]?.array ?? []) + [thiefs])
    }
    let words = try home.refusal(.damaged, Self.new)
    expect(words.contains(thief.recipient.description) && words.contains("store accept"))
    try editHeader { $0["identities"] = thiefs }
    try home.refusal(.damaged, Self.new)
  }

  @Test func `a device that never saw the protected store takes no list of recipients`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    _ = try protect()
    try editHeader { header in
      header["identities"] = .array([header["identities"] ?? .null, thiefs])
    }
    home.environment["XDG_STATE_HOME"] = home.path + "/other"
    try home.refusal(.damaged, Self.new)
  }

  @Test func `a store that was protected is refused in the clear, and repair puts it back`() throws
  {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    let path = home.store + "/store.json"
    let before = try Data(contentsOf: URL(filePath: path))
    let identities = try FileManager.default.contentsOfDirectory(atPath: home.store + "/identities")
    let name = try require(identities.first)
    let identity = try Data(contentsOf: URL(filePath: home.store + "/identities/" + name))
    let word = try protect()
    // Somebody who kept the directory as it was puts its files back.
    try before.write(to: URL(filePath: path))
    try identity.write(to: URL(filePath: home.store + "/identities/" + name))
    let words = try home.refusal(.damaged, Self.new)
    expect(words.contains("had a passphrase and has none now"), "\(words)")
    // What its owner may have done elsewhere is put back only on demand.
    expect(try home.run(["repair"]).exitCode, is: 7)
    try home.done("repair", "--restore-key")
    try home.done(Self.new)
    try home.done("verify")
    try home.done("store", "unprotect", "--passphrase-file", word)
    try home.done(["create", "Later", "--unlock", "2050-01-01", "--text", "hello"])
  }

  @Test func `no secret key comes in the clear into a store that lost its passphrase`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    let before = home.path + "/before"
    try FileManager.default.copyItem(atPath: home.store, toPath: before)
    _ = try protect()
    let paper = try AgeIdentity(isPostQuantum: false, random: .system)
    let key = try home.secretFile(paper.secretText, as: "key")
    try FileManager.default.removeItem(atPath: home.store + "/store.json")
    try FileManager.default.copyItem(
      atPath: before + "/store.json", toPath: home.store + "/store.json")
    try home.refusal(.damaged, "identity", "import", key)
    let name = home.store + "/identities/\(paper.recipient).txt"
    expect(!FileManager.default.fileExists(atPath: name))
  }

  @Test func `another id in the header does not make a known path a new one`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try editHeader { header in
      header["id"] = "00000000-0000-4000-8000-000000000000"
      header["identities"] = .array([thiefs])
    }
    try home.refusal(.damaged, Self.new)
  }

  @Test func `a store at another path starts with what is known of its id`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    let other = home.path + "/stick"
    try FileManager.default.copyItem(atPath: home.store, toPath: other)
    // As it is it is taken; with another key it is not, until that is accepted there.
    try home.done(Self.new + ["--store", other])
    let third = home.path + "/stick2"
    try FileManager.default.copyItem(atPath: home.store, toPath: third)
    try edit(third + "/store.json") { $0["identities"] = .array([thiefs]) }
    try home.refusal(.damaged, Self.new + ["--store", third])
    try home.refusal(.refused, "store", "accept", "--store", third, "--no-input")
    let accepted = try home.json("store", "accept", "--yes", "--store", third)["accepted"]?.array
    expect(accepted?.first?["now"], is: .array([.string(thief.recipient.description)]))
    try home.done(Self.new + ["--store", third])
    try home.done(Self.new)
    try edit(home.store + "/store.json") { $0["identities"] = .array([thiefs]) }
    try home.refusal(.damaged, Self.new)
  }

  @Test func `a pin of an earlier version counts`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    _ = try protect()
    let header = try RecordFile.decode(
      [UInt8](try Data(contentsOf: URL(filePath: home.store + "/store.json")))
    ).fields
    let id = try require(header["id"]?.string)
    let recipient = try require(header["identities"]?["recipient"]?.string)
    // What the version before kept: the digest of the recipient under the store's id.
    let state = home.path + "/.local/state/capsule"
    try FileManager.default.removeItem(atPath: state + "/pins")
    try FileManager.default.createDirectory(
      atPath: state + "/\(id)/recipients", withIntermediateDirectories: true)
    let digest = Hex.encode(SHA256.hash(Array(recipient.utf8)))
    try Data("\n\(id) \(digest)\n".utf8)
      .write(to: URL(filePath: state + "/\(id)/recipients/\(id.prefix(2))"))
    let whole = try Data(contentsOf: URL(filePath: home.store + "/store.json"))
    try editHeader { header in
      guard case .object(var own)? = header["identities"] else { return }
      own["recipient"] = .string(thief.recipient.description)
      header["identities"] = .object(own)
    }
    try home.refusal(.damaged, Self.new)
    try whole.write(to: URL(filePath: home.store + "/store.json"))
    try home.done(Self.new)
  }

  @Test func `a lent stick, once accepted, opens no other store`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    let stick = home.path + "/stick"
    let other = try HostedStore()
    try other.create("Fun", "--unlock", "2050-01-01", "--text", "x")
    try FileManager.default.copyItem(atPath: other.store, toPath: stick)
    try home.done(Self.new + ["--store", stick])
    let header = try Data(contentsOf: URL(filePath: stick + "/store.json"))
    try header.write(to: URL(filePath: home.store + "/store.json"))
    let words = try home.refusal(.damaged, Self.new)
    expect(words.contains("this device knew the store"), "\(words)")
  }

  @Test func `an older copy at a new path is held against the last that this device knew`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    let old = home.path + "/old"
    let moved = home.path + "/moved"
    try FileManager.default.copyItem(atPath: home.store, toPath: old)
    try FileManager.default.moveItem(atPath: home.store, toPath: moved)
    let word = try home.secretFile("four chairs in Lisbon", as: "word")
    try home.done("store", "protect", "--passphrase-file", word, "--store", moved)
    try home.done(Self.new + ["--store", moved])
    let words = try home.refusal(.damaged, Self.new + ["--store", old])
    expect(words.contains("had a passphrase"), "\(words)")
    // Back home it is as it was left.
    try FileManager.default.moveItem(atPath: moved, toPath: home.store)
    try home.refusal(.damaged, Self.new)
    try home.done("store", "accept", "--yes")
    try home.done(Self.new)
  }

  @Test func `to unprotect what is not protected accepts nothing`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try editHeader { header in
      header["identities"] = .array((header["identities"]?.array ?? []) + [thiefs])
    }
    try home.refusal(.damaged, Self.new)
    try home.done("store", "unprotect")
    try home.refusal(.damaged, Self.new)
  }

  @Test func `to protect again accepts no key that the passphrase happens to open`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    let word = try protect()
    let other = try HostedStore()
    try other.create("Fun", "--unlock", "2050-01-01", "--text", "x")
    try other.done("store", "protect", "--passphrase-file", word)
    let theirs = try RecordFile.decode(
      [UInt8](try Data(contentsOf: URL(filePath: other.store + "/store.json")))
    ).fields
    try editHeader { $0["identities"] = theirs["identities"] }
    try home.refusal(.damaged, Self.new)
    try home.refusal(.damaged, "store", "protect", "--passphrase-file", word)
    try home.refusal(.damaged, Self.new)
  }

  @Test func `an earlier key that was put in is no recipient of what machines exchange`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try home.write(
      Array("# public key: \(thief.recipient)\n\(thief.secretText)\n".utf8),
      as: ".local/share/capsule/identities/\(thief.recipient).txt")
    let word = try protect()
    try editHeader { header in
      header["former"] = .array(
        (header["former"]?.array ?? []) + [.string(thief.recipient.description)])
    }
    let words = try home.refusal(.damaged, Self.new)
    expect(words.contains("earlier keys"), "\(words)")
    try home.refusal(.damaged, "store", "unprotect", "--passphrase-file", word)
  }

  @Test func `what this device knows is not forgotten where it cannot be read`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    let pins = home.path + "/.local/state/capsule/pins"
    try FileManager.default.removeItem(atPath: pins)
    try FileManager.default.createDirectory(atPath: pins, withIntermediateDirectories: false)
    try home.refusal(.io, Self.new)
  }

  @Test func `what was accepted counts alone, whatever was about to be written before`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    let clear = home.path + "/clear"
    let protected = home.path + "/protected"
    try FileManager.default.copyItem(atPath: home.store, toPath: clear)
    _ = try protect()
    try home.done(Self.new)
    try FileManager.default.moveItem(atPath: home.store, toPath: protected)
    try FileManager.default.moveItem(atPath: clear, toPath: home.store)
    try home.refusal(.damaged, Self.new)
    try home.done("store", "accept", "--yes")
    try home.done(Self.new)
    try FileManager.default.removeItem(atPath: home.store)
    try FileManager.default.moveItem(atPath: protected, toPath: home.store)
    try home.refusal(.damaged, Self.new)
  }

  @Test func `an acceptance is of what was shown`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try home.insertTrustees()
    try editSettings { $0["trustees"] = "family" }
    let store = try home.openedStore()
    let shown = try store.trustProblems()
    try editSettings { $0["postQuantum"] = "off" }
    expect(try store.acceptTrust(shown))
    let words = try home.refusal(.damaged, Self.new)
    expect(words.contains("postQuantum"), "\(words)")
  }

  // MARK: Settings and trustees

  @Test func `settings that are damaged are compared as they are used`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try home.insertTrustees()
    try editSettings { $0["trustees"] = "family" }
    let path = URL(filePath: home.store + "/settings.json")
    let text = try String(contentsOf: path, encoding: .utf8)
    let digit = text.contains("\"checksum\": \"0") ? "1" : "0"
    let wrong = text.replacingOccurrences(
      of: "\"checksum\": \"[0-9a-f]", with: "\"checksum\": \"\(digit)",
      options: .regularExpression)
    try Data(wrong.utf8).write(to: path)
    try home.refusal(.damaged, Self.new)
    try home.refusal(
      .damaged, "trustees", "make", "kin", "-k", "2", "--holder", "A", "--holder", "B", "--output",
      home.path + "/pages")
  }

  @Test func `a setting that was not set here adds nobody, until it is accepted`() throws {
    let word = try home.secretFile("secret", as: "p")
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try home.insertTrustees()
    try editSettings { $0["trustees"] = "family" }
    for options in [[], ["--quiet"], ["--json"], ["--passphrase-file", word]] as [[String]] {
      let words = try home.refusal(.damaged, Self.new + options)
      expect(words.contains("trustees"), "\(words)")
    }
    #expect(throws: CapsuleError.self) {
      try home.openedStore().seal(
        NewCapsule(title: "T", unlockAt: Instant(seconds: 2_000_000_000), contents: [.text("x")]))
    }
    expect(try home.run(["verify"]).exitCode, is: 7)
    home.answers = ["y"]
    home.inputIsTerminal = true
    expect(try home.run(["store", "accept"]).exitCode, is: 0)
    home.inputIsTerminal = false
    let sealedTo = try require(try home.json(Self.new)["sealedTo"]?.array)
    expect(sealedTo.map { $0["role"]?.string }, is: ["store", "recoveryCopy"])
    expect(sealedTo.last?["trusteesName"], is: "family")
    try home.done("verify")
  }

  @Test func `a weaker setting from elsewhere is refused, and one that is set here is not`() throws
  {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try editSettings { $0["postQuantum"] = "off" }
    try home.refusal(.damaged, Self.new)
    try home.done("settings", "set", "postQuantum", "off")
    try home.done(Self.new)
  }

  @Test func `a group with another key is sealed to by nobody`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try home.insertTrustees()
    try home.done(Self.new + ["--trustees", "family"])
    try edit(group()) { $0["recipient"] = .string(thief.recipient.description) }
    let word = try home.secretFile("four chairs in Lisbon", as: "word")
    for words in [
      ["create", "More", "--unlock", "2050-01-01", "--text", "x", "--trustees", "family"],
      ["edit", "New", "--trustees", "family"],
      ["store", "protect", "--passphrase-file", word, "--trustees", "family"],
      ["estate", "--trustees", "family", "--output", home.path + "/estate.age"],
      ["export", "archive", "--trustees", "family", "--output", home.path + "/all.age"],
    ] {
      let told = try home.refusal(.damaged, words)
      expect(told.contains(thief.recipient.description), "\(told)")
    }
    expect(try home.run(["verify"]).out.contains(thief.recipient.description))
  }

  @Test func `another group of the same name is not taken for the known one`() throws {
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try home.insertTrustees()
    try home.done(Self.new + ["--trustees", "family"])
    let path = try group()
    try FileManager.default.removeItem(atPath: path)
    try home.insertTrustees("kin")
    try edit(group("kin")) { $0["name"] = "family" }
    let words = try home.refusal(
      .damaged, "create", "More", "--unlock", "2050-01-01", "--text", "x", "--trustees", "family")
    expect(words.contains("another group"), "\(words)")
  }

  @Test func `a person with another recipient, or without one, gets nothing sealed`() throws {
    let mia = try AgeIdentity(isPostQuantum: false, random: .system).recipient.description
    try home.done("beneficiary", "add", "Mia", "--recipient", mia)
    try home.done("item", "add", "Ring")
    try home.done("bequeath", "Ring", "--to", "Mia")
    let id = try require(try home.json("beneficiary", "list").array?.first?["id"]?.string)
    let path = home.store + "/beneficiaries/\(id.prefix(2))/\(id).json"
    try edit(path) { $0["recipient"] = .string(thief.recipient.description) }
    // Another change of the record does not make it known.
    try home.done("beneficiary", "edit", "Mia", "--phone", "1")
    let words = try home.refusal(
      .damaged, "deliver", "--seal", "--output", home.path + "/out")
    expect(words.contains(thief.recipient.description), "\(words)")
    try home.done("beneficiary", "edit", "Mia", "--recipient", mia)
    try home.done("deliver", "--seal", "--output", home.path + "/out")
  }

  @Test func `a recipient that comes to a person who was made here without one is not taken`()
    throws
  {
    try home.done("beneficiary", "add", "Mia")
    try home.done("item", "add", "Ring")
    try home.done("bequeath", "Ring", "--to", "Mia")
    let id = try require(try home.json("beneficiary", "list").array?.first?["id"]?.string)
    let path = home.store + "/beneficiaries/\(id.prefix(2))/\(id).json"
    try edit(path) { $0["recipient"] = .string(thief.recipient.description) }
    try home.refusal(.damaged, "deliver", "--seal", "--output", home.path + "/out")
    // The owner names the very same one: then it is theirs to say.
    try home.done("beneficiary", "edit", "Mia", "--recipient", thief.recipient.description)
    try home.done("deliver", "--seal", "--output", home.path + "/out")
  }

  @Test func `another person of a known name gets nothing sealed`() throws {
    let mia = try AgeIdentity(isPostQuantum: true, random: .system).recipient.description
    try home.done("beneficiary", "add", "Mia", "--recipient", mia)
    try home.done("item", "add", "Ring")
    let id = try require(try home.json("beneficiary", "list").array?.first?["id"]?.string)
    let old = home.store + "/beneficiaries/\(id.prefix(2))/\(id).json"
    let new = "00000000-0000-4000-8000-000000000000"
    let path = home.store + "/beneficiaries/00/\(new).json"
    try FileManager.default.createDirectory(
      atPath: home.store + "/beneficiaries/00", withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: old, toPath: path)
    try edit(path) { fields in
      fields["id"] = .string(new)
      fields["recipient"] = .string(thief.recipient.description)
    }
    try home.done("bequeath", "Ring", "--to", "Mia")
    let words = try home.refusal(.damaged, "deliver", "--seal", "--output", home.path + "/out")
    expect(words.contains("another person"), "\(words)")
  }

  @Test func `edit takes a recovery copy away, and its versions with it`() throws {
    try home.insertTrustees()
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me", "--trustees", "family")
    try home.done(Self.new + ["--trustees", "family"])
    let word = try home.secretFile("secret", as: "p")
    try home.create(
      "Word", "--unlock", "2050-01-01", "--text", "x", "--passphrase-file", word,
      "--trustees", "family")
    expect(try home.lock(of: "Word")["spare"]?.string != nil)
    try home.done("edit", "Word", "--no-trustees")
    expect(try home.lock(of: "Word")["spare"]?.string == nil)
    try expect(home.json("versions", "Word")["versions"]?.array?.count ?? 1, is: 1)
    try home.refusal(.usage, "edit", "Word", "--no-trustees", "--trustees", "family")
  }
}
