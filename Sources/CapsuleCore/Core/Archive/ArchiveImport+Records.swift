/// The records of an archive: each is added, left as it is, merged, or held back.
extension ArchiveImport {
  /// The decision on one record.
  enum Decision {
    case add(any RecordModel)
    case unchanged
    case inTrash
    /// The record is replaced.
    case write([UInt8], any RecordModel, conflicts: [String])
    /// The record stays as it is, and gave way in nothing; the other version is kept as one.
    case held(ImportReport.HoldReason)
  }

  /// Puts the records in, some at a time under the store's lock.
  func commitRecords() throws(Fault) {
    guard let store, let spool else { return }
    var looks = ImportLooks(store)
    var rest = spool.entries[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.together)
      rest = rest.dropFirst(part.count)
      try store.whileLocked { () throws(Fault) in
        var changes: [Change] = []
        for entry in part {
          if let change = try take(try spool.record(entry), &looks, store) {
            changes.append(change)
          }
        }
        try Commit(store, at: now).run(changes)
      }
    }
    try noteSameNames(store, looks)
  }

  /// The most records that are put in while the lock is held once.
  private static let together = 256

  /// - Returns: what is to be written of a record; `nil` for nothing.
  private func take(
    _ record: ArchivedRecord, _ looks: inout ImportLooks, _ store: Store
  ) throws(Fault) -> Change? {
    let decision = try decide(record, &looks)
    note(decision, of: record, &looks)
    switch decision {
    case .unchanged, .inTrash, .held: return nil
    case .add(let model):
      let reference = RecordReference(record.kind, record.id)
      if record.deletedAt == nil { looks.coming.insert(reference) }
      var change = Change(
        record: reference, before: nil, wasLive: false,
        bytes: record.bytes, isLive: record.deletedAt == nil, deletedAt: record.deletedAt ?? 0)
      change.time = model.header.updatedAt
      return change
    case .write(let bytes, let model, _):
      return try replacement(record, bytes, model, &looks, in: store)
    }
  }

  /// A record in the place of the one here, live or in the trash; the versions that give way are kept in the
  /// journal, or in `backups/`.
  private func replacement(
    _ record: ArchivedRecord, _ bytes: [UInt8], _ model: any RecordModel,
    _ looks: inout ImportLooks, in store: Store
  ) throws(Fault) -> Change {
    let isLive = record.deletedAt == nil
    let trashed = isLive ? nil : try looks.newestInTrash(record.kind, record.id)?.path
    let path = trashed ?? store.layout.record(record.kind, record.id)
    let current = try store.files.readFile(path, limit: RecordFile.sizeLimit)
    if !looks.knows(current, of: record.id) || store.journal.own(creating: true) == nil {
      for version in [current, record.bytes] where version != bytes {
        try store.care.keepInBackups(version, path.lastComponent, now: now)
      }
    }
    var change = Change(
      record: RecordReference(record.kind, record.id), before: SHA256.hash(current),
      wasLive: isLive, bytes: bytes, isLive: isLive)
    change.trashed = trashed
    change.time = model.header.updatedAt
    if record.bytes != bytes { change.versions = [record.bytes] }
    return change
  }

  /// Decides what becomes of a record where nothing is written.
  func decideOnly(_ record: ArchivedRecord) throws(Fault) {
    var looks = dryLooks ?? ImportLooks(store)
    defer { dryLooks = looks }
    let decision = try decide(record, &looks)
    note(decision, of: record, &looks)
    if case .add = decision, record.deletedAt == nil {
      looks.coming.insert(RecordReference(record.kind, record.id))
    }
  }

  private func note(
    _ decision: Decision, of record: ArchivedRecord, _ looks: inout ImportLooks
  ) {
    switch decision {
    case .unchanged: report.unchanged += 1
    case .inTrash: report.inTrash.append(entry(record))
    case .held(let reason): report.held.append((entry(record), reason))
    case .write(_, let model, let conflicts):
      let title = model.displayTitle
      report.merged.append(
        (ImportReport.Entry(kind: record.kind, id: record.id, title: title), conflicts))
    case .add(let model):
      report.added += 1
      let entry = ImportReport.Entry(
        kind: record.kind, id: record.id, title: model.displayTitle)
      report.new.append((entry, record.deletedAt != nil))
      if record.deletedAt == nil, model.uniqueName != nil { looks.added.append(entry) }
    }
  }

  private func entry(_ record: ArchivedRecord) -> ImportReport.Entry {
    let model = record.kind.examine(record.bytes, id: record.id).model
    return ImportReport.Entry(
      kind: record.kind, id: record.id, title: model?.displayTitle ?? "")
  }

  private func decide(
    _ record: ArchivedRecord, _ looks: inout ImportLooks
  ) throws(Fault) -> Decision {
    guard let model = record.kind.examine(record.bytes, id: record.id).model else {
      return .held(.unmergeable)
    }
    let current: [UInt8]?
    if record.deletedAt == nil {
      current = try looks.bytes(record.kind, record.id)
      if current == nil, try looks.isInTrash(record.kind, record.id) { return .inTrash }
    } else {
      if try looks.isHere(record) { return .unchanged }
      current = try looks.newestInTrash(record.kind, record.id)?.bytes
    }
    guard let current else {
      if let reason = try obstacle(to: model, of: record, looks) { return .held(reason) }
      return .add(model)
    }
    if current == record.bytes { return .unchanged }
    let (mine, damage) = record.kind.examine(current, id: record.id)
    guard damage == nil, let mine else { return .held(.damagedHere) }
    // An earlier version of what is here: nothing in it is new.
    if looks.knows(record.bytes, of: record.id) { return .unchanged }
    return try merge(mine, model, record, looks)
  }

  private func merge(
    _ mine: any RecordModel, _ theirs: any RecordModel, _ record: ArchivedRecord,
    _ looks: ImportLooks
  ) throws(Fault) -> Decision {
    let merge: RecordMerge
    do {
      merge = try RecordMerge(record.kind, mine.fields, theirs.fields)
    } catch {
      guard case .other(let field)? = error.cause as? RecordMerge.Problem else {
        return .held(.unmergeable)
      }
      return .held(.other(field: field))
    }
    if RecordMerge.isSame(merge.fields, mine.fields) { return .unchanged }
    // Shares that were handed out stay known, whichever record was changed later.
    if let group = mine as? TrusteeGroup, let merged = try? TrusteeGroup(fields: merge.fields),
      merged.brokenMergeRule(after: group) != nil
    {
      return .held(.other(field: "shares"))
    }
    if RecordMerge.isSame(merge.fields, theirs.fields),
      theirs.header.revision > mine.header.revision
    {
      if let reason = try obstacle(to: theirs, of: record, looks) { return .held(reason) }
      return .write(record.bytes, theirs, conflicts: merge.conflicts)
    }
    let revision = max(mine.header.revision, theirs.header.revision).addingClamped(1)
    guard let model = record.kind.model.merged(merge.fields, revision: revision) else {
      return .held(.unmergeable)
    }
    if let reason = try obstacle(to: model, of: record, looks) { return .held(reason) }
    let bytes = RecordFile.encode(model.fields)
    guard bytes.count <= RecordFile.sizeLimit else { return .held(.unmergeable) }
    return .write(bytes, model, conflicts: merge.conflicts)
  }

  /// Returns the reason why a record cannot be put in: something that it names is not here. One of the trash may name
  /// records that are gone, but no content that is not here.
  private func obstacle(
    to model: any RecordModel, of record: ArchivedRecord, _ looks: ImportLooks
  ) throws(Fault) -> ImportReport.HoldReason? {
    for name in model.blobs where !known.contains(name) {
      if try !looks.has(name) { return .missingBlob(name) }
    }
    guard record.deletedAt == nil else { return nil }
    for reference in model.references where !looks.coming.contains(reference) {
      if try !looks.isLive(reference) { return .missingReference(reference) }
    }
    return nil
  }

  private func noteSameNames(_ store: Store, _ looks: ImportLooks) throws(Fault) {
    for (kind, entries) in Dictionary(grouping: looks.added, by: \.kind) {
      var index = store.index.open(kind, now: now)
      for entry in entries {
        let key = NameKey(entry.title)
        let isShared = index.entries(nameHash: key.hash).contains {
          $0.id != entry.id && NameKey($0.title) == key
        }
        if isShared { report.sameNames.append(entry) }
      }
    }
  }
}

/// The looks at the store that records of an archive need.
struct ImportLooks {
  /// `nil` in a dry run where there is none yet.
  private let store: Store?
  /// Records that are about to come, or would in a dry run.
  var coming: Set<RecordReference> = []
  /// Added records whose names no other may have.
  var added: [ImportReport.Entry] = []
  private var journal: [RecordID: JournalRoster.Known]?
  private var trash: [RecordKind: [RecordID: [FilePath]]] = [:]

  init(_ store: Store?) {
    self.store = store
  }

  /// The records that the journals hold, read when they are first asked for.
  var known: [RecordID: JournalRoster.Known] {
    mutating get {
      if let journal { return journal }
      let read = store?.journal.roster().known() ?? [:]
      journal = read
      return read
    }
  }

  /// Whether a journal holds a version.
  mutating func knows(_ bytes: [UInt8], of id: RecordID) -> Bool {
    known[id]?.digests.contains(JournalRoster.beginning(of: SHA256.hash(bytes))) ?? false
  }

  /// A live record's bytes; `nil` where there is none.
  func bytes(_ kind: RecordKind, _ id: RecordID) throws(Fault) -> [UInt8]? {
    guard let store else { return nil }
    return try read(store.layout.record(kind, id))
  }

  /// Whether a record of the trash is live here, or the same version lies in the trash.
  mutating func isHere(_ record: ArchivedRecord) throws(Fault) -> Bool {
    if try isLive(RecordReference(record.kind, record.id)) { return true }
    return try hasTrashed(record)
  }

  /// Whether a live record is here.
  func isLive(_ record: RecordReference) throws(Fault) -> Bool {
    try has { $0.record(record.kind, record.id) }
  }

  /// Whether a content is here.
  func has(_ blob: BlobName) throws(Fault) -> Bool {
    try has { $0.blob(blob) }
  }

  private func has(_ path: (StoreLayout) -> FilePath) throws(Fault) -> Bool {
    guard let store else { return false }
    return try store.files.statusIfPresent(path(store.layout)) != nil
  }

  mutating func isInTrash(_ kind: RecordKind, _ id: RecordID) throws(Fault) -> Bool {
    try !places(kind, id).isEmpty
  }

  /// The version of a record in the trash that counts, as ``StoreTrash/records(_:)`` has it first; `nil` where none
  /// lies there.
  mutating func newestInTrash(
    _ kind: RecordKind, _ id: RecordID
  ) throws(Fault) -> (path: FilePath, bytes: [UInt8])? {
    for path in try places(kind, id) {
      if let bytes = try read(path) { return (path, bytes) }
    }
    return nil
  }

  /// A file's bytes; `nil` where it is not there, or not any more.
  private func read(_ path: FilePath) throws(Fault) -> [UInt8]? {
    do {
      return try store?.files.readFile(path, limit: RecordFile.sizeLimit)
    } catch {
      if error.condition == .notFound { return nil }
      throw error
    }
  }

  /// Whether the same version lies in the trash.
  private mutating func hasTrashed(_ record: ArchivedRecord) throws(Fault) -> Bool {
    for path in try places(record.kind, record.id) where try read(path) == record.bytes {
      return true
    }
    return false
  }

  private mutating func places(
    _ kind: RecordKind, _ id: RecordID
  ) throws(Fault) -> [FilePath] {
    if trash[kind] == nil {
      trash[kind] = Dictionary(grouping: try store?.trash.records(kind) ?? [], by: \.id)
        .mapValues { $0.map(\.path) }
    }
    return trash[kind]?[id] ?? []
  }
}

extension StoreCare {
  /// Keeps a version of a record that is replaced in `backups/<Unix time>/`.
  func keepInBackups(_ bytes: [UInt8], _ name: [UInt8], now: Instant) throws(Fault) {
    let folder = layout.backups.appending(String(now.seconds))
    try files.createDirectories(folder)
    for directory in [folder, layout.backups]
    where try files.status(directory).kind != .directory {
      throw Fault(.open, directory, code: FileRefusal.notRegularFile)
    }
    try files.writeTemporary(
      try files.freeName(of: name, in: folder), bytes, mode: 0o600)
    try files.synchronizeDirectory(folder)
  }
}

extension RecordModel {
  /// A model of merged fields; `nil` where they are none that may be written.
  static func merged(_ fields: JSONObject, revision: Int64) -> Self? {
    guard var model = try? Self(fields: fields) else { return nil }
    model.header.revision = revision
    model.header.schema = model.schemaNeeded
    return model.fault == nil ? model : nil
  }

  /// The title or name; empty where it has none of its own.
  package var displayTitle: String { searchFields.first { $0.name.isTitle }?.text ?? "" }
}

/// Records that wait in a file until the whole archive was read: there may be more than memory has room for.
final class RecordSpool {
  /// A record, and where its bytes are in the file.
  struct Entry {
    let kind: RecordKind
    let id: RecordID
    let deletedAt: Int64?
    fileprivate let offset: Int64
    fileprivate let count: Int
  }

  private let files: any FileSystem
  private let file: FileDescriptor
  private var size: Int64 = 0
  private(set) var entries: [Entry] = []

  /// Makes the file in a store's `tmp/`.
  init(in store: Store) throws(Fault) {
    files = store.files
    let path = store.layout.temporary.appending(try store.environment.temporaryName())
    file = try store.files.open(path, .createExclusive(mode: 0o600))
  }

  func add(_ record: ArchivedRecord) throws(Fault) {
    try files.writeAll(file, record.bytes, at: size)
    entries.append(
      Entry(
        kind: record.kind, id: record.id, deletedAt: record.deletedAt, offset: size,
        count: record.bytes.count))
    size += Int64(record.bytes.count)
  }

  func record(_ entry: Entry) throws(Fault) -> ArchivedRecord {
    let bytes: [UInt8]
    bytes = try files.withFile(file.path, .read) { file throws(Fault) in
      try files.chunk(file, at: entry.offset, count: entry.count)
    }
    guard bytes.count == entry.count else {
      throw Fault(.read, file.path, code: FileRefusal.notRegularFile)
    }
    return ArchivedRecord(
      kind: entry.kind, id: entry.id, deletedAt: entry.deletedAt, bytes: bytes)
  }

  func remove() {
    try? files.close(file)
    try? files.unlink(file.path)
  }
}
