import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct IndexHashTests {
  @Test(arguments: 0..<24 as Range<UInt64>)
  func `a change within a word shows, whatever the bytes`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = (0..<Int.random(in: 1...200, using: &random)).map { _ in
      UInt8.random(in: .min ... .max, using: &random)
    }
    let hash = IndexHash.hash(bytes, seed: seed)
    expect(IndexHash.hash(bytes, seed: seed), is: hash)
    expect(IndexHash.hash(bytes, seed: seed &+ 1) != hash)
    for start in stride(from: 0, to: bytes.count, by: 8) {
      for _ in 0..<100 {
        var changed = bytes
        for place in start..<min(start + 8, bytes.count) {
          changed[place] = UInt8.random(in: .min ... .max, using: &random)
        }
        expect((IndexHash.hash(changed, seed: seed) == hash) == (changed == bytes))
      }
    }
  }

  @Test func `words in another order have another hash`() {
    let words = (0..<64).map { [UInt8](repeating: UInt8($0), count: 8) }
    let hash = IndexHash.hash(Array(words.joined()))
    for place in words.indices.dropLast() {
      var changed = words
      changed.swapAt(place, place + 1)
      expect(IndexHash.hash(Array(changed.joined())) != hash)
    }
  }

  @Test func `every bit and every length counts`() {
    var seen: Set<UInt64> = []
    for count in 0..<100 {
      var bytes = [UInt8](repeating: 0, count: count)
      expect(seen.insert(IndexHash.hash(bytes)).inserted)
      for bit in 0..<count * 8 {
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        expect(seen.insert(IndexHash.hash(bytes)).inserted)
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      }
    }
  }
}

@Suite struct RecordIDFileNameTests {
  @Test func `a record's file name gives its id back, and no other name does`() throws {
    let id = try require(RecordID("3f2a9c1e-0000-4000-8000-00000000000a"))
    expect(RecordID(fileName: id.fileName), is: id)
    for name in [
      "", ".json", "3f2a9c1e-0000-4000-8000-00000000000a",
      "3f2a9c1e-0000-4000-8000-00000000000a.JSON",
      "3F2A9C1E-0000-4000-8000-00000000000a.json", "3f2a9c1e-0000-4000-8000-00000000000a 2.json",
      "3f2a9c1e-0000-4000-8000-00000000000a.sync-conflict-20260101-000000-ABCDEFG.json",
    ] {
      expect(RecordID(fileName: Array(name.utf8)) == nil, "\(name)")
    }
  }

  @Test func `a prefix of any length stands for the ids that begin with it`() throws {
    let text = "3f2a9c1e-1234-4567-89ab-cdef01234567"
    let id = try require(RecordID(text))
    for count in 1...36 {
      let prefix = text.prefix(count)
      let range = try require(RecordID.range(prefix: prefix))
      expect(range.contains(id))
      expect(range.lowerBound.description.hasPrefix(prefix))
      expect(range.upperBound.description.hasPrefix(prefix))
      let bare = String(prefix).filter { $0 != "-" }
      expect(RecordID.range(prefix: bare.uppercased()), is: range)
    }
    expect(RecordID.range(prefix: text), is: id...id)
  }

  @Test(arguments: ["", "-", "g", "3f-", "3f2a9c1e-1234-4567-89ab-cdef012345678", "３"])
  func `anything else stands for none`(prefix: String) {
    expect(RecordID.range(prefix: prefix) == nil)
  }
}
