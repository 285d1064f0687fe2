import CapsuleBytes
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct JSONTextWriterTests {
  private func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  @Test func `pieces make the text that the value would`() throws {
    for style in [JSONStyle.pretty, .compact] {
      var writer = JSONTextWriter(style)
      writer.beginObject()
      writer.member("a", "text")
      writer.member("b", Int64.min)
      writer.member("c", true)
      writer.key("d")
      writer.beginArray()
      writer.value(1)
      writer.value("two")
      writer.null()
      writer.number(try require(JSONNumber("3.50")))
      writer.beginArray()
      writer.endArray()
      writer.endArray()
      writer.key("e")
      writer.beginObject()
      writer.endObject()
      writer.member("f", [.null, ["g": false]])
      writer.endObject()
      if style == .pretty { writer.endLine() }
      let value: JSON = [
        "a": "text", "b": .integer(.min), "c": true,
        "d": [1, "two", .null, .number(try require(JSONNumber("3.50"))), []], "e": [:],
        "f": [.null, ["g": false]],
      ]
      let bytes = writer.takeBytes()
      expect(text(bytes), is: text(value.encoded(style)))
      try expect(JSON.parse(bytes), is: value)
    }
  }

  /// Makes an object of members in a random order, with keys that begin as others do, and one like it with sorted keys.
  private func write(
    _ random: inout SeededGenerator, _ depth: Int, to writer: inout JSONTextWriter
  ) -> JSON {
    var members = JSONObject()
    let keys = ["a", "at", "atLocal", "createdAt", "createdAtLocal", "createdAtNanos", "id", "é"]
    let chosen = keys.shuffled(using: &random).prefix(Int.random(in: 0...8, using: &random))
    writer.beginSortedObject()
    for key in chosen {
      if depth < 3, Bool.random(using: &random) {
        writer.key(key)
        members[key] = write(&random, depth + 1, to: &writer)
      } else {
        let value: JSON =
          [.null, .string("\"quoted\", and more"), [1, ["b": 2]]]
          .randomElement(using: &random) ?? .null
        writer.member(key, value)
        members[key] = value
      }
    }
    writer.endSortedObject()
    return .object(members)
  }

  @Test func `an object whose members come in any order is sorted, and those in it`() {
    var random = SeededGenerator(seed: 7)
    for style in [JSONStyle.pretty, .compact] {
      var writer = JSONTextWriter(style, reserving: 0)
      for _ in 0..<300 {
        let value = write(&random, 0, to: &writer)
        if style == .pretty { writer.endLine() }
        expect(text(writer.takeBytes()), is: text(value.encoded(style)))
      }
    }
  }

  @Test func `lines of compact texts are NDJSON`() {
    var writer = JSONTextWriter(.compact)
    for number in 1...2 {
      writer.beginObject()
      writer.member("n", Int64(number))
      writer.endObject()
      writer.endLine()
    }
    expect(text(writer.takeBytes()), is: "{\"n\":1}\n{\"n\":2}\n")
    expect(writer.takeBytes(), is: [])
  }

  @Test func `bytes taken in pieces are the same text`() throws {
    var writer = JSONTextWriter(.pretty, reserving: 0)
    var bytes: [UInt8] = []
    writer.beginArray()
    for number in 0..<1000 {
      writer.beginObject()
      writer.member("n", Int64(number))
      writer.endObject()
      if writer.byteCount > 100 { bytes += writer.takeBytes() }
    }
    writer.endArray()
    bytes += writer.takeBytes()
    try expect(JSON.parse(bytes).array?.count, is: 1000)
    expect(bytes.starts(with: Array("[\n  {\n    \"n\": 0\n  },\n  {".utf8)))
  }

  @Test(arguments: [0, 1, -1, 9, 10, 99, 100, -100, .max, .min] as [Int64])
  func `an integer is written in decimal`(value: Int64) {
    expect(text(JSON.integer(value).encoded(.compact)), is: String(value))
  }

  @Test func `every control character is escaped and nothing else that need not be`() throws {
    for number in (0...0x2FF).map({ UInt32($0) }) + [0x2028, 0x2029, 0xFEFF, 0xFFFF, 0x10FFFF] {
      let scalar = try require(Unicode.Scalar(number))
      let string = "ab" + String(scalar) + "cd"
      let bytes = JSON.string(string).encoded(.compact)
      try expect(JSON.parse(bytes), is: .string(string))
      let isControl = number < 0x20 || (0x7F...0x9F).contains(number)
      let isEscaped = bytes.contains(UInt8(ascii: "\\"))
      expect(isEscaped == (isControl || scalar == "\"" || scalar == "\\"), "\(number)")
    }
  }

  /// Texts are looked through eight bytes at a time, of which the last may overlap those before.
  @Test(arguments: ["\"", "\\", "\n", "\u{7F}", "\u{85}", "\u{A0}", "é", "\u{1F600}"])
  func `what needs an escape is found at every place of texts of every length`(special: String) {
    let isEscaped = !["\u{A0}", "é", "\u{1F600}"].contains(special)
    let escape = JSON.string(special).encoded(.compact).dropFirst().dropLast()
    expect(isEscaped == (escape.first == UInt8(ascii: "\\")))
    for length in 1...20 {
      for place in 0..<length {
        for other in [place, length - 1] {
          var parts = [String](repeating: "x", count: length)
          (parts[place], parts[other]) = (special, special)
          let expected = parts.flatMap { $0 == special ? Array(escape) : Array($0.utf8) }
          let encoded = JSON.string(parts.joined()).encoded(.compact)
          expect(Array(encoded.dropFirst().dropLast()), is: expected)
        }
      }
    }
  }

  @Test(arguments: ["", "a\"b", "\n", "ends in \\", "\u{85}and more behind it", "é"])
  func `a key is escaped as a text is, with its colon behind it`(key: String) throws {
    let quoted = text(JSON.string(key).encoded(.compact))
    for (style, colon) in [(JSONStyle.compact, ":"), (.pretty, ": ")] {
      var writer = JSONTextWriter(style, reserving: 0)
      writer.beginObject()
      for count in 1..<40 { writer.member(String(repeating: "x", count: count) + key, "value") }
      writer.member(key, "last")
      writer.endObject()
      let bytes = writer.takeBytes()
      let ending = style == .pretty ? "\n}" : "}"
      expect(text(bytes).hasSuffix(quoted + colon + "\"last\"" + ending))
      try expect(JSON.parse(bytes).object?.count, is: 40)
    }
  }

  @Test func `every power of ten and its neighbours are written in decimal`() {
    var power: Int64 = 1
    for _ in 0..<18 {
      power *= 10
      for value in [power - 1, power, power + 1, -power, 1 - power] {
        expect(text(JSON.integer(value).encoded(.compact)), is: String(value))
      }
    }
  }
}
