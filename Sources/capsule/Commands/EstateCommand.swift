import CapsuleCore

/// `capsule estate make`.
enum EstateCommand {
  static let trustees = Parameter.option(
    "trustees", value: "TRUSTEES", .reference(.trustees),
    "The group that can open the file; that of the setting `trustees` if omitted")
  static let check = Parameter.option(
    "verify", value: "FILE", .path, formerly: "check",
    "Verify this file, and list what changed since it was made")
  static let exitCode = Parameter.flag(
    "exit-code", "With `--verify`, exit with status 1 if nothing changed")

  static let command = Command(
    "estate", "make", summary: "Seal your whole estate into one file for trustees",
    discussion: """
      An estate file is for the lawyer's envelope or for a stick in the safe. Any K trustees \
      together can open it, with this program or without. It contains:

      - `READ-ME-FIRST.html`, which tells the trustees in a browser who receives what and how to \
      open the rest.
      - For each person, what `deliver` would make if your death were declared now. People with a \
      recipient get a `.tar.age` that only they can open. Others get a folder that the trustees \
      can read. Bequests from a later date are in the folder `later`, marked with that date.
      - Every capsule that is not with a person already, as encrypted files. The key of an honor \
      lock is beside them, so the trustees can open the capsule early. Other locks stay as they \
      are, with the trustees' recovery copy if there is one.
      - Only the title of a capsule that needs a passphrase and has no recovery copy.
      - An inventory of all items.

      The command also writes three files without secrets. Keep them beside the estate file:

      - `FILE.html` tells anybody who finds it what the file is, who can open it, and how. It has \
      your name and those of the trustees.
      - `FILE.join.py` joins the shares where this program is missing.
      - `FILE.list`, without titles, is for `--verify FILE`, which shows what changed since, without \
      opening the estate file.

      Limits:

      - The store does not change: no bequest is marked, and no death is declared.
      - The store's own identities are never in the file.
      - Nothing else is written unencrypted, and no file appears before it is complete.
      - A protected store needs its passphrase: use `--passphrase-file`, `--passphrase-command` or \
      `store remember`.
      """,
    options: [
      trustees, FilterArguments.output, FilterArguments.force, KeyOptions.identity,
      PassphraseOptions.file, PassphraseOptions.command, check, exitCode,
    ],
    outputs: .json,
    examples: [
      Example(
        "capsule estate --trustees family --output /media/stick/estate.age",
        "Make an estate file for the safe"),
      Example(
        "capsule estate --verify /media/stick/estate.age",
        "See whether the file is still up to date"),
    ],
    exitCodes: [.none, .partial, .notFound, .key, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    if let path = invocation[check] {
      try invocation.refuse(
        check,
        with: [
          trustees, FilterArguments.output, FilterArguments.force, KeyOptions.identity,
          PassphraseOptions.file, PassphraseOptions.command,
        ])
      return try EstateCheck(session: session, path: path).run(
        saysNothing: invocation[exitCode])
    }
    if invocation[exitCode] {
      throw Fault.usage(
        "'--exit-code' needs '--verify'", hint: "add --verify FILE")
    }
    guard let output = invocation[FilterArguments.output] else {
      throw Fault.usage(
        "no output file given", hint: "choose a file: --output FILE, or - for standard output")
    }
    let isPiped = output.bytes == Array("-".utf8)
    if isPiped { try requirePipe(session) }
    let identities: [any Identity] = try KeyOptions.identities(invocation, session)
    let (closed, group) = try group(invocation, session)
    let store = try session.passphrases.opened(closed, invocation)
    if !isPiped {
      try requirePlace(output, replacing: invocation[FilterArguments.force], session)
    }
    let terms = DeliveryTerms(
      output: nil, isSealed: false, withValues: false, now: session.now, zone: session.zone)
    let opening = UnattendedOpening(
      session: session, store: store, identities: identities, invocation: invocation)
    let estate = try store.handover.estate(for: group, terms, opening: opening.open)
    let code = report(estate, session.stores.settings(of: store), session)
    guard !estate.isEmpty else {
      throw Fault(
        .refused, "the estate would be empty: no bequest, no capsule and no item",
        hint: "leave something to a person: capsule bequeath")
    }
    if isPiped {
      let filter = StreamFilter(session: session, invocation: invocation)
      try filter.write(isBinary: true) { sink in
        sink = try estate.write(to: sink, from: store, watch: WorkWatch { _ in })
      }
      return .ended(code)
    }
    let signals = WorkSignals(session, "Writing", total: estate.size)
    defer { signals.end() }
    let list: EstateList
    do {
      list = try estate.write(
        to: output, replacing: invocation[FilterArguments.force], from: store,
        watch: WorkWatch(signals.pass))
    } catch {
      if signals.code == nil, let taken = error as? Fault, taken.code == .exists {
        throw Self.taken(taken)
      }
      throw signals.cause(of: error)
    }
    signals.endProgress()
    let answer = EstateAnswer(session: session, estate: estate)
    return Answer(answer.members(list, at: output), ending: code, quiet: .path(output)) {
      answer.text(list, at: output, $0)
    }
  }

  /// Finds the group that is named, or else the one of the setting.
  private static func group(
    _ invocation: Invocation, _ session: Session
  ) throws -> (Store, VouchedTrustees) {
    let vouched: VouchedTrustees?
    let store: Store
    if let reference = invocation[trustees] {
      store = try session.stores.required(for: reference, among: [.trustees])
      vouched = try store.trust.vouched(
        session.records.one(TrusteeGroup.self, reference, in: store, intact: true).model)
    } else {
      let unnamed = Fault.usage(
        "no trustees given", hint: "choose a group: --trustees NAME")
      store = try session.stores.existing(or: unnamed)
      vouched = try store.trust.spareTrustees(now: session.now)
      guard vouched != nil else { throw unnamed }
    }
    guard let vouched else { throw Fault.internal("no group") }
    let group = vouched.group
    if group.leftCount < group.threshold { session.records.warn(of: group) }
    return (store, vouched)
  }

  /// Refuses standard output where it cannot take a file.
  private static func requirePipe(_ session: Session) throws {
    if session.options.form != .text {
      throw Fault.usage(
        "the estate and the JSON answer cannot both go to standard output",
        hint: "choose a file: --output FILE")
    }
    if session.console.out.isTerminal {
      throw Fault(
        .refused, "refusing to write an age file to the terminal",
        hint: "redirect the output, or choose a file: --output FILE")
    }
  }

  private static func requirePlace(
    _ path: FilePath, replacing: Bool, _ session: Session
  ) throws {
    do {
      try Estate.requirePlace(path, replacing: replacing, in: session.host.files)
    } catch let taken as Fault where taken.code == .exists {
      throw Self.taken(taken)
    }
  }

  private static func taken(_ taken: Fault) -> Fault {
    .taken(taken.takenPath, hint: "'--force' replaces it")
  }

  /// Reports what is not in it, and what the trustees cannot do with it.
  ///
  /// - Returns: the exit code that it stands for.
  private static func report(
    _ estate: Estate, _ settings: StoreSettings, _ session: Session
  ) -> ExitCode {
    var code = ExitCode.ok
    var saidUnreadable = false
    for issue in estate.issues {
      if case .unreadable = issue {
        if saidUnreadable { continue }
        saidUnreadable = true
      }
      code = ExitCode.worst(code, DeliverCommand.report(issue, session))
    }
    if !estate.isEmpty, estate.deliveries.isEmpty {
      session.console.warning(
        "no bequests: the estate has only capsules and the inventory",
        hint: "leave something to a person: capsule bequeath")
    }
    let trustees = estate.group.name.shellWord
    // A copy for a weaker key is refused.
    let takesCopies = estate.group.isPostQuantum || !settings.sealsPostQuantum
    for capsule in estate.closed {
      let isOthers = capsule.spare == .others
      let copy = "\(isOthers ? "replace the recovery copy" : "add one"): "
      session.console.warning(
        "the trustees cannot open '\(capsule.title)': the capsule asks for a passphrase and has "
          + (isOthers ? "a recovery copy for another key" : "no recovery copy for them"),
        hint: takesCopies
          ? copy + "capsule edit \(capsule.id) --trustees \(trustees)"
          : "leave them the passphrase, or make a group with a post-quantum key: capsule trustees make",
        details: ["id": capsule.id.json])
    }
    for capsule in estate.uncertain {
      session.console.warning(
        "'\(capsule.title)' has a recovery copy from another device, maybe for other trustees",
        hint: "make a new one: capsule edit \(capsule.id) --trustees \(trustees)",
        details: ["id": capsule.id.json])
    }
    let hybrid = estate.needingPostQuantumCount
    if !estate.group.isPostQuantum, hybrid > 0 {
      session.console.warning(
        "\(String.counting(hybrid, "capsule needs", "capsules need")) age 1.3 or later, or this program, "
          + "though the estate file does not",
        hint: "seal new capsules for every age: capsule settings set postQuantum off")
    }
    // The rest of it is written.
    return code == .ok || code == .damaged ? code : .partial
  }
}

extension Estate {
  /// The capsules that only a passphrase opens.
  fileprivate var closed: [EstateCapsule] {
    capsules.filter { if case .passphrase = $0.place { true } else { false } }
  }

  /// The number of sealed capsules that take an age which knows post-quantum keys.
  fileprivate var needingPostQuantumCount: Int {
    let sealed = capsules.compactMap { if case .folder(let gift) = $0.place { gift } else { nil } }
    return (sealed + deliveries.flatMap { $0.gifts.map(\.gift) })
      .count { $0.opening?.needsPostQuantum == true }
  }

  /// The capsules that lie in it with a spare which may not be theirs.
  fileprivate var uncertain: [EstateCapsule] {
    capsules.filter {
      if case .folder = $0.place { $0.spare == .unknown } else { false }
    }
  }
}

/// An estate that was made, as JSON and as text.
struct EstateAnswer {
  let session: Session
  let estate: Estate

  func members(_ list: EstateList, at path: FilePath) -> JSONObject {
    session.object(
      [
        "capsules": estate.capsules.map(json).json, "isComplete": estate.issues.isEmpty.json,
        "items": estate.items.count.json, "list": EstateList.path(beside: path).text.json,
        "page": Estate.page(beside: path).text.json, "path": path.json,
        "people": estate.deliveries.map(json).json,
        "sha256": Hex.encode(list.digest).json, "size": list.size.json,
        "trustees": [
          "id": estate.group.header.id.json, "name": estate.group.name.json,
        ],
      ], at: ["madeAt": list.madeAt])
  }

  private func json(_ delivery: PersonalDelivery) -> JSONObject {
    session.inner(
      [
        "gifts": .array(
          delivery.gifts.map {
            [
              "bequest": $0.bequest.model.header.id.json,
              "id": $0.bequest.model.subject.id.json,
              "isEarly": $0.gift.isEarly.json, "isSealed": ($0.gift.opening != nil).json,
              "kind": $0.gift.kind.rawValue.json, "title": $0.gift.title.json,
            ]
          }), "id": delivery.person.header.id.json,
        "isReadableByTrustees": delivery.person.recipient.isEmpty.json,
        "name": delivery.person.name.json, "place": estate.place(of: delivery).json,
      ], at: ["notBefore": delivery.notBefore])
  }

  private func json(_ capsule: EstateCapsule) -> JSONObject {
    let (state, folder): (String, String?) =
      switch capsule.place {
      case .people: ("withPeople", nil)
      case .folder(let gift): ("sealed", gift.opening?.folder)
      case .passphrase: ("passphrase", nil)
      }
    return [
      "folder": folder.json,
      "id": capsule.id.json, "isEarly": capsule.isEarly.json,
      "state": state.json, "title": capsule.title.json,
    ]
  }

  func text(_ list: EstateList, at path: FilePath, _ out: TextOutput) {
    let group = estate.group
    out.line(
      "Sealed \(ByteSize.text(list.size)) in '\(path.text, .bold)' for any \(group.threshold) of the "
        + "\(group.shares.count) trustees of '\(group.name)'")
    for delivery in estate.deliveries {
      let gifts = String.counting(delivery.gifts.count, "gift")
      let reader =
        delivery.person.recipient.isEmpty
        ? "which the trustees can read, too" : "which only the person can open"
      let date = delivery.notBefore.map { ", not before \(session.dates.text($0))" } ?? ""
      out.line(
        "  '\(delivery.person.name)': \(gifts) in '\(estate.place(of: delivery))', \(reader)\(date)"
      )
    }
    let sealed = estate.capsules.count { if case .folder = $0.place { true } else { false } }
    if sealed > 0 {
      let early = estate.capsules.count(where: \.isEarly)
      out.line(
        "  \(String.counting(sealed, "capsule")) as sealed files in 'capsules'"
          + (early > 0 ? "; \(early) of all can be opened early" : ""))
    }
    if !estate.items.isEmpty {
      out.line("  an inventory of \(String.counting(estate.items.count, "item"))")
    }
    out.line("'\(EstateList.path(beside: path).text)' is for 'capsule estate --verify'")
    out.line("'\(Estate.page(beside: path).text)' tells the trustees how to open it")
  }
}

/// `capsule estate --verify`: what became stale since an estate was made.
struct EstateCheck {
  let session: Session
  let path: FilePath

  /// - Parameter saysNothing: whether an estate that nothing changed since ends with 1.
  func run(saysNothing: Bool) throws -> Answer {
    let list = try readList()
    try requireWhole(list)
    let store = try session.stores.existing(
      or: Fault(
        .notFound, "no store to compare the estate with", hint: "choose a store: --store DIR"))
    let changes = try list.changes(in: store, now: session.now)
    let code: ExitCode = changes.isEmpty && saysNothing ? .none : .ok
    let names = RecordNames(store, now: session.now)
    var indexes: [RecordKind: RecordIndex] = [:]
    var titles: [RecordReference: String] = [:]
    for reference in changes.added + changes.changed + changes.removed {
      let kind = reference.kind
      let entry = indexes[kind, default: store.index.open(kind, now: session.now)].entry(
        reference.id)
      titles[reference] =
        entry.map { names.title(of: $0, kind) } ?? names.title(reference)
    }
    func title(_ reference: RecordReference) -> String? { titles[reference] }
    func json(_ references: [RecordReference]) -> JSON {
      .array(
        references.map {
          [
            "id": $0.id.json, "kind": $0.kind.rawValue.json,
            "title": title($0).json,
          ]
        })
    }
    let members = session.object(
      [
        "added": json(changes.added), "changed": json(changes.changed),
        "isStale": (!changes.isEmpty).json, "path": path.json, "removed": json(changes.removed),
        "settingsChanged": changes.settings.json, "sha256": Hex.encode(list.digest).json,
        "size": list.size.json, "trustees": changes.group.rawValue.json,
      ], at: ["madeAt": list.madeAt])
    return Answer(members, ending: code, quiet: .nothing) { out in
      guard !changes.isEmpty else {
        return out.line(
          "'\(path.text)' is intact, and nothing changed since \(session.dates.text(list.madeAt))")
      }
      out.line("'\(path.text)' is intact but out of date. Since \(session.dates.text(list.madeAt))")
      func lines(_ references: [RecordReference], _ verb: String) {
        for reference in references {
          let name = title(reference).map { "'\($0)'" } ?? reference.id.description
          out.line("  the \(reference.kind.word) \(name) \(verb)")
        }
      }
      lines(changes.added, "came")
      lines(changes.changed, "changed")
      lines(changes.removed, "went")
      if changes.settings { out.line("  the settings changed") }
      switch changes.group {
      case .none: break
      case .gone: out.line("  the group of trustees went")
      case .otherKey: out.line("  the group of trustees got another key")
      }
    }
  }

  private func readList() throws -> EstateList {
    let beside = EstateList.path(beside: path)
    let files = session.host.files
    let bytes: [UInt8]
    do {
      bytes = try files.withFile(beside, .readFollowingLinks(streams: false)) {
        file throws(Fault) in try files.readAll(file, limit: EstateList.byteLimit)
      }
    } catch {
      guard error.condition == .notFound else { throw error }
      throw Fault(
        .notFound, "list not found beside the file: '\(beside.text)'",
        hint: "make the estate again: capsule estate make",
        details: ["path": beside.text.json])
    }
    do {
      return try EstateList(bytes)
    } catch {
      var fault = error.naming(beside.text)
      fault.details = ["path": beside.text.json]
      throw fault
    }
  }

  /// Compares the file's bytes with the list.
  private func requireWhole(_ list: EstateList) throws {
    let progress = session.console.progress("Reading", total: list.size)
    defer { progress.end() }
    let isWhole = try list.isMade(with: path, in: session.host.files) {
      progress.advance(by: Int64($0))
    }
    guard isWhole else {
      throw Fault(
        .damaged, "'\(path.text)' does not match its list, '\(EstateList.path(beside: path).text)'",
        hint: "make the estate again, or find the copy that belongs to the list",
        details: ["path": path.json])
    }
  }
}
