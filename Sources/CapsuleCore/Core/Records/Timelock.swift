/// The part of a lock that time lifts: a round of a drand chain (tlock).
public struct Timelock: Hashable, Sendable {
  /// The chain's hash: 64 hexadecimal digits.
  public private(set) var chain = ""
  /// The chain's public key (G2, compressed): 192 hexadecimal digits.
  public private(set) var publicKey = ""
  /// The time of round 1, in Unix seconds.
  public private(set) var genesis: Int64 = 0
  /// The group's hash at its genesis: hexadecimal digits.
  public private(set) var groupHash = ""
  /// The network's own name for the chain.
  public private(set) var beaconID = ""
  /// The seconds between two rounds.
  public private(set) var period: Int64 = 1
  /// The round whose beacon opens the lock.
  public private(set) var round: Int64 = 1
  /// The thing that is demanded besides the beacon: a passphrase, or recipients.
  public private(set) var inner: LockKind?
  /// Recipients that can lift the timelock early: the escrow.
  public private(set) var escrow: [String] = []
  /// The round's signature (G1, compressed), 96 hexadecimal digits, once known and verified.
  package var beacon: String?
  package private(set) var unknown: JSONObject = [:]
}

extension Timelock: RecordPart {
  package static var blank: Timelock { Timelock() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("chain", &chain)
    try coder.field("publicKey", &publicKey)
    try coder.field("genesis", &genesis)
    try coder.field("groupHash", &groupHash)
    try coder.field("beaconID", &beaconID)
    try coder.field("period", &period)
    try coder.field("round", &round)
    try coder.optional("inner", &inner)
    try coder.optional("escrow", &escrow)
    try coder.optional("beacon", &beacon)
    coder.rest(&unknown)
    if let inner, inner != .passphrase, inner != .recipients {
      return try coder.refuse("inner", .invalid(inner.rawValue))
    }
    guard period > 0 else { return try coder.refuse("period", .invalid(String(period))) }
    guard round > 0 else { return try coder.refuse("round", .invalid(String(round))) }
  }
}

extension Timelock {
  /// The time at which the round's beacon is published; the last instant there is where that is
  /// beyond 64 bits.
  public var roundTime: Instant {
    let (rounds, isTooLow) = round.subtractingReportingOverflow(1)
    let (elapsed, isTooLong) = rounds.multipliedReportingOverflow(by: period)
    let (time, isTooLate) = genesis.addingReportingOverflow(elapsed)
    return Instant(seconds: isTooLow || isTooLong || isTooLate ? .max : time)
  }

  /// Whether an unlock time was moved beyond the round: from the round's time on only the gate holds.
  package func isOnlyGated(until unlockAt: Instant) -> Bool { unlockAt > roundTime }
}

extension Capsule {
  /// The time from which it can be opened, as far as is known: its unlock time, and for a timelock
  /// no earlier than the round's time.
  package var dueAt: Instant {
    max(unlockAt, lock.timelock?.roundTime ?? unlockAt)
  }
}
