/// Records that wait in a file until the whole archive was read: there may be more than memory has room for.
final class RecordSpool {
  /// A record, and where its bytes are in the file.
  struct Entry {
    let kind: RecordKind
    let id: RecordID
    let deletedAt: Int64?
    fileprivate let offset: Int64
    fileprivate let count: Int
  }

  private let files: any FileSystem
  private let file: FileDescriptor
  private var size: Int64 = 0
  private(set) var entries: [Entry] = []

  /// Makes the file in a store's `tmp/`.
  init(in store: Store) throws(StoreError) {
    files = store.files
    let path = store.layout.temporary.appending(try store.environment.temporaryName())
    file = try storeIO { () throws(FileSystemError) in
      try store.files.open(path, .createExclusive(mode: 0o600))
    }
  }

  func add(_ record: ArchivedRecord) throws(StoreError) {
    try storeIO { () throws(FileSystemError) in
      try files.writeAll(file, record.bytes, at: size)
    }
    entries.append(
      Entry(
        kind: record.kind, id: record.id, deletedAt: record.deletedAt, offset: size,
        count: record.bytes.count))
    size += Int64(record.bytes.count)
  }

  func record(_ entry: Entry) throws(StoreError) -> ArchivedRecord {
    let bytes: [UInt8]
    do throws(FileSystemError) {
      bytes = try files.withFile(file.path, .read) { file throws(FileSystemError) in
        try files.chunk(file, at: entry.offset, count: entry.count)
      }
      guard bytes.count == entry.count else {
        throw FileSystemError(.read, file.path, code: FileSystemError.notRegularFile)
      }
    } catch {
      throw .io(error)
    }
    return ArchivedRecord(
      kind: entry.kind, id: entry.id, deletedAt: entry.deletedAt, bytes: bytes)
  }

  func remove() {
    try? files.close(file)
    try? files.unlink(file.path)
  }
}
