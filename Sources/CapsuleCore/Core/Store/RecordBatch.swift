/// A file that a record is to have: among the live ones or in the trash.
package struct RecordWrite: Sendable {
  /// `nil` for the settings.
  package let record: RecordReference?
  /// The SHA-256 of the file that it takes the place of; `nil` where there is none.
  package let before: [UInt8]?
  /// Whether that file is a live one.
  package let wasLive: Bool
  package let bytes: [UInt8]
  package let isLive: Bool
  /// The time of its deletion in Unix seconds, for the name in the trash.
  package let deletedAt: Int64

  package init(
    record: RecordReference?, before: [UInt8]?, wasLive: Bool, bytes: [UInt8], isLive: Bool,
    deletedAt: Int64
  ) {
    self.record = record
    self.before = before
    self.wasLive = wasLive
    self.bytes = bytes
    self.isLive = isLive
    self.deletedAt = deletedAt
  }
}

/// Records that are written together. The batch is kept outside the store first, synchronised: whoever takes
/// the store's lock next finishes one that was interrupted, before anything else is changed.
package struct RecordBatch: Sendable {
  package var writes: [RecordWrite]
  /// The time in Unix seconds, for the journal.
  package var time: Int64
  /// Other data that is kept with the batch; the store does not look at it.
  package var attachment: JSON
  /// The places of the writes that were left out, because something else had changed their files.
  package internal(set) var skipped: Set<Int> = []

  package init(writes: [RecordWrite], time: Int64, attachment: JSON) {
    self.writes = writes
    self.time = time
    self.attachment = attachment
  }
}

extension RecordBatch {
  /// The most bytes of a batch's file.
  static let sizeLimit = 1 << 30

  init?(_ bytes: [UInt8]) {
    guard let json = try? JSON.parse(bytes), let time = json["time"]?.integer,
      let writes = json["writes"]?.array, let attachment = json["attachment"],
      let skipped = json["skipped"]?.array
    else { return nil }
    self.init(writes: [], time: time, attachment: attachment)
    for write in writes {
      guard let write = RecordWrite(json: write) else { return nil }
      self.writes.append(write)
    }
    self.skipped = Set(skipped.compactMap { $0.integer.map { Int(clamping: $0) } })
  }

  var encoded: [UInt8] {
    JSON.object([
      "time": .integer(time), "attachment": attachment,
      "skipped": .array(skipped.sorted().map { .integer(Int64($0)) }),
      "writes": .array(writes.map(\.json)),
    ]).encoded(.compact)
  }
}

extension RecordWrite {
  fileprivate var json: JSON {
    .object([
      "record": record.map { .string("\($0.kind.rawValue)/\($0.id)") } ?? .null,
      "before": before.map { .string(Hex.encode($0)) } ?? .null,
      "bytes": .string(String(decoding: bytes, as: UTF8.self)), "wasLive": .bool(wasLive),
      "isLive": .bool(isLive), "deletedAt": .integer(deletedAt),
    ])
  }

  fileprivate init?(json: JSON) {
    guard let bytes = json["bytes"]?.string, case .bool(let isLive)? = json["isLive"],
      case .bool(let wasLive)? = json["wasLive"], let deletedAt = json["deletedAt"]?.integer
    else { return nil }
    var record: RecordReference?
    if let name = json["record"]?.string {
      let parts = name.parts(at: "/")
      guard parts.count == 2, let kind = RecordKind(rawValue: String(parts[0])),
        let id = RecordID(parts[1])
      else { return nil }
      record = RecordReference(kind, id)
    }
    self.init(
      record: record, before: json["before"]?.string.flatMap { Hex.decode($0) },
      wasLive: wasLive, bytes: Array(bytes.utf8), isLive: isLive, deletedAt: deletedAt)
  }
}
