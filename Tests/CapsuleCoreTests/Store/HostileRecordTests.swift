import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What records, archives and carriers of others may say.
@Suite struct HostileRecordTests {
  @Test(arguments: ["../../other", "/tmp/x", "", "age1", "a/b"])
  func `an identity whose recipient is none is never used, sealed or not`(recipient: String) {
    let sealed = "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n"
    for file in [sealed, "AGE-SECRET-KEY-1"] {
      expect(!StoreIdentity(recipient: recipient, file: file).isUsable)
    }
  }

  @Test func `a blob is named by its digits, however they are written`() throws {
    let digits = String(repeating: "5a", count: 32)
    let name = try require(BlobName(digits))
    let escaped = #"\u0035"# + digits.dropFirst()
    for text in [digits, escaped, #"\u0035\u0061"# + digits.dropFirst(2)] {
      for record in [
        #"{"blob": "\#(text)"}"#, #"{"media": [{"file": {"blob": "\#(text)"}}]}"#,
        #"{"\#(text)": 1, "notes": "a \" quote"}"#,
      ] {
        expect(BlobReferences.names(in: Array(record.utf8)), is: [name], "\(record)")
      }
    }
    expect(BlobReferences.names(in: Array(#"{"notes": "\u00"#.utf8)).isEmpty)
  }

  @Test(arguments: [Int64.max, Int64.min, 253_402_300_800])
  func `a time of deletion beyond the years is none, and ends no search`(seconds: Int64) throws {
    let layout = StoreLayout(root: FilePath("/s"))
    let id = RecordID(high: 1, low: 2)
    let path = layout.trash(.item).appending("\(id).\(seconds).json")
    expect(TrashedRecord(kind: .item, path: path) == nil)
    var taken: Set<FilePath> = []
    for _ in 0..<3 {
      let free = layout.freeTrash(.item, id, from: seconds) { taken.contains($0) }
      let record = try require(TrashedRecord(kind: .item, path: free))
      expect(record.id == id && taken.insert(free).inserted)
    }
  }

  @Test func `the sizes of files are added up to the end of numbers`() throws {
    let most = FileSize.most
    let fields: JSONObject = [
      "name": "a", "mediaType": "", "size": .integer(most), "modifiedAt": .null,
      "blob": .string(String(repeating: "5a", count: 32)),
    ]
    try expect(Attachment(fields: fields).size, is: most)
    for size in [-1, most + 1, .max] {
      var other = fields
      other["size"] = .integer(size)
      expect((try? Attachment(fields: other)) == nil)
    }
  }
}
