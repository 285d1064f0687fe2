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
