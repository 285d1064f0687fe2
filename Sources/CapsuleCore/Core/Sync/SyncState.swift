/// The knowledge of this machine about synchronising one store: an append-only file of lines, of
/// which the last of each name counts. Lines that are written together end with a line that says
/// so; lines behind the last such line were interrupted, and do not count.
///
/// A line is two checks of the rest (``CheckedLines``), a letter, and words parted by single spaces:
///
/// | line | meaning |
/// | --- | --- |
/// | `M <json>` | the actor, and the directory that the state is of |
/// | `K <carrier> <json>` | what this machine did in a carrier, and what it has of the records |
/// | `R <record> <place> <signature> <digest> <number> <json>` | a record: where its file is, and its state; later states have greater numbers |
/// | `S <record> <place> <signature> <digest>` | the same file, looked at again |
/// | `C` | the end of what was written together |
///
/// Place is where the file is; signature and digest are as ``FileStamp`` and ``FileDigest`` have them, or
/// `-`. The state of a record is read when it is needed: a sync of 10,000 records that did not change reads none.
package struct SyncState {
  /// The place of a record's file when it was looked at last.
  package struct Row: Hashable, Sendable {
    package enum Place: String, Sendable {
      case live = "live"
      case trash = "trash"
      case absent = "absent"
    }

    package var place: Place
    /// `nil` where the file must be read again.
    package var signature: FileStamp?
    /// `nil` without a file, and where it must be compared again.
    package var digest: FileDigest?
    /// The number of the state, greater than those of all states that were put before.
    fileprivate var number: Int64
    /// The range of the state in the file.
    fileprivate var json: Range<Int>
  }

  /// The record of what this machine did in one carrier.
  package struct CarrierRecord: Hashable, Sendable {
    /// The number of the own last segment; raised before it is put.
    package var number: Int64 = 0
    /// The own last segment that was put.
    package var last: SegmentName?
    /// The others' segments that were taken in and are there still, and the own ones that are to be there.
    package var read: Set<SegmentName> = []
    /// The number up to which all states are in the carrier.
    package var published: Int64 = 0
    /// The time at which the last sync with it ended, in Unix seconds.
    package var ended: Int64?
    /// The files in it that no record needs, as far as this machine knows.
    package var unused: Unused?
    /// The files that this machine has removed from it, by their names; each segment says so.
    package var removed: Set<String> = []
    /// Whether a segment that says so is still to be put.
    package var isRemovalUntold = false
    /// The files in it that were fetched and are not what was written, with their marks.
    package var damaged: [CarrierName: String] = [:]
    /// The names of the hosts of the others that have told theirs.
    package var hosts: [ActorID: String] = [:]

    /// Files that no record needed at a time.
    package struct Unused: Hashable, Sendable {
      package var names: Set<String>
      /// The time since which no record needed them, in Unix seconds.
      package var since: Int64
      /// The numbers of the others' last segments then.
      package var actors: [ActorID: Int64]
    }

    package init() {}
  }

  static let fileName = "state"

  package private(set) var actor: ActorID?
  /// The directory that it is of.
  package private(set) var mark = ""
  package private(set) var carriers: [String: CarrierRecord] = [:]
  /// The knowledge of what each carrier has, as far as the numbers of the states do not show it.
  private var knowledge: [String: CarrierKnowledge] = [:]
  /// The greatest number of a state.
  private var lastNumber: Int64 = 0
  package private(set) var rows: [SyncSubject: Row] = [:]

  private let files: any FileSystem
  private let path: FilePath
  private let random: RandomSource
  private var bytes: [UInt8]
  /// The number of the file's bytes that count.
  private var whole: Int
  /// Whether the file lost something that was written whole.
  package private(set) var isDamaged = false
  private var pending = Pending()
  private var loaded: [SyncSubject: SyncEntry] = [:]

  private struct Pending {
    var meta = false
    var carriers: Set<String> = []
    var entries: Set<SyncSubject> = []
    var rows: Set<SyncSubject> = []
  }

  package init(
    _ directory: FilePath, _ files: any FileSystem, _ random: RandomSource
  ) throws(Fault) {
    self.files = files
    self.random = random
    path = directory.appending(Self.fileName)
    bytes = []
    whole = 0
    if try files.statusIfPresent(path) != nil {
      bytes = try files.readFile(path, limit: StoreIntents.fileLimit)
    }
    replay()
  }

  private mutating func replay() {
    // A state takes a kilobyte or more.
    rows.reserveCapacity(bytes.count >> 10)
    var group: [(kind: UInt8, line: Range<Int>)] = []
    var start = 0
    while let end = CheckedLines.newline(in: bytes, from: start) {
      let line = start..<end
      // A line is proven when it is used; here only damage by a disk is found.
      guard CheckedLines.isIntact(bytes[line]) else { break }
      let kind = bytes[line.lowerBound + CheckedLines.prefixCount]
      start = end + 1
      guard kind == UInt8(ascii: "C") else {
        group.append((kind, line))
        continue
      }
      for (kind, line) in group { take(kind, line) }
      group = []
      whole = start
    }
    isDamaged = CheckedLines.hasEnd(in: bytes, after: start)
  }

  private mutating func take(_ kind: UInt8, _ line: Range<Int>) {
    var position = line.lowerBound + CheckedLines.prefixCount + 2
    func bytesOfWord() -> ArraySlice<UInt8>? {
      guard position < line.upperBound else { return nil }
      let end =
        bytes[position..<line.upperBound].firstIndex(of: UInt8(ascii: " ")) ?? line.upperBound
      defer { position = end + 1 }
      return bytes[position..<end]
    }
    func word() -> String? { bytesOfWord().map { String(decoding: $0, as: UTF8.self) } }
    switch kind {
    case UInt8(ascii: "M"):
      guard position < line.upperBound,
        let json = try? JSON.parse(Array(bytes[position..<line.upperBound]))
      else { return }
      actor = json["actor"]?.string.flatMap { ActorID($0) }
      mark = json["mark"]?.string ?? ""
    case UInt8(ascii: "K"):
      guard let id = word(), position < line.upperBound,
        let json = try? JSON.parse(Array(bytes[position..<line.upperBound]))
      else { return }
      carriers[id] = CarrierRecord(json: json)
    case UInt8(ascii: "R"), UInt8(ascii: "S"):
      guard let subject = bytesOfWord().flatMap({ SyncSubject(utf8: $0) }),
        let place = word().flatMap({ Row.Place(rawValue: $0) }), let signature = bytesOfWord(),
        let digest = bytesOfWord()
      else { return }
      var number = rows[subject]?.number ?? 0
      var json = rows[subject]?.json ?? 0..<0
      if kind == UInt8(ascii: "R") {
        guard let next = word().flatMap({ Int64($0) }), position < line.upperBound else { return }
        number = next
        lastNumber = max(lastNumber, next)
        json = position..<line.upperBound
      }
      rows[subject] = Row(
        place: place, signature: FileStamp(signature), digest: FileDigest(hex: digest),
        number: number, json: json)
    default: break
    }
  }

  /// Returns the entry of a record; `nil` where there is none, or its line is not what was written.
  package mutating func entry(_ subject: SyncSubject) -> SyncEntry? {
    if let entry = loaded[subject] { return entry }
    guard let row = rows[subject], !row.json.isEmpty,
      let start = bytes[..<row.json.lowerBound].lastIndex(of: UInt8(ascii: "\n")).map({ $0 + 1 })
        ?? .some(0),
      CheckedLines.isWhole(bytes[start..<row.json.upperBound]),
      let json = try? JSON.parse(Array(bytes[row.json])), let entry = SyncEntry(json: json)
    else { return nil }
    loaded[subject] = entry
    return entry
  }

  package mutating func begin(as actor: ActorID, mark: String) {
    self.actor = actor
    self.mark = mark
    pending.meta = true
  }

  /// Forgets what was done in the carriers: all of it is compared again.
  package mutating func forgetCarriers() {
    for id in carriers.keys { carriers[id] = CarrierRecord() }
    pending.carriers.formUnion(carriers.keys)
    knowledge = [:]
  }

  /// The record of a carrier; an empty one where nothing was done in it.
  package func carrier(_ id: String) -> CarrierRecord {
    carriers[id] ?? CarrierRecord()
  }

  package mutating func change(_ id: String, _ body: (inout CarrierRecord) -> Void) {
    body(&carriers[id, default: CarrierRecord()])
    pending.carriers.insert(id)
  }

  /// Whether a file was fetched before and found damaged, and is the same still.
  func isKnownDamaged(
    _ name: CarrierName, in id: String, _ listing: CarrierListing
  ) -> Bool {
    guard let known = carriers[id]?.damaged[name] else { return false }
    return known == listing.mark(name)
  }

  /// Notes files that were fetched and are damaged; those that are no longer there are forgotten.
  mutating func noteDamaged(
    _ names: [CarrierName], in id: String, _ listing: CarrierListing
  ) {
    let before = carrier(id).damaged
    var damaged = before.filter { listing[$0.key] != nil }
    for name in names { damaged[name] = listing.mark(name) }
    if damaged != before { change(id) { $0.damaged = damaged } }
  }

  /// The records of which a carrier may not have what the state has.
  package mutating func behind(_ id: String) -> CarrierKnowledge {
    if let known = knowledge[id] { return known }
    let published = carrier(id).published
    var behind: [SyncSubject: VersionVector] = [:]
    for (subject, row) in rows where row.number > published { behind[subject] = VersionVector() }
    let known = CarrierKnowledge(behind: behind)
    knowledge[id] = known
    return known
  }

  package mutating func know(_ id: String, _ body: (inout CarrierKnowledge) -> Void) {
    _ = behind(id)
    body(&knowledge[id, default: CarrierKnowledge()])
  }

  /// Notes that a carrier has everything that the states have now.
  package mutating func notePublished(_ id: String) {
    let number = lastNumber
    guard carrier(id).published != number else { return }
    change(id) { $0.published = number }
  }

  /// Notes a state that went on, for every carrier too.
  package mutating func put(
    _ subject: SyncSubject, _ entry: SyncEntry, from old: VersionVector
  ) {
    if entry.state.vector != old || rows[subject] == nil {
      for id in knowledge.keys { knowledge[id]?.noteChange(of: subject, from: old) }
    }
    loaded[subject] = entry
    lastNumber += 1
    rows[
      subject,
      default: Row(place: .absent, signature: nil, digest: nil, number: 0, json: 0..<0)
    ].number = lastNumber
    pending.entries.insert(subject)
  }

  /// Notes where a record's file is.
  package mutating func note(
    _ subject: SyncSubject, _ place: Row.Place, _ signature: FileStamp?, _ digest: FileDigest?
  ) {
    guard var row = rows[subject] else { return }
    guard row.place != place || row.signature != signature || row.digest != digest else { return }
    (row.place, row.signature, row.digest) = (place, signature, digest)
    rows[subject] = row
    pending.rows.insert(subject)
  }

  /// Puts the file aside, and knows nothing any more.
  package mutating func setAside() throws(Fault) {
    try files.setAside(path)
    try erase()
  }

  /// Removes everything that is kept.
  package mutating func erase() throws(Fault) {
    if try files.statusIfPresent(path) != nil { try files.unlink(path) }
    isDamaged = false
    bytes = []
    whole = 0
    rows = [:]
    carriers = [:]
    knowledge = [:]
    lastNumber = 0
    loaded = [:]
    pending = Pending()
    actor = nil
  }

  /// Writes what changed, synchronised.
  package mutating func keep() throws(Fault) {
    let lines = encodePending(from: whole)
    guard !lines.bytes.isEmpty else { return }
    try files.createDirectories(path.parent)
    let isNew = try files.statusIfPresent(path) == nil
    try files.withFile(path, .readWriteCreate(mode: 0o600)) { file throws(Fault) in
      try files.truncate(file, to: Int64(whole))
      try files.writeAll(file, lines.bytes, at: Int64(whole))
      try files.synchronize(file)
    }
    if isNew { try files.synchronizeDirectory(path.parent) }
    bytes.removeLast(bytes.count - whole)
    bytes += lines.bytes
    whole = bytes.count
    for (subject, range) in lines.ranges { rows[subject]?.json = range }
    pending = Pending()
    try compactIfLarge()
    // An entry that was decoded can be decoded again.
    if loaded.count > 4096 { loaded = [:] }
  }

  private mutating func encodePending(
    from offset: Int
  ) -> (bytes: [UInt8], ranges: [SyncSubject: Range<Int>]) {
    var out = LineWriter(offset: offset)
    if pending.meta {
      out.line(
        "M",
        [],
        .object([
          "actor": actor.map { .string($0.description) } ?? .null, "mark": .string(mark),
        ]))
    }
    for id in pending.carriers.sorted() {
      if let record = carriers[id] { out.line("K", [id], record.json) }
    }
    var ranges: [SyncSubject: Range<Int>] = [:]
    for subject in pending.entries.sorted(by: { $0.text < $1.text }) {
      guard let row = rows[subject], let entry = loaded[subject] else { continue }
      ranges[subject] = out.line(
        "R", row.words(subject) + [String(row.number)], entry.json)
    }
    for subject in pending.rows.subtracting(pending.entries).sorted(by: { $0.text < $1.text }) {
      guard let row = rows[subject], !row.json.isEmpty else { continue }
      out.line("S", row.words(subject), nil)
    }
    guard !out.bytes.isEmpty else { return ([], [:]) }
    out.line("C", [], nil)
    return (out.bytes, ranges)
  }

  /// Writes the file anew when most of it does not count any more.
  private mutating func compactIfLarge() throws(Fault) {
    let live = rows.values.reduce(0) { $0 + $1.json.count + 200 }
    guard whole > 1 << 20, whole / 4 > live else { return }
    var out = LineWriter(offset: 0)
    out.line(
      "M", [],
      .object(["actor": actor.map { .string($0.description) } ?? .null, "mark": .string(mark)]))
    for (id, record) in carriers.sorted(by: { $0.key < $1.key }) {
      out.line("K", [id], record.json)
    }
    var ranges: [SyncSubject: Range<Int>] = [:]
    for (subject, row) in rows where !row.json.isEmpty {
      // Damage is not carried on under a new checksum.
      guard loaded[subject] != nil || entry(subject) != nil else { continue }
      ranges[subject] = out.line(
        "R", row.words(subject) + [String(row.number)], raw: Array(bytes[row.json]))
    }
    out.line("C", [], nil)
    guard let name = try? random.bytes(16) else { return }
    let temporary = FilePath(bytes: path.bytes + Array(".\(Hex.encode(name))".utf8))
    try files.replace(path, out.bytes, mode: 0o600, by: temporary)
    bytes = out.bytes
    whole = bytes.count
    for subject in rows.keys where ranges[subject] == nil { rows[subject] = nil }
    for (subject, range) in ranges { rows[subject]?.json = range }
  }
}

extension SyncState.Row {
  fileprivate func words(_ subject: SyncSubject) -> [String] {
    [subject.text, place.rawValue, signature?.text ?? "-", digest?.text ?? "-"]
  }
}

/// The lines that are written together.
private struct LineWriter {
  private let offset: Int
  private(set) var bytes: [UInt8] = []

  init(offset: Int) {
    self.offset = offset
  }

  /// Returns where the JSON stands in the file.
  @discardableResult
  mutating func line(_ kind: String, _ words: [String], _ json: JSON?) -> Range<Int> {
    line(kind, words, raw: json?.encoded(.compact))
  }

  @discardableResult
  mutating func line(_ kind: String, _ words: [String], raw: [UInt8]?) -> Range<Int> {
    var text = Array(([kind] + words).joined(separator: " ").utf8)
    if let raw {
      text.append(UInt8(ascii: " "))
      text += raw
    }
    bytes += CheckedLines.line(text[...])
    let end = offset + bytes.count
    bytes.append(UInt8(ascii: "\n"))
    return (end - (raw?.count ?? 0))..<end
  }
}
