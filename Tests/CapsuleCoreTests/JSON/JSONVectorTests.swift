import CapsuleBytes
import RoomTestHelpers
import TestSupport
import Testing

/// The strict reader held against another one's verdicts, and against noise.
@Suite struct JSONVectorTests {
  /// The lines of a file beside the tests.
  private func lines(_ name: String) throws -> [[String]] {
    String(decoding: try vector("json", name), as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
  }

  @Test func `two thousand texts are read or refused as an independent reader does`() throws {
    let lines = try lines("cases.txt")
    expect(lines.count, is: 2000)
    for line in lines {
      let input = try require(Hex.decode(line.count > 1 ? line[1] : ""))
      let value = try? JSON.parse(input)
      let canonical = line.count > 2 ? Hex.decode(line[2]) : nil
      expect(value?.encoded(.compact), is: canonical, "\(String(decoding: input, as: UTF8.self))")
    }
  }

  @Test func `noise is refused or read, and what is read is written and read again`() throws {
    let seeds = try lines("cases.txt").filter { $0.first == "y" }.compactMap {
      Hex.decode($0[1])
    }
    let pieces: [[UInt8]] = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d834", "1", "-", "e", ".", "null", "\n",
      "é",
    ].map { Array($0.utf8) }
    var random = SeededGenerator(seed: 8259)
    var accepted = 0
    for round in 0..<TestScale.count(full: 50_000, debug: 5000) {
      var bytes: [UInt8] = []
      switch round % 3 {
      case 0:
        bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
      case 1:
        for _ in 0..<Int.random(in: 0...30, using: &random) {
          bytes += pieces.randomElement(using: &random) ?? []
        }
      default:
        bytes = seeds.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
          let index = Int.random(in: 0..<bytes.count, using: &random)
          bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
      }
      guard let value = try? JSON.parse(bytes) else { continue }
      accepted += 1
      try expect(JSON.parse(value.encoded(.compact)), is: value)
      try expect(JSON.parse(value.encoded(.pretty)), is: value)
    }
    expect(accepted > 50)
  }
}
