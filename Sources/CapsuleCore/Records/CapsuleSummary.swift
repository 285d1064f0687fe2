/// What a list shows of a capsule, without its record being read.
public struct CapsuleSummary: Hashable, Identifiable, Sendable {
  public let id: RecordID
  public let title: String
  public let tags: [String]
  /// The notes' first part, at most ``notesLimit`` bytes.
  package let notes: String
  /// Whether `notes` is all there is.
  package let hasAllNotes: Bool
  public let createdAt: Instant
  public let updatedAt: Instant
  public let unlockAt: Instant
  public let unlockZone: String
  public let openedAt: Instant?
  public let lock: LockKind
  /// How many contents there are of each kind, in the order of ``ContentKind``'s cases.
  package let counts: [Int]
  /// Bytes of all sealed contents.
  public let sealedSize: Int64

  /// A summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) {
    let never = Instant(seconds: 0)
    self.init(
      id: id, title: "", tags: [], notes: "", hasAllNotes: true, createdAt: never,
      updatedAt: never, unlockAt: never, unlockZone: "UTC", openedAt: nil, lock: .honor,
      counts: ContentKind.allCases.map { _ in 0 }, sealedSize: 0)
  }

  fileprivate init(
    id: RecordID, title: String, tags: [String], notes: String, hasAllNotes: Bool,
    createdAt: Instant, updatedAt: Instant, unlockAt: Instant, unlockZone: String,
    openedAt: Instant?, lock: LockKind, counts: [Int], sealedSize: Int64
  ) {
    self.id = id
    self.title = title
    self.tags = tags
    self.notes = notes
    self.hasAllNotes = hasAllNotes
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.unlockAt = unlockAt
    self.unlockZone = unlockZone
    self.openedAt = openedAt
    self.lock = lock
    self.counts = counts
    self.sealedSize = sealedSize
  }

  /// How many contents of one kind there are.
  public func count(of kind: ContentKind) -> Int {
    ContentKind.allCases.firstIndex(of: kind).map { counts[$0] } ?? 0
  }

  /// How many bytes of notes the index keeps for searching.
  package static let notesLimit = 2048
}

extension Capsule {
  /// What a list shows of it.
  public var summary: CapsuleSummary {
    var counts = [Int](repeating: 0, count: ContentKind.allCases.count)
    for (position, kind) in ContentKind.allCases.enumerated() {
      counts[position] = contents.count { $0.kind == kind }
    }
    var kept = notes
    while kept.utf8.count > CapsuleSummary.notesLimit {
      kept = String(kept.prefix(min(kept.count - 1, CapsuleSummary.notesLimit)))
    }
    return CapsuleSummary(
      id: id, title: title, tags: tags, notes: kept,
      hasAllNotes: kept.utf8.count == notes.utf8.count,
      createdAt: createdAt, updatedAt: updatedAt, unlockAt: unlockAt, unlockZone: unlockZone,
      openedAt: openedAt, lock: lock.kind, counts: counts,
      sealedSize: contents.reduce(0) { $0 + $1.sealedSize })
  }

  package var indexLine: IndexLine {
    IndexLine(
      sortKey: unlockAt.seconds, due: dueAt.seconds, nameHash: NameKey(title).hash,
      summary: summary.encoded)
  }
}

extension CapsuleSummary {
  /// The form that the index keeps; the id stands beside it.
  package var encoded: [UInt8] {
    var writer = SummaryWriter()
    writer.text(title)
    writer.texts(tags)
    writer.text(notes)
    writer.unsigned(hasAllNotes ? 1 : 0)
    writer.integer(createdAt.seconds)
    writer.integer(updatedAt.seconds)
    writer.integer(unlockAt.seconds)
    writer.text(unlockZone)
    writer.optionalInteger(openedAt?.seconds)
    writer.unsigned(UInt64(LockKind.allCases.firstIndex(of: lock) ?? 0))
    for count in counts { writer.unsigned(UInt64(count)) }
    writer.integer(sealedSize)
    return writer.bytes
  }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    var reader = SummaryReader(encoded)
    guard let title = reader.text(), let tags = reader.texts(), let notes = reader.text(),
      let hasAllNotes = reader.unsigned(), let createdAt = reader.integer(),
      let updatedAt = reader.integer(), let unlockAt = reader.integer(),
      let unlockZone = reader.text(), let openedAt = reader.optionalInteger(),
      let lock = reader.unsigned(), lock < UInt64(LockKind.allCases.count)
    else { return nil }
    var counts: [Int] = []
    for _ in ContentKind.allCases {
      guard let count = reader.unsigned() else { return nil }
      counts.append(Int(clamping: count))
    }
    guard let sealedSize = reader.integer(), reader.isAtEnd else { return nil }
    self.init(
      id: id, title: title, tags: tags, notes: notes, hasAllNotes: hasAllNotes == 1,
      createdAt: Instant(seconds: createdAt), updatedAt: Instant(seconds: updatedAt),
      unlockAt: Instant(seconds: unlockAt), unlockZone: unlockZone,
      openedAt: openedAt.map { Instant(seconds: $0) }, lock: LockKind.allCases[Int(lock)],
      counts: counts, sealedSize: sealedSize)
  }
}
