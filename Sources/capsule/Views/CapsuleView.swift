import CapsuleCore

/// Whether a capsule lets its contents through, and whether it has.
enum CapsuleState: String, CaseIterable, Hashable, Sendable {
  case locked
  case unlocked
  case opened

  init(unlockAt: Instant, openedAt: Instant?, now: Instant) {
    switch UnlockGate.decide(unlock: unlockAt, now: now, provenTime: nil) {
    case .locked: self = .locked
    case .unlocked: self = openedAt == nil ? .unlocked : .opened
    }
  }

  var style: Style {
    switch self {
    case .locked: .yellow
    case .unlocked: .green
    case .opened: .dim
    }
  }
}

/// What is seen of a capsule in lists and wherever one is told: as JSON and as text.
struct CapsuleView {
  let summary: CapsuleSummary
  let state: CapsuleState
  /// What is wrong with its record.
  let problem: IndexProblem
  private let session: Session

  init(
    _ summary: CapsuleSummary, problem: IndexProblem = .none, in session: Session,
    at now: Instant? = nil
  ) {
    self.summary = summary
    self.problem = problem
    self.session = session
    state = CapsuleState(
      unlockAt: summary.unlockAt, openedAt: summary.openedAt, now: now ?? session.now)
    secondsRemaining = max(0, summary.unlockAt.seconds(since: now ?? session.now))
  }

  /// Seconds until the unlock time; 0 from then on.
  let secondsRemaining: Int64

  /// The members of the object, for all commands that tell of a capsule.
  var members: JSONObject {
    let instants = InstantFields(zone: session.zone)
    var counts: JSONObject = [:]
    var total = 0
    for kind in ContentKind.allCases {
      counts[kind.rawValue] = .integer(Int64(summary.count(of: kind)))
      total += summary.count(of: kind)
    }
    counts["total"] = .integer(Int64(total))
    var members: JSONObject = [
      "id": .string(summary.id.description),
      "kind": "capsule",
      "title": .string(summary.title),
      "tags": .array(summary.tags.map { .string($0) }),
      "state": .string(state.rawValue),
      "lock": .string(summary.lock.rawValue),
      "contents": .object(counts),
      "sealedSize": .integer(summary.sealedSize),
      "secondsRemaining": .integer(secondsRemaining),
      "unlockZone": .string(summary.unlockZone),
      "zone": .string(session.localZone.label),
      "problem": problem == .none ? .null : .string(problem.words),
    ]
    instants.add(summary.createdAt, as: "createdAt", to: &members)
    instants.add(summary.updatedAt, as: "updatedAt", to: &members)
    instants.add(summary.unlockAt, as: "unlockAt", to: &members)
    instants.add(summary.openedAt, as: "openedAt", to: &members)
    return members
  }

  /// Writes the object of ``members``, for long lists.
  func write(to writer: inout JSONTextWriter) {
    let instants = InstantFields(zone: session.zone)
    writer.beginObject()
    writer.key("contents")
    writer.beginObject()
    for (key, kind) in Self.countKeys {
      writer.key(key)
      writer.value(kind.map { summary.count(of: $0) } ?? summary.counts.reduce(0, +))
    }
    writer.endObject()
    instants.write(summary.createdAt, as: "createdAt", local: "createdAtLocal", to: &writer)
    writer.key("id")
    writer.value(plainCount: RecordID.textCount) { summary.id.write(to: $0) }
    writer.key("kind")
    writer.value("capsule")
    writer.key("lock")
    writer.value(summary.lock.rawValue)
    instants.write(summary.openedAt, as: "openedAt", local: "openedAtLocal", to: &writer)
    writer.key("problem")
    if problem == .none { writer.null() } else { writer.value(problem.words) }
    writer.key("sealedSize")
    writer.value(summary.sealedSize)
    writer.key("secondsRemaining")
    writer.value(secondsRemaining)
    writer.key("state")
    writer.value(state.rawValue)
    writer.key("tags")
    writer.beginArray()
    for tag in summary.tags { writer.value(tag) }
    writer.endArray()
    writer.key("title")
    writer.value(summary.title)
    instants.write(summary.unlockAt, as: "unlockAt", local: "unlockAtLocal", to: &writer)
    writer.key("unlockZone")
    writer.value(summary.unlockZone)
    instants.write(summary.updatedAt, as: "updatedAt", local: "updatedAtLocal", to: &writer)
    writer.key("zone")
    writer.value(session.localZone.label)
    writer.endObject()
  }

  /// The keys of the counts of contents, sorted; without a kind: the total.
  private static let countKeys: [(String, ContentKind?)] =
    (ContentKind.allCases.map { ($0.rawValue, $0) } + [("total", nil)]).sorted { $0.0 < $1.0 }

  /// "2 texts, 3 images"; "nothing" for an empty one.
  var contentsText: String {
    let parts = ContentKind.allCases.compactMap { kind -> String? in
      let count = summary.count(of: kind)
      return count == 0 ? nil : "\(count) \(kind.word(count))"
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }

  /// The state as lists show it.
  var stateText: StyledText {
    if problem == .newer { return StyledText("newer", .yellow) }
    if problem != .none { return StyledText("damaged", .boldRed) }
    return StyledText(state.rawValue, state.style)
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

extension IndexProblem {
  /// What is wrong, for machine output.
  var words: String {
    switch self {
    case .notRegularFile: "notAFile"
    case .tooLarge: "tooLarge"
    case .unreadable: "unreadable"
    case .altered: "altered"
    case .newer: "newer"
    default: "damaged"
    }
  }
}

extension LockKind {
  /// How strong the lock is, without flattery.
  var strength: String {
    switch self {
    case .honor:
      "honor: whoever has the store directory and ignores the gate can open it at any time"
    case .passphrase: "passphrase: whoever knows the passphrase can open it at any time"
    case .recipients: "recipients: whoever has one of the identities can open it at any time"
    case .timelock:
      "timelock: nobody but its escrow, where one is named, can open it early, as long as the drand "
        + "network keeps its secret"
    }
  }
}
