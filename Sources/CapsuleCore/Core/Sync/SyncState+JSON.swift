/// The parts of a machine's state as JSON.
extension SyncEntry {
  package var json: JSON {
    var members: JSONObject = ["state": state.json]
    if let waiting { members["waiting"] = waiting.json }
    if let purged {
      var seen = RecordState()
      seen.vector = purged
      members["purged"] = seen.json
    }
    if !earlier.isEmpty {
      members["earlier"] = .array(earlier.map { .string(String($0, radix: 16)) })
    }
    if insists { members["insists"] = .bool(true) }
    if !chosen.isEmpty {
      members["chosen"] = .object([
        "rev": .integer(chosenRevision),
        "parts": .array(
          chosen.sorted().map {
            .array([.string($0.member), $0.element.map { .string($0) } ?? .null])
          }),
      ])
    }
    return .object(members)
  }

  package init?(json: JSON) {
    guard let state = json["state"].flatMap({ try? RecordState(json: $0) }) else { return nil }
    self.init(state: state)
    if let waiting = json["waiting"] {
      guard let waiting = try? RecordState(json: waiting) else { return nil }
      self.waiting = waiting
    }
    if let purged = json["purged"] {
      guard let purged = try? RecordState(json: purged) else { return nil }
      self.purged = purged.vector
    }
    earlier = (json["earlier"]?.array ?? []).compactMap {
      $0.string.flatMap { UInt64($0, radix: 16) }
    }
    insists = json["insists"] == .bool(true)
    chosenRevision = json["chosen"]?["rev"]?.integer ?? 0
    for key in json["chosen"]?["parts"]?.array ?? [] {
      guard let parts = key.array, parts.count == 2, let member = parts[0].string else { continue }
      chosen.insert(CellKey(member, parts[1].string))
    }
  }
}

extension SyncState.CarrierRecord {
  package var json: JSON {
    var members: JSONObject = [
      "number": .integer(number), "ended": ended.map { .integer($0) } ?? .null,
      "last": last.map { .string(CarrierName.segment($0).path) } ?? .null,
      "read": .array(read.sorted().map { .string(CarrierName.segment($0).path) }),
      "published": .integer(published),
    ]
    if let unused {
      members["unused"] = .object([
        "names": .array(unused.names.sorted().map { .string($0) }),
        "since": .integer(unused.since),
        "actors": .object(
          unused.actors.reduce(into: [:]) { $0[$1.key.description] = .integer($1.value) }),
      ])
    }
    if !removed.isEmpty { members["removed"] = .array(removed.sorted().map { .string($0) }) }
    if isRemovalUntold { members["isRemovalUntold"] = .bool(true) }
    if !damaged.isEmpty {
      members["damaged"] = .object(
        damaged.reduce(into: [:]) { $0[$1.key.path] = .string($1.value) })
    }
    if !hosts.isEmpty {
      members["hosts"] = .object(
        hosts.reduce(into: [:]) { $0[$1.key.description] = .string($1.value) })
    }
    return .object(members)
  }

  package init(json: JSON) {
    self.init()
    number = json["number"]?.integer ?? 0
    ended = json["ended"]?.integer
    last = json["last"]?.string.flatMap { Self.segment($0) }
    read = Set((json["read"]?.array ?? []).compactMap { $0.string.flatMap { Self.segment($0) } })
    published = json["published"]?.integer ?? 0
    if let unused = json["unused"], let since = unused["since"]?.integer {
      var actors: [ActorID: Int64] = [:]
      for member in unused["actors"]?.object ?? [:] {
        if let actor = ActorID(member.key), let number = member.value.integer {
          actors[actor] = number
        }
      }
      self.unused = Unused(names: Self.names(unused["names"]), since: since, actors: actors)
    }
    removed = Self.names(json["removed"])
    isRemovalUntold = json["isRemovalUntold"] == .bool(true)
    for member in json["damaged"]?.object ?? [:] {
      guard let name = CarrierName(path: member.key) else { continue }
      damaged[name] = member.value.string
    }
    for member in json["hosts"]?.object ?? [:] {
      if let actor = ActorID(member.key) { hosts[actor] = member.value.string }
    }
  }

  private static func names(_ json: JSON?) -> Set<String> {
    Set((json?.array ?? []).compactMap(\.string))
  }

  private static func segment(_ path: String) -> SegmentName? {
    if case .segment(let name)? = CarrierName(path: path) { name } else { nil }
  }
}
