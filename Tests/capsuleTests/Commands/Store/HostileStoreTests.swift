import CapsuleCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A store that somebody else has written to.
@Suite struct HostileStoreTests {
  private let home: HostedStore
  private static let store = ".local/share/capsule"

  init() throws { home = try HostedStore() }

  /// Changes the store's header, with a right checksum: whoever can write the store can make one.
  private func forgeHeader(_ change: (inout JSONObject) throws -> Void) throws {
    let name = Self.store + "/store.json"
    var fields = try require(try JSON.parse(home.bytes(of: name)).object)
    try change(&fields)
    try home.write(RecordFile.encode(fields), as: name)
  }

  private func addIdentity(_ recipient: String, _ file: String) throws {
    try forgeHeader { header in
      let forged: JSON = .object(["recipient": .string(recipient), "file": .string(file)])
      header["identities"] = .array((header["identities"]?.array ?? []) + [forged])
    }
  }

  // MARK: Names that become paths

  @Test(arguments: ["../../../../recovery", "/etc/recovery", "a/b", "", "age1", "AGE1/../x"])
  func `a recipient in the header that is none becomes no path`(recipient: String) throws {
    try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    try home.write("a secret", as: "recovery.txt")
    let before = home.files(below: "")
    try addIdentity(recipient, "overwritten")
    try expect(home.run("verify").code, is: .damaged)
    try expect(home.run("repair").code, is: .damaged)
    try expect(home.text(of: "recovery.txt"), is: "a secret")
    let new = Set(home.files(below: "")).subtracting(before)
    expect(new.allSatisfy { !$0.hasSuffix(".txt") }, "\(new)")
    // What was there can still be read, and the entry is not lost.
    try expect(home.titles(), is: ["A"])
    expect(try home.text(of: Self.store + "/store.json").contains("overwritten"))
  }

  @Test func `an identity that does not hold its recipient's key is neither made nor sealed to`()
    throws
  {
    try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    let other = try home.done("keygen")
    let recipient = try require(
      other.split(separator: "\n").first { $0.contains("age1") }?.split(separator: " ").last)
    let own = try require(
      try JSON.parse(home.bytes(of: Self.store + "/store.json"))["identities"]?.array?.first?[
        "file"]?
        .string)
    try addIdentity(String(recipient), own)
    // A device that knows nothing of the store has nothing to compare with.
    try FileManager.default.removeItem(atPath: home.path + "/.local/state/capsule/pins")
    try expect(home.run("repair").code, is: .damaged)
    expect(!home.files(below: Self.store + "/identities").contains("\(recipient).txt"))
    let refusal = try home.refusal(.damaged, "create", "B", "--unlock", "2040-01-01", "--text", "x")
    expect(refusal.contains("store.json"))
  }

  // MARK: Links in place of the store's own files

  @Test func `a lock that is another file too is not written to`() throws {
    try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    let victim = try home.write("precious", as: "victim")
    try home.remove(Self.store + "/lock")
    try FileManager.default.linkItem(atPath: victim, toPath: home.store + "/lock")
    try home.create("B", "--unlock", "2040-01-01", "--text", "x")
    try expect(home.text(of: "victim"), is: "precious")
  }

  @Test func `a lock that holds more than a lock's text is not written to`() throws {
    try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    let text = String(repeating: "precious", count: 1000)
    try home.write(text, as: Self.store + "/lock")
    try home.create("B", "--unlock", "2040-01-01", "--text", "x")
    try expect(home.text(of: Self.store + "/lock"), is: text)
  }

  @Test func `a link in place of the backups is not followed`() throws {
    let id = try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    let elsewhere = home.path + "/elsewhere"
    try FileManager.default.createDirectory(
      atPath: elsewhere, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: home.store + "/backups", withDestinationPath: elsewhere)
    try home.replace("\"A\"", with: "\"B\"", in: home.record(id))
    try expect(home.run("repair").code, is: .io)
    expect(home.names(in: "elsewhere"), is: [])
  }

  // MARK: Devices and pipes in place of files

  @Test func `a pipe is not replaced by a file`() throws {
    try home.createUnlocked("A", "--text", "x")
    expect(mkfifo(home.path + "/pipe", 0o600), is: 0)
    try home.refusal(.io, "status", "--write", home.path + "/pipe")
    try home.refusal(.io, "open", "A", "--output", home.path + "/pipe", "--force")
    let attributes = try FileManager.default.attributesOfItem(atPath: home.path + "/pipe")
    expect(attributes[.type] as? FileAttributeType == .typeUnknown)
  }

  // MARK: Drafts

  @Test func `nothing that an editor leaves beside its draft stays`() throws {
    expect(try draftFolder(runtimeMode: nil).hasPrefix(home.path + "/.capsule-draft-"))
    expect(home.names(in: "")?.contains { $0.contains("draft") }, is: false)
    let folder = try draftFolder(runtimeMode: nil)
    expect(folder.contains("/capsule/tmp/capsule-draft-"))
    expect(home.names(in: Self.store + "/tmp"), is: [])
  }

  @Test(arguments: [(0o700, true), (0o755, false), (0o777, false)])
  func `a draft lies in a runtime directory that is the user's alone`(
    mode: Int, isUsed: Bool
  ) throws {
    let folder = try draftFolder(runtimeMode: mode)
    expect(folder.contains("/run/capsule-draft-"), is: isUsed, "\(folder)")
    expect(home.names(in: "run"), is: [])
  }

  /// Writes a capsule's text in an editor that leaves folders of its own.
  ///
  /// - Returns: the folder of the draft.
  private func draftFolder(runtimeMode: Int?) throws -> String {
    if let runtimeMode {
      try home.write("", as: "run/x")
      try home.remove("run/x")
      try FileManager.default.setAttributes(
        [.posixPermissions: runtimeMode], ofItemAtPath: home.path + "/run")
      home.environment["XDG_RUNTIME_DIR"] = home.path + "/run"
    }
    home.environment["EDITOR"] = "editor"
    let path = home.path
    home.process = { request throws(SystemError) in
      let file = String(decoding: request.arguments.last ?? [], as: UTF8.self)
      let folder = file.replacing("/text.txt", with: "")
      do {
        let manager = FileManager.default
        try Data("words".utf8).write(to: URL(filePath: file))
        try manager.createDirectory(
          atPath: folder + "/backup/deep", withIntermediateDirectories: true)
        try Data("words".utf8).write(to: URL(filePath: folder + "/backup/deep/text.txt~"))
        try Data(folder.utf8).write(to: URL(filePath: path + "/folder"))
      } catch {
        throw SystemError(code: 5, action: "edit")
      }
      return ProcessOutcome(end: .exited(0))
    }
    home.answers = []
    try home.done("create", "A", "--unlock", "2040-01-01", "--edit")
    return try home.text(of: "folder")
  }

  // MARK: Recipients and locks that were changed

  /// Changes a capsule's record, with a right checksum.
  private func forge(_ id: String, _ change: (inout JSONObject) throws -> Void) throws {
    let name = try home.record(id)
    var fields = try require(try JSON.parse(home.bytes(of: name)).object)
    try change(&fields)
    try home.write(RecordFile.encode(fields), as: name)
  }

  private func forgeLock(_ id: String, _ change: (inout JSONObject) throws -> Void) throws {
    try forge(id) { fields in
      var lock = try require(fields["lock"]?.object)
      try change(&lock)
      fields["lock"] = .object(lock)
    }
  }

  private func recipient() throws -> String {
    let key = try home.done("keygen")
    let line = try require(key.split(separator: "\n").first { $0.hasPrefix("# public key: ") })
    return String(line.dropFirst("# public key: ".count))
  }

  @Test func `nothing is sealed to a recipient that another machine's honor capsule was given`()
    throws
  {
    let id = try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    try home.remove(".local/state")
    let other = try recipient()
    try forgeLock(id) { $0["recipient"] = .string(other) }
    let refusal = try home.refusal(.damaged, "add", "A", "--text", "a secret")
    expect(refusal.contains("the recipient in it is another"))
    try home.refusal(.damaged, "add", "A", "--text", "a secret", "--accept-recipient")
    try expect(home.run("verify").code, is: .damaged)
    let problem = try home.run("verify", "--json").json()["problems"]?.array?.first
    expect(problem?["kind"] == "lock" && problem?["id"] == .string(id))
  }

  @Test
  func `nothing is sealed to another recipient than this machine knows, unless it is accepted`()
    throws
  {
    let own = try recipient()
    let id = try home.create("A", "--unlock", "2040-01-01", "--text", "x", "--recipient", own)
    try home.done("add", "A", "--text", "y")
    let other = try recipient()
    try forgeLock(id) { $0["recipient"] = .string(other) }
    let refusal = try home.refusal(.damaged, "add", "A", "--text", "a secret")
    expect(refusal.contains("--accept-recipient"))
    try expect(home.run("verify", "--quick").code, is: .damaged)
    try home.done("add", "A", "--text", "z", "--accept-recipient")
    try home.done("add", "A", "--text", "z")
    try expect(home.run("verify", "--quick").code, is: .ok)
  }

  @Test func `a lock that was opened by verify is not opened again`() throws {
    for title in ["A", "B"] { try home.create(title, "--unlock", "2040-01-01", "--text", "x") }
    let own = try recipient()
    try home.create("C", "--unlock", "2040-01-01", "--text", "x", "--recipient", own)
    func known() throws -> [String] {
      try home.files(below: ".local/state").filter { $0.contains("/recipients/") }
        .flatMap { try home.text(of: ".local/state/" + $0).split(separator: "\n").map(String.init) }
    }
    expect(try known().filter { $0.contains(" opened ") }.isEmpty)
    try home.done("verify", "--quick")
    expect(try known().filter { $0.contains(" opened ") }.isEmpty)
    try home.done("verify")
    let opened = try known()
    expect(opened.filter { $0.contains(" opened ") }.count, is: 2)
    try home.done("verify")
    try expect(known(), is: opened)
  }

  @Test(arguments: [false, true])
  func `verify compares the unlock time and the id of a record with those in its seal`(
    isSecond: Bool
  ) throws {
    let one = try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    let two = try home.create("B", "--unlock", "2040-01-01", "--text", "x")
    if isSecond { try home.done("verify") }
    try forge(one) { $0["unlockAt"] = "2039-12-31T23:59:59Z" }
    let other = try require(try JSON.parse(home.bytes(of: home.record(one)))["lock"])
    try forge(two) { $0["lock"] = other }
    let verified = try home.run("verify", "--json")
    expect(verified.code, is: .damaged)
    let problems = try require(try verified.json()["problems"]?.array)
    let words = problems.compactMap { $0["message"]?.string }
    expect(words.count, is: 2)
    expect(words.contains { $0.contains("earlier than the one inside the seal") })
    expect(words.contains { $0.contains("its lock is that of another capsule, \(one)") })
    for title in ["A", "B"] {
      let shown = try home.run("show", title, "--json")
      expect(shown.code, is: .damaged)
      try expect(shown.json()["problem"], is: "damaged")
    }
    let repaired = try home.run("repair", "--json")
    expect(repaired.code, is: .damaged)
    let mended = try require(try repaired.json().array).compactMap { $0["isMended"] }
    expect(mended, is: [.bool(false), .bool(false)])
    // The journal has what was written.
    try home.done("versions", "A", "--restore", "1")
    try expect(home.run("show", "A").code, is: .ok)
  }

  @Test(arguments: ["lost", "a file", "nonsense"])
  func `what this machine knows of recipients stops nothing`(state: String) throws {
    let own = try recipient()
    let id = try home.create("A", "--unlock", "2040-01-01", "--text", "x", "--recipient", own)
    let folder = try require(
      home.files(below: ".local/state").first { $0.contains("/recipients/") })
    switch state {
    case "lost": try home.remove(".local/state")
    case "a file":
      try home.remove(".local/state")
      try home.write("x", as: ".local/state")
    default: try home.write("\u{0}\n\(id) \n\(id) x\n \n", as: ".local/state/" + folder)
    }
    try home.done("add", "A", "--text", "y")
    try expect(home.run("verify").code, is: .ok)
  }

  @Test func `an escrow in the lock that the record does not name is told of by show and verify`()
    throws
  {
    let escrow = try recipient()
    let words = ["--unlock", "2040-01-01", "--text", "x", "--timelock", "-q"]
    let id = String(try home.done(["create", "A", "--escrow", escrow] + words).dropLast())
    expect(try home.done("show", "A").contains("nobody but the escrow opens it"))
    try forgeLock(id) { lock in
      var timelock = try require(lock["timelock"]?.object)
      timelock["escrow"] = []
      lock["timelock"] = .object(timelock)
    }
    let shown = try home.run("show", "A")
    expect(shown.code == .damaged && !shown.out.contains("nobody"), "\(shown.out)")
    expect(shown.err.contains("lifted early by 1 escrow, and it names 0"))
    try expect(home.run("show", "A", "--json").json()["problem"], is: "damaged")
    try expect(home.run("verify", "--quick").code, is: .damaged)
    try home.refusal(.damaged, "add", "A", "--text", "y")
  }

  // MARK: Owners and permissions

  private func setMode(_ mode: Int, _ name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: home.path + "/" + name)
  }

  @Test(arguments: [0o620, 0o602, 0o666])
  func `identities that others can write to are refused`(mode: Int) throws {
    let key = try home.write(try home.done("keygen"), as: "key.txt")
    let recipient = try home.done("keygen", "-y", key).split(separator: "\n")
    try home.create(
      "A", "--unlock", "in 1 second", "--text", "x", "--recipient", String(recipient[0]))
    try home.pass(seconds: 2)
    try setMode(mode, "key.txt")
    expect(try home.refusal(.refused, "open", "A", "-i", key).contains("others can write to"))
    try setMode(0o644, "key.txt")
    try home.done("open", "A", "-i", key)
  }

  @Test func `passphrases and chains that others can write to are refused`() throws {
    let file = try home.write("words\n", as: "words.txt")
    try setMode(0o662, "words.txt")
    for option in ["--passphrase-file", "--chain"] {
      let words = option == "--chain" ? ["--timelock"] : []
      let message = try home.refusal(
        .refused, ["create", "A", "--unlock", "2040-01-01", "--text", "x", option, file] + words)
      expect(message.contains("others can write to"))
    }
  }

  @Test func `a list of relays that others can write to is refused`() throws {
    try home.createUnlocked("A", "--text", "x", "--timelock")
    try home.write("https://relay.example\n", as: ".config/capsule/relays")
    try setMode(0o666, ".config/capsule/relays")
    let refusal = try home.refusal(.refused, "open", "A")
    expect(refusal.contains(".config/capsule/relays"))
  }

  @Test
  func `a store that others can write to is warned of once a day, and verify names what is open`()
    throws
  {
    try home.create("A", "--unlock", "2040-01-01", "--text", "x")
    try setMode(0o777, Self.store)
    try setMode(0o770, Self.store + "/capsules")
    expect(try home.run("list").err.contains("others can write to the store"))
    expect(try home.run("list").err.isEmpty)
    try home.pass(seconds: 86_401)
    expect(try home.run("list").err.contains("others can write to the store"))
    let verified = try home.run("verify", "--json")
    expect(verified.code, is: .ok)
    let open = try require(try verified.json()["problems"]?.array)
    expect(open.allSatisfy { $0["kind"] == "openToOthers" && $0["isDamage"] == false })
    expect(open.compactMap { $0["path"]?.string }, is: [home.store, home.store + "/capsules"])
  }

  @Test(arguments: [
    ("a.html", "<html><script>", false), ("a.png", "<html><script>", false),
    ("a.desktop", "[Desktop Entry]\nExec=x", false), ("a.sh", "#!/bin/sh\n", false),
    ("a.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", false), ("a.txt", "words", true),
    ("a", "words", false), ("a.jar", "PK\u{3}\u{4}", false), ("a.gif", "GIF89a;", true),
  ])
  func `only kinds that are shown or played are handed to the desktop`(
    name: String, content: String, isShown: Bool
  ) throws {
    let file = try home.write(content, as: name)
    try home.done("item", "add", "Ring")
    try home.done("item", "attach", "Ring", file)
    let asked = Asked()
    home.process = { _ throws(SystemError) in
      asked.count.withLock { $0 += 1 }
      return ProcessOutcome(end: .exited(0))
    }
    let run = try home.run("item", "view", "Ring")
    expect(run.code == (isShown ? .ok : .refused))
    expect(asked.count.withLock { $0 } == (isShown ? 1 : 0), "\(run.err)")
    if !isShown { expect(run.err.contains("might run") && run.err.contains("item extract")) }
    expect(home.files(below: ".local/share/capsule/tmp"), is: [])
  }

  private final class Asked: Sendable {
    let count = Mutex(0)
  }

  #if os(Linux)
    @Test func `the memory of the process is kept out of core dumps`() throws {
      typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
      let symbol = try require(dlsym(nil, "prctl"))
      let control = unsafeBitCast(symbol, to: Control.self)
      let (get, set): (Int32, Int32) = (3, 4)
      let before = control(get, 0, 0, 0, 0)
      ProcessMemory.keepPrivate()
      expect(control(get, 0, 0, 0, 0), is: 0)
      _ = control(set, UInt(max(0, before)), 0, 0, 0)
    }
  #endif
}
