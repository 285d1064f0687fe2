/// The state of a carrier, compared with that of this machine.
package struct CarrierStatus: Sendable {
  /// The time at which the last sync with it ended, in Unix seconds; `nil` where none did.
  package var ended: Int64?
  /// The records of which it lacks something.
  package var unsent = 0
  /// The segments in it that were not taken in yet.
  package var untaken = 0
  /// The machines that published in it, in order, with the numbers of their segments.
  package var devices: [(device: SyncDevice, segments: Int)] = []
}

/// The outcome of a look at all that a carrier holds.
package struct CarrierVerification: Hashable, Sendable {
  package var segments = 0
  package var files = 0
  /// The files in it that are not what a machine of this store wrote.
  package var damaged: [CarrierName] = []
  package var newer: [CarrierName] = []
  /// The records of which a file is not there.
  package var lacking: Set<SyncSubject> = []

  package var isSound: Bool { damaged.isEmpty && lacking.isEmpty }
}

/// The segments and files that were put there again.
package struct CarrierMending: Hashable, Sendable {
  /// The damaged segments of this machine that gave way to a whole one.
  package var segments = 0
  package var files = 0

  package init(segments: Int = 0, files: Int = 0) {
    self.segments = segments
    self.files = files
  }
}

/// Looks at carriers, which change nothing in them, in the store or in the state.
extension SyncSession {
  /// Compares the store with what a carrier has.
  package mutating func status(
    of carrier: some Carrier
  ) throws(Fault) -> CarrierStatus {
    let listing = try carrier.list()
    let id = try header(of: carrier, listing).id
    // Nothing of this is kept.
    let kept = state
    defer { state = kept }
    let record = state.carrier(id)
    _ = try scan([:])
    var vectors: [SyncSubject: VersionVector] = [:]
    let knowledge = state.behind(id)
    for subject in knowledge.behind.keys { vectors[subject] = state.entry(subject)?.state.vector }
    var status = CarrierStatus()
    status.ended = record.ended
    status.unsent = knowledge.lacking { vectors[$0] }.count
    var actors: [ActorID: Int] = [:]
    for case .segment(let name) in listing.keys {
      actors[name.actor, default: 0] += 1
      if name.actor != actor, !record.read.contains(name) { status.untaken += 1 }
    }
    status.devices = actors.sorted { $0.key < $1.key }.map { (device($0.key), $0.value) }
    return status
  }

  /// The records for which something waits.
  package mutating func waiting() -> [SyncSubject] {
    state.rows.keys.filter { state.entry($0)?.waiting != nil }.sorted { $0.text < $1.text }
  }

  /// Forgets all that this machine knows: everything is compared again at the next sync.
  package mutating func reset() throws(Fault) {
    try state.erase()
  }

  /// Reads all segments of a carrier, and sees that the files are there that they name, and not cut off where
  /// this machine knows how long they are.
  ///
  /// - Parameter reads: whether the files are read too, and compared with their names.
  package mutating func verify(
    _ carrier: some Carrier, reads: Bool, progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> CarrierVerification {
    let listing = try carrier.list()
    let id = try header(of: carrier, listing).id
    defer { files.removeTree(incoming) }
    var outcome = CarrierVerification()
    if let size = listing[.identities], try !holdsIdentities(carrier, size) {
      outcome.damaged.append(.identities)
    }
    outcome.damaged += lostSegments(id, listing).map { .segment($0) }
    let states = try readAll(of: carrier, id, listing, &outcome)
    var blobs: [BlobName: Int64] = [:]
    for (subject, state) in states {
      guard let fields = shownFields(state, subject) else { continue }
      let named = self.blobs(of: subject, fields)
      for blob in named.keys where listing[keys.name(of: blob)] == nil {
        _ = outcome.lacking.insert(subject)
      }
      blobs.merge(named) { max($0, $1) }
    }
    var wanted = blobs.keys.filter { listing[keys.name(of: $0)] != nil }.sorted()
    outcome.files = wanted.count
    let least = try leastWriter()
    func limit(_ blob: BlobName) -> Int64 { least.mostSealed(of: blobs[blob] ?? 0) }
    let wrong = Set(
      wanted.filter { blob in
        let there = listing[keys.name(of: blob)] ?? 0
        guard there <= limit(blob) else { return true }
        let size = (try? files.statusIfPresent(store.layout.blob(blob)))?.size ?? 0
        guard there < least.sealedSize(of: size) else { return false }
        // It may be the one here that is not what it was.
        do { return try store.blobs.damage(of: blob) == nil } catch {
          return false
        }
      })
    outcome.damaged += wrong.sorted().map { keys.name(of: $0) }
    guard reads else { return outcome }
    wanted.removeAll { wrong.contains($0) }
    let total = wanted.reduce(Int64(0)) { $0.addingClamped(listing[keys.name(of: $1)] ?? 0) }
    var done: Int64 = 0
    for blob in wanted {
      let name = keys.name(of: blob)
      let path = incoming.appending(name.path)
      try? files.unlink(path)
      try carrier.get([CarrierFetch(name, limit: limit(blob))], into: incoming)
      if try !isWhole(path, blob) { outcome.damaged.append(name) }
      try? files.unlink(path)
      done = done.addingClamped(listing[name] ?? 0)
      progress(done, total)
    }
    return outcome
  }

  /// Puts again what a look found damaged or missing, as far as this machine has it: its own segments, and files.
  package mutating func mend(
    _ carrier: some Carrier, _ found: CarrierVerification,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> CarrierMending {
    var listing = try carrier.list()
    let id = try header(of: carrier, listing).id
    defer { files.removeTree(outgoing) }
    try requireOwnLast(id, listing)
    var own: Set<CarrierName> = []
    for name in found.damaged {
      switch name {
      // As one that was cut off: it is put anew where its bytes are here.
      case .blob where listing[name] != nil: listing[name] = 0
      case .segment(let segment) where segment.actor == actor: own.insert(name)
      default: break
      }
    }
    var report = SyncReport()
    try putFiles(
      of: state.rows.keys.sorted { $0.text < $1.text }, to: carrier, &listing, &report, progress)
    if !own.isEmpty {
      let earlier = ownSegments(listing)
      try putBase(to: carrier, id, &listing)
      try drop(earlier.map { .segment($0) }, from: carrier)
    }
    try keep()
    return CarrierMending(segments: own.count, files: report.sentFiles)
  }

  private func readAll(
    of carrier: some Carrier, _ id: String, _ listing: CarrierListing,
    _ outcome: inout CarrierVerification
  ) throws(Fault) -> [SyncSubject: RecordState] {
    var names: [SegmentName] = []
    for case .segment(let name) in listing.keys { names.append(name) }
    names.sort()
    outcome.segments = names.count
    var states: [SyncSubject: RecordState] = [:]
    try readSegments(
      names, from: carrier, id, listing,
      record: { states[$0, default: RecordState()].join($1) }
    ) { name, _, problem in
      switch problem {
      case nil: break
      case .newer: outcome.newer.append(.segment(name))
      case .damaged, .incomplete: outcome.damaged.append(.segment(name))
      }
    }
    return states
  }

  /// Whether the file of so many bytes from which another machine joins can be one, as far as that is seen
  /// without its key.
  private func holdsIdentities(
    _ carrier: some Carrier, _ size: Int64
  ) throws(Fault) -> Bool {
    guard size <= SealedStoreHeader.limit else { return false }
    let fetch = SealedStoreHeader.fetch
    let path = incoming.appending(CarrierName.identities.path)
    try? files.unlink(path)
    try carrier.get([fetch], into: incoming)
    defer { try? files.unlink(path) }
    do {
      return SealedStoreHeader.isWhole(try files.readFile(path, limit: SealedStoreHeader.limit))
    } catch {
      if error.condition == .notFound || error.condition == .fileTooLarge { return false }
      throw error
    }
  }

  /// Whether a file that was fetched holds a blob.
  private func isWhole(_ path: FilePath, _ blob: BlobName) throws(Fault) -> Bool {
    let file: FileDescriptor
    do {
      file = try files.open(path, .read)
    } catch {
      if error.condition == .notFound { return false }
      throw error
    }
    defer { try? files.close(file) }
    do {
      var sink = DigestingSink(NullSink())
      var reader = try AgeReader(FileSource(files, file), encoding: .binary)
      let key = try reader.unlock(with: keys.identities)
      _ = try reader.open(with: key, to: &sink)
      return BlobName(digest: sink.digest()) == blob
    } catch {
      switch error {
      case .source, .memory: throw .seal(error, path: "")
      default: return false
      }
    }
  }
}
