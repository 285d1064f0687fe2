/// The part of a capsule that a list shows without its record being read.
package struct CapsuleSummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package private(set) var title = ""
  package private(set) var tags: [String] = []
  /// The first part of the notes, at most ``notesLimit`` bytes.
  package private(set) var notes = ""
  /// Whether `notes` is all there is.
  package private(set) var hasAllNotes = true
  package private(set) var createdAt = Instant.epoch
  package private(set) var updatedAt = Instant.epoch
  /// When it can be opened as far as is known: of a timelock no earlier than the round's time.
  package private(set) var unlockAt = Instant.epoch
  package private(set) var unlockZone = "UTC"
  package private(set) var openedAt: Instant?
  package private(set) var lock = LockKind.honor
  /// How many contents there are of each kind, in the order of ``ContentKind``'s cases.
  package private(set) var counts = ContentKind.allCases.map { _ in 0 }
  /// Bytes of all sealed contents.
  package private(set) var sealedSize: Int64 = 0

  /// Returns how many contents of one kind there are.
  package func count(of kind: ContentKind) -> Int {
    ContentKind.allCases.firstIndex(of: kind).map { counts[$0] } ?? 0
  }

  /// The most bytes of notes that the index keeps for searching.
  package static let notesLimit = 2048
}

extension CapsuleSummary: SummaryPart {
  package static var blank: CapsuleSummary { CapsuleSummary(id: .zero) }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.text(&title)
    try coder.list(&tags)
    try coder.text(&notes)
    try coder.flag(&hasAllNotes)
    try coder.integer(&createdAt.seconds)
    try coder.integer(&updatedAt.seconds)
    try coder.integer(&unlockAt.seconds)
    try coder.text(&unlockZone)
    try coder.optional(&openedAt)
    try coder.position(&lock)
    for kind in counts.indices { try coder.count(&counts[kind]) }
    try coder.integer(&sealedSize)
  }

  /// The summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) { self.init(id: id) }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    self.init(id: id)
    guard decode(encoded) else { return nil }
  }
}

extension Capsule {
  /// The part that a list shows.
  package var summary: CapsuleSummary {
    let (notes, hasAllNotes) = notes.beginning
    return CapsuleSummary(
      id: id, title: title, tags: tags, notes: notes, hasAllNotes: hasAllNotes,
      createdAt: createdAt, updatedAt: updatedAt, unlockAt: dueAt, unlockZone: unlockZone,
      openedAt: openedAt, lock: lock.kind,
      counts: ContentKind.allCases.map { kind in contents.count { $0.kind == kind } },
      sealedSize: contents.reduce(0) { $0.addingClamped($1.sealedSize) })
  }

  package var indexContribution: IndexContribution {
    IndexContribution(
      sortKey: dueAt.seconds, madeAt: header.madeAt, due: dueAt.seconds,
      nameHash: NameKey(title).hash,
      summary: summary.encoded())
  }
}

extension String {
  /// The first part, at most ``CapsuleSummary/notesLimit`` bytes, and whether that is all.
  var beginning: (text: String, isAll: Bool) {
    let limit = CapsuleSummary.notesLimit
    guard utf8.count > limit else { return (self, true) }
    var end = utf8.index(startIndex, offsetBy: limit)
    while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
    return (String(self[..<end]), false)
  }
}
