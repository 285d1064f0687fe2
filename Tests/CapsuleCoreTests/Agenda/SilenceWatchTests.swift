import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// The way from the last check-in to silence.
@Suite struct SilenceWatchTests {
  private static let day: Int64 = 86_400
  private static let start = StoreScenario.now
  private static let witness = RecordID(high: 1, low: 1)

  private static func terms() -> SilenceSwitch {
    var terms = SilenceSwitch()
    terms.witnesses = [witness]
    return terms
  }

  /// An owner who checked in at the start, and a machine that looks.
  private struct Machine {
    var terms = SilenceWatchTests.terms()
    var checkIns = CheckIns([SilenceWatchTests.start])
    var log = SilenceLog()
    var isEnded = false

    func watch(_ now: Instant) -> SilenceWatch {
      SilenceWatch(terms, checkIns, isEnded: isEnded, log: log, now: now)
    }

    func watch(day: Double) -> SilenceWatch { watch(SilenceWatchTests.instant(day)) }

    func state(day: Double) -> SilenceWatch.State { watch(day: day).state }

    /// Looks, and announces what there is.
    ///
    /// - Parameter isHandedOver: whether a message arrives.
    /// - Returns: what was to be announced, with those to whom.
    mutating func look(
      _ now: Instant, isHandedOver: (RecordID?) -> Bool = { _ in true }
    ) -> (step: SilenceStep, told: [RecordID?])? {
      let watch = watch(now)
      if watch.isLookOwed { log.add(SilenceLog.Look(base: watch.base, at: now)) }
      guard let step = watch.step else { return nil }
      let all: [RecordID?] =
        switch step {
        case .due, .warned, .resumed: [nil]
        case .grace: [nil, SilenceWatchTests.witness]
        case .silent: [SilenceWatchTests.witness]
        }
      let told = all.filter { !watch.isAnnounced(to: $0) && isHandedOver($0) }
      for person in told { log.add(watch.note(step, to: person, at: now)) }
      return told.isEmpty ? nil : (step, told)
    }

    mutating func look(day: Double) -> SilenceStep? { look(SilenceWatchTests.instant(day))?.step }
  }

  private static func instant(_ days: Double) -> Instant {
    start.adding(seconds: Int64(days * Double(day)))
  }

  // A second, in days.
  private let second = 1 / 86_400.0

  @Test func `where all check-ins are to come, silence is counted from the first look`() {
    var machine = Machine()
    machine.checkIns = CheckIns([Self.instant(4000)])
    expect(machine.watch(day: 0).isLookOwed)
    expect(machine.look(day: 0) == nil)
    expect(!machine.watch(day: 1).isLookOwed)
    expect(machine.state(day: 30 - second), is: .alive)
    expect(machine.look(day: 30), is: .due)
    expect(machine.watch(day: 30).base, is: Self.start)
    // A check-in counts from then on.
    machine.checkIns.add(Self.instant(31))
    expect(machine.watch(day: 32).base, is: Self.instant(31))
    expect(!machine.watch(day: 32).isLookOwed)
  }

  @Test func `each state begins at its second, and each step is announced once`() {
    var machine = Machine()
    expect(machine.state(day: 30 - second), is: .alive)
    expect(machine.state(day: 30), is: .due)
    expect(machine.watch(day: 12).next, is: .init(state: .due, at: Self.instant(30)))
    expect(machine.look(day: 30), is: .due)
    expect(machine.look(day: 31) == nil)
    expect(machine.state(day: 37 - second), is: .due)
    expect(machine.state(day: 37), is: .warned)
    expect(machine.look(day: 37), is: .warned)
    expect(machine.state(day: 37), is: .grace)
    expect(machine.look(day: 38 - second) == nil)
    expect(machine.look(day: 38), is: .grace)
    expect(machine.look(day: 39) == nil)
    expect(machine.watch(day: 40).next, is: .init(state: .silent, at: Self.instant(58)))
    expect(machine.state(day: 58 - second), is: .grace)
    expect(machine.look(day: 58), is: .silent)
    expect((59..<4000).allSatisfy { machine.look(day: Double($0)) == nil })
    expect(machine.state(day: 4000), is: .silent)
  }

  @Test func `no grace begins before a warning was handed over`() {
    var machine = Machine()
    for day in 30..<400 {
      expect(machine.look(Self.instant(Double(day))) { _ in false } == nil)
    }
    expect(machine.state(day: 400), is: .warned)
    expect(machine.watch(day: 400).next == nil)
    expect(machine.look(day: 400), is: .warned)
    expect(machine.watch(day: 400).next?.at, is: Self.instant(421))
  }

  @Test func `a person who could not be told is told later, and nobody twice`() {
    var machine = Machine()
    _ = machine.look(day: 37)
    let first = machine.look(Self.instant(38)) { $0 == nil }
    expect(first?.told, is: [nil])
    let second = machine.look(Self.instant(38.5))
    expect(second?.step == .grace && second?.told == [Self.witness])
    expect(machine.look(day: 39) == nil)
  }

  @Test func `a check-in ends it at any time, and the next silence is announced anew`() {
    for last in [31.0, 37, 40, 60, 300] {
      var machine = Machine()
      var day = 30.0
      while day <= last {
        _ = machine.look(day: day)
        day += 0.5
      }
      machine.checkIns.add(Self.instant(last))
      expect(machine.state(day: last), is: .alive)
      expect(machine.look(day: last) == nil)
      expect(machine.look(day: last + 30), is: .due)
    }
  }

  @Test func `a machine that slept through everything announces the present state, and waits`() {
    var machine = Machine()
    expect(machine.look(day: 300), is: .warned)
    expect(machine.look(day: 300) == nil)
    expect(machine.watch(day: 300).next?.at, is: Self.instant(321))
  }

  @Test func `where the witnesses were not told in the grace, they are before it can end`() {
    var machine = Machine()
    _ = machine.look(day: 37)
    expect(machine.look(day: 60), is: .grace)
    expect(machine.watch(day: 60).next?.at, is: Self.instant(81))
    expect(machine.look(day: 70) == nil)
    expect(machine.look(day: 81), is: .silent)
  }

  @Test func `a sleep longer than a grace, or a clock that jumped, begins another`() {
    var machine = Machine()
    for day in [37.0, 38, 40] { _ = machine.look(day: day) }
    expect(machine.state(day: 400), is: .warned)
    expect(machine.look(day: 400), is: .warned)
    expect(machine.state(day: 421 - second), is: .grace)
    // The clock is set right again: the first warning counts as before.
    expect(machine.watch(day: 41).next?.at, is: Self.instant(58))
  }

  @Test func `a check-in of a clock that was ahead does not count, and hides none`() {
    var machine = Machine()
    machine.checkIns.add(Self.instant(4000))
    expect(machine.state(day: 31), is: .due)
    machine.checkIns.add(Self.instant(32))
    expect(machine.state(day: 33), is: .alive)
    for day in 33..<60 { machine.checkIns.add(Self.instant(Double(day))) }
    expect(machine.checkIns.latest(asOf: Self.instant(59)), is: Self.instant(59))
    expect(machine.checkIns.times.count <= 16)
    // A clock that fell back to before all of them alarms nobody.
    expect(machine.watch(day: -3000).state, is: .alive)
  }

  @Test func `check-ins of two machines count by the latest, in whatever order they come`() {
    let times = [3, 9, 5].map { Self.instant($0) }
    for order in [times, times.reversed()] {
      let checkIns = CheckIns(order)
      expect(checkIns.latest(asOf: Self.instant(20)), is: Self.instant(9))
      expect(checkIns.latest(asOf: Self.instant(6)), is: Self.instant(5))
    }
  }

  @Test func `in a pause nothing is counted, its end is announced, and silence counts from it`() {
    var machine = Machine()
    machine.terms.pausedUntil = Self.instant(100)
    expect(machine.state(day: 99), is: .paused)
    expect(machine.watch(day: 99).next, is: .init(state: .alive, at: Self.instant(100)))
    expect(machine.look(day: 99) == nil)
    expect(machine.look(day: 100), is: .resumed)
    expect(machine.look(day: 101) == nil)
    expect(machine.state(day: 130 - second), is: .alive)
    expect(machine.look(day: 130), is: .due)
  }

  @Test func `a pause that was slept through is not announced beside what is due`() {
    var machine = Machine()
    machine.terms.pausedUntil = Self.instant(100)
    expect(machine.look(day: 131), is: .due)
    machine.checkIns.add(Self.instant(132))
    expect(machine.look(day: 132) == nil)
  }

  @Test func `a declared passing ends it`() {
    var machine = Machine()
    machine.isEnded = true
    for day in [1.0, 31, 40, 4000] {
      expect(machine.state(day: day), is: .ended)
      expect(machine.look(day: day) == nil)
    }
  }

  @Test func `spans beyond the calendar are never over`() {
    var machine = Machine()
    machine.terms.every = CalendarDuration(years: 1_000_000_000_000)
    expect(machine.state(day: 1_000_000), is: .alive)
  }

  // MARK: Ten years

  private struct Told {
    let step: SilenceStep
    let person: RecordID?
    let base: Instant
    /// The true time, in seconds.
    let at: Int64
  }

  /// Ten years of a machine that sleeps, whose clock jumps, and whose messages fail, of an owner who
  /// checks in as people do, and who dies or does not.
  private static func tenYears(seed: UInt64, jumps: Bool, longSleeps: Bool) -> (
    told: [Told], diedAt: Int64, machine: Machine, graces: Int
  ) {
    var random = SeededGenerator(seed: seed)
    var machine = Machine()
    var told: [Told] = []
    let end = 3650 * day
    let diedAt = Int64.random(in: 0...(end * 3 / 2), using: &random)
    var (time, offset, offsetEnds) = (Int64(0), Int64(0), Int64.max)
    var nextCheckIn = 20 * day
    var graces = 0
    while time < end {
      // The next look: each day, or after a sleep.
      var pause = day
      if Int.random(in: 0..<30, using: &random) == 0 {
        pause = Int64.random(in: day...((longSleeps ? 200 : 20) * day), using: &random)
      }
      time += pause
      if jumps, offset == 0, Int.random(in: 0..<150, using: &random) == 0 {
        let size = Int64.random(in: (60 * day)...(5000 * day), using: &random)
        offset = Bool.random(using: &random) ? size : -size
        offsetEnds = time + Int64.random(in: 0...(40 * day), using: &random)
      } else if time >= offsetEnds {
        (offset, offsetEnds) = (0, .max)
      }
      let now = start.adding(seconds: time + offset)
      if time >= nextCheckIn, time < diedAt {
        machine.checkIns.add(now)
        nextCheckIn = time + Int64.random(in: day...(80 * day), using: &random)
      }
      let before = machine.watch(now)
      let handed = machine.look(now) { _ in Int.random(in: 0..<4, using: &random) != 0 }
      for person in handed?.told ?? [] {
        told.append(Told(step: handed?.step ?? .due, person: person, base: before.base, at: time))
      }
      if handed?.step == .warned { graces += 1 }
    }
    return (told, diedAt, machine, graces)
  }

  @Test(arguments: 0..<TestScale.count(full: 200, debug: 4))
  func `in ten years of sleeps and wrong clocks no silence comes before a whole true grace`(
    seed: Int
  ) {
    let life = Self.tenYears(seed: UInt64(seed), jumps: true, longSleeps: true)
    expect(life.graces > 0)
    for told in life.told where told.step == .silent {
      let warnings = life.told.filter { $0.step == .warned && $0.base == told.base }
      expect(warnings.contains { $0.at <= told.at - 21 * Self.day })
      expect(
        life.told.contains {
          $0.step == .grace && $0.base == told.base && $0.at < told.at
        })
    }
    for told in life.told where told.step == .grace {
      let warnings = life.told.filter { $0.step == .warned && $0.base == told.base }
      expect(warnings.contains { $0.at <= told.at - Self.day })
    }
  }

  @Test(arguments: 0..<TestScale.count(full: 200, debug: 4))
  func `with a right clock each step is announced once, and death is noticed in time`(
    seed: Int
  ) {
    let life = Self.tenYears(seed: UInt64(seed), jumps: false, longSleeps: false)
    var seen = Set<String>()
    for told in life.told {
      let key = "\(told.step) \(told.person?.description ?? "owner") \(told.base.seconds)"
      expect(seen.insert(key).inserted, "\(key)")
    }
    // The steps and the longest sleeps in between.
    if life.diedAt + (30 + 7 + 21 + 1 + 8 * 20) * Self.day < 3650 * Self.day {
      let last = life.machine.checkIns.times.last
      expect(life.told.contains { $0.step == .silent && $0.base == last })
    }
  }
}
