import CapsuleCore
import TestSupport

/// What a power cut leaves.
enum PowerCut: Hashable, Sendable {
  /// Only what was synchronised.
  case onlySynchronized
  /// All that was done, as if all of it had been written in time.
  case everything
  /// Some of what was not synchronised: each name at some point of its history since, and each file
  /// with its old bytes, its new ones, a part of them, or zeros.
  case random(seed: UInt64)
}

extension SimulatedDisk {
  /// Makes a node's bytes or entries safe, but for what a failed synchronisation has lost.
  mutating func synchronize(_ node: Int) {
    if self[node].kind == .directory {
      // A change that was lost stays in doubt, unless a later one of the same name is safe.
      let pending = self[node].pending
      let lastSafe = Dictionary(
        pending.indices.filter { !pending[$0].isLost }.map { (pending[$0].name, $0) },
        uniquingKeysWith: max)
      for index in lastSafe.values {
        self[node].safeEntries[pending[index].name] = pending[index].node
      }
      for (index, change) in pending.enumerated() {
        guard let last = lastSafe[change.name], index <= last, let target = change.implies
        else { continue }
        makeSafe(target)
      }
      self[node].pending = pending.indices
        .filter { index in lastSafe[pending[index].name].map { index > $0 } ?? true }
        .map { pending[$0] }
      sweep()
    }
    if !self[node].hasLostWrites { self[node].safe = self[node].content }
  }

  /// Makes the new name of a rename safe, because the old one is safely gone.
  private mutating func makeSafe(_ target: EntryTarget) {
    guard let directory = nodes[target.directory],
      let index = directory.pending.lastIndex(where: {
        $0.name == target.name && $0.node == target.node
      })
    else { return }
    self[target.directory].safeEntries[target.name] = target.node
    self[target.directory].pending = directory.pending.indices
      .filter { $0 > index || directory.pending[$0].name != target.name }
      .map { directory.pending[$0] }
  }

  /// What a synchronisation that fails does: what it was to save will not be.
  mutating func loseSynchronization(_ node: Int) {
    for index in self[node].pending.indices { self[node].pending[index].isLost = true }
    self[node].hasLostWrites = true
  }

  /// Forgets nodes that nothing can bring back any more.
  private mutating func sweep() {
    var named: Set<Int> = [Self.root]
    for node in nodes.values where node.kind == .directory {
      named.formUnion(node.entries.values)
      named.formUnion(node.safeEntries.values)
      for change in node.pending {
        if let node = change.node { named.insert(node) }
        if let implied = change.implies { named.insert(implied.node) }
      }
    }
    nodes = nodes.filter { named.contains($0.key) || $0.value.openCount > 0 }
  }

  /// The disk as it is after a power cut and a start.
  func after(_ cut: PowerCut) -> SimulatedDisk {
    var random: SeededGenerator?
    if case .random(let seed) = cut { random = SeededGenerator(seed: seed) }
    var result = self
    let entries = survivingEntries(cut, &random)
    for (number, node) in nodes.sorted(by: { $0.key < $1.key }) {
      let content: Content
      switch cut {
      case .onlySynchronized: content = node.safe
      case .everything: content = node.content
      case .random: content = random.map { _ in Self.torn(node, &random) } ?? node.safe
      }
      result[number].data = content.data
      result[number].mode = content.mode
      result[number].modified = content.modified
      result[number].entries = entries[number] ?? [:]
    }
    result.settle()
    return result
  }

  /// Each directory's entries: for each name some number of the changes that are pending.
  private func survivingEntries(
    _ cut: PowerCut, _ random: inout SeededGenerator?
  ) -> [Int: [[UInt8]: Int]] {
    var chosen: [Int: [[UInt8]: Int]] = [:]
    for (number, node) in nodes.sorted(by: { $0.key < $1.key }) where node.kind == .directory {
      let names = Dictionary(grouping: node.pending, by: \.name)
      for (name, changes) in names.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        switch cut {
        case .onlySynchronized: chosen[number, default: [:]][name] = 0
        case .everything: chosen[number, default: [:]][name] = changes.count
        case .random:
          chosen[number, default: [:]][name] =
            random.map { _ in Self.pick(0...changes.count, &random) } ?? 0
        }
      }
    }
    includeImplied(&chosen)
    var result: [Int: [[UInt8]: Int]] = [:]
    for (number, node) in nodes where node.kind == .directory {
      var entries = node.safeEntries
      for (name, count) in chosen[number] ?? [:] where count > 0 {
        entries[name] = node.pending.filter { $0.name == name }[count - 1].node
      }
      result[number] = entries
    }
    return result
  }

  /// Where a name has gone in a rename, the new one is there.
  private func includeImplied(_ chosen: inout [Int: [[UInt8]: Int]]) {
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for (number, names) in chosen {
        for (name, count) in names {
          let changes = self[number].pending.filter { $0.name == name }.prefix(count)
          for case let implied? in changes.map(\.implies) {
            let others = nodes[implied.directory]?.pending.filter { $0.name == implied.name } ?? []
            guard let index = others.lastIndex(where: { $0.node == implied.node }),
              (chosen[implied.directory]?[implied.name] ?? 0) <= index
            else { continue }
            chosen[implied.directory, default: [:]][implied.name] = index + 1
            hasGrown = true
          }
        }
      }
    }
  }

  private static func torn(_ node: Node, _ random: inout SeededGenerator?) -> Content {
    var content = pick(0...1, &random) == 0 ? node.safe : node.content
    let (old, new) = (node.safe.data, node.data)
    if old == new {
      content.data = new
      return content
    }
    // What was only appended leaves the bytes before it as they were.
    let kept = new.starts(with: old) ? old.count : 0
    let half = kept + (new.count - kept) / 2
    switch pick(0...5, &random) {
    case 0: content.data = old
    case 1: content.data = new
    case 2: content.data = Array(new[..<half])
    case 3: content.data = new[..<half] + [UInt8](repeating: 0, count: new.count - half)
    case 4: content.data = new[..<kept] + [UInt8](repeating: 0, count: new.count - kept)
    default: content.data = Array(new[..<(kept + pick(0...(new.count - kept), &random))])
    }
    return content
  }

  private static func pick(_ range: ClosedRange<Int>, _ random: inout SeededGenerator?) -> Int {
    guard var generator = random else { return range.lowerBound }
    defer { random = generator }
    return Int.random(in: range, using: &generator)
  }

  /// What is on the disk is safe; what has no name, no lock and no descriptor is gone.
  private mutating func settle() {
    var reached: Set<Int> = []
    var next = [Self.root]
    while let number = next.popLast() {
      guard reached.insert(number).inserted else { continue }
      next += self[number].entries.values
    }
    nodes = nodes.filter { reached.contains($0.key) }
    for number in nodes.keys {
      self[number].links = self[number].kind == .directory ? 2 : 0
    }
    for number in nodes.keys where self[number].kind == .directory {
      for child in self[number].entries.values {
        if self[child].kind == .directory {
          self[number].links += 1
          self[child].parent = number
        } else {
          self[child].links += 1
        }
      }
    }
    for number in nodes.keys {
      self[number].openCount = 0
      self[number].lockHolder = nil
      self[number].hasLostWrites = false
      self[number].pending = []
      self[number].safeEntries = self[number].entries
      self[number].safe = self[number].content
    }
  }
}
