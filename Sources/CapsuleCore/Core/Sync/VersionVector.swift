/// A writer of changes: one state of one machine, under a random name. A machine whose state was lost or
/// put back takes a new one, so that no two changes ever have the same dot.
package struct ActorID: Hashable, Comparable, Sendable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package init(random: RandomSource) throws(Fault) {
    let bytes = try random.bytes(16)
    self.init(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
      low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Reads 32 hexadecimal digits in lower case.
  package init?(_ text: String) {
    guard text.utf8.count == 32, let bytes = Hex.decode(text), Hex.encode(bytes) == text else {
      return nil
    }
    self.init(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
      low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// 32 hexadecimal digits.
  package var description: String {
    Hex.encode(
      [high, low].flatMap { word in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
      })
  }

  package static func < (left: ActorID, right: ActorID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// One change of one record: the counter-th by its actor.
package struct Dot: Hashable, Comparable, Sendable {
  package let actor: ActorID
  /// The number of the change, from 1.
  package let counter: Int64

  package init(_ actor: ActorID, _ counter: Int64) {
    self.actor = actor
    self.counter = counter
  }

  package static func < (left: Dot, right: Dot) -> Bool {
    (left.actor, left.counter) < (right.actor, right.counter)
  }
}

/// The changes of a record that a state has seen: of each actor all up to a counter.
package struct VersionVector: Hashable, Sendable {
  package private(set) var counters: [ActorID: Int64] = [:]

  package init() {}

  package var isEmpty: Bool { counters.isEmpty }

  package func contains(_ dot: Dot) -> Bool {
    counters[dot.actor, default: 0] >= dot.counter
  }

  /// Whether it has seen all that another one has.
  package func covers(_ other: VersionVector) -> Bool {
    other.counters.allSatisfy { contains(Dot($0.key, $0.value)) }
  }

  /// The dot of the next change of an actor.
  package func next(_ actor: ActorID) -> Dot {
    Dot(actor, counters[actor, default: 0].addingClamped(1))
  }

  package mutating func insert(_ dot: Dot) {
    counters[dot.actor] = max(counters[dot.actor, default: 0], dot.counter)
  }

  package mutating func formUnion(_ other: VersionVector) {
    counters.merge(other.counters) { max($0, $1) }
  }

  package func union(_ other: VersionVector) -> VersionVector {
    var union = self
    union.formUnion(other)
    return union
  }
}
