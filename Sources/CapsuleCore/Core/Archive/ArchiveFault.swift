/// The reason why an archive is not read any further.
package enum ArchiveFault: Error, Sendable {
  /// The bytes are no tar archive, or something in it has no place in an archive.
  case tar(PaxFault)
  /// It is a tar archive of something else: the first file is not `archive.json`.
  case foreign(first: String)
  /// `archive.json` is not what was written.
  case description(RecordDamage)
  /// It is of a newer format than this program's.
  case newer(Int64)
  /// Its identities are sealed with a passphrase, and the store that is here has others.
  case protected
  /// A path stands in it twice.
  case duplicate(String)
  /// A file that no archive has.
  case unexpected(String)
  /// A file is larger than one of its kind can be.
  case tooLarge(String, limit: Int64)
}

/// Something in an archive that is not what was written, or is missing; the rest can be read.
package enum ArchiveProblem: Error, Hashable, Sendable {
  /// `store.json` or `settings.json`.
  case file(path: String, RecordDamage)
  /// A file in `identities/` that does not hold the key of its name.
  case identity(recipient: String)
  case record(RecordKind, RecordID, path: String, RecordDamage)
  /// The bytes of a content are not those of its name.
  case blob(BlobName)
  /// A content that a record names is not in the archive.
  case missingBlob(BlobName, of: RecordKind, RecordID)
  /// A file or directory of the store that the system did not let read when the archive was made.
  case unreadable(path: String, code: Int32)
  /// A capsule's lock, or one of its contents, is no age file.
  case seal(RecordID)
  /// A record names one that is not in the archive, and `archive.json` does not say so.
  case missingReference(RecordKind, RecordID, to: RecordReference)
  /// A file is another than the list of digests says, or is not in the list.
  case digest(path: String)
  /// The list of digests names a file that is not there.
  case missingFile(path: String)
  /// There is no list of digests.
  case noDigests
  /// A whole archive without the store's own file.
  case noHeader

  /// Whether a newer program made the part.
  package var isNewer: Bool {
    switch self {
    case .record(_, _, path: _, .newer), .file(path: _, .newer): true
    default: false
    }
  }
}
