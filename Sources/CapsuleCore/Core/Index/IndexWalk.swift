/// The knowledge beyond the base, in memory: entries that are new or other than there, and ids that
/// are gone.
struct IndexOverlay {
  /// One id. The cell lies in a chunk of bytes that may hold many.
  struct Item {
    var row: IndexRow
    var sortKey: Int64 = .max
    var madeAt: Int64 = 0
    var due: Int64 = .max
    var nameHash: UInt64 = 0
    var isRemoved = false
    var chunk: Int32 = 0
    var offset: Int32 = 0
    var count: Int32 = 0

    var id: RecordID { row.id }
    var key: IndexKey { IndexKey(sortKey: sortKey, madeAt: madeAt, id: row.id) }
  }

  private(set) var items: [Item] = []
  private var positions: [RecordID: Int32] = [:]
  private var chunks: [[UInt8]] = []
  private var order: [Int32]?

  var isEmpty: Bool { items.isEmpty }

  func contains(_ id: RecordID) -> Bool {
    positions[id] != nil
  }

  /// Returns what is known of an id; `nil` where the base has the say.
  func item(_ id: RecordID) -> Item? {
    positions[id].map { items[Int($0)] }
  }

  mutating func reserve(_ count: Int) {
    items.makeRoom(for: count)
    positions.reserveCapacity(positions.count + count)
  }

  /// Keeps bytes that hold cells.
  ///
  /// - Returns: the chunk's number, for the items that lie in it.
  mutating func keep(_ bytes: [UInt8]) -> Int32 {
    chunks.append(bytes)
    return Int32(chunks.count - 1)
  }

  mutating func set(_ item: Item) {
    order = nil
    if let position = positions[item.id] {
      items[Int(position)] = item
    } else {
      positions[item.id] = Int32(items.count)
      items.append(item)
    }
  }

  mutating func remove(_ id: RecordID) {
    var item = Item(
      row: IndexRow(id: id, stamp: .unknown, isTrusted: false, hasProblem: false, digest: 0))
    item.isRemoved = true
    set(item)
  }

  func cell(_ item: Item) -> ArraySlice<UInt8> {
    chunks[Int(item.chunk)][Int(item.offset)..<Int(item.offset) + Int(item.count)]
  }

  func entry(_ item: Item) throws(Malformed) -> IndexEntry {
    var decoder = try IndexDecoder(
      chunks[Int(item.chunk)], from: Int(item.offset), count: Int(item.count))
    return try IndexEntryCoding.read(&decoder)
  }

  /// Returns the positions of the items that are not removed, in order.
  mutating func sorted() -> [Int32] {
    if let order { return order }
    var sorted: [Int32] = []
    sorted.reserveCapacity(items.count)
    for (position, item) in items.enumerated() where !item.isRemoved {
      sorted.append(Int32(position))
    }
    sorted.sort { items[Int($0)].key < items[Int($1)].key }
    order = sorted
    return sorted
  }
}

/// A walk through the entries in order: those of the base and the overlay's, merged.
struct IndexWalk {
  /// The place where a walk begins.
  enum Start {
    case end
    /// The walk begins at a sort key, its own entries included.
    case at(Int64)
    /// The walk begins behind an entry.
    case past(IndexKey)
  }

  private static let firstBatch = 64
  // What is read at once mostly takes less than what the system is asked for anew each time, 128 KiB.
  private static let lastBatch = 512
  private static let batchBytes = 1 << 20

  private let order: RecordIndex.Order
  /// The ranks of the base that are still to be read.
  private var ranks: Range<Int>
  private var batch: [IndexEntry] = []
  private var batchPosition = 0
  private var batchCount = firstBatch
  /// The overlay's items that are still to be given, in the order of the walk.
  private var overlaid: ArraySlice<Int32>

  init(
    _ order: RecordIndex.Order, from start: Start, of content: inout LoadedIndex
  ) throws(Malformed) {
    self.order = order
    let items = content.overlay.items
    let sorted = content.overlay.sorted()
    let count = content.base?.count ?? 0
    switch (start, order) {
    case (.end, _):
      ranks = 0..<count
      overlaid = sorted[...]
    case (.at(let key), .ascending):
      ranks = (try content.base?.rank(ofSortKey: key) ?? 0)..<count
      overlaid = sorted[sorted.firstSorted { items[Int($0)].sortKey >= key }...]
    case (.at(let key), .descending):
      let end = key == .max ? count : try content.base?.rank(ofSortKey: key + 1) ?? 0
      ranks = 0..<end
      overlaid = sorted[..<sorted.firstSorted { items[Int($0)].sortKey > key }]
    case (.past(let key), .ascending):
      var rank = try content.base?.rank(of: key) ?? 0
      if rank < count, try content.base?.entry(rank: rank).id == key.id { rank += 1 }
      ranks = rank..<count
      overlaid = sorted[sorted.firstSorted { items[Int($0)].key > key }...]
    case (.past(let key), .descending):
      ranks = 0..<(try content.base?.rank(of: key) ?? 0)
      overlaid = sorted[..<sorted.firstSorted { items[Int($0)].key >= key }]
    }
  }

  /// Returns the next entry, `nil` behind the last.
  mutating func next(_ content: inout LoadedIndex) throws(Malformed) -> IndexEntry? {
    while batchPosition == batch.count, !ranks.isEmpty { try fill(&content) }
    let isAscending = order == .ascending
    let position = isAscending ? overlaid.first : overlaid.last
    guard let position else { return takeFromBatch() }
    let item = content.overlay.items[Int(position)]
    if batchPosition < batch.count {
      let first = batch[batchPosition].key
      if isAscending ? first < item.key : first > item.key { return takeFromBatch() }
    }
    overlaid = isAscending ? overlaid.dropFirst() : overlaid.dropLast()
    return try content.overlay.entry(item)
  }

  private mutating func takeFromBatch() -> IndexEntry? {
    if batchPosition == batch.count { return nil }
    batchPosition += 1
    return batch[batchPosition - 1]
  }

  private mutating func fill(_ content: inout LoadedIndex) throws(Malformed) {
    guard content.base != nil else { throw Malformed() }
    var count = min(batchCount, ranks.count)
    // Summaries may be large; what is held at once is bounded.
    var part = part(count)
    while count > 1, try content.base?.cellBytes(ranks: part) ?? 0 > Self.batchBytes {
      count /= 2
      part = self.part(count)
    }
    batchCount = min(batchCount * 2, Self.lastBatch)
    batch = try content.base?.entries(ranks: part) ?? []
    ranks =
      order == .ascending
      ? part.upperBound..<ranks.upperBound : ranks.lowerBound..<part.lowerBound
    if !content.overlay.isEmpty { batch.removeAll { content.overlay.contains($0.id) } }
    if order == .descending { batch.reverse() }
    batchPosition = 0
  }

  private func part(_ count: Int) -> Range<Int> {
    order == .ascending
      ? ranks.lowerBound..<ranks.lowerBound + count : ranks.upperBound - count..<ranks.upperBound
  }
}

extension IndexEntry {
  var key: IndexKey { IndexKey(sortKey: sortKey, madeAt: madeAt, id: id) }
}

extension Array {
  /// Returns the first position for whose element, and all behind it, the test holds.
  fileprivate func firstSorted(where holds: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Reads a shard's directory, and those of its records whose files are not as they were.
struct IndexScan: Sendable {
  let setup: IndexSetup
  let now: Instant

  /// A directory that has to be read.
  struct Task: Sendable {
    var shard: UInt8
    /// The status of the directory before it is read.
    var status: FileStatus
    /// The known rows of its records, by id.
    var known: [IndexRow]
    /// Whether names and inode numbers tell what changed; see ``ShardState/wasRead(at:)``.
    var isRelisted: Bool
  }

  /// The outcome of reading it.
  struct Outcome: Sendable {
    var shard: UInt8
    var state: ShardState
    var strays: [[UInt8]] = []
    /// The ids that were known and are gone.
    var removed: [RecordID] = []
    /// The rows that are new or other, with their places in ``cells``.
    var upserted: [IndexOverlay.Item] = []
    var cells: [UInt8] = []
    var failure: Fault?
  }

  func run(_ task: Task) -> Outcome {
    var outcome = Outcome(shard: task.shard, state: ShardState(task.status, now: now))
    let directory = setup.directory(shard: task.shard)
    let known = task.known
    var isThere = [Bool](repeating: false, count: known.count)
    do {
      try setup.files.forEachStatus(
        inDirectory: directory,
        unless: { name, inode in
          guard task.isRelisted, let id = RecordID(fileName: name),
            let position = known.position(of: id), known[position].isFile(inode)
          else { return false }
          isThere[position] = true
          return true
        },
        { name, status in
          guard let id = RecordID(fileName: name), id.shard == task.shard else {
            if name.first != UInt8(ascii: ".") { outcome.strays.append(Array(name)) }
            return
          }
          let position = known.position(of: id)
          let row = position.map { known[$0] }
          let isRecord = look(at: id, status, in: directory, row, &outcome)
          if let position { isThere[position] = isRecord }
        })
    } catch {
      // A directory that went away meanwhile is as good as empty, and looked for again next time.
      if error.condition != .notFound { outcome.failure = error }
      outcome.state.forget()
    }
    outcome.removed = known.indices.filter { !isThere[$0] }.map { known[$0].id }
    outcome.strays.sort { $0.lexicographicallyPrecedes($1) }
    return outcome
  }

  /// Brings one record up to date.
  ///
  /// - Returns: `false` where it is not there after all.
  private func look(
    at id: RecordID, _ status: Result<FileStatus, Fault>, in directory: FilePath,
    _ known: IndexRow?, _ outcome: inout Outcome
  ) -> Bool {
    var reading: Reading
    do {
      let status = try status.get()
      if let known, known.isTrusted, known.stamp == FileStamp(status) { return true }
      reading = try read(directory.appending(bytes: id.fileName), id, status)
    } catch {
      outcome.state.isCurrent = false
      if error.condition == .notFound { return false }
      reading = Reading(entry: IndexEntry(id: id, problem: .unreadable), stamp: nil)
    }
    reading.entry.id = id
    let isTrusted = reading.stamp?.isSettled(at: now) ?? false
    if !isTrusted { outcome.state.isCurrent = false }
    let start = outcome.cells.count
    IndexEntryCoding.append(reading.entry, to: &outcome.cells)
    let digest = outcome.cells.withUnsafeBytes {
      IndexHash.hash(UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
    let row = IndexRow(
      id: id, stamp: reading.stamp ?? .unknown, isTrusted: isTrusted,
      hasProblem: reading.entry.problem != .none, digest: digest)
    if row == known {
      outcome.cells.removeLast(outcome.cells.count - start)
      return true
    }
    outcome.upserted.append(
      IndexOverlay.Item(
        row: row, entry: reading.entry, chunk: 0, offset: start,
        count: outcome.cells.count - start))
    return true
  }

  /// An entry as it was read; without a stamp where it may be otherwise at the next try.
  private struct Reading {
    var entry: IndexEntry
    var stamp: FileStamp?
  }

  private func read(
    _ path: FilePath, _ id: RecordID, _ status: FileStatus
  ) throws(Fault) -> Reading {
    if status.kind != .regular {
      return Reading(
        entry: IndexEntry(id: id, problem: .notRegularFile), stamp: FileStamp(status))
    }
    let file = try setup.files.open(path, .read)
    defer { try? setup.files.close(file) }
    // The file may be another than the one looked at; its stamp is from before it is read.
    let opened = try setup.files.status(file)
    let stamp = FileStamp(opened)
    let tooLarge = Reading(entry: IndexEntry(id: id, problem: .tooLarge), stamp: stamp)
    if opened.size > Int64(setup.recordLimit) { return tooLarge }
    do {
      let bytes = try setup.files.readAll(
        file, limit: setup.recordLimit, expecting: Int(opened.size))
      return Reading(entry: setup.summarize(id, bytes), stamp: stamp)
    } catch {
      if error.condition == .fileTooLarge { return tooLarge }
      throw error
    }
  }
}

/// The files of records that are looked at in turn: how many, and the row from which on.
struct IndexTurn {
  /// The most files for each minute that has passed, of those that are looked at once a minute.
  private static let most = 16
  /// The part of them that is looked at however little time has passed.
  private static let least = 4

  let first: Int
  let count: Int

  /// Takes the turn that is next in a round of rows, and keeps where the one behind it begins, so that
  /// each row has its turn.
  ///
  /// A place that cannot be kept would come again: then it is one that the time gives.
  ///
  /// - Parameters:
  ///   - perMinute: the number of files for each minute since the last turn; not fewer than a quarter of
  ///     it, nor more than 16 times as many.
  ///   - rows: the number of rows, at least one.
  static func take(
    _ perMinute: Int, of rows: Int, now: Instant, _ setup: IndexSetup
  ) -> IndexTurn {
    let hash = IndexHash.hash(withUnsafeBytes(of: now.seconds.littleEndian) { Array($0) })
    let any = IndexTurn(first: Int(hash % UInt64(rows)), count: perMinute)
    guard let path = setup.turn else { return any }
    let turn = try? setup.files.withFile(
      path, .readWriteCreate(mode: IndexPersistence.mode)
    ) { file throws(Fault) in
      var words: (place: UInt64, seconds: Int64) = (0, 0)
      let size = try withUnsafeMutableBytes(of: &words) { bytes throws(Fault) in
        try setup.files.read(file, at: 0, into: bytes)
      }
      let last = Kept(
        place: UInt64(littleEndian: words.place),
        at: Instant(seconds: Int64(littleEndian: words.seconds)))
      let turn = size == Kept.byteCount ? last.next(perMinute, of: rows, now) : any
      let kept = Kept(place: UInt64((turn.first + turn.count) % rows), at: now)
      try setup.files.writeAll(file, kept.bytes, at: 0)
      return turn
    }
    return turn ?? any
  }

  /// What is kept of a turn: the place behind it, and its time.
  private struct Kept {
    static let byteCount = 16

    let place: UInt64
    let at: Instant

    var bytes: [UInt8] {
      var encoder = IndexEncoder()
      encoder.put(place)
      encoder.put(at.seconds)
      return encoder.bytes
    }

    func next(_ perMinute: Int, of rows: Int, _ now: Instant) -> IndexTurn {
      let first = Int(place % UInt64(rows))
      let passed = now.seconds.subtractingClamped(at.seconds)
      // Of a clock that was turned back it is not known how much time has passed.
      guard passed >= 0 else { return IndexTurn(first: first, count: perMinute) }
      let due = Int(min(passed, 60 * Int64(IndexTurn.most))) * perMinute / 60
      return IndexTurn(first: first, count: max(due, perMinute / IndexTurn.least))
    }
  }
}

/// A walk through the entries that fall due, by time: those of the base and the overlay's, merged.
struct IndexDueWalk {
  private static let firstBatch = 64
  private static let lastBatch = 1024

  /// The positions of the base that are still to be read.
  private var positions: Range<Int>
  private var batch: ArraySlice<IndexEntry> = []
  private var batchCount = firstBatch
  /// The overlay's items that are still to be given, in order.
  private var overlaid: ArraySlice<IndexOverlay.Item>
  /// The only ranks of the base that are given; all if `nil`.
  private var wanted: Range<Int>?

  /// - Parameters:
  ///   - sorted: only entries whose sort key is in it are given; all if `nil`.
  ///   - key: the key of the entry that was given last, where the walk goes on from another.
  init(
    after start: Int64, through end: Int64, sorted: Range<Int64>?, past key: IndexDueKey?,
    of content: inout LoadedIndex
  ) throws(Malformed) {
    // Ranks stand in the order of the sort keys: what is left out is not read.
    if let sorted, let first = try content.base?.rank(ofSortKey: sorted.lowerBound),
      let last = try content.base?.rank(ofSortKey: sorted.upperBound)
    {
      wanted = first..<max(first, last)
    }
    positions = try content.base?.positions(dueAfter: start, through: end) ?? 0..<0
    if let key, let first = try content.base?.position(pastDue: key) {
      positions = min(max(first, positions.lowerBound), positions.upperBound)..<positions.upperBound
    }
    overlaid =
      content.overlay.items.filter { item in
        guard !item.isRemoved, item.due != .max, item.due > start, item.due <= end,
          sorted?.contains(item.sortKey) ?? true
        else { return false }
        return key.map { $0 < item.dueKey } ?? true
      }.sorted { $0.dueKey < $1.dueKey }[...]
  }

  /// Returns the next entry, `nil` behind the last.
  mutating func next(_ content: inout LoadedIndex) throws(Malformed) -> IndexEntry? {
    while batch.isEmpty, !positions.isEmpty {
      let part = positions.prefix(batchCount)
      batchCount = min(batchCount * 2, Self.lastBatch)
      var ranks = try content.base?.ranks(duePositions: part) ?? []
      if let wanted { ranks.removeAll { !wanted.contains($0) } }
      batch = try content.entries(ranks: ranks).sorted { $0.dueKey < $1.dueKey }[...]
      positions = part.upperBound..<positions.upperBound
    }
    guard let item = overlaid.first else { return batch.popFirst() }
    if let first = batch.first, first.dueKey < item.dueKey { return batch.popFirst() }
    overlaid.removeFirst()
    return try content.overlay.entry(item)
  }
}

/// The place of an entry among those that fall due.
struct IndexDueKey: Comparable, Sendable {
  var due: Int64
  var key: IndexKey

  static func < (left: IndexDueKey, right: IndexDueKey) -> Bool {
    left.due == right.due ? left.key < right.key : left.due < right.due
  }
}

extension IndexEntry {
  var dueKey: IndexDueKey { IndexDueKey(due: due, key: key) }
}

extension IndexOverlay.Item {
  fileprivate var dueKey: IndexDueKey { IndexDueKey(due: due, key: key) }
}
