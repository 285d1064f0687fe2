/// A segment: the states of some records, as one machine publishes them. In the clear it is lines of JSON:
/// a first that says whose it is, one for each record, and a last with their number and a code that only
/// the machines of the store can make, over all lines before. All of it is sealed to the store. A line may also
/// have what the machine says of itself (``Note``).
package enum Segment {
  static let format: Int64 = 1
  /// The longest line, in bytes: of a record with many siblings.
  static let lineLimit = 1 << 28
  /// The largest file that is read, in bytes: the states of hundreds of thousands of records are smaller.
  static let sizeLimit: Int64 = 1 << 30

  /// The reason why a segment was not taken in.
  package enum Problem: Hashable, Sendable {
    /// It is not what was written, or was not written by a machine of this store.
    case damaged
    /// It is not there, or shorter than the carrier says: it may be on its way.
    case incomplete
    case newer(Int64)
  }

  /// What a machine says of itself, on the line behind the first.
  package struct Note: Hashable, Sendable {
    /// The names of files that it has removed from the carrier: whoever needs one puts it there again.
    package var removed: Set<String> = []
    /// The name of its host; empty where it has told none.
    package var host = ""

    /// The longest name of a host that is kept, in bytes.
    private static let hostLimit = 255

    package init() {}

    init(removed: Set<String>, host: String) { (self.removed, self.host) = (removed, host) }

    var isEmpty: Bool { removed.isEmpty && host.isEmpty }

    var json: JSON {
      var members: JSONObject = ["removed": .array(removed.sorted().map { .string($0) })]
      if !host.isEmpty { members["host"] = .string(host) }
      return .object(members)
    }

    /// Takes in a line; one without `removed` is none, as it always was.
    ///
    /// - Returns: whether it is one.
    mutating func take(_ json: JSON) -> Bool {
      guard let names = json["removed"]?.array else { return false }
      removed.formUnion(names.compactMap(\.string))
      if let name = json["host"]?.string, name.utf8.count <= Self.hostLimit { host = name }
      return true
    }
  }

  private static func first(
    _ store: RecordID, _ carrier: String, _ actor: ActorID, _ number: Int64
  ) -> JSON {
    .object([
      "format": .integer(format), "store": .string(store.description),
      "carrier": .string(carrier), "actor": .string(actor.description),
      "number": .integer(number),
    ])
  }

  /// Writes a segment into a directory, under its path in a carrier.
  ///
  /// - Parameters:
  ///   - state: the state of a record; called once for each.
  static func write(
    _ subjects: [SyncSubject], _ state: (SyncSubject) -> RecordState?, _ note: Note,
    as actor: ActorID, number: Int64, carrier: String, of store: Store, _ keys: SyncKeys,
    into directory: FilePath
  ) throws -> SegmentName {
    let files = store.files
    let temporary = directory.appending(try store.environment.temporaryName())
    try files.createDirectories(directory)
    let file = try files.open(temporary, .createExclusive(mode: 0o600))
    let digest: [UInt8]
    do {
      let writer = try AgeWriter(to: keys.recipients, random: store.environment.random)
      let sink = try writer.sealing(into: DigestingSink(FileSink(files, file)))
      var code = keys.segmentCode()
      func line(_ json: JSON, isCoded: Bool = true) throws {
        let bytes = json.encoded(.compact) + [UInt8(ascii: "\n")]
        if isCoded { code.update(bytes) }
        try bytes.withUnsafeBytes { try sink.write($0) }
      }
      try line(first(store.header.id, carrier, actor, number))
      var count: Int64 = 0
      if !note.isEmpty { try line(note.json) }
      for subject in subjects {
        guard let state = state(subject) else { continue }
        try line(.object(["record": .string(subject.text), "state": state.json]))
        count += 1
      }
      try line(
        .object(["records": .integer(count), "code": .string(Hex.encode(code.finalize()))]),
        isCoded: false)
      var target = try sink.finish()
      digest = target.digest()
      try files.synchronize(file)
    } catch {
      try? files.close(file)
      try? files.unlink(temporary)
      throw error
    }
    do { try files.close(file) } catch {
      try? files.unlink(temporary)
      throw error
    }
    let name = SegmentName(actor: actor, number: number, digest: digest)
    let path = directory.appending(CarrierName.segment(name).path)
    try files.createDirectories(path.parent)
    try files.rename(temporary, to: path)
    return name
  }

  /// Reads a segment that was copied here. Nothing of it is taken apart before its code is proven, and then a line
  /// at a time.
  ///
  /// - Parameter record: takes each state of a record, as it is read.
  /// - Returns: what the machine that wrote it says of itself.
  static func read(
    _ name: SegmentName, at path: FilePath, carrier: String, of store: Store, _ keys: SyncKeys,
    record: @escaping (SyncSubject, RecordState) -> Void
  ) throws -> Note {
    let files = store.files
    let digest: [UInt8]
    do {
      digest = try files.withFile(path, .read) { file throws(Fault) in try files.digest(of: file) }
    } catch {
      if error.condition == .notFound { throw Fault(Segment.Problem.incomplete) }
      throw error
    }
    guard SegmentName(actor: name.actor, number: name.number, digest: digest) == name else {
      throw Fault(Segment.Problem.incomplete)
    }
    var proof = SegmentProof(keys.segmentCode())
    try open(path, files, keys, into: &proof)
    guard proof.isProven() else { throw Fault(Segment.Problem.damaged) }
    var lines = SegmentLines(
      first: first(store.header.id, carrier, name.actor, name.number), record)
    try open(path, files, keys, into: &lines)
    return try lines.finish()
  }

  /// Opens the seal of a segment.
  private static func open(
    _ path: FilePath, _ files: any FileSystem, _ keys: SyncKeys, into sink: inout some ByteSink
  ) throws {
    let file = try files.open(path, .read)
    defer { try? files.close(file) }
    do {
      var reader = try AgeReader(FileSource(files, file), encoding: .binary)
      let key = try reader.unlock(with: keys.identities)
      _ = try reader.open(with: key, to: &sink)
    } catch {
      switch error {
      case .source(let cause), .sink(let cause): throw cause
      default: throw Fault(Segment.Problem.damaged)
      }
    }
  }
}

/// The proof that the lines of a segment were written by a machine of the store: they go through it, and only the
/// last ones are kept.
package struct SegmentProof: ByteSink {
  /// More bytes than the last line has.
  private static let tailLimit = 256
  /// More bytes than the first line has.
  private static let headLimit = 4096

  private var code: HMACSHA256
  private var tail: [UInt8] = []
  /// The beginning, until the first line is whole.
  private var head: [UInt8]? = []

  package init(_ code: HMACSHA256) {
    self.code = code
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    try look(at: bytes)
    let kept = bytes.suffix(Self.tailLimit)
    let excess = max(0, tail.count + kept.count - Self.tailLimit)
    code.update(Array(tail[..<excess]))
    tail.removeFirst(excess)
    code.update(UnsafeRawBufferPointer(rebasing: bytes.dropLast(Self.tailLimit)))
    tail += kept
  }

  /// A newer program says so in the first line: how it proves its lines is not known here.
  private mutating func look(at bytes: UnsafeRawBufferPointer) throws {
    guard var line = head else { return }
    line += bytes.prefix(Self.headLimit - line.count)
    let end = line.firstIndex(of: UInt8(ascii: "\n"))
    head = end == nil && line.count < Self.headLimit ? line : nil
    guard let end, let format = (try? JSON.parse(Array(line[..<end])))?["format"]?.integer,
      format > Segment.format
    else { return }
    throw Fault(Segment.Problem.newer(format))
  }

  /// Whether the last line has the code of all before.
  package mutating func isProven() -> Bool {
    guard tail.last == UInt8(ascii: "\n"),
      let start = tail.dropLast().lastIndex(of: UInt8(ascii: "\n")).map({ $0 + 1 })
    else { return false }
    code.update(Array(tail[..<start]))
    let line = try? JSON.parse(Array(tail[start...].dropLast()))
    guard let written = line?["code"]?.string.flatMap({ Hex.decode($0) }) else { return false }
    return constantTimeEqual(written, code.finalize())
  }
}

/// The lines of a segment whose code is proven, as they are opened.
package struct SegmentLines: ByteSink {
  private let first: JSON
  private let record: (SyncSubject, RecordState) -> Void
  private var line: [UInt8] = []
  private var isBegun = false
  private var records: Int64 = 0
  private var note = Segment.Note()
  private var last: JSON?

  /// - Parameters:
  ///   - first: the first line of a segment of this name.
  ///   - record: takes each state of a record.
  package init(first: JSON, _ record: @escaping (SyncSubject, RecordState) -> Void) {
    self.first = first
    self.record = record
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      line += rest[..<end]
      try endLine()
      rest = rest[(end + 1)...]
    }
    guard line.count + rest.count <= Segment.lineLimit else { throw Fault(Segment.Problem.damaged) }
    line += rest
  }

  private mutating func endLine() throws(Fault) {
    defer { line = [] }
    guard last == nil, let json = try? JSON.parse(line), json.object != nil else {
      throw Fault(Segment.Problem.damaged)
    }
    guard isBegun else {
      // Before anything is taken from it: a segment of another carrier has the store's code too.
      guard json == first else { throw Fault(Segment.Problem.damaged) }
      isBegun = true
      return
    }
    if json["code"] != nil {
      last = json
      return
    }
    if note.take(json) { return }
    guard let name = json["record"]?.string, let subject = SyncSubject(name),
      let state = json["state"].flatMap({ try? RecordState(json: $0) })
    else { throw Fault(Segment.Problem.damaged) }
    records += 1
    record(subject, state)
  }

  /// Ends the reading.
  ///
  /// - Returns: what the machine that wrote them says of itself.
  package func finish() throws(Fault) -> Segment.Note {
    guard line.isEmpty, last?["records"]?.integer == records else {
      throw Fault(Segment.Problem.damaged)
    }
    return note
  }
}

extension Segment.Problem: FaultCause {
  package var code: Fault.Code { if case .newer = self { .newerRemote } else { .remoteDamaged } }

  package var message: Fault.Message {
    switch self {
    case .damaged: "a change file is damaged"
    case .incomplete: "a change file is incomplete"
    case .newer(let format):
      "a change file has format \(format), which is newer than this program's"
    }
  }
}
