import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import CoreTestHelpers

/// The records that words mean, where there are many words, and where not every directory can be read.
@Suite struct RecordFinderTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let now = StoreScenario.now

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
    for (number, name) in [(0x21, "Ring"), (0x22, "Watch"), (0x23, "Lamp")] {
      try store.insert(
        Item(
          header: RecordHeader(id: StoreScenario.id(UInt8(number)), createdAt: now), name: name))
    }
  }

  private func refusal(_ word: String, _ kinds: [RecordKind] = [.item]) -> Fault? {
    var finder = RecordFinder(store, now: now)
    do throws(Fault) {
      _ = try finder.find(word, inTurn: kinds.map { [$0] })
      return nil
    } catch {
      return error
    }
  }

  @Test func `the directories are looked at once, however many words there are`() throws {
    var finder = RecordFinder(store, now: now)
    _ = try finder.find("Ring", among: [.item])
    files.plan()
    try expect(finder.find("Watch", among: [.item]).id, is: StoreScenario.id(0x22))
    try expect(finder.find("2300", among: [.item]).id, is: StoreScenario.id(0x23))
    expect(files.calls.filter { $0.path.text.hasPrefix("/s/items") }, is: [])
  }

  @Test func `what may lie in a directory that cannot be read is not called missing`() throws {
    files.plan([.on(.status, path: "/s/items/21", .fail(EACCES))])
    for word in ["Ring", "2100", StoreScenario.id(0x21).description] {
      guard let error = refusal(word, [.item, .event]), error.code == .io else {
        Issue.record("'\(word)' is called missing")
        continue
      }
      expect(error.errno, is: EACCES)
    }
    // What is found elsewhere is found, and what cannot lie there is missing.
    expect(refusal("Watch") == nil)
    guard refusal(StoreScenario.id(0x24).description)?.code == .noSuchRecord else {
      Issue.record("an id of another directory is not called missing")
      return
    }
  }

  @Test func `a bequest may be meant whose person cannot be listed`() throws {
    try store.insert(
      Beneficiary(
        header: RecordHeader(id: StoreScenario.id(0x31), createdAt: now), name: "Mia"))
    try store.insert(
      Bequest(
        header: RecordHeader(id: StoreScenario.id(0x41), createdAt: now),
        subject: RecordReference(.item, StoreScenario.id(0x21)),
        beneficiary: StoreScenario.id(0x31)))
    expect(refusal("Mia", [.bequest]) == nil)
    files.plan([.on(.status, path: "/s/beneficiaries/31", .fail(EACCES))])
    guard refusal("Mia", [.bequest])?.code == .io else {
      Issue.record("the bequest is called missing")
      return
    }
  }
}
