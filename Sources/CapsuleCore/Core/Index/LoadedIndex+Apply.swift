extension LoadedIndex {
  /// The kind's folder as it was read.
  struct Listing {
    var state: ShardState
    var isListed = true
    /// The numbers for which something with a shard's name is there.
    var shards: [UInt8] = []
    var strays: [[UInt8]] = []

    init(
      _ setup: IndexSetup, _ status: FileStatus, _ now: Instant, _ refresh: inout Refresh
    ) {
      state = ShardState(status, now: now)
      do throws(FileSystemError) {
        for entry in try setup.files.contents(ofDirectory: setup.folder) {
          if let shard = Self.shard(entry.name) {
            shards.append(shard)
          } else if entry.name.first != UInt8(ascii: ".") {
            strays.append(entry.name)
          }
        }
        shards.sort()
      } catch {
        refresh.failures.append(error)
        isListed = false
        state.forget()
        shards = Array(UInt8.min...UInt8.max)
      }
    }

    private static func shard(_ name: [UInt8]) -> UInt8? {
      guard name.count == 2, let byte = Hex.decode(String(decoding: name, as: UTF8.self)),
        Array(Hex.encode(byte).utf8) == name
      else { return nil }
      return byte.first
    }
  }

  /// Takes over what was found in the kind's folder.
  mutating func apply(_ listing: Listing, _ refresh: inout Refresh) {
    let strays = listing.strays.sorted { $0.lexicographicallyPrecedes($1) }
    apply(
      number: IndexShard.folder, state: listing.state, strays: strays, removed: [], upserted: [],
      &refresh)
  }

  /// Takes over what was found in a shard.
  mutating func apply(_ outcome: IndexScan.Outcome, _ refresh: inout Refresh) {
    if let failure = outcome.failure { refresh.failures.append(failure) }
    if !outcome.upserted.isEmpty {
      let chunk = overlay.keep(outcome.cells)
      for var item in outcome.upserted {
        item.chunk = chunk
        overlay.set(item)
      }
    }
    for id in outcome.removed { overlay.remove(id) }
    apply(
      number: Int(outcome.shard), state: outcome.state, strays: outcome.strays,
      removed: outcome.removed, upserted: outcome.upserted.map(\.id), &refresh)
  }

  private mutating func apply(
    number: Int, state: ShardState, strays: [[UInt8]], removed: [RecordID],
    upserted: [RecordID], _ refresh: inout Refresh
  ) {
    // Names that are only in the base are not looked up for this.
    let known = self.strays[number] ?? (base?.count(.strays) ?? 0 == 0 ? [] : nil)
    let isNews =
      (state.isCurrent || state.isRead) && state != directories[number]
      || state.isPresent != directories[number].isPresent || strays != known
      || !removed.isEmpty || !upserted.isEmpty
    directories[number] = state
    self.strays[number] = strays
    guard isNews else { return }
    refresh.changes.append(
      IndexDirectoryChange(
        number: number, token: tokens[number], state: state, strays: strays, removed: removed,
        upserted: upserted))
  }
}
