/// The state of a record as JSON. Actors are written once, and named by their places.
///
///     {"actors": ["<32 digits>", …], "vector": [n, …],
///      "cells": [["title", null, [[actor, counter, stamp, ordinal, value], …]], …],
///      "life": [[actor, counter], [actor, counter, deleted at, [[actor, counter], …]], …]}
///
/// A sibling without value has no fifth element.
extension RecordState {
  /// The largest counter that is taken: no change is the last that can be counted.
  private static let counterLimit: Int64 = 1 << 53

  package var json: JSON {
    var actors: Set<ActorID> = Set(vector.counters.keys)
    for siblings in cells.values { actors.formUnion(siblings.keys.map(\.actor)) }
    for (dot, life) in life {
      actors.insert(dot.actor)
      if case .gone(let seen, _) = life { actors.formUnion(seen.counters.keys) }
    }
    let order = actors.sorted()
    let places = Dictionary(
      uniqueKeysWithValues: order.enumerated().map { ($1, JSON.integer(Int64($0))) })
    func place(_ actor: ActorID) -> JSON { places[actor] ?? .null }
    let cells = self.cells.sorted { $0.key < $1.key }.map { key, siblings in
      JSON.array([
        .string(key.member), key.element.map { .string($0) } ?? .null,
        .array(
          siblings.sorted { $0.key < $1.key }.map { dot, sibling in
            var parts: [JSON] = [
              place(dot.actor), .integer(dot.counter), .integer(sibling.stamp),
              .integer(sibling.value?.ordinal ?? 0),
            ]
            if let value = sibling.value { parts.append(value.json) }
            return .array(parts)
          }),
      ])
    }
    let life = self.life.sorted { $0.key < $1.key }.map { dot, life in
      var parts: [JSON] = [place(dot.actor), .integer(dot.counter)]
      if case .gone(let seen, let at) = life {
        parts.append(.integer(at))
        parts.append(
          .array(
            seen.counters.sorted { $0.key < $1.key }.map {
              .array([place($0.key), .integer($0.value)])
            }))
      }
      return JSON.array(parts)
    }
    return .object([
      "actors": .array(order.map { .string($0.description) }),
      "vector": .array(order.map { .integer(vector.counters[$0] ?? 0) }),
      "cells": .array(cells), "life": .array(life),
    ])
  }

  package init(json: JSON) throws(Malformed) {
    self.init()
    guard let names = json["actors"]?.array, let counters = json["vector"]?.array,
      let cells = json["cells"]?.array, let life = json["life"]?.array,
      names.count == counters.count
    else { throw Malformed() }
    var actors: [ActorID] = []
    for name in names {
      guard let actor = name.string.flatMap({ ActorID($0) }) else { throw Malformed() }
      actors.append(actor)
    }
    guard Set(actors).count == actors.count else { throw Malformed() }
    for (actor, counter) in zip(actors, counters) {
      guard let counter = counter.integer, (0..<Self.counterLimit).contains(counter) else {
        throw Malformed()
      }
      if counter > 0 { vector.insert(Dot(actor, counter)) }
    }
    for cell in cells { try read(cell: cell, actors) }
    for entry in life { try read(life: entry, actors) }
  }

  private mutating func read(cell: JSON, _ actors: [ActorID]) throws(Malformed) {
    guard let parts = cell.array, parts.count == 3, let member = parts[0].string,
      let siblings = parts[2].array, !siblings.isEmpty
    else { throw Malformed() }
    let key: CellKey
    switch parts[1] {
    case .null: key = CellKey(member)
    case .string(let element): key = CellKey(member, element)
    default: throw Malformed()
    }
    guard cells[key] == nil else { throw Malformed() }
    var read: [Dot: Sibling] = [:]
    for sibling in siblings {
      guard let parts = sibling.array, (4...5).contains(parts.count),
        let stamp = parts[2].integer, let ordinal = parts[3].integer
      else { throw Malformed() }
      read[try Self.dot(parts, actors)] = Sibling(
        stamp: stamp, value: parts.count == 5 ? CellValue(parts[4], ordinal: ordinal) : nil)
    }
    guard read.count == siblings.count else { throw Malformed() }
    cells[key] = read
  }

  private mutating func read(life entry: JSON, _ actors: [ActorID]) throws(Malformed) {
    guard let parts = entry.array, parts.count == 2 || parts.count == 4 else { throw Malformed() }
    let dot = try Self.dot(parts, actors)
    guard life[dot] == nil else { throw Malformed() }
    guard parts.count == 4 else {
      life[dot] = .live
      return
    }
    guard let at = parts[2].integer, let counters = parts[3].array else { throw Malformed() }
    var seen = VersionVector()
    for counter in counters {
      guard let parts = counter.array, parts.count == 2 else { throw Malformed() }
      seen.insert(try Self.dot(parts, actors))
    }
    life[dot] = .gone(seen: seen, at: at)
  }

  private static func dot(_ parts: [JSON], _ actors: [ActorID]) throws(Malformed) -> Dot {
    guard let place = parts[0].integer, actors.indices.contains(Int(clamping: place)),
      let counter = parts[1].integer, (1..<counterLimit).contains(counter)
    else { throw Malformed() }
    return Dot(actors[Int(clamping: place)], counter)
  }
}
