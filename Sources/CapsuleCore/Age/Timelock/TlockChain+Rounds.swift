extension TlockChain {
  /// Returns the first round whose signature is published at the instant or later: never an earlier
  /// one.
  package func round(at instant: Instant) -> UInt64 {
    guard instant > genesis else { return 1 }
    // Both are at least 0 here, so that neither the difference nor the sums can overflow.
    let elapsed = UInt64(instant.seconds - genesis.seconds)
    return (elapsed + UInt64(period) - 1) / UInt64(period) + 1
  }

  /// Returns the time at which the first round at the instant or later is published.
  package func roundTime(at instant: Instant) throws(RoundOutOfRange) -> Instant {
    guard let time = time(ofRound: round(at: instant)), time.isRepresentable else {
      throw RoundOutOfRange()
    }
    return time
  }

  /// Returns the time at which a round's signature is published; `nil` for round 0, which nobody
  /// signs, and for a time beyond 64 bits.
  package func time(ofRound round: UInt64) -> Instant? {
    guard round > 0 else { return nil }
    let (elapsed, isTooLong) = (round - 1).multipliedReportingOverflow(by: UInt64(period))
    guard !isTooLong, let seconds = Int64(exactly: elapsed) else { return nil }
    let (time, isTooLate) = genesis.seconds.addingReportingOverflow(seconds)
    return isTooLate ? nil : Instant(seconds: time)
  }
}

/// A round is published after the year 9999, which nothing can say.
package struct RoundOutOfRange: Error, Hashable, Sendable {}
