/// The rules of every writer, held against what came: a machine whose changes claim to have seen all others could
/// otherwise take back what a merge promises.
extension SyncSession {
  /// Checks that a record may take the place of the one that is here.
  ///
  /// - Parameters:
  ///   - before: the members of the one that is here; `nil` where there is none.
  ///   - known: its state before anything came.
  ///   - joined: the state that shows `fields`.
  static func requireAllowed(
    _ subject: SyncSubject, _ fields: JSONObject, after before: JSONObject?,
    known: RecordState?, joined: RecordState
  ) throws(SyncHold) {
    guard let before, let rule = brokenRule(subject, fields, after: before) else { return }
    let table = MergeTable.of(subject)
    let (mine, others) = (table.cells(of: before), table.cells(of: fields))
    let isChoice = rule.choices.allSatisfy { key in
      func has(_ state: RecordState?, _ value: CellValue?) -> Bool {
        (state?.cells[key] ?? [:]).values.contains { RecordState.areEqual($0.value, value) }
      }
      let (own, other) = (mine[key], others[key])
      return RecordState.areEqual(own, other) || has(joined, own) || has(known, other)
        || key == MergeTable.replaced
          && Set(own?.json.array ?? []).isSubset(of: other?.json.array ?? [])
    }
    if rule.choices.isEmpty || !isChoice { throw .forbidden(rule) }
  }

  static func brokenRule(
    _ subject: SyncSubject, _ fields: JSONObject, after before: JSONObject
  ) -> ChangeRule? {
    guard let kind = subject.kind else {
      return StoreSettings(fields).brokenMergeRule(after: StoreSettings(before))
    }
    return brokenRule(kind.model, fields, after: before)
  }

  private static func brokenRule<Model: RecordModel>(
    _ type: Model.Type, _ fields: JSONObject, after before: JSONObject
  ) -> ChangeRule? {
    guard let record = try? Model(fields: fields), let before = try? Model(fields: before) else {
      return nil
    }
    return record.brokenMergeRule(after: before)
  }

  /// Puts what each machine has of its own into the lock of a record that came: the sealed key of an honor lock,
  /// which is another one in each protected store, and the spare.
  static func keepingOwnLock(_ fields: JSONObject, of file: JSONObject?) -> JSONObject {
    guard case .object(let own)? = file?["lock"], case .object(var lock)? = fields["lock"],
      own["kind"] == lock["kind"], own["recipient"] == lock["recipient"]
    else { return fields }
    if lock["kind"] == .string(LockKind.honor.rawValue) { lock["key"] = own["key"] }
    lock["spare"] = own["spare"]
    var fields = fields
    fields["lock"] = .object(lock)
    return fields
  }
}

extension ChangeRule {
  /// The parts of which machines may have different values, so that one of those that are known takes another's
  /// place: such a choice is a conflict, which is told.
  fileprivate var choices: [CellKey] {
    switch self {
    case .deliveryStays: [CellKey("delivery")]
    case .holdersStay: [CellKey("shares"), MergeTable.replaced]
    case .passingStays: [CellKey(StoreSettings.passingName)]
    case .neverEarlier, .lockedAgainOnPurpose, .nothingAdded, .contentsStay, .lockStays,
      .openingStays, .sentStays:
      []
    }
  }
}

extension MergeTable {
  /// The former keys of a group of trustees, which are only added to.
  fileprivate static let replaced = CellKey("replaced")
  private static let keptSiblings = ["shares", replaced.member, StoreSettings.passingName]

  /// Whether a part is one that rules keep as it is.
  func isKept(_ key: CellKey) -> Bool {
    switch rule(key) {
    case .greatest, .least, .once, .delivery, .collection: true
    case .siblings: Self.keptSiblings.contains(key.member)
    case .elements: false
    }
  }
}
