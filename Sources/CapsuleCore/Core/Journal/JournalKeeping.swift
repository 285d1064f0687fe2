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
