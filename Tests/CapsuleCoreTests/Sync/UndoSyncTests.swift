import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Two devices that change the same things, undo and sync: each takes back its own changes alone.
@Suite struct UndoSyncTests {
  @Test func `no device takes back what the other one did`() throws {
    var (undone, stayed) = (0, 0)
    let base = try UndoPair()
    for seed in 0..<TestScale.count(full: 2000, debug: 24) {
      var pair = UndoPair(base, seed: UInt64(seed))
      for _ in 0..<16 { try pair.step() }
      // What both have in the end is the same, and whole.
      try pair.world.settle()
      let (a, b) = (try pair.world.content("a"), try pair.world.content("b"))
      expect(a == b, "seed \(seed): the devices differ")
      expect(pair.problems.isEmpty, "seed \(seed): \(pair.problems.joined(separator: "; "))")
      (undone, stayed) = (undone + pair.undone, stayed + pair.stayed)
    }
    expect(undone > 10 && stayed > 0, "\(undone) undone, \(stayed) in part")
  }
}

private struct UndoPair {
  var world: SyncWorld
  var problems: [String] = []
  private(set) var undone = 0
  private(set) var stayed = 0
  private var generator = SeededGenerator(seed: 0)
  private var items: [RecordID] = []
  private var trace: [String] = []
  /// What each device's edits found and left.
  private var edits: [String: [String: (id: RecordID, found: Item?, left: Item?)]] = [:]
  private var next = 0

  init() throws {
    world = try SyncWorld()
    for name in ["Ring", "Book"] { items.append(try world.addItem("a", name)) }
    try world.settle()
  }

  /// Begins where another one stands.
  init(_ base: UndoPair, seed: UInt64) {
    self = base
    world.files = SimulatedFileSystem(disk: base.world.files.withDisk { $0 })
    generator = SeededGenerator(seed: seed)
  }

  private mutating func number(_ count: Int) -> Int {
    Int.random(in: 0..<count, using: &generator)
  }

  mutating func step() throws {
    let machine = number(2) == 0 ? "a" : "b"
    switch number(12) {
    case 0..<4: try edit(machine)
    case 4: try delete(machine)
    case 5:
      trace.append("\(machine) syncs")
      try world.sync(machine)
    case 6, 7:
      trace.append("both sync")
      try world.settle()
    default: try undo(machine, bringingBack: number(3) == 0)
    }
    if !problems.isEmpty { problems.append(trace.joined(separator: ", ")) }
  }

  /// Keeps what an operation found and left.
  private mutating func note(_ machine: String, _ id: RecordID, _ found: Item?) throws {
    guard let last = try world.store(machine).operations.all().last else { return }
    edits[machine, default: [:]][last.id] = (id, found, try world.item(machine, id))
  }

  private mutating func edit(_ machine: String) throws {
    let id = items[number(items.count)]
    guard let found = try world.item(machine, id) else { return }
    next += 1
    let (what, word) = (number(4), "\(machine) \(next)")
    trace.append("\(machine) edits \(what) of \(id)")
    try world.edit(machine, id) { item in
      switch what {
      case 0: (item.location, item.quantity) = (word, item.quantity + 1)
      case 1: (item.notes, item.category, item.location) = (word, word, word)
      case 2: item.tags.append(word)
      default: (item.location, item.tags) = (word, Array(item.tags.dropFirst()))
      }
    }
    try note(machine, id, found)
  }

  private mutating func delete(_ machine: String) throws {
    let id = items[number(items.count)]
    guard let found = try world.item(machine, id) else { return }
    trace.append("\(machine) deletes \(id)")
    try world.delete(machine, id)
    try note(machine, id, found)
  }

  private mutating func undo(_ machine: String, bringingBack: Bool) throws {
    let now = world.tick()
    let store = try world.store(machine)
    let line = OperationLine(try store.operations.all())
    let choices = bringingBack ? line.undone.suffix(1) : line.done.suffix(3)
    guard let target = choices.randomElement(using: &generator) else { return }
    trace.append("\(machine) takes back \(target.id.prefix(4))")
    let edit = edits[machine]?[target.id]
    let today = try items.map { try world.item(machine, $0) }
    let plan: UndoPlan
    do {
      plan = try store.operations.carryOut(
        store.operations.plan(takingBack: target, now: now), bringingBack: bringingBack, now: now)
    } catch {
      try expectSame(machine, as: today)
      return
    }
    undone += 1
    if !plan.staying.isEmpty { stayed += 1 }
    for (place, id) in items.enumerated() {
      let (old, new) = (today[place], try world.item(machine, id))
      guard let edit, edit.id == id else {
        if edit != nil, old != new { problems.append("\(id) changed") }
        continue
      }
      guard let found = edit.found, let left = edit.left, let old, let new else { continue }
      judge(found, left, old, new, plan)
    }
    if let edit { try note(machine, edit.id, zip(items, today).first { $0.0 == edit.id }?.1) }
  }

  private mutating func expectSame(_ machine: String, as items: [Item?]) throws {
    for (place, id) in self.items.enumerated() where try world.item(machine, id) != items[place] {
      problems.append("\(id) changed although it was refused")
    }
  }

  private mutating func judge(
    _ found: Item, _ left: Item, _ today: Item, _ result: Item, _ plan: UndoPlan
  ) {
    for (name, path) in [
      ("location", \Item.location), ("notes", \.notes), ("category", \.category),
      ("name", \.name),
    ] {
      let isOwn = found[keyPath: path] != left[keyPath: path]
      let isAsLeft = today[keyPath: path] == left[keyPath: path]
      let wanted = isOwn && isAsLeft ? found[keyPath: path] : today[keyPath: path]
      if result[keyPath: path] != wanted { problems.append("\(name) is \(result[keyPath: path])") }
      if isOwn, !isAsLeft, today[keyPath: path] != found[keyPath: path],
        !plan.staying.contains(where: { $0.field == name })
      {
        problems.append("\(name) stays untold")
      }
    }
    let tags = (Set(found.tags), Set(left.tags), Set(today.tags), Set(result.tags))
    if !tags.2.subtracting(tags.1).isSubset(of: tags.3) { problems.append("a tag is lost") }
    if !tags.3.isSubset(of: tags.2.union(tags.0)) { problems.append("a tag is new") }
    if !tags.3.isDisjoint(with: tags.1.subtracting(tags.0)) {
      problems.append("a tag that was added stays")
    }
  }
}
