import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct KnownChainsTests {
  private static let now = Instant(seconds: 1_700_100_000)
  private let files = SimulatedFileSystem()
  private let own: OwnChain
  private let store: Store

  init() throws {
    own = try OwnChain()
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 7),
      now: Self.now)
  }

  private func chains(_ named: TlockChain...) -> KnownChains {
    KnownChains(StoreScenario.environment(files, seed: 1), named: named)
  }

  private func create(_ lock: LockRequest) throws -> StoredRecord<Capsule> {
    let capsule = try store.capsules.create(
      NewCapsule(
        title: "C", notes: "", tags: [], unlockAt: Instant(seconds: 1_800_000_000),
        unlockZone: "UTC", lock: lock, sources: []),
      limit: 1 << 20, now: Self.now)
    return try store.read(Capsule.self, capsule.id)
  }

  private func timelock(_ own: OwnChain) throws -> LockRequest {
    try .timelock(until: Instant(seconds: 1_800_000_000), chainInfo: Array(own.info.utf8))
  }

  @Test func `a beacon proves the time of quicknet, of a named chain, and of one sealed to`() throws
  {
    let beacon = try own.beacon(7)
    let time = try require(beacon.time)
    expect(
      chains().time(provenBy: try TlockVectors.beacon("quicknet", round: 1000))?.instant,
      is: TlockChain.quicknet.time(ofRound: 1000))
    expect(chains().time(provenBy: beacon) == nil)
    expect(chains(own.chain).time(provenBy: beacon)?.instant, is: time)
    expect(chains(try OwnChain(secret: 815).chain).time(provenBy: beacon) == nil)
    expect(chains().time(provenBy: beacon) == nil)
    _ = try create(timelock(own))
    expect(chains().time(provenBy: beacon)?.instant, is: time)
  }

  @Test func `a chain is kept once, and quicknet is not kept`() throws {
    for lock in [try timelock(own), try timelock(own), try .timelock(until: Self.now)] {
      _ = try create(lock)
    }
    let lines = try DeviceMemory(StoreScenario.environment(files, seed: 1), "pins").lines()
    let key = Hex.encode(own.chain.publicKey.encoded)
    expect(lines.filter { $0.first == "chain" }, is: [["chain", own.hash, key]])
  }

  @Test func `a second chain with the public key of a kept one is refused, also to seal to`() throws
  {
    let other = try OwnChain(genesis: 221_845_392_000)
    try chains().requireOwnKey(of: other.chain)
    _ = try create(timelock(own))
    try chains().requireOwnKey(of: own.chain)
    expect(throws: TlockChainProblem.keyTaken(by: own.hash)) {
      try chains().requireOwnKey(of: other.chain)
    }
    let error = expect(throws: Fault.self) { try create(timelock(other)) }
    expect(error?.code, is: .invalidCapsule)
    expect(error?.description.contains("'lock.timelock.publicKey'") == true)
    expect(chains(other.chain).time(provenBy: try own.beacon(1)) != nil)
  }

  @Test func `the library opens by a beacon of a chain that the caller names`() throws {
    let record = try create(timelock(own))
    let round = try require(record.model.lock.timelock).roundNumber
    try files.unlink(FilePath("/state/pins"))
    let store = try require(try StoreScenario.open(files, seed: 8))
    let signature = try own.signature(round)
    let keys = try Keys(identities: [], beacon: signature)
    do throws(Fault) {
      _ = try store.open(record.model.id, with: keys)
      Issue.record("it opened by the beacon of an unknown chain")
    } catch {
      guard case .unknownChain(own.hash, Instant(seconds: 1_800_000_000))? = error.opening else {
        Issue.record("\(error)")
        return
      }
    }
    let named = try Keys(
      identities: [], beacon: signature, chainInfo: Array(own.info.utf8))
    _ = try store.open(record.model.id, with: named)
    expect(throws: Fault.noChainInfo) {
      try Keys(identities: [], chainInfo: Array(ChainInfo.forged.text.utf8))
    }
  }

  @Test func `a record that names quicknet's key with other parameters names no chain`() throws {
    let timelock = try Timelock(fields: ChainInfo.forged.timelock(round: 1000))
    expect(throws: FieldError.self) { try timelock.recordedChain() }
  }
}
