import CapsuleCore

/// A capsule as lists and JSON show it.
struct CapsuleView: RecordView {
  private let row: CapsuleRow
  private let session: Session

  init(_ row: CapsuleRow, in session: Session) {
    self.row = row
    self.session = session
  }

  init(
    _ summary: CapsuleSummary, problem: IndexProblem = .none, in session: Session,
    at now: Instant? = nil
  ) {
    self.init(CapsuleRow(summary, problem: problem, at: now ?? session.now), in: session)
  }

  var id: RecordID { row.summary.id }
  var summary: CapsuleSummary { row.summary }
  var state: CapsuleState { row.state }
  var problem: IndexProblem { row.problem }
  var isBlank: Bool { problem != .none && summary.title.isEmpty }

  func writeMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    let summary = row.summary
    writer.object("contents") { writer in
      for (key, place) in Self.countKeys {
        writer.member(key, Int64(place.map { summary.counts[$0] } ?? summary.counts.reduce(0, +)))
      }
    }
    instants.add(summary.createdAt, as: "createdAt", local: "createdAtLocal", to: &writer)
    writer.member("id", summary.id)
    writer.member("kind", "capsule")
    writer.member("lock", summary.lock.rawValue)
    instants.add(summary.openedAt, as: "openedAt", local: "openedAtLocal", to: &writer)
    writer.member("problem", problem.jsonName)
    writer.member("sealedSize", summary.sealedSize)
    writer.member("secondsRemaining", row.secondsRemaining)
    writer.member("state", state.rawValue)
    writer.member("tags", summary.tags)
    writer.member("title", summary.title)
    instants.add(summary.unlockAt, as: "unlockAt", local: "unlockAtLocal", to: &writer)
    writer.member("unlockZone", summary.unlockZone)
    instants.add(summary.updatedAt, as: "updatedAt", local: "updatedAtLocal", to: &writer)
    writer.member("zone", session.localZone.label)
  }

  /// The keys of the counts of contents, sorted, with their places in the counts; without one: the
  /// total.
  private static let countKeys: [(String, Int?)] =
    (ContentKind.allCases.enumerated().map { ($1.rawValue, $0) } + [("total", nil)])
    .sorted { $0.0 < $1.0 }

  /// "2 texts, 3 images"; "nothing" for an empty one.
  var contentsText: String {
    let parts = zip(ContentKind.allCases, summary.counts).lazy.filter { $0.1 != 0 }
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
      .text("NOTES", flexible: true) { session.answers.shown(notes: $0.summary.notes) },
      .text("LOCK") { $0.summary.lock.rawValue },
      .text("SIZE", .trailing) { ByteSize.text($0.summary.sealedSize) },
      RowColumn("CREATED") { session.dates.cell($0.summary.createdAt) },
    ]
  }

  /// The columns of a list.
  static func columns(
    _ session: Session, _ settings: StoreSettings, at now: Instant, details: Bool
  ) -> [RowColumn<CapsuleView>] {
    var columns: [RowColumn<CapsuleView>] = [
      .id(session), RowColumn("STATE", detail: .state) { $0.stateText },
      .title("TITLE") { StyledText($0.summary.title, .bold) },
      .text("WHEN") { session.dates.relative(.instant($0.summary.unlockAt), at: now, settings) },
      RowColumn("DATE") { session.dates.cell($0.summary.unlockAt) },
      .text("CONTENTS", flexible: true, detail: .contents) { $0.contentsText },
      RowColumn("TAGS", flexible: true, detail: .tags) {
        StyledText($0.summary.tags.listed, .cyan)
      },
    ]
    if details {
      columns.append(.beneath("NOTES") { session.answers.shown(notes: $0.summary.notes) })
    }
    return columns
  }
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
      "Whoever copies this store today could read it once there are large quantum computers."
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
        + (usableSpare == nil ? "" : ", and so can the trustees of its spare, together")
    case .passphrase:
      "passphrase: whoever knows the passphrase can open it at any time"
        + (usableSpare == nil ? "" : ", and so can the trustees of its spare, together")
    case .recipients: "recipients: whoever has one of the identities can open it at any time"
    case .timelock:
      "timelock: \(timelock?.escrow.isEmpty ?? true ? "nobody" : "nobody but its escrow") can open it "
        + (isOnlyGated(until: unlockAt) ? "before its round" : "early")
        + ", as long as the drand network keeps its secret"
        + (isOnlyGated(until: unlockAt)
          ? "; the unlock time is later, and from the round on only the gate holds" : "")
        + (usableSpare == nil
          ? "" : "; from the date on the trustees of its spare can do without the passphrase")
    }
  }

  private func isOnlyGated(until unlockAt: Instant) -> Bool {
    timelock?.isOnlyGated(until: unlockAt) ?? false
  }
}
