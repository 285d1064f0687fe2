/// A record in the trash: `trash/<kind>/<id>.<Unix time of deletion>.json`.
public struct TrashedRecord: Hashable, Sendable {
  public let kind: RecordKind
  public let id: RecordID
  public let deletedAt: Instant
  package let path: FilePath

  package init(kind: RecordKind, id: RecordID, deletedAt: Instant, path: FilePath) {
    self.kind = kind
    self.id = id
    self.deletedAt = deletedAt
    self.path = path
  }

  /// Reads a file's name; `nil` where it is not that of a record in the trash.
  package init?(kind: RecordKind, path: FilePath) {
    let parts = String(decoding: path.lastComponent, as: UTF8.self).parts(at: ".")
    guard parts.count == 3, parts[2] == "json", let id = RecordID(parts[0]),
      let seconds = Int64(parts[1]), String(seconds) == parts[1]
    else { return nil }
    let deletedAt = Instant(seconds: seconds)
    guard deletedAt.isRepresentable else { return nil }
    self.init(kind: kind, id: id, deletedAt: deletedAt, path: path)
  }
}

/// The outcome of bringing records back from the trash.
package struct Restoration: Sendable {
  package internal(set) var restored: [TrashedRecord] = []
  /// The bequests of restored records that lie in the trash all the same: they were deleted at another
  /// time, their other side is not there, or the same was left anew.
  package internal(set) var staying: [TrashedRecord] = []
  /// The reasons for which records that were named did not come back.
  package internal(set) var failures: [StoreError] = []
}

/// The outcome of moving several records to the trash.
package struct Deletion: Sendable {
  /// For each record, as far as they were looked at: the records that went with it, or the reason for which
  /// it stays. A record that hangs on several of them goes with the first.
  package internal(set) var outcomes: [Result<[RecordReference], StoreError>] = []
  /// The reason for which the rest was not looked at; `nil` where all were.
  package internal(set) var end: StoreError?
}
