/// What this device's commands did to a store, in order: `journal/<device>/operations`, a file of checked lines
/// (``CheckedLines``) beside its journal. A command that commits in parts has several lines of one id.
///
/// It is written behind a change, without synchronizing: a power cut may take its end. Then the journal knows of
/// changes that it does not name, and no operation is taken back without being named.
package struct StoreOperations: StoreSubject {
  package let store: Store

  /// The most bytes that are read.
  private static let sizeLimit = 1 << 28
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
    if size > Self.largest { shorten(path) }
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

  /// Takes the oldest operations out of the file.
  private func shorten(_ path: FilePath) {
    guard let bytes = try? files.readFile(path, limit: Self.sizeLimit),
      let suffix = try? environment.temporaryName()
    else { return }
    var kept: [[UInt8]] = []
    var size = 0
    for text in CheckedLines.texts(in: bytes).reversed() {
      size += text.count
      if size > Int(Self.largest) / 2 { break }
      kept.append(Array(text))
    }
    try? files.swap(
      path, CheckedLines.lines(kept.reversed()), mode: 0o600,
      by: layout.temporary.appending(suffix))
  }

  /// The operations of this device, the oldest first; none where there is no list.
  package func all() throws(Fault) -> [Operation] {
    guard let path = path(creating: false), try files.statusIfPresent(path) != nil else {
      return []
    }
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

  /// The values that a change of a live record made others, as far as the journal has both versions.
  package func values(of change: Operation.Change) -> [UndoPlan.Field] {
    guard let from = change.from, from.digest != change.to.digest,
      let versions = try? store.journal.versions(of: change.record.kind, change.record.id)
    else { return [] }
    func fields(_ state: Operation.State) -> JSONObject? {
      versions.first { Operation.digest($0.bytes) == state.digest }
        .flatMap { try? RecordFile.decode($0.bytes).fields }
    }
    guard let old = fields(from), let new = fields(change.to) else { return [] }
    return change.fields.map { UndoPlan.Field(name: $0, from: old[$0], to: new[$0]) }
  }

  /// Whether this device's journal has a person's change that is later than a list of operations, and not in it.
  package func isMissingTheNewest(_ operations: [Operation]) -> Bool {
    guard let machine = store.journal.own(creating: false) else { return false }
    let last = operations.last?.at ?? Instant(seconds: .min)
    var known: Set<String> = []
    for operation in operations {
      for change in operation.changes { known.insert(change.to.key(change.record.id)) }
    }
    for shard in UInt8.min...UInt8.max {
      var isMissing = false
      _ = try? store.journal.log(of: machine.name, shard).forEachEntry { entry in
        let frame = entry.frame
        guard frame.origin == .person, frame.event == .put, frame.time > last,
          !isMissing
        else { return }
        let digest = Operation.digest(sha256: entry.bodyDigest)
        isMissing = !known.contains("\(frame.id) \(digest)")
      }
      if isMissing { return true }
    }
    return false
  }
}

extension Operation.State {
  fileprivate func key(_ id: RecordID) -> String { "\(id) \(digest)" }
}

/// The operations that can be taken back and brought again, in order: the newest last.
package struct OperationLine {
  package private(set) var done: [Operation] = []
  package private(set) var undone: [Operation] = []

  /// - Parameter operations: all of a device, the oldest first.
  package init(_ operations: [Operation]) {
    for operation in operations where operation.origin == .person && !operation.isSignOfLife {
      if let target = operation.undoes {
        done.removeAll { $0.id == target }
        undone.append(operation)
      } else if let target = operation.redoes {
        undone.removeAll { $0.id == target }
        done.append(operation)
      } else {
        done.append(operation)
        undone = []
      }
    }
  }
}
