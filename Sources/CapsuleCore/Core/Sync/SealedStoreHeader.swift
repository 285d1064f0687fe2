/// `identities.age` of a carrier: the header of the store, which has its identities, as a record's file,
/// sealed to a passphrase or to recipients.
///
/// The keys of the identities that lie in `identities/` besides stand in the file of the header's first one,
/// behind its own: every program that joins opens with each of them what is sealed to it. Those that were in a
/// store when it was protected are in its sealed one; later ones have files that do not go with it.
package enum SealedStoreHeader {
  /// The line between the first identity's own key and those of the others.
  private static let mark = "# others, which have files of their own:"

  /// Seals the header of a store.
  package static func seal(
    _ store: Store, to recipients: [any Recipient]
  ) throws(AgeFailure) -> [UInt8] {
    var header = store.header
    if !header.isProtected, let first = header.identities.first {
      let own = header.identities.map(\.recipient)
      let others = store.keys.own().filter { !own.contains($0.recipient) }
      let files = ([first.file, mark] + others.compactMap { $0.mended?.file }).map {
        $0.hasSuffix("\n") ? $0 : $0 + "\n"
      }
      if !others.isEmpty { header.identities[0] = first.with(file: files.joined()) }
    }
    var bytes = RecordFile.encode(header.fields)
    defer { wipe(&bytes) }
    return try AgeWriter(to: recipients, random: store.environment.random).seal(bytes, armor: false)
  }

  /// Returns a reader of the sealed bytes, for which there is to be a key.
  package static func reader(_ sealed: [UInt8]) throws(AgeFailure) -> AgeReader {
    try AgeReader(MemorySource(sealed), encoding: .binary)
  }

  /// The most bytes of the file.
  static let limit = 1 << 22
  /// What is fetched to read it.
  static let fetch = CarrierFetch(.identities, limit: Int64(limit))

  /// Whether the sealed bytes have a header, and behind it more than the nonce and the tag of an empty
  /// text. What is sealed shows the key alone.
  static func isWhole(_ sealed: [UInt8]) -> Bool {
    guard let reader = try? reader(sealed) else { return false }
    return sealed.count > reader.header.encoded.count + 32
  }

  /// Opens it.
  ///
  /// - Returns: the header, and the identities besides those in it.
  /// - Throws: ``AgeFailure``, `.sealedKeysDamaged`, and `.newerFormat` for one of a newer program.
  package static func open(
    _ reader: inout AgeReader, with key: FileKey
  ) throws -> (header: StoreHeader, others: [StoreIdentity]) {
    var sink = MemorySink()
    _ = try reader.open(with: key, to: &sink)
    var bytes = sink.bytes
    defer { wipe(&bytes) }
    guard let (fields, damage) = try? RecordFile.decode(bytes), damage == nil,
      var header = try? StoreHeader(fields: fields),
      !header.identities.isEmpty, header.identities.allSatisfy(\.isUsable)
    else { throw Fault.identitiesDamaged }
    guard header.isKnown else {
      throw Fault.newerFormat(header.format, path: CarrierName.identities.path)
    }
    let (first, others) = parted(header.identities[0])
    header.identities[0] = first
    return (header, others)
  }

  /// Parts an identity from those whose keys were put behind its own.
  private static func parted(
    _ identity: StoreIdentity
  ) -> (own: StoreIdentity, others: [StoreIdentity]) {
    let lines = identity.file.parts(at: "\n").map { String($0) }
    guard !identity.isSealed, let place = lines.firstIndex(of: mark) else { return (identity, []) }
    let own = identity.with(file: lines[..<place].map { $0 + "\n" }.joined())
    let rest = Array(lines[(place + 1)...].joined(separator: "\n").utf8)
    let others = ((try? IdentityFile(rest).identities) ?? []).map {
      StoreIdentity(OpenedIdentity($0))
    }
    return own.isUsable ? (own, others.filter(\.isUsable)) : (identity, [])
  }

  /// Reads the sealed bytes from a carrier, whose header proves first that it is one.
  ///
  /// - Parameter folder: a directory for the files while they are read; they are gone afterwards.
  /// - Returns: `nil` where the carrier does not hold it.
  package static func read(
    from carrier: some Carrier, through folder: FilePath, _ files: any FileSystem
  ) throws(Fault) -> [UInt8]? {
    func file(_ fetch: CarrierFetch) throws(Fault) -> [UInt8]? {
      let path = folder.appending(fetch.name.path)
      defer { try? files.unlink(path) }
      do {
        return try files.readFile(path, limit: Int(fetch.limit))
      } catch {
        // One that is too large was not fetched.
        if error.condition == .notFound || error.condition == .fileTooLarge { return nil }
        throw error
      }
    }
    let listing = try carrier.list()
    try carrier.get([CarrierHeader.fetch, fetch], into: folder)
    guard listing[.header] != nil else { throw .noHeader(hasFiles: !listing.isEmpty) }
    guard let header = try file(CarrierHeader.fetch) else { throw .remoteDamaged }
    _ = try CarrierHeader(header)
    guard listing[.identities] != nil else { return nil }
    guard let sealed = try file(fetch) else { throw .identitiesDamaged }
    return sealed
  }
}
