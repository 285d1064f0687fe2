import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// A store's directory of capsules, with an index and what reading everything gives.
///
/// A record's file is four numbers and any text, separated by spaces: its sort key, due instant,
/// name's hash, and a count that is not used; anything else is a record with a problem.
struct IndexHarness: Sendable {
  static let damaged = IndexProblem(rawValue: 17)

  let files: any FileSystem
  let store: FilePath
  let cache: FilePath
  /// See ``IndexSetup/fewRecords``.
  var fewRecords = 0

  init(_ files: any FileSystem, at path: FilePath) throws {
    self.files = files
    store = path.appending("store")
    cache = path.appending("cache").appending("store-1-2").appending("index")
    try files.createDirectory(store, mode: 0o700)
    try files.createDirectory(folder, mode: 0o700)
  }

  /// The same directories on another disk.
  init(_ other: IndexHarness, on files: any FileSystem) {
    self.files = files
    store = other.store
    cache = other.cache
    fewRecords = other.fewRecords
  }

  var folder: FilePath { store.appending("capsules") }

  func shard(_ number: UInt8) -> FilePath {
    folder.appending(Hex.encode([number]))
  }

  func path(_ id: RecordID) -> FilePath {
    shard(id.shard).appending(bytes: id.fileName)
  }

  func setup(version: UInt32 = 1, cached: Bool = true, threads: Int = 1) -> IndexSetup {
    IndexSetup(
      files: files, store: store, cache: cached ? cache : nil, kind: .capsule,
      summaryVersion: version, recordLimit: 1 << 20, threads: threads, fewRecords: fewRecords,
      random: .system,
      summarize: Self.entry)
  }

  static func entry(_ id: RecordID, _ bytes: [UInt8]) -> IndexEntry {
    let words = String(decoding: bytes, as: UTF8.self).split(
      separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 4, let sortKey = Int64(words[0]), let due = Int64(words[1]),
      let name = UInt64(words[2])
    else { return IndexEntry(id: id, problem: damaged, summary: bytes.prefix(8)) }
    return IndexEntry(
      id: id, sortKey: sortKey, due: due, nameHash: name, summary: Array(words[3].utf8)[...])
  }

  static func bytes(_ sortKey: Int64, _ due: Int64, _ name: UInt64, _ text: String) -> [UInt8] {
    Array("\(sortKey) \(due) \(name) \(text)".utf8)
  }

  func open(now: Int64, threads: Int = 1, version: UInt32 = 1) -> RecordIndex {
    RecordIndex.open(setup(version: version, threads: threads), now: Instant(seconds: now))
  }

  /// Makes or replaces a record the way the store does, and notes it in the index.
  func write(_ id: RecordID, _ bytes: [UInt8], noted: Bool = true) throws {
    let temporary = store.appending("tmp-" + id.description)
    let shard = shard(id.shard)
    if try files.statusIfPresent(shard) == nil {
      do throws(Fault) {
        try files.createDirectory(shard, mode: 0o700)
      } catch {
        // Another thread of the test made it meanwhile.
        guard error.condition == .exists else { throw error }
      }
    }
    let file = try files.open(temporary, .createExclusive(mode: 0o600))
    defer { try? files.close(file) }
    try files.writeAll(file, bytes)
    let before = try files.status(shard)
    try files.rename(temporary, to: path(id))
    let stamp = FileStamp(try files.status(file))
    guard noted else { return }
    RecordIndex.append(
      [
        .upsert(Self.entry(id, bytes), stamp),
        .directory(id.shard, from: before, to: try files.status(shard)),
      ], to: setup())
  }

  func remove(_ id: RecordID, noted: Bool = true) throws {
    try files.unlink(path(id))
    if noted { RecordIndex.append([.remove(id)], to: setup()) }
  }

  /// Puts a file into a directory as other programs do: with a time of their choice, or in place.
  func put(_ path: FilePath, _ bytes: [UInt8], modified: FileTime? = nil) throws {
    if try files.statusIfPresent(path) != nil { try files.unlink(path) }
    let file = try files.open(path, .createExclusive(mode: 0o600))
    defer { try? files.close(file) }
    try files.writeAll(file, bytes)
    if let modified { try files.setModified(file, modified) }
  }

  /// Every record read, without any index.
  func scan() -> IndexScanResult {
    var result = IndexScanResult()
    let names = (try? files.contents(ofDirectory: folder)) ?? []
    for name in names {
      let directory = folder.appending(bytes: name.name)
      let number = Hex.decode(String(decoding: name.name, as: UTF8.self))?.first
      guard let number, (try? files.status(directory).kind) == .directory else {
        result.addStray(directory)
        continue
      }
      for name in (try? files.contents(ofDirectory: directory)) ?? [] {
        let path = directory.appending(bytes: name.name)
        guard let id = RecordID(fileName: name.name), id.shard == number else {
          result.addStray(path)
          continue
        }
        if (try? files.status(path).kind) != .regular {
          result.entries.append(IndexEntry(id: id, problem: .notRegularFile))
        } else if let bytes = try? files.readFile(path, limit: 1 << 20) {
          result.entries.append(Self.entry(id, bytes))
        } else {
          result.entries.append(IndexEntry(id: id, problem: .unreadable))
        }
      }
    }
    result.sort()
    return result
  }
}

/// What a store's directory holds, in order.
struct IndexScanResult: Equatable {
  var entries: [IndexEntry] = []
  var strays: [FilePath] = []

  mutating func addStray(_ path: FilePath) {
    if path.lastComponent.first != UInt8(ascii: ".") { strays.append(path) }
  }

  mutating func sort() {
    entries.sort { ($0.sortKey, $0.id) < ($1.sortKey, $1.id) }
    strays.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}

extension RecordIndex {
  /// Returns the first entries in order.
  mutating func entries(_ order: Order, from start: Int64? = nil, limit: Int) -> [IndexEntry] {
    var found: [IndexEntry] = []
    forEach(order, from: start) { entry in
      found.append(entry)
      return found.count < limit
    }
    return found
  }

  /// All that the index holds, by walking through it.
  mutating func all() -> IndexScanResult {
    IndexScanResult(entries: entries(.ascending, limit: .max), strays: strays())
  }

  /// Holds every question's answer against what reading everything gives.
  mutating func expectSame(
    as truth: IndexScanResult, _ comment: Comment? = nil,
    file: String = #fileID, line: Int = #line
  ) {
    let all = all()
    expect(all, is: truth, comment, sourceLocation: SourceLocation(file, line))
    if all != truth { return }
    let entries = truth.entries
    expect(count(), is: entries.count, comment, sourceLocation: SourceLocation(file, line))
    expect(
      self.entries(.descending, limit: .max), is: entries.reversed(), comment,
      sourceLocation: SourceLocation(file, line))
    expect(
      problems(), is: entries.filter { $0.problem != .none }.sorted { $0.id < $1.id }, comment,
      sourceLocation: SourceLocation(file, line))
    for probe in [entries.first, entries.last, entries.dropFirst(entries.count / 2).first] {
      guard let probe else { continue }
      expectSame(at: probe, entries, SourceLocation(file, line))
    }
    expect(entry(RecordID(high: 1, low: 2)) == nil, sourceLocation: SourceLocation(file, line))
  }

  private mutating func expectSame(
    at probe: IndexEntry, _ entries: [IndexEntry], _ location: SourceLocation
  ) {
    expect(entry(probe.id), is: probe, sourceLocation: location)
    for count in [1, 2, 8, 13, 36] {
      let prefix = String(probe.id.description.prefix(count))
      let found = self.entries(idPrefix: prefix.uppercased(), limit: .max)
      let expected = entries.filter { $0.id.description.hasPrefix(prefix) }
      expect(found, is: expected.sorted { $0.id < $1.id }, sourceLocation: location)
      let one = self.entries(idPrefix: prefix, limit: 1)
      expect(one, is: Array(found.prefix(1)), sourceLocation: location)
    }
    let named = entries.filter { $0.nameHash == probe.nameHash && probe.nameHash != 0 }
    expect(self.entries(nameHash: probe.nameHash), is: named, sourceLocation: location)
    let from = probe.sortKey
    expect(
      self.entries(.ascending, from: from, limit: 7),
      is: Array(entries.filter { $0.sortKey >= from }.prefix(7)), sourceLocation: location)
    expect(
      self.entries(.descending, from: from, limit: 7),
      is: Array(entries.filter { $0.sortKey <= from }.reversed().prefix(7)),
      sourceLocation: location)
    let due = entries.filter { $0.due != .max && $0.due > from && $0.due <= from + 40 }
      .sorted { ($0.due, $0.sortKey, $0.id) < ($1.due, $1.sortKey, $1.id) }
    if from < .max - 40 {
      expect(self.entries(dueAfter: from, through: from + 40), is: due, sourceLocation: location)
      expect(count(dueAfter: from, through: from + 40), is: due.count, sourceLocation: location)
      var walked: [IndexEntry] = []
      forEach(dueAfter: from, through: from + 40) { entry in
        walked.append(entry)
        return true
      }
      expect(walked, is: due, sourceLocation: location)
      let keys = from..<from + 9
      expect(
        self.entries(dueAfter: from, through: from + 40, sorted: keys),
        is: due.filter { keys.contains($0.sortKey) }, sourceLocation: location)
    }
  }
}
