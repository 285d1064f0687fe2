/// Writes a base with all that an index holds.
struct IndexBaseWriter {
  /// The part of an entry that the tables after the cells need, by rank.
  private struct Entry {
    var id: RecordID
    var sortKey: Int64
    var due: Int64
    var nameHash: UInt64
    var offset: UInt64
  }

  private let setup: IndexSetup
  private let id: UInt64
  private var blocks: IndexBlockWriter
  private var extents: [IndexBase.Extent] = []
  private var entries: [Entry] = []
  private var digest: UInt64 = 0

  /// Writes to a file that is empty.
  ///
  /// - Throws: ``Malformed`` where what it is made from is damaged, a ``Fault`` of the file system.
  static func write(
    _ content: inout LoadedIndex, to file: FileDescriptor, id: UInt64, setup: IndexSetup
  ) throws {
    var writer = IndexBaseWriter(setup: setup, id: id, file: file)
    try writer.writeAll(&content)
  }

  private init(setup: IndexSetup, id: UInt64, file: FileDescriptor) {
    self.setup = setup
    self.id = id
    blocks = IndexBlockWriter(setup.files, file, id: id)
  }

  private mutating func writeAll(_ content: inout LoadedIndex) throws {
    try writeCells(&content)
    try table(entries) { encoder, entry in
      encoder.put(entry.sortKey)
      encoder.put(entry.offset)
    }
    try writeIDs(&content)
    let ranks = entries.indices
    let named = ranks.filter { entries[$0].nameHash != 0 }
      .sorted { (entries[$0].nameHash, $0) < (entries[$1].nameHash, $1) }
    try table(named) { [entries] encoder, rank in
      encoder.put(entries[rank].nameHash)
      encoder.put(UInt32(rank))
    }
    let due = ranks.filter { entries[$0].due != .max }
      .sorted { (entries[$0].due, $0) < (entries[$1].due, $1) }
    try table(due) { [entries] encoder, rank in
      encoder.put(entries[rank].due)
      encoder.put(UInt32(rank))
    }
    try table(try content.problems()) { encoder, id in encoder.put(id) }
    try writeStrays(try content.allStrays())
    try table(content.directories) { encoder, state in encoder.put(state) }
    try writeHead()
  }

  private mutating func begin(_ count: Int) throws {
    try blocks.pad()
    extents.append(IndexBase.Extent(block: blocks.block, count: count))
  }

  private mutating func table<Row>(
    _ rows: [Row], _ encode: (inout IndexEncoder, Row) throws -> Void
  ) throws {
    try begin(rows.count)
    var encoder = IndexEncoder()
    for row in rows {
      encoder.bytes.removeAll(keepingCapacity: true)
      try encode(&encoder, row)
      try blocks.write(row: encoder.bytes)
    }
  }

  private mutating func writeCells(_ content: inout LoadedIndex) throws {
    try begin(0)
    var walk = try IndexWalk(.ascending, from: .end, of: &content)
    var offset: UInt64 = 0
    var cell: [UInt8] = []
    entries.reserveCapacity((content.base?.count ?? 0) + content.overlay.items.count)
    while let entry = try walk.next(&content) {
      cell.removeAll(keepingCapacity: true)
      IndexEntryCoding.append(entry, to: &cell)
      try blocks.write(cell[...])
      entries.append(
        Entry(
          id: entry.id, sortKey: entry.sortKey, due: entry.due, nameHash: entry.nameHash,
          offset: offset))
      offset += UInt64(cell.count)
    }
    extents[0].count = Int(offset)
  }

  /// The rows of the base and the overlay's, merged by id.
  private mutating func writeIDs(_ content: inout LoadedIndex) throws {
    let ranks = entries.indices.sorted { entries[$0].id < entries[$1].id }
    try begin(ranks.count)
    var base = IndexRowWalk(content.base)
    var encoder = IndexEncoder()
    for rank in ranks {
      let id = entries[rank].id
      let row: IndexRow
      if let item = content.overlay.item(id) {
        row = item.row
      } else if let found = try base.advance(to: id) {
        row = found
      } else {
        throw Malformed()
      }
      digest &+= row.digest
      encoder.bytes.removeAll(keepingCapacity: true)
      encoder.put(row)
      encoder.put(UInt32(rank))
      try blocks.write(row: encoder.bytes)
    }
  }

  private mutating func writeStrays(_ strays: [Int: [[UInt8]]]) throws {
    var encoder = IndexEncoder()
    for (number, names) in strays.sorted(by: { $0.key < $1.key }) {
      for name in names {
        encoder.put(UInt16(number))
        encoder.put(counted: name)
      }
    }
    try begin(encoder.bytes.count)
    try blocks.write(encoder.bytes[...])
  }

  private mutating func writeHead() throws {
    try blocks.pad()
    var head = IndexEncoder()
    head.put(IndexBase.magic)
    head.put(IndexBase.version)
    head.put(id)
    head.put(setup.summaryVersion)
    head.put(setup.kind.indexNumber)
    head.put(digest)
    for extent in extents {
      head.put(UInt64(extent.block))
      head.put(UInt64(extent.count))
    }
    try blocks.write(head.bytes[...])
    try blocks.finish()
  }
}

/// A walk through the rows of a base, by id.
private struct IndexRowWalk {
  private static let batch = 2048

  private let base: IndexBase?
  private var next = 0
  private var decoder: IndexDecoder?

  init(_ base: IndexBase?) {
    self.base = base
  }

  /// Returns the row of an id that is not lower than those asked for before.
  mutating func advance(to id: RecordID) throws(Malformed) -> IndexRow? {
    guard let base else { return nil }
    while true {
      if decoder?.rest ?? 0 == 0 {
        let end = min(next + Self.batch, base.count(.ids))
        if next == end { return nil }
        decoder = try IndexDecoder(try base.rows(.ids, next..<end))
        next = end
      }
      guard let row = try decoder?.row() else { return nil }
      _ = try decoder?.next(UInt32.self)
      if row.id == id { return row }
    }
  }
}

/// Writes a file of blocks from its start to its end.
struct IndexBlockWriter {
  private let files: any FileSystem
  private let file: FileDescriptor
  private let id: UInt64
  private var buffer: [UInt8] = []
  /// The number of bytes in the block that is being filled.
  private var filled = 0

  /// The number of whole blocks.
  private(set) var block = 0

  private static let chunk = 16 * IndexBlocks.size

  init(_ files: any FileSystem, _ file: FileDescriptor, id: UInt64) {
    self.files = files
    self.file = file
    self.id = id
    buffer.reserveCapacity(Self.chunk + IndexBlocks.size)
  }

  /// Appends bytes, across the borders of blocks.
  mutating func write(_ bytes: ArraySlice<UInt8>) throws(Fault) {
    var rest = bytes
    while !rest.isEmpty {
      let count = min(rest.count, IndexBlocks.payload - filled)
      buffer.append(contentsOf: rest.prefix(count))
      rest = rest.dropFirst(count)
      filled += count
      if filled == IndexBlocks.payload { try endBlock() }
    }
  }

  /// Appends a row that does not cross the border of a block.
  mutating func write(row: [UInt8]) throws(Fault) {
    if filled + row.count > IndexBlocks.payload { try pad() }
    try write(row[...])
  }

  /// Fills the block that was begun with zeros.
  mutating func pad() throws(Fault) {
    if filled == 0 { return }
    buffer.append(contentsOf: [UInt8](repeating: 0, count: IndexBlocks.payload - filled))
    try endBlock()
  }

  /// Writes what is left.
  mutating func finish() throws(Fault) {
    try pad()
    try flush()
  }

  private mutating func endBlock() throws(Fault) {
    let seed = IndexBlocks.seed(id: id, number: block)
    let hash = buffer.withUnsafeBytes { bytes in
      IndexHash.hash(
        UnsafeRawBufferPointer(rebasing: bytes.suffix(IndexBlocks.payload)), seed: seed)
    }
    withUnsafeBytes(of: hash.littleEndian) { buffer.append(contentsOf: $0) }
    block += 1
    filled = 0
    if buffer.count >= Self.chunk { try flush() }
  }

  private mutating func flush() throws(Fault) {
    try files.writeAll(file, buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
