import CapsulePlatform

/// One thing that is not as it should be in a store.
public struct Finding: Hashable, Sendable {
  /// The kind of problem; the names are those of JSON output.
  public enum Kind: String, Sendable {
    /// `store.json` is not what was written.
    case header
    /// An identity's file, or the one that trustees open a protected store by, is missing, or not the one that
    /// `store.json` keeps a copy of.
    case identity
    /// `settings.json` is not what was written.
    case settings
    /// A record is not what was written.
    case record
    /// A record, or another file of the store, cannot be read at all: the system refused, or there is no file
    /// in its place.
    case unreadable
    /// A blob that a record names is missing or not what was written.
    case blob
    /// A blob that only a version of a record in a journal names is missing or not what was written: that
    /// version cannot be made the record again.
    case versionBlob
    /// A record says another size of a blob that it names than the blob has; the path is the record's.
    case otherSize
    /// A capsule's record that disagrees with its lock.
    case lock
    /// A file among the records or blobs that is not one of them: a synchroniser's conflict copy, or a
    /// stranger.
    case foreign
    /// A blob that no record names, nor a version of one; it goes with a purge after a week.
    case orphan
    /// A live record that names another one which is not there, as a synchroniser may leave it.
    case missingReference
    /// A record that this machine's journal names is neither live nor in the trash; or another machine's
    /// does, and it did not come for a week.
    case missing
    /// A record that only another machine's journal names, or a newer version of one, or settings or an identity that
    /// only its copies have: a synchroniser may bring it yet.
    case awaited
    /// A record or a blob that iCloud has taken off this machine: nothing is known of it until it is back.
    case away
    /// A record is of an earlier revision than the one that this machine's journal names.
    case outdated
    /// A part of a log of the journal is not what was written, and second copies are lost; or the log cannot
    /// be read.
    case journal
    /// This machine cannot remember which journal is its own, and writes none.
    case noJournal
    /// The file with the sync state of this device is damaged: the next sync compares everything.
    case syncState
    /// An identity in the clear in a protected store: it came back with an old copy, or its protection was
    /// interrupted.
    case clearIdentity
    /// The store would seal to somebody whom this device does not know.
    case untrusted
    /// The store is on a file system that cannot make new names survive a power cut.
    case weakFileSystem
    /// A part of the store that others than its owner can write to.
    case openToOthers
    /// A record in the trash whose live twin is there too: a deletion that was interrupted.
    case interruptedDeletion
  }

  /// Further facts about the problem.
  public enum Detail: Hashable, Sendable {
    case none
    /// How a record, the header or the settings are damaged.
    case damage(RecordDamage)
    case blob(BlobName, BlobDamage)
    /// The recipient of an identity; `nil` for the file of the trustees.
    case key(recipient: String?, isMissing: Bool)
    /// The system's code.
    case refused(code: Int32)
    /// The size of a blob according to a record, and the real one, in bytes.
    case sizes(BlobName, said: Int64, size: Int64)
    case lock(LockProblem)
    /// The record that the finding refers to.
    case reference(RecordReference)
    /// The record in a journal, and the revision that was found instead.
    case named(MissingRecord, found: Int64?)
    case trust(TrustProblem)
    /// Permission bits.
    case mode(UInt32)
  }

  /// What a finding means for the data.
  private enum Weight { case note, damage, mendable }

  public let kind: Kind
  /// The record that it is about.
  public let record: RecordReference?
  /// The file that it is about.
  package private(set) var file: FilePath?
  /// The file's name in the store's directory, where every store has it.
  package let own: String?
  public let detail: Detail

  package init(
    _ kind: Kind, _ record: RecordReference? = nil, at file: FilePath? = nil, own: String? = nil,
    _ detail: Detail = .none
  ) {
    (self.kind, self.record, self.file, self.own, self.detail) = (kind, record, file, own, detail)
  }

  public var path: String? { file?.text }

  private var weight: Weight {
    if isDenied { return .note }
    return switch kind {
    case .header, .identity, .settings, .record, .missing, .outdated: .mendable
    case .unreadable, .blob, .otherSize, .lock, .untrusted: .damage
    case .foreign, .orphan, .versionBlob, .missingReference, .interruptedDeletion, .awaited, .away,
      .journal,
      .noJournal, .syncState, .clearIdentity, .openToOthers, .weakFileSystem:
      .note
    }
  }

  /// Whether it could not be looked at for lack of permission: nothing is known of it.
  public var isDenied: Bool {
    guard case .refused(let code) = detail else { return false }
    return code == EACCES || code == EPERM
  }

  /// Whether it was there, and is gone.
  package var isGone: Bool { detail == .refused(code: ENOENT) }

  /// Whether data is affected; the others are only to be known.
  public var isDamage: Bool { weight != .note }

  /// Whether a repair may be able to do something about it.
  package var mayBeMended: Bool { weight == .mendable }

  /// Whether what it is about is not there.
  var isMissing: Bool {
    switch detail {
    case .key(_, let isMissing): isMissing
    case .blob(_, let damage): damage == .missing
    default: kind == .missing
    }
  }

  /// The blob that it is about.
  var blob: BlobName? {
    switch detail {
    case .blob(let name, _), .sizes(let name, _, _): name
    default: nil
    }
  }

  /// The finding in the same store at another place.
  func moved(from old: FilePath, to new: FilePath) -> Finding {
    var moved = self
    if let path, path.hasPrefix(old.text) {
      moved.file = FilePath(new.text + path.dropFirst(old.text.count))
    }
    return moved
  }
}

/// A record that ought to be there, by what a journal says.
public struct MissingRecord: Hashable, Sendable {
  public let kind: RecordKind
  public let id: RecordID
  /// The highest revision in the journal.
  public let revision: Int64
  /// Its title or name, where a version of it is held.
  public let title: String?
  /// The time of its last change, where a version of it is held.
  public let updatedAt: Instant?
}
