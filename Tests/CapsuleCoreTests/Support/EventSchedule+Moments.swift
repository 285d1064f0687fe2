@testable package import CapsuleCore

extension EventSchedule {
  /// All occurrences, from the first on.
  package var moments: some Sequence<Moment> {
    walk(notOverAt: .earliest).lazy.map(\.moment)
  }

  /// Returns the state that the first occurrence gives.
  package func state(at now: Instant) -> EventState? { first.map { state(of: $0, at: now) } }

  /// Returns an occurrence by its number, 0 being the first.
  package func occurrence(_ number: Int) -> Moment? {
    guard number >= 0 else { return nil }
    return Array(moments.prefix(number + 1)).dropFirst(number).first
  }
}
