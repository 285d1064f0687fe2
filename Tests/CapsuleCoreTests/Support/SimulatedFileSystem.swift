import CapsuleCore
import CapsulePlatform
import Synchronization

/// A file system in memory that knows what a power cut would leave of it, writes down every call,
/// and fails where it is told to.
///
/// A file's bytes, mode and time are safe once its descriptor is synchronised; a directory's entries
/// (what was created, linked, renamed, removed) once the directory is. A rename is one step: where
/// the old name is gone, the new one is there. Several "processes" share one: each has the
/// descriptors that it opened, and `flock` is between descriptors.
final class SimulatedFileSystem: FileSystem {
  /// The code of every call after a ``SimulatedFault/Effect/crash``.
  static let crashed: Int32 = -2

  let state: Mutex<State>

  struct State: Sendable {
    var disk: SimulatedDisk
    var open: [Int32: OpenFile] = [:]
    var nextDescriptor: Int32 = 3
    var calls: [SimulatedCall] = []
    var faults: [SimulatedFault] = []
    var isCrashed = false
    /// The most descriptors that may be open at once.
    var descriptorLimit = 1024
  }

  struct OpenFile: Sendable {
    var node: Int
    var offset = 0
    var canRead: Bool
    var canWrite: Bool
    var appends: Bool
  }

  /// An empty file system, with `/` and nothing in it.
  init(disk: SimulatedDisk = SimulatedDisk()) {
    state = Mutex(State(disk: disk))
  }

  /// A file system that has become of this one by now, after a power cut; this one stays as it is.
  func after(_ cut: PowerCut) -> SimulatedFileSystem {
    SimulatedFileSystem(disk: state.withLock { $0.disk.after(cut) })
  }

  /// This file system for the next process, after one that used it was killed: nothing is lost, and
  /// nothing is safer than it was.
  func afterKill() -> SimulatedFileSystem {
    var disk = state.withLock { $0.disk }
    for number in disk.nodes.keys {
      disk[number].openCount = 0
      disk[number].lockHolder = nil
    }
    return SimulatedFileSystem(disk: disk)
  }

  /// A file system with the same files, all of them safe, no call made and no fault planned.
  func copy() -> SimulatedFileSystem {
    after(.everything)
  }

  /// The calls since the log was last cleared.
  var calls: [SimulatedCall] {
    state.withLock { $0.calls }
  }

  /// Empties the log, from which the numbers of calls are counted, and plans these faults.
  func plan(_ faults: [SimulatedFault] = []) {
    state.withLock { state in
      state.calls = []
      state.faults = faults
    }
  }

  /// How many descriptors are open.
  var openCount: Int {
    state.withLock { $0.open.count }
  }

  /// Changes the disk from outside: its clock, limits, and what a test does without a call.
  func withDisk<Value: Sendable>(_ body: (inout SimulatedDisk) throws -> Value) rethrows -> Value {
    try state.withLock { try body(&$0.disk) }
  }

  /// The most descriptors that may be open at once; 1024 at first.
  func setDescriptorLimit(_ limit: Int) {
    state.withLock { $0.descriptorLimit = limit }
  }

  /// Closes every descriptor, as the end of a process does.
  func closeAll() {
    state.withLock { state in
      for number in Array(state.open.keys) { state.close(number) }
    }
  }
}

extension SimulatedFileSystem.State {
  mutating func close(_ number: Int32) {
    guard let file = open.removeValue(forKey: number) else { return }
    if disk[file.node].lockHolder == Int(number) { disk[file.node].lockHolder = nil }
    disk[file.node].openCount -= 1
    disk.collect(file.node)
  }

  func file(_ descriptor: FileDescriptor) throws(SimulatedErrno) -> OpenFile {
    guard let file = open[descriptor.number] else { throw SimulatedErrno(code: EBADF) }
    return file
  }

  typealias OpenFile = SimulatedFileSystem.OpenFile
}

/// Every call goes through here.
extension SimulatedFileSystem {
  /// Writes a call down, and does it as the faults say. `body` is told whether it is to be short.
  func call<Value: Sendable>(
    _ operation: FileRefusal.Operation, _ path: FilePath, to destination: FilePath? = nil,
    _ body: (inout State, Bool) throws(SimulatedErrno) -> Value
  ) throws(Fault) -> Value {
    do throws(SimulatedErrno) {
      return try state.withLock { state throws(SimulatedErrno) in
        try state.perform(operation, path, destination, body)
      }
    } catch {
      throw Fault(operation, path, to: destination, code: error.code)
    }
  }
}

extension SimulatedFileSystem.State {
  fileprivate mutating func perform<Value: Sendable>(
    _ operation: FileRefusal.Operation, _ path: FilePath, _ destination: FilePath?,
    _ body: (inout Self, Bool) throws(SimulatedErrno) -> Value
  ) throws(SimulatedErrno) -> Value {
    if isCrashed { throw SimulatedErrno(code: SimulatedFileSystem.crashed) }
    let call = SimulatedCall(
      number: calls.count + 1, operation: operation, path: path, destination: destination)
    calls.append(call)
    switch effect(on: call) {
    case nil:
      return try body(&self, false)
    case .short:
      return try body(&self, true)
    case .fail(let code):
      // A descriptor is gone even if its closing fails, and an interruption of it is no failure.
      if operation == .close {
        let value = try body(&self, false)
        if code == EINTR { return value }
      }
      loseSynchronization(call)
      throw SimulatedErrno(code: code)
    case .failAfterwards(let code):
      _ = try body(&self, false)
      throw SimulatedErrno(code: code)
    case .ignore:
      guard let nothing = () as? Value else { return try body(&self, false) }
      return nothing
    case .crash:
      isCrashed = true
      throw SimulatedErrno(code: SimulatedFileSystem.crashed)
    }
  }

  private mutating func effect(on call: SimulatedCall) -> SimulatedFault.Effect? {
    var effect: SimulatedFault.Effect?
    for index in faults.indices where faults[index].describes(call) {
      guard let occurrence = faults[index].occurrence else {
        effect = faults[index].effect
        continue
      }
      if occurrence == 1 { effect = faults[index].effect }
      faults[index].occurrence = occurrence - 1
    }
    return effect
  }

  private mutating func loseSynchronization(_ call: SimulatedCall) {
    guard call.operation == .synchronize else { return }
    if let place = try? disk.find(call.path), let node = place.node {
      disk.loseSynchronization(node)
    }
  }
}
