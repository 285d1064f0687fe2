/// The part of a lock that time lifts: a round of a drand chain (tlock).
public struct Timelock: Hashable, Sendable {
  /// The chain's hash: 64 hexadecimal digits.
  public let chain: String
  /// The chain's public key (G2, compressed): 192 hexadecimal digits.
  public let publicKey: String
  /// Unix time of round 1.
  public let genesis: Int64
  /// The group's hash at its genesis: hexadecimal digits.
  public let groupHash: String
  /// The network's own name for the chain.
  public let beaconID: String
  /// Seconds between two rounds.
  public let period: Int64
  /// The round whose beacon opens the lock.
  public let round: Int64
  /// What is demanded besides the beacon: a passphrase, or recipients.
  public let inner: LockKind?
  /// Recipients that can lift the timelock early: the escrow.
  public let escrow: [String]
  /// The round's signature (G1, compressed), 96 hexadecimal digits, once known and verified.
  public var beacon: String?
  package let unknown: JSONObject

  package init(
    chain: String, publicKey: String, genesis: Int64, groupHash: String, beaconID: String,
    period: Int64, round: Int64, inner: LockKind?, escrow: [String], beacon: String? = nil
  ) {
    self.chain = chain
    self.publicKey = publicKey
    self.genesis = genesis
    self.groupHash = groupHash
    self.beaconID = beaconID
    self.period = period
    self.round = round
    self.inner = inner
    self.escrow = escrow
    self.beacon = beacon
    unknown = [:]
  }
}

extension Timelock: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    chain = try reader.string("chain")
    publicKey = try reader.string("publicKey")
    genesis = try reader.integer("genesis")
    groupHash = try reader.string("groupHash")
    beaconID = try reader.string("beaconID")
    period = try reader.integer("period")
    round = try reader.integer("round")
    if let text = try reader.optionalString("inner") {
      guard let kind = LockKind(rawValue: text), kind == .passphrase || kind == .recipients else {
        throw reader.error("inner", .invalid(text))
      }
      inner = kind
    } else {
      inner = nil
    }
    escrow = try reader.optionalStrings("escrow") ?? []
    beacon = try reader.optionalString("beacon")
    unknown = reader.rest
    guard period > 0 else { throw reader.error("period", .invalid(String(period))) }
    guard round > 0 else { throw reader.error("round", .invalid(String(round))) }
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["chain"] = .string(chain)
    fields["publicKey"] = .string(publicKey)
    fields["genesis"] = .integer(genesis)
    fields["groupHash"] = .string(groupHash)
    fields["beaconID"] = .string(beaconID)
    fields["period"] = .integer(period)
    fields["round"] = .integer(round)
    fields["inner"] = inner.map { .string($0.rawValue) } ?? .null
    fields["escrow"] = .array(escrow.map { .string($0) })
    fields["beacon"] = beacon.map { .string($0) } ?? .null
    return fields
  }
}

extension Timelock {
  /// When the round's beacon is published; the last instant there is where that is beyond 64 bits.
  public var roundTime: Instant {
    let (elapsed, isTooLong) = (round - 1).multipliedReportingOverflow(by: period)
    let (time, isTooLate) = genesis.addingReportingOverflow(elapsed)
    return Instant(seconds: isTooLong || isTooLate ? .max : time)
  }
}

extension Capsule {
  /// When it can be opened as far as is known: its unlock time, and for a timelock no earlier than
  /// the round's time.
  package var dueAt: Instant {
    max(unlockAt, lock.timelock?.roundTime ?? unlockAt)
  }
}
