import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Schedules of machines that change, sync, die and forget: what holds after every one of them.
struct SyncScheduleTests {
  enum Weather: String, CaseIterable, CustomTestStringConvertible {
    case plain, crashes, lostState, crashesAndLostState, fourMachines

    var testDescription: String { rawValue }
    var crash: Double {
      switch self {
      case .plain, .lostState: 0
      case .crashes, .crashesAndLostState: 0.05
      case .fourMachines: 0.02
      }
    }
    var losesState: Bool { self == .lostState || self == .crashesAndLostState }
    var machines: Int { self == .fourMachines ? 4 : 3 }
    var steps: Int { self == .fourMachines ? 120 : 60 }
  }

  @Test(arguments: Weather.allCases)
  func `machines agree at the end, and nothing is lost that nobody replaced knowingly`(
    _ weather: Weather
  ) throws {
    for seed in 0..<TestScale.count(full: 4000, debug: 6) {
      var schedule = SyncSchedule(seed: UInt64(seed), weather)
      schedule.run()
      let fault = schedule.fault()
      expect(fault == nil, "seed \(seed)")
      if fault != nil { break }
    }
  }
}

/// One random schedule.
struct SyncSchedule {
  private let weather: SyncScheduleTests.Weather
  private var generator: SeededGenerator
  private var machines: [ModelMachine]
  private let carriers = [ModelCarrier(), ModelCarrier()]
  private var clock: Int64 = 0
  private var step = 0
  private var made = 0
  /// Every value that was ever written.
  private var writes: [Write] = []
  private struct Write {
    let subject: SyncSubject
    let member: String
    let value: JSON
  }
  /// The values that somebody saw and replaced, or purged.
  private var replaced: [SyncSubject: [String: Set<JSON>]] = [:]
  private var purged: Set<SyncSubject> = []
  /// Earlier files of each machine.
  private var versions: [[(SyncSubject, JSONObject)]]
  /// The records of each machine that were put back: nobody edits one before a sync has seen it.
  private var putBacks: [Set<SyncSubject>]

  init(seed: UInt64, _ weather: SyncScheduleTests.Weather) {
    self.weather = weather
    generator = SeededGenerator(seed: seed)
    machines = (0..<weather.machines).map {
      ModelMachine("ABCD".map { String($0) }[$0], seed: seed &* 31 &+ UInt64($0))
    }
    versions = machines.map { _ in [] }
    putBacks = machines.map { _ in [] }
  }

  private mutating func chance(_ share: Double) -> Bool {
    Double.random(in: 0..<1, using: &generator) < share
  }

  private mutating func pick(_ subjects: some Sequence<SyncSubject>) -> SyncSubject? {
    subjects.sorted { $0.text < $1.text }.randomElement(using: &generator)
  }

  mutating func run() {
    for step in 0..<weather.steps {
      self.step = step
      let place = Int.random(in: 0..<machines.count, using: &generator)
      let machine = machines[place]
      clock += Int64.random(in: 0...2, using: &generator)
      let off = [0, 0, 0, -500, 500].randomElement(using: &generator) ?? 0
      let time = clock + Int64(off) + 1000
      let choice = Double.random(in: 0..<1, using: &generator)
      if choice < 0.68 { machine.finish() }
      switch choice {
      case ..<0.15: make(machine, time)
      case ..<0.5:
        if machine.files.isEmpty { make(machine, time) } else { edit(machine, place, time) }
      case ..<0.57: delete(machine)
      case ..<0.61: restore(machine)
      case ..<0.63: purge(machine)
      case ..<0.66: putBack(machine, place, time)
      case ..<0.70: resolve(machine)
      default:
        guard let carrier = carriers.randomElement(using: &generator) else { break }
        machine.crash = weather.crash
        var eyes = SeededGenerator(seed: generator.next())
        _ = try? machine.sync(carrier) { Double.random(in: 0..<1, using: &eyes) < 0.7 }
        machine.crash = 0
      }
      if weather.losesState, chance(0.02) {
        machine.finish()
        machine.loseState()
      }
    }
  }

  private mutating func make(_ machine: ModelMachine, _ time: Int64) {
    made += 1
    let subject = SyncSubject.record(
      RecordReference(.capsule, RecordID(high: UInt64(made), low: 0)))
    var fields: JSONObject = [
      "title": .string("t\(step)"), "rev": 1, "updatedAt": .integer(time),
      "unlockAt": .integer(Int64.random(in: 10001...10099, using: &generator)),
    ]
    if chance(0.3), let other = pick(machine.files.keys) { fields["ref"] = .string(other.text) }
    machine.files[subject] = fields
    writes.append(Write(subject: subject, member: "title", value: .string("t\(step)")))
  }

  private mutating func edit(_ machine: ModelMachine, _ place: Int, _ time: Int64) {
    guard let subject = pick(machine.files.keys), var fields = machine.files[subject] else {
      return
    }
    if putBacks[place].contains(subject) {
      guard machine.shown(subject) == fields else { return }
      putBacks[place].remove(subject)
    }
    versions[place].append((subject, fields))
    let kind = ["title", "notes", "tag", "untag", "content", "unlock", "open"]
      .randomElement(using: &generator)
    switch kind {
    case "title", "notes":
      let member = kind ?? ""
      let value = JSON.string("\(member)\(step)\(machine.name)")
      if let old = fields[member] {
        replaced[subject, default: [:]][member, default: []].insert(old)
      }
      fields[member] = value
      writes.append(Write(subject: subject, member: member, value: value))
    case "tag":
      let tag = JSON.string("\(Int.random(in: 1...4, using: &generator))")
      let tags = fields["tags"]?.array ?? []
      if !tags.contains(tag) { fields["tags"] = .array(tags + [tag]) }
    case "untag":
      let tags = fields["tags"]?.array ?? []
      if let gone = tags.randomElement(using: &generator) {
        let rest = tags.filter { $0 != gone }
        fields["tags"] = rest.isEmpty ? nil : .array(rest)
      }
    case "content":
      let content: JSON = ["id": .string("\(step)\(machine.name)")]
      fields["contents"] = .array((fields["contents"]?.array ?? []) + [content])
      writes.append(Write(subject: subject, member: "contents", value: content))
    case "unlock":
      let later = Int64.random(in: 0...9, using: &generator)
      fields["unlockAt"] = .integer((fields["unlockAt"]?.integer ?? 0) + later)
    default:
      if fields["openedAt"] == nil { fields["openedAt"] = .integer(time) }
    }
    raise(&fields, time)
    machine.files[subject] = fields
  }

  private func raise(_ fields: inout JSONObject, _ time: Int64) {
    fields["rev"] = .integer((fields["rev"]?.integer ?? 0) + 1)
    fields["updatedAt"] = .integer(max(fields["updatedAt"]?.integer ?? 0, time))
  }

  private mutating func delete(_ machine: ModelMachine) {
    let named = Set(machine.files.values.compactMap { $0["ref"]?.string })
    guard let subject = pick(machine.files.keys.filter { !named.contains($0.text) }) else { return }
    machine.trash[subject] = machine.files.removeValue(forKey: subject)
  }

  private mutating func restore(_ machine: ModelMachine) {
    guard let subject = pick(machine.trash.keys) else { return }
    if let name = machine.trash[subject]?["ref"]?.string, let other = SyncSubject(name),
      machine.files[other] == nil
    {
      return
    }
    machine.files[subject] = machine.trash.removeValue(forKey: subject)
  }

  private mutating func purge(_ machine: ModelMachine) {
    guard let subject = pick(machine.trash.keys),
      let fields = machine.trash.removeValue(forKey: subject)
    else { return }
    machine.purges.insert(subject)
    purged.insert(subject)
    // What no sync has seen goes with the file, and what only this machine's state has may go with that.
    var seen = machine.entries[subject]?.state.cells ?? [:]
    if weather.losesState, let own = machine.entries[subject]?.state.vector,
      !isPublished(own, subject)
    {
      seen = [:]
    }
    for write in writes where write.subject == subject && has(fields, write) {
      let siblings = seen.filter { $0.key.member == write.member }.values.flatMap(\.values)
      if !siblings.contains(where: { $0.value?.json == write.value }) {
        replaced[subject, default: [:]][write.member, default: []].insert(write.value)
      }
    }
  }

  /// Whether a record's file shows what was written.
  private func has(_ fields: JSONObject, _ write: Write) -> Bool {
    let value = fields[write.member]
    return value == write.value || value?.array?.contains(write.value) == true
  }

  /// Puts an earlier file back, over one whose changes are known; now and then it is edited then.
  private mutating func putBack(_ machine: ModelMachine, _ place: Int, _ time: Int64) {
    guard let (subject, fields) = versions[place].randomElement(using: &generator),
      let current = machine.files[subject], machine.shown(subject) == current
    else { return }
    // Without its state a machine knows only by the revision that a file is an earlier one.
    if weather.losesState {
      guard let rev = fields["rev"]?.integer, let last = current["rev"]?.integer, rev < last else {
        return
      }
      // What only its state knows is lost with that.
      guard let own = machine.entries[subject]?.state.vector, isPublished(own, subject) else {
        return
      }
    }
    machine.files[subject] = fields
    putBacks[place].insert(subject)
    guard chance(0.3) else { return }
    var edited = fields
    if let old = fields["notes"] {
      replaced[subject, default: [:]]["notes", default: []].insert(old)
    }
    edited["notes"] = .string("back\(step)")
    raise(&edited, Int64(step + 1) * 10_000)
    machine.files[subject] = edited
    writes.append(Write(subject: subject, member: "notes", value: .string("back\(step)")))
  }

  private func isPublished(_ vector: VersionVector, _ subject: SyncSubject) -> Bool {
    carriers.contains { carrier in
      carrier.segments.values.contains { $0[subject]?.vector.covers(vector) == true }
    }
  }

  private mutating func resolve(_ machine: ModelMachine) {
    for subject in machine.files.keys.sorted(by: { $0.text < $1.text }) {
      guard machine.intent == nil, var entry = machine.entries[subject],
        machine.shown(subject) == machine.files[subject],
        let (key, shown) = entry.state.conflicts(ModelMachine.table).first
      else { continue }
      for value in [shown.value] + shown.others {
        if let json = value?.json {
          replaced[subject, default: [:]][key.member, default: []].insert(json)
        }
      }
      entry.chosen.insert(key)
      machine.entries[subject] = entry
      return
    }
  }

  /// Lets all machines sync until nothing is published any more.
  ///
  /// - Returns: the first rule that does not hold then.
  mutating func fault() -> String? {
    var rounds = 0
    while true {
      var published = 0
      for machine in machines {
        for carrier in carriers { published += (try? machine.sync(carrier)) ?? 0 }
      }
      if published == 0 { break }
      rounds += 1
      if rounds > 12 { return "no quiescence" }
    }
    return disagreement() ?? loss()
  }

  private func disagreement() -> String? {
    let first = machines[0]
    for other in machines.dropFirst() {
      if first.files != other.files {
        let differing = Set(first.files.keys).union(other.files.keys).filter {
          first.files[$0] != other.files[$0]
        }
        return "live differ: \(differing.map(\.text).sorted())"
      }
      for subject in Set(first.trash.keys).union(other.trash.keys)
      where first.trash[subject] != other.trash[subject] {
        // A purge is of one machine.
        let isPurged = [first, other].contains {
          $0.trash[subject] == nil && purged.contains(subject)
        }
        if !isPurged { return "trash differs: \(subject.text)" }
      }
    }
    for fields in first.files.values {
      if let name = fields["ref"]?.string, let named = SyncSubject(name), first.files[named] == nil
      {
        return "dangling: \(name)"
      }
    }
    for machine in machines {
      for subject in machine.purges where machine.trash[subject] != nil {
        return "purged and back: \(subject.text)"
      }
    }
    return nil
  }

  private func loss() -> String? {
    for write in writes {
      let files = machines.compactMap { $0.files[write.subject] ?? $0.trash[write.subject] }
      if files.isEmpty, purged.contains(write.subject) { continue }
      guard let file = files.first else { return "lost record \(write.subject.text)" }
      if replaced[write.subject]?[write.member]?.contains(write.value) == true { continue }
      if write.member == "contents" {
        if !has(file, write) { return "lost content \(write.value) of \(write.subject.text)" }
        continue
      }
      let siblings = machines.flatMap {
        ($0.entries[write.subject]?.state.cells[CellKey(write.member)] ?? [:]).values
          .compactMap { $0.value?.json }
      }
      if file[write.member] != write.value, !siblings.contains(write.value) {
        return "lost \(write.member) \(write.value) of \(write.subject.text)"
      }
    }
    return nil
  }
}
