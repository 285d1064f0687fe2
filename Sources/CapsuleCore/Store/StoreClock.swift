/// A clock that a store asks for the time: once at each public operation.
public struct StoreClock: Sendable {
  private let read: @Sendable () -> Instant

  /// Makes a clock of a function, such as one that gives a fixed time in a test.
  public init(_ read: @escaping @Sendable () -> Instant) {
    self.read = read
  }

  /// The time now, within the years that can be written.
  package var now: Instant { read().clamped }
}
