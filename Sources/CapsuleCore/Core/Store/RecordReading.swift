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
    do throws(StoreError) {
      if try store.blobs.damage(of: file.blob) == nil { sound = size }
    } catch {
      sound = nil
    }
    known[file.blob] = .some(sound)
    return sound
  }

  init(_ place: Place, in files: any FileSystem, hashing: Bool) {
    (kind, id, path) = (place.kind, place.id, place.path)
    do throws(FileSystemError) {
      let bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
      let (model, damage) = kind.examine(bytes, id: id)
      self.model = model
      outcome = damage.map { .damaged($0) } ?? .intact
      digest = hashing && damage == nil ? SHA256.hash(bytes) : nil
    } catch {
      outcome = error.condition == .notFound ? .gone : .unreadable(code: error.code)
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
