/// The blobs that the records of a store name.
///
/// It is taken without the lock and brought up to date under it: only directories that changed in
/// between are read again.
package struct BlobReferences {
  private struct Directory {
    let status: FileStatus
    var names: Set<BlobName> = []
    var unreadable: [FilePath] = []
    var foreign: [FilePath] = []
  }

  private let store: Store
  /// Trash records that are about to be purged: what only they name does not count.
  private let excluded: Set<FilePath>
  private var directories: [FilePath: Directory] = [:]

  package init(of store: Store, excluding excluded: Set<FilePath>) throws(StoreError) {
    self.store = store
    self.excluded = excluded
    try refresh()
  }

  /// Records that could not be read.
  package var unreadable: [FilePath] { directories.values.flatMap(\.unreadable) }

  /// Files among the records that are not records.
  package var foreign: [FilePath] { directories.values.flatMap(\.foreign) }

  package func contains(_ name: BlobName) -> Bool {
    directories.values.contains { $0.names.contains(name) }
  }

  /// Every blob that is named.
  package var all: Set<BlobName> {
    directories.values.reduce(into: []) { $0.formUnion($1.names) }
  }

  /// Reads again what changed since it was read, or may have: a change within two seconds of the
  /// reading may show the same time.
  package mutating func refresh() throws(StoreError) {
    var current: Set<FilePath> = []
    for kind in RecordKind.allCases {
      for (shard, path) in try store.folders.shards(kind) {
        current.insert(path)
        try refresh(path) { RecordFileName($0, shard: shard) != .foreign }
      }
      let trash = store.layout.trash(kind)
      current.insert(trash)
      try refresh(trash) { $0.suffix(5).elementsEqual(".json".utf8) }
    }
    directories = directories.filter { current.contains($0.key) }
  }

  private mutating func refresh(
    _ path: FilePath, isRecord: ([UInt8]) -> Bool
  ) throws(StoreError) {
    let files = store.files
    let status = try storeIO { () throws(FileSystemError) in try files.statusIfPresent(path) }
    guard let status else {
      directories[path] = nil
      return
    }
    if let known = directories[path], known.status.isUnchanged(since: status),
      let lock = try? files.status(store.layout.lock),
      lock.modified.seconds(since: status.modified) > 2
    {
      return
    }
    var directory = Directory(status: status)
    let entries = try storeIO { () throws(FileSystemError) in
      try files.contents(ofDirectory: path)
    }
    for entry in entries {
      let file = path.appending(bytes: entry.name)
      if BystanderName.contains(entry.name) { continue }
      guard isRecord(entry.name) else {
        directory.foreign.append(file)
        continue
      }
      guard !excluded.contains(file) else { continue }
      let bytes: [UInt8]
      do throws(FileSystemError) {
        bytes = try files.readFile(file, limit: RecordFile.sizeLimit)
      } catch {
        // Another process moved it meanwhile; what it became is read elsewhere, under the lock at last.
        if error.condition == .notFound { continue }
        directory.unreadable.append(file)
        continue
      }
      if Self.isDamaged(bytes) { directory.unreadable.append(file) }
      directory.names.formUnion(Self.names(in: bytes))
    }
    directories[path] = directory
  }

  /// Whether a record is not what was written, so that the blobs that it names are not known.
  static func isDamaged(_ bytes: [UInt8]) -> Bool {
    do throws(RecordDamage) { return try RecordFile.decode(bytes).integrity != nil } catch {
      return true
    }
  }

  /// Every quoted string of 64 hexadecimal digits: a blob's name wherever it stands, also in fields
  /// of a newer version. The record's own checksum is one of them, and names no blob. Digits that are
  /// written as escapes (`\u0035`) count like others.
  static func names(in bytes: [UInt8]) -> Set<BlobName> {
    var names: Set<BlobName> = []
    let quote = UInt8(ascii: "\"")
    var start = 0
    while let open = bytes[start...].firstIndex(of: quote) {
      guard let close = bytes[(open + 1)...].firstIndex(of: quote) else { break }
      if close - open == 65, let name = BlobName(digits: bytes[(open + 1)..<close]) {
        names.insert(name)
      }
      start = close
    }
    if bytes.contains(UInt8(ascii: "\\")), let value = try? JSON.parseRecord(bytes) {
      names.formUnion(Self.names(in: value))
    }
    return names
  }

  private static func names(in value: JSON) -> Set<BlobName> {
    switch value {
    case .string(let text): Set(BlobName(text).map { [$0] } ?? [])
    case .array(let values): values.reduce(into: []) { $0.formUnion(names(in: $1)) }
    case .object(let members):
      members.reduce(into: []) { names, member in
        names.formUnion([member.key].compactMap { BlobName($0) })
        names.formUnion(Self.names(in: member.value))
      }
    case .null, .bool, .integer, .number: []
    }
  }
}
