import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import CoreTestHelpers

/// Every system call of every change fails in every way, and the power goes at each: what was
/// acknowledged is there, anything else is wholly there or wholly absent, and work goes on.
@Suite struct StoreFaultTests {
  typealias Change = StoreScenario.Change

  private static let changing: Set<FileRefusal.Operation> = [
    .write, .truncate, .setMode, .createDirectory, .removeDirectory, .link, .rename, .unlink,
  ]

  /// What may go wrong at a call: once, or from then on.
  static func faults(at call: SimulatedCall) -> [SimulatedFault] {
    var effects: [SimulatedFault.Effect] = [
      .fail(EIO), .fail(ENOSPC), .fail(EDQUOT), .fail(EACCES), .fail(EROFS), .fail(EMFILE),
      .fail(EINTR), .fail(ESTALE), .short,
    ]
    // An opening that fails after it was done would leave a descriptor that nobody knows.
    if call.operation != .open { effects.append(.failAfterwards(EIO)) }
    return effects.map { .at(call.number, $0) } + [
      .from(call.number, .fail(EIO)), .from(call.number, .fail(EROFS), on: changing),
      .from(call.number, .fail(ENOSPC), on: [.write, .createDirectory, .link, .rename]),
    ]
  }

  /// The calls that are made again when a signal interrupts them.
  private static let retried: Set<FileRefusal.Operation> = [
    .open, .read, .write, .synchronize, .truncate, .lock,
  ]

  @Test(arguments: Change.allCases)
  func `whichever call fails, the change is there or it is not, and the store works on`(
    change: Change
  ) throws {
    let scenario = try StoreScenario(change)
    expect(scenario.before != scenario.after || change == .endDeletion)
    let stride = TestScale.count(full: 1, debug: 241)
    var turn = 0
    for call in scenario.calls {
      for fault in Self.faults(at: call) {
        turn += 1
        if turn % stride != 0 { continue }
        let files = SimulatedFileSystem(disk: scenario.base)
        files.plan([fault])
        let place: Comment = "\(change.rawValue): \(call): \(String(describing: fault))"
        var failure: (any Error)?
        do { try StoreScenario.perform(change, on: files) } catch { failure = error }
        expect(files.openCount, is: 0, place)
        let isHarmless =
          !fault.isLasting && call.path.text.hasPrefix("/cache") || fault.effect == .short
          || fault.effect == .fail(EINTR)
            && (Self.retried.contains(call.operation) || call.operation == .close)
        if isHarmless {
          expect(failure == nil, place)
        }
        files.plan()
        try judge(scenario, files, isAcknowledged: failure == nil, place)
      }
    }
  }

  @Test(arguments: Change.allCases)
  func `whenever the power goes, what was acknowledged is there and nothing is half there`(
    change: Change
  ) throws {
    let scenario = try StoreScenario(change)
    let seeds = TestScale.count(full: 60, debug: 1)
    let end = scenario.calls.count + 1
    // Each change begins at another call.
    let first = try require(Change.allCases.firstIndex(of: change)) * 3 + 1
    let numbers = stride(
      from: TestScale.count(full: 1, debug: first), to: end,
      by: TestScale.count(full: 1, debug: 37))
    for number in Array(numbers) + [end] {
      let files = SimulatedFileSystem(disk: scenario.base)
      files.plan([.at(number, .crash)])
      let isAcknowledged = (try? StoreScenario.perform(change, on: files)) != nil
      let cuts =
        [PowerCut.onlySynchronized, .everything]
        + (0..<seeds).map { seed in
          .random(seed: UInt64(seed * 1000 + number))
        }
      // The debug build's share: one kind of cut at each call, and all at the end.
      let share = TestScale.isFull || number == end ? cuts : [cuts[number % cuts.count]]
      for cut in share {
        let place: Comment = "\(change.rawValue): crash at \(number), \(String(describing: cut))"
        try judge(scenario, files.after(cut), isAcknowledged: isAcknowledged, place)
      }
    }
  }

  @Test(arguments: Change.allCases)
  func `what follows a killed process is safe once it is acknowledged`(change: Change) throws {
    let scenario = try StoreScenario(change)
    let seeds = TestScale.count(full: 20, debug: 1)
    let first = try require(Change.allCases.firstIndex(of: change)) * 4 + 1
    for number in stride(
      from: TestScale.count(full: 1, debug: first), through: scenario.calls.count,
      by: TestScale.count(full: 1, debug: 53))
    {
      let killed = SimulatedFileSystem(disk: scenario.base)
      killed.plan([.at(number, .crash)])
      _ = try? StoreScenario.perform(change, on: killed)
      let files = killed.afterKill()
      try insertNext(0x30, on: files)
      let path = StoreScenario.layout.record(.capsule, StoreScenario.id(0x30)).text
      let cuts = [PowerCut.onlySynchronized] + (0..<seeds).map { .random(seed: UInt64($0)) }
      for cut in cuts {
        let place: Comment = "\(change.rawValue): killed at \(number), \(String(describing: cut))"
        let after = files.after(cut)
        expect(after.bytes(path) != nil, place)
        try judge(scenario, after, isAcknowledged: nil, place)
      }
    }
  }

  /// How many synchronisations a change makes that one fault alone does not need: they end what an
  /// earlier process may have left, spare a second name in the trash, keep an intent that is done from being
  /// gone through again when its opposite was done since, or keep that of an undo of one record, which a killed
  /// process needs and a power cut does not.
  static let spare: [(Change, Int)] = [
    (.insert, 1), (.insertWithBlob, 2), (.addBlob, 1), (.update, 0), (.delete, 0), (.restore, 3),
    (.settings, 0), (.batch, 1), (.deleteTogether, 1), (.restoreTogether, 3), (.undo, 3),
    (.undoDeletion, 3), (.undoSettings, 1),
  ]

  @Test(arguments: spare)
  func `of the synchronisations that a change makes none can be left out`(
    change: Change, spare: Int
  ) throws {
    let scenario = try StoreScenario(change)
    var harmless: [String] = []
    for call in scenario.calls where call.operation == .synchronize {
      var isMissed = false
      // At the end what was acknowledged and is not safe shows first.
      let numbers = stride(
        from: scenario.calls.count + 1, through: call.number,
        by: TestScale.count(full: -1, debug: -2))
      for number in numbers where !isMissed {
        let files = SimulatedFileSystem(disk: scenario.base)
        files.plan([.at(call.number, .ignore), .at(number + 1, .crash)])
        let isAcknowledged = (try? StoreScenario.perform(change, on: files)) != nil
        for seed in 0..<TestScale.count(full: 20, debug: 1) where !isMissed {
          let after = files.after(seed == 0 ? .onlySynchronized : .random(seed: UInt64(seed)))
          let state = StoreScenario.state(after)
          let damage = try? StoreScenario.damage(after)
          isMissed =
            damage?.isEmpty != true
            || !(state == scenario.after || !isAcknowledged && isBefore(state, scenario))
        }
      }
      if !isMissed { harmless.append(call.description) }
    }
    expect(harmless.count, is: spare, "\(harmless)")
  }

  /// Kills an undo at each of its calls: it is done and listed, or it is neither.
  @Test(arguments: Change.allCases.filter { $0.undone != nil })
  func `a killed undo is done and known, or not begun`(change: Change) throws {
    let scenario = try StoreScenario(change)
    for number in stride(
      from: 1, through: scenario.calls.count, by: TestScale.count(full: 1, debug: 3))
    {
      let killed = SimulatedFileSystem(disk: scenario.base)
      killed.plan([.at(number, .crash)])
      _ = try? StoreScenario.perform(change, on: killed)
      let files = killed.afterKill()
      let place: Comment = "\(change.rawValue): killed at \(scenario.calls[number - 1])"
      let store = try require(try StoreScenario.open(files, seed: 6))
      let isDone = StoreScenario.state(files) == scenario.after
      expect(isDone || StoreScenario.state(files) == scenario.before, place)
      let line = OperationLine(try store.operations.all())
      let isRedo = change.undone?.isRedo == true
      expect(isRedo ? line.undone.isEmpty : !line.undone.isEmpty, is: isDone, place)
      // It can be taken up again, once.
      if !isDone {
        try StoreScenario.perform(change, on: files, seed: 9)
        expect(StoreScenario.state(files) == scenario.after, place)
      }
    }
  }

  /// Adds a record, in a process of its own.
  private func insertNext(_ number: UInt8, on files: SimulatedFileSystem) throws {
    let store = try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(files, seed: 77 + UInt64(number)),
      now: StoreScenario.now)
    try store.insert(StoreScenario.capsule(number))
  }

  /// Holds a disk to what must be true after any fault. Whether the change was acknowledged is `nil`
  /// where another came after it, and only what holds anyhow is asked.
  private func judge(
    _ scenario: StoreScenario, _ files: SimulatedFileSystem, isAcknowledged: Bool?, _ place: Comment
  ) throws {
    // Whoever opens the store goes through with what a killed process had begun.
    _ = try? StoreScenario.open(files, seed: 6)
    let state = StoreScenario.state(files)
    switch isAcknowledged {
    case nil: break
    case true?:
      expect(state, is: scenario.after, place)
    case false?:
      expect(state == scenario.after || isBefore(state, scenario), place)
    }
    let damage = try StoreScenario.damage(files)
    expect(
      damage.isEmpty || state != scenario.after && damage == scenario.problems,
      "\(place): \(damage)")
    try expectIndexAgrees(files, place)
    // The next command works, and again after two days, when it also sweeps what was left.
    for number: UInt8 in [0x31, 0x32] {
      try insertNext(number, on: files)
      files.withDisk { $0.clock.seconds += 2 * 86_400 }
    }
    try expectIndexAgrees(files, place)
    expect(files.files(under: "/s/tmp").isEmpty, place)
    expect(files.openCount, is: 0, place)
  }

  /// Whether a state is the one before the change; an interrupted first use may have made the store
  /// without its first record.
  private func isBefore(_ state: [String: [UInt8]], _ scenario: StoreScenario) -> Bool {
    if state == scenario.before { return true }
    guard scenario.change == .createStore else { return false }
    return state == scenario.after.filter { !$0.key.hasPrefix("/s/capsules/") }
  }

  private func expectIndexAgrees(_ files: SimulatedFileSystem, _ place: Comment) throws {
    guard let store = try StoreScenario.open(files, seed: 5) else { return }
    let now = Instant(seconds: files.withDisk { $0.clock.seconds })
    for kind in RecordKind.allCases {
      var index = store.index.open(kind, now: now)
      var listed: Set<String> = []
      index.forEach(.ascending) { entry in
        listed.insert(entry.id.description)
        return true
      }
      let live = files.files(under: "/s/\(kind.folder)").keys.compactMap { path in
        path.split(separator: "/").last?.split(separator: ".").first.map(String.init)
      }
      expect(listed, is: Set(live), place)
    }
  }
}
