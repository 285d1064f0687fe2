/// A segment: the states of some records, as one machine publishes them. In the clear it is lines of JSON:
/// a first that says whose it is, one for each record, and a last with their number and a code that only
/// the machines of the store can make, over all lines before. All of it is sealed to the store. A line may also
/// name files that the machine has removed from the carrier.
package enum Segment {
  static let format: Int64 = 1
  /// The longest line, in bytes: of a record with many siblings.
  static let lineLimit = 1 << 28
  /// The largest file that is read, in bytes: the states of hundreds of thousands of records are smaller.
  static let sizeLimit: Int64 = 1 << 30

  /// The content of a segment.
  struct Content {
    var states: [(subject: SyncSubject, state: RecordState)] = []
    /// The names of files that were removed from the carrier: whoever needs one puts it there again.
    var removed: Set<String> = []
  }

  /// The reason why a segment was not taken in.
  package enum Fault: Error, Hashable, Sendable {
    /// It is not what was written, or was not written by a machine of this store.
    case damaged
    /// It is not there, or shorter than the carrier says: it may be on its way.
    case incomplete
    case newer(Int64)
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
  ///   - removed: the names of files that were removed from the carrier.
  static func write(
    _ subjects: [SyncSubject], _ state: (SyncSubject) -> RecordState?, removed: Set<String>,
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
      if !removed.isEmpty {
        try line(.object(["removed": .array(removed.sorted().map { .string($0) })]))
      }
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
    do throws(FileSystemError) { try files.close(file) } catch {
      try? files.unlink(temporary)
      throw error
    }
    let name = SegmentName(actor: actor, number: number, digest: digest)
    let path = directory.appending(CarrierName.segment(name).path)
    try files.createDirectories(path.parent)
    try files.rename(temporary, to: path)
    return name
  }

  /// Reads a segment that was copied here.
  static func read(
    _ name: SegmentName, at path: FilePath, carrier: String, of store: Store, _ keys: SyncKeys
  ) throws -> Content {
    let files = store.files
    let digest: [UInt8]
    do throws(FileSystemError) {
      digest = try Self.digest(path, files)
    } catch {
      if error.condition == .notFound { throw Fault.incomplete }
      throw error
    }
    guard SegmentName(actor: name.actor, number: name.number, digest: digest) == name else {
      throw Fault.incomplete
    }
    let file = try files.open(path, .read)
    defer { try? files.close(file) }
    var lines = SegmentLines(code: keys.segmentCode())
    do throws(AgeFailure) {
      var reader = try AgeReader(FileSource(files, file), encoding: .binary)
      let key = try reader.unlock(with: keys.identities)
      _ = try reader.open(with: key, to: &lines)
    } catch {
      switch error {
      case .source(let cause), .sink(let cause): throw cause
      default: throw Fault.damaged
      }
    }
    return try lines.finish(
      first: first(store.header.id, carrier, name.actor, name.number))
  }

  /// The SHA-256 of a file.
  static func digest(_ path: FilePath, _ files: any FileSystem) throws(FileSystemError) -> [UInt8] {
    try files.withFile(path, .read) { file throws(FileSystemError) in
      var hash = SHA256()
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
      defer { buffer.deallocate() }
      while true {
        let count = try files.read(file, into: buffer)
        if count == 0 { return hash.finalize() }
        hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }
}

/// The lines of a segment, as they are opened.
private struct SegmentLines: ByteSink {
  private var code: HMACSHA256
  private var line: [UInt8] = []
  private var first: JSON?
  private var content = Segment.Content()
  private var last: JSON?

  init(code: HMACSHA256) {
    self.code = code
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      line += rest[..<end]
      try endLine()
      rest = rest[(end + 1)...]
    }
    guard line.count + rest.count <= Segment.lineLimit else { throw Segment.Fault.damaged }
    line += rest
  }

  private mutating func endLine() throws(Segment.Fault) {
    defer { line = [] }
    guard last == nil, let json = try? JSON.parse(line), json.object != nil else {
      throw .damaged
    }
    if json["code"] != nil {
      last = json
      return
    }
    code.update(line + [UInt8(ascii: "\n")])
    if first == nil {
      // A newer program says so in the first line.
      if let format = json["format"]?.integer, format > Segment.format { throw .newer(format) }
      first = json
      return
    }
    if let removed = json["removed"]?.array {
      content.removed.formUnion(removed.compactMap(\.string))
      return
    }
    guard let name = json["record"]?.string, let subject = SyncSubject(name),
      let state = json["state"].flatMap({ try? RecordState(json: $0) })
    else { throw .damaged }
    content.states.append((subject, state))
  }

  mutating func finish(first: JSON) throws(Segment.Fault) -> Segment.Content {
    guard line.isEmpty, self.first == first, let last,
      last["records"]?.integer == Int64(content.states.count),
      let written = last["code"]?.string.flatMap({ Hex.decode($0) }),
      constantTimeEqual(written, code.finalize())
    else { throw .damaged }
    return content
  }
}
