import CapsuleCore

extension Fault {
  /// An unlock time that was to move earlier.
  static func neverEarlier(_ from: String, _ to: String, _ unlockAt: Instant) -> Fault {
    Fault(
      .refused,
      "the unlock time cannot move earlier: it is \(from), and \(to) is before",
      hint: "a capsule opens no earlier than it was promised; only later",
      details: ["unlockAt": .string(unlockAt.rfc3339)])
  }
}
