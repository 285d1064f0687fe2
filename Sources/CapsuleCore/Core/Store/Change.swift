/// A file of the store that is to be another one: that of a record, live or in the trash, or that of the settings.
package struct Change: Sendable {
  /// `nil` for the settings.
  package let record: RecordReference?
  /// The SHA-256 of the file that it takes the place of; `nil` where there is none, or where any will do.
  package var before: [UInt8]?
  /// Whether that file is a live one.
  package let wasLive: Bool
  /// The new bytes; `nil` where the file itself goes to its new place: that takes no room on the disk.
  package let bytes: [UInt8]?
  package let isLive: Bool
  /// The time of its deletion in Unix seconds, for the name in the trash.
  package let deletedAt: Int64

  // What only this process needs for the writing of it.

  /// What the index is to say of it; `nil` where the index reads the file when it is opened next.
  var entry: IndexEntry?
  /// The time that the journal notes; `nil` for that of the commit.
  var time: Instant?
  /// Versions that give way to it, for the journal.
  var versions: [[UInt8]] = []
  /// Whether the journal keeps no older version.
  var forgetsOlder = false
  /// The revision of a file that goes to its new place as it is; `nil` where it is to be read.
  var revision: Int64?
  /// The file in the trash that it is about; `nil` for the newest.
  var trashed: FilePath?

  // What the list of operations says of it.

  /// The names of the members that become others.
  var fields: [String] = []
  /// The revision of the live record that it takes the place of; 0 where that is not known.
  var formerRevision: Int64 = 0
  /// The former values of those settings that become others, and the digests of the new ones.
  var settings: JSONObject = [:]

  package init(
    record: RecordReference?, before: [UInt8]?, wasLive: Bool, bytes: [UInt8]?, isLive: Bool,
    deletedAt: Int64 = 0
  ) {
    self.record = record
    self.before = before
    self.wasLive = wasLive
    self.bytes = bytes
    self.isLive = isLive
    self.deletedAt = deletedAt
  }
}

extension Change {
  /// A live record, new or in the place of one.
  init(
    _ model: some RecordModel, _ bytes: [UInt8], before: [UInt8]?, fields: [String]
  ) {
    let kind = type(of: model).kind
    self.init(
      record: RecordReference(kind, model.header.id), before: before, wasLive: before != nil,
      bytes: bytes, isLive: true)
    entry = IndexEntry(id: model.header.id, contribution: model.indexContribution, problem: .none)
    time = model.header.updatedAt
    self.fields = fields
  }

  /// The settings, in the place of those before.
  ///
  /// - Parameter file: the SHA-256 of their file; `nil` for whatever is there.
  init(_ settings: StoreSettings, inPlaceOf before: StoreSettings, _ file: [UInt8]? = nil) {
    self.init(
      record: nil, before: file,
      wasLive: true, bytes: RecordFile.encode(settings.values), isLive: true)
    for key in RecordFile.differences(before.values, settings.values) {
      self.settings[key] = [
        "was": before.values[key] ?? .null,
        "left": .string(Operation.digest(settings.values[key])),
      ]
    }
  }

  /// A live record that goes to the trash as it is.
  ///
  /// - Parameter file: its bytes; `nil` where they cannot be read.
  static func delete(_ record: RecordReference, _ file: [UInt8]?, at now: Instant) -> Change {
    var change = Change(
      record: record, before: file.map { SHA256.hash($0) }, wasLive: true, bytes: nil,
      isLive: false, deletedAt: now.seconds)
    change.revision = file.map { RecordFile.revision(of: $0) } ?? 0
    return change
  }

  /// A record of the trash that comes back as it is.
  static func restore(_ record: TrashedRecord, _ file: [UInt8]) -> Change {
    var change = Change(
      record: RecordReference(record.kind, record.id), before: SHA256.hash(file), wasLive: false,
      bytes: nil, isLive: true)
    change.revision = RecordFile.revision(of: file)
    change.trashed = record.path
    return change
  }
}

/// The files that a change is about, as they are.
struct Present {
  /// The digest of the live file, else of the newest in the trash; `nil` where there is none.
  var digest: [UInt8]?
  var isLive = false
  /// The files in the trash, the newest first.
  var trashed: [FilePath] = []

  var hasTwin: Bool { isLive && !trashed.isEmpty }

  /// Whether nothing happened to the file since the change was planned.
  func isBefore(_ change: Change) -> Bool {
    if change.before == nil, change.bytes == nil {
      return isLive == change.wasLive && digest != nil
    }
    return digest == change.before && (digest == nil || isLive == change.wasLive)
  }
}

/// What is to be done with the files of one change.
struct FileStep {
  enum Work {
    /// A prepared file gets a name that nothing has.
    case publish(FilePath)
    /// A prepared file takes the place of another.
    case replace(FilePath)
    /// A file gets another name.
    case move(FilePath, FilePath)
  }

  let work: Work
  /// The names that go when the new one is safe.
  var leaving: [FilePath] = []

  /// The place of the record where nothing has the name yet: its directory may be missing.
  var newPath: FilePath? {
    if case .replace = work { nil } else { path }
  }

  /// The place of the record afterwards.
  var path: FilePath {
    switch work {
    case .publish(let path), .replace(let path), .move(_, let path): path
    }
  }
}

/// A change, and the file beside the others that has its bytes, safe on the disk.
struct StagedChange: Sendable {
  let change: Change
  /// `nil` where the file itself moves.
  var temporary: FilePath?
  /// The file's status before it gets its name.
  var written: FileStatus?
}

extension Change {
  /// What the list of operations says of the change; `nil` for the settings.
  ///
  /// - Parameter revision: the record's when the change is done.
  func operation(_ revision: Int64) -> Operation.Change? {
    guard let record else { return nil }
    var former = before.map {
      Operation.State(
        isLive: wasLive, revision: bytes == nil ? revision : formerRevision,
        digest: Operation.digest(sha256: $0))
    }
    // What could not be read was there all the same.
    if former == nil, bytes == nil {
      former = Operation.State(isLive: wasLive, revision: revision, digest: "")
    }
    let digest = bytes.map { Operation.digest($0) } ?? former?.digest ?? ""
    return Operation.Change(
      record: record, from: former,
      to: Operation.State(isLive: isLive, revision: revision, digest: digest), fields: fields)
  }
}
