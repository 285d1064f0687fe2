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
    guard let base, let path = setup.log, let file = try? IndexFile(path, in: setup.files),
      let count = Int(exactly: file.size), count >= IndexLog.headCount,
      count <= Int(IndexLog.limit) * 2, let bytes = try? file.read(at: 0, count: count),
      IndexLog.base(ofHead: bytes, setup: setup) == base.id
    else { return LogReading() }
    let chunk = overlay.keep(bytes)
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
        (try? apply(&payload, hash: hash, chunk: chunk)) != nil
      else { break }
      offset = start + size
    }
    return LogReading(isOwn: true, isWhole: offset == count, size: count)
  }

  private mutating func apply(
    _ payload: inout IndexDecoder, hash: UInt64, chunk: Int32
  ) throws(IndexDamage) {
    switch IndexLog.Tag(rawValue: try payload.next()) {
    case .upsert:
      let item = try item(&payload, chunk: chunk)
      overlay.set(item)
      noteWriter(item.id, hash)
    case .remove:
      let id = try payload.id()
      overlay.remove(id)
      noteWriter(id, hash)
    case .directory:
      try applyDirectory(&payload, hash: hash, chunk: chunk)
    case .written:
      let number = Int(try payload.next(UInt16.self))
      guard number < IndexShard.folder else { throw IndexDamage() }
      directories[number].noteWriter(from: try payload.shardState(), to: try payload.shardState())
      tokens[number] = hash
    case nil:
      throw IndexDamage()
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
    _ payload: inout IndexDecoder, hash: UInt64, chunk: Int32
  ) throws(IndexDamage) {
    let number = Int(try payload.next(UInt16.self))
    guard number < IndexShard.count else { throw IndexDamage() }
    directories[number].forget()
    let token = try payload.next(UInt64.self)
    let state = try payload.shardState()
    var names: [[UInt8]] = []
    for _ in 0..<(try payload.next(UInt32.self)) { names.append(Array(try payload.counted())) }
    for _ in 0..<(try payload.next(UInt32.self)) { overlay.remove(try payload.id()) }
    for _ in 0..<(try payload.next(UInt32.self)) {
      overlay.set(try item(&payload, chunk: chunk))
    }
    strays[number] = names
    // If the token does not fit, another change came between, and the sum of both was never read.
    if tokens[number] == token { directories[number] = state }
    tokens[number] = hash
  }

  private func item(
    _ payload: inout IndexDecoder, chunk: Int32
  ) throws(IndexDamage) -> IndexOverlay.Item {
    let row = try payload.row()
    let start = payload.offset
    let entry = try IndexEntryCoding.read(&payload)
    guard entry.id == row.id else { throw IndexDamage() }
    return IndexOverlay.Item(
      row: row, entry: entry, chunk: chunk, offset: start, count: payload.offset - start)
  }
}

extension IndexOverlay.Item {
  init(row: IndexRow, entry: IndexEntry, chunk: Int32, offset: Int, count: Int) {
    self.init(row: row)
    sortKey = entry.sortKey
    madeAt = entry.madeAt
    due = entry.due
    nameHash = entry.nameHash
    self.chunk = chunk
    self.offset = Int32(offset)
    self.count = Int32(count)
  }
}
