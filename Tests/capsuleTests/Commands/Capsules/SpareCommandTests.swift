import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Spares that capsules get later, and those that the setting `trustees` asks for.
@Suite struct SpareCommandTests {
  private let home: HostedStore
  private let group: AgeIdentity

  init() throws {
    home = try HostedStore()
    group = try home.insertTrustees()
  }

  private func passphrase() throws -> String { try home.write("correct horse battery", as: "pass") }

  private func spare(_ title: String) throws -> String? {
    let lock = try home.lock(of: title)
    return try lock["spare"].flatMap { try HostedStore.opened($0, with: group) }
  }

  // MARK: edit --trustees

  @Test func `an honor capsule gets a spare without a question, and stays locked`() throws {
    try home.create("C", "--unlock", "2090", "--text", "hello")
    let run = home.run(["edit", "C", "--trustees", "family"], input: "")
    expect(run.code == .ok && run.questions.isEmpty, "\(run.err)")
    expect(run.err.contains("Any 2 of the 3 trustees of 'family' can open it too."))
    let text = try require(try spare("C"))
    expect(text.contains("# unlock 2090-01-01T00:00:00Z"))
    expect(text.contains("AGE-SECRET-KEY-"))
    expect(try home.refusal(.locked, "open", "C").contains("is locked until"))
    try expect(home.json("show", "C")["openedAt"], is: .null)
    try home.done("verify")
  }

  @Test func `the edit prints nothing of the key`() throws {
    try home.create("C", "--unlock", "2090", "--text", "hello")
    let run = home.run(["edit", "C", "--trustees", "family", "--json"], input: "")
    expect(!(run.out + run.err).contains("AGE-SECRET-KEY"))
    expect(!(run.out + run.err).contains("BEGIN AGE"))
  }

  @Test func `a capsule with a passphrase gets one with the passphrase, and not without`() throws {
    let pass = try passphrase()
    try home.create("C", "--unlock", "2090", "--passphrase-file", pass, "--text", "hello")
    try home.refusal(.key, "edit", "C", "--trustees", "family")
    let wrong = try home.write("another one", as: "wrong")
    try home.refusal(.key, "edit", "C", "--trustees", "family", "--passphrase-file", wrong)
    expect(try home.lock(of: "C")["spare"] == nil)
    try home.done("edit", "C", "--trustees", "family", "--passphrase-file", pass)
    try expect(spare("C")?.contains("AGE-SECRET-KEY-PQ-1"), is: true)
  }

  @Test func `the passphrase is asked for on a terminal`() throws {
    let pass = try passphrase()
    try home.create("C", "--unlock", "2090", "--passphrase-file", pass, "--text", "hello")
    home.answers = ["correct horse battery"]
    let run = home.run(["edit", "C", "--trustees", "family"], input: "")
    expect(run.code == .ok && run.questions == ["Passphrase of 'C': "], "\(run.err)")
  }

  @Test func `all else stays, and other changes go with it`() throws {
    try home.create("C", "--unlock", "2090", "--text", "hello", "--notes", "n", "--tag", "t")
    let before = try JSON.parse(
      home.bytes(of: home.record(home.json("show", "C")["id"]?.string ?? "")))
    try home.done("edit", "C", "--trustees", "family", "--title", "D")
    let id = try require(before["id"]?.string)
    let after = try JSON.parse(home.bytes(of: home.record(id)))
    expect(after["title"] == "D" && after["rev"] == 2)
    for member in ["notes", "tags", "unlockAt", "contents", "createdAt"] {
      expect(after[member], is: before[member], "\(member)")
    }
    expect(after["lock"]?["key"], is: before["lock"]?["key"])
    expect(after["lock"]?["recipient"], is: before["lock"]?["recipient"])
  }

  @Test func `a spare opens after an unlock time that moved later, and no earlier`() throws {
    try home.create("C", "--unlock", "2027", "--text", "hello")
    try home.done("edit", "C", "--unlock", "2028", "--trustees", "family")
    try expect(spare("C")?.contains("# unlock 2027-01-01"), is: true)
    try home.done("verify")
  }

  @Test func `another group's spare takes its place`() throws {
    try home.create("C", "--unlock", "2090", "--text", "hello")
    try home.done("edit", "C", "--trustees", "family")
    let other = try home.insertTrustees("friends")
    try home.done("edit", "C", "--trustees", "friends")
    expect(try spare("C") == nil)
    expect(try HostedStore.opened(home.lock(of: "C")["spare"], with: other) != nil)
  }

  @Test(arguments: [
    (["--timelock"], "only its date opens it"), (["--recipient"], "it is sealed to recipients"),
    (["--timelock", "--recipient"], "it is sealed to recipients"),
    (["--trustees", "family"], "it is sealed to recipients"),
  ])
  func `a lock that can have none is refused by what it is`(words: [String], reason: String) throws
  {
    let recipient = try AgeIdentity(isPostQuantum: false, random: .system).recipient.description
    let all = words.flatMap { $0 == "--recipient" ? [$0, recipient] : [$0] }
    try home.done(["create", "C", "--unlock", "2090", "--text", "x"] + all)
    expect(try home.refusal(.refused, "edit", "C", "--trustees", "family").contains(reason))
    expect(try home.lock(of: "C")["spare"] == nil)
  }

  @Test func `an X25519 group gets none of a post-quantum capsule`() throws {
    try home.insertTrustees("classic", isPostQuantum: false)
    let pass = try passphrase()
    try home.create("C", "--unlock", "2090", "--passphrase-file", pass, "--text", "hello")
    let message = try home.refusal(
      .refused, "edit", "C", "--trustees", "classic", "--passphrase-file", pass)
    expect(message.contains("weakest part"))
    try home.create("H", "--unlock", "2090", "--text", "hello")
    try home.done("edit", "H", "--trustees", "classic")
  }

  @Test func `a group that there is not is not found, and nothing changes`() throws {
    try home.create("C", "--unlock", "2090", "--text", "hello")
    try home.refusal(.notFound, "edit", "C", "--title", "D", "--trustees", "nobody")
    try expect(home.titles(), is: ["C"])
  }

  @Test func `show says that the trustees of an honor lock's spare can open it`() throws {
    try home.create("C", "--unlock", "2090", "--text", "hello")
    try home.done("edit", "C", "--trustees", "family")
    let strength = try home.json("show", "C")["lockStrength"]?.string
    expect(strength?.contains("so can the trustees of its spare"), is: true)
  }

  // MARK: What another key leaves

  /// What is sealed to a key of trustees, and what another key in its place leaves.
  private func left(to identity: AgeIdentity) throws -> [SealedToTrustees] {
    let other = try AgeIdentity(isPostQuantum: true, random: .system).recipient
    let now = try require(Instant(rfc3339: home.now))
    let store = try home.openedStore()
    let renewals = try store.renewSpares(
      sealedTo: identity.recipient.description, with: nil,
      to: store.vouched(
        other, named: "others \(other)", id: RecordID(random: .system)), now: now)
    expect(renewals.renewed.isEmpty)
    return renewals.left
  }

  @Test func `a spare for one group hides no escrow of another`() throws {
    let friends = try home.insertTrustees("friends")
    try home.create(
      "C", "--unlock", "2090", "--timelock", "--passphrase-file", passphrase(), "--trustees",
      "family", "--escrow", friends.recipient.description, "--text", "x")
    try expect(left(to: friends).map(\.way), is: [.escrow])
    try expect(left(to: group).map(\.way), is: [.spare])
  }

  @Test(arguments: [false, true])
  func `a record that cannot be read may be sealed to them`(isInTrash: Bool) throws {
    let id = try home.create("C", "--unlock", "2090", "--text", "hello")
    try expect(left(to: group).isEmpty)
    let before = try home.record(id)
    if isInTrash { try home.done("delete", "C", "--yes") }
    let trash = ".local/share/capsule/trash/capsules"
    let file = try isInTrash ? trash + "/" + require(home.names(in: trash)?.first) : before
    try home.write("{", as: file)
    let left = try left(to: group)
    expect(left.map(\.way) == [.unreadable] && left.map(\.id.description) == [id])
    expect(left.map(\.isInTrash), is: [isInTrash])
  }

  // MARK: The setting

  private func set() throws { try home.done("settings", "set", "trustees", "FAMILY") }

  @Test func `the setting keeps the group's own name, and finds it by its id too`() throws {
    try set()
    try expect(home.done("settings", "get", "trustees"), is: "family\n")
    let id = try require(try home.json("trustees", "show", "family")["id"]?.string)
    try home.done("settings", "set", "trustees", id)
    try expect(home.done("settings", "get", "trustees"), is: "family\n")
    try home.done("settings", "unset", "trustees")
    try expect(home.done("settings", "get", "trustees"), is: "\n")
  }

  @Test func `a group that there is not is refused by the setting`() throws {
    try home.refusal(.notFound, "settings", "set", "trustees", "nobody")
    try home.done("trustees", "delete", "family", "--yes")
    try home.refusal(.notFound, "settings", "set", "trustees", "family")
  }

  @Test func `new capsules get the spare where their lock takes one`() throws {
    try set()
    try home.create("H", "--unlock", "2090", "--text", "hello")
    expect(try spare("H") != nil)
    try home.create("P", "--unlock", "2090", "--passphrase-file", passphrase(), "--text", "x")
    expect(try spare("P") != nil)
  }

  @Test func `a lock that takes none is made all the same, and it is said`() throws {
    try set()
    let recipient = try AgeIdentity(isPostQuantum: true, random: .system).recipient.description
    let run = home.run(
      ["create", "R", "--unlock", "2090", "--recipient", recipient, "--text", "x"], input: "")
    expect(run.code, is: .ok)
    expect(run.err.contains("No spare for the trustees of 'family': it is sealed to recipients"))
    let timed = home.run(
      ["create", "T", "--unlock", "2090", "--timelock", "--text", "x"], input: "")
    expect(timed.err.contains("No spare for the trustees of 'family': only its date opens it"))
    expect(try home.lock(of: "R")["spare"] == nil && home.lock(of: "T")["spare"] == nil)
  }

  @Test func `one capsule goes without by a flag, and another group by its option`() throws {
    try set()
    try home.create("N", "--unlock", "2090", "--no-trustees", "--text", "x")
    expect(try home.lock(of: "N")["spare"] == nil)
    try home.insertTrustees("friends")
    try home.create("F", "--unlock", "2090", "--trustees", "friends", "--text", "x")
    try expect(home.lock(of: "F")["kind"], is: "recipients")
    try home.refusal(
      .usage, "create", "B", "-u", "2090", "--no-trustees", "--trustees", "family", "--empty")
  }

  @Test func `a group that the setting names stays until the setting names another`() throws {
    try set()
    let message = try home.refusal(.refused, "trustees", "delete", "family", "--yes")
    expect(message.isEmpty, is: false)
    try expect(home.strings("name", "trustees", "list"), is: ["family"])
    try home.done("settings", "unset", "trustees")
    try home.done("trustees", "delete", "family", "--yes")
  }

  @Test func `a capsule is refused whose trustees another machine took away, before it is made`()
    throws
  {
    try set()
    let file = try require(home.files(below: ".local/share/capsule/trustees").first)
    try home.remove(".local/share/capsule/trustees/" + file)
    let message = try home.refusal(.refused, "create", "C", "-u", "2090", "--text", "x")
    expect(message.contains("the setting 'trustees' names 'family', which is not there"))
    try expect(home.titles(), is: [])
  }

  @Test func `shells complete the groups for the setting`() throws {
    expect(try home.done("__complete", "settings", "set", "trustees", "f").contains("family"))
  }
}
