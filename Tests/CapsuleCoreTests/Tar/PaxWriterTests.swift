import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct PaxWriterTests {
  private func archive(
    _ body: (inout PaxWriter<MemorySink>) throws -> Void
  ) rethrows -> [UInt8] {
    var writer = PaxWriter(MemorySink())
    try body(&writer)
    return writer.sink.bytes
  }

  private func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  @Test func `a short name is a ustar header alone, with its checksum`() throws {
    let bytes = try archive { writer in
      try writer.begin("Mia/a.txt", size: 3, modified: 1_700_000_000)
      try [UInt8]("abc".utf8).withUnsafeBytes { try writer.write($0) }
      try writer.finish()
    }
    expect(bytes.count, is: 512 + 512 + 1024)
    expect(text(bytes), is: "Mia/a.txt")
    expect(text(bytes[100...]), is: "0000644")
    expect(text(bytes[108...]), is: "0000000")
    expect(text(bytes[124...]), is: "00000000003")
    expect(text(bytes[136...]), is: String(1_700_000_000, radix: 8))
    expect(Array(bytes[257..<265]), is: Array("ustar\u{0}00".utf8))
    let sum = (0..<512).reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(bytes[$1])) }
    expect(Int(text(bytes[148...]), radix: 8), is: sum)
    expect(text(bytes[512...]), is: "abc")
    expect(bytes[1024...].allSatisfy { $0 == 0 })
  }

  @Test(
    arguments: [
      ("é", Int64(0), Int64(0), "11 path=é\n"),
      ("files/" + String(repeating: "a", count: 94), 0, 0, nil),
      ("files/" + String(repeating: "a", count: 95), 0, 0, "111 path=files/"),
      ("big", 8_589_934_592, 0, "19 size=8589934592\n"), ("edge", 8_589_934_591, 0, nil),
      ("old", 0, -1, "12 mtime=-1\n"),
      ("far", 0, 253_402_300_799, "22 mtime=253402300799\n"),
    ] as [(String, Int64, Int64, String?)])
  func `what ustar cannot say stands in a record that counts itself`(
    path: String, size: Int64, modified: Int64, record: String?
  ) throws {
    var writer = PaxWriter(MemorySink())
    try writer.begin(path, size: size, modified: modified)
    let bytes = writer.sink.bytes
    if let record {
      expect(bytes.count, is: 3 * 512)
      expect(bytes[156], is: UInt8(ascii: "x"))
      expect(text(bytes[512...]).hasPrefix(record), "\(text(bytes[512...]))")
      let length = try require(Int(text(bytes[124...]), radix: 8))
      expect(text(bytes[512...]).utf8.count, is: length)
    } else {
      expect(bytes.count, is: 512)
    }
  }

  @Test func `a member that gets other than its bytes is refused`() throws {
    var writer = PaxWriter(MemorySink())
    try writer.begin("a", size: 3, modified: 0)
    let bytes: [UInt8] = [1, 2, 3, 4]
    expect(throws: Fault.self) {
      try bytes.withUnsafeBytes { try writer.write($0) }
    }
    expect(throws: Fault.self) { try writer.finish() }
    expect(throws: Fault.self) {
      try writer.begin("b", size: 0, modified: 0)
    }
  }
}
