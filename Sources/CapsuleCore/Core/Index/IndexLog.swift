/// The log: what was learned since the base was written, appended entry by entry.
///
/// A head of 64 bytes names the base that it belongs to. An entry is its payload's count (4 bytes),
/// the payload's hash seeded with the base's id (8 bytes), and the payload. Bytes behind an entry
/// that is not whole are ignored: the directories it is about are found changed by their times.
enum IndexLog {
  static let magic: UInt64 = 0x676f_6c78_6564_6e69
  static let headCount = 64
  static let entryHead = 12

  /// Writers stop adding to a log that nobody folds into a base: to read all records anew costs no
  /// more memory, and little more time.
  static let limit: Int64 = 24 << 20

  /// The subject of an entry, by the first byte of its payload.
  enum Tag: UInt8 {
    /// A writer made or replaced a record: its row, and its cell.
    case upsert = 1
    /// A writer removed a record: its id.
    case remove = 2
    /// A reader brought a directory up to date; see ``IndexScan/Outcome``.
    case directory = 3
    /// A writer's changes, which stand before this, led from one state of a directory to another.
    case written = 4
  }

  static func head(base: UInt64, setup: IndexSetup) -> [UInt8] {
    var encoder = IndexEncoder()
    encoder.put(magic)
    encoder.put(IndexBase.version)
    encoder.put(setup.kind.indexNumber)
    encoder.put(setup.summaryVersion)
    encoder.put(UInt32(0))
    encoder.put(base)
    encoder.bytes += [UInt8](repeating: 0, count: headCount - 8 - encoder.bytes.count)
    encoder.put(IndexHash.hash(encoder.bytes))
    return encoder.bytes
  }

  /// Returns the id of the base that a log's head names; `nil` where it is no head of this kind.
  static func base(ofHead head: [UInt8], setup: IndexSetup) -> UInt64? {
    guard head.count >= headCount, var decoder = try? IndexDecoder(head, from: 24),
      let base = try? decoder.next(UInt64.self),
      head[..<headCount].elementsEqual(Self.head(base: base, setup: setup))
    else { return nil }
    return base
  }

  static func entry(_ payload: [UInt8], base: UInt64) -> [UInt8] {
    var encoder = IndexEncoder()
    encoder.bytes.reserveCapacity(payload.count + entryHead)
    encoder.put(UInt32(payload.count))
    encoder.put(IndexHash.hash(payload, seed: base))
    encoder.bytes += payload
    return encoder.bytes
  }

  static func payload(_ change: IndexChange) -> [UInt8] {
    var encoder = IndexEncoder()
    switch change {
    case .remove(let id):
      encoder.put(Tag.remove.rawValue)
      encoder.put(id)
    case .upsert(let entry, let stamp):
      encoder.put(Tag.upsert.rawValue)
      let row = IndexRow(
        id: entry.id, stamp: stamp ?? .unknown, isTrusted: stamp?.isFine ?? false,
        hasProblem: entry.problem != .none, digest: entry.digest)
      encoder.put(IndexItem(row: row, entry: entry))
    case .directory(let shard, let before, let after):
      encoder.put(Tag.written.rawValue)
      encoder.put(UInt16(shard))
      ShardState(of: before).append(to: &encoder)
      ShardState(of: after).append(to: &encoder)
    }
    return encoder.bytes
  }

  /// - Parameter token: the hash of the last entry about the directory in the log that this one adds to.
  static func payload(_ change: IndexScan.Outcome, token: UInt64) -> [UInt8] {
    var encoder = IndexEncoder()
    encoder.put(Tag.directory.rawValue)
    encoder.put(UInt16(change.number))
    encoder.put(token)
    change.state.append(to: &encoder)
    encoder.put(UInt32(change.strays.count))
    for name in change.strays { encoder.put(counted: name) }
    encoder.put(UInt32(change.removed.count))
    for id in change.removed { encoder.put(id) }
    encoder.put(UInt32(change.upserted.count))
    for item in change.upserted { encoder.put(item) }
    return encoder.bytes
  }
}

extension IndexEncoder {
  fileprivate mutating func put(_ item: IndexItem) {
    put(item.row)
    IndexEntryCoding.append(IndexCell(item.entry), to: &self)
  }
}

extension IndexDecoder {
  fileprivate mutating func item() throws(Malformed) -> IndexItem {
    let item = IndexItem(row: try row(), entry: try IndexEntryCoding.read(&self).entry)
    guard item.entry.id == item.row.id else { throw Malformed() }
    return item
  }
}

extension LoadedIndex {
  /// The outcome of reading a log.
  struct LogReading {
    /// Whether there is a log of the content's base. If there is none, it has to be begun anew.
    var isOwn = false
    /// Whether all of it was whole.
    var isWhole = true
    /// The size in bytes.
    var size = 0
  }

  /// Adds the entries of the base's log.
  mutating func readLog(_ setup: IndexSetup) -> LogReading {
    guard let base, let path = setup.log,
      let bytes = try? setup.files.readFile(path, limit: 2 * Int(IndexLog.limit)),
      IndexLog.base(ofHead: bytes, setup: setup) == base.id
    else { return LogReading() }
    let count = bytes.count
    var offset = IndexLog.headCount
    while offset < count {
      guard var head = try? IndexDecoder(bytes, from: offset),
        let size = try? Int(head.next(UInt32.self)), let hash = try? head.next(UInt64.self),
        size <= head.rest
      else { break }
      let start = offset + IndexLog.entryHead
      let found = bytes.withUnsafeBytes {
        IndexHash.hash(UnsafeRawBufferPointer(rebasing: $0[start..<start + size]), seed: base.id)
      }
      guard found == hash, var payload = try? IndexDecoder(bytes, from: start, count: size),
        (try? apply(&payload, hash: hash)) != nil
      else { break }
      offset = start + size
    }
    return LogReading(isOwn: true, isWhole: offset == count, size: count)
  }

  private mutating func apply(
    _ payload: inout IndexDecoder, hash: UInt64
  ) throws(Malformed) {
    switch IndexLog.Tag(rawValue: try payload.next()) {
    case .upsert:
      let item = try payload.item()
      overlay.set(item)
      noteWriter(item.row.id, hash)
    case .remove:
      let id = try payload.id()
      overlay.remove(id)
      noteWriter(id, hash)
    case .directory:
      try applyDirectory(&payload, hash: hash)
    case .written:
      let number = Int(try payload.next(UInt16.self))
      guard number < IndexShard.folder else { throw Malformed() }
      directories[number].noteWriter(from: try ShardState(&payload), to: try ShardState(&payload))
      tokens[number] = hash
    case nil:
      throw Malformed()
    }
  }

  /// A writer's change makes the directory count as changed, whatever its times: a file that a
  /// synchroniser brought a moment before the change would be hidden else. The record itself need
  /// not be read again.
  private mutating func noteWriter(_ id: RecordID, _ hash: UInt64) {
    directories[Int(id.shard)].isCurrent = false
    tokens[Int(id.shard)] = hash
  }

  private mutating func applyDirectory(
    _ payload: inout IndexDecoder, hash: UInt64
  ) throws(Malformed) {
    let number = Int(try payload.next(UInt16.self))
    guard number < IndexShard.count else { throw Malformed() }
    directories[number].forget()
    let token = try payload.next(UInt64.self)
    let state = try ShardState(&payload)
    var names: [[UInt8]] = []
    for _ in 0..<(try payload.next(UInt32.self)) { names.append(Array(try payload.counted())) }
    for _ in 0..<(try payload.next(UInt32.self)) { overlay.remove(try payload.id()) }
    for _ in 0..<(try payload.next(UInt32.self)) {
      overlay.set(try payload.item())
    }
    strays[number] = names
    // If the token does not fit, another change came between, and the sum of both was never read.
    if tokens[number] == token { directories[number] = state }
    tokens[number] = hash
  }
}
