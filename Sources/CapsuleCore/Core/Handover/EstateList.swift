/// The list beside an estate: its digest, and the records that it was made of, by their ids and revisions.
/// With it a store can say what became stale since, without the estate being opened.
///
/// It holds no titles and no secrets.
package struct EstateList: Hashable, Sendable {
  /// A record as it was.
  package struct Entry: Hashable, Sendable {
    package let reference: RecordReference
    package let revision: Int64
  }

  package let madeAt: Instant
  /// The id of the group that it is sealed to.
  package let group: RecordID
  /// The SHA-256 of the group's recipient.
  package let recipient: [UInt8]
  /// The SHA-256 of the settings.
  package let settings: [UInt8]
  /// The records by kind, then by id.
  package let records: [Entry]
  /// The SHA-256 of the file; empty until it is written.
  package private(set) var digest: [UInt8] = []
  /// The size of the file in bytes.
  package private(set) var size: Int64 = 0

  /// The kinds of records that an estate is made of.
  package static let kinds: [RecordKind] = [.capsule, .item, .beneficiary, .bequest]
  /// The most bytes of a list.
  package static let byteLimit = 64 << 20

  /// The list of what is in a store now.
  init(of store: Store, for group: TrusteeGroup, _ settings: StoreSettings, now: Instant) {
    madeAt = now
    self.group = group.header.id
    recipient = Self.digest(of: group)
    self.settings = Self.digest(of: settings)
    records = Self.records(of: store, now: now)
  }

  /// Notes what was written.
  mutating func note(digest: [UInt8], size: Int64) {
    self.digest = digest
    self.size = size
  }

  /// The place of the list of a file.
  package static func path(beside file: FilePath) -> FilePath {
    FilePath(bytes: file.bytes + Array(".list".utf8))
  }

  private static func digest(of group: TrusteeGroup) -> [UInt8] {
    SHA256.hash(Array(group.recipient.utf8))
  }

  private static func digest(of settings: StoreSettings) -> [UInt8] {
    // The owner's check-ins are in no estate.
    var values = settings.values
    values[StoreSettings.checkInsName] = nil
    return SHA256.hash(JSON.object(values).encoded(.compact))
  }

  /// Finds all records of the kinds, as they are in the store.
  private static func records(of store: Store, now: Instant) -> [Entry] {
    var records: [Entry] = []
    for kind in kinds {
      var ids: [RecordID] = []
      var index = store.index.open(kind, now: now)
      index.forEach(.ascending) { entry in
        ids.append(entry.id)
        return true
      }
      for id in ids.sorted() {
        let revision = store.trash.revision(of: store.layout.record(kind, id))
        records.append(Entry(reference: RecordReference(kind, id), revision: revision))
      }
    }
    return records
  }
}

extension EstateList {
  /// The file: JSON on several lines.
  package var bytes: [UInt8] {
    var writer = JSONTextWriter(.pretty, reserving: 128 * records.count)
    writer.beginObject()
    writer.key("estate")
    writer.value(.integer(1))
    writer.key("madeAt")
    writer.value(.string(madeAt.rfc3339))
    writer.key("records")
    writer.beginArray()
    for record in records {
      writer.value(
        .object([
          "id": .string(record.reference.id.description),
          "kind": .string(record.reference.kind.rawValue), "rev": .integer(record.revision),
        ]))
    }
    writer.endArray()
    writer.key("settings")
    writer.value(.string(Hex.encode(settings)))
    writer.key("sha256")
    writer.value(.string(Hex.encode(digest)))
    writer.key("size")
    writer.value(.integer(size))
    writer.key("trustees")
    writer.value(
      .object([
        "id": .string(group.description), "recipient": .string(Hex.encode(recipient)),
      ]))
    writer.endObject()
    writer.endLine()
    return writer.takeBytes()
  }

  /// The reason why a file is not the list of an estate.
  package enum Problem: Hashable, Sendable {
    case notJSON
    /// A member is missing or wrong.
    case member(String)
    /// It is of a later version.
    case newer(Int64)
  }

  /// Reads a list; members that it does not know are passed over.
  package init(_ bytes: [UInt8]) throws(Fault) {
    guard let object = (try? JSON.parse(bytes))?.object else { throw Fault(Problem.notJSON) }
    guard let version = object["estate"]?.integer, version > 0 else {
      throw Fault(Problem.member("estate"))
    }
    guard version == 1 else { throw Fault(Problem.newer(version)) }
    func digest(_ name: String, _ value: JSON?) throws(Fault) -> [UInt8] {
      guard let bytes = value?.string.flatMap(Hex.decode), bytes.count == SHA256.byteCount else {
        throw Fault(Problem.member(name))
      }
      return bytes
    }
    guard let made = object["madeAt"]?.string.flatMap({ Instant(rfc3339: $0) }) else {
      throw Fault(Problem.member("madeAt"))
    }
    madeAt = made
    guard let size = object["size"]?.integer, size >= 0 else { throw Fault(Problem.member("size")) }
    self.size = size
    self.digest = try digest("sha256", object["sha256"])
    settings = try digest("settings", object["settings"])
    let trustees = object["trustees"]?.object
    guard let id = trustees?["id"]?.string.flatMap({ RecordID($0) }) else {
      throw Fault(Problem.member("trustees.id"))
    }
    group = id
    recipient = try digest("trustees.recipient", trustees?["recipient"])
    guard let array = object["records"]?.array else { throw Fault(Problem.member("records")) }
    var records: [Entry] = []
    records.reserveCapacity(array.count)
    for value in array {
      guard let kind = value["kind"]?.string.flatMap(RecordKind.init),
        let id = value["id"]?.string.flatMap({ RecordID($0) }), let revision = value["rev"]?.integer
      else { throw Fault(Problem.member("records")) }
      records.append(Entry(reference: RecordReference(kind, id), revision: revision))
    }
    self.records = records
  }
}

extension EstateList {
  /// The changes in a store since an estate was made of it.
  package struct Changes: Hashable, Sendable {
    package internal(set) var added: [RecordReference] = []
    package internal(set) var changed: [RecordReference] = []
    package internal(set) var removed: [RecordReference] = []
    package internal(set) var settings = false
    package internal(set) var group = GroupChange.none

    /// A change of the trustees.
    package enum GroupChange: String, Hashable, Sendable {
      case none
      /// The store does not have the group any more.
      case gone
      /// The group has another key: those who have its shares open the estate no more.
      case otherKey
    }

    package var isEmpty: Bool {
      added.isEmpty && changed.isEmpty && removed.isEmpty && !settings && group == .none
    }
  }

  /// Whether a file is, byte for byte, the one that the list was made with.
  ///
  /// - Parameter progress: called with the number of bytes that were read.
  package func isMade(
    with path: FilePath, in files: any FileSystem, progress: (Int) -> Void
  ) throws(Fault) -> Bool {
    try files.withFile(path, .readFollowingLinks(streams: false)) {
      file throws(Fault) in
      var total: Int64 = 0
      let found = try files.digest(of: file) { count in
        total += Int64(count)
        progress(count)
      }
      return total == size && found == digest
    }
  }

  /// Compares the list with what the store has now.
  package func changes(in store: Store, now: Instant) throws(Fault) -> Changes {
    var changes = Changes()
    let before = Dictionary(
      records.map { ($0.reference, $0.revision) }, uniquingKeysWith: { $1 })
    var left = Set(before.keys)
    for record in Self.records(of: store, now: now) {
      left.remove(record.reference)
      guard let revision = before[record.reference] else {
        changes.added.append(record.reference)
        continue
      }
      if revision != record.revision { changes.changed.append(record.reference) }
    }
    changes.removed = records.map(\.reference).filter { left.remove($0) != nil }
    changes.settings = settings != Self.digest(of: try store.settings.read().settings)
    let group = try? store.read(TrusteeGroup.self, group).model
    if let group {
      changes.group = Self.digest(of: group) == recipient ? .none : .otherKey
    } else {
      changes.group = .gone
    }
    return changes
  }
}

/// The message leaves the name of the file open.
extension EstateList.Problem: FaultCause {
  package var code: Fault.Code { if case .newer = self { .version } else { .damaged } }

  package var message: Fault.Message {
    switch self {
    case .notJSON, .member: "'\(open: .name)' is not the list of an estate"
    case .newer(let version):
      "'\(open: .name)' has version \(version); this program reads version 1"
    }
  }

  package var hint: String? {
    if case .newer = self {
      "install a newer version of capsule"
    } else {
      "make the estate again: capsule estate make"
    }
  }
}
