/// A clock that a store asks for the time: once at each public operation.
public struct StoreClock: Sendable {
  private let read: @Sendable () -> Instant
  private let readNanoseconds: @Sendable () -> Int64

  /// Makes a clock of a function, such as one that gives a fixed time in a test.
  public init(_ read: @escaping @Sendable () -> Instant) {
    self.init(read) { read().nanoseconds }
  }

  /// Makes a clock of two functions: one for the time of an operation, and one for the order in which
  /// records are made, in nanoseconds since 1970.
  package init(
    _ read: @escaping @Sendable () -> Instant,
    nanoseconds readNanoseconds: @escaping @Sendable () -> Int64
  ) {
    self.read = read
    self.readNanoseconds = readNanoseconds
  }

  /// The time now, within the years that can be written.
  package var now: Instant { read().clamped }

  /// The time now in nanoseconds since 1970, by which records made within one second are sorted.
  var nanoseconds: Int64 { readNanoseconds() }
}
