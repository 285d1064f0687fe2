import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The code of a segment is proven before anything of it is taken apart.
struct SegmentProofTests {
  private static let key = [UInt8](repeating: 7, count: 32)

  private static func code() -> HMACSHA256 { key.withUnsafeBytes { HMACSHA256(key: $0) } }

  /// Lines, and the last one with their code.
  private static func coded(_ lines: String) -> [UInt8] {
    var code = code()
    code.update(Array(lines.utf8))
    return Array(lines.utf8)
      + JSON.object(["records": 1, "code": .string(Hex.encode(code.finalize()))]).encoded(.compact)
      + [UInt8(ascii: "\n")]
  }

  private static func isProven(_ bytes: [UInt8], piece: Int) throws -> Bool {
    var proof = SegmentProof(code())
    var rest = bytes[...]
    while !rest.isEmpty {
      try Array(rest.prefix(piece)).withUnsafeBytes { try proof.write($0) }
      rest = rest.dropFirst(piece)
    }
    return proof.isProven()
  }

  @Test(arguments: [1, 7, 255, 256, 257, 4096, 1 << 20])
  func `lines are proven whatever the pieces in which they come`(_ piece: Int) throws {
    for count in [0, 1, 100, 200, 300, 5000] {
      let bytes = Self.coded("{\"format\":1}\n" + String(repeating: "x", count: count) + "\n")
      expect(try Self.isProven(bytes, piece: piece))
      for place in [0, bytes.count / 2, bytes.count - 2] {
        var changed = bytes
        changed[place] ^= 1
        expect(try !Self.isProven(changed, piece: piece), "\(count) \(place)")
      }
      expect(try !Self.isProven(Array(bytes.dropLast()), piece: piece))
    }
  }

  @Test func `bytes without a line are not proven`() throws {
    for text in ["", "\n", "{}", "{\"code\":\"\"}\n", String(repeating: "x", count: 1000)] {
      expect(try !Self.isProven(Array(text.utf8), piece: 64))
    }
  }

  @Test func `a newer format is named before anything is proven`() throws {
    var proof = SegmentProof(Self.code())
    expect {
      try Array("{\"format\":2}\n".utf8).withUnsafeBytes { try proof.write($0) }
    } throws: { error in
      (error as? Fault)?.cause as? Segment.Problem == .newer(2)
    }
  }

  @Test func `a device may tell the name of its host, or not`() throws {
    func note(_ line: JSON) throws -> Segment.Note {
      var lines = SegmentLines(first: ["carrier": "one"]) { _, _ in }
      let bytes = [["carrier": "one"], line, ["code": "", "records": 0]].flatMap {
        $0.encoded(.compact) + [UInt8(ascii: "\n")]
      }
      try bytes.withUnsafeBytes { try lines.write($0) }
      return try lines.finish()
    }
    try expect(note(["removed": ["a"]]), is: Segment.Note(removed: ["a"], host: ""))
    try expect(note(["removed": [], "host": "mia"]), is: Segment.Note(removed: [], host: "mia"))
    let long = String(repeating: "x", count: 256)
    try expect(note(["removed": [], "host": .string(long)]).isEmpty)
  }

  @Test(arguments: [
    "nonsense\n", "[]\n", #"{"record":"settings","state":{}}"# + "\n",
    #"{"record":"nothing","state":{}}"# + "\n", #"{"code":"","records":2}"# + "\n",
    #"{"code":"","records":0}"#, #"{"code":"","records":0}"# + "\n{}\n",
  ])
  func `a line that no device writes makes a segment damaged`(line: String) {
    var lines = SegmentLines(first: ["carrier": "one"]) { _, _ in }
    let bytes = Array(("{\"carrier\":\"one\"}\n" + line).utf8)
    expect {
      try bytes.withUnsafeBytes { try lines.write($0) }
      _ = try lines.finish()
    } throws: { error in
      (error as? Fault)?.cause as? Segment.Problem == .damaged
    }
  }

  @Test(
    arguments: [
      (.damaged, .remoteDamaged, "a change file is damaged"),
      (.incomplete, .remoteDamaged, "a change file is incomplete"),
      (.newer(2), .newerRemote, "a change file has format 2, which is newer than this program's"),
    ] as [(Segment.Problem, Fault.Code, String)])
  func `a change file is refused in words`(
    problem: Segment.Problem, code: Fault.Code, message: String
  ) {
    expect(Fault(problem).code, is: code)
    expect(Fault(problem).description, is: message)
  }

  @Test func `a proven segment of another carrier gives no record`() throws {
    let state = JSON.object(["record": "settings", "state": RecordState().json])
    var taken = 0
    var lines = SegmentLines(first: ["carrier": "one"]) { _, _ in taken += 1 }
    let bytes = [JSON.object(["carrier": "another"]), state].flatMap {
      $0.encoded(.compact) + [UInt8(ascii: "\n")]
    }
    expect {
      try bytes.withUnsafeBytes { try lines.write($0) }
    } throws: { error in
      (error as? Fault)?.cause as? Segment.Problem == .damaged
    }
    expect(taken, is: 0)
  }
}
