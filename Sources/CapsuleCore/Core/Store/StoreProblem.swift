extension StoreProblem {
  /// Whether it is about an identity.
  var isOfIdentity: Bool {
    switch self {
    case .identity, .sealedIdentity, .trusteesCopy: true
    default: false
    }
  }
}

/// One thing that is not as it should be in a store.
public enum StoreProblem: Hashable, Sendable {
  /// `store.json` is not what was written.
  case header(RecordDamage)
  /// An identity's file is missing, or not the one that `store.json` keeps a copy of.
  case identity(recipient: String, isMissing: Bool)
  /// The sealed file of an identity in a protected store is missing, or not the one of `store.json`.
  case sealedIdentity(recipient: String, isMissing: Bool)
  /// The file that trustees open a protected store by is missing, or not the one of `store.json`.
  case trusteesCopy(path: String, isMissing: Bool)
  /// `settings.json` is not what was written.
  case settings(RecordDamage)
  /// A record is not what was written; `id` is its file's name.
  case record(RecordKind, RecordID, path: String, RecordDamage)
  /// A record cannot be read at all: the system refused, or there is no file in its place.
  case unreadable(RecordKind, RecordID?, path: String, code: Int32)
  /// Another file of the store cannot be read: the system refused.
  case unreadableFile(path: String, code: Int32)
  /// A blob that a record names is missing or not what was written.
  case blob(BlobName, path: String, BlobDamage, of: RecordKind, RecordID)
  /// A blob that only a version of a record in a journal names is missing or not what was written: that
  /// version cannot be made the record again.
  case versionBlob(BlobName, path: String, BlobDamage, of: RecordKind, RecordID)
  /// A record says another size of a blob that it names than the blob has; sizes in bytes, the path is the
  /// record's.
  case otherSize(BlobName, path: String, said: Int64, size: Int64, of: RecordKind, RecordID)
  /// A capsule's record that disagrees with its lock.
  case lock(RecordID, path: String, LockProblem)
  /// A file among the records or blobs that is not one of them: a synchroniser's conflict copy, or
  /// a stranger.
  case foreign(path: String)
  /// A blob that no record names, nor a version of one; it goes with a purge after a week.
  case orphan(BlobName, path: String)
  /// A live record that names another one which is not there, as a synchroniser may leave it.
  case missingReference(RecordKind, RecordID, path: String, to: RecordReference)
  /// A record that this machine's journal names is neither live nor in the trash; or another
  /// machine's does, and it did not come for a week.
  case missing(MissingRecord)
  /// A record that only another machine's journal names, or a newer version of one: a synchroniser may
  /// bring it yet.
  case awaited(MissingRecord)
  /// A record is of an earlier revision than the one that this machine's journal names.
  case outdated(MissingRecord, path: String, revision: Int64)
  /// A part of a log of the journal is not what was written: second copies are lost.
  case journal(path: String)
  /// A log of the journal cannot be read: the system refused.
  case unreadableJournal(path: String, code: Int32)
  /// This machine cannot remember which journal is its own, and writes none.
  case noJournal
  /// A file in which this machine keeps what it knows of synchronising is not what was written: the next
  /// sync compares everything.
  case syncState(path: String)
  /// An identity in the clear in a protected store: it came back with an old copy, or its protection was
  /// interrupted.
  case clearIdentity(path: String)
  /// The store would seal to somebody whom this device does not know.
  case untrusted(TrustProblem)
  /// A part of the store that others than its owner can write to; permission bits.
  case openToOthers(path: String, mode: UInt32)
  /// A record in the trash whose live twin is there too: a deletion that was interrupted.
  case interruptedDeletion(RecordKind, RecordID, path: String)

  /// Whether data is affected; the others are only to be known.
  public var isDamage: Bool {
    switch self {
    case .header, .identity, .sealedIdentity, .trusteesCopy, .settings, .record, .unreadable,
      .unreadableFile, .blob, .otherSize, .missing, .outdated, .lock, .untrusted:
      true
    case .foreign, .orphan, .versionBlob, .missingReference, .interruptedDeletion, .awaited,
      .journal,
      .unreadableJournal, .noJournal, .syncState, .clearIdentity, .openToOthers:
      false
    }
  }
}

extension StoreProblem {
  /// The problem of the same store at another place.
  func moved(from old: FilePath, to new: FilePath) -> StoreProblem {
    func moved(_ path: String) -> String {
      path.hasPrefix(old.text) ? new.text + path.dropFirst(old.text.count) : path
    }
    return switch self {
    case .header, .identity, .sealedIdentity, .settings, .missing, .awaited, .noJournal, .untrusted:
      self
    case .trusteesCopy(let path, let isMissing):
      .trusteesCopy(path: moved(path), isMissing: isMissing)
    case .record(let kind, let id, let path, let damage):
      .record(kind, id, path: moved(path), damage)
    case .unreadable(let kind, let id, let path, let code):
      .unreadable(kind, id, path: moved(path), code: code)
    case .unreadableFile(let path, let code): .unreadableFile(path: moved(path), code: code)
    case .blob(let name, let path, let damage, let kind, let id):
      .blob(name, path: moved(path), damage, of: kind, id)
    case .versionBlob(let name, let path, let damage, let kind, let id):
      .versionBlob(name, path: moved(path), damage, of: kind, id)
    case .otherSize(let name, let path, let said, let size, let kind, let id):
      .otherSize(name, path: moved(path), said: said, size: size, of: kind, id)
    case .lock(let id, let path, let problem): .lock(id, path: moved(path), problem)
    case .foreign(let path): .foreign(path: moved(path))
    case .orphan(let name, let path): .orphan(name, path: moved(path))
    case .missingReference(let kind, let id, let path, let target):
      .missingReference(kind, id, path: moved(path), to: target)
    case .outdated(let record, let path, let revision):
      .outdated(record, path: moved(path), revision: revision)
    case .journal(let path): .journal(path: moved(path))
    case .unreadableJournal(let path, let code): .unreadableJournal(path: moved(path), code: code)
    case .syncState(let path): .syncState(path: moved(path))
    case .clearIdentity(let path): .clearIdentity(path: moved(path))
    case .openToOthers(let path, let mode): .openToOthers(path: moved(path), mode: mode)
    case .interruptedDeletion(let kind, let id, let path):
      .interruptedDeletion(kind, id, path: moved(path))
    }
  }
}

/// A record that ought to be there, by what a journal says.
public struct MissingRecord: Hashable, Sendable {
  public let kind: RecordKind
  public let id: RecordID
  /// The highest revision that is named.
  public let revision: Int64
  /// Its title or name, where a version of it is held.
  public let title: String?
  /// The time of its last change, where a version of it is held.
  public let updatedAt: Instant?
}

extension StoreProblem {
  /// Whether a repair may be able to do something about it.
  package var mayBeMended: Bool {
    switch self {
    case .header, .identity, .sealedIdentity, .trusteesCopy, .settings, .record, .missing,
      .outdated:
      true
    default: false
    }
  }
}
