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
  ) throws(StoreError) {
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
    report: (DueProblem) -> Void, _ body: (AnnouncementBatch) -> Bool
  ) throws(StoreError) {
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
  /// - Throws: ``StoreError`` where the ledger cannot be read or written, and the errors of the sink: what
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
  private func isSilenceQuiet() throws(StoreError) -> Bool {
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
  mutating func report(_ problem: DueProblem)
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
  package mutating func markEarlier() throws(StoreError) {
    try ledger.markFirstUseAnnounced()
    count += 1
  }

  /// - Parameter time: the time at which it was handed over.
  package mutating func mark(_ message: SilenceMessage, at time: Instant) throws(StoreError) {
    try ledger.mark(message.note(at: time))
    count += 1
  }

  package mutating func mark(_ dues: [DueThing]) throws(StoreError) {
    if dues.isEmpty { return }
    try ledger.mark(dues.map(\.announcement))
    count += dues.count
  }
}

extension DueQueue {
  /// Returns the next things, fewer only behind the last.
  ///
  /// - Parameter report: gets each that cannot be read; it is passed over.
  fileprivate mutating func next(_ count: Int, report: (DueProblem) -> Void) -> [DueThing] {
    var things: [DueThing] = []
    while things.count < count {
      do throws(DueProblem) {
        guard let thing = try next() else { break }
        things.append(thing)
      } catch {
        report(error)
      }
    }
    return things
  }
}
