import CapsuleCore

/// A capsule as lists and JSON show it.
struct CapsuleView: KindView {
  private let row: CapsuleRow
  let session: Session

  init(_ row: CapsuleRow, in session: Session) {
    self.row = row
    self.session = session
  }

  init(
    _ summary: Brief<Capsule>, problem: IndexProblem = .none, in session: Session,
    at now: Instant? = nil
  ) {
    self.init(CapsuleRow(summary, problem: problem, at: now ?? session.now), in: session)
  }

  init(_ brief: Brief<Capsule>, problem: IndexProblem, of store: Store, in session: Session) {
    self.init(brief, problem: problem, in: session)
  }

  var summary: Brief<Capsule> { row.summary }
  var state: CapsuleState { row.state }
  var problem: IndexProblem { row.problem }
  var isBlank: Bool { problem != .none && summary.record.title.isEmpty }

  func writeOwnMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    let summary = row.summary
    let counts = summary.digest.counts
    writer.member("state", state.rawValue)
    instants.add(summary.digest.unlockAt, as: "unlockAt", to: &writer)
    writer.member("secondsRemaining", row.secondsRemaining)
    instants.add(summary.record.openedAt, as: "openedAt", to: &writer)
    writer.member("lock", summary.record.lock.kind.rawValue)
    writer.member("sealedSize", summary.digest.sealedSize)
    writer.object("contents") { writer in
      for (kind, count) in zip(ContentKind.allCases, counts) {
        writer.member(kind.rawValue, Int64(count))
      }
      writer.member("total", Int64(counts.reduce(0, +)))
    }
  }

  /// "2 texts, 3 images"; "nothing" for an empty one.
  var contentsText: String {
    let parts = zip(ContentKind.allCases, summary.digest.counts).lazy.filter { $0.1 != 0 }
    let text = parts.map { kind, count in String(count) + " " + kind.word(count) }.listed
    return text.isEmpty ? "nothing" : text
  }

  /// The state as lists show it.
  var stateText: StyledText {
    problem.mark ?? StyledText(state.rawValue, state.style)
  }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<CapsuleView>] {
    [
      .text("NOTES", flexible: true) { session.answers.shown(notes: $0.summary.record.notes) },
      .text("LOCK") { $0.summary.record.lock.kind.rawValue },
      .text("SIZE", .trailing) { ByteSize.text($0.summary.digest.sealedSize) },
      RowColumn("CREATED") { session.dates.cell($0.summary.record.createdAt) },
    ]
  }

  /// The columns of a list.
  static func columns(
    _ session: Session, _ settings: StoreSettings, at now: Instant, details: Bool
  ) -> [RowColumn<CapsuleView>] {
    var columns: [RowColumn<CapsuleView>] = [
      .id(session), RowColumn("STATE", detail: .state) { $0.stateText },
      .title("TITLE") { StyledText($0.summary.record.title, .bold) },
      .text("WHEN") {
        session.dates.relative(.instant($0.summary.digest.unlockAt), at: now, settings)
      },
      RowColumn("DATE") { session.dates.cell($0.summary.digest.unlockAt) },
      .text("CONTENTS", flexible: true, detail: .contents) { $0.contentsText },
      RowColumn("TAGS", flexible: true, detail: .tags) {
        StyledText($0.summary.record.tags.listed, .cyan)
      },
    ]
    if details {
      columns.append(.beneath("NOTES") { session.answers.shown(notes: $0.summary.record.notes) })
    }
    return columns
  }

  var titleText: StyledText { StyledText(summary.record.title, .bold) }

  static func fault(of capsule: Capsule, in store: Store) -> Fault? {
    let identities = capsule.lock.kind == .honor ? store.keys.all() : []
    let path = store.layout.record(.capsule, capsule.id).text
    return store.capsules.lockProblem(of: capsule, with: identities).map { .lock($0, path: path) }
  }

  func add(_ capsule: Capsule, to members: inout JSONObject) {
    members["notes"] = capsule.notes.json
    members["lockStrength"] = capsule.lock.strength(until: capsule.unlockAt).json
    members["lockStrengthQuantum"] = capsule.quantumWords.json
    members["recipient"] = capsule.lock.recipient.json
    members["timelock"] =
      capsule.lock.timelock.map {
        .object(TimelockView($0, unlockAt: capsule.unlockAt, session).members)
      } ?? .null
    members["items"] =
      capsule.contents.enumerated().map { position, content in
        session.inner(
          [
            "number": (position + 1).json, "id": content.id.json,
            "kind": content.kind.rawValue.json, "sealedSize": content.sealedSize.json,
          ], at: ["addedAt": content.addedAt])
      }.json
  }

  func writePage(of capsule: Capsule, _ settings: StoreSettings, to out: TextOutput) {
    func when(_ instant: Instant) -> String {
      let relative = session.dates.relative(.instant(instant), at: session.now, settings)
      return "\(session.dates.text(instant)), \(relative)"
    }
    let sheet = FieldSheet(out, width: 9)
    out.line("\(capsule.title, .bold)")
    sheet.field("Id", capsule.id.description)
    sheet.field("State", stateText)
    sheet.field("Unlocks", when(capsule.dueAt))
    sheet.field("Created", when(capsule.createdAt))
    if let openedAt = capsule.openedAt { sheet.field("Opened", when(openedAt)) }
    let isSound = problem == .none
    let kind = capsule.lock.kind
    sheet.field(
      "Lock",
      isSound ? capsule.lock.strength(until: capsule.unlockAt) : "\(kind.rawValue), says the record"
    )
    if isSound, let words = capsule.quantumWords { sheet.field("Quantum", words) }
    if let timelock = capsule.lock.timelock {
      for (name, text) in TimelockView(timelock, unlockAt: capsule.unlockAt, session)
        .lines(promising: isSound)
      {
        sheet.field(name, text)
      }
    }
    if !capsule.tags.isEmpty {
      sheet.field("Tags", StyledText(capsule.tags.joined(separator: ", "), .cyan))
    }
    if state == .locked { sheet.field("Progress", bar(capsule, out)) }
    sheet.block(capsule.notes)
    out.line()
    guard !capsule.contents.isEmpty else {
      out.line("It holds nothing yet.")
      return
    }
    let columns: [RowColumn<(offset: Int, element: Content)>] = [
      .text("#", .trailing) { String($0.offset + 1) }, .text("KIND") { $0.element.kind.rawValue },
      .text("SEALED SIZE", .trailing) { ByteSize.text($0.element.sealedSize) },
      RowColumn("DATE") { session.dates.cell($0.element.addedAt) },
    ]
    out.table(Table(columns, capsule.contents.enumerated()))
  }

  /// Returns a bar of the part of the time from creation to unlock that has gone.
  private func bar(_ capsule: Capsule, _ out: TextOutput) -> StyledText {
    let whole = capsule.dueAt.seconds(since: capsule.createdAt)
    let gone = max(0, session.now.seconds(since: capsule.createdAt))
    guard whole > 0 else { return "0 %" }
    let share = Double(gone) / Double(whole)
    let percent = Int(share * 100)
    let columns = min(30, max(10, (out.width ?? 80) - 30))
    let filled = min(columns, Int(share * Double(columns)))
    let bar = String(repeating: "█", count: filled)
    let rest = String(repeating: "░", count: columns - filled)
    return "\(bar, .green)\(rest, .dim) \(percent) %"
  }
}

/// Capsules on the command line.
enum CapsuleKind {
  static let kind = Kind<CapsuleView>(nil, operand: "REF", completing: .capsule)

  private static let locked = Parameter.flag("locked", "Only locked capsules")
  private static let unlocked = Parameter.flag(
    "unlocked", "Only capsules that are unlocked and not opened yet")
  private static let opened = Parameter.flag("opened", "Only opened capsules")
  private static let tag = Parameter.options(
    "tag", value: "TAG", .text(completing: .tag),
    "Only capsules with this tag, or a part of it that no other tag has; several must all be there")
  private static let search = ListOptions.search(
    "Only capsules with this text in the title, notes or tags")
  private static let before = Parameter.option(
    "before", value: "WHEN", .text, "Only capsules that unlock before this time")
  private static let after = Parameter.option(
    "after", value: "WHEN", .text, "Only capsules that unlock at this time or later")
  private static let sort: Parameter<CapsuleQuery.Order?> = ListOptions.sort(.capsuleSort)
  private static let at = Parameter.option(
    "at", value: "WHEN", .text, "List them as they will be at this time; nothing is opened")

  static let list = kind.list(
    summary: "List capsules, soonest first",
    discussion: """
      Locked capsules come first, the soonest to unlock at the top. Unlocked capsules follow, the latest \
      at the top.

      If a record is damaged or cannot be read, the list marks it and the command exits with status 3.
      """,
    options: [
      locked, unlocked, opened, tag, search, before, after, sort, ListOptions.reverse,
      ListOptions.limit, ListOptions.plain, ListOptions.exitCode, at,
    ],
    examples: [
      Example("capsule list --locked --tag family", "List the locked capsules with a tag"),
      Example(
        "capsule list --json | jq -r '.[] | select(.state == \"unlocked\") | .title'",
        "Print the titles of capsules that can be opened"),
    ],
    setting: .capsuleColumns, remarks: ListRemarks(areOfListedOnly: true),
    query: { request, remarks in
      let (invocation, session) = (request.invocation, request.session)
      var query = CapsuleQuery(now: request.now)
      if invocation[locked] { query.states.insert(.locked) }
      if invocation[unlocked] { query.states.insert(.unlocked) }
      if invocation[opened] { query.states.insert(.opened) }
      query.tags = try request.meant(invocation[tag], by: (tag, "tags"), of: .capsule) { entry in
        Brief<Capsule>(entry)?.record.tags ?? []
      }
      query.text = invocation.search(search)
      query.before = try session.dates.read(before, invocation)
      query.after = try session.dates.read(after, invocation)
      query.take(sort, .capsuleSort, otherwise: .unlock, request)
      if request.store == nil || !query.isNarrowed {
        remarks.whenEmpty = "There are no capsules yet; 'capsule create' makes one."
      }
      return query
    },
    columns: { request in
      CapsuleView.columns(
        request.session, request.settings, at: request.now,
        details: request.session.answers.showsDetails(request.settings))
    }, more: CapsuleView.moreColumns, view: { CapsuleView($0, in: $1.session) })

  static let delete = kind.delete(
    summary: "Move capsules to the trash",
    discussion: """
      Nothing is lost: `capsule restore` restores a capsule with its contents, until `capsule purge` \
      removes it for good.

      A capsule that is left to somebody needs `--with-bequests`. Its bequests then move to the trash \
      too, and are restored together with it.
      """, isLeft: true,
    examples: [Example("capsule delete 3f2a --yes", "Delete a capsule without being asked")])
}

extension CapsuleState {
  var style: Style {
    switch self {
    case .locked: .yellow
    case .unlocked: .green
    case .opened: .dim
    }
  }
}

extension ContentKind {
  /// The word for so many of them.
  func word(_ count: Int) -> String {
    switch self {
    case .text: count == 1 ? "text" : "texts"
    case .image: count == 1 ? "image" : "images"
    case .audio: count == 1 ? "audio" : "audios"
    case .video: count == 1 ? "video" : "videos"
    case .document: count == 1 ? "document" : "documents"
    case .other: count == 1 ? "other file" : "other files"
    }
  }
}

extension Capsule {
  /// The use of a quantum computer to whoever copies the store; `nil` where nothing is claimed.
  var quantumWords: String? {
    let isTimelocked = lock.timelock != nil
    return switch quantumStrength {
    case .unclaimed: nil
    case .readable:
      "Anyone who copies this store today could read it once there are large quantum computers."
    case .passphrase:
      "Against quantum computers the contents are as secret as the passphrase is hard to guess."
        + (isTimelocked ? " Guessing does not have to wait for the date." : "")
    case .secret:
      "The contents stay secret from quantum computers."
        + (isTimelocked ? " That nobody opens early does not." : "")
    }
  }
}

extension Lock {
  /// Returns the strength of the lock, without flattery.
  ///
  /// - Parameter unlockAt: the time of the gate, which may have been moved behind that of the lock.
  func strength(until unlockAt: Instant) -> String {
    switch kind {
    case .honor:
      "honor: whoever has the store directory and ignores the gate can open it at any time"
        + (usableSpare == nil ? "" : ", and so can the trustees who have a recovery copy, together")
    case .passphrase:
      "passphrase: whoever knows the passphrase can open it at any time"
        + (usableSpare == nil ? "" : ", and so can the trustees who have a recovery copy, together")
    case .recipients: "recipients: whoever has one of the identities can open it at any time"
    case .timelock:
      "timelock: \(timelock?.escrow.isEmpty ?? true ? "nobody" : "nobody but its escrow") can open it "
        + (isOnlyGated(until: unlockAt) ? "before its round" : "early")
        + ", as long as the drand network keeps its secret"
        + (isOnlyGated(until: unlockAt)
          ? "; the unlock time is later, and from the round on only the gate holds" : "")
        + (usableSpare == nil
          ? ""
          : "; from that date on, the trustees with a recovery copy do not need the passphrase")
    }
  }

  private func isOnlyGated(until unlockAt: Instant) -> Bool {
    timelock?.isOnlyGated(until: unlockAt) ?? false
  }
}

extension SealedTo {
  /// For machine output.
  var members: JSONObject {
    [
      "role": role.rawValue.json, "recipient": recipient.json,
      "trustees": (trustees?.id.description).json,
      "trusteesName": (trustees?.name).json,
    ]
  }

  static func words(_ keys: [SealedTo]) -> String {
    let isAlone = keys.count { $0.role == .store } == 1
    return keys.map { $0.words(isAlone: isAlone) }.joined(separator: "; ")
  }

  /// The key in a few words.
  ///
  /// - Parameter isAlone: whether the store has one key.
  func words(isAlone: Bool) -> String {
    let key = recipient.map { " " + RecipientText.shortened($0) } ?? ""
    let holders = trustees.map { "the trustees of '\($0.name)'" }
    return switch role {
    case .store: isAlone ? "the store's key" : "the store's key" + key
    case .passphrase: "the passphrase"
    case .recipient: (holders ?? "the recipient") + key
    case .timelock: "the date, with a timelock"
    case .escrow: "the escrow " + (holders.map { $0 + key } ?? String(key.dropFirst()))
    case .recoveryCopy: "a recovery copy for " + (holders ?? "trustees") + key
    }
  }
}

/// The facts that are printed about a timelock: its round, its chain, its time, and what it does
/// not promise.
struct TimelockView {
  private let timelock: Timelock
  private let unlockAt: Instant
  private let session: Session

  init(_ timelock: Timelock, unlockAt: Instant, _ session: Session) {
    self.timelock = timelock
    self.unlockAt = unlockAt
    self.session = session
  }

  private var isOnlyGated: Bool { timelock.isOnlyGated(until: unlockAt) }

  var members: JSONObject {
    return session.inner(
      [
        "chain": timelock.chain.json, "beaconID": timelock.beaconID.json,
        "round": timelock.round.json, "period": timelock.period.json,
        "inner": (timelock.inner?.rawValue).json, "escrow": timelock.escrow.json,
        "beacon": timelock.beacon.json, "isOnlyGatedFromRound": isOnlyGated.json,
      ], at: ["roundAt": timelock.roundTime])
  }

  /// - Parameter promises: whether the record is what was written, and agrees with its lock.
  func lines(promising promises: Bool) -> [(String, String)] {
    var lines = [
      (
        "Round",
        "\(timelock.round) of \(timelock.beaconID), expected \(session.dates.text(timelock.roundTime))"
      ),
      ("Chain", timelock.chain),
    ]
    if let inner = timelock.inner {
      lines.append(("Inside", "\(inner.rawValue): needed in addition to the beacon"))
    }
    for recipient in timelock.escrow {
      lines.append(
        ("Escrow", "\(RecipientText.shortened(recipient)) can lift the timelock at any time"))
    }
    if timelock.beacon != nil {
      lines.append(("Beacon", "kept here: it opens without the network"))
    }
    if isOnlyGated {
      lines.append(
        ("Note", "the unlock time was moved later: from the round's time on only the gate holds"))
    }
    lines.append(
      (
        "Promise",
        !promises
          ? "none: the record is not what was written, and says nothing sure of who can open it"
          : timelock.escrow.isEmpty
            ? "nobody opens it before that round is signed, as long as the network keeps its secret"
            : "nobody but the escrow opens it before that round is signed, as long as the network "
              + "keeps its secret"
      ))
    lines.append(
      (
        "No promise",
        "that the network is still there then, or against quantum computers"
      ))
    return lines
  }
}
