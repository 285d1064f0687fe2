/// The reason why a record cannot be used as it is.
public enum RecordDamage: Error, Hashable, Sendable {
  /// The file is not JSON.
  case notJSON(JSONError)
  /// The file is JSON, but not an object.
  case notAnObject
  /// A field is missing or wrong.
  case field(FieldError)
  /// The record says another id than its file's name.
  case otherID(RecordID)
  /// The bytes are not those that the checksum was made of: a flipped bit, or a change by hand.
  case checksum
  /// There is no file.
  case missing
  /// The file says no checksum: nothing tells what was written.
  case noChecksum
  /// The record is of a newer format than this program's.
  case newer(Int64)
}

/// A record's file: pretty-printed JSON with a checksum over its own bytes.
package enum RecordFile {
  /// The largest record that is read or written, in bytes.
  package static let sizeLimit = 64 << 20

  /// The beginning of the checksum's line at the top level; nested objects stand further in, and a
  /// quote inside a string is escaped, so it is found nowhere else in what this program wrote.
  static let marker = Array("\n  \"checksum\": \"".utf8)
  private static let zeros = String(repeating: "0", count: 64)

  /// Returns the bytes of a record with these fields, its checksum made.
  package static func encode(_ fields: JSONObject) -> [UInt8] {
    var fields = fields
    fields["checksum"] = .string(zeros)
    var bytes = JSON.object(fields).encoded(.pretty)
    if let digits = checksumRange(in: bytes) {
      bytes.replaceSubrange(digits, with: Array(Hex.encode(SHA256.hash(bytes)).utf8))
    }
    return bytes
  }

  /// The names of the members that two records have differently, but for those that each writing changes.
  static func differences(_ fields: JSONObject, _ others: JSONObject) -> [String] {
    Set(fields.keys).union(others.keys)
      .filter { fields[$0] != others[$0] && !["rev", "updatedAt", "schema"].contains($0) }.sorted()
  }

  /// Reads a record's fields but for its checksum.
  ///
  /// - Returns: the fields, and the damage of bytes that are not those that were written.
  package static func decode(
    _ bytes: [UInt8]
  ) throws(RecordDamage) -> (fields: JSONObject, integrity: RecordDamage?) {
    let value: JSON
    do { value = try JSON.parseRecord(bytes) } catch { throw .notJSON(error) }
    guard case .object(var fields) = value else { throw .notAnObject }
    fields["checksum"] = nil
    return (fields, integrity(of: bytes))
  }

  /// The `rev` of a record's bytes; 0 where it cannot be read.
  static func revision(of bytes: [UInt8]) -> Int64 {
    guard case .integer(let revision)? = (try? decode(bytes))?.fields["rev"] else {
      return 0
    }
    return revision
  }

  /// Compares a file's bytes with its own checksum; `nil` when they agree.
  package static func integrity(of bytes: [UInt8]) -> RecordDamage? {
    guard let range = checksumRange(in: bytes) else {
      return storedChecksum(of: bytes) == nil ? .noChecksum : .checksum
    }
    var hash = SHA256()
    bytes.withUnsafeBytes { buffer in
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<range.lowerBound]))
      hash.update(Array(zeros.utf8))
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[range.upperBound...]))
    }
    let expected = Array(Hex.encode(hash.finalize()).utf8)
    return expected.elementsEqual(bytes[range]) ? nil : .checksum
  }

  /// Returns where the checksum's 64 digits stand.
  static func checksumRange(in bytes: [UInt8]) -> Range<Int>? {
    // Only "rev", "schema", "tags" and the like sort behind "checksum"; most of a record does too,
    // so the search ends after a few lines.
    let start: Int? = bytes.withUnsafeBufferPointer { buffer in
      guard buffer.count >= marker.count + 65 else { return nil }
      for position in 0...(buffer.count - marker.count - 65)
      where buffer[position] == marker[0] && buffer[position + 3] == marker[3] {
        if buffer[position..<(position + marker.count)].elementsEqual(marker) {
          return position + marker.count
        }
      }
      return nil
    }
    guard let start, bytes[start + 64] == UInt8(ascii: "\"") else { return nil }
    return start..<(start + 64)
  }

  /// Reads a record as its model.
  ///
  /// - Returns: the model, and the damage of its bytes although they can be read.
  package static func decode<Model: RecordModel>(
    _ bytes: [UInt8], as type: Model.Type, id: RecordID
  ) throws(RecordDamage) -> (model: Model, integrity: RecordDamage?) {
    let (fields, integrity) = try decode(bytes)
    var newer: RecordDamage?
    if case .integer(let schema)? = fields["schema"], schema > RecordHeader.currentSchema {
      newer = .newer(schema)
    }
    let model: Model
    do {
      model = try Model(fields: fields)
    } catch {
      throw newer ?? .field(error)
    }
    guard model.header.id == id else { throw .otherID(model.header.id) }
    // A record of a newer version is read as far as it can be, and never written.
    return (model, integrity ?? newer)
  }
}

extension RecordFile {
  /// The bytes of the largest record in which every single bit is tried.
  static let bitSearchLimit = 16 << 10
  /// The bytes of the largest record in which every value of every single byte is tried.
  static let byteSearchLimit = 4 << 10

  /// The digits that the file has for its checksum, also where another program wrote the same members in
  /// other lines; `nil` where it has none.
  package static func storedChecksum(of bytes: [UInt8]) -> [UInt8]? {
    if let range = checksumRange(in: bytes) { return Array(bytes[range]) }
    let digits = (try? JSON.parseRecord(bytes))?.object?["checksum"]?.string.map { Array($0.utf8) }
    guard let digits, digits.count == 64, Hex.decode(String(decoding: digits, as: UTF8.self)) != nil
    else { return nil }
    return digits
  }

  /// Finds the bytes that were written: a twin that has the checksum which the file has, the same members
  /// in the lines of this program, or the file with one change put back.
  ///
  /// - Parameter twins: intact versions of the file.
  /// - Returns: the bytes, and the twin's place where it is one; `nil` where nothing is proven.
  static func proven(
    _ bytes: [UInt8], twins: [[UInt8]]
  ) -> (bytes: [UInt8], twin: Int?)? {
    let stored = storedChecksum(of: bytes)
    if let stored, let twin = twins.firstIndex(where: { storedChecksum(of: $0) == stored }) {
      return (twins[twin], twin)
    }
    // Another whole file that stands there needs no bit put back.
    guard integrity(of: bytes) != nil else { return nil }
    if let stored, let fields = try? decode(bytes).fields {
      let again = encode(fields)
      if storedChecksum(of: again) == stored { return (again, nil) }
    }
    return mended(bytes).map { ($0, nil) }
  }

  /// Puts one changed bit back, or in a smaller record one changed byte: proven by the record's own
  /// checksum.
  ///
  /// - Parameter onlyBits: whether nothing but a changed bit is looked for, which takes a thirtieth of the time.
  /// - Returns: the bytes that were written; `nil` where more than that was changed.
  package static func mended(_ bytes: [UInt8], onlyBits: Bool = false) -> [UInt8]? {
    guard bytes.count <= bitSearchLimit else { return nil }
    guard let range = checksumRange(in: bytes) else { return mendedMarker(bytes) }
    if let mended = mendedChecksum(bytes, range) { return mended }
    guard let stored = Hex.decode(String(decoding: bytes[range], as: UTF8.self)) else { return nil }
    var zeroed = bytes
    for index in range { zeroed[index] = UInt8(ascii: "0") }
    guard
      let (index, value) = change(
        of: zeroed, giving: stored, sparing: range, inBytes: !onlyBits)
    else {
      return nil
    }
    var mended = bytes
    mended[index] = value
    return integrity(of: mended) == nil ? mended : nil
  }

  /// Mends a record of which one digit of the checksum is the only thing that is wrong.
  private static func mendedChecksum(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8]? {
    var zeroed = bytes
    for index in range { zeroed[index] = UInt8(ascii: "0") }
    let digits = Array(Hex.encode(SHA256.hash(zeroed)).utf8)
    guard zip(digits, bytes[range]).count(where: { $0 != $1 }) == 1 else { return nil }
    zeroed.replaceSubrange(range, with: digits)
    return zeroed
  }

  /// Mends a record where the line of the checksum itself has one wrong byte, so that it is not found.
  private static func mendedMarker(_ bytes: [UInt8]) -> [UInt8]? {
    let count = marker.count + 65
    guard bytes.count >= count else { return nil }
    for start in 0...(bytes.count - count) {
      let end = start + count - 1
      var wrong = marker.indices.filter { bytes[start + $0] != marker[$0] }.prefix(2).map {
        start + $0
      }
      if bytes[end] != UInt8(ascii: "\"") { wrong.append(end) }
      guard wrong.count == 1, let index = wrong.first else { continue }
      var mended = bytes
      mended[index] = index == end ? UInt8(ascii: "\"") : marker[index - start]
      if integrity(of: mended) == nil { return mended }
    }
    return nil
  }

  /// Finds the one byte that gives the digest when it has another value: of one other bit, or in small
  /// records of any.
  private static func change(
    of bytes: [UInt8], giving digest: [UInt8], sparing range: Range<Int>, inBytes: Bool
  ) -> (index: Int, value: UInt8)? {
    let bits = (0..<8).map { UInt8(1) << $0 }
    let values = (1...255).map { UInt8($0) }.filter { $0.nonzeroBitCount > 1 }
    let rounds = inBytes && bytes.count <= byteSearchLimit ? [bits, values] : [bits]
    for masks in rounds {
      if let found = change(of: bytes, giving: digest, sparing: range, masks) { return found }
    }
    return nil
  }

  private static func change(
    of bytes: [UInt8], giving digest: [UInt8], sparing range: Range<Int>, _ masks: [UInt8]
  ) -> (index: Int, value: UInt8)? {
    var work = bytes
    return work.withUnsafeMutableBytes { buffer in
      // The bytes before the byte's block are hashed once.
      var before = SHA256()
      var start = 0
      while start < buffer.count {
        let end = min(start + SHA256.blockByteCount, buffer.count)
        for index in start..<end where !range.contains(index) {
          let value = buffer[index]
          for mask in masks {
            buffer[index] = value ^ mask
            var hash = before
            hash.update(UnsafeRawBufferPointer(rebasing: buffer[start...]))
            if hash.finalize() == digest { return (index, value ^ mask) }
          }
          buffer[index] = value
        }
        before.update(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
        start = end
      }
      return nil
    }
  }
}

/// A record as a verification read it.
struct RecordReading: Sendable {
  /// The place of a record's file.
  struct Place: Sendable {
    let kind: RecordKind
    let id: RecordID
    let path: FilePath
  }

  enum Outcome: Sendable {
    case intact
    case damaged(RecordDamage)
    /// The file system refused, with this `errno`.
    case unreadable(code: Int32)
    /// Another process moved it meanwhile; readers take no lock.
    case gone
  }

  let kind: RecordKind
  let id: RecordID
  let path: FilePath
  let outcome: Outcome
  /// The record, as far as it can be read.
  private let model: (any RecordModel)?
  /// The SHA-256 of its bytes, where that is asked for and they are those that were written.
  let digest: [UInt8]?

  /// The record, where it is what was written.
  var intact: (any RecordModel)? {
    if case .intact = outcome { model } else { nil }
  }
  var header: RecordHeader? { model?.header }
  var blobs: [BlobName] { model?.blobs ?? [] }
  var reference: RecordReference { RecordReference(kind, id) }
  var references: [RecordReference] { model?.references ?? [] }

  /// Returns the blobs of another size than the record says, where it is what was written.
  ///
  /// A blob whose size differs is read: of one that is damaged the size says nothing.
  ///
  /// - Parameter known: the sizes of those that were read already; `nil` for a damaged one.
  func otherSizes(in store: Store, _ known: inout [BlobName: Int64?]) -> [Finding] {
    (intact?.attachments ?? []).compactMap { file in
      guard let size = known[file.blob] ?? size(of: file, in: store, &known), size != file.size
      else { return nil }
      return Finding(
        .otherSize, reference, at: path, .sizes(file.blob, said: file.size, size: size))
    }
  }

  /// The size of an attachment's blob that is not damaged, unless it is the one that the record says.
  private func size(
    of file: Attachment, in store: Store, _ known: inout [BlobName: Int64?]
  ) -> Int64? {
    guard let size = try? store.files.status(store.layout.blob(file.blob)).size,
      size != file.size
    else { return nil }
    var sound: Int64?
    do {
      if try store.blobs.damage(of: file.blob) == nil { sound = size }
    } catch {
      sound = nil
    }
    known[file.blob] = .some(sound)
    return sound
  }

  init(_ place: Place, in files: any FileSystem, hashing: Bool) {
    (kind, id, path) = (place.kind, place.id, place.path)
    do {
      let bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
      let (model, damage) = kind.examine(bytes, id: id)
      self.model = model
      outcome = damage.map { .damaged($0) } ?? .intact
      digest = hashing && damage == nil ? SHA256.hash(bytes) : nil
    } catch {
      outcome = error.condition == .notFound ? .gone : .unreadable(code: error.errno)
      model = nil
      digest = nil
    }
  }
}

/// A capsule as a verification read it, whole.
struct CapsuleReading: Sendable {
  let capsule: Capsule
  let path: FilePath
  /// The SHA-256 of its record's bytes; `nil` where nobody asked for it.
  let digest: [UInt8]?

  /// A capsule; `nil` where a record is of another kind, or not what was written.
  init?(_ reading: RecordReading) {
    guard let capsule = reading.intact as? Capsule else { return nil }
    self.capsule = capsule
    path = reading.path
    digest = reading.digest
  }
}

/// Records that are read on all processors, a batch at a time.
struct RecordReadings: Sequence, IteratorProtocol {
  /// The number of records that are held in memory at once.
  private static let batch = 64

  private let files: any FileSystem
  private let hashing: Bool
  private var rest: ArraySlice<RecordReading.Place>
  private var read: ArraySlice<RecordReading> = []

  init(of places: [RecordReading.Place], in files: any FileSystem, hashing: Bool) {
    rest = places[...]
    (self.files, self.hashing) = (files, hashing)
  }

  mutating func next() -> RecordReading? {
    if read.isEmpty {
      let places = Array(rest.prefix(Self.batch))
      rest = rest.dropFirst(Self.batch)
      // A small batch is read before another thread would have begun.
      let threads = places.count < 32 ? 1 : Workers.processorCount
      let readings = Workers.map(places, threads: threads) { [files, hashing] place in
        RecordReading(place, in: files, hashing: hashing)
      }
      read = readings[...]
    }
    return read.popFirst()
  }
}

extension RecordDamage {
  /// The damage in words, behind the file's name.
  package var words: String {
    switch self {
    case .notJSON(let error) where error.kind == .tooManyValues:
      "has far more values than a record of its size"
    case .notJSON(let error): "is not JSON (line \(error.line), column \(error.column))"
    case .notAnObject: "is not a JSON object"
    case .field(let error): "has an invalid field: \(error.words)"
    case .otherID(let id): "has the id of another record, \(id)"
    case .checksum: "was changed or damaged: its checksum does not match"
    case .missing: "is missing"
    case .noChecksum: "was changed or damaged: its checksum is missing"
    case .newer(let schema): "has record format \(schema), which is newer than this program's"
    }
  }

  var hint: String {
    switch self {
    case .checksum, .noChecksum:
      "restore or accept the record: capsule repair"
    case .missing: "restore the record from its copy: capsule repair"
    case .newer: "install a newer version of capsule"
    case .notJSON, .notAnObject, .field, .otherID:
      "restore the file from a backup; list all damage: capsule verify"
    }
  }
}
