// What the sources use of the module of this name, for `Scripts/check-darwin`: the one of Linux needs Linux's C library.

public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  public init(_ initialValue: consuming sending Value) {}

  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result { fatalError() }
}

public struct AtomicUpdateOrdering {
  public static var relaxed: AtomicUpdateOrdering { AtomicUpdateOrdering() }
}

public struct Atomic<Value: FixedWidthInteger>: ~Copyable, @unchecked Sendable {
  public init(_ initialValue: consuming Value) {}

  @discardableResult
  public borrowing func wrappingAdd(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) { fatalError() }
}
