import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct IndexHashTests {
  /// Values that the xxHash project and its bindings publish for XXH64 with seed 0.
  @Test(
    arguments: [
      ("", 0xef46_db37_51d8_e999),
      ("a", 0xd24e_c4f1_a98c_6e5b),
      ("abc", 0x44bc_2cf5_ad77_0999),
      ("Nobody inspects the spammish repetition", 0xfbce_a83c_8a37_8bf1),
    ] as [(String, UInt64)])
  func `the hash of a text is XXH64's`(text: String, hash: UInt64) {
    expect(IndexHash.hash(Array(text.utf8)), is: hash)
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
