import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Reading, changing and writing a record in one step.
@Suite struct StoreChangeTests {
  private static let now = Instant(seconds: 1_700_000_000)
  private let files = SimulatedFileSystem()
  private let store: Store
  private let id = StoreScenario.id(1)

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: Self.now)
    try store.insert(
      Item(header: RecordHeader(id: id, createdAt: Self.now), name: "Cafe\u{301}"))
  }

  private struct Stop: Error {}

  @Test func `a change is written, and what it was is returned`() throws {
    let change = try store.change(Item.self, id, now: Self.now) { item in item.notes = "new" }
    expect(change.isWritten && change.before.notes.isEmpty && change.after.notes == "new")
    expect(change.after.header.revision, is: 2)
    try expect(store.read(Item.self, id).model, is: change.after)
  }

  @Test func `where nothing changes nothing is written`() throws {
    let change = try store.change(Item.self, id, now: Self.now) { _ in }
    expect(!change.isWritten && change.after.header.revision == 1)
  }

  @Test func `another spelling of the same characters is a change`() throws {
    let change = try store.change(Item.self, id, now: Self.now) { item in
      item.name = "Caf\u{e9}"
    }
    expect(change.isWritten)
    try expect(store.read(Item.self, id).model.name.utf8.count, is: 5)
  }

  @Test func `beside another writer it is done again on what that one wrote`() throws {
    var tries = 0
    let change = try store.change(Item.self, id, now: Self.now) { item in
      tries += 1
      if tries == 1 {
        _ = try store.change(Item.self, id, now: Self.now) { item in item.location = "Safe" }
      }
      item.notes = "new"
    }
    expect(tries, is: 2)
    expect(change.before.location == "Safe" && change.after.notes == "new")
    expect(change.after.header.revision, is: 3)
  }

  @Test func `beside another writer a file is read once`() throws {
    try files.setBytes("/pages.txt", Array("pages".utf8))
    var (reads, tries) = (0, 0)
    let change = try store.change(
      Item.self, id, now: Self.now,
      staging: { blobs in
        reads += 1
        let staged = try store.blobs.stageAttachment(FilePath("/pages.txt"), limit: 100)
        // As a stream, which is empty from now on.
        try files.setBytes("/pages.txt", [])
        blobs.append(staged.blob)
        return staged.attachment
      }
    ) { (item: inout Item, attachment) in
      tries += 1
      if tries == 1 {
        _ = try store.change(Item.self, id, now: Self.now) { item in item.location = "Safe" }
      }
      item.media.append(Media(file: attachment, title: "", addedAt: Self.now, facts: MediaFacts()))
    }
    expect(reads == 1 && tries == 2 && change.after.location == "Safe")
    let media = try require(change.after.media.first)
    expect(files.bytes(store.layout.blob(media.file.blob).text), is: Array("pages".utf8))
    expect(files.files(under: StoreScenario.layout.temporary.text).isEmpty)
  }

  @Test(arguments: [true, false])
  func `a file that no record names in the end leaves nothing`(isRefused: Bool) throws {
    try files.setBytes("/pages.txt", Array("pages".utf8))
    let before = files.files(under: StoreScenario.root.text)
    func attach() throws {
      _ = try store.change(
        Item.self, id, now: Self.now,
        staging: { blobs in
          blobs.append(try store.blobs.stageAttachment(FilePath("/pages.txt"), limit: 100).blob)
        }
      ) { _, _ in if isRefused { throw Stop() } }
    }
    if isRefused { expect(throws: Stop.self) { try attach() } } else { try attach() }
    expect(files.files(under: StoreScenario.root.text), is: before)
  }

  @Test func `a record that is not what was written is not changed`() throws {
    let path = store.layout.record(.item, id)
    var bytes = try files.readFile(path, limit: 10_000)
    let place = try require(bytes.lastIndex(of: UInt8(ascii: "1")))
    bytes[place] = UInt8(ascii: "2")
    try files.setBytes(path.text, bytes)
    expect(throws: Fault.self) {
      try store.change(Item.self, id, now: Self.now) { item in item.notes = "new" }
    }
  }
}
