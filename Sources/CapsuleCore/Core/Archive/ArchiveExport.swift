/// The making of an archive: all of a store in one tar file, or some records with what they name.
///
/// The store is read without its lock: what changes meanwhile is in the archive as it was before or after.
/// A content always stands before the records that name it.
package struct ArchiveExport {
  private let store: Store
  private let now: Instant
  /// The facts that stand in `archive.json`.
  package let description: ArchiveDescription
  /// The bytes of the contents and records, about as many as the archive will have.
  package private(set) var byteCount: Int64 = 0
  /// The files that are not what was written, or cannot be read, in the store and therefore in the archive.
  package private(set) var problems: [ArchiveProblem] = []
  package private(set) var recordCount = 0
  package private(set) var blobCount = 0
  /// Capsules that only the store's own identity opens.
  package private(set) var honorCount = 0

  private var records: [(entry: ArchiveEntry, path: FilePath)] = []
  private var blobs: Set<BlobName> = []
  private var written: [ArchiveEntry: [UInt8]] = [:]
  /// The directories that were written, which are the owner's alone.
  private var directories: Set<String> = []
  /// The order of the files, for the list of digests.
  private var order: [ArchiveEntry] = []

  /// Looks at the store.
  ///
  /// - Parameter chosen: the records of a part; `nil` for all of the store.
  package init(
    of store: Store, _ chosen: [RecordReference]?, now: Instant
  ) throws(Fault) {
    self.store = store
    self.now = now
    var named: [RecordReference] = []
    if let chosen {
      let found = try Self.closure(of: chosen, in: store)
      named = found.missing
      records = found.there.map { (.record($0.kind, $0.id), store.layout.record($0.kind, $0.id)) }
    } else {
      (records, problems) = Self.all(in: store)
    }
    description = ArchiveDescription(
      store: store.header.id, createdAt: now, isWhole: chosen == nil, named: named.map(\.text))
    for (entry, path) in records {
      // What cannot be read is named when its turn to be written comes.
      guard let bytes = try? Self.bytes(at: path, store), let (kind, id) = entry.record else {
        continue
      }
      count(Int64(bytes.count), at: entry)
      blobs.formUnion(kind.examine(bytes, id: id).model?.blobs ?? [])
    }
    for name in blobs {
      count((try? store.files.status(store.layout.blob(name)).size) ?? 0, at: .blob(name))
    }
  }

  /// Writes the archive.
  ///
  /// - Returns: the sink, with all of it.
  package mutating func write<Sink: ByteSink>(to sink: Sink) throws -> Sink {
    var writer = PaxWriter(sink)
    try put(RecordFile.encode(description.fields), as: .description, mode: 0o600, &writer)
    try putHeader(&writer)
    for name in blobs.sorted() { try put(name, &writer) }
    for (entry, path) in records { try putRecord(entry, path, &writer) }
    try putDigests(&writer)
    try writer.finish()
    return writer.sink
  }

  /// Lets this machine remember the archive as a backup, where it is one of a whole and sound store.
  package func rememberAsBackup(at path: FilePath) {
    guard description.isWhole, problems.isEmpty else { return }
    LastBackup(time: now, path: path.text).keep(for: store)
  }
}

// The records of an archive.
extension ArchiveExport {
  /// The kinds in the order of an archive: those that others name first.
  private static let kinds: [RecordKind] =
    RecordKind.allCases.filter { $0 != .bequest } + [.bequest]

  /// Every record, live and in the trash, and the directories that cannot be listed.
  private static func all(
    in store: Store
  ) -> (records: [(entry: ArchiveEntry, path: FilePath)], problems: [ArchiveProblem]) {
    var found: [(entry: ArchiveEntry, path: FilePath)] = []
    var problems: [ArchiveProblem] = []
    var ids: Set<RecordID> = []
    func list(_ body: () throws(Fault) -> Void) {
      do { try body() } catch {
        guard error.code == .io, let file = error.file else { return }
        let problem = ArchiveProblem.unreadable(path: file.path.text, code: file.errno)
        if !problems.contains(problem) { problems.append(problem) }
      }
    }
    func addLive() {
      for kind in kinds {
        var shards: [(UInt8, FilePath)] = []
        list { () throws(Fault) in shards = try store.folders.shards(kind) }
        for (shard, directory) in shards {
          list { () throws(Fault) in
            try store.folders.forEachFile(in: directory, shard) { path, name throws(Fault) in
              if case .record(let id) = name, ids.insert(id).inserted {
                found.append((.record(kind, id), path))
              }
            }
          }
        }
      }
    }
    addLive()
    let live = found.count
    for kind in kinds {
      list { () throws(Fault) in
        var trashed = try store.trash.recordsByTime(kind)
        if let ordered = try? store.trash.orderingTwins(in: trashed) { trashed = ordered }
        for record in trashed {
          found.append(
            (.trashed(kind, record.id, deletedAt: record.deletedAt.seconds), record.path))
        }
      }
    }
    // Records may have come back from the trash between the two lists.
    addLive()
    let came = found[live...].filter { if case .record = $0.entry { true } else { false } }
    if !came.isEmpty {
      let trashed = found[live...].filter { if case .record = $0.entry { false } else { true } }
      found = found[..<live] + came + trashed
    }
    return (found, problems)
  }

  /// The records that are named, and those that they name, in the order of an archive.
  private static func closure(
    of chosen: [RecordReference], in store: Store
  ) throws(Fault) -> (there: [RecordReference], missing: [RecordReference]) {
    var there: Set<RecordReference> = []
    var missing: Set<RecordReference> = []
    var next = chosen
    while let reference = next.popLast() {
      guard !there.contains(reference), !missing.contains(reference) else { continue }
      do {
        let path = store.layout.record(reference.kind, reference.id)
        guard let bytes = try bytes(at: path, store) else {
          missing.insert(reference)
          continue
        }
        next += reference.kind.examine(bytes, id: reference.id).model?.references ?? []
      } catch {
        // It is named when its turn to be written comes.
      }
      there.insert(reference)
    }
    let sorted = kinds.flatMap { kind in
      there.filter { $0.kind == kind }.sorted { $0.id < $1.id }
    }
    return (sorted, missing.sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) })
  }

  /// The bytes of a record; `nil` where it is gone.
  private static func bytes(
    at path: FilePath, _ store: Store
  ) throws(Fault) -> [UInt8]? {
    do {
      return try store.files.readFile(path, limit: RecordFile.sizeLimit)
    } catch {
      if error.condition == .notFound { return nil }
      throw error
    }
  }

  private mutating func count(_ size: Int64, at entry: ArchiveEntry) {
    byteCount = byteCount.addingClamped(
      PaxWriter<NullSink>.byteCount(of: entry.path, size: size, modified: now.seconds))
  }

  private mutating func putRecord(
    _ entry: ArchiveEntry, _ path: FilePath, _ writer: inout PaxWriter<some ByteSink>
  ) throws {
    let read: [UInt8]?
    do { read = try Self.bytes(at: path, store) } catch {
      return problems.append(.unreadable(path: entry.path, code: error.errno))
    }
    guard let (kind, id) = entry.record, let bytes = read else { return }
    let (model, damage) = kind.examine(bytes, id: id)
    if let damage { problems.append(.record(kind, id, path: entry.path, damage)) }
    // The record may have got contents since it was looked at.
    for name in Set(model?.blobs ?? []).sorted() {
      if written[.blob(name)] == nil { try put(name, &writer) }
      if written[.blob(name)] == nil { problems.append(.missingBlob(name, of: kind, id)) }
    }
    if let capsule = model as? Capsule, capsule.lock.kind == .honor,
      case .record = entry
    {
      honorCount += 1
    }
    try put(bytes, as: entry, mode: 0o600, &writer)
    recordCount += 1
  }
}

// The files of an archive.
extension ArchiveExport {
  private mutating func putHeader(_ writer: inout PaxWriter<some ByteSink>) throws {
    var header = store.header
    if description.isWhole {
      if let unreadable = store.copies.unreadable(), let path = unreadable.path,
        case .refused(let code) = unreadable.detail
      {
        problems.append(.unreadable(path: path, code: code))
      }
      for identity in store.keys.own() {
        try put(
          Array(identity.file.utf8),
          as: identity.isSealed
            ? .sealedIdentity(recipient: identity.recipient)
            : .identity(recipient: identity.recipient), mode: 0o400, &writer)
      }
    } else {
      // A store of its own, which has no identity.
      header = StoreHeader(
        id: try RecordID(random: store.environment.random), createdAt: now, identities: [])
    }
    try put(RecordFile.encode(header.fields), as: .header, mode: 0o600, &writer)
    guard description.isWhole else { return }
    let settings: JSONObject
    do {
      settings = try store.settings.read().settings.values
    } catch {
      if let damage = error.damage {
        problems.append(.file(path: ArchiveEntry.settings.path, damage))
      } else if error.code == .io {
        problems.append(.unreadable(path: ArchiveEntry.settings.path, code: error.errno))
      } else {
        throw error
      }
      return
    }
    if !settings.isEmpty {
      try put(RecordFile.encode(settings), as: .settings, mode: 0o600, &writer)
    }
  }

  /// Begins a file, behind the directories that it is in.
  private mutating func begin(
    _ entry: ArchiveEntry, size: Int64, mode: Int64, _ writer: inout PaxWriter<some ByteSink>
  ) throws {
    let path = entry.path
    var directory = ""
    for part in path.parts(at: "/").dropLast() {
      directory += directory.isEmpty ? part : "/" + part
      if directories.insert(directory).inserted {
        try writer.directory(directory, modified: now.seconds, mode: 0o700)
      }
    }
    try writer.begin(path, size: size, modified: now.seconds, mode: mode)
  }

  private mutating func put(
    _ bytes: [UInt8], as entry: ArchiveEntry, mode: Int64,
    _ writer: inout PaxWriter<some ByteSink>
  ) throws {
    try begin(entry, size: Int64(bytes.count), mode: mode, &writer)
    try bytes.withUnsafeBytes { try writer.write($0) }
    note(entry, SHA256.hash(bytes))
  }

  /// Writes a content; nothing where there is none, and zeros from where it cannot be read on.
  private mutating func put(
    _ name: BlobName, _ writer: inout PaxWriter<some ByteSink>
  ) throws {
    let entry = ArchiveEntry.blob(name)
    let (file, size): (FileDescriptor, Int64)
    do {
      (file, size) = try store.blobs.open(name)
    } catch {
      switch error.code {
      case .blobDamaged: return
      case .io: return problems.append(.unreadable(path: entry.path, code: error.errno))
      default: throw error
      }
    }
    defer { try? store.files.close(file) }
    try begin(entry, size: size, mode: 0o400, &writer)
    var source = FileSource(store.files, file)
    var hash = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    var refusal: Fault?
    var rest = size
    while true {
      var count = 0
      if refusal == nil {
        do { count = try source.read(into: buffer) } catch {
          refusal = error
          // The size stands before the bytes already.
          _ = buffer.initializeMemory(as: UInt8.self, repeating: 0)
        }
      }
      if refusal != nil { count = Int(min(Int64(buffer.count), rest)) }
      if count <= 0 { break }
      let part = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      hash.update(part)
      try writer.write(part)
      rest -= Int64(count)
    }
    let digest = hash.finalize()
    if let refusal {
      problems.append(.unreadable(path: entry.path, code: refusal.errno))
    } else if BlobName(digest: digest) != name {
      problems.append(.blob(name))
    }
    note(entry, digest)
    blobCount += 1
  }

  /// Writes the digests of all files, as `sha256sum` does.
  private func putDigests(_ writer: inout PaxWriter<some ByteSink>) throws {
    func line(_ entry: ArchiveEntry) -> String {
      "\(Hex.encode(written[entry] ?? []))  \(entry.path)\n"
    }
    let size = order.reduce(into: Int64(0)) { $0 += Int64(line($1).utf8.count) }
    try writer.begin(
      ArchiveEntry.digests.path, size: size, modified: now.seconds, mode: 0o600)
    for entry in order {
      try Array(line(entry).utf8).withUnsafeBytes { try writer.write($0) }
    }
  }

  private mutating func note(_ entry: ArchiveEntry, _ digest: [UInt8]) {
    written[entry] = digest
    order.append(entry)
  }
}

extension ArchiveEntry {
  /// The record that the file is.
  var record: (kind: RecordKind, id: RecordID)? {
    switch self {
    case .record(let kind, let id), .trashed(let kind, let id, _): (kind, id)
    default: nil
    }
  }
}

/// `archive.json`, the first file of an archive: the facts about it.
package struct ArchiveDescription: Hashable, Sendable {
  /// The version of the archive's format.
  package private(set) var format = currentFormat
  /// The id of the store that it was made from.
  package private(set) var store = RecordID.zero
  package private(set) var createdAt = Instant.epoch
  /// Whether it is all of the store, identities included; else it is a part, without them.
  package private(set) var isWhole = true
  /// The records that records in it name, and that are not in it.
  package internal(set) var named: [String] = []
  package private(set) var unknown: JSONObject = [:]

  /// The version that this program makes and reads.
  package static let currentFormat: Int64 = 1
}

extension ArchiveDescription: RecordPart {
  package static var blank: ArchiveDescription { ArchiveDescription() }

  init(store: RecordID, createdAt: Instant, isWhole: Bool, named: [String]) {
    self.init()
    self.store = store
    self.createdAt = createdAt
    self.isWhole = isWhole
    self.named = named
  }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("archive", &format)
    try walk.member("store", &store)
    try walk.member("createdAt", &createdAt)
    try walk.member("whole", &isWhole)
    try walk.optionalMember("named", &named)
    walk.rest(&unknown)
  }
}

extension RecordReference {
  /// The record as `archive.json` names it: `item 3f2a9c1e-…`.
  var text: String { "\(kind.rawValue) \(id)" }
}

/// The findings of a reading of a whole archive.
package struct ArchiveReport: Sendable {
  package let description: ArchiveDescription
  package let recordCount: Int
  package let blobCount: Int
  /// Capsules that only the store's own identity opens, where that is not in the archive.
  package let lockedOutCount: Int
  package let problems: [ArchiveProblem]
}

extension ArchiveReport {
  /// Reads an archive and compares all of it with its digests, checksums and names.
  ///
  /// - Parameter body: writes the tar file into the sink.
  package static func check(
    _ body: (inout ArchiveSink) throws -> Void
  ) throws -> ArchiveReport {
    var sink = ArchiveSink(nil)
    try body(&sink)
    return try sink.finish()
  }
}

/// The end of the way of an archive's bytes: what is written into it is taken apart.
package struct ArchiveSink: ByteSink {
  private var splitter: PaxSplitter<ArchiveScanner>
  /// Whether it is known that it is no archive.
  private(set) var isFaulty = false

  init(_ taker: (any ArchiveTaker)?) {
    splitter = PaxSplitter(ArchiveScanner(taker))
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try splitter.write(bytes)
    } catch {
      throw noted(error)
    }
  }

  private mutating func noted(_ error: any Error) -> any Error {
    isFaulty = (error as? Fault)?.isOfArchive ?? false
    return error
  }

  /// Looks at the end, when all was written.
  mutating func finish() throws -> ArchiveReport {
    do {
      try splitter.finish()
      return try splitter.receiver.report()
    } catch {
      throw noted(error)
    }
  }
}
