import CapsuleCore

extension Session {
  /// Returns how long ago something was; `nil` where the clock stood later then than it does now, and
  /// there is nothing that could be said of it.
  func wordsAgo(_ instant: Instant, at now: Instant) -> String? {
    instant <= now ? RelativeText.words(instant, from: now, in: zone) : nil
  }

  /// Returns since when a capsule is sealed: `it was sealed 2 days ago`.
  func sealedWords(_ instant: Instant, at now: Instant) -> String {
    wordsAgo(instant, at: now).map { "it was sealed \($0)" }
      ?? "its record says that it was sealed later than now, on \(dateTime(instant))"
  }
}
