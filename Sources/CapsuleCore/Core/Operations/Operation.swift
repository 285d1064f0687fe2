import Synchronization

/// What one command did to a store: the names of what it changed, and no values, which the journal has.
package struct Operation: Hashable, Sendable {
  /// The file of a record, as an operation found it or left it.
  package struct State: Hashable, Sendable {
    package let isLive: Bool
    package let revision: Int64
    /// The beginning of the SHA-256 of its bytes, in hexadecimal digits.
    package let digest: String
  }

  /// A record that it changed.
  package struct Change: Hashable, Sendable {
    package let record: RecordReference
    /// `nil` where there was no such record.
    package let from: State?
    package let to: State
    /// The names of the members that became others.
    package var fields: [String]
    /// Whether somebody else changed the record between two parts of the operation.
    var isMixed = false
  }

  /// What cannot be taken back, whatever else an operation did.
  package enum Lasting: String, Hashable, Sendable {
    /// A capsule was opened.
    case opening
    /// Something was put into a capsule.
    case contents
    /// Something went out to people.
    case delivery
    /// Shares were made, handed out or confirmed.
    case shares
    /// The store's keys changed, or where machines meet.
    case keys, remotes
    /// Something was removed for good.
    case purged
  }

  /// 16 hexadecimal digits; people type the first eight.
  package let id: String
  package let at: Instant
  /// The name of the command, such as `event edit`.
  package let command: String
  package let origin: JournalFrame.Origin
  /// The operation that it takes back, or brings again.
  package let undoes: String?
  package let redoes: String?
  package internal(set) var changes: [Change]
  /// The settings that it changed, each with its former value; `null` where it was not set.
  package internal(set) var settings: JSONObject
  /// The records that it removed for good, counted by their kinds.
  package internal(set) var purged: [RecordKind: Int]
  /// What of it cannot be taken back; `nil` where all can.
  package internal(set) var lasting: Lasting?
}

extension Operation {
  /// What a digest is cut to, in bytes.
  private static let digestLength = 16

  static func digest(_ bytes: [UInt8]) -> String { digest(sha256: SHA256.hash(bytes)) }

  static func digest(sha256: [UInt8]) -> String { Hex.encode(Array(sha256.prefix(digestLength))) }

  /// The settings' name for what only says that the owner was there.
  package static let signsOfLife: Set<String> = ["checkIns"]

  /// Whether it is no more than a sign of life, as any command may leave one.
  package var isSignOfLife: Bool {
    changes.isEmpty && purged.isEmpty && !settings.isEmpty
      && Set(settings.keys).isSubset(of: Self.signsOfLife)
  }

  /// Joins what another part of the same operation did: of a record or a setting the first value before, and the last
  /// one after.
  mutating func join(_ other: Operation) {
    var places: [RecordReference: Int] = [:]
    for (place, change) in changes.enumerated() { places[change.record] = place }
    for change in other.changes {
      if let place = places[change.record] {
        changes[place].join(change)
      } else {
        places[change.record] = changes.count
        changes.append(change)
      }
    }
    for member in other.settings {
      var setting = member.value
      if let first = settings[member.key] {
        // A part may be noted twice where a process was killed.
        if first["left"] == setting["left"] { continue }
        // What somebody else set in between is what it found.
        if first["left"]?.string == Self.digest(setting["was"]) {
          setting = ["was": first["was"] ?? .null, "left": setting["left"] ?? .null]
        }
      }
      settings[member.key] = setting
    }
    purged.merge(other.purged) { $0.addingClamped($1) }
    lasting = lasting ?? other.lasting
  }

  /// The digest of a setting's value; that of nothing where it is not set.
  static func digest(_ value: JSON?) -> String {
    digest(value.flatMap { $0 == .null ? nil : $0.encoded(.compact) } ?? [])
  }
}

extension Operation.Change {
  /// Takes what a later part of the same operation did to the record.
  fileprivate mutating func join(_ later: Operation.Change) {
    // A part may be noted twice where a process was killed.
    if later.to == to { return }
    let continues = later.from?.isLive == to.isLive && later.from?.digest == to.digest
    self = Operation.Change(
      record: record, from: from, to: later.to, fields: Set(fields + later.fields).sorted(),
      isMixed: isMixed || !continues)
  }
}

// A line of the file. The store is anybody's who can write it: nothing of a line is taken on trust.
extension Operation {
  /// Reads a line's text; `nil` where it is of a newer program, or nothing that was written.
  init?(line: ArraySlice<UInt8>) {
    guard let json = try? JSON.parse(Array(line)),
      let id = json["op"]?.string, Self.isID(id),
      let at = json["at"]?.integer, Instant(seconds: at).isRepresentable,
      let command = json["do"]?.string, Self.isCommand(command),
      let number = json["by"]?.integer,
      let origin = JournalFrame.Origin(rawValue: UInt8(clamping: number))
    else { return nil }
    self.id = id
    self.at = Instant(seconds: at)
    self.command = command
    self.origin = origin
    undoes = json["undoes"]?.string.flatMap { Self.isID($0) ? $0 : nil }
    redoes = json["redoes"]?.string.flatMap { Self.isID($0) ? $0 : nil }
    changes = (json["changes"]?.array ?? []).compactMap { Change(json: $0) }
    guard Set(changes.map(\.record)).count == changes.count else { return nil }
    settings = json["settings"]?.object ?? [:]
    purged = [:]
    for member in json["purged"]?.object ?? [:] {
      guard let kind = RecordKind(rawValue: member.key), let count = member.value.integer,
        count > 0
      else { continue }
      purged[kind] = Int(clamping: count)
    }
    lasting =
      json["lasting"]?.string.flatMap { Lasting(rawValue: $0) }
      ?? changes.lazy.compactMap(\.lasting).first
  }

  /// The digits of an id.
  fileprivate static let idLength = 16
  /// The most bytes of a command's name.
  private static let commandLimit = 64

  private static func isID(_ text: String) -> Bool {
    text.utf8.count == idLength && Hex.decode(text).map(Hex.encode) == text
  }

  /// Whether a text is what a command may be called: small letters, digits, hyphens and spaces.
  private static func isCommand(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= commandLimit
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: " "):
          true
        default: false
        }
      }
  }

  var json: JSON {
    var members: JSONObject = [
      "op": .string(id), "at": .integer(at.seconds), "do": .string(command),
      "by": .integer(Int64(origin.rawValue)),
    ]
    if let undoes { members["undoes"] = .string(undoes) }
    if let redoes { members["redoes"] = .string(redoes) }
    if !changes.isEmpty { members["changes"] = .array(changes.map(\.json)) }
    if !settings.isEmpty { members["settings"] = .object(settings) }
    if !purged.isEmpty {
      members["purged"] = .object(
        JSONObject(purged.map { ($0.key.rawValue, .integer(Int64($0.value))) }))
    }
    if let lasting { members["lasting"] = .string(lasting.rawValue) }
    return .object(members)
  }
}

extension Operation.Change {
  /// What of the change cannot be taken back.
  var lasting: Operation.Lasting? {
    switch record.kind {
    case .trustees where from == nil || to.isLive && from?.isLive == true && fields != ["name"]:
      .shares
    case .capsule where from != nil && fields.contains("openedAt"): .opening
    case .capsule where from != nil && fields.contains("contents"): .contents
    case .capsule where from != nil && fields.contains("lock"): .keys
    case .bequest where from != nil && fields.contains("delivery"): .delivery
    default: nil
    }
  }

  /// `["item/<id>", before, after, [members]]`
  fileprivate init?(json: JSON) {
    guard let parts = json.array, parts.count == 4, let name = parts[0].string?.parts(at: "/"),
      name.count == 2, let kind = RecordKind(rawValue: String(name[0])), let id = RecordID(name[1]),
      let to = parts[2].string.flatMap({ Operation.State(text: $0) })
    else { return nil }
    self.init(
      record: RecordReference(kind, id),
      from: parts[1].string.flatMap { Operation.State(text: $0) },
      to: to, fields: (parts[3].array ?? []).compactMap(\.string))
  }

  fileprivate var json: JSON {
    .array([
      .string("\(record.kind.rawValue)/\(record.id)"), from.map { .string($0.text) } ?? .null,
      .string(to.text), .array(fields.map { .string($0) }),
    ])
  }
}

extension Operation.State {
  /// `live 3 <digest>`, or `trash 3 <digest>`
  fileprivate var text: String { "\(isLive ? "live" : "trash") \(revision) \(digest)" }

  fileprivate init?(text: String) {
    let parts = text.parts(at: " ")
    guard parts.count == 3, let revision = Int64(parts[1]) else { return nil }
    self.init(isLive: parts[0] == "live", revision: revision, digest: String(parts[2]))
  }
}

/// The operation that one command is: all that it commits is one.
package final class OperationSource: Sendable {
  package let command: String
  private let id = Mutex<String?>(nil)

  package init(command: String) { self.command = command }

  /// The id of the operation, made when it first changes something.
  fileprivate func id(_ make: () -> String) -> String {
    id.withLock { id in
      let known = id ?? make()
      id = known
      return known
    }
  }
}

/// The operation that a change belongs to.
struct OperationMark: Hashable, Sendable {
  let id: String
  let command: String
  var undoes: String?
  var redoes: String?

  /// The operation of the process that makes a change.
  ///
  /// - Parameter change: the first one; no two operations begin at one time with the same change.
  init(_ store: Store, first change: Change?) {
    let source = store.environment.operation
    command = source.command
    id = source.id {
      let text =
        "\(source.command) \(store.environment.clock.nanoseconds) "
        + "\(change?.record.map { "\($0.id)" } ?? "") \(store.operations.size)"
      let digest = Operation.digest(Array(text.utf8) + (change?.bytes ?? []))
      return String(digest.prefix(Operation.idLength))
    }
    undoes = store.undoing?.undoes
    redoes = store.undoing?.redoes
  }

  var json: JSON {
    .object([
      "op": .string(id), "do": .string(command), "undoes": undoes.map { .string($0) } ?? .null,
      "redoes": redoes.map { .string($0) } ?? .null,
    ])
  }

  init?(json: JSON) {
    guard let id = json["op"]?.string, let command = json["do"]?.string else { return nil }
    (self.id, self.command) = (id, command)
    (undoes, redoes) = (json["undoes"]?.string, json["redoes"]?.string)
  }
}
