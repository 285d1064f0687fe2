import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What a machine keeps of its syncs, and the texts in carriers.
@Suite struct SyncFormatTests {
  private typealias Record = SyncState.CarrierRecord

  @Test func `what is known of a carrier is read as it was written`() throws {
    let (machine, other) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
    var full = Record()
    full.number = 7
    full.published = 5
    full.ended = 1_700_000_000
    full.removed = ["one", "two"]
    full.isRemovalUntold = true
    full.damaged = [.blob(String(repeating: "0", count: 64)): "mark"]
    full.hosts = [try require(ActorID(other)): "laptop"]
    full.unused = Record.Unused(
      names: ["three"], since: 1_600_000_000, actors: [try require(ActorID(machine)): 3])
    for record in [Record(), full] { expect(Record(json: record.json), is: record) }
  }

  @Test func `a carrier says that its format is the first`() throws {
    let header = try CarrierHeader(
      Array(#"{"format":1,"id":"0123456789abcdef0123456789abcdef","store":"mark"}"#.utf8))
    try expect(JSON.parse(header.encoded)["format"], is: .integer(1))
    try expect(CarrierHeader(header.encoded), is: header)
  }

  @Test func `the stamp of a file is read as it was written`() throws {
    for text in ["12345.67890.1700000000.123456789.-5.9", "18446744073709551615.0.0.0.0.0"] {
      try expect(require(FileStamp(text.utf8)).text, is: text)
    }
    for text in ["", "1.2.3.4.5", "1.2.3.4.5.", "1.2.3.4.5.6.7", "1.2.3.4.5.-", "1.2.3.4.5.6 "] {
      expect(FileStamp(text.utf8) == nil, "\(text)")
    }
  }
}
