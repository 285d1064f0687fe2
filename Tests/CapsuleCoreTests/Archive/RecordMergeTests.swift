import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Two versions of one record, without a history that both share.
@Suite struct RecordMergeTests {
  private static func merge(
    _ kind: RecordKind, _ mine: JSONObject, _ theirs: JSONObject, theirsLater: Bool = false
  ) throws -> (fields: JSONObject, conflicts: [String]) {
    var (mine, theirs) = (mine, theirs)
    mine["updatedAt"] = .string(theirsLater ? "2026-01-01T00:00:00Z" : "2026-01-02T00:00:00Z")
    theirs["updatedAt"] = .string(theirsLater ? "2026-01-02T00:00:00Z" : "2026-01-01T00:00:00Z")
    let merge = try RecordMerge(kind, mine, theirs)
    return (merge.fields, merge.conflicts)
  }

  @Test(
    arguments: [
      ("unlockAt", "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z", "2031-01-01T00:00:00Z"),
      ("unlockAt", "2031-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"),
      ("rev", 3, 5, 5), ("rev", 5, 3, 5), ("schema", 1, 2, 2),
      ("createdAt", "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
      ("createdAt", "2021-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
      ("openedAt", .null, "2021-01-01T00:00:00Z", "2021-01-01T00:00:00Z"),
      ("openedAt", "2021-01-01T00:00:00Z", .null, "2021-01-01T00:00:00Z"),
      ("openedAt", "2021-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
      ("tags", ["a", "b"], ["b", "c"], ["a", "b", "c"]),
      ("history", ["x", "x"], ["x"], ["x", "x"]), ("history", ["x"], ["x", "x"], ["x", "x"]),
      ("notes", "", "theirs", "theirs"), ("notes", "mine", "", "mine"),
      ("value", .null, ["amount": 1], ["amount": 1]),
      ("later", .null, "kept", "kept"),
    ] as [(String, JSON, JSON, JSON)])
  func `what can be joined is joined without a conflict`(
    key: String, mine: JSON, theirs: JSON, expected: JSON
  ) throws {
    let kind: RecordKind = key == "history" ? .item : .capsule
    let merged = try Self.merge(kind, [key: mine], [key: theirs])
    expect(merged.fields[key], is: expected)
    expect(merged.conflicts, is: [])
  }

  @Test func `of two values of one field that of the later change stays, and is told`() throws {
    for isLater in [false, true] {
      let merged = try Self.merge(
        .item, ["notes": "mine", "same": 1], ["notes": "theirs", "same": 1], theirsLater: isLater)
      expect(merged.fields["notes"] == (isLater ? "theirs" : "mine"))
      expect(merged.conflicts, is: ["notes"])
    }
  }

  @Test func `of two changes at one time the greater bytes stay, whichever is here`() throws {
    let (one, other): (JSONObject, JSONObject) = (["notes": "a"], ["notes": "b"])
    try expect(RecordMerge(.item, one, other).fields["notes"], is: "b")
    try expect(RecordMerge(.item, other, one).fields["notes"], is: "b")
  }

  @Test func `a date goes with its zone`() throws {
    let merged = try Self.merge(
      .event, ["at": "2030-01-01T00:00:00Z", "zone": "UTC"], ["date": "2031-01-01"],
      theirsLater: true)
    expect(merged.fields["date"], is: "2031-01-01")
    expect(merged.fields["at"] == nil && merged.fields["zone"] == nil)
    expect(merged.conflicts, is: ["date"])
  }

  @Test func `contents of both stay, and one that differs is refused`() throws {
    let (one, other): (JSON, JSON) = (["id": "1", "sealed": "x"], ["id": "2", "sealed": "y"])
    let merged = try Self.merge(
      .capsule, ["contents": .array([one])], ["contents": .array([other])])
    expect(merged.fields["contents"], is: .array([one, other]))
    expect(throws: RecordMerge.Problem.other(field: "contents")) {
      try Self.merge(
        .capsule, ["contents": .array([one])],
        ["contents": .array([["id": "1", "sealed": "z"]])])
    }
  }

  @Test func `a lock stays, and gets a beacon that is known`() throws {
    let (bare, known): (JSON, JSON) = (
      ["kind": "timelock", "timelock": ["round": 7]],
      ["kind": "timelock", "timelock": ["round": 7, "beacon": "b"]]
    )
    try expect(
      Self.merge(.capsule, ["lock": bare], ["lock": known]).fields["lock"], is: known)
    try expect(
      Self.merge(.capsule, ["lock": known], ["lock": bare]).fields["lock"], is: known)
    expect(throws: RecordMerge.Problem.other(field: "lock")) {
      try Self.merge(
        .capsule, ["lock": bare], ["lock": ["kind": "timelock", "timelock": ["round": 8]]])
    }
  }

  @Test func `what was delivered stays delivered`() throws {
    func states(_ names: String...) -> JSON { .array(names.map { ["state": .string($0)] }) }
    func merged(_ mine: JSON, _ theirs: JSON) throws -> JSON? {
      try Self.merge(.bequest, ["delivery": mine], ["delivery": theirs]).fields["delivery"]
    }
    try expect(merged(states("sent"), states("sent", "accepted")), is: states("sent", "accepted"))
    try expect(merged(states("sent", "accepted"), states()), is: states("sent", "accepted"))
    try expect(
      merged(states("revoked"), states("sent", "accepted")), is: states("sent", "accepted"))
    try expect(merged(states("revoked"), states("sent")), is: states("revoked"))
  }

  @Test func `to whom something is left is never another`() throws {
    expect(throws: RecordMerge.Problem.other(field: "beneficiary")) {
      try Self.merge(.bequest, ["beneficiary": "1"], ["beneficiary": "2"])
    }
  }

  @Test func `a merge that is done again changes nothing`() throws {
    let mine: JSONObject = [
      "notes": "mine", "tags": ["a"], "rev": 2, "name": "", "updatedAt": "2026-01-02T00:00:00Z",
    ]
    let theirs: JSONObject = [
      "notes": "theirs", "tags": ["b"], "rev": 4, "name": "n", "updatedAt": "2026-01-01T00:00:00Z",
    ]
    let once = try RecordMerge(.item, mine, theirs).fields
    expect(RecordMerge.isSame(try RecordMerge(.item, once, theirs).fields, once))
    expect(RecordMerge.isSame(try RecordMerge(.item, once, mine).fields, once))
  }
}
