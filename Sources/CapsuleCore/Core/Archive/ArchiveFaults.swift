/// The reason why an archive is not read any further.
package enum ArchiveFault: Hashable, Sendable {
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

/// The message leaves the name of the archive open, which the caller quotes.
extension ArchiveFault: FaultCause {
  package var code: Fault.Code {
    switch self {
    case .foreign, .description, .duplicate, .unexpected, .tooLarge: .damaged
    case .newer: .version
    case .protected: .refused
    }
  }

  package var message: Fault.Message {
    switch self {
    case .foreign(""): "\(open: .name) is not a capsule archive"
    case .foreign(let first):
      "\(open: .name) is not a capsule archive: it begins with '\(first)'"
    case .description(let damage): "'archive.json' in \(open: .name) \(damage.words)"
    case .newer(let format):
      "\(open: .name) has format \(format), which is newer than this program's"
    case .protected:
      "cannot import \(open: .name) here: the archive is from another store, which is protected"
    case .duplicate(let path): "'\(path)' is repeated in \(open: .name)"
    case .unexpected(let path): "unexpected file '\(path)' in \(open: .name)"
    case .tooLarge(let path, let limit):
      "'\(path)' in \(open: .name) is larger than \(ByteSize.text(limit))"
    }
  }

  package var hint: String? {
    switch self {
    case .foreign: "make an archive: capsule export archive"
    case .newer: "install a newer version of capsule"
    case .protected:
      "import into a new directory: --store DIR; then turn protection off there: capsule store unprotect"
    case .description, .duplicate, .tooLarge:
      "export the archive again, or use another copy"
    case .unexpected: "nothing was imported: the file was not made by 'capsule export archive'"
    }
  }
}

extension Fault {
  /// Whether it is about an archive: the bytes, or what is in them.
  package var isOfArchive: Bool { cause is ArchiveFault || cause is PaxFault }
}

/// Something in an archive that is not what was written, or is missing; the rest can be read.
package enum ArchiveProblem: Hashable, Sendable {
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

extension ArchiveProblem {
  /// The problem in words.
  package var words: String {
    switch self {
    case .file(let path, let damage): "'\(path)' \(damage.words)"
    case .identity(let recipient):
      "'identities/\(recipient).txt' has a different key than its name says"
    case .record(_, _, let path, let damage): "'\(path)' \(damage.words)"
    case .blob(let name): "the content '\(name)' is damaged: its checksum does not match"
    case .missingBlob(let name, let kind, let id):
      "the content '\(name)' of the \(kind.word) '\(id)' is missing from the archive"
    case .unreadable(let path, let code):
      "'\(path)' cannot be read, so the archive has only a part of it: \(FileRefusal.reason(of: code))"
    case .seal(let id): "a sealed part of the capsule '\(id)' is not an age file"
    case .missingReference(let kind, let id, let target):
      "the \(kind.word) '\(id)' refers to the \(target.kind.word) '\(target.id)', which is missing from the archive"
    case .digest(let path): "'\(path)' does not match its digest"
    case .missingFile(let path): "'\(path)' has a digest but is missing from the archive"
    case .noDigests: "the archive has no list of digests"
    case .noHeader: "'store.json' is missing from the archive of a whole store"
    }
  }
}

extension ImportReport.HoldReason {
  /// The reason why a record was not taken, in words, and what to do.
  package var words: String {
    switch self {
    case .missingBlob(let name): "the content '\(name)' is missing here and in the archive"
    case .missingReference(let target):
      "the record refers to the \(target.kind.word) '\(target.id)', which does not exist here; restore it if it "
        + "is in the trash, then run the command again"
    case .other(let field): "the two versions differ in '\(field)', which cannot change"
    case .unmergeable: "the two versions cannot be merged"
    case .damagedHere: "the record in the store is damaged; fix it first: capsule repair"
    }
  }
}
