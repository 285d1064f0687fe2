/// The records of one kind without reading them: sorted, found by id and name, and when what is due.
///
/// It is a cache. What it gives back is what reading every record would give; it differs only for a
/// record that was edited in place without its directory changing, which may show late.
package struct RecordIndex {
  /// The order of the sort keys; among equal ones that of the ids.
  package enum Order: Hashable, Sendable {
    case ascending, descending
  }

  private var sorted: [IndexEntry] = []
  private var strayPaths: [FilePath] = []

  /// What the file system refused while the index was brought up to date: directories that could
  /// not be listed, whose records are missing here.
  package private(set) var failures: [FileSystemError] = []

  /// Opens the index, brings it up to date with the store's directories, and keeps what it learned
  /// where it can.
  ///
  /// - Parameter now: The real time, taken before the call: a file or directory that changed less
  ///   than two seconds before it is looked at again next time.
  package static func open(_ place: IndexPlace, now: Instant) -> RecordIndex {
    var index = RecordIndex()
    index.scan(place)
    return index
  }

  /// Notes what a writer, who holds the store's lock, has just done. Its cost does not depend on how
  /// many records there are; a failure is no failure of the change.
  package static func append(_ change: IndexChange, to place: IndexPlace) {}

  private mutating func scan(_ place: IndexPlace) {
    for shard in UInt8.min...UInt8.max {
      let directory = place.directory(shard: shard)
      guard let names = try? place.files.contents(ofDirectory: directory) else { continue }
      for name in names {
        guard let id = RecordID(fileName: name.name), id.shard == shard else {
          strayPaths.append(directory.appending(bytes: name.name))
          continue
        }
        guard
          let bytes = try? place.files.readFile(
            directory.appending(bytes: name.name), limit: place.recordLimit)
        else {
          sorted.append(IndexEntry(id: id, problem: .unreadable))
          continue
        }
        sorted.append(place.summarize(id, bytes))
      }
    }
    sorted.sort { ($0.sortKey, $0.id) < ($1.sortKey, $1.id) }
  }
}

extension RecordIndex {
  /// How many records there are.
  package mutating func count() -> Int {
    sorted.count
  }

  /// Tells whether anything changed since an earlier opening.
  package mutating func stamp() -> IndexStamp {
    IndexStamp(count: sorted.count, digest: 0)
  }

  /// Hands over the entries in order, until `body` gives `false`.
  ///
  /// - Parameter start: The sort key to begin at, itself included; `nil` for the order's first.
  package mutating func forEach(
    _ order: Order, from start: Int64?, _ body: (IndexEntry) throws -> Bool
  ) rethrows {
    for entry in order == .ascending ? sorted : sorted.reversed() {
      if let start, order == .ascending ? entry.sortKey < start : entry.sortKey > start { continue }
      if try !body(entry) { return }
    }
  }

  /// The first entries in order.
  package mutating func entries(
    _ order: Order, from start: Int64? = nil, limit: Int
  ) -> [IndexEntry] {
    var found: [IndexEntry] = []
    if limit <= 0 { return found }
    forEach(order, from: start) { entry in
      found.append(entry)
      return found.count < limit
    }
    return found
  }

  /// The entry of one record.
  package mutating func entry(_ id: RecordID) -> IndexEntry? {
    sorted.first { $0.id == id }
  }

  /// The entries whose ids begin with these digits, by id.
  ///
  /// - Parameter prefix: At least one hexadecimal digit of either case; hyphens only where an id has
  ///   them. Anything else finds nothing.
  package mutating func entries(idPrefix prefix: String, limit: Int) -> [IndexEntry] {
    let found = sorted.filter { $0.id.description.hasPrefix(prefix.lowercased()) }
    return Array(found.sorted { $0.id < $1.id }.prefix(limit))
  }

  /// The entries with this hash of their name, by sort key.
  package mutating func entries(nameHash: UInt64) -> [IndexEntry] {
    sorted.filter { $0.nameHash == nameHash }
  }

  /// The entries that fall due in a span of time, by when they do and by sort key.
  package mutating func entries(dueAfter start: Int64, through end: Int64) -> [IndexEntry] {
    sorted.filter { $0.due != .max && $0.due > start && $0.due <= end }
      .sorted { ($0.due, $0.sortKey) < ($1.due, $1.sortKey) }
  }

  /// The entries with a problem, by id.
  package mutating func problems() -> [IndexEntry] {
    sorted.filter { $0.problem != .none }.sorted { $0.id < $1.id }
  }

  /// What lies among the records without being one, such as a synchroniser's conflict copies, by
  /// path; names that begin with a dot are not told.
  package mutating func strays() -> [FilePath] {
    strayPaths
  }
}
