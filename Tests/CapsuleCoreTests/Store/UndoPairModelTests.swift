import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Random lives of two devices that sync through one remote, and to which synchronizers, archives and copies bring
/// things besides. Each is held to what one device is (``UndoWorld``), and both to what they owe each other.
@Suite struct UndoPairModelTests {
  @Test func `each device takes back its own changes alone, and none is lost`() throws {
    var tried = UndoWorld.Tried()
    var met: [String: Int] = [:]
    let disks = [
      try UndoPair.base(), try UndoPair.base(protecting: 1), try UndoPair.base(protecting: 2),
    ]
    for seed in 0..<TestScale.count(full: 3000, debug: 9) {
      let count = seed % disks.count
      var pair = UndoPair(seed: UInt64(seed), on: disks[count], isProtected: count > 0)
      for _ in 0..<20 { try pair.step() }
      try pair.end()
      let problems = pair.problems + pair.devices.flatMap(\.problems)
      let trace = pair.devices.map { $0.trace.joined(separator: ", ") }
      expect(problems.isEmpty, "seed \(seed): \(problems.joined(separator: "; ")); \(trace)")
      for device in pair.devices { tried.add(device.tried) }
      met.merge(pair.met, uniquingKeysWith: +)
    }
    // Each of them was met.
    expect(tried.undone > 15 && tried.redone > 2 && tried.refused > 2, "\(tried)")
    expect(tried.further > 4 && (tried.partly > 0 || !TestScale.isFull), "\(tried)")
    let rare = TestScale.isFull ? ["awaited"] : []
    for what in ["taken", "journals", "archive before redo", "put back", "no room"] + rare {
      expect(met[what] ?? 0 > 0, "\(what): \(met)")
    }
  }
}

/// Two devices that have one store, and a remote between them, on one simulated disk.
private struct UndoPair {
  static let remote = FilePath("/remote")
  let files: SimulatedFileSystem
  var devices: [UndoWorld]
  var problems: [String] = []
  var met: [String: Int] = [:]
  private var generator: SeededGenerator
  /// Whether the store has a passphrase on a device: its key is another one there, and no other takes it for its own.
  private let isProtected: Bool
  /// The devices that changed a part since both were the same.
  private var writers: [Said.Part: Set<Int>] = [:]
  /// What has several values, so that the next one is shown where one is taken away.
  private var open: Set<SyncSubject> = []
  /// The operations of people on each device.
  private var own: [Set<String>] = [[], []]
  /// Copies of all that a device has, and what it had changed by then and the other one did not know yet.
  private var copies: [(files: [String: [UInt8]], unsent: Set<Said.Part>)?] = [nil, nil]

  /// A disk on which both have an empty store.
  ///
  /// - Parameter count: the number of devices on which the store is protected.
  static func base(protecting count: Int = 0) throws -> SimulatedDisk {
    let files = SimulatedFileSystem()
    for path in [remote, FilePath("/a"), FilePath("/b")] { try files.createDirectories(path) }
    var a = UndoWorld(seed: 1, in: files, home: "/a")
    var b = UndoWorld(seed: 2, in: files, home: "/b")
    let store = try Store.openOrCreate(
      at: FilePath(a.root), environment: a.environment("create"), now: a.now)
    let way = DirectoryCarrier(remote, files, SeededRandomSource(seed: 3).source)
    _ = try store.sync.hold(now: a.now) { work throws(Fault) in try work.add(way, identities: nil) }
    _ = try Store.openOrCreate(
      at: FilePath(b.root), environment: b.environment("clone"), now: b.now,
      as: (store.header, store.header.identities))
    for store in [try a.store("protect"), try b.store("protect")].prefix(count) {
      _ = try store.protection.protect(with: UndoWorld.passphrase(), workFactor: 1, now: a.now)
    }
    // The first command of a device notes what the others' journals are then.
    for store in [try a.store("check"), try b.store("check")] { store.memory.firstOthers() }
    return files.withDisk { $0 }
  }

  init(seed: UInt64, on disk: SimulatedDisk, isProtected: Bool) {
    files = SimulatedFileSystem(disk: disk)
    self.isProtected = isProtected
    generator = SeededGenerator(seed: seed)
    devices = [
      UndoWorld(seed: 2 * seed + 10, in: files, home: "/a"),
      UndoWorld(seed: 2 * seed + 11, in: files, home: "/b", after: 0x80),
    ]
  }

  private mutating func number(_ count: Int) -> Int {
    Int.random(in: 0..<count, using: &generator)
  }

  mutating func step() throws {
    let device = number(2)
    switch number(16) {
    case 0, 1: try sync(device)
    case 2, 3: try settle()
    case 4: try bringJournals(to: device)
    case 5: try takeArchive(device)
    case 6: try copy(device)
    case 7:
      try act(device) { world in try world.operate() }
      devices[device].room = number(900)
      devices[device].trace.append("full disk")
      let refused = devices[device].tried.refused
      try act(device) { world in try world.undo(further: false) }
      if devices[device].tried.refused > refused { meet("no room") }
      devices[device].room = nil
    case 8: try act(device) { world in try world.undo(further: true) }
    default: for _ in 0..<2 { try act(device) { try $0.step() } }
    }
    let holes: Set = ["list cut", "(unlisted)", "put back", "full disk"]
    for device in devices.indices where holes.isDisjoint(with: devices[device].trace) {
      let (store, now) = (try devices[device].store("look"), devices[device].now)
      if try store.operations.isMissingTheNewest(store.operations.all(), now: now) {
        problems.append("device \(device) says of a whole list that the newest change is not there")
      }
    }
  }

  /// Looks at all of both devices after everything has arrived.
  mutating func end() throws {
    try settle()
    for device in devices.indices {
      let found = try devices[device].store("verify").care.verify(now: devices[device].now)
      for problem in found.problems where problem.isDamage {
        // What a store had that was put back may be lost, and the other device's journal names it.
        if met["put back"] != nil, [.missing, .outdated].contains(problem.kind) { continue }
        problems.append("damage on \(device): \(problem)")
      }
    }
  }

  private mutating func meet(_ what: String) { met[what, default: 0] += 1 }

  private func operations(_ device: Int) throws -> [CapsuleCore.Operation] {
    var device = devices[device]
    return try device.store("look").operations.all()
  }

  /// Lets the person at a device do something.
  private mutating func act(_ device: Int, _ body: (inout UndoWorld) throws -> Void) throws {
    let (said, known) = (devices[device].said(), try operations(device).count)
    try body(&devices[device])
    for part in said.changes(to: devices[device].said()) {
      writers[part, default: []].insert(device)
    }
    for new in try operations(device).dropFirst(known) where new.origin == .person {
      if let target = new.undoes ?? new.redoes, !own[device].contains(target) {
        problems.append("\(device) took back \(target), which was not its own")
      }
      own[device].insert(new.id)
    }
  }

  /// Lets something happen to a device that nobody there did: what can be taken back stays what it was.
  private mutating func happen(
    _ what: String, to device: Int, _ body: (inout UndoWorld) throws -> Void
  ) throws -> (before: Said, after: Said) {
    devices[device].tick()
    for place in devices.indices { devices[place].trace.append("\(device): \(what)") }
    meet(what)
    let (before, line) = (devices[device].said(), OperationLine(try operations(device)))
    try body(&devices[device])
    let (after, now) = (devices[device].said(), OperationLine(try operations(device)))
    if !after.twins.isSubset(of: before.twins) {
      problems.append("\(what) put another version beside one in the trash")
    }
    if now.done != line.done || now.undone != line.undone {
      problems.append("\(what) changed what \(device) can take back")
    }
    // What a capsule holds may become more. Of a bequest a sync keeps the delivery, and not the words that another
    // device wrote meanwhile.
    problems += UndoRules.broken(before, after).filter {
      !$0.hasPrefix("contents ")
        && !(what == "sync" && $0.hasSuffix("was sent, and says something else"))
    }
    return (before, after)
  }
}

// What goes between the devices.
extension UndoPair {
  @discardableResult
  private mutating func sync(_ device: Int) throws -> SyncReport {
    var report = SyncReport()
    let random = SeededRandomSource(seed: generator.next()).source
    let way = DirectoryCarrier(Self.remote, files, random)
    let (before, after) = try happen("sync", to: device) { world in
      report = try world.openedStore("sync").sync.hold(now: world.now) { work throws(Fault) in
        try work.sync(way)
      }
    }
    open.formUnion(report.conflicts.map(\.subject))
    requireKept(before, after, of: device)
    if !report.takenRecords.isEmpty { meet("taken") }
    return report
  }

  /// Syncs both in turn until nothing is sent any more: both are the same then.
  private mutating func settle() throws {
    let before = devices.map { $0.said() }
    var (round, quiet) = (0, 0)
    while quiet < 2, round < 20 {
      let report = try sync(round % 2)
      (round, quiet) = (round + 1, report.sentRecords.isEmpty ? quiet + 1 : 0)
      if quiet > 0, !report.held.isEmpty { problems.append("held: \(report.held)") }
    }
    if quiet < 2 { problems.append("the devices do not come to rest") }
    let after = devices.map { $0.said() }
    for device in devices.indices { requireKept(before[device], after[1 - device], of: device) }
    let differing = after[0].changes(to: after[1])
    problems += differing.map { "the devices differ in \($0)" }
    writers = [:]
  }

  /// A synchronizer of folders brings some of the other device's journal, with its copy of the settings, and no
  /// records.
  private mutating func bringJournals(to device: Int) throws {
    let journal = try devices[1 - device].store("look").journal
    guard let name = journal.own(creating: false)?.name else { return }
    let to = FilePath("\(devices[device].root)/journal/\(name)")
    let logs = files.files(under: journal.layout.journal(name).text).sorted { $0.key < $1.key }
      .filter { $0.key.hasSuffix("/header") ? !isProtected : number(2) == 0 }
    let files = files
    let (before, after) = try happen("journals", to: device) { _ in
      try files.createDirectories(to)
      for (from, bytes) in logs {
        try files.setBytes("\(to.text)/\(from.split(separator: "/").last ?? "")", bytes)
      }
    }
    if before != after { problems.append("a journal changed something") }
    try bringSettings(to: device)
  }

  /// Lets settings arrive that a copy in a journal has; until then they are no damage.
  private mutating func bringSettings(to device: Int) throws {
    let paths = devices.map { "\($0.root)/settings.json" }
    guard files.bytes(paths[device]) == nil else { return }
    let found = try devices[device].store("verify").care.verify(now: devices[device].now).problems
    guard found.contains(where: { $0.own == "settings.json" }) else { return }
    meet("awaited")
    if let damage = found.first(where: { $0.own == "settings.json" && $0.isDamage }) {
      problems.append("damage on \(device): \(damage)")
    }
    let (before, after) = try happen("settings", to: device) { [files] _ in
      if let bytes = files.bytes(paths[1 - device]) { try files.setBytes(paths[device], bytes) }
    }
    for part in before.changes(to: after) { writers[part] = [0, 1] }
  }

  /// Takes in an archive of the other device, after an undo and before a redo where there was one.
  private mutating func takeArchive(_ device: Int) throws {
    if number(2) == 0 { try act(device) { world in try world.undo(further: false) } }
    let isBetween = !OperationLine(try operations(device)).undone.isEmpty
    let now = devices[1 - device].now
    var export = try ArchiveExport(of: devices[1 - device].store("export"), nil, now: now)
    let archive = try export.write(to: MemorySink()).bytes
    let (before, after) = try happen("archive", to: device) { world in
      world.processes += 1
      let (place, environment) = (FilePath(world.root), world.environment("import"))
      do {
        _ = try ArchiveImport(
          into: place, environment: environment, now: world.now, isDryRun: false
        ).run { sink in try archive.withUnsafeBytes { try sink.write($0) } }
      } catch let fault as Fault where fault.cause as? ArchiveFault == .protected {
        world.trace.append("(refused: the other one is protected)")
      }
    }
    for part in before.changes(to: after) { writers[part] = [0, 1] }
    let redone = devices[device].tried.redone
    if isBetween { try act(device) { world in try world.redo() } }
    if devices[device].tried.redone > redone { meet("archive before redo") }
  }

  /// Copies all that a device has; or puts the copy back, in place or as other files, or a copy of the other's store.
  private mutating func copy(_ device: Int) throws {
    let world = devices[device]
    guard let kept = copies[device] else {
      let unsent = Set(writers.filter { $0.value.contains(device) }.keys)
      return copies[device] = (files.files(under: world.home), unsent)
    }
    var copy = kept.files
    let (before, whole) = (world.said(), try operations(device))
    let how = number(isProtected ? 3 : 4)
    let place = how == 0 ? world.home : world.root
    if how == 3 {
      let other = devices[1 - device].root
      copy = [:]
      for (path, bytes) in files.files(under: other) {
        copy[world.root + path.dropFirst(other.utf8.count)] = bytes
      }
    }
    copy = copy.filter { $0.key.hasPrefix("\(place)/") }
    if how > 1 { files.removeTree(FilePath(place)) }
    let extra = files.files(under: place).keys.filter { copy[$0] == nil }
    for path in extra { try files.unlink(FilePath(path)) }
    for (path, bytes) in copy {
      try files.createDirectories(FilePath(path).parent)
      try files.setBytes(path, bytes)
    }
    try devices[device].forgetLost(of: whole)
    devices[device].trace += ["put back", "\(how)"]
    if how > 1 { try devices[device].store("check").memory.firstOthers() }
    meet("put back")
    let after = devices[device].said()
    // Of what it changed itself some is lost. Of settings, of lists, and of where a record is, nobody can always tell
    // an earlier one from a change. And a store that is another directory begins anew. What the copy had not sent
    // counts as another machine's change, whatever this one made of it later.
    let changed = Set(before.changes(to: after))
    for part in changed.union(writers.keys).union(after.parts.keys) {
      let isOpen = how > 1 || part.record == nil || part.name.isEmpty
      let isList = UndoRules.lists.contains(part.name)
      let isNew = part.record.flatMap { before.records[$0] } == nil
      let isOwn = kept.unsent.contains(part) || writers[part]?.contains(device) == true
      if isOpen || isList || isNew || isOwn {
        writers[part] = [0, 1]
      } else if changed.contains(part) {
        writers[part] = [1 - device]
      }
    }
  }
}

// What must be true.
extension UndoPair {
  /// What only one device changed is as that device has it, whatever it and the other one exchange.
  private mutating func requireKept(_ before: Said, _ after: Said, of device: Int) {
    for part in before.changes(to: after) where writers[part] == [device] {
      // What was deleted comes back where the other one changed it, or left it to somebody.
      let isNeeded = writers.contains { other, devices in
        devices.contains(1 - device)
          && (other.record == part.record || other.record?.kind == .bequest)
      }
      let isLive = part.record.flatMap { after.records[$0]?.isLive } ?? false
      if part.name.isEmpty, isLive, isNeeded { continue }
      let isOpen = open.contains(part.record.map { .record($0) } ?? .settings)
      if isOpen, before.parts[part] == nil { continue }
      problems.append("\(part) is lost, which \(device) changed")
    }
  }

}
