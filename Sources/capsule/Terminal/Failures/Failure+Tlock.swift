import CapsuleCore

extension Fault {
  /// A timelock that does not open, in words: each class another exit code.
  init(_ error: TlockError, source: String, _ session: Session) {
    let from = source.isEmpty ? "" : " from \(source)"
    switch error {
    case .beaconNeeded(_, let round):
      self.init(
        .unproven, "the beacon of round \(round) is needed", hint: "give it with '--beacon FILE'")
    case .notYet(let round, let time):
      var details: JSONObject = ["round": .integer(Int64(clamping: round))]
      let written = time.flatMap { $0.isRepresentable ? $0 : nil }
      InstantFields(zone: session.zone).add(written, as: "unlockAt", to: &details)
      if let time {
        details["secondsRemaining"] = .integer(max(0, time.seconds(since: session.now)))
      }
      self.init(
        .locked,
        "round \(round) is not signed yet" + (time.map { Self.words($0, session) } ?? ""),
        hint: nil, details: details)
    case .badSignature(let round):
      self.init(
        .unproven, "the beacon\(from) is not the signature of round \(round)",
        hint: "fetch it again: CHAIN/public/\(round) of any drand relay")
    case .otherRound(let wanted, let claimed):
      self.init(
        .unproven, "the beacon\(from) is of round \(claimed); round \(wanted) is needed",
        hint: "fetch the right one: CHAIN/public/\(wanted) of any drand relay")
    case .unknownChain(let hash):
      self.init(
        .key, "it is timelocked to the chain \(hash), which is not known here",
        hint: "give the chain's info: '--chain FILE'")
    case .damaged:
      self.init(.damaged, "the timelock is damaged", hint: "restore the file from a backup")
    }
  }

  /// Returns the words for the time of a round that is said not to be signed yet.
  private static func words(_ time: Instant, _ session: Session) -> String {
    guard time.isRepresentable else { return "; it will be after the year 9999" }
    let relative = session.dates.relative(time)
    return time > session.now
      ? "; it will be on \(session.dates.text(time)), \(relative)"
      : ", a relay says; by this machine's clock that was due \(relative)"
  }
}
