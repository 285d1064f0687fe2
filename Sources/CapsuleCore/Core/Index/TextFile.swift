/// The file of one kind's folded texts: an entry a record, by id, one behind the other; and a last block
/// that says what the file is.
///
/// An entry is a head of 48 bytes, the ids of the records that it names, and its text. It belongs to
/// one state of the record's file, whose stamp its head has as a hash.
enum TextFile {
  static let magic: UInt64 = 0x7478_6574_6c75_7370
  static let version: UInt32 = 1
  static let headCount = 48

  /// The head of an entry, and its place among the bytes that were read.
  struct Entry {
    var id: RecordID
    /// ``FileStamp/hash`` of the state that the text is of; 0 for none that could be relied on.
    var stampHash: UInt64
    var madeAt: Int64
    var titleCount: Int
    var linkCount: Int
    var textCount: Int
    /// The place where its head begins.
    var start = 0

    var textStart: Int { start + headCount + 16 * linkCount }
    var end: Int { textStart + textCount }
  }
}

extension FileStamp {
  /// A hash of the stamp that is never 0.
  var hash: UInt64 {
    // Without a buffer of bytes: there is one for each record of a store.
    let words = [
      UInt64(bitPattern: size), UInt64(bitPattern: modified.seconds),
      UInt64(bitPattern: modified.nanoseconds), UInt64(bitPattern: changed.seconds),
      UInt64(bitPattern: changed.nanoseconds),
    ]
    let hash = words.reduce(inode) { hash, word in
      let mixed = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
      return mixed ^ mixed >> 29
    }
    return max(1, hash)
  }
}

/// Reads a file of texts from its start to its end, a part at a time.
struct TextFileReader {
  private static let batch = 64

  private let blocks: IndexBlocks
  /// The bytes of the entries that were not read yet.
  private var left: Int
  private var nextBlock = 0
  private var buffer: [UInt8] = []
  private var position = 0

  init(_ path: FilePath, setup: IndexSetup, version: UInt32) throws(Malformed) {
    guard let file = try? IndexFile(path, in: setup.files), file.size >= Int64(IndexBlocks.size),
      file.size % Int64(IndexBlocks.size) == 0
    else { throw Malformed() }
    var blocks = IndexBlocks(file, id: 0)
    var head = try IndexDecoder(
      try file.read(at: file.size - Int64(IndexBlocks.size), count: IndexBlocks.size))
    guard try head.next(UInt64.self) == TextFile.magic,
      try head.next(UInt32.self) == TextFile.version
    else { throw Malformed() }
    blocks.id = try head.next()
    head = try IndexDecoder(try blocks.payloads(blocks.count - 1..<blocks.count), from: 20)
    guard try head.next(UInt32.self) == version,
      try head.next(UInt32.self) == setup.kind.indexNumber,
      let left = Int(exactly: try head.next(UInt64.self)),
      left <= (blocks.count - 1) * IndexBlocks.payload
    else { throw Malformed() }
    self.blocks = blocks
    self.left = left
  }

  /// Returns the next entry, which can be looked into until the next call; `nil` behind the last.
  mutating func next() throws(Malformed) -> TextFile.Entry? {
    if position == buffer.count, left == 0 { return nil }
    try fill(TextFile.headCount)
    var entry = try head()
    let (size, isTooMuch) = (TextFile.headCount + 16 * entry.linkCount)
      .addingReportingOverflow(entry.textCount)
    guard !isTooMuch, entry.titleCount <= entry.textCount else { throw Malformed() }
    try fill(size)
    entry.start = position
    position += size
    return entry
  }

  private func head() throws(Malformed) -> TextFile.Entry {
    var entry = TextFile.Entry(
      id: .zero, stampHash: 0, madeAt: 0, titleCount: 0, linkCount: 0, textCount: 0)
    var count: UInt64 = 0
    buffer.withUnsafeBytes { bytes in
      func load<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type) -> Number {
        Number(
          littleEndian: bytes.loadUnaligned(fromByteOffset: position + offset, as: type))
      }
      entry.id = RecordID(high: load(0, UInt64.self), low: load(8, UInt64.self))
      entry.stampHash = load(16, UInt64.self)
      entry.madeAt = load(24, Int64.self)
      entry.titleCount = Int(load(32, UInt32.self))
      entry.linkCount = Int(load(36, UInt32.self))
      count = load(40, UInt64.self)
    }
    guard let textCount = Int(exactly: count) else { throw Malformed() }
    entry.textCount = textCount
    return entry
  }

  /// Sees to it that so many bytes are there behind the position.
  private mutating func fill(_ count: Int) throws(Malformed) {
    if buffer.count - position >= count { return }
    guard count - (buffer.count - position) <= left else { throw Malformed() }
    buffer.removeFirst(position)
    position = 0
    while buffer.count < count {
      let end = min(nextBlock + Self.batch, blocks.count - 1)
      let payload = try blocks.payloads(nextBlock..<end)
      nextBlock = end
      buffer += payload.prefix(left)
      left -= min(left, payload.count)
    }
  }

  /// Hands over the text of the last entry.
  func withText<Value>(
    of entry: TextFile.Entry, _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    buffer.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[entry.textStart..<entry.end]))
    }
  }

  /// Returns the records that the last entry names.
  func links(of entry: TextFile.Entry) throws(Malformed) -> [RecordID] {
    if entry.linkCount == 0 { return [] }
    var decoder = try IndexDecoder(buffer, from: entry.start + TextFile.headCount)
    var links: [RecordID] = []
    for _ in 0..<entry.linkCount { links.append(try decoder.id()) }
    return links
  }

  /// Returns the bytes of the last entry.
  func bytes(of entry: TextFile.Entry) -> ArraySlice<UInt8> {
    buffer[entry.start..<entry.end]
  }
}

/// Writes a file of texts beside the one that is there, and puts it into its place when it is whole.
struct TextFileWriter {
  private let setup: IndexSetup
  private let version: UInt32
  private let target: FilePath
  private let temporary: FilePath
  private let file: FileDescriptor
  private let id: UInt64
  private var blocks: IndexBlockWriter
  private var count: UInt64 = 0
  private var isWhole = true

  /// `nil` where it cannot be written.
  init?(_ setup: IndexSetup, version: UInt32) {
    let place = IndexPersistence(setup: setup)
    guard let target = setup.texts, place.makeDirectory(), let id = place.randomNumber(),
      let number = place.randomNumber()
    else { return nil }
    temporary = place.temporaryPath(target, number)
    guard
      let file = try? setup.files.open(
        temporary, .createExclusive(mode: IndexPersistence.mode))
    else { return nil }
    self.setup = setup
    self.version = version
    self.target = target
    self.file = file
    self.id = id
    blocks = IndexBlockWriter(setup.files, file, id: id)
  }

  /// Appends an entry; they come by id.
  mutating func append(_ text: IndexText, _ id: RecordID, stampHash: UInt64) {
    var encoder = IndexEncoder()
    encoder.bytes.reserveCapacity(TextFile.headCount + 16 * text.links.count + text.bytes.count)
    encoder.put(id)
    encoder.put(stampHash)
    encoder.put(text.madeAt)
    encoder.put(UInt32(truncatingIfNeeded: text.titleCount))
    encoder.put(UInt32(truncatingIfNeeded: text.links.count))
    encoder.put(UInt64(text.bytes.count))
    for link in text.links { encoder.put(link) }
    encoder.bytes += text.bytes
    append(encoder.bytes[...])
  }

  /// Appends the bytes of an entry of another file.
  mutating func append(_ entry: ArraySlice<UInt8>) {
    guard isWhole else { return }
    count += UInt64(entry.count)
    do { try blocks.write(entry) } catch { isWhole = false }
  }

  /// Ends the file and puts it into its place.
  ///
  /// - Returns: whether it is there; if not, nothing of it is left.
  mutating func commit() -> Bool {
    do {
      try blocks.pad()
      var head = IndexEncoder()
      head.put(TextFile.magic)
      head.put(TextFile.version)
      head.put(id)
      head.put(version)
      head.put(setup.kind.indexNumber)
      head.put(count)
      try blocks.write(head.bytes[...])
      try blocks.finish()
    } catch {
      isWhole = false
    }
    guard isWhole else {
      abandon()
      return false
    }
    do {
      try setup.files.close(file)
      try setup.files.rename(temporary, to: target)
      return true
    } catch {
      try? setup.files.unlink(temporary)
      return false
    }
  }

  /// Leaves the file that is there as it is.
  func abandon() {
    try? setup.files.close(file)
    try? setup.files.unlink(temporary)
  }
}
