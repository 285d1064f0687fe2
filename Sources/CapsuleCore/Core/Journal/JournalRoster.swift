/// The records that journals name: what ought to be in a store.
package struct JournalRoster: Sendable {
  /// The place of a frame.
  package struct Place: Hashable, Sendable {
    package let log: FilePath
    package let offset: Int64
  }

  /// A version of a record that a journal holds.
  package struct Version: Hashable, Sendable {
    package let revision: Int64
    package let time: Instant
    /// The SHA-256 of the record's bytes.
    package let digest: [UInt8]
    package let place: Place
  }

  /// A record that a journal names, and no purge.
  package struct Known: Hashable, Sendable {
    package let kind: RecordKind
    package let id: RecordID
    /// The highest revision that this machine's own journal names; `nil` where only others' do.
    package fileprivate(set) var ownRevision: Int64?
    /// The highest revision that any journal names.
    package fileprivate(set) var revision: Int64
    /// The newest version whose bytes are held.
    package fileprivate(set) var newest: Version?
    /// The beginnings of the digests of all versions whose bytes are held.
    package fileprivate(set) var digests: [UInt64] = []
    /// The name of the file in the trash where the last change moved it there; `nil` where it is live.
    package fileprivate(set) var trashName: [UInt8]?
    fileprivate var lastChange: Instant
  }

  /// The statement of one journal about one record.
  fileprivate struct Statement {
    let kind: RecordKind
    var isAfterPurge = false
    var revision: Int64?
    var newest: Version?
    var digests: [UInt64] = []
    var trashName: [UInt8]?
    var lastChange = Instant.earliest
  }

  private let own: String?
  private var statements: [String: [RecordID: Statement]] = [:]
  /// The highest revision of each record that is purged for good.
  package private(set) var purged: [RecordID: Int64] = [:]
  /// The logs with bytes that belong to no whole frame.
  package private(set) var damaged: [FilePath] = []
  /// The logs that could not be read, and the system's code.
  package private(set) var unreadable: [(path: FilePath, code: Int32)] = []

  package init(own: String?) {
    self.own = own
  }

  /// The first 8 bytes of a digest.
  package static func beginning(of digest: [UInt8]) -> UInt64 {
    digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Notes a folder that could not be listed.
  mutating func note(unreadable path: FilePath, code: Int32) {
    unreadable.append((path, code))
  }

  /// Takes in a log of a machine's journal.
  ///
  /// - Parameter each: called with every entry.
  package mutating func read(
    _ log: JournalLog, of machine: String, each: (JournalEntry) -> Void = { _ in }
  ) {
    var said = statements[machine] ?? [:]
    var purges: [RecordID: Int64] = [:]
    do {
      let damage = try log.forEachEntry { entry in
        let frame = entry.frame
        each(entry)
        guard frame.event != .compaction, frame.event != .drop else { return }
        if frame.event == .purge {
          purges[frame.id] = max(purges[frame.id] ?? .min, frame.revision)
          said[frame.id] = Statement(kind: frame.kind, isAfterPurge: true)
          return
        }
        said[frame.id, default: Statement(kind: frame.kind)].add(
          entry, at: Place(log: log.path, offset: entry.offset))
      }
      if !damage.isEmpty { damaged.append(log.path) }
    } catch {
      unreadable.append((log.path, error.errno))
    }
    statements[machine] = said
    purged.merge(purges) { max($0, $1) }
  }

  /// The records that ought to be there, by id.
  package func known() -> [RecordID: Known] {
    var known: [RecordID: Known] = [:]
    for (machine, said) in statements {
      for (id, statement) in said {
        guard let revision = statement.revision,
          statement.isAfterPurge || revision > purged[id] ?? .min
        else { continue }
        var entry =
          known[id]
          ?? Known(
            kind: statement.kind, id: id, revision: revision, trashName: statement.trashName,
            lastChange: statement.lastChange)
        if machine == own { entry.ownRevision = revision }
        entry.revision = max(entry.revision, revision)
        entry.digests += statement.digests
        if let version = statement.newest, version.isNewer(than: entry.newest) {
          entry.newest = version
        }
        if statement.lastChange > entry.lastChange {
          entry.trashName = statement.trashName
          entry.lastChange = statement.lastChange
        }
        known[id] = entry
      }
    }
    return known
  }
}

extension JournalRoster.Version {
  fileprivate func isNewer(than other: Self?) -> Bool {
    guard let other else { return true }
    return (revision, time) >= (other.revision, other.time)
  }
}

extension JournalRoster.Statement {
  mutating func add(_ entry: JournalEntry, at place: JournalRoster.Place) {
    let frame = entry.frame
    revision = max(revision ?? .min, frame.revision)
    lastChange = max(lastChange, frame.time)
    switch frame.event {
    case .put:
      let version = JournalRoster.Version(
        revision: frame.revision, time: frame.time, digest: entry.bodyDigest, place: place)
      if newest.map({ $0.revision <= version.revision }) ?? true { newest = version }
      digests.append(JournalRoster.beginning(of: version.digest))
      trashName = nil
    // A journal may come from elsewhere: a name is no path.
    case .trash:
      trashName = frame.name.contains { $0 == UInt8(ascii: "/") || $0 == 0 } ? nil : frame.name
    case .restore: trashName = nil
    case .purge, .compaction, .drop: break
    }
  }
}

/// The choice of the frames of one log that a compaction keeps.
struct JournalKeeping {
  /// The age up to which an older version is kept, in seconds.
  static let age: Int64 = 365 * 86_400
  /// The most older versions of a record that are kept.
  static let count = 100
  /// The most bytes of older versions of a record that are kept, unless twice the newest is more.
  static let size = 1 << 20

  private struct Frame {
    let event: JournalFrame.Event
    let revision: Int64
    let time: Instant
    let byteCount: Int
    let number: Int
  }

  private var frames: [RecordID: [Frame]] = [:]

  /// Takes in the next frame of the log.
  mutating func add(_ entry: JournalEntry, number: Int) {
    guard entry.frame.event != .compaction else { return }
    let frame = entry.frame
    frames[frame.id, default: []].append(
      Frame(
        event: frame.event, revision: frame.revision, time: frame.time,
        byteCount: entry.byteCount, number: number))
  }

  /// The number of frames in the log, without those of compactions.
  var count: Int { frames.values.reduce(0) { $0 + $1.count } }

  /// The numbers of the frames that are kept.
  ///
  /// - Parameters:
  ///   - purged: the highest revision of each record that another machine's journal says is gone.
  ///   - forgetting: records of which only the newest version is kept.
  func kept(
    now: Instant, purged: [RecordID: Int64], forgetting: Set<RecordID>
  ) -> Set<Int> {
    var numbers: Set<Int> = []
    for (id, frames) in frames {
      // A purge answers for all that stands before it; the last one counts, which is written twice.
      var rest = frames[...]
      if let last = frames.lastIndex(where: { $0.event == .purge }) {
        numbers.formUnion(
          frames[...last].suffix(2).filter { $0.event == .purge }.map(\.number))
        rest = frames[(last + 1)...]
      }
      if let drop = rest.last(where: { $0.event == .drop }) {
        numbers.insert(drop.number)
        rest.removeAll { $0.event == .drop || $0.revision < drop.revision }
      }
      if let revision = purged[id] { rest.removeAll { $0.revision <= revision } }
      // The frame that says where the record went is kept, unless the record was written after that.
      if let last = rest.last, last.event != .put { numbers.insert(last.number) }
      numbers.formUnion(
        Self.kept(rest.filter { $0.event == .put }, now: now, newestOnly: forgetting.contains(id)))
    }
    return numbers
  }

  private static func kept(_ puts: [Frame], now: Instant, newestOnly: Bool) -> [Int] {
    // Of two of one revision the later one counts: a repair may put back what was.
    let order = puts.sorted { ($1.revision, $1.number) < ($0.revision, $0.number) }
    guard let newest = order.first else { return [] }
    var numbers = [newest.number]
    guard !newestOnly else { return numbers }
    var bytes = 0
    for frame in order.dropFirst() {
      bytes += frame.byteCount
      guard numbers.count <= count, bytes <= max(size, 2 * newest.byteCount),
        now.seconds.subtractingClamped(frame.time.seconds) <= age
      else { break }
      numbers.append(frame.number)
    }
    return numbers
  }
}
