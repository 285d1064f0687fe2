/// A file of an archive, by its path: the layout is that of a store (`docs/reference/format.md`), with a description
/// before it and a list of digests behind it.
package enum ArchiveEntry: Hashable, Sendable {
  case description
  case identity(recipient: String)
  /// An identity of a protected store, as it is sealed there.
  case sealedIdentity(recipient: String)
  case header
  case settings
  case blob(BlobName)
  case record(RecordKind, RecordID)
  case trashed(RecordKind, RecordID, deletedAt: Int64)
  case digests
  /// A part of a store that no archive needs: journal, copies, what is half done.
  case needless(String)

  private static let needlessFolders = ["journal", "backups", "tmp"]

  /// Reads a path; `nil` where no archive has such a file.
  init?(_ path: String) {
    let parts = path.parts(at: "/")
    switch (parts[0], parts.count) {
    case ("archive.json", 1): self = .description
    case ("archive.sha256", 1): self = .digests
    case ("store.json", 1): self = .header
    case ("settings.json", 1): self = .settings
    case ("lock", 1): self = .needless(path)
    case ("identities", 2):
      let recipient = String(parts[1].dropLast(4))
      guard RecipientText.isX25519(recipient) else { return nil }
      switch parts[1].utf8.suffix(4) {
      case let end where end.elementsEqual(".txt".utf8): self = .identity(recipient: recipient)
      case let end where end.elementsEqual(".age".utf8):
        self = .sealedIdentity(recipient: recipient)
      default: return nil
      }
    case ("blobs", 3):
      guard let name = BlobName(parts[2]), name.shard == parts[1] else { return nil }
      self = .blob(name)
    case ("trash", 3):
      guard let kind = Self.kind(parts[1]),
        let record = TrashedRecord(kind: kind, path: FilePath(path))
      else { return nil }
      self = .trashed(kind, record.id, deletedAt: record.deletedAt.seconds)
    case (let folder, 2...) where Self.needlessFolders.contains(folder): self = .needless(path)
    case (let folder, 3):
      guard let kind = Self.kind(folder), let shard = Hex.decode(parts[1])?.first,
        parts[1] == Hex.encode([shard]),
        case .record(let id) = RecordFileName(Array(parts[2].utf8), shard: shard)
      else { return nil }
      self = .record(kind, id)
    default: return nil
    }
  }

  /// The path in the archive, which is that in a store.
  var path: String {
    let layout = StoreLayout(root: FilePath(""))
    func below(_ path: FilePath) -> String {
      String(decoding: path.bytes.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self)
    }
    return switch self {
    case .description: "archive.json"
    case .digests: "archive.sha256"
    case .header: "store.json"
    case .settings: "settings.json"
    case .identity(let recipient): "identities/\(recipient).txt"
    case .sealedIdentity(let recipient): "identities/\(recipient).age"
    case .blob(let name): below(layout.blob(name))
    case .record(let kind, let id): below(layout.record(kind, id))
    case .trashed(let kind, let id, let deletedAt):
      "trash/\(kind.folder)/\(id).\(deletedAt).json"
    case .needless(let path): path
    }
  }

  /// The most bytes that a file of its kind may have, where it is read whole; `nil` for the others.
  var sizeLimit: Int64? {
    switch self {
    case .description, .settings: 1 << 20
    case .identity, .sealedIdentity: 1 << 16
    case .header, .record, .trashed: Int64(RecordFile.sizeLimit)
    case .blob, .digests, .needless: nil
    }
  }

  private static func kind(_ folder: String) -> RecordKind? {
    RecordKind.allCases.first { $0.folder == folder }
  }

  /// Whether a directory of this path can be in an archive.
  static func isDirectory(_ path: String) -> Bool {
    let parts = path.parts(at: "/")
    switch (parts[0], parts.count) {
    case ("identities", 1), ("blobs", 1), ("trash", 1): return true
    case ("blobs", 2): return true
    case ("trash", 2): return kind(parts[1]) != nil
    case (let folder, _) where needlessFolders.contains(folder): return true
    case (let folder, 1...2): return kind(folder) != nil
    default: return false
    }
  }
}

/// The reading of an archive's file: an age file, or a tar file in the clear.
package enum ArchiveInput {
  /// Reads all of it into a sink.
  ///
  /// - Parameter unlock: gives the key of an age file; called with `nil` for one in the clear, before it is
  ///   read.
  /// - Returns: whether it is sealed.
  @discardableResult
  package static func read(
    _ source: any ByteSource, to sink: inout ArchiveSink,
    unlock: (AgeReader?) throws -> FileKey?
  ) throws -> Bool {
    var source = BufferedSource(source, capacity: 1 << 18)
    let mark = Array("age-encryption.org/".utf8)
    let isSealed =
      try source.peek(mark.count).elementsEqual(mark)
      || source.peek().map { Armor.isExpected(firstByte: $0) } ?? false
    guard isSealed else {
      _ = try unlock(nil)
      try copy(&source, to: &sink)
      return false
    }
    var reader = try AgeReader(source)
    guard let key = try unlock(reader) else { throw AgeFailure.noMatch }
    do {
      _ = try reader.open(with: key, to: &sink)
    } catch {
      // The sink's own error says more than the error of the writing to it.
      if case .sink(let cause) = error { throw cause }
      throw error
    }
    return true
  }

  private static func copy(
    _ source: inout BufferedSource, to sink: inout ArchiveSink
  ) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      let count = try source.read(into: buffer)
      if count == 0 { return }
      try sink.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}

/// A receiver of what is in an archive, each thing read whole or streamed, and compared with its checksum or
/// name before it is handed on.
protocol ArchiveTaker: AnyObject {
  func take(_ description: ArchiveDescription) throws
  func take(_ identity: StoreIdentity) throws
  func take(_ header: StoreHeader) throws
  func take(settings: JSONObject) throws
  func beginBlob(_ name: BlobName, size: Int64) throws
  func takeBlob(_ bytes: UnsafeRawBufferPointer) throws
  func endBlob(isIntact: Bool) throws
  /// Takes a record that is what was written.
  func take(_ record: ArchivedRecord) throws
}

/// A record as an archive has it.
struct ArchivedRecord: Sendable {
  let kind: RecordKind
  let id: RecordID
  /// The Unix time at which it was deleted; `nil` for a live one.
  let deletedAt: Int64?
  let bytes: [UInt8]
}

/// A reading of an archive from its first file to its last.
struct ArchiveScanner {
  /// `nil` where the archive is only looked at.
  private let taker: (any ArchiveTaker)?
  private(set) var problems: [ArchiveProblem] = []
  private(set) var description: ArchiveDescription?
  private(set) var recordCount = 0
  private(set) var blobCount = 0
  private(set) var hasIdentities = false
  /// Live capsules with an honor lock.
  private(set) var honorCount = 0

  /// The facts about a file that was read.
  private struct Known {
    /// The first half of its SHA-256.
    let digest: UInt128
    /// Whether an age header stands at its beginning.
    var isSealed = false
    var isListed = false
  }

  private var known: [ArchiveEntry: Known] = [:]
  private var current: ArchiveEntry?
  private var hash = SHA256()
  /// A file that is read whole, or the beginning of a content.
  private var bytes: [UInt8] = []
  private var lines = LineSplitter()
  private var hasDigests = false
  private var hasHeader = false
  /// The contents and the records that records name, until it is known whether they are there.
  private var namedBlobs: [BlobName: (kind: RecordKind, id: RecordID, isSealed: Bool)] = [:]
  private var named: [(from: RecordReference, to: RecordReference)] = []

  init(_ taker: (any ArchiveTaker)?) {
    self.taker = taker
  }

  /// The findings, when the archive was read to its end.
  func report() throws(Fault) -> ArchiveReport {
    guard let description else { throw Fault(ArchiveFault.foreign(first: "")) }
    return ArchiveReport(
      description: description, recordCount: recordCount, blobCount: blobCount,
      lockedOutCount: hasIdentities ? 0 : honorCount, problems: problems)
  }

  /// Looks at what can be known only at the end.
  mutating func finish() throws {
    guard let description else { throw Fault(ArchiveFault.foreign(first: "")) }
    for (name, use) in namedBlobs.sorted(by: { $0.key < $1.key }) {
      guard let blob = known[.blob(name)] else {
        problems.append(.missingBlob(name, of: use.kind, use.id))
        continue
      }
      if use.isSealed, !blob.isSealed { problems.append(.seal(use.id)) }
    }
    let besides = Set(description.named)
    for (from, to) in named
    where known[.record(to.kind, to.id)] == nil && !besides.contains(to.text) {
      problems.append(.missingReference(from.kind, from.id, to: to))
    }
    if description.isWhole, !hasHeader { problems.append(.noHeader) }
    guard hasDigests else { return problems.append(.noDigests) }
    let unlisted = known.filter { !$0.value.isListed }.map(\.key.path)
    problems += unlisted.sorted().map { .digest(path: $0) }
  }
}

extension ArchiveScanner: PaxReceiver {
  mutating func begin(_ member: PaxMember) throws {
    if member.kind == .directory {
      guard ArchiveEntry.isDirectory(member.path) else {
        throw Fault(ArchiveFault.unexpected(member.path))
      }
      current = nil
      return
    }
    let entry = ArchiveEntry(member.path)
    guard description != nil || entry == .description else {
      throw Fault(ArchiveFault.foreign(first: member.path))
    }
    guard let entry else { throw Fault(ArchiveFault.unexpected(member.path)) }
    guard known[entry] == nil, entry != .digests || !hasDigests else {
      throw Fault(ArchiveFault.duplicate(member.path))
    }
    if let limit = entry.sizeLimit, member.size > limit {
      throw Fault(ArchiveFault.tooLarge(member.path, limit: limit))
    }
    // The list of digests is the last file.
    guard !hasDigests else { throw Fault(ArchiveFault.unexpected(member.path)) }
    current = entry
    bytes.removeAll(keepingCapacity: bytes.capacity < 1 << 20)
    if case .blob(let name) = entry { try taker?.beginBlob(name, size: member.size) }
  }

  mutating func take(_ part: UnsafeRawBufferPointer) throws {
    switch current {
    case nil, .needless: return
    case .digests:
      for line in lines.add(part) { settle(line) }
      return
    case .blob:
      hash.update(part)
      bytes.append(contentsOf: part.prefix(Self.headerByteCount - bytes.count))
      try taker?.takeBlob(part)
    default:
      hash.update(part)
      bytes.append(contentsOf: part)
    }
  }

  mutating func end() throws {
    guard let entry = current else { return }
    current = nil
    if case .needless = entry { return }
    if entry == .digests {
      hasDigests = true
      if let line = lines.finish() { settle(line) }
      return
    }
    let digest = hash.finalize()
    var fact = Known(digest: Self.half(digest))
    switch entry {
    case .description: try takeDescription()
    case .identity(let recipient): try takeIdentity(recipient, isSealed: false)
    case .sealedIdentity(let recipient): try takeIdentity(recipient, isSealed: true)
    case .header: try takeHeader()
    case .settings: try takeSettings()
    case .record(let kind, let id): try takeRecord(kind, id, nil, entry.path)
    case .trashed(let kind, let id, let time): try takeRecord(kind, id, time, entry.path)
    case .blob(let name):
      let isIntact = BlobName(digest: digest) == name
      if !isIntact { problems.append(.blob(name)) }
      fact.isSealed = Self.isSealed(bytes)
      blobCount += 1
      try taker?.endBlob(isIntact: isIntact)
    case .digests, .needless: break
    }
    known[entry] = fact
  }
}

// The files that are read whole.
extension ArchiveScanner {
  private mutating func takeDescription() throws {
    let (fields, damage) = try Self.decoded(bytes)
    if case .integer(let format)? = fields["archive"], format > ArchiveDescription.currentFormat {
      throw Fault(ArchiveFault.newer(format))
    }
    if let damage { throw Fault(ArchiveFault.description(damage)) }
    let read: ArchiveDescription
    do {
      read = try ArchiveDescription(fields: fields)
    } catch {
      throw Fault(ArchiveFault.description(.field(error)))
    }
    description = read
    try taker?.take(read)
  }

  private static func decoded(
    _ bytes: [UInt8]
  ) throws(Fault) -> (fields: JSONObject, integrity: RecordDamage?) {
    do {
      return try RecordFile.decode(bytes)
    } catch {
      throw Fault(ArchiveFault.description(error))
    }
  }

  private mutating func takeIdentity(_ recipient: String, isSealed: Bool) throws {
    hasIdentities = true
    let identity = StoreIdentity(recipient: recipient, file: String(decoding: bytes, as: UTF8.self))
    guard identity.isSealed == isSealed, identity.isUsable else {
      problems.append(.identity(recipient: recipient))
      return
    }
    try taker?.take(identity)
  }

  private mutating func takeHeader() throws {
    hasHeader = true
    var found: StoreHeader?
    do throws(RecordDamage) {
      let (fields, damage) = try RecordFile.decode(bytes)
      let header: StoreHeader
      do {
        header = try StoreHeader(fields: fields)
      } catch {
        throw RecordDamage.field(error)
      }
      if !header.isKnown { throw .newer(header.format) }
      if let damage { throw damage }
      found = header
    } catch {
      if case .newer(let format) = error { throw Fault(ArchiveFault.newer(format)) }
      problems.append(.file(path: ArchiveEntry.header.path, error))
    }
    if let found { try taker?.take(found) }
  }

  private mutating func takeSettings() throws {
    let path = ArchiveEntry.settings.path
    var settings: JSONObject?
    do throws(RecordDamage) {
      let (fields, damage) = try RecordFile.decode(bytes)
      if let damage { throw damage }
      settings = fields
    } catch {
      problems.append(.file(path: path, error))
    }
    if let settings { try taker?.take(settings: settings) }
  }

  private mutating func takeRecord(
    _ kind: RecordKind, _ id: RecordID, _ deletedAt: Int64?, _ path: String
  ) throws {
    recordCount += 1
    let (model, damage) = kind.examine(bytes, id: id)
    if let damage { problems.append(.record(kind, id, path: path, damage)) }
    guard let model else { return }
    if let capsule = model as? Capsule {
      if !hasSealedParts(capsule) { problems.append(.seal(id)) }
      if deletedAt == nil, capsule.lock.kind == .honor { honorCount += 1 }
    }
    for name in model.blobs where namedBlobs[name] == nil {
      namedBlobs[name] = (kind, id, kind == .capsule)
    }
    if deletedAt == nil {
      named += model.references.map { (RecordReference(kind, id), $0) }
    }
    guard damage == nil else { return }
    try taker?.take(ArchivedRecord(kind: kind, id: id, deletedAt: deletedAt, bytes: bytes))
  }
}

// The age files in an archive: their headers, which need no key.
extension ArchiveScanner {
  /// Contents are sealed to one recipient, so that their headers are far shorter.
  private static var headerByteCount: Int { 1 << 16 }

  private static func isSealed(_ bytes: [UInt8]) -> Bool {
    (try? AgeReader(MemorySource(bytes))) != nil
  }

  private func hasSealedParts(_ capsule: Capsule) -> Bool {
    let parts =
      [capsule.lock.key] + [capsule.lock.spare].compactMap { $0 }
      + capsule.contents.map(\.sealed)
    return parts.allSatisfy { Self.isSealed(Array($0.utf8)) }
  }
}

// The list of digests, in the form of `sha256sum`.
extension ArchiveScanner {
  private mutating func settle(_ line: [UInt8]) {
    let path = String(decoding: line.dropFirst(66), as: UTF8.self)
    guard line.count > 66, line[64] == UInt8(ascii: " "), line[65] == UInt8(ascii: " "),
      let digest = BlobName(digits: line[..<64]).flatMap({ Hex.decode($0.description) })
    else {
      problems.append(.digest(path: ArchiveEntry.digests.path))
      return
    }
    guard let entry = ArchiveEntry(path), let fact = known[entry] else {
      problems.append(.missingFile(path: path))
      return
    }
    // A file with another digest than its line has stays unlisted, and is named at the end.
    if fact.digest == Self.half(digest) { known[entry]?.isListed = true }
  }

  private static func half(_ digest: [UInt8]) -> UInt128 {
    digest.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
  }
}

/// Cuts bytes that come in pieces into lines of at most 4 KiB; a longer one is cut.
private struct LineSplitter {
  private var rest: [UInt8] = []

  mutating func add(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") || rest.count == 4096 {
        lines.append(rest)
        rest.removeAll(keepingCapacity: true)
      } else {
        rest.append(byte)
      }
    }
    return lines
  }

  /// The last line, where no line feed ends it.
  mutating func finish() -> [UInt8]? {
    rest.isEmpty ? nil : rest
  }
}
