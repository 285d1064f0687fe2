/// One run that announces what became due in a store, each thing once on this machine.
///
/// A thing is marked in the ``Ledger`` after it was handed over, never before: a crash between repeats it
/// and loses none. The room for the marks is secured before anything is handed over: where nothing can be
/// kept, nothing is announced, for it would be announced again.
package struct AnnouncementRun {
  private let store: Store
  private let directory: FilePath
  private let now: Instant
  private var check: DueCheck
  private let silence: SilenceCheck?
  /// The files that stand for records with dates that iCloud has taken off this machine.
  package var away: [FilePath] { check.away }

  /// The most things that are handed over before they are marked: what a crash in between repeats.
  private static let batch = 256

  /// The end of a run.
  package enum Outcome: Hashable, Sendable {
    /// The number of things that were handed over; what was due before the first use counts as one.
    case announced(Int)
    /// Another process announces what there is.
    case busy
  }

  /// - Parameters:
  ///   - end: the time that is checked for; only a preview has another than `now`.
  ///   - now: the real time.
  ///   - zone: the name of the zone of `calendar`.
  ///   - silence: the owner's silence; `nil` while the switch is off.
  /// - Throws: `.noStateDirectory` where the store was opened without one.
  package init(
    _ store: Store, through end: Instant, now: Instant, calendar: EventCalendar, zone: String,
    silence: SilenceCheck?
  ) throws(Fault) {
    guard let directory = store.stateDirectory else { throw .noStateDirectory }
    self.store = store
    self.directory = directory
    self.now = now
    self.silence = silence
    check = DueCheck(
      store, directory: directory, through: end, now: now, calendar: calendar, zone: zone)
  }

  /// Goes through what would be announced, and keeps nothing.
  ///
  /// - Parameters:
  ///   - report: gets each thing that cannot be read.
  ///   - body: returns whether to go on.
  /// - Throws: `.io` where the ledger cannot be read.
  package mutating func preview(
    report: (Fault) -> Void, _ body: (AnnouncementBatch) -> Bool
  ) throws(Fault) {
    let known = try Ledger.read(of: store, in: directory, now: now)
    let firstUse = known.firstUse ?? now
    var dues = check.dues(after: firstUse, known: known, report: report)
    var batch = AnnouncementBatch()
    if !known.isFirstUseAnnounced {
      batch.earlier = EarlierDues(check.count(dueThrough: firstUse), firstUse)
    }
    batch.messages = silence?.pending(known.silence) ?? []
    repeat {
      if !batch.isEmpty, !body(batch) { return }
      batch = AnnouncementBatch()
      batch.dues = dues.next(Self.batch, report: report)
    } while !batch.isEmpty
  }

  /// Announces what was not announced yet.
  ///
  /// - Throws: ``Fault`` where the ledger cannot be read or written, and the errors of the sink: what
  ///   was marked before stays so.
  package mutating func announce(to sink: inout some AnnouncementSink) throws -> Outcome {
    if check.hasNothingNew(), try isSilenceQuiet() { return .announced(0) }
    guard let ledger = try Ledger.open(of: store, in: directory, now: now) else { return .busy }
    var marks = AnnouncementMarks(ledger)
    defer { marks.ledger.close() }
    var batch = AnnouncementBatch()
    if !ledger.known.isFirstUseAnnounced {
      batch.earlier = EarlierDues(check.count(dueThrough: ledger.firstUse), ledger.firstUse)
      // Nothing was: what is dated back later is no part of it.
      if batch.earlier == nil { try marks.ledger.markFirstUseAnnounced() }
    }
    var dues = check.dues(after: ledger.firstUse, known: ledger.known) { sink.report($0) }
    if !sink.takesAllAtOnce { try hand(&batch, to: &sink, &marks) }
    if let look = silence?.owedLook(ledger.known.silence) { try marks.ledger.mark(look) }
    let messages = silence?.pending(marks.ledger.known.silence) ?? []
    if !messages.isEmpty, let unreachable = silence?.audience.unreachable, !unreachable.isEmpty {
      sink.report(unreachable: unreachable)
    }
    for message in messages {
      batch.messages.append(message)
      if !sink.takesAllAtOnce { try hand(&batch, to: &sink, &marks) }
    }
    while true {
      let next = dues.next(Self.batch) { sink.report($0) }
      if next.isEmpty { break }
      batch.dues += next
      if !sink.takesAllAtOnce { try hand(&batch, to: &sink, &marks) }
    }
    try hand(&batch, to: &sink, &marks)
    if !sink.hasFailed { check.keepNothingLeft() }
    return .announced(marks.count)
  }

  /// Has a batch announced, and empties it.
  private func hand(
    _ batch: inout AnnouncementBatch, to sink: inout some AnnouncementSink,
    _ marks: inout AnnouncementMarks
  ) throws {
    if batch.isEmpty { return }
    try marks.ledger.reserve(
      batch.dues.map(\.announcement), batch.messages.map { $0.note(at: now) },
      firstUse: batch.earlier != nil)
    try sink.announce(batch, &marks)
    batch = AnnouncementBatch()
  }

  /// Whether nothing is to be announced of the owner's silence; the ledger is read only where something
  /// may be.
  private func isSilenceQuiet() throws(Fault) -> Bool {
    guard let silence, !silence.isQuiet(SilenceLog()) else { return true }
    return silence.isQuiet(try Ledger.read(of: store, in: directory, now: now).silence)
  }
}

/// A front end's way to announce.
package protocol AnnouncementSink {
  /// Whether all that is due makes one batch, as for one letter, however much it is.
  var takesAllAtOnce: Bool { get }
  /// Whether something failed, or was reported, so that the next run has to look again.
  var hasFailed: Bool { get }
  /// Takes note of a thing that cannot be read; the others are due all the same.
  mutating func report(_ problem: Fault)
  /// Takes note of witnesses who cannot be told of the owner's silence.
  mutating func report(unreachable: [RecordID])
  /// Announces, and marks what was handed over, at the latest when it returns.
  ///
  /// - Throws: an error that ends the run; for a thing that could not be handed over it throws none, and
  ///   leaves it unmarked.
  mutating func announce(_ batch: AnnouncementBatch, _ marks: inout AnnouncementMarks) throws
}

/// Things that are announced together.
package struct AnnouncementBatch: Sendable {
  package fileprivate(set) var earlier: EarlierDues?
  package fileprivate(set) var messages: [SilenceMessage] = []
  package fileprivate(set) var dues: [DueThing] = []

  var isEmpty: Bool { earlier == nil && messages.isEmpty && dues.isEmpty }
}

/// The sum of what was due already when this machine first used a store.
package struct EarlierDues: Sendable {
  package let count: Int
  package let kinds: [RecordKind]
  package let firstUse: Instant

  /// `nil` where nothing was.
  fileprivate init?(_ sum: (count: Int, kinds: [RecordKind]), _ firstUse: Instant) {
    guard sum.count > 0 else { return nil }
    (count, kinds) = sum
    self.firstUse = firstUse
  }
}

/// The place where a sink marks what it handed over. When a mark returns, it survives a power cut.
package struct AnnouncementMarks {
  fileprivate var ledger: Ledger
  /// The number of things that were marked.
  package private(set) var count = 0

  fileprivate init(_ ledger: Ledger) {
    self.ledger = ledger
  }

  /// Marks that what was due before the first use was summed up.
  package mutating func markEarlier() throws(Fault) {
    try ledger.markFirstUseAnnounced()
    count += 1
  }

  /// - Parameter time: the time at which it was handed over.
  package mutating func mark(_ message: SilenceMessage, at time: Instant) throws(Fault) {
    try ledger.mark(message.note(at: time))
    count += 1
  }

  package mutating func mark(_ dues: [DueThing]) throws(Fault) {
    if dues.isEmpty { return }
    try ledger.mark(dues.map(\.announcement))
    count += dues.count
  }
}

extension DueQueue {
  /// Returns the next things, fewer only behind the last.
  ///
  /// - Parameter report: gets each that cannot be read; it is passed over.
  fileprivate mutating func next(_ count: Int, report: (Fault) -> Void) -> [DueThing] {
    var things: [DueThing] = []
    while things.count < count {
      do {
        guard let thing = try next() else { break }
        things.append(thing)
      } catch {
        report(error)
      }
    }
    return things
  }
}

/// One check of a store: what is due in order, what was due before the first use, and whether
/// anything can be new since the last check.
///
/// A thing is marked in the ``Ledger`` after it was announced, never before: that order is the
/// caller's.
package struct DueCheck {
  private let store: Store
  /// The directory of the ledger; `nil` where nothing is remembered.
  private let directory: FilePath?
  private let calendar: EventCalendar
  /// The name of the user's zone.
  private let zone: String
  /// The time that is checked for.
  private let end: Instant
  /// The files that stand for records with dates that iCloud has taken off this machine.
  package let away: [FilePath]
  /// The index of each of ``DatedKinds/all``.
  private var indexes: [RecordIndex]

  /// A check runs again and again: what was written over in its place is found by one of them, for all
  /// that lists too.
  private static let look = IndexLook.filesInTurn(256)

  /// - Parameters:
  ///   - end: the time that is checked for; only a dry run has another than `now`.
  ///   - now: the real time, for the index.
  ///   - zone: the name of the zone of `calendar`.
  package init(
    _ store: Store, directory: FilePath?, through end: Instant, now: Instant,
    calendar: EventCalendar, zone: String
  ) {
    self.store = store
    self.directory = directory
    self.calendar = calendar
    self.zone = zone
    self.end = end
    var indexes = DatedKinds.all.map { store.index.open($0.kind, now: now, look: Self.look) }
    away = indexes.indices.flatMap { indexes[$0].away() }
    self.indexes = indexes
  }

  /// Returns whether the last check left nothing, and since then nothing changed and nothing became
  /// due.
  package mutating func hasNothingNew() -> Bool {
    guard let last = LastCheck(of: store), last.through <= end, last.basis == basis()
    else { return false }
    let span = DueSpan(start: last.through, end: end, calendar: calendar)
    for (position, kind) in DatedKinds.all.enumerated() {
      var isNew = false
      kind.forEachCandidate(in: &indexes[position], span, known: Ledger.Known()) { _, _ in
        isNew = true
        return false
      }
      if isNew { return false }
    }
    return true
  }

  /// Keeps that nothing is left, for the next check.
  package mutating func keepNothingLeft() {
    guard let basis = basis() else { return }
    LastCheck(through: end, basis: basis).keep(for: store)
  }

  /// Returns what a check rests on; `nil` where it is not known.
  private mutating func basis() -> String? {
    var stamps: [(RecordKind, UInt64)] = []
    for (position, kind) in DatedKinds.all.enumerated() {
      guard indexes[position].failures.isEmpty else { return nil }
      stamps.append((kind.kind, indexes[position].stamp()))
    }
    guard let directory else { return nil }
    return LastCheck.basis(directory, of: store, indexes: stamps, zone: zone)
  }

  /// Returns everything that became due after an instant and is not known, in order.
  ///
  /// - Parameter report: gets each thing of which the index says that it cannot be read; the others
  ///   are due all the same.
  package mutating func dues(
    after start: Instant, known: Ledger.Known, report: (Fault) -> Void
  ) -> DueQueue {
    var queue = DueQueue(
      store, DueSpan(start: start, end: end, calendar: calendar), known: known)
    for (position, kind) in DatedKinds.all.enumerated() {
      let failures = indexes[position].failures
      for failure in failures { report(failure) }
      for entry in indexes[position].problems() where entry.summary.isEmpty {
        report(.unreadableRecord(path: store.layout.record(kind.kind, entry.id).text))
      }
      queue.add(kind, from: &indexes[position])
    }
    queue.sort()
    return queue
  }

  /// Counts what was due already when this machine first used the store.
  ///
  /// - Returns: the number of records, and their kinds.
  package mutating func count(
    dueThrough firstUse: Instant
  ) -> (count: Int, kinds: [RecordKind]) {
    var (sum, kinds) = (0, [RecordKind]())
    for (position, kind) in DatedKinds.all.enumerated() {
      let count = kind.count(in: &indexes[position], dueThrough: firstUse, calendar)
      sum += count
      if count > 0 { kinds.append(kind.kind) }
    }
    return (sum, kinds)
  }
}

/// Something that became due and is to be announced.
package struct DueThing: Sendable {
  /// The record, and what about it is due.
  package enum Matter: Sendable {
    case unlock(Capsule)
    case event(Event, EventAnnouncement)
    case reminder(Item, Reminder)
    /// The last day of its warranty.
    case warranty(Item, CivilDate)
    case bequest(Bequest)
  }

  /// The name of it in the ledger.
  package let announcement: Announcement
  package let matter: Matter
}

/// A span of time in which things become due.
package struct DueSpan {
  /// The start, itself not included.
  package let start: Instant
  /// The end, itself included.
  package let end: Instant
  package let calendar: EventCalendar

  var zone: ZoneRules { calendar.zone }

  func holds(_ instant: Instant) -> Bool { instant > start && instant <= end }
}

extension Fault {
  /// The index has nothing of a record, whose announcements are not known: it cannot be read as one.
  package static func unreadableRecord(path: String) -> Fault {
    Fault(.damaged, "'\(path)' cannot be read", hint: "list the damage: capsule verify")
  }
}

/// A queue of the things that became due and are not known yet, the earliest first. Each record is
/// read when its turn comes, so that many take little memory.
package struct DueQueue {
  /// A record that has something due.
  private struct Candidate {
    let instant: Instant
    /// Its place among those that were found: in the order in which they were made.
    let place: Int
    let id: RecordID
    let kind: any DatedKind.Type
  }

  private let store: Store
  private let span: DueSpan
  private let known: Ledger.Known
  /// The latest first, each record once.
  private var candidates: [Candidate] = []
  /// The things that are due in records that were read, besides the first thing of each.
  private var later = Heap()

  init(_ store: Store, _ span: DueSpan, known: Ledger.Known) {
    self.store = store
    self.span = span
    self.known = known
  }

  /// Adds the records of a kind that may have something to announce.
  mutating func add(_ kind: any DatedKind.Type, from index: inout RecordIndex) {
    kind.forEachCandidate(in: &index, span, known: known) { id, instant in
      candidates.append(Candidate(instant: instant, place: candidates.count, id: id, kind: kind))
      return true
    }
  }

  mutating func sort() {
    candidates.sort { ($0.instant, $0.place) > ($1.instant, $1.place) }
  }

  /// Returns the next thing; `nil` behind the last.
  ///
  /// - Throws: the problem of a record that could not be read or is not what was written; the next
  ///   call goes on behind it.
  package mutating func next() throws(Fault) -> DueThing? {
    while true {
      if let first = later.first, !isCandidate(before: first) {
        later.removeFirst()
        guard let kind = DatedKinds.all.first(where: { $0.kind == first.kind }) else { continue }
        let due = try dues(of: first.id, kind).first { $0.announcement == first }
        if let due { return due }
      } else if let candidate = candidates.popLast() {
        let dues = try dues(of: candidate.id, candidate.kind)
          .sorted { $0.announcement.instant < $1.announcement.instant }
        for due in dues.dropFirst() { later.insert(due.announcement) }
        if let first = dues.first { return first }
      } else {
        return nil
      }
    }
  }

  private func isCandidate(before announcement: Announcement) -> Bool {
    guard let candidate = candidates.last else { return false }
    return candidate.instant <= announcement.instant
  }

  private func dues(
    of id: RecordID, _ kind: any DatedKind.Type
  ) throws(Fault) -> [DueThing] {
    try read(id, kind).filter { !known.contains($0.announcement) }
  }

  /// Returns what one record has to announce; nothing where it is gone: the index may still name
  /// what another process just deleted.
  private func read<Kind: DatedKind>(
    _ id: RecordID, _ kind: Kind.Type
  ) throws(Fault) -> [DueThing] {
    let record: StoredRecord<Kind>
    do {
      record = try store.read(kind, id)
    } catch {
      if error.code == .recordGone { return [] }
      throw error
    }
    if let damage = record.integrity {
      throw .damaged(damage, path: store.layout.record(Kind.kind, id).text)
    }
    return record.model.dues(in: span)
  }

  /// Announcements, of which the earliest is at hand: a binary heap.
  private struct Heap {
    private var elements: [Announcement] = []

    var first: Announcement? { elements.first }

    mutating func insert(_ element: Announcement) {
      elements.append(element)
      var place = elements.count - 1
      while place > 0, isBefore(place, (place - 1) / 2) {
        elements.swapAt(place, (place - 1) / 2)
        place = (place - 1) / 2
      }
    }

    mutating func removeFirst() {
      elements.swapAt(0, elements.count - 1)
      elements.removeLast()
      var place = 0
      while true {
        var least = place
        for child in [2 * place + 1, 2 * place + 2]
        where child < elements.count && isBefore(child, least) {
          least = child
        }
        if least == place { return }
        elements.swapAt(place, least)
        place = least
      }
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
      let (left, right) = (elements[left], elements[right])
      return (left.instant, left.id) < (right.instant, right.id)
    }
  }
}
