import CapsuleCore

/// The facts that are printed about a timelock: its round, its chain, its time, and what it does
/// not promise.
struct TimelockView {
  private let timelock: Timelock
  private let unlockAt: Instant
  private let session: Session

  init(_ timelock: Timelock, unlockAt: Instant, _ session: Session) {
    self.timelock = timelock
    self.unlockAt = unlockAt
    self.session = session
  }

  private var isOnlyGated: Bool { timelock.isOnlyGated(until: unlockAt) }

  var members: JSONObject {
    var members: JSONObject = [
      "chain": .string(timelock.chain), "beaconID": .string(timelock.beaconID),
      "round": .integer(timelock.round), "period": .integer(timelock.period),
      "inner": timelock.inner.map { .string($0.rawValue) } ?? .null,
      "escrow": .array(timelock.escrow.map { .string($0) }),
      "beacon": timelock.beacon.map { .string($0) } ?? .null,
      "isOnlyGatedFromRound": .bool(isOnlyGated),
    ]
    InstantFields(zone: session.zone).add(timelock.roundTime, as: "roundAt", to: &members)
    return members
  }

  /// - Parameter promises: whether the record is what was written, and agrees with its lock.
  func lines(promising promises: Bool) -> [(String, String)] {
    var lines = [
      (
        "Round",
        "\(timelock.round) of \(timelock.beaconID), expected \(session.dates.text(timelock.roundTime))"
      ),
      ("Chain", timelock.chain),
    ]
    if let inner = timelock.inner {
      lines.append(("Inside", "\(inner.rawValue): needed besides the beacon"))
    }
    for recipient in timelock.escrow {
      lines.append(
        ("Escrow", "\(RecipientText.shortened(recipient)) can lift the timelock at any time"))
    }
    if timelock.beacon != nil {
      lines.append(("Beacon", "kept here: it opens without the network"))
    }
    if isOnlyGated {
      lines.append(
        ("Note", "the unlock time was moved later: from the round's time on only the gate holds"))
    }
    lines.append(
      (
        "Promise",
        !promises
          ? "none: the record is not what was written, and says nothing sure of who can open it"
          : timelock.escrow.isEmpty
            ? "nobody opens it before that round is signed, as long as the network keeps its secret"
            : "nobody but the escrow opens it before that round is signed, as long as the network "
              + "keeps its secret"
      ))
    lines.append(
      (
        "No promise",
        "that the network is still there then, or against quantum computers"
      ))
    return lines
  }
}
