/// One change of one record, as a journal keeps it.
///
/// A frame is, all numbers little-endian:
///
/// | bytes | content |
/// | --- | --- |
/// | 8 | ``magic`` |
/// | 1 | ``version`` |
/// | 1 | ``Event`` |
/// | 1 | ``Origin`` |
/// | 1 | the kind of record: 1 capsule, 2 event, 3 item, 4 beneficiary, 5 bequest |
/// | 4 | the length of the name |
/// | 4 | the length of the body |
/// | 8 | seconds since 1970 |
/// | 16 | the record's id |
/// | 8 | the record's `rev` |
/// | 4 | ``CRC32`` of the 52 bytes from the magic on |
/// | … | the name: of a record that went to the trash, its file's name there |
/// | … | the body: of a record that was put, its file's bytes |
/// | 32 | SHA-256 of header, name and the SHA-256 of the body |
/// | 4 | the length of the frame |
package struct JournalFrame: Hashable, Sendable {
  /// The event that happened to the record.
  package enum Event: UInt8, Hashable, Sendable {
    case put = 1
    case trash
    case restore
    case purge
    /// Nothing happened to it: the log was written anew, and the body holds how many bytes were kept.
    case compaction
    /// Versions before this one are dropped for good: something was taken out of the record.
    case drop

    /// Returns the last revision whose versions are gone by the frame; `nil` where it says nothing
    /// of it.
    func lastGone(_ revision: Int64) -> Int64? {
      switch self {
      case .purge: revision
      case .drop: revision.subtractingClamped(1)
      case .put, .trash, .restore, .compaction: nil
      }
    }
  }

  /// The origin of the change to the record.
  package enum Origin: UInt8, Hashable, Sendable {
    case person = 1
    case repair
    case synchroniser
    /// The record was there, and in no journal.
    case filling
  }

  package var event: Event
  package var origin: Origin
  package var kind: RecordKind
  package var id: RecordID
  package var revision: Int64
  package var time: Instant
  package var name: [UInt8] = []
  package var body: [UInt8] = []

  package init(
    _ event: Event, _ origin: Origin, _ kind: RecordKind, _ id: RecordID, revision: Int64,
    at time: Instant, name: [UInt8] = [], body: [UInt8] = []
  ) {
    self.event = event
    self.origin = origin
    self.kind = kind
    self.id = id
    self.revision = revision
    self.time = time
    self.name = name
    self.body = body
  }

  /// The first bytes of a frame. JSON has no control characters, so no record holds them.
  static let magic: [UInt8] = [0x01, 0x63, 0x61, 0x70, 0x6a, 0x6e, 0x6c, 0x02]
  static let version: UInt8 = 1
  static let headerByteCount = 56
  static let trailerByteCount = SHA256.byteCount + 4
  /// The most bytes of a name: more than any file name has.
  static let nameLimit = 4096
  /// The most bytes of a body: the largest record.
  static let bodyLimit = 64 << 20

  /// The frame's bytes.
  package var encoded: [UInt8] {
    let count = Self.headerByteCount + name.count + body.count + Self.trailerByteCount
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    bytes += Self.magic
    bytes += [Self.version, event.rawValue, origin.rawValue, kind.number]
    bytes.append(littleEndian: UInt32(name.count))
    bytes.append(littleEndian: UInt32(body.count))
    bytes.append(littleEndian: UInt64(bitPattern: time.seconds))
    bytes.append(littleEndian: id.high.byteSwapped)
    bytes.append(littleEndian: id.low.byteSwapped)
    bytes.append(littleEndian: UInt64(bitPattern: revision))
    bytes.append(littleEndian: CRC32.of(bytes))
    bytes += name
    let digest = Self.digest(headerAndName: bytes[...], bodyDigest: SHA256.hash(body))
    bytes += body
    bytes += digest
    bytes.append(littleEndian: UInt32(count))
    return bytes
  }

  static func digest(headerAndName: ArraySlice<UInt8>, bodyDigest: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    headerAndName.withUnsafeBytes { hash.update($0) }
    hash.update(bodyDigest)
    return hash.finalize()
  }
}

/// The first bytes of a frame that was found in a log.
struct JournalFrameHeader: Hashable, Sendable {
  /// The frame without name and body.
  let frame: JournalFrame
  let nameByteCount: Int
  let bodyByteCount: Int

  /// The length of the whole frame.
  var frameByteCount: Int {
    JournalFrame.headerByteCount + nameByteCount + bodyByteCount + JournalFrame.trailerByteCount
  }

  /// Reads a header; `nil` where the bytes are none, or one of a later version.
  init?(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == JournalFrame.headerByteCount,
      bytes.starts(with: JournalFrame.magic),
      bytes.littleEndian(at: 52, as: UInt32.self) == CRC32.of(bytes[..<52]),
      bytes[8] == JournalFrame.version,
      let event = JournalFrame.Event(rawValue: bytes[9]),
      let origin = JournalFrame.Origin(rawValue: bytes[10]),
      let kind = RecordKind.allCases.first(where: { $0.number == bytes[11] })
    else { return nil }
    nameByteCount = Int(bytes.littleEndian(at: 12, as: UInt32.self))
    bodyByteCount = Int(bytes.littleEndian(at: 16, as: UInt32.self))
    guard nameByteCount <= JournalFrame.nameLimit, bodyByteCount <= JournalFrame.bodyLimit else {
      return nil
    }
    frame = JournalFrame(
      event, origin, kind,
      RecordID(
        high: bytes.littleEndian(at: 28, as: UInt64.self).byteSwapped,
        low: bytes.littleEndian(at: 36, as: UInt64.self).byteSwapped),
      revision: Int64(bitPattern: bytes.littleEndian(at: 44, as: UInt64.self)),
      at: min(
        max(
          Instant(seconds: Int64(bitPattern: bytes.littleEndian(at: 20, as: UInt64.self))),
          .earliest), .latest))
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  fileprivate func littleEndian<Value: FixedWidthInteger & UnsignedInteger>(
    at offset: Int, as type: Value.Type
  ) -> Value {
    self[offset..<(offset + Value.bitWidth / 8)].reversed().reduce(0) { $0 << 8 | Value($1) }
  }
}
