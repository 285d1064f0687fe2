import CapsuleBytes
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct JSONTests {
  private let sample: JSON = [
    "name": "Zoë \"x\" \\ \u{7f}\n", "empty": [:], "none": [], "n": [1, -2, .null, true],
    "o": ["b": 1, "a": [["x": "y"]]],
  ]

  @Test func `a pretty text has sorted keys, two spaces a level and a final newline`() {
    let expected = """
      {
        "empty": {},
        "n": [
          1,
          -2,
          null,
          true
        ],
        "name": "Zoë \\"x\\" \\\\ \\u007f\\n",
        "none": [],
        "o": {
          "a": [
            {
              "x": "y"
            }
          ],
          "b": 1
        }
      }

      """
    expect(String(decoding: sample.encoded(), as: UTF8.self), is: expected)
  }

  @Test func `a compact text has no white space`() {
    let expected = #"{"a":[1,{}],"b":"\u0085\t"}"#
    let value: JSON = ["b": "\u{85}\t", "a": [1, [:]]]
    expect(String(decoding: value.encoded(.compact), as: UTF8.self), is: expected)
  }

  @Test func `what is written is read back`() throws {
    try expect(JSON.parse(sample.encoded()), is: sample)
    try expect(JSON.parse(sample.encoded(.compact)), is: sample)
  }

  @Test func `keys are told apart by their bytes, not by what Unicode calls equivalent`() throws {
    var object: JSONObject = ["\u{e9}": 1, "e\u{301}": 2]
    expect(object.count, is: 2)
    expect(object["\u{e9}"], is: 1)
    expect(object["e\u{301}"], is: 2)
    object["\u{e9}"] = nil
    expect(object.keys.map { Array($0.utf8) }, is: [Array("e\u{301}".utf8)])
    let parsed = try JSON.parse("{\"\u{e9}\": 1, \"e\u{301}\": 2}")
    expect(parsed.object?.count, is: 2)
    expect(JSON.string("\u{e9}") != JSON.string("e\u{301}"))
  }

  @Test func `members are found, replaced, added and removed in the order of their keys`() {
    var object = JSONObject()
    for key in ["m", "z", "a", "\u{10000}", "\u{ffff}", ""] { object[key] = .string(key) }
    expect(object.keys, is: ["", "a", "m", "z", "\u{ffff}", "\u{10000}"])
    object["a"] = 7
    expect(object["a"]?.integer, is: 7)
    object["m"] = nil
    object["nobody"] = nil
    expect(object["m"] == nil)
    expect(object.map(\.key), is: ["", "a", "z", "\u{ffff}", "\u{10000}"])
  }
}
