/// The outcome of a removal of what nobody needs.
package struct CarrierPruning: Hashable, Sendable {
  /// The files that were removed, and their bytes.
  package var files = 0
  package var bytes: Int64 = 0
  /// The files that nobody needs, as far as is known, and that stay until each machine has published.
  package var marked = 0

  package init(files: Int = 0, bytes: Int64 = 0, marked: Int = 0) {
    self.files = files
    self.bytes = bytes
    self.marked = marked
  }
}

/// The removal of what is no longer needed in a carrier: files, and the segments of machines that are gone.
///
/// Nobody can stop another machine from naming a file at the moment in which it is removed. So a file is
/// removed only when it was found unneeded before, and each other machine has published since; and the machine that
/// removes it says so in its segments: another one that needs the file after all puts it there again.
extension SyncSession {
  /// The seconds for which a machine that publishes nothing is waited for.
  private static let patience: Int64 = 30 * 86_400

  /// Removes files that no record needs.
  ///
  /// - Throws: `.remoteIncomplete` where something in the carrier was not taken in.
  package mutating func prune(_ carrier: some Carrier) throws(Fault) -> CarrierPruning {
    var (id, listing) = try listedWhole(carrier)
    let needed = try neededNames()
    var unneeded: [String: Int64] = [:]
    for case (.blob(let name), let size) in listing.sizes where !needed.contains(name) {
      unneeded[name] = size
    }
    let others = lastNumbers(listing)
    let known = state.carrier(id).unused
    let removable = unneeded.keys.filter { name in
      guard !others.isEmpty else { return true }
      guard let known, known.names.contains(name) else { return false }
      return now.seconds.subtractingClamped(known.since) >= Self.patience
        || others.allSatisfy { actor, number in number > known.actors[actor] ?? 0 }
    }
    var outcome = CarrierPruning()
    if !removable.isEmpty {
      // The removal is noted first, so that it is published even if it is interrupted.
      state.change(id) {
        $0.removed.formUnion(removable)
        $0.isRemovalUntold = true
      }
      try keep()
      try drop(removable.sorted().map { .blob($0) }, from: carrier)
      for name in removable {
        outcome.files += 1
        outcome.bytes = outcome.bytes.addingClamped(unneeded.removeValue(forKey: name) ?? 0)
        listing[.blob(name)] = nil
      }
      try announceRemoved(from: carrier, id, &listing)
    }
    outcome.marked = unneeded.count
    // The files that were found first are removed first; the rest is noted after that.
    let rest = Set(unneeded.keys)
    let noted = known?.names.intersection(rest) ?? []
    let today = now.seconds
    state.change(id) {
      if noted.isEmpty {
        $0.unused =
          rest.isEmpty
          ? nil : SyncState.CarrierRecord.Unused(names: rest, since: today, actors: others)
      } else {
        $0.unused?.names = noted
      }
    }
    try keep()
    return outcome
  }

  /// Removes the segments of a machine that is gone. Its changes are in a segment of this machine
  /// first.
  ///
  /// - Parameter damaged: the segments of it that can never be taken in.
  /// - Returns: the number of its segments; 0 where the carrier has none of it.
  /// - Throws: `.remoteIncomplete` where something in the carrier was not taken in.
  package mutating func forget(
    _ actor: ActorID, in carrier: some Carrier, damaged: [CarrierName] = []
  ) throws(Fault) -> Int {
    let own = Set(
      damaged.filter { if case .segment(let name) = $0 { name.actor == actor } else { false } })
    var (id, listing) = try listedWhole(carrier, but: own)
    let names = listing.keys.filter { name in
      if case .segment(let segment) = name { segment.actor == actor } else { false }
    }
    guard actor != self.actor, !names.isEmpty else { return 0 }
    try putBase(to: carrier, id, &listing)
    try drop(Array(names), from: carrier)
    state.change(id) { $0.read = $0.read.filter { $0.actor != actor } }
    try keep()
    return names.count
  }

  /// The machines that published in a carrier.
  package func actors(in carrier: some Carrier) throws(Fault) -> Set<ActorID> {
    let listing = try carrier.list()
    return Set(
      listing.keys.compactMap { if case .segment(let name) = $0 { name.actor } else { nil } })
  }

  /// Lists a carrier of which everything was taken in.
  private mutating func listedWhole(
    _ carrier: some Carrier, but damaged: Set<CarrierName> = []
  ) throws(Fault) -> (id: String, listing: CarrierListing) {
    let listing = try carrier.list()
    let id = try header(of: carrier, listing).id
    let read = state.carrier(id).read
    let isWhole = listing.keys.allSatisfy { name in
      guard case .segment(let segment) = name else { return true }
      return segment.actor == actor || read.contains(segment) || damaged.contains(name)
    }
    guard isWhole, waiting().isEmpty else { throw .incomplete }
    return (id, listing)
  }

  /// The greatest numbers of others' segments.
  private func lastNumbers(_ listing: CarrierListing) -> [ActorID: Int64] {
    var numbers: [ActorID: Int64] = [:]
    for case .segment(let name) in listing.keys where name.actor != actor {
      numbers[name.actor] = max(numbers[name.actor] ?? 0, name.number)
    }
    return numbers
  }

  /// The names in carriers of the files that records need: also those of values that are not shown, and of
  /// records that lie in the trash here.
  private mutating func neededNames() throws(Fault) -> Set<String> {
    var needed: Set<BlobName> = []
    needed = try BlobReferences(of: store, excluding: []).all
    for subject in state.rows.keys {
      guard let entry = state.entry(subject) else { throw .incomplete }
      guard entry.isShown else { continue }
      needed.formUnion(BlobReferences.names(in: entry.state.json.encoded(.compact)))
    }
    return Set(needed.map { keys.digits(of: $0) })
  }

  /// The records here that need files which another machine has removed from a carrier.
  mutating func subjects(
    thatNeed removed: Set<String>, in listing: CarrierListing
  ) -> [SyncSubject] {
    let gone = removed.filter { listing[.blob($0)] == nil }
    guard !gone.isEmpty else { return [] }
    return state.rows.keys.filter { subject in
      guard let entry = state.entry(subject), entry.isShown, entry.state.isAlive,
        let fields = shownFields(entry.state, subject)
      else { return false }
      return blobs(of: subject, fields).keys.contains { gone.contains(keys.digits(of: $0)) }
    }.sorted { $0.text < $1.text }
  }

  /// Says in a segment that files were removed.
  mutating func announce(removed: Set<String>, in carrier: some Carrier) throws(Fault) {
    var listing = try carrier.list()
    let id = try header(of: carrier, listing).id
    state.change(id) {
      $0.removed.formUnion(removed)
      $0.isRemovalUntold = true
    }
    try announceRemoved(from: carrier, id, &listing)
  }

  /// Puts a segment that says what was removed, where none does yet.
  mutating func announceRemoved(
    from carrier: some Carrier, _ id: String, _ listing: inout CarrierListing
  ) throws(Fault) {
    guard state.carrier(id).isRemovalUntold else { return }
    // A file that was put there again meanwhile does not count as removed.
    let there = listing
    state.change(id) { $0.removed = $0.removed.filter { there[.blob($0)] == nil } }
    try putSegment([], removed: state.carrier(id).removed, to: carrier, id, &listing)
    state.change(id) { $0.isRemovalUntold = false }
    try keep()
  }
}
