import CapsuleCore

/// What goes wrong at a call to a ``SimulatedFileSystem``, and at which.
struct SimulatedFault: Sendable {
  enum Effect: Hashable, Sendable {
    /// The call does nothing and fails with this `errno`.
    ///
    /// A synchronisation that fails has lost what it was to save: the next one succeeds, and does
    /// not save it either, as on Linux.
    case fail(Int32)
    /// The call does its work, and then fails with this `errno` (a network's lost answer).
    case failAfterwards(Int32)
    /// A read or write moves only half of the bytes; any other call is as ever.
    case short
    /// The call does nothing and says that it did: how a forgotten synchronisation is tried out.
    /// Only for calls without a result.
    case ignore
    /// The power goes, or the process is killed: this call does nothing, and it and every later one fail with
    /// ``SimulatedFileSystem/crashed``.
    case crash
  }

  /// The number of the call, from 1, counted since the log was last cleared; `nil` for any.
  var call: Int?
  var operation: FileRefusal.Operation?
  /// Bytes that the path, or the destination, has somewhere in it.
  var path: String?
  /// Which of the calls that the rest describes, from 1; `nil` for each.
  var occurrence: Int?
  var effect: Effect

  /// Whether every call from the `call`-th on is meant, and not only it.
  var isLasting = false
  /// The kinds of calls that are meant; `nil` for all.
  var operations: Set<FileRefusal.Operation>?

  /// What lasts from the `call`-th call on: a disk that is broken, full or no longer writable.
  static func from(
    _ call: Int, _ effect: Effect, on operations: Set<FileRefusal.Operation>? = nil
  ) -> SimulatedFault {
    SimulatedFault(call: call, effect: effect, isLasting: true, operations: operations)
  }

  /// A fault at the `call`-th call.
  static func at(_ call: Int, _ effect: Effect) -> SimulatedFault {
    SimulatedFault(call: call, effect: effect)
  }

  /// A fault at each call of a kind, or only at the `occurrence`-th.
  static func on(
    _ operation: FileRefusal.Operation, path: String? = nil, occurrence: Int? = nil,
    _ effect: Effect
  ) -> SimulatedFault {
    SimulatedFault(operation: operation, path: path, occurrence: occurrence, effect: effect)
  }

  /// Whether the fault's description fits a call, but for which occurrence it is.
  func describes(_ call: SimulatedCall) -> Bool {
    if let number = self.call, isLasting ? call.number < number : call.number != number {
      return false
    }
    if let operations, !operations.contains(call.operation) { return false }
    if let operation, operation != call.operation { return false }
    guard let path else { return true }
    return call.path.text.contains(path) || call.destination?.text.contains(path) == true
  }
}

/// One call to a ``SimulatedFileSystem``.
struct SimulatedCall: Hashable, Sendable, CustomStringConvertible {
  /// From 1.
  var number: Int
  var operation: FileRefusal.Operation
  var path: FilePath
  var destination: FilePath?

  var description: String {
    let second = destination.map { " -> \($0.text)" } ?? ""
    return "\(number) \(operation.rawValue) \(path.text)\(second)"
  }
}
