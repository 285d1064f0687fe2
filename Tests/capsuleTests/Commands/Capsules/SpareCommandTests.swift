import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What spares hold, and what another key of the trustees leaves.
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

  @Test func `a spare has the key of its capsule, and its unlock time`() throws {
    try home.create("C", "--unlock", "2090", "--text", "hello")
    try home.done("edit", "C", "--trustees", "family")
    let text = try require(try spare("C"))
    expect(text.contains("# unlock 2090-01-01T00:00:00Z") && text.contains("AGE-SECRET-KEY-"))
    let pass = try passphrase()
    try home.create("P", "--unlock", "2090", "--passphrase-file", pass, "--text", "hello")
    try home.done("edit", "P", "--trustees", "family", "--passphrase-file", pass)
    try expect(spare("P")?.contains("AGE-SECRET-KEY-PQ-1"), is: true)
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

  // MARK: What another key leaves

  /// What is sealed to a key of trustees, and what another key in its place leaves.
  private func left(to identity: AgeIdentity) throws -> [SealedToTrustees] {
    let other = try AgeIdentity(isPostQuantum: true, random: .system).recipient
    let now = try require(Instant(rfc3339: home.now))
    let store = try home.openedStore()
    let renewals = try store.capsules.renewSpares(
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
}
