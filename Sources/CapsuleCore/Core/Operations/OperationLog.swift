/// What this device's commands did to a store, in order: `journal/<device>/operations`, a file of checked lines
/// (``CheckedLines``) beside its journal. A command that commits in parts has several lines of one id.
///
/// It is written behind a change, without synchronizing: a power cut may take its end. Then the journal knows of
/// changes that it does not name, and no operation is taken back without being named.
package struct StoreOperations: StoreSubject {
  package let store: Store

  /// The most bytes that are read: a line of an import of 100,000 records takes 15 MB.
  private static let sizeLimit = 1 << 26
  /// The size from which on the oldest operations go, so that half of it stays.
  private static let largest: Int64 = 1 << 23

  private func path(creating: Bool) -> FilePath? {
    store.journal.own(creating: creating).map { layout.journal($0.name).appending("operations") }
  }

  /// The size of the file in bytes.
  var size: Int64 {
    path(creating: false).flatMap { try? files.statusIfPresent($0) }?.size ?? 0
  }

  /// Notes what was done, under the lock. A failure loses a way to take it back, and never fails the change.
  func note(
    _ changes: [Operation.Change], settings: JSONObject = [:], purged: [RecordKind: Int] = [:],
    lasting: Operation.Lasting? = nil, as mark: OperationMark, by origin: JournalFrame.Origin,
    at time: Instant
  ) {
    guard !changes.isEmpty || !settings.isEmpty || !purged.isEmpty || lasting != nil,
      let path = path(creating: true)
    else { return }
    let operation = Operation(
      id: mark.id, at: time, command: mark.command, origin: origin, undoes: mark.undoes,
      redoes: mark.redoes, changes: changes, settings: settings, purged: purged,
      lasting: lasting ?? changes.lazy.compactMap(\.lasting).first)
    if let status = try? files.statusIfPresent(path) {
      // A file with a second name, or none of ours, is somebody else's.
      guard status.kind == .regular, status.links == 1 else { return }
      if status.size > Self.largest { shorten(path) }
    }
    try? files.addLines(
      CheckedLines.lines([operation.json.encoded(.compact)]), to: path, synchronizing: false)
  }

  /// Returns those changes of an interrupted process that it did not note.
  func unnoted(_ changes: [Operation.Change], of mark: OperationMark) -> [Operation.Change] {
    guard let known = (try? all())?.first(where: { $0.id == mark.id }) else { return changes }
    return changes.filter { change in
      !known.changes.contains { $0.record == change.record && $0.to == change.to }
    }
  }

  /// Notes something that a command did besides, and that cannot be taken back.
  package func note(_ lasting: Operation.Lasting) throws(Fault) {
    try store.whileLocked { () throws(Fault) in
      let mark = OperationMark(store, first: nil)
      note([], lasting: lasting, as: mark, by: store.origin, at: store.now)
    }
  }

  /// Takes the oldest operations out of the file, each with all of its lines. Of one that is too large to be read
  /// nothing stays.
  private func shorten(_ path: FilePath) {
    guard let suffix = try? environment.temporaryName() else { return }
    var bytes: [UInt8] = []
    do { bytes = try files.readFile(path, limit: Self.sizeLimit) } catch {
      guard error.condition == .fileTooLarge else { return }
    }
    func id(_ text: ArraySlice<UInt8>) -> String? {
      (try? JSON.parse(Array(text)))?["op"]?.string
    }
    let texts = CheckedLines.texts(in: bytes)
    var (first, size) = (texts.endIndex, 0)
    while first > 0, size + texts[first - 1].count <= Int(Self.largest) / 2 {
      first -= 1
      size += texts[first].count
    }
    let gone = Set(texts[..<first].compactMap(id))
    let kept = texts[first...].filter { text in !(id(text).map(gone.contains) ?? true) }
    try? files.swap(
      path, CheckedLines.lines(kept.map { Array($0) }), mode: 0o600,
      by: layout.temporary.appending(suffix))
  }

  /// The operations of this device, the oldest first; none where there is no list.
  package func all() throws(Fault) -> [Operation] {
    guard let path = path(creating: false),
      let status = try files.statusIfPresent(path), status.size <= Self.sizeLimit
    else { return [] }
    var operations: [Operation] = []
    var places: [String: Int] = [:]
    for text in CheckedLines.texts(in: try files.readFile(path, limit: Self.sizeLimit)) {
      guard let operation = Operation(line: text) else { continue }
      if let place = places[operation.id] {
        operations[place].join(operation)
      } else {
        places[operation.id] = operations.count
        operations.append(operation)
      }
    }
    return operations
  }

  /// The versions that changes of live records found and left, as far as the journals have them: each log is read
  /// once.
  package func versions(of changes: [Operation.Change]) throws(Fault) -> OperationVersions {
    var wanted: [RecordReference: Set<String>] = [:]
    for change in changes {
      guard let from = change.from, from.digest != change.to.digest else { continue }
      wanted[change.record, default: []].formUnion([from.digest, change.to.digest])
    }
    var found = OperationVersions()
    guard !wanted.isEmpty else { return found }
    let shards = Set(wanted.keys.map(\.id.shard)).sorted()
    for machine in try store.journal.machines() {
      for shard in shards {
        try store.journal.log(of: machine, shard).forEachEntry { entry in
          guard entry.frame.event == .put else { return }
          let record = RecordReference(entry.frame.kind, entry.frame.id)
          let digest = Operation.digest(sha256: entry.bodyDigest)
          guard wanted[record]?.contains(digest) == true,
            record.kind.examine(entry.frame.body, id: record.id).damage == nil
          else { return }
          found.bodies[OperationVersions.Key(record: record, digest: digest)] = entry.frame.body
        }
      }
    }
    return found
  }

  /// Whether this device's journal has a person's change that is later than a list of operations, and not in it.
  ///
  /// The order is that of the files: what stands in a log before a change that is listed is no newer one. Where that
  /// does not say it, the time does, unless the clock went back since.
  ///
  /// - Parameter now: the real time.
  package func isMissingTheNewest(_ operations: [Operation], now: Instant) -> Bool {
    guard let machine = store.journal.own(creating: false),
      let logs = try? files.contents(ofDirectory: layout.journal(machine.name))
    else { return false }
    let last = operations.last { $0.origin == .person }?.at ?? Instant(seconds: .min)
    var known: Set<JournalState> = []
    var places: [RecordReference: Bool] = [:]
    for operation in operations where operation.origin == .person {
      for change in operation.changes {
        known.insert(JournalState(change.record, .written(change.to.digest)))
        if change.isMove {
          known.insert(JournalState(change.record, .moved(change.to.isLive, change.to.revision)))
        }
        places[change.record] = change.to.isLive
      }
    }
    for shard in logs.compactMap({ StoreJournal.shard(ofLog: $0.name) }) {
      var unlisted: Instant?
      var ends: [RecordReference: (isLive: Bool, time: Instant)] = [:]
      _ = try? store.journal.log(of: machine.name, shard).forEachEntry { entry in
        guard entry.frame.origin == .person, let state = JournalState(entry) else { return }
        ends[state.record] = (entry.frame.event != .trash, entry.frame.time)
        unlisted = known.contains(state) ? nil : max(unlisted ?? entry.frame.time, entry.frame.time)
      }
      for (record, end) in ends {
        guard let isLive = places[record], isLive != end.isLive else { continue }
        unlisted = max(unlisted ?? end.time, end.time)
      }
      if let unlisted, unlisted >= last || now < last { return true }
    }
    return false
  }
}

extension Operation.Change {
  /// Whether a journal says of it that the record went to another place, and not alone what was written.
  fileprivate var isMove: Bool {
    !to.isLive || from?.isLive == false || from?.digest == to.digest
  }
}

/// What a person's change left of a record, as a journal and a list of operations both have it.
private struct JournalState: Hashable {
  enum Work: Hashable {
    /// Bytes with this digest.
    case written(String)
    /// Whether it is live, and its revision.
    case moved(Bool, Int64)
  }

  let record: RecordReference
  private let work: Work

  init(_ record: RecordReference, _ work: Work) {
    (self.record, self.work) = (record, work)
  }

  init?(_ entry: JournalEntry) {
    let frame = entry.frame
    record = RecordReference(frame.kind, frame.id)
    switch frame.event {
    case .put: work = .written(Operation.digest(sha256: entry.bodyDigest))
    case .trash: work = .moved(false, frame.revision)
    case .restore: work = .moved(true, frame.revision)
    case .purge, .compaction, .drop: return nil
    }
  }
}

/// The versions of records that operations found and left.
package struct OperationVersions: Sendable {
  fileprivate struct Key: Hashable {
    let record: RecordReference
    let digest: String
  }

  fileprivate var bodies: [Key: [UInt8]] = [:]

  /// The members of a record as a change found or left it; `nil` where no journal has that version any more.
  package func fields(_ record: RecordReference, _ state: Operation.State?) -> JSONObject? {
    state.flatMap { bodies[Key(record: record, digest: $0.digest)] }
      .flatMap { try? RecordFile.decode($0).fields }
  }

  /// The values that a change of a live record made others; none where a version is gone.
  package func values(of change: Operation.Change) -> [UndoPlan.Field] {
    guard change.from?.digest != change.to.digest, let old = fields(change.record, change.from),
      let new = fields(change.record, change.to)
    else { return [] }
    return change.fields.map { UndoPlan.Field(name: $0, from: old[$0], to: new[$0]) }
  }
}

/// The operations that can be taken back and brought again, in order: the newest last.
package struct OperationLine {
  package private(set) var done: [Operation] = []
  package private(set) var undone: [Operation] = []
  /// The ids of all that were taken back and not brought again, also those that cannot be any more.
  package private(set) var takenBack: Set<String> = []
  private var known: [String: Operation] = [:]

  /// - Parameter operations: all of a device, the oldest first.
  package init(_ operations: [Operation]) {
    for operation in operations where operation.origin == .person && !operation.isSignOfLife {
      if let target = operation.undoes {
        if let place = done.lastIndex(where: { $0.id == target }) { done.remove(at: place) }
        undone.append(operation)
        takenBack.formUnion(all(of: target))
      } else if let target = operation.redoes {
        if let place = undone.lastIndex(where: { $0.id == target }) { undone.remove(at: place) }
        done.append(operation)
        if let first = known[target]?.undoes { takenBack.subtract(all(of: first)) }
      } else {
        done.append(operation)
        undone = []
      }
      known[operation.id] = operation
    }
  }

  /// An operation, and all that it brings again.
  private func all(of id: String) -> [String] {
    var found = [id]
    var seen: Set<String> = [id]
    while let undo = found.last.flatMap({ known[$0]?.redoes }), let next = known[undo]?.undoes,
      seen.insert(next).inserted
    {
      found.append(next)
    }
    return found
  }
}
