/// The proof that the gate let a capsule through; only the gate makes one.
///
/// Every function that yields plaintext of a capsule takes it, so none can be called without.
package struct GatePass: Hashable, Sendable {
  /// The unlock time that has come.
  package let unlock: Instant

  fileprivate init(unlock: Instant) {
    self.unlock = unlock
  }
}

package enum GateDecision: Hashable, Sendable {
  /// The unlock time has not come; `remaining` seconds are left, at least 1.
  case locked(until: Instant, remaining: Int64)
  /// The unlock time came at `since`.
  case unlocked(GatePass, since: Instant)
}

/// The rule that decides, from the unlock time and now, whether a capsule's contents come out. It
/// has no override.
package enum UnlockGate {
  /// Decides by the later of the clock and of a time that is proven otherwise, such as by a beacon: so
  /// a clock that was set back does not lock a capsule again.
  package static func decide(
    unlock: Instant, now: Instant, provenTime: ProvenTime? = nil
  ) -> GateDecision {
    let now = max(now, provenTime?.instant ?? now)
    if now >= unlock { return .unlocked(GatePass(unlock: unlock), since: unlock) }
    return .locked(until: unlock, remaining: unlock.seconds(since: now))
  }
}
