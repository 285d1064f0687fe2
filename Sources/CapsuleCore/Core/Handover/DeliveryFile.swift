/// A file of a delivery, and where its bytes come from.
package struct DeliveryFile {
  /// The path from the person's folder, with `/` between its parts.
  package let path: String
  package let size: Int64
  let modified: FileTime?
  let origin: Origin

  enum Origin {
    case bytes([UInt8])
    /// A blob as it is, sealed or in the clear.
    case blob(BlobName)
    /// A content of a capsule that was opened.
    case content(Content, ContentDetails, in: OpenedCapsule)
    /// The key of a capsule, in the clear.
    case key(SealedKey)
  }

  init(_ path: String, _ bytes: [UInt8]) {
    self.path = path
    size = Int64(bytes.count)
    modified = nil
    origin = .bytes(bytes)
  }

  /// The key file of a capsule.
  init(_ path: String, _ key: SealedKey) {
    self.init(path, size: key.byteCount, modified: nil, .key(key))
  }

  init(_ path: String, size: Int64, modified: FileTime?, _ origin: Origin) {
    self.path = path
    self.size = size
    self.modified = modified
    self.origin = origin
  }

  /// The place where its bytes come from, as text: other bytes come from another place.
  var originText: String {
    switch origin {
    case .bytes(let bytes): Hex.encode(SHA256.hash(bytes))
    case .blob(let name): name.description
    case .content(let content, _, _):
      "\(Hex.encode(SHA256.hash(Array(content.sealed.utf8)))) \(content.blob?.description ?? "")"
    case .key: ""
    }
  }

  /// Writes all of its bytes, compared with the digest or opened with the seal that they have.
  func write(from store: Store, to sink: inout some ByteSink) throws {
    switch origin {
    case .bytes(let bytes): try bytes.withUnsafeBytes { try sink.write($0) }
    case .key(let key): try key.write(to: &sink)
    case .blob(let name): try store.blobs.copy(name, to: &sink)
    case .content(let content, let details, let opened):
      do throws(CapsuleError) {
        try opened.write(content, details, to: &sink)
      } catch {
        if case .streamFailed(let cause) = error { throw cause }
        throw error
      }
    }
  }
}

/// The place for the files of one person's delivery. Nothing can be seen under its name before
/// ``commit()``.
protocol DeliveryTarget {
  /// Adds a file, and the folders that its path names.
  mutating func add(_ file: DeliveryFile) throws
  /// Makes all of it survive a power cut and gives it its name, which nothing may have.
  mutating func commit() throws
  /// Takes away what was written.
  mutating func discard()
}
