/// The taking over of what others did.
extension SyncSession {
  /// The number of records that are written while the store's lock is held once.
  private static let batchCount = 32

  /// A record whose file is to be written.
  private struct Plan {
    let subject: SyncSubject
    var entry: SyncEntry
    let write: Change
    let blobs: [BlobName: Int64]
    /// The members of the file as it is and as it is to be.
    let before: JSONObject?
    let fields: JSONObject
  }

  mutating func merge(
    _ inbox: [SyncSubject: RecordState], _ scan: SyncScan, from carrier: some Carrier,
    _ id: String, _ listing: CarrierListing, _ report: inout SyncReport
  ) throws(Fault) {
    var new = joined(inbox, scan)
    reviveNamed(&new)
    var plans: [Plan] = []
    var notes: [SyncSubject: SyncNote] = [:]
    var trash = TrashPlaces(store)
    for subject in new.keys.sorted(by: { $0.text < $1.text }) {
      guard let entry = new[subject] else { continue }
      if let hold = scan.held[subject] {
        postpone(subject, entry, hold, &report)
        continue
      }
      do {
        let insisting = try insisting(subject, entry, &trash)
        if let plan = try plan(subject, insisting, scan, &trash) {
          plans.append(plan)
          notes[subject] = additionNote(of: plan, inbox[subject])
        } else {
          settle(subject, insisting, id)
        }
      } catch {
        postpone(subject, entry, error, &report)
      }
    }
    plans.sort {
      $0.write.rank == $1.write.rank
        ? $0.subject.text < $1.subject.text : $0.write.rank < $1.write.rank
    }
    var rest = plans[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.batchCount)
      rest = rest.dropFirst(Self.batchCount)
      try write(Array(part), from: carrier, id, listing, &report)
    }
    for subject in new.keys.sorted(by: { $0.text < $1.text }) {
      report.conflicts += knownConflicts(of: subject)
      if report.takenRecords.contains(subject), let note = notes[subject] {
        report.notes.append(note)
      }
    }
    report.notes += sameNames(among: report.takenRecords)
  }

  /// Says so where a capsule was opened by a machine that did not know of a content.
  private func additionNote(of plan: Plan, _ arrived: RecordState?) -> SyncNote? {
    guard plan.subject.kind == .capsule, plan.write.isLive, let before = plan.before else {
      return nil
    }
    func contents(_ fields: JSONObject) -> Set<String> {
      Set((fields["contents"]?.array ?? []).compactMap { $0["id"]?.string })
    }
    func isOpened(_ fields: JSONObject) -> Bool { fields["openedAt"]?.string != nil }
    var strangers = 0
    if isOpened(before) {
      strangers = contents(plan.fields).subtracting(contents(before)).count
    } else if let arrived, let fields = shownFields(arrived, plan.subject), isOpened(fields) {
      strangers = contents(plan.fields).subtracting(contents(fields)).count
    }
    guard strangers > 0 else { return nil }
    return .addedToOpened(
      title: plan.fields["title"]?.string ?? "", plan.subject, count: strangers)
  }

  /// The names that an item which was taken in shares with others.
  private func sameNames(among taken: Set<SyncSubject>) -> [SyncNote] {
    guard taken.contains(where: { $0.kind == .item }) else { return [] }
    var index = store.index.open(.item, now: now)
    var notes: [SyncNote] = []
    for case .record(let record) in taken.sorted(by: { $0.text < $1.text })
    where record.kind == .item {
      guard let item = try? store.readIntact(Item.self, record.id).model else { continue }
      let others = store.relations.holders(ofNameOf: item, in: &index).map {
        SyncSubject.record(RecordReference(.item, $0.id))
      }
      guard !others.isEmpty else { continue }
      let all = (others + [.record(record)]).sorted { $0.text < $1.text }
      let isKnown = notes.contains { if case .sameName(_, all) = $0 { true } else { false } }
      if !isKnown { notes.append(.sameName(item.name, all)) }
    }
    return notes
  }

  /// The states of all records that something is to be done for.
  private mutating func joined(
    _ inbox: [SyncSubject: RecordState], _ scan: SyncScan
  ) -> [SyncSubject: SyncEntry] {
    var new: [SyncSubject: SyncEntry] = [:]
    let strangers = inbox.keys.filter { state.rows[$0] == nil && inbox[$0]?.isAlive == false }
    let purged = purged(among: Array(strangers))
    for subject in Set(inbox.keys).union(scan.stale) {
      var entry = state.entry(subject) ?? SyncEntry()
      if let waiting = entry.waiting {
        entry.state.join(waiting)
        entry.waiting = nil
      }
      if let arrived = inbox[subject] {
        entry.state.join(arrived)
      }
      if purged.contains(subject) { entry.purged = entry.state.vector }
      new[subject] = entry
    }
    return new
  }

  /// Brings back what live bequests name.
  private mutating func reviveNamed(_ new: inout [SyncSubject: SyncEntry]) {
    let matters = new.contains { subject, entry in
      guard let kind = subject.kind else { return false }
      return kind == .bequest ? entry.state.isAlive : !entry.state.isAlive
    }
    guard matters else { return }
    let bequests = Set(state.rows.keys).union(new.keys).filter { $0.kind == .bequest }
    for subject in bequests.sorted(by: { $0.text < $1.text }) {
      guard let bequest = new[subject] ?? state.entry(subject), bequest.state.isAlive,
        bequest.isShown, let fields = shownFields(bequest.state, subject),
        let model = try? Bequest(fields: fields)
      else { continue }
      for reference in model.references {
        let named = SyncSubject.record(reference)
        guard var entry = new[named] ?? state.entry(named), !entry.state.isAlive else { continue }
        entry.state.revive(by: actor)
        new[named] = entry
      }
    }
  }

  /// Returns the write that is needed; `nil` where the file says it already, or none is to be there.
  private mutating func plan(
    _ subject: SyncSubject, _ entry: SyncEntry, _ scan: SyncScan, _ trash: inout TrashPlaces
  ) throws(SyncHold) -> Plan? {
    guard entry.isShown else { return nil }
    let current = try current(subject, &trash)
    let fields = Self.keepingOwnLock(try shownRecord(entry.state, subject), of: current?.fields)
    let isLive = entry.state.isAlive
    let bytes = RecordFile.encode(fields)
    guard bytes.count <= RecordFile.sizeLimit else {
      throw .unreadable(
        FieldError(path: "", problem: .invalid("over \(RecordFile.sizeLimit) bytes")))
    }
    // The state knows the file as it was compared, not as it is now.
    let digest = state.rows[subject]?.digest
    let known = scan.seen[subject] ?? digest?.bytes
    guard current?.digest == known else { throw .changedMeanwhile }
    if let current, current.isLive == isLive, current.fields == fields { return nil }
    // A file that is lost is what the state has shown.
    let old = state.entry(subject)?.state
    let before = current?.fields ?? old.flatMap { shownFields($0, subject) }
    do {
      try Self.requireAllowed(subject, fields, after: before, known: old, joined: entry.state)
    } catch {
      // What this machine has shown already says the same: it is the file here that breaks the rule.
      guard case .forbidden(let rule) = error, current != nil,
        let shown = old.flatMap({ shownFields($0, subject) }),
        Self.brokenRule(subject, fields, after: Self.keepingOwnLock(shown, of: fields)) == nil
      else { throw error }
      throw .brokenHere(rule)
    }
    var record: RecordReference?
    if case .record(let reference) = subject { record = reference }
    var entry = entry
    entry.purged = nil
    if let current {
      if current.fields["rev"] == fields["rev"] {
        entry.noteEarlier(
          JournalRoster.beginning(of: current.digest),
          than: JournalRoster.beginning(of: SHA256.hash(bytes)))
      } else {
        entry.earlier = []
      }
    }
    return Plan(
      subject: subject, entry: entry,
      write: Change(
        record: record, before: current?.digest, wasLive: current?.isLive ?? false, bytes: bytes,
        isLive: isLive, deletedAt: entry.state.deletedAt ?? now.seconds),
      blobs: blobs(of: subject, fields), before: current?.fields, fields: fields)
  }

  /// Puts the parts that rules keep into a state as this machine has them, where its owner said so.
  private func insisting(
    _ subject: SyncSubject, _ entry: SyncEntry, _ trash: inout TrashPlaces
  ) throws(SyncHold) -> SyncEntry {
    guard entry.insists else { return entry }
    var entry = entry
    if let current = try current(subject, &trash) {
      let table = MergeTable.of(subject)
      entry.state.insist(on: table.cells(of: current.fields), by: actor, table)
    }
    entry.insists = false
    return entry
  }

  /// Whether something that came waits because a rule forbids it.
  private mutating func isForbidden(_ subject: SyncSubject, _ scan: SyncScan) -> Bool {
    guard var entry = state.entry(subject), let waiting = entry.waiting else { return false }
    entry.state.join(waiting)
    var trash = TrashPlaces(store)
    do {
      _ = try plan(subject, entry, scan, &trash)
    } catch {
      if case .forbidden = error { return true }
    }
    return false
  }

  /// A record's file as it is now.
  private struct Current {
    let fields: JSONObject
    let digest: [UInt8]
    let isLive: Bool
  }

  private func current(
    _ subject: SyncSubject, _ trash: inout TrashPlaces
  ) throws(SyncHold) -> Current? {
    guard case .record(let record) = subject else {
      guard let bytes = try? files.readFile(store.layout.settings, limit: 1 << 20) else {
        return nil
      }
      guard let (fields, damage) = try? RecordFile.decode(bytes), damage == nil else {
        throw .damaged
      }
      return Current(fields: fields, digest: SHA256.hash(bytes), isLive: true)
    }
    let live = store.layout.record(record.kind, record.id)
    var path: FilePath? = live
    let bytes: [UInt8]
    do {
      if try files.statusIfPresent(live) == nil {
        path = trash.path(of: record)
      }
      guard let path else { return nil }
      bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
    } catch {
      throw .changedMeanwhile
    }
    let (model, damage) = record.kind.examine(bytes, id: record.id)
    guard let model, damage == nil else { throw .damaged }
    return Current(
      fields: Self.canonical(model), digest: SHA256.hash(bytes), isLive: path == live)
  }

  /// Keeps a state whose file says it already.
  private mutating func settle(
    _ subject: SyncSubject, _ entry: SyncEntry, _ id: String
  ) {
    let old = state.entry(subject)
    if old != entry { state.put(subject, entry, from: old?.state.vector ?? VersionVector()) }
    state.know(id) { $0.settle(subject, entry.state.vector) }
  }

  private mutating func postpone(
    _ subject: SyncSubject, _ entry: SyncEntry, _ reason: SyncHold, _ report: inout SyncReport
  ) {
    report.held[subject] = reason
    wait(subject, for: entry.state)
  }

  /// Writes some records, with the files that they name.
  private mutating func write(
    _ plans: [Plan], from carrier: some Carrier, _ id: String, _ listing: CarrierListing,
    _ report: inout SyncReport
  ) throws(Fault) {
    let lacking = plans.reduce(into: [BlobName: Int64]()) { names, plan in
      names.merge(plan.blobs.filter { !hasBlob($0.key) }) { max($0, $1) }
    }
    let fetched = try fetch(lacking, from: carrier, id, listing, &report)
    try write(plans, fetched, &report)
    for plan in plans {
      guard let vector = state.entry(plan.subject)?.state.vector else { continue }
      state.know(id) { $0.settle(plan.subject, vector) }
    }
  }

  private mutating func write(
    _ plans: [Plan], _ fetched: [BlobName: StagedBlob], _ report: inout SyncReport
  ) throws(Fault) {
    var ready: [Plan] = []
    var blobs: Set<BlobName> = []
    for plan in plans {
      if plan.blobs.keys.allSatisfy({ hasBlob($0) || fetched[$0] != nil }) {
        ready.append(plan)
        blobs.formUnion(plan.blobs.keys)
      } else if !plan.write.isLive, plan.write.before == nil {
        // Deleted, and its file is there no more: nothing is left that the trash could keep.
        var entry = plan.entry
        entry.purged = entry.state.vector
        let old = state.entry(plan.subject)?.state.vector ?? VersionVector()
        state.put(plan.subject, entry, from: old)
        state.note(plan.subject, .absent, nil, nil)
      } else {
        postpone(plan.subject, plan.entry, .missingFile, &report)
      }
    }
    let staged = fetched.filter { blobs.contains($0.key) }
    store.blobs.discard(fetched.filter { !blobs.contains($0.key) }.map(\.value))
    // The records that wait are kept before anything is written over.
    do { try keep() } catch {
      store.blobs.discard(Array(staged.values))
      throw error
    }
    guard !ready.isEmpty else { return }
    let intent = Intent(
      changes: ready.map(\.write), time: now.seconds, by: .synchroniser,
      attachment: .array(ready.map(\.entry.json)))
    let written = try store.intents.carryOut(intent, blobs: Array(staged.values))
    report.takenFiles += staged.count
    for (place, plan) in ready.enumerated() {
      if written.skipped.contains(place) {
        report.held[plan.subject] = .changedMeanwhile
      } else {
        report.takenRecords.insert(plan.subject)
      }
    }
    try install(written)
  }

  /// Makes one value of a part of a record the only one, from the next sync on: its file shows it now. Until the
  /// carriers were looked at nobody knows whether the state was put back, and the next dots were given before.
  /// Where a rule holds back what came, this machine's own values count instead, wherever machines meet.
  ///
  /// - Parameters:
  ///   - field: the part; `nil` for all, of each the value that is shown.
  ///   - choice: 0 for the value that is shown, else one of the others from 1 on.
  /// - Returns: the conflicts that were resolved, as they were; why the record waits, where it does; and whether
  ///   its own values count from the next sync on.
  package mutating func resolve(
    _ subject: SyncSubject, field: CellKey?, choice: Int
  ) throws(Fault) -> (resolved: [SyncConflict], hold: SyncHold?, insists: Bool) {
    guard var entry = state.entry(subject) else { return ([], nil, false) }
    let kept = state
    // A change since the last sync comes before this one.
    let scan = try scan([:])
    let found = knownConflicts(of: subject).filter { field == nil || $0.key == field }
    var plan: Plan?
    var hold = scan.held[subject]
    let insists = field == nil && choice == 0 && hold == nil && isForbidden(subject, scan)
    if choice > 0, hold == nil, !found.isEmpty {
      do {
        plan = try self.plan(subject, taking: choice, of: found, scan)
      } catch {
        hold = error
      }
    }
    let fields = plan?.fields ?? state.entry(subject).flatMap { shownFields($0.state, subject) }
    state = kept
    guard insists || !found.isEmpty, hold == nil else { return (found, hold, false) }
    entry.insists = insists
    entry.chosen.formUnion(found.map(\.key))
    entry.chosenRevision = fields?["rev"]?.integer ?? 0
    if var plan {
      (entry.earlier, entry.purged) = (plan.entry.earlier, nil)
      plan.entry = entry
      var report = SyncReport()
      try write([plan], [:], &report)
      return (found, report.held[subject], insists)
    }
    state.put(subject, entry, from: entry.state.vector)
    // Its file is read again at the next sync.
    state.note(subject, state.rows[subject]?.place ?? .absent, nil, nil)
    try keep()
    return (found, nil, insists)
  }

  /// Returns the write by which a record shows other values of its parts; `nil` where it does.
  private mutating func plan(
    _ subject: SyncSubject, taking choice: Int, of conflicts: [SyncConflict], _ scan: SyncScan
  ) throws(SyncHold) -> Plan? {
    guard var entry = state.entry(subject) else { return nil }
    let table = MergeTable.of(subject)
    for conflict in conflicts { entry.state.keep(choice, of: conflict.key, table) }
    // Another value is shown from now on: the record is a new one.
    var fields = try shownRecord(entry.state, subject)
    if let rev = fields["rev"]?.integer, let time = fields["updatedAt"]?.string {
      fields["rev"] = .integer(rev.addingClamped(1))
      fields["updatedAt"] = .string(max(now, Instant(rfc3339: time) ?? now).rfc3339)
    }
    entry.state.observe(
      ObservedRecord(
        cells: table.cells(of: fields), isLive: entry.state.isAlive, stamp: now.seconds,
        deletedAt: entry.state.deletedAt ?? now.seconds),
      by: actor, table)
    var trash = TrashPlaces(store)
    return try plan(subject, entry, scan, &trash)
  }

  /// The parts of all records that have several values. A change since the last sync counts, and is not kept.
  package mutating func conflicts() throws(Fault) -> [SyncConflict] {
    let kept = state
    defer { state = kept }
    _ = try scan([:])
    return state.rows.keys.sorted { $0.text < $1.text }.flatMap { knownConflicts(of: $0) }
  }

  /// The parts of a record that have several values, as its state is now.
  mutating func knownConflicts(of subject: SyncSubject) -> [SyncConflict] {
    let table = MergeTable.of(subject)
    guard let entry = state.entry(subject), entry.isShown else { return [] }
    let found = entry.state.conflicts(table)
    guard !found.isEmpty else { return [] }
    let fields = entry.state.fields(table)
    let title = fields["title"]?.string ?? fields["name"]?.string ?? name(of: subject)
    return found.map { key, shown in
      func choice(_ value: CellValue?) -> SyncConflict.Choice {
        let last = (entry.state.cells[key] ?? [:]).filter { $0.value.value?.json == value?.json }
          .max { ($0.value.stamp, $0.key) < ($1.value.stamp, $1.key) }
        return SyncConflict.Choice(value: value?.json, device: device(last?.key.actor ?? actor))
      }
      return SyncConflict(
        subject: subject, title: title, field: key.member, key: key,
        shown: choice(shown.value), others: shown.others.map(choice))
    }
  }

  /// What a record without a title of its own is called: a bequest, by what is left and to whom.
  private func name(of subject: SyncSubject) -> String {
    guard case .record(let record) = subject else { return "" }
    return RecordNames(store, now: now).title(anywhere: record) ?? ""
  }

  func device(_ actor: ActorID) -> SyncDevice {
    SyncDevice(actor: actor, host: host(of: actor), isOwn: actor == self.actor)
  }
}

extension Change {
  /// The place in the order in which records are written: what is named stands before what names it, and
  /// goes after it.
  fileprivate var rank: Int {
    let names = record?.kind == .bequest
    if isLive { return names ? 1 : 0 }
    return names ? 2 : 3
  }
}
