import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The file of folded texts: it answers as the records would, and keeps nothing that was purged.
@Suite struct RecordTextsTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let now = Instant(seconds: 1_800_000_000)
  /// More than are read at each search.
  private let count = 260

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
  }

  private func id(_ number: Int) throws -> RecordID {
    let digits = Hex.encode([UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
    let first = String(digits.suffix(2) + digits.prefix(2))
    return try require(RecordID("\(first)0000-0000-4000-8000-00000000\(digits)"))
  }

  /// Puts a record there as a synchroniser does.
  private func put(_ number: Int, _ name: String) throws {
    let id = try id(number)
    let path = store.layout.record(.item, id)
    let item = Item(
      header: RecordHeader(id: id, createdAt: Instant(seconds: 1_600_000_000)), name: name)
    try store.folders.prepare([path.parent])
    if try files.statusIfPresent(path) != nil { try files.unlink(path) }
    _ = try files.writeNew(
      path, RecordFile.encode(item.fields), mode: 0o600,
      by: store.layout.temporary.appending("x"))
  }

  private func fill() throws {
    for number in 0..<count { try put(number, "Item \(number)") }
    try expect(found("item"), is: count)
  }

  private func found(_ word: String) throws -> Int {
    store.queries.search(try SearchQuery([word], now: now)).groups.reduce(0) { $0 + $1.total }
  }

  private var texts: FilePath {
    get throws { try require(store.cacheDirectory).appending("items.texts") }
  }

  private func holds(_ text: String) throws -> [String] {
    let cache = try require(store.cacheDirectory)
    return try files.contents(ofDirectory: cache).filter { entry in
      let bytes = try files.readFile(cache.appending(bytes: entry.name), limit: 1 << 26)
      return bytes.firstRange(of: Array(text.utf8)) != nil
    }.map { String(decoding: $0.name, as: UTF8.self) }
  }

  @Test func `few records leave no file, many do`() throws {
    try put(1, "One")
    try expect(found("one"), is: 1)
    expect(try files.statusIfPresent(texts) == nil)
    try fill()
    expect(try files.statusIfPresent(texts) != nil)
  }

  @Test(arguments: [0, 3])
  func `nothing stays of the texts of many when few are left`(left: Int) throws {
    try fill()
    for number in left..<count { try files.unlink(store.layout.record(.item, try id(number))) }
    try expect(found("item"), is: left)
    expect(try files.statusIfPresent(texts) == nil)
  }

  @Test func `a record that changed, came or went is found as it is now`() throws {
    try fill()
    try put(7, "Changed")
    try put(1000, "Came")
    try files.unlink(store.layout.record(.item, try id(9)))
    try expect(found("changed"), is: 1)
    try expect(found("came"), is: 1)
    try expect(found("item"), is: count - 2)
  }

  /// Writes over a record in its place, which no directory tells.
  private func overwrite(_ number: Int, _ name: String) throws {
    let id = try id(number)
    let item = Item(
      header: RecordHeader(id: id, createdAt: Instant(seconds: 1_600_000_000)), name: name)
    files.withDisk { $0.clock.seconds += 100 }
    try files.setBytes(store.layout.record(.item, id).text, RecordFile.encode(item.fields))
  }

  @Test func `a record that was edited in its place is found as the index knows it`() throws {
    try fill()
    try expect(found("item"), is: count)
    for name in ["Edited", "Twice"] {
      try overwrite(7, name)
      try expect(found(name.lowercased()), is: 0)
      _ = store.index.open(.item, now: now, look: .filesInTurn(1000))
      try expect(found(name.lowercased()), is: 1)
    }
    try expect(found("item"), is: count - 1)
  }

  @Test func `a record that was edited in its place is found by an index that was made anew`()
    throws
  {
    try fill()
    try expect(found("item"), is: count)
    try overwrite(7, "Edited")
    try files.unlink(try require(store.cacheDirectory).appending("items.index"))
    let later = Instant(seconds: now.seconds + 60)
    let query = try SearchQuery(["edited"], now: later)
    let hits = store.queries.search(query).groups.reduce(0) { $0 + $1.total }
    expect(hits, is: 1)
  }

  @Test func `the file is written anew when many records changed`() throws {
    try fill()
    for number in 0..<count { try put(number, "Other \(number)") }
    try expect(found("other"), is: count)
    try expect(found("item"), is: 0)
    expect(try !holds("other 255").isEmpty)
  }

  @Test func `a file that is damaged at any place is not believed`() throws {
    try fill()
    let whole = try files.readFile(texts, limit: 1 << 26)
    for place in stride(from: 0, to: whole.count, by: TestScale.isFull ? 97 : 4001) {
      var bytes = whole
      bytes[place] ^= 0x10
      try files.unlink(texts)
      try files.withFile(texts, .createExclusive(mode: 0o600)) { file throws(Fault) in
        try files.writeAll(file, bytes)
      }
      try expect(found("item"), is: count, "at \(place)")
    }
  }

  @Test func `a file that is cut short is not believed`() throws {
    try fill()
    let whole = try files.readFile(texts, limit: 1 << 26)
    for length in [0, 1, 4096, whole.count - 4096, whole.count - 1] {
      try files.unlink(texts)
      try files.withFile(texts, .createExclusive(mode: 0o600)) { file throws(Fault) in
        try files.writeAll(file, Array(whole.prefix(length)))
      }
      try expect(found("item"), is: count, "with \(length) bytes")
    }
  }

  @Test func `nothing of what is purged stays in the cache`() throws {
    try fill()
    try put(5, "Secretword")
    for number in 0..<count where number != 5 { try put(number, "Other \(number)") }
    try expect(found("secretword"), is: 1)
    expect(try holds("secretword").contains { $0.hasPrefix("items.texts") })
    _ = try store.trash.delete(.item, id(5), now: now)
    _ = try store.trash.purge(try store.trash.records(.item), now: now)
    expect(try holds("secretword").isEmpty)
    expect(try holds("Secretword").isEmpty)
    try expect(found("other"), is: count - 1)
  }

  @Test func `nothing stays in the cache of a text that an edit takes away for good`() throws {
    try fill()
    try put(5, "Secretword")
    for number in 0..<count where number != 5 { try put(number, "Other \(number)") }
    try expect(found("secretword"), is: 1)
    expect(try holds("secretword").contains { $0.hasPrefix("items.texts") })
    var record = try store.read(Item.self, try id(5))
    record.model.name = "Renamed"
    _ = try store.blobs.update(record, now: now, freeing: [])
    expect(try holds("secretword").isEmpty)
    try expect(found("renamed"), is: 1)
  }
}
