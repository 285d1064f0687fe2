/// The files that records name, on their way to a carrier and from it.
extension SyncSession {
  /// The most files, and bytes, that are sealed before they are put.
  private static let batchCount = 64
  private static let batchBytes: Int64 = 64 << 20

  /// The files that a record of these members names, with the sizes that it says.
  func blobs(of subject: SyncSubject, _ fields: JSONObject) -> [BlobName: Int64] {
    guard let kind = subject.kind, let model = try? kind.model.init(fields: fields) else {
      return [:]
    }
    return Dictionary(model.sizedBlobs) { max($0, $1) }
  }

  func hasBlob(_ name: BlobName) -> Bool {
    (try? files.statusIfPresent(store.layout.blob(name)))?.kind == .regular
  }

  /// Puts the files that some records name and a carrier lacks.
  mutating func putFiles(
    of subjects: [SyncSubject], to carrier: some Carrier, _ listing: inout CarrierListing,
    _ report: inout SyncReport, _ progress: (Int64, Int64) -> Void
  ) throws(Fault) {
    var present: [(blob: BlobName, size: Int64)] = []
    var seen: Set<BlobName> = []
    for subject in subjects {
      guard let state = state.entry(subject)?.state, let fields = shownFields(state, subject)
      else { continue }
      for blob in blobs(of: subject, fields).keys where seen.insert(blob).inserted {
        guard let status = try? files.statusIfPresent(store.layout.blob(blob)),
          status.kind == .regular
        else { continue }
        present.append((blob, status.size))
      }
    }
    guard !present.isEmpty else { return }
    // One that is there and shorter than any can be was cut off.
    let least = try leastWriter()
    let wanted = present.filter { blob, size in
      listing[keys.name(of: blob)].map { $0 < least.sealedSize(of: size) } ?? true
    }.sorted { $0.blob < $1.blob }
    let total = wanted.reduce(Int64(0)) { $0.addingClamped($1.size) }
    var done: Int64 = 0
    var batch: [CarrierName] = []
    var bytes: Int64 = 0
    for (place, (blob, size)) in wanted.enumerated() {
      if let name = try stage(blob) {
        batch.append(name)
        bytes += size
      }
      let isLast = place == wanted.count - 1
      if batch.count >= Self.batchCount || bytes >= Self.batchBytes || isLast, !batch.isEmpty {
        try drop(batch.filter { listing[$0] != nil }, from: carrier)
        try carrier.put(batch, from: outgoing)
        for name in batch {
          let path = outgoing.appending(name.path)
          listing[name] = (try? files.status(path).size) ?? 0
          try? files.unlink(path)
        }
        report.sentFiles += batch.count
        report.sentBytes = report.sentBytes.addingClamped(bytes)
        done = done.addingClamped(bytes)
        progress(done, total)
        batch = []
        bytes = 0
      }
    }
  }

  /// A writer of files that are as small as any in a carrier can be: sealed to one recipient.
  func leastWriter() throws(Fault) -> AgeWriter {
    let blob = BlobName(digest: [UInt8](repeating: 0, count: SHA256.byteCount))
    do {
      return try AgeWriter(
        to: Array(keys.recipients.prefix(1)), random: keys.sealingSource(for: blob))
    } catch {
      throw .seal(error, path: "")
    }
  }

  /// Seals a blob into the outgoing directory.
  ///
  /// - Returns: its name there; `nil` where its bytes are not its own any more.
  private func stage(_ blob: BlobName) throws(Fault) -> CarrierName? {
    let name = keys.name(of: blob)
    let path = outgoing.appending(name.path)
    do {
      try files.createDirectories(path.parent)
      try? files.unlink(path)
      let source = try store.blobs.open(blob).file
      defer { try? files.close(source) }
      var hashing = HashingSource(FileSource(files, source))
      let target = try files.open(path, .createExclusive(mode: 0o600))
      do {
        var sink = FileSink(files, target)
        let writer = try AgeWriter(to: keys.recipients, random: keys.sealingSource(for: blob))
        _ = try writer.seal(from: &hashing, to: &sink)
      } catch {
        try? files.close(target)
        try? files.unlink(path)
        throw error
      }
      try files.close(target)
      // Damage is not handed on: the others wait for the file.
      guard BlobName(digest: hashing.digest()) == blob else {
        try? files.unlink(path)
        return nil
      }
      return name
    } catch let error as Fault {
      if error.code == .blobDamaged { return nil }
      throw error
    } catch {
      throw .stream(error)
    }
  }

  /// Fetches files that records name and the store lacks. One that is larger than its record says is not fetched,
  /// nor one that was found damaged before it is another one.
  ///
  /// - Parameter blobs: the files, with their sizes.
  /// - Returns: the files that came, whole and with the bytes that their names say.
  mutating func fetch(
    _ blobs: [BlobName: Int64], from carrier: some Carrier, _ id: String,
    _ listing: CarrierListing, _ report: inout SyncReport
  ) throws(Fault) -> [BlobName: StagedBlob] {
    let least = try leastWriter()
    var wanted: [(blob: BlobName, fetch: CarrierFetch)] = []
    for (blob, size) in blobs.sorted(by: { $0.key < $1.key }) {
      let name = keys.name(of: blob)
      let limit = least.mostSealed(of: size)
      guard let there = listing[name] else { continue }
      if there > limit || state.isKnownDamaged(name, in: id, listing) {
        if !report.damaged.contains(name) { report.damaged.append(name) }
      } else {
        wanted.append((blob, CarrierFetch(name, limit: limit)))
      }
    }
    guard !wanted.isEmpty else { return [:] }
    let begun = Set(
      wanted.map(\.fetch.name).filter {
        (try? files.statusIfPresent(incoming.appending($0.path))) != .some(nil)
      })
    try carrier.get(wanted.map(\.fetch), into: incoming)
    var staged: [BlobName: StagedBlob] = [:]
    var damaged: [CarrierName] = []
    for (blob, fetch) in wanted {
      let path = incoming.appending(fetch.name.path)
      defer { try? files.unlink(path) }
      do {
        var file = try open(path, as: blob)
        if file == nil, begun.contains(fetch.name) {
          // The part that an interrupted sync had got may have been of another file, or torn.
          try? files.unlink(path)
          try carrier.get([fetch], into: incoming)
          file = try open(path, as: blob)
        }
        if let file {
          staged[blob] = file
        } else if try isThere(path) {
          damaged.append(fetch.name)
        }
      } catch {
        store.blobs.discard(Array(staged.values))
        throw error
      }
    }
    report.damaged += damaged
    state.noteDamaged(damaged, in: id, listing)
    return staged
  }

  /// Whether a file came at all: a carrier that went away brought none, and that is no damage.
  private func isThere(_ path: FilePath) throws(Fault) -> Bool {
    return try files.statusIfPresent(path) != nil
  }

  /// Opens a file that was fetched; `nil` where it is not there, or not what its name says.
  private func open(_ path: FilePath, as blob: BlobName) throws(Fault) -> StagedBlob? {
    let file: FileDescriptor
    do {
      file = try files.open(path, .read)
    } catch {
      if error.condition == .notFound { return nil }
      throw error
    }
    defer { try? files.close(file) }
    do {
      let staged = try store.blobs.stage { sink in
        var reader = try AgeReader(FileSource(files, file), encoding: .binary)
        let key = try reader.unlock(with: keys.identities)
        _ = try reader.open(with: key, to: &sink)
      }
      if staged.name == blob { return staged }
      store.blobs.discard([staged])
      return nil
    } catch let error as AgeFailure {
      switch error {
      case .source, .sink, .memory: throw .seal(error, path: "")
      default: return nil
      }
    } catch {
      throw .stream(error)
    }
  }
}

/// A source that hashes what is read from it.
private struct HashingSource<Source: ByteSource>: ByteSource {
  private var source: Source
  private var hash = SHA256()

  init(_ source: Source) {
    self.source = source
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try source.read(into: buffer)
    hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  func digest() -> [UInt8] {
    var hash = hash
    return hash.finalize()
  }
}

extension AgeWriter {
  /// The most bytes that all stanzas of a file besides the first may have: of five hundred recipients.
  private static let otherStanzas: Int64 = 1 << 16

  /// The most bytes of a file in a carrier that holds so many, whichever machine sealed it.
  func mostSealed(of count: Int64) -> Int64 {
    sealedSize(of: max(0, count)).addingClamped(Self.otherStanzas)
  }
}
