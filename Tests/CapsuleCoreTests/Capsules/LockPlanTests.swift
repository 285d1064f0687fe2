import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A lock as it is asked for: what goes together, and where trustees stand.
@Suite struct LockPlanTests {
  private let instant = Instant(seconds: 1_900_000_000)
  private let passphrase: ScryptRecipient
  private let one: AgeRecipient
  private let other: AgeRecipient
  private let group: VouchedTrustees

  init() throws {
    let secret = try require(Passphrase(SecretBytes(copying: Array("secret".utf8))))
    passphrase = ScryptRecipient(secret, workFactor: 1)
    one = try AgeIdentity(isPostQuantum: false, random: .system).recipient
    other = try AgeIdentity(isPostQuantum: false, random: .system).recipient
    let store = try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(SimulatedFileSystem(), seed: 7), now: instant)
    group = try store.vouched(other)
  }

  private func plan(
    passphrase: Bool = false, recipients: [AgeRecipient] = [], trustees: Bool = false,
    timelock: Bool = false, and: Bool = false, postQuantum: Bool = false
  ) -> LockPlan {
    var plan = LockPlan(isPostQuantum: postQuantum)
    plan.usesPassphrase = passphrase
    plan.recipients = recipients
    plan.trustees = trustees ? group : nil
    plan.isTimelocked = timelock
    plan.asksForTrustees = and
    return plan
  }

  private func request(_ plan: LockPlan, escrow: [AgeRecipient] = []) throws -> LockRequest {
    try plan.request(
      passphrase: plan.usesPassphrase ? passphrase : nil,
      timelock: plan.isTimelocked ? (.quicknet, instant, escrow) : nil)
  }

  private func keys(_ layers: [[any Recipient]]) -> [[String]] {
    layers.map { layer in
      layer.map { recipient in
        switch recipient {
        case is ScryptRecipient: "passphrase"
        case is TlockRecipient: "date"
        case let key as AgeRecipient: key == one ? "one" : "other"
        default: "?"
        }
      }
    }
  }

  @Test func `nothing that is asked for is honor`() throws {
    let request = try request(plan())
    expect(request.kind == .honor && request.layers.isEmpty && request.spareLayers.isEmpty)
  }

  @Test func `trustees are a spare, an escrow, or one more recipient`() throws {
    let spare = try request(plan(passphrase: true, trustees: true))
    expect(spare.kind, is: .passphrase)
    expect(keys(spare.layers) == [["passphrase"]] && keys(spare.spareLayers) == [["other"]])
    let escrow = try request(plan(trustees: true, timelock: true))
    expect(keys(escrow.layers) == [["date", "other"]] && escrow.spareLayers.isEmpty)
    expect(escrow.timelock?.escrow == [other.description] && escrow.timelock?.inner == nil)
    let both = try request(plan(trustees: true, timelock: true, and: true))
    expect(keys(both.layers), is: [["date"], ["other"]])
    expect(both.timelock?.inner == .recipients && both.timelock?.escrow == [])
    let more = try request(plan(recipients: [one], trustees: true))
    expect(more.kind == .recipients && keys(more.layers) == [["one", "other"]])
  }

  @Test func `a timelock stands around a lock and its spare`() throws {
    let request = try request(
      plan(passphrase: true, trustees: true, timelock: true), escrow: [one])
    expect(request.kind == .timelock && request.timelock?.inner == .passphrase)
    expect(keys(request.layers), is: [["date", "one"], ["passphrase"]])
    expect(keys(request.spareLayers), is: [["date", "one"], ["other"]])
    expect(request.timelock?.escrow, is: [one.description])
  }

  @Test func `what would open it alone, or weaken it, is refused`() {
    expect(throws: Fault.passphraseBesideRecipients) {
      try plan(passphrase: true, recipients: [one]).requirePossible()
    }
    expect(throws: Fault.weakTrustees(name: "family")) {
      try request(plan(passphrase: true, trustees: true, postQuantum: true))
    }
    expect(throws: Never.self) {
      try request(plan(recipients: [one], trustees: true, postQuantum: true))
    }
  }

  @Test func `an escrow who is a recipient too is found`() {
    expect(plan(recipients: [one], timelock: true).recipient(among: [other, one]), is: one)
    expect(plan(recipients: [one], timelock: true).recipient(among: [other]) == nil)
    let both = plan(trustees: true, timelock: true, and: true)
    expect(both.recipient(among: [other]), is: other)
    expect(plan(trustees: true, timelock: true).recipient(among: [other]) == nil)
  }
}
