/// An operation taken back: what becomes of each record and setting, and what stays.
package struct UndoPlan: Sendable {
  /// What becomes of a record.
  package enum Work: String, Hashable, Sendable {
    /// What was made goes to the trash.
    case trashed
    /// What was deleted comes back.
    case restored
    /// What was changed is again what it was.
    case changed
  }

  /// A record that is put right.
  package struct Step: Sendable {
    package let record: RecordReference
    package let work: Work
    /// The members that change, by their names.
    package let fields: [Field]
    let change: Change
    /// What the record says then; `nil` where it goes to the trash, or cannot be read.
    let model: (any RecordModel)?
    let original: (any RecordModel)?
  }

  /// A value that becomes another; `nil` where there is none.
  package struct Field: Sendable {
    package let name: String
    package let from: JSON?
    package let to: JSON?
  }

  /// Why something stays as it is.
  package enum Reason: Sendable {
    /// Somebody changed it since.
    case changedSince
    /// A rule for changes keeps it.
    case rule(ChangeRule)
    /// It is as it was before the operation, or gone.
    case isSo, isGone
  }

  /// Something that stays as it is.
  package struct Kept: Sendable {
    /// `nil` for a setting.
    package let record: RecordReference?
    /// The member, or the setting; `nil` for the whole record.
    package let field: String?
    package let reason: Reason
  }

  package let operation: Operation
  package internal(set) var steps: [Step] = []
  package internal(set) var settings: [Field] = []
  package internal(set) var kept: [Kept] = []
  fileprivate var settingsChange: Change?

  package var isEmpty: Bool { steps.isEmpty && settings.isEmpty }

  /// What stays although it was to become what it was.
  package var staying: [Kept] {
    kept.filter { if case .isSo = $0.reason { false } else { true } }
  }
}

/// The reason why an operation is not taken back.
package enum UndoProblem: Hashable, Sendable {
  case nothing, nothingToRedo
  /// The newest change is in no operation.
  case unknown(operation: String?)
  /// The operation cannot be taken back; the one before it, which can.
  case lasting(Operation.Lasting, String, earlier: String?)
  /// Nothing of it can be taken back now.
  case stays(String, Bool)
  /// A record that it made is named by others.
  case needed(String, by: [String])
  /// The version before it is in no journal any more.
  case forgotten(String)
  case noSuchOperation(String)
  case severalOperations(String)
  case isUndone(String)
  /// A later operation changed what it made.
  case changedBy(String, String, String)
  /// It was no person on this device.
  case notHere(String)

  /// Whether nothing makes way for the newest operation, so that the one before it is meant.
  package var isFinal: Bool {
    switch self {
    case .stays, .forgotten: true
    default: false
    }
  }
}

extension StoreOperations {
  /// Plans what is done to take an operation back.
  ///
  /// - Throws: ``Fault``: `.cannotUndo` where nothing of it can be, or others rest on it; `.nameTaken` and
  ///   `.missingReference` where something cannot come back; `.recordDamaged`, `.io`.
  package func plan(
    takingBack operation: Operation, among operations: [Operation]? = nil, now: Instant
  ) throws(Fault) -> UndoPlan {
    var plan = UndoPlan(operation: operation)
    let all = if let operations { operations } else { try all() }
    let trash = try trashed(operation)
    let later = LaterChanges(all, after: operation)
    let versions = try versions(of: operation.changes.filter { $0.to.isLive })
    for change in operation.changes {
      if change.isMixed {
        plan.kept.append(
          UndoPlan.Kept(record: change.record, field: nil, reason: .changedSince))
        continue
      }
      if change.from?.isLive != true, change.to.isLive, let edit = later.edits[change.record] {
        throw Fault(
          UndoProblem.changedBy(
            operation.name(in: store, now: now), edit.command, String(edit.id.prefix(8))))
      }
      try add(
        change, leftAs: later.states[change.record] ?? change.to, change.record.kind.model,
        trash[change.record], versions, to: &plan, now: now)
    }
    try addSettings(to: &plan, now: now)
    try requireFree(plan, now: now)
    if plan.isEmpty {
      let isSo = plan.staying.isEmpty
      throw Fault(UndoProblem.stays(operation.name(in: store, now: now), isSo))
    }
    return plan
  }

  /// The files in the trash of the records that an operation changed.
  private func trashed(
    _ operation: Operation
  ) throws(Fault) -> [RecordReference: TrashedRecord] {
    let wanted = Set(operation.changes.map(\.record))
    var found: [RecordReference: TrashedRecord] = [:]
    for kind in Set(wanted.map(\.kind)) {
      for record in try store.trash.records(kind) {
        let reference = RecordReference(kind, record.id)
        if wanted.contains(reference), found[reference] == nil { found[reference] = record }
      }
    }
    return found
  }

  private func add<Model: RecordModel>(
    _ change: Operation.Change, leftAs last: Operation.State, _ type: Model.Type,
    _ trashed: TrashedRecord?, _ versions: OperationVersions, to plan: inout UndoPlan,
    now: Instant
  ) throws(Fault) {
    let live = try bytes(layout.record(change.record.kind, change.record.id))
    func keep(_ reason: UndoPlan.Reason, _ field: String? = nil) {
      plan.kept.append(UndoPlan.Kept(record: change.record, field: field, reason: reason))
    }
    let wasLive = change.from?.isLive ?? false
    switch (wasLive, change.to.isLive) {
    case (false, true):
      guard let live else { return keep(trashed == nil ? .isGone : .isSo) }
      guard Operation.digest(live) == last.digest else { return keep(.changedSince) }
      plan.steps.append(
        UndoPlan.Step(
          record: change.record, work: .trashed, fields: [],
          change: .delete(change.record, live, at: now), model: nil, original: nil))
    case (true, false):
      guard live == nil else { return keep(.isSo) }
      guard let trashed, let file = try bytes(trashed.path) else { return keep(.isGone) }
      plan.steps.append(
        UndoPlan.Step(
          record: change.record, work: .restored, fields: [], change: .restore(trashed, file),
          model: try? RecordFile.decode(file, as: Model.self, id: change.record.id).model,
          original: nil))
    case (true, true):
      guard let live else { return keep(.isGone) }
      try edit(change, type, live, versions, to: &plan, now: now)
    case (false, false):
      keep(change.from.map { $0.digest == change.to.digest } ?? true ? .isSo : .changedSince)
    }
  }

  private func bytes(_ path: FilePath) throws(Fault) -> [UInt8]? {
    do {
      return try files.readFile(path, limit: RecordFile.sizeLimit)
    } catch {
      if error.condition == .notFound { return nil }
      throw error
    }
  }

  /// Adds the change of a record that is live, and was.
  private func edit<Model: RecordModel>(
    _ change: Operation.Change, _ type: Model.Type, _ live: [UInt8],
    _ versions: OperationVersions, to plan: inout UndoPlan, now: Instant
  ) throws(Fault) {
    let (kind, id) = (change.record.kind, change.record.id)
    var record = try StoredRecord<Model>(live, id: id, path: layout.record(kind, id))
    if let damage = record.integrity { throw .damaged(damage, path: layout.record(kind, id).text) }
    let today = record.original.fields
    if change.from?.digest == change.to.digest { return }
    guard let former = versions.fields(change.record, change.from),
      let left = versions.fields(change.record, change.to)
    else { throw Fault(UndoProblem.forgotten(plan.operation.name(in: store, now: now))) }
    let merged = ThreeWay(MergeTable.of(kind), former: former, left: left, today: today)
    func keep(_ reason: UndoPlan.Reason, _ field: String?) {
      plan.kept.append(UndoPlan.Kept(record: change.record, field: field, reason: reason))
    }
    for field in merged.changedSince { keep(.changedSince, field) }
    guard let wanted = try? Model(fields: merged.fields) else { return keep(.changedSince, nil) }
    record.model = wanted.edit(of: record.original)
    if let rule = record.model.brokenRule(after: record.original) { return keep(.rule(rule), nil) }
    let fields = record.model.fields
    let staying = RecordFile.differences(wanted.fields, fields)
    for field in MergeTable.of(kind).firstMembers(of: staying) {
      keep(.rule(wanted.brokenRule(after: record.original) ?? .contentsStay), field)
    }
    let changed = RecordFile.differences(today, fields)
    guard !changed.isEmpty else {
      if merged.changedSince.isEmpty, wanted.fields == fields { keep(.isSo, nil) }
      return
    }
    try store.relations.requireReferences(of: record.model)
    for name in Set(record.model.blobs).subtracting(record.original.blobs).sorted() {
      guard let damage = try store.blobs.damage(of: name) else { continue }
      throw .blobDamaged(name, path: layout.blob(name).text, damage)
    }
    let written = try record.raised(now: now, in: layout)
    plan.steps.append(
      UndoPlan.Step(
        record: change.record, work: .changed,
        fields: changed.map { UndoPlan.Field(name: $0, from: today[$0], to: fields[$0]) },
        change: written.change, model: written.model, original: record.original))
  }

  /// Adds the settings that are still as the operation left them.
  private func addSettings(to plan: inout UndoPlan, now: Instant) throws(Fault) {
    guard !plan.operation.settings.isEmpty else { return }
    let before = try store.settings.intact()
    var settings = before
    let checkIns = StoreSettings(["checkIns": plan.operation.settings["checkIns"]?["was"] ?? .null])
      .checkIns
    for member in plan.operation.settings where !Operation.signsOfLife.contains(member.key) {
      let (key, value) = (member.key, member.value)
      func keep(_ reason: UndoPlan.Reason) {
        plan.kept.append(UndoPlan.Kept(record: nil, field: key, reason: reason))
      }
      let (former, today) = (value["was"] == .null ? nil : value["was"], before.values[key])
      if today == former {
        keep(.isSo)
      } else if Operation.digest(today) != value["left"]?.string {
        keep(.changedSince)
      } else if try !store.settings.mayPutBack(key, former, in: before) {
        keep(.rule(.passingStays))
      } else {
        settings.putBack(key, former, checkIns, now: now)
        plan.settings.append(UndoPlan.Field(name: key, from: today, to: former))
      }
    }
    if !plan.settings.isEmpty {
      let file = try bytes(layout.settings).map { SHA256.hash($0) }
      plan.settingsChange = Change(settings, inPlaceOf: before, file)
    }
  }

  /// Sees to it that nothing rests on what goes to the trash.
  private func requireFree(_ plan: UndoPlan, now: Instant) throws(Fault) {
    let going = Set(plan.steps.filter { $0.work == .trashed }.map(\.record))
    guard !going.isEmpty else { return }
    try store.trustees.requireNotNamed(going, now: now)
    let names = RecordNames(store, now: now)
    for (record, others) in try store.relations.dependents(of: going, now: now) {
      let staying = others.filter { !going.contains($0) }
      guard !staying.isEmpty else { continue }
      throw Fault(
        UndoProblem.needed(
          names.title(record) ?? "",
          by: staying.map { names.title(anywhere: $0) ?? "?" }))
    }
  }
}

extension StoreSettings {
  /// Gives a setting its former value again. That the owner puts it right is a sign of life.
  ///
  /// - Parameter former: the check-ins that there were.
  fileprivate mutating func putBack(
    _ key: String, _ value: JSON?, _ former: CheckIns, now: Instant
  ) {
    set(key, to: value)
    guard key == StoreSettings.switchName, value != nil,
      let silenceSwitch = (try? self.silenceSwitch()) ?? nil
    else { return }
    var checkIns = CheckIns(former.times + checkIns.times)
    checkIns.add(now)
    set(silenceSwitch, checkIns)
  }
}

extension SettingsFile {
  /// Whether a setting may have its former value again: under the rules of every change, as they are today. The
  /// value is anybody's who can write the store.
  ///
  /// - Throws: ``Fault`` where the switch names somebody who cannot be told.
  fileprivate func mayPutBack(
    _ key: String, _ former: JSON?, in settings: StoreSettings
  ) throws(Fault) -> Bool {
    switch key {
    case StoreSettings.passingName:
      guard let former else { return true }
      return settings.passing == nil && !settings.owner.trimmed.isEmpty
        && (try? Passing(json: former)) != nil
    case StoreSettings.switchName:
      if settings.passing != nil { return false }
      guard let former else { return true }
      guard let terms = try? SilenceSwitch(json: former) else { return false }
      try store.switch.requireAllowed(terms, after: (try? settings.silenceSwitch()) ?? nil)
      return true
    default:
      if key == Setting.owner.key, settings.passing != nil { return false }
      guard let setting = Setting.named(key) else { return false }
      return former.map(setting.accepts) ?? true
    }
  }
}

/// What a device did to records after an operation.
private struct LaterChanges {
  /// The states in which it left them last.
  private(set) var states: [RecordReference: Operation.State] = [:]
  /// The first operations that changed them and are not taken back.
  private(set) var edits: [RecordReference: Operation] = [:]

  init(_ all: [Operation], after operation: Operation) {
    let records = Set(operation.changes.map(\.record))
    let done = Set(OperationLine(all).done.map(\.id))
    var later: [String: Operation] = [:]
    for other in all.drop(while: { $0.id != operation.id }).dropFirst()
    where other.origin == .person {
      later[other.id] = other
      let isEdit = done.contains(other.id) && !Self.bringsBack(other, later)
      for change in other.changes where records.contains(change.record) {
        states[change.record] = change.to
        if isEdit, edits[change.record] == nil { edits[change.record] = other }
      }
    }
  }

  /// Whether an operation brings again what there was already, and what was taken back only later.
  private static func bringsBack(_ operation: Operation, _ later: [String: Operation]) -> Bool {
    var seen: Set<String> = []
    var other = operation
    while seen.insert(other.id).inserted, let id = other.redoes ?? other.undoes {
      guard let earlier = later[id] else { return other.undoes != nil }
      other = earlier
    }
    return false
  }
}

extension StoreOperations {
  /// Takes an operation back, or brings one that was taken back again, as one commit.
  ///
  /// - Parameter undone: the operation that was taken back, where it is brought again: the plan is of it.
  /// - Throws: as ``plan(takingBack:now:)`` does, where something changed since it was planned.
  package func carryOut(
    _ plan: UndoPlan, bringingBack: Bool = false, now: Instant
  ) throws(Fault) -> UndoPlan {
    var plan = plan
    var store = store
    store.undoing = bringingBack ? (nil, plan.operation.id) : (plan.operation.id, nil)
    while true {
      do {
        try store.operations.commit(plan, now: now)
        return plan
      } catch {
        guard error.code == .changedMeanwhile || error.code == .recordGone else { throw error }
      }
      plan = try self.plan(takingBack: plan.operation, now: now)
    }
  }

  private func commit(_ plan: UndoPlan, now: Instant) throws(Fault) {
    var changes = plan.steps.map(\.change)
    if let settings = plan.settingsChange { changes.append(settings) }
    try store.commit(changes, at: now) { () throws(Fault) in
      try requireFree(plan, now: now)
      var admission = Admission(store, now: now)
      for step in plan.steps {
        if step.work != .restored { admission.changing.insert(step.record.id) }
        if step.work == .restored { admission.coming.insert(step.record) }
        try requireUnchanged(step)
      }
      if let settings = plan.settingsChange,
        try bytes(layout.settings).map({ SHA256.hash($0) }) != settings.before
      {
        throw .changedMeanwhile(.capsule, .zero)
      }
      for step in plan.steps.sorted(by: { $0.rank < $1.rank }) {
        if let model = step.model { try admit(model, step.original, &admission) }
      }
    }
  }

  private func requireUnchanged(_ step: UndoPlan.Step) throws(Fault) {
    let path = step.change.trashed ?? layout.record(step.record.kind, step.record.id)
    guard let file = try bytes(path), SHA256.hash(file) == step.change.before else {
      throw .changedMeanwhile(step.record.kind, step.record.id)
    }
  }

  private func admit<Model: RecordModel>(
    _ model: Model, _ original: (any RecordModel)?, _ admission: inout Admission
  ) throws(Fault) {
    try admission.admit(model, inPlaceOf: original as? Model)
  }
}

extension UndoPlan.Step {
  /// What is named comes before what names it.
  fileprivate var rank: Int { record.kind == .bequest ? 1 : 0 }
}

extension Operation {
  /// The operation in words: its command, and what it is about.
  package func name(in store: Store, now: Instant) -> String {
    let names = RecordNames(store, now: now)
    func title(_ record: RecordReference) -> String {
      names.title(anywhere: record).map { "'\($0)'" } ?? "a purged \(record.kind.word)"
    }
    switch changes.count {
    case 0:
      // 'settings set owner', and 'passing declare', which sets what it is named after.
      guard settings.count == 1, let key = settings.keys.first,
        !command.split(separator: " ").contains(key[...])
      else { return command }
      return "\(command) \(key)"
    case 1: return "\(command) \(title(changes[0].record))"
    default:
      let others = changes.count - 1
      let first = changes.first { $0.record.kind != .bequest } ?? changes[0]
      return "\(command) \(title(first.record)) and \(others) more"
    }
  }
}

extension UndoProblem: FaultCause {
  package var code: Fault.Code {
    switch self {
    case .noSuchOperation: .notFound
    case .severalOperations: .ambiguous
    default: .cannotUndo
    }
  }

  package var message: Fault.Message {
    switch self {
    case .nothing: "there is nothing to undo"
    case .nothingToRedo: "there is nothing to redo"
    case .unknown: "the newest change is not in the list of operations"
    case .lasting(let what, let name, _): "cannot undo \(name): \(what.words)"
    case .stays(let name, true): "cannot undo \(name): everything is already as it was before"
    case .stays(let name, false): "cannot undo \(name): everything was changed since, or must stay"
    case .needed(let title, let others):
      "cannot undo: '\(title)' is left to somebody: \(others.map { "'\($0)'" }.listed("and"))"
    case .forgotten(let name): "cannot undo \(name): the earlier version is gone"
    case .noSuchOperation(let text): "no operation '\(text)' is known"
    case .severalOperations(let text): "several operations begin with '\(text)'"
    case .changedBy(let name, let edit, _): "cannot undo \(name): '\(edit)' came after it"
    case .isUndone(let name): "'\(name)' is undone already"
    case .notHere(let name): "'\(name)' was not done by a person on this device"
    }
  }

  package var hint: String? {
    switch self {
    case .nothing, .nothingToRedo, .noSuchOperation, .severalOperations, .notHere:
      "list the operations: capsule log"
    case .unknown(let id?): "to undo the newest one that is listed: capsule undo \(id)"
    case .lasting(_, _, let id?): "to undo the operation before it: capsule undo \(id)"
    case .needed: "delete the bequests first, or undo what made them"
    case .changedBy(_, _, let id): "undo that first: capsule undo \(id)"
    case .stays, .forgotten: "look at the versions: capsule versions REF"
    case .isUndone: "bring it back: capsule redo"
    case .unknown(nil), .lasting(_, _, nil): nil
    }
  }
}

extension Operation.Lasting {
  package var words: String {
    switch self {
    case .opening: "a capsule that was opened stays opened"
    case .contents: "contents stay in a capsule"
    case .delivery: "what was sent stays sent"
    case .shares: "shares stay valid"
    case .keys: "keys cannot be changed back"
    case .remotes: "remotes are changed by 'capsule sync'"
    case .purged: "what was removed for good is gone"
    }
  }
}
