/// The log: what was learned since the base was written, appended to its file entry by entry.
///
/// An entry is its payload's count (4 bytes), the payload's hash seeded with the base's id (8 bytes), and
/// the payload. Bytes behind an entry that is not whole are ignored: the directories they are about are
/// found changed by their times.
enum IndexLog {
  static let entryHead = 12

  /// Writers stop adding to a log that nobody folds into a base: to read all records anew costs no
  /// more memory, and little more time.
  static let limit = 24 << 20

  /// What an entry says of a directory, by the first byte of its payload.
  enum Tag: UInt8 {
    /// A reader brought it up to date: the hash of the last entry about it in the log that this one adds
    /// to, and its state.
    case read = 1
    /// A writer changed records in it.
    case written = 2
    /// A writer's changes, which stand before this, led from one state to another.
    case led = 3
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
    switch change {
    case .remove(let id): payload(.written, id.shard, removed: [id])
    case .upsert(let entry, let stamp):
      payload(
        .written, entry.id.shard,
        upserted: [
          IndexItem(
            row: IndexRow(entry, stamp, isTrusted: stamp?.isFine ?? false), entry: entry)
        ])
    case .directory(let shard, let before, let after):
      payload(.led, shard, from: ShardState(of: before), to: ShardState(of: after))
    }
  }

  /// - Parameter token: see ``Tag/read``.
  static func payload(_ change: IndexScan.Outcome, token: UInt64) -> [UInt8] {
    payload(
      .read, change.shard, token, to: change.state, removed: change.removed,
      upserted: change.upserted)
  }

  private static func payload(
    _ tag: Tag, _ shard: UInt8, _ token: UInt64 = 0, from before: ShardState = ShardState(),
    to after: ShardState = ShardState(), removed: [RecordID] = [], upserted: [IndexItem] = []
  ) -> [UInt8] {
    var encoder = IndexEncoder()
    encoder.put(tag.rawValue)
    encoder.put(shard)
    encoder.put(token)
    before.append(to: &encoder)
    after.append(to: &encoder)
    encoder.put(UInt32(removed.count))
    for id in removed { encoder.put(id) }
    for item in upserted {
      encoder.put(item.row)
      if let entry = item.entry { encoder.put(entry) }
    }
    return encoder.bytes
  }
}

extension LoadedIndex {
  /// Takes over the entries of a base's log.
  ///
  /// - Returns: whether all of it was whole.
  mutating func readLog(_ bytes: [UInt8], of base: UInt64) -> Bool {
    var offset = 0
    while offset < bytes.count {
      var head = IndexDecoder(bytes[offset...])
      guard let size = try? Int(head.next(UInt32.self)), let hash = try? head.next(UInt64.self),
        size <= head.rest
      else { break }
      let end = offset + IndexLog.entryHead + size
      let payload = bytes[end - size..<end]
      guard payload.withUnsafeBytes({ IndexHash.hash($0, seed: base) }) == hash,
        (try? apply(payload, hash: hash)) != nil
      else { break }
      offset = end
    }
    return offset == bytes.count
  }

  private mutating func apply(_ payload: ArraySlice<UInt8>, hash: UInt64) throws(Malformed) {
    var payload = IndexDecoder(payload)
    guard let tag = IndexLog.Tag(rawValue: try payload.next()) else { throw Malformed() }
    let number = Int(try payload.next(UInt8.self))
    let token = try payload.next(UInt64.self)
    let (before, after) = (try ShardState(&payload), try ShardState(&payload))
    switch tag {
    case .read:
      directories[number].forget()
      directories[number].strays = after.strays
      // If the token does not fit, another change came between, and the sum of both was never read.
      if tokens[number] == token { directories[number] = after }
    case .written:
      // The directory counts as changed, whatever its times: a file that a synchroniser brought a moment
      // before the change would be hidden else. The record itself need not be read again.
      directories[number].isCurrent = false
      directories[number].edition = hash
    case .led:
      directories[number].noteWriter(from: before, to: after)
    }
    tokens[number] = hash
    for _ in 0..<(try payload.next(UInt32.self)) { overlay.remove(try payload.id()) }
    while payload.rest > 0 {
      let (row, entry) = (try payload.row(), try payload.entry())
      guard entry.id == row.id else { throw Malformed() }
      overlay.set(IndexItem(row: row, entry: entry))
    }
  }
}
