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
    func earlier() -> Operation? {
      line.done.prefix { $0.id != target.id }.reversed().prefix(50).first {
        $0.lasting == nil
          && (try? store.operations.plan(takingBack: $0, among: all, now: session.now)) != nil
      }
    }
    if let lasting = target.lasting {
      throw Fault(
        UndoProblem.lasting(
          lasting, target.name(in: store, now: session.now), earlier: earlier()?.shortID))
    }
    do {
      return try run(target, isRedo: false, among: all, invocation, in: store, session)
    } catch var fault as Fault {
      if !invocation.has(operation), let problem = fault.cause as? UndoProblem, problem.isFinal,
        let before = earlier()
      {
        fault.hint = "to undo the operation before it: capsule undo \(before.shortID)"
      }
      throw fault
    }
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
    if draft == nil, !isRedo, invocation.has(output) {
      throw Fault(
        .notFound, "no draft is kept for \(views.name(of: target))",
        hint: "undo it without '--output'")
    }
    let composes =
      draft != nil && session.ask.isInteractive && session.options.form == .text
      && !invocation[trash] && !invocation.has(output)
    if !isDryRun {
      let isAsked = composes || draft != nil && invocation.has(output)
      if !isRedo, !isAsked {
        try confirm(
          plan, isConfirmed: invocation[trash], hasDraft: draft != nil, in: store, session)
      }
      if let draft, let directory = invocation[output] {
        try write(draft, to: directory, session)
      }
      plan = try store.operations.carryOut(plan, bringingBack: isRedo, now: session.now)
    }
    for kept in plan.staying { session.console.warning(views.words(kept)) }
    if let draft, !isDryRun, composes {
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
      if draft != nil, !isDryRun, let directory = invocation[output] {
        out.line("Wrote the draft into '\(directory.text)'")
      }
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
    _ plan: UndoPlan, isConfirmed: Bool, hasDraft: Bool, in store: Store, _ session: Session
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
          hint: hasDraft
            ? "save the draft, and move the capsule to the trash: capsule undo --output DIR"
            : "move it to the trash all the same: capsule undo --trash"),
        ended: .canceled())
      guard isMeant else { throw Fault.canceled() }
    }
  }
}

extension Operation {
  /// What people type for it.
  var shortID: String { String(id.prefix(8)) }
}
