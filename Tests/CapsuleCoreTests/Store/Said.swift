import TestSupport

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What a store says: its records and settings, without the marks of writing.
struct Said: Equatable {
  struct Record: Equatable {
    var isLive: Bool
    var fields: JSONObject
    var revision: Int64
    var bytes: [UInt8]

    /// Whether both say the same.
    func says(_ other: Record?) -> Bool {
      guard let other, other.isLive == isLive else { return false }
      return Set(fields.keys).union(other.fields.keys)
        .allSatisfy { Said.value(fields[$0]) == Said.value(other.fields[$0]) }
    }
  }

  var records: [RecordReference: Record] = [:]
  /// The records of which the trash has several versions.
  var twins: Set<RecordReference> = []
  var settings: JSONObject = [:]
  /// The files of the store that are not the journal's, its lock, or in its `tmp`.
  var files: [String: [UInt8]] = [:]

  /// Reads the files of a store.
  init(_ files: SimulatedFileSystem, at root: String) {
    // Of several files in the trash the one with the highest revision counts.
    for (path, bytes) in files.files(under: root).sorted(by: { $0.key > $1.key }) {
      let parts = path.dropFirst(root.utf8.count).split(separator: "/").map(String.init)
      guard let first = parts.first, !["journal", "tmp", "lock"].contains(first) else { continue }
      self.files[path] = bytes
      guard let fields = try? JSON.parse(bytes).object else { continue }
      if parts == ["settings.json"] {
        settings = fields
        settings["checksum"] = nil
      }
      let isLive = first != "trash"
      guard parts.count == 3,
        let kind = RecordKind.allCases.first(where: {
          $0.folder == (isLive ? first : parts[1])
        }), let name = parts[2].split(separator: ".").first, let id = RecordID(name)
      else { continue }
      var said = fields
      for key in ["rev", "updatedAt", "schema", "checksum"] { said[key] = nil }
      let record = Record(
        isLive: isLive, fields: said, revision: fields["rev"]?.integer ?? 0, bytes: bytes)
      let reference = RecordReference(kind, id)
      if records[reference] != nil { twins.insert(reference) }
      if let other = records[reference], !isLive, other.isLive || other.revision >= record.revision
      {
        continue
      }
      records[reference] = record
    }
  }

  /// A value as a person sees it: nothing is as good as an empty one.
  static func value(_ json: JSON?) -> JSON {
    switch json {
    case nil, .null, .string(""), .array([]): .null
    case let json?: json
    }
  }
}

extension Said {
  /// What is merged as one: a unit of a record, where a record is (""), or a setting.
  struct Part: Hashable {
    var record: RecordReference?
    var name: String
  }

  /// The values of all parts that say something, but for the check-ins.
  var parts: [Part: JSON] {
    var parts: [Part: JSON] = [:]
    for (reference, record) in records {
      parts[Part(record: reference, name: "")] = .bool(record.isLive)
      for unit in UndoRules.units(of: reference.kind, [record.fields]) {
        var values = UndoRules.values(unit, of: record.fields)
        if values.allSatisfy({ $0 == .null }) { continue }
        if UndoRules.lists.contains(unit[0]), let list = values[0].array {
          values[0] = .array(list.sorted { $0.isBefore($1) })
        }
        parts[Part(record: reference, name: unit.joined(separator: "+"))] = .array(values)
      }
    }
    for member in settings where member.key != "checkIns" {
      parts[Part(record: nil, name: member.key)] = member.value
    }
    return parts
  }

  /// The parts that have other values afterwards.
  func changes(to after: Said) -> [Part] {
    let (before, after) = (parts, after.parts)
    return Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
  }
}
