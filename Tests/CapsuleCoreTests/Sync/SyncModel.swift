import TestSupport

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A place where the machines of a schedule meet.
final class ModelCarrier {
  struct Name: Hashable {
    let actor: ActorID
    let number: Int
  }

  var segments: [Name: [SyncSubject: RecordState]] = [:]
}

/// One machine of a schedule: a store of members in memory, and the real engine.
///
/// It goes the same way as a sync of files: local changes get dots, are kept, are published, others'
/// states are joined, the intent is kept, files are written, the state is replaced, joins are published.
final class ModelMachine {
  struct Crash: Error {}

  /// What is written once the intent is kept.
  struct Intent {
    var entries: [SyncSubject: SyncEntry]
    var files: [SyncSubject: JSONObject]
    var trash: [SyncSubject: JSONObject]
    var written: [SyncSubject]
  }

  static let table = MergeTable.all[.capsule] ?? .settings

  let name: String
  var generator: SeededGenerator
  // The store.
  var files: [SyncSubject: JSONObject] = [:]
  var trash: [SyncSubject: JSONObject] = [:]
  /// The records whose last entry in the journal is a purge.
  var purges: Set<SyncSubject> = []
  // The machine's state.
  var actor: ActorID
  var entries: [SyncSubject: SyncEntry] = [:]
  var intent: Intent?
  var knowledge: [ObjectIdentifier: CarrierKnowledge] = [:]
  var read: [ObjectIdentifier: Set<ModelCarrier.Name>] = [:]
  var last: [ObjectIdentifier: Int] = [:]
  /// The share of steps at which it dies.
  var crash = 0.0

  init(_ name: String, seed: UInt64) {
    self.name = name
    generator = SeededGenerator(seed: seed)
    actor = ActorID(high: generator.next(), low: generator.next())
  }

  func loseState() {
    actor = ActorID(high: generator.next(), low: generator.next())
    entries = [:]
    intent = nil
    knowledge = [:]
    read = [:]
    last = [:]
  }

  private func point() throws {
    if crash > 0, Double.random(in: 0..<1, using: &generator) < crash { throw Crash() }
  }

  static func observed(_ fields: JSONObject, isLive: Bool) -> ObservedRecord {
    ObservedRecord(
      cells: table.cells(of: fields), isLive: isLive, stamp: fields["updatedAt"]?.integer ?? 0)
  }

  static func digest(_ fields: JSONObject) -> UInt64 {
    JournalRoster.beginning(of: SHA256.hash(JSON.object(fields).encoded(.compact)))
  }

  func shown(_ subject: SyncSubject) -> JSONObject? {
    entries[subject].map { $0.state.fields(Self.table) }
  }

  /// Writes what an interrupted sync was about to.
  func finish() {
    guard let intent else { return }
    for subject in intent.written {
      files[subject] = intent.files[subject]
      trash[subject] = intent.trash[subject]
      if files[subject] != nil || trash[subject] != nil { purges.remove(subject) }
    }
    entries = intent.entries
    self.intent = nil
  }

  private func scan(_ inbox: [SyncSubject: RecordState]) {
    for subject in Set(files.keys).union(trash.keys).union(entries.keys) {
      guard let fields = files[subject] ?? trash[subject] else {
        notePurge(of: subject)
        continue
      }
      let observed = Self.observed(fields, isLive: files[subject] != nil)
      var entry =
        entries[subject]
        ?? SyncEntry(
          state: inbox[subject].map { RecordState.adopting($0, for: observed, Self.table) }
            ?? RecordState())
      let before = entry.state.vector
      entry.observe(observed, digest: Self.digest(fields), by: actor, Self.table)
      if entry.state.vector != before {
        for key in knowledge.keys { knowledge[key]?.noteChange(of: subject, from: before) }
      }
      if entries[subject] == nil {
        for key in knowledge.keys { knowledge[key]?.noteChange(of: subject, from: VersionVector()) }
      }
      entries[subject] = entry
    }
  }

  private func notePurge(of subject: SyncSubject) {
    guard purges.contains(subject), var entry = entries[subject], entry.purged == nil else {
      return
    }
    let before = entry.state.vector
    let observed = ObservedRecord(
      cells: entry.state.shownCells(Self.table), isLive: false, stamp: 0)
    if entry.state.observe(observed, by: actor, Self.table) {
      for key in knowledge.keys { knowledge[key]?.noteChange(of: subject, from: before) }
    }
    entry.purged = entry.state.vector
    entries[subject] = entry
  }

  private func publish(to carrier: ModelCarrier) throws -> Int {
    let key = ObjectIdentifier(carrier)
    let lacking = (knowledge[key] ?? CarrierKnowledge()).lacking { entries[$0]?.state.vector }
    guard !lacking.isEmpty else { return 0 }
    let number = (last[key] ?? 0) + 1
    last[key] = number
    try point()
    carrier.segments[.init(actor: actor, number: number)] = Dictionary(
      uniqueKeysWithValues: lacking.compactMap { subject in
        entries[subject].map { (subject, $0.state) }
      })
    try point()
    for subject in lacking {
      guard let vector = entries[subject]?.state.vector else { continue }
      knowledge[key]?.noteArrival(of: subject, vector, state: vector)
      knowledge[key]?.settle(subject, vector)
    }
    return lacking.count
  }

  /// One sync; returns how many states were published.
  func sync(_ carrier: ModelCarrier, seeing isVisible: () -> Bool = { true }) throws -> Int {
    let key = ObjectIdentifier(carrier)
    finish()
    let own = carrier.segments.keys.filter { $0.actor == actor }.map(\.number).max() ?? 0
    if own != last[key] ?? 0, own > 0 || last[key] != nil {
      actor = ActorID(high: generator.next(), low: generator.next())
      knowledge = [:]
      read = [:]
      last = [:]
    }
    if knowledge[key] == nil {
      knowledge[key] = CarrierKnowledge(
        behind: Dictionary(uniqueKeysWithValues: entries.keys.map { ($0, VersionVector()) }))
    }
    var inbox: [SyncSubject: RecordState] = [:]
    var got: [ModelCarrier.Name] = []
    for (name, states) in carrier.segments.sorted(by: {
      ($0.key.actor, $0.key.number) < ($1.key.actor, $1.key.number)
    }) where name.actor != actor && !(read[key] ?? []).contains(name) {
      guard isVisible() else { continue }
      got.append(name)
      for (subject, state) in states { inbox[subject, default: RecordState()].join(state) }
    }
    scan(inbox)
    try point()
    var published = try publish(to: carrier)
    try merge(inbox, from: key)
    read[key, default: []].formUnion(got)
    try point()
    published += try publish(to: carrier)
    try compact(carrier)
    return published
  }

  private func merge(_ inbox: [SyncSubject: RecordState], from carrier: ObjectIdentifier) throws {
    var new = entries
    for (subject, state) in inbox {
      let before = new[subject]?.state.vector ?? VersionVector()
      var entry = new[subject] ?? SyncEntry()
      entry.state.join(state)
      if new[subject] == nil, purges.contains(subject), !entry.state.isAlive {
        entry.purged = entry.state.vector
      }
      for other in knowledge.keys where other != carrier && entry.state.vector != before {
        knowledge[other]?.noteChange(of: subject, from: before)
      }
      knowledge[carrier]?.noteArrival(of: subject, state.vector, state: before)
      knowledge[carrier]?.settle(subject, entry.state.vector)
      new[subject] = entry
    }
    for entry in new.values where entry.state.isAlive {
      guard let named = entry.state.fields(Self.table)["ref"]?.string.flatMap({ SyncSubject($0) }),
        var target = new[named], !target.state.isAlive
      else { continue }
      let before = target.state.vector
      target.state.revive(by: actor)
      for key in knowledge.keys { knowledge[key]?.noteChange(of: named, from: before) }
      new[named] = target
    }
    var intent = Intent(entries: new, files: [:], trash: [:], written: [])
    for (subject, entry) in new {
      guard entry.isShown else { continue }
      let fields = entry.state.fields(Self.table)
      if entry.state.isAlive {
        intent.files[subject] = fields
      } else {
        intent.trash[subject] = fields
      }
      if files[subject] != intent.files[subject] || trash[subject] != intent.trash[subject] {
        intent.written.append(subject)
        if let old = files[subject] ?? trash[subject], old["rev"] == fields["rev"], old != fields {
          intent.entries[subject]?.noteEarlier(
            Self.digest(old), than: Self.digest(fields))
        } else if let old = files[subject] ?? trash[subject], old["rev"] != fields["rev"] {
          intent.entries[subject]?.earlier = []
        }
        intent.entries[subject]?.purged = nil
      }
    }
    self.intent = intent
    try point()
    for subject in intent.written {
      files[subject] = intent.files[subject]
      trash[subject] = intent.trash[subject]
      purges.remove(subject)
      try point()
    }
    finish()
  }

  private func compact(_ carrier: ModelCarrier) throws {
    let own = carrier.segments.keys.filter { $0.actor == actor }.map(\.number).sorted()
    guard own.count > 4, let highest = own.last else { return }
    let key = ObjectIdentifier(carrier)
    last[key] = highest + 1
    try point()
    carrier.segments[.init(actor: actor, number: highest + 1)] = entries.mapValues(\.state)
    try point()
    for number in own {
      carrier.segments[.init(actor: actor, number: number)] = nil
      try point()
    }
  }
}
