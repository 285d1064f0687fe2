import CapsuleCore

/// `capsule log`.
enum LogCommand {
  static let reference = Parameter.optionalOperand(
    "REF", .text(completing: .record), "Only what changed this record")
  static let limit = Parameter.option(
    "limit", value: "N", .integer(1...), "Show at most N operations")

  static let command = Command(
    "log", summary: "List what was done to the store",
    discussion: """
      Each command that changes the store is one operation. The list has the operations of this device, newest \
      first. With `REF` it has only the changes of that record, with the old and the new values.

      `capsule undo` takes an operation back. Syncs and repairs are listed too, but `undo` skips them.
      """,
    operands: [reference], options: [limit], outputs: [.json, .ndjson],
    examples: [
      Example("capsule log --limit 5", "List the last five operations"),
      Example("capsule log 'Tax return'", "Show how a record changed"),
    ],
    exitCodes: [.notFound, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let store: Store?
    var subject: RecordReference?
    if let reference = invocation[reference] {
      let required = try session.stores.required(for: reference, among: RecordKind.allCases)
      subject = try OperationViews.find(reference, in: required, session)
      store = required
    } else {
      store = try session.stores.existing()
    }
    let unknown: StyledText = "No operations are known on this device."
    guard let store, case let all = try store.operations.all(), !all.isEmpty else {
      return .empty().noting(unknown)
    }
    let wanted = all.reversed().filter { operation in
      subject.map { operation.changes.map(\.record).contains($0) } ?? !operation.isSignOfLife
    }
    let shown = Array(wanted.prefix(invocation[limit] ?? .max))
    let views = OperationViews(store, session, all)
    let answer: Answer
    if let subject {
      answer = Answer(rows: shown, json: { views.members(of: $0, about: subject) }) { out in
        for operation in shown { views.write(operation, about: subject, to: out) }
      }
    } else {
      answer = Answer(
        rows: shown,
        columns: [
          RowColumn("OP") { StyledText($0.shortID, .dim) },
          .text("WHEN") { session.dates.relative($0.at) },
          .title("WHAT") { StyledText(views.title(of: $0), .bold) },
          .text("CHANGED") { views.facts(of: $0) },
        ], json: { views.members(of: $0, about: nil) })
    }
    return answer.paged().noting(shown.isEmpty ? unknown : nil)
  }
}

/// `capsule undo` and `capsule redo`.
enum UndoCommand {
  static let operation = Parameter.optionalOperand(
    "OP", .text, "The operation, as 'capsule log' lists it: the newest where none is given")
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "Show what would change, change nothing")
  static let trash = Parameter.flag(
    "trash", "Move a new capsule to the trash although its content cannot be read before its date")

  static let output = Parameter.option(
    "output", short: "o", value: "DIR", .path,
    "Write the kept draft of a capsule into this directory")

  static let undo = Command(
    "undo", summary: "Undo the last thing you did",
    discussion: """
      Takes back the newest operation of this device that is not undone yet; run it again for the one before. An \
      added record goes to the trash, a deleted one is restored, and changed fields get their former values. The \
      undo is a new edit: `capsule redo` takes it back, and `capsule versions` keeps every version.

      For 15 minutes after `create` and `add` (the setting `undoWindow`), what was typed is kept on this \
      device. At a terminal, the undo of a `create` shows it again, to correct and seal; `--output` writes it \
      into a directory. The contents that `add` put into a capsule stay there.

      Some things stay, and are reported with status 3:

      - Fields that were changed since.
      - A later unlock time, the opening and the contents of a capsule, and deliveries.

      If nothing is left to undo, or something depends on it, nothing changes (status 12). Openings, deliveries, \
      trustees' shares, keys, remotes and purges cannot be undone.
      """,
    operands: [operation], options: [dryRun, trash, output], outputs: .json,
    examples: [
      Example("capsule undo", "Undo the last thing you did"),
      Example("capsule undo --dry-run", "Show what that would change"),
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard let store = try session.stores.existing() else { throw Fault(UndoProblem.nothing) }
    let all = try store.operations.all()
    let line = OperationLine(all)
    let target: Operation
    if let text = invocation[operation] {
      target = try find(text, in: all, line)
    } else {
      if store.operations.isMissingTheNewest(all, now: session.now) {
        throw Fault(UndoProblem.unknown(operation: line.done.last?.shortID))
      }
      guard let newest = line.done.last else { throw Fault(UndoProblem.nothing) }
      target = newest
    }
    if target.lasting == .contents, let record = target.changes.first?.record,
      let draft = KeptDrafts(session, store).read(record.id.description),
      let directory = invocation[output]
    {
      return try write(draft, of: record, to: directory, session)
    }
    if let lasting = target.lasting {
      let earlier = line.done.prefix { $0.id != target.id }.reversed().prefix(50).first {
        $0.lasting == nil
          && (try? store.operations.plan(takingBack: $0, among: all, now: session.now)) != nil
      }
      throw Fault(
        UndoProblem.lasting(
          lasting, target.name(in: store, now: session.now), earlier: earlier?.shortID))
    }
    return try run(target, isRedo: false, among: all, invocation, in: store, session)
  }

  static let redo = Command(
    "redo", summary: "Do again what was undone",
    discussion: """
      Takes back the last `capsule undo`; run it again for the one before. A new change leaves nothing to redo.
      """,
    options: [dryRun], outputs: .json,
    examples: [Example("capsule redo", "Take the last 'capsule undo' back")],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    guard let store = try session.stores.existing() else {
      throw Fault(UndoProblem.nothingToRedo)
    }
    let all = try store.operations.all()
    guard let target = OperationLine(all).undone.last else {
      throw Fault(UndoProblem.nothingToRedo)
    }
    return try run(target, isRedo: true, among: all, invocation, in: store, session)
  }

  private static func find(
    _ text: String, in all: [Operation], _ line: OperationLine
  ) throws(Fault) -> Operation {
    let found = all.filter { $0.id.hasPrefix(text.lowercased()) }
    guard let first = found.first, text.utf8.count >= 4 else {
      throw Fault(UndoProblem.noSuchOperation(text))
    }
    guard found.count == 1 else { throw Fault(UndoProblem.severalOperations(text)) }
    if first.origin != .person { throw Fault(UndoProblem.notHere(first.command)) }
    guard line.done.contains(where: { $0.id == first.id }) else {
      throw Fault(UndoProblem.isUndone(first.command))
    }
    return first
  }

  private static func run(
    _ target: Operation, isRedo: Bool, among all: [Operation], _ invocation: Invocation,
    in store: Store, _ session: Session
  ) throws -> Answer {
    var plan = try store.operations.plan(takingBack: target, among: all, now: session.now)
    let views = OperationViews(store, session, all)
    let isDryRun = invocation[dryRun]
    let made = isRedo ? nil : plan.steps.first { $0.record.kind == .capsule && $0.work == .trashed }
    let draft = made.flatMap { KeptDrafts(session, store).read($0.record.id.description) }
    if !isDryRun {
      let isAsked = draft != nil && (session.ask.isInteractive || invocation.has(output))
      if !isRedo, !isAsked {
        try confirm(plan, isConfirmed: invocation[trash], in: store, session)
      }
      if let draft, let directory = invocation[output] {
        try write(draft, to: directory, session)
      }
      plan = try store.operations.carryOut(plan, bringingBack: isRedo, now: session.now)
    }
    for kept in plan.staying { session.console.warning(views.words(kept)) }
    if let draft, !isDryRun, !invocation.has(output), session.ask.isInteractive {
      session.console.note("The capsule is in the trash. Correct what you typed, and seal it:")
      var screen = ComposeScreen(session, draft)
      return try screen.run()
    }
    let answer = plan
    return Answer(
      views.members(of: answer, isDryRun: isDryRun),
      ending: plan.staying.isEmpty ? .ok : .partial, quiet: .nothing
    ) { out in
      let verb = isRedo ? (isDryRun ? "Would redo" : "Redid") : isDryRun ? "Would undo" : "Undid"
      out.line(
        "\(verb) \(views.name(of: target)) (\(session.dates.relative(target.at)))")
      for line in views.lines(of: answer) { out.line(line) }
    }
  }

  /// Writes a draft into a directory: each text as a file, and what else was typed.
  private static func write(_ draft: CapsuleDraft, to directory: FilePath, _ session: Session)
    throws
  {
    let files = session.host.files
    try files.requireOutsideStores(directory, and: session.stores.path())
    try files.createDirectories(directory)
    var lines = ["Title: \(draft.title.onOneLine)"]
    if let unlock = draft.unlock { lines.append("Unlock: \(unlock)") }
    lines += draft.options.map { "Option: \(String(decoding: $0, as: UTF8.self).onOneLine)" }
    for (number, part) in draft.parts.enumerated() {
      switch part {
      case .text(let text, let caption):
        let name = "text-\(number + 1).txt"
        try files.writeBeside(
          directory.appending(name), replacing: false, random: session.host.random
        ) { file in try Array(text.utf8).withUnsafeBytes { try file.write($0) } }
        lines.append("Text: \(name)" + (caption.map { " (\($0.onOneLine))" } ?? ""))
      case .file(let path, let caption):
        lines.append("File: \(path.text.onOneLine)" + (caption.map { " (\($0.onOneLine))" } ?? ""))
      }
    }
    let list = Array((lines.joined(separator: "\n") + "\n").utf8)
    try files.writeBeside(
      directory.appending("draft.txt"), replacing: false, random: session.host.random
    ) { file in try list.withUnsafeBytes { try file.write($0) } }
  }

  /// Writes what was added to a capsule, where it stays.
  private static func write(
    _ draft: CapsuleDraft, of record: RecordReference, to directory: FilePath, _ session: Session
  ) throws -> Answer {
    try write(draft, to: directory, session)
    session.console.warning("the contents stay in '\(draft.title)'; only the draft was written")
    return Answer(
      [
        "operation": .null, "command": "add", "at": .null, "dryRun": false, "records": [],
        "settings": [],
        "kept": [
          [
            "kind": record.kind.rawValue.json, "id": record.id.json, "field": "contents",
            "reason": "rule",
          ]
        ],
      ], ending: .partial, quiet: .nothing
    ) { $0.line("Wrote the draft into '\(directory.text)'") }
  }

  /// A capsule that was made stays sealed: nothing of it can be read before its date.
  private static func confirm(
    _ plan: UndoPlan, isConfirmed: Bool, in store: Store, _ session: Session
  ) throws {
    for step in plan.steps where step.record.kind == .capsule && step.work == .trashed {
      let capsule = try store.read(Capsule.self, step.record.id).model
      guard capsule.unlockAt > session.now, !isConfirmed else { continue }
      let question =
        "Move '\(capsule.title)' to the trash? Its content cannot be read until "
        + session.dates.text(capsule.unlockAt)
      let isMeant = try session.ask.isYes(
        question,
        unanswered: Fault(
          .refused, "the content of '\(capsule.title)' cannot be read before its date",
          hint: "move it to the trash all the same: capsule undo --trash"),
        ended: .canceled())
      guard isMeant else { throw Fault.canceled() }
    }
  }
}

extension Operation {
  /// What people type for it.
  var shortID: String { String(id.prefix(8)) }
}

/// Operations as people and programs see them.
struct OperationViews {
  private let store: Store
  private let session: Session
  private let names: RecordNames
  /// The operations that are undone, and those that undo.
  private let undone: Set<String>
  private let all: [String: Operation]

  init(_ store: Store, _ session: Session, _ all: [Operation]) {
    (self.store, self.session) = (store, session)
    names = RecordNames(store, now: session.now)
    let line = OperationLine(all)
    undone = Set(line.undone.compactMap(\.undoes))
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
    if operation.origin != .person { words.append("by \(operation.origin.word)") }
    return words.joined(separator: ", ")
  }

  private func line(_ field: UndoPlan.Field, named name: String? = nil) -> StyledText {
    let words = FieldWords(session)
    return FieldChange(
      field: name ?? FieldWords.name(field.name), from: words.text(field.from),
      to: words.text(field.to)
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

  /// A value as text; empty for none.
  func text(_ value: JSON?) -> String {
    switch value {
    case nil, .null: return ""
    case .string(let text):
      return (try? Instant(json: .string(text))).map { session.dates.text($0) } ?? text
    case .bool(let flag): return flag ? "yes" : "no"
    case .integer(let number): return "\(number)"
    case .number(let number): return "\(number)"
    case .array(let values): return values.map { text($0) }.joined(separator: ", ")
    case .object(let members):
      if let amount = members["amount"]?.string, let currency = members["currency"]?.string {
        return "\(currency) \(amount)"
      }
      let named = members["title"] ?? members["name"] ?? members["text"]
      if let named { return text(named) }
      return members.map { "\(Self.name($0.key)) \(text($0.value))" }.joined(separator: " ")
    }
  }
}
