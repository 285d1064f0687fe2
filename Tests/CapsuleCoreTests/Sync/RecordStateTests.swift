import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The state of one record: what joins, what is shown, and its form as JSON.
struct RecordStateTests {
  private static let table = MergeTable(.item)
  private static let first = ActorID(high: 1, low: 0)
  private static let second = ActorID(high: 2, low: 0)

  private static func state(
    _ fields: JSONObject, by actor: ActorID, over base: RecordState = RecordState(),
    isLive: Bool = true, at stamp: Int64 = 0
  ) -> RecordState {
    var state = base
    state.observe(
      ObservedRecord(cells: table.cells(of: fields), isLive: isLive, stamp: stamp), by: actor,
      table)
    return state
  }

  @Test func `a state is the same after it was written and read`() throws {
    let base = Self.state(["name": "Ring", "tags": ["a", "b"]], by: Self.first)
    let one = Self.state(["name": "Ring", "tags": ["a"], "notes": "x"], by: Self.first, over: base)
    let other = Self.state(
      ["name": "Ring", "tags": ["a", "b"]], by: Self.second, over: base, isLive: false)
    let joined = one.joined(with: other)
    try expect(RecordState(json: joined.json), is: joined)
  }

  @Test func `joining gives the same in either order, and twice changes nothing`() {
    let base = Self.state(["name": "Ring"], by: Self.first)
    let one = Self.state(["name": "Ring", "notes": "x"], by: Self.first, over: base)
    let other = Self.state(["name": "Gold ring", "notes": "y"], by: Self.second, over: base)
    let joined = one.joined(with: other)
    expect(other.joined(with: one), is: joined)
    expect(joined.joined(with: one), is: joined)
    expect(joined.joined(with: other), is: joined)
  }

  @Test func `of two siblings the later one counts, whatever its value`() {
    let early = Sibling(stamp: 1, value: CellValue("b"))
    let late = Sibling(stamp: 2, value: CellValue("a"))
    expect(early.precedes(late))
    expect(!late.precedes(early))
  }

  @Test(arguments: ["Europe/Paris", "Zulu"])
  func `another zone of the same unlock time is a change, and an earlier time is none`(
    _ zone: String
  ) {
    let table = MergeTable(.capsule)
    var state = RecordState()
    func observe(_ time: String, _ zone: String) -> JSON? {
      let cells = table.cells(of: ["unlockAt": .string(time), "unlockZone": .string(zone)])
      state.observe(ObservedRecord(cells: cells, isLive: true, stamp: 0), by: Self.first, table)
      return state.fields(table)["unlockZone"]
    }
    expect(observe("2030-01-02T00:00:00Z", "UTC"), is: "UTC")
    expect(observe("2030-01-02T00:00:00Z", zone), is: .string(zone))
    expect(observe("2030-01-01T00:00:00Z", "UTC"), is: .string(zone))
  }

  @Test func `members come back from cells as they were`() {
    let fields: JSONObject = [
      "name": "Ring", "tags": ["b", "a", "b"], "value": ["amount": "1", "currency": "EUR"],
      "unknown": ["x": 1],
      "history": [["at": "2026-01-01T00:00:00Z"], ["at": "2026-01-01T00:00:00Z"]],
    ]
    expect(Self.table.fields(of: Self.table.cells(of: fields)), is: fields)
  }

  @Test func `a beacon is merged apart from its timelock, and comes back into it`() {
    let table = MergeTable(.capsule)
    let with: JSONObject = ["lock": ["timelock": ["beacon": "b4", "round": 5]]]
    let without: JSONObject = ["lock": ["timelock": ["round": 5]]]
    let cells = table.cells(of: with)
    expect(table.fields(of: cells), is: with)
    expect(cells.count, is: table.cells(of: without).count + 1)
    expect(cells[CellKey("lock")], is: table.cells(of: without)[CellKey("lock")])
    let none = table.cells(of: ["lock": ["timelock": ["beacon": .null, "round": 5]]])
    expect(none, is: table.cells(of: without))
    expect(table.fields(of: none), is: without)
  }

  @Test(arguments: [
    "{}", "[]", #"{"actors":[],"vector":[1],"cells":[],"life":[]}"#,
    #"{"actors":["x"],"vector":[1],"cells":[],"life":[]}"#,
    #"{"actors":[],"vector":[],"cells":[["a",null,[[0,1,0,0]]]],"life":[]}"#,
    #"{"actors":["00000000000000000000000000000001"],"vector":[-1],"cells":[],"life":[]}"#,
    #"{"actors":["00000000000000000000000000000001"],"vector":[9223372036854775807],"cells":[],"life":[]}"#,
    #"{"actors":["00000000000000000000000000000001"],"vector":[1],"cells":[["a",null,[[0,0,0,0]]]],"life":[]}"#,
    #"{"actors":["00000000000000000000000000000001"],"vector":[1],"cells":[["a",null,[[-1,1,0,0]]]],"life":[]}"#,
    #"{"actors":["00000000000000000000000000000001"],"vector":[1],"cells":[],"life":[[0]]}"#,
  ])
  func `what is no state is refused`(_ text: String) throws {
    let json = try JSON.parse(Array(text.utf8))
    expect(throws: Malformed.self) { try RecordState(json: json) }
  }
}
