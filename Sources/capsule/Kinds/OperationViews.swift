import CapsuleCore

/// Operations as people and programs see them.
struct OperationViews {
  private let store: Store
  private let session: Session
  private let names: RecordNames
  /// The operations that are undone.
  private let undone: Set<String>
  private let all: [String: Operation]

  init(_ store: Store, _ session: Session, _ all: [Operation]) {
    (self.store, self.session) = (store, session)
    names = RecordNames(store, now: session.now)
    undone = OperationLine(all).takenBack
    self.all = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
  }

  /// Finds a record, also in the trash.
  static func find(
    _ reference: String, in store: Store, _ session: Session
  ) throws -> RecordReference {
    do {
      let found = try session.records.find(reference, among: RecordKind.allCases, in: store)
      return RecordReference(found.kind, found.id)
    } catch let failure as Fault where failure.kind == .notFound {
      guard let entry = try? TrashListing(store, now: session.now).find(reference) else {
        throw failure
      }
      return RecordReference(entry.record.kind, entry.record.id)
    }
  }

  func title(_ record: RecordReference) -> String? { names.title(anywhere: record) }

  private func values(of change: Operation.Change) -> [UndoPlan.Field] {
    (try? store.operations.versions(of: [change]))?.values(of: change) ?? []
  }

  /// The title or name in quotes, or what it was.
  private func quotedTitle(_ record: RecordReference) -> String {
    title(record).map { "'\($0)'" } ?? "a purged \(record.kind.word)"
  }

  /// The command, and what it was about: `edit 'For Ben'`.
  func title(of operation: Operation) -> String {
    let records = operation.changes.map(\.record)
    let first = original(of: operation)
    let words =
      first.id == operation.id ? operation.command : "\(operation.command) \(first.command)"
    guard let first = records.first(where: { $0.kind != .bequest }) ?? records.first else {
      return words
    }
    let more = records.count > 1 ? " and \(records.count - 1) more" : ""
    return "\(words) \(quotedTitle(first))\(more)"
  }

  /// The operation that an undo or redo is about in the end. A list that somebody forged may go round.
  private func original(of operation: Operation) -> Operation {
    var (found, seen) = (operation, Set([operation.id]))
    while let next = (found.undoes ?? found.redoes).flatMap({ all[$0] }),
      seen.insert(next.id).inserted
    {
      found = next
    }
    return found
  }

  /// The operation that is taken back or brought again, by its own command.
  func name(of operation: Operation) -> String {
    original(of: operation).name(in: store, now: session.now)
  }

  /// What of it changed, by name.
  func facts(of operation: Operation) -> String {
    var words: [String] = []
    if undone.contains(operation.id) { words.append("(undone)") }
    let kinds = Set(operation.changes.map(\.work))
    if kinds != [.changed] { words += kinds.map(\.rawValue).sorted() }
    words += Set(operation.changes.flatMap(\.fields)).map { FieldWords.name($0) }.sorted()
    words += operation.settings.keys.map { Setting.named($0)?.name ?? $0 }.sorted()
    words += operation.purged.sorted { $0.key.rawValue < $1.key.rawValue }.map {
      "purged \(String.counting($0.value, $0.key.word))"
    }
    if words.isEmpty, let lasting = operation.lasting { words.append(lasting.rawValue) }
    if operation.origin != .person { words.append("by \(operation.origin.word)") }
    return words.joined(separator: ", ")
  }

  private func line(_ field: UndoPlan.Field, named name: String? = nil) -> StyledText {
    let words = FieldWords(session)
    return FieldChange(
      field: name ?? FieldWords.name(field.name), from: words.text(field.from, of: field.name),
      to: words.text(field.to, of: field.name)
    ).line
  }

  /// The most records of a plan that are listed for people.
  private static let mostSteps = 10

  /// What a plan does, a line each.
  func lines(of plan: UndoPlan) -> [StyledText] {
    let shown = plan.steps.count > Self.mostSteps + 1 ? Self.mostSteps : plan.steps.count
    let more = plan.steps.count - shown
    return plan.steps.prefix(shown).flatMap { step -> [StyledText] in
      let title = quotedTitle(step.record)
      switch step.work {
      case .trashed: return ["\("  moved \(title) to the trash")"]
      case .restored: return ["\("  restored \(title)")"]
      case .changed: return ["\("  changed \(title)")"] + step.fields.map { "  \(line($0))" }
      }
    } + (more > 0 ? ["  and \(String.counting(more, "more record"))"] : [])
      + plan.settings.map { line($0, named: Setting.named($0.name)?.name) }
  }

  func words(_ kept: UndoPlan.Kept) -> String {
    let subject = kept.record.map(quotedTitle) ?? "the setting"
    let part = kept.field.map { " \(FieldWords.name($0))" } ?? ""
    switch kept.reason {
    case .changedSince: return "\(subject):\(part) was changed since, and stays"
    case .rule: return "\(subject):\(part) can never go back, and stays"
    case .isGone: return "\(subject) is gone"
    case .isSo: return "\(subject) is as it was"
    }
  }

  /// Writes an operation, and the values of a record that it changed.
  func write(_ operation: Operation, about subject: RecordReference, to out: TextOutput) {
    out.line(
      "\(operation.shortID, .dim)  \(session.dates.relative(operation.at))  "
        + "\(title(of: operation), .bold)")
    for change in operation.changes where change.record == subject {
      let values = values(of: change)
      if values.isEmpty {
        let fields = change.fields.map { FieldWords.name($0) }
        out.line("  \(fields.isEmpty ? change.work.rawValue : fields.joined(separator: ", "))")
      }
      for value in values { out.line(line(value)) }
    }
  }

  func members(of operation: Operation, about subject: RecordReference?) -> JSONObject {
    let changes = operation.changes.filter { subject == nil || $0.record == subject }
    return [
      "id": operation.id.json, "at": operation.at.rfc3339.json, "command": operation.command.json,
      "by": operation.origin.word.json, "isUndone": undone.contains(operation.id).json,
      "canUndo": (operation.origin == .person && operation.lasting == nil).json,
      "lasting": (operation.lasting?.rawValue).json, "undoes": operation.undoes.json,
      "redoes": operation.redoes.json,
      "records": changes.map { change in
        var members = members(of: change.record)
        members["change"] = change.work.rawValue.json
        members["fields"] = change.fields.json
        members["values"] =
          subject == nil ? .null : values(of: change).map(\.members).json
        return members
      }.json,
      "settings": operation.settings.keys.sorted().json,
      "purged": operation.purged.values.reduce(0) { $0.addingClamped($1) }.json,
    ]
  }

  func members(of plan: UndoPlan, isDryRun: Bool) -> JSONObject {
    [
      "operation": plan.operation.id.json, "command": plan.operation.command.json,
      "at": plan.operation.at.rfc3339.json, "dryRun": isDryRun.json,
      "records": plan.steps.map { step in
        var members = members(of: step.record)
        members["change"] = step.work.rawValue.json
        members["values"] = step.fields.map(\.members).json
        return members
      }.json,
      "settings": plan.settings.map(\.members).json,
      "kept": plan.staying.map { kept in
        [
          "kind": (kept.record?.kind.rawValue).json, "id": (kept.record?.id).json,
          "field": kept.field.json, "reason": kept.reason.word.json,
        ]
      }.json,
    ]
  }

  private func members(of record: RecordReference) -> JSONObject {
    ["kind": record.kind.rawValue.json, "id": record.id.json, "title": title(record).json]
  }
}

extension UndoPlan.Field {
  fileprivate var members: JSONObject {
    ["field": name.json, "from": from ?? .null, "to": to ?? .null]
  }
}

extension UndoPlan.Reason {
  fileprivate var word: String {
    switch self {
    case .changedSince: "changedSince"
    case .rule: "rule"
    case .isSo: "same"
    case .isGone: "gone"
    }
  }
}

extension Operation.Change {
  /// What became of the record.
  fileprivate enum Work: String { case added, changed, deleted, restored }

  fileprivate var work: Work {
    switch (from?.isLive, to.isLive) {
    case (nil, _): .added
    case (true?, true): .changed
    case (true?, false): .deleted
    case (false?, true): .restored
    case (false?, false): .changed
    }
  }
}

/// Members of records, and their values, as people write them.
struct FieldWords {
  private let session: Session

  init(_ session: Session) { self.session = session }

  private static let names = [
    "unlockAt": "unlock time", "unlockZone": "time zone", "openedAt": "first opening",
    "media": "files", "at": "time", "cardUID": "vCard",
  ]

  /// The name of a member in words: `unlock time`, `created at`.
  static func name(_ member: String) -> String {
    names[member] ?? FieldChange.words(of: member)
  }

  /// The members that are dates, or times on the clocks of where an event is.
  private static let dates: Set = [
    "date", "until", "except", "also", "of", "boughtOn", "warrantyUntil",
  ]

  /// A value as text; empty for none.
  ///
  /// - Parameter member: the member that it is of.
  func text(_ value: JSON?, of member: String = "") -> String {
    switch value {
    case nil, .null: ""
    case .string(let text): self.text(text, of: member)
    case .bool(let flag): flag ? "yes" : "no"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .array(let values): values.map { text($0, of: member) }.joined(separator: ", ")
    case .object(let members): text(members)
    }
  }

  private func text(_ text: String, of member: String) -> String {
    if member == "length", let length = EventLength(text) { return length.words }
    if Self.dates.contains(member), let key = OccurrenceKey(text) { return key.words }
    return (try? Instant(json: .string(text))).map { session.dates.text($0) } ?? text
  }

  private func text(_ members: JSONObject) -> String {
    if let amount = members["amount"]?.string, let currency = members["currency"]?.string {
      return "\(currency) \(amount)"
    }
    if let reminder = try? Reminder(fields: members) { return text(reminder) }
    if let rule = try? EventRepeat(fields: members) { return rule.words }
    if let name = members["access"]?.string.flatMap({ AccessRule.Name(rawValue: $0) }) {
      let date = members["accessAt"].flatMap { try? Instant(json: $0) }
      if let rule = AccessRule(name, date: date) { return text(rule) }
    }
    if let holders = members["shares"]?.array?.compactMap({ $0["holder"] }) {
      return "any \(text(members["threshold"])) of \(text(.array(holders)))"
    }
    if let state = members["state"]?.string.flatMap({ DeliveryState(rawValue: $0) }) {
      let notes = text(members["notes"])
      return "\(state.words) \(text(members["at"]))" + (notes.isEmpty ? "" : ", \(notes)")
    }
    if let length = members["length"] {
      return [text(length, of: "length"), text(members["endZone"])].filter { !$0.isEmpty }
        .joined(separator: ", ")
    }
    if let moment = members["date"] ?? members["at"], members["title"] == nil {
      return time(moment, members)
    }
    if let named = members["title"] ?? members["name"] ?? members["text"] { return text(named) }
    return members.map { "\(Self.name($0.key)) \(text($0.value, of: $0.key))" }
      .joined(separator: ", ")
  }

  /// A time with what belongs to it: the zone where that is another one than the reader's.
  private func time(_ moment: JSON, _ members: JSONObject) -> String {
    let zone = members["zone"]?.string
    var rest = members
    for name in ["date", "at", "zone", "local"] { rest[name] = nil }
    return [
      text(moment, of: "date"), zone == session.zone.identifier ? "" : zone ?? "",
      rest.isEmpty ? "" : text(rest),
    ].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  func text(_ rule: AccessRule) -> String {
    switch rule {
    case .immediate: "immediately"
    case .afterDate(let date): "from \(session.dates.text(date))"
    case .uponPassing: "upon passing"
    }
  }

  func text(_ reminder: Reminder) -> String {
    let name = reminder.name.isEmpty ? "" : "\(reminder.name), "
    let origin = reminder.from.map { "from \(session.dates.text($0))" } ?? "after the last entry"
    let time = reminder.time.map { " at \($0.shortText)" } ?? ""
    return "\(name)\(reminder.words)\(time), \(origin)"
  }
}

extension OccurrenceKey {
  /// `Sun 15 Jun 2036`, or `Sun 15 Jun 2036 09:00` on the clocks of where the event is.
  var words: String {
    local.date.longText + (isAllDay ? "" : " \(local.time.shortText)")
  }
}
