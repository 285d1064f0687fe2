/// `identities.age` of a carrier: the header of the store, which has its identities, as a record's file,
/// sealed to a passphrase or to recipients.
package enum SealedStoreHeader {
  /// The opened bytes are not what was written.
  package struct Damage: Error, Hashable, Sendable {}

  /// Seals the header of a store.
  ///
  /// - Throws: ``AgeFailure``.
  package static func seal(
    _ store: Store, to recipients: [any Recipient]
  ) throws(AgeFailure) -> [UInt8] {
    var bytes = RecordFile.encode(store.header.fields)
    defer { wipe(&bytes) }
    return try AgeWriter(to: recipients, random: store.environment.random).seal(bytes, armor: false)
  }

  /// Returns a reader of the sealed bytes, for which there is to be a key.
  ///
  /// - Throws: ``AgeFailure``.
  package static func reader(_ sealed: [UInt8]) throws(AgeFailure) -> AgeReader {
    try AgeReader(MemorySource(sealed), encoding: .binary)
  }

  /// The most bytes of the file.
  static let limit = 1 << 22

  /// Whether the sealed bytes have a header, and behind it more than the nonce and the tag of an empty
  /// text. What is sealed shows the key alone.
  static func isWhole(_ sealed: [UInt8]) -> Bool {
    guard let reader = try? reader(sealed) else { return false }
    return sealed.count > reader.header.encoded.count + 32
  }

  /// Opens it.
  ///
  /// - Throws: ``AgeFailure``, ``Damage``, and `.newerFormat` for one of a newer program.
  package static func open(_ reader: inout AgeReader, with key: FileKey) throws -> StoreHeader {
    var sink = MemorySink()
    _ = try reader.open(with: key, to: &sink)
    var bytes = sink.bytes
    defer { wipe(&bytes) }
    guard let (fields, damage) = try? RecordFile.decode(bytes), damage == nil,
      let header = try? StoreHeader(fields: fields),
      !header.identities.isEmpty, header.identities.allSatisfy(\.isUsable)
    else { throw Damage() }
    guard header.isKnown else {
      throw StoreError.newerFormat(header.format, path: CarrierName.identities.path)
    }
    return header
  }

  /// Reads the sealed bytes from a carrier, whose header proves first that it is one.
  ///
  /// - Parameter folder: a directory for the files while they are read; they are gone afterwards.
  /// - Returns: `nil` where the carrier does not hold it.
  package static func read(
    from carrier: some Carrier, through folder: FilePath, _ files: any FileSystem
  ) throws(SyncError) -> [UInt8]? {
    func file(_ name: CarrierName) throws(SyncError) -> [UInt8]? {
      let path = folder.appending(name.path)
      defer { try? files.unlink(path) }
      do throws(FileSystemError) {
        return try files.readFile(path, limit: limit)
      } catch {
        if error.condition == .notFound { return nil }
        throw .io(error)
      }
    }
    do throws(CarrierFault) {
      try carrier.get([.header, .identities], into: folder)
    } catch {
      throw .carrier(error)
    }
    guard let header = try file(.header) else { throw .noHeader(hasFiles: false) }
    _ = try CarrierHeader(header)
    return try file(.identities)
  }
}
