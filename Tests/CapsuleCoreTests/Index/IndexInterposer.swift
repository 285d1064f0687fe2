import CapsuleCore
import Synchronization
import TestSupport

@testable import CoreTestHelpers

/// A file system that lets something else happen just before one of its calls.
final class IndexInterposer: ForwardingFileSystem {
  private struct State {
    var calls = 0
    var action: (at: Int, run: @Sendable () -> Void)?
  }

  let files: SimulatedFileSystem
  private let state = Mutex(State())

  init(_ files: SimulatedFileSystem) {
    self.files = files
  }

  /// Runs an action once, before the call of this number, counted from 1 and from now.
  func plan(at call: Int, _ run: @escaping @Sendable () -> Void) {
    state.withLock { $0 = State(calls: 0, action: (call, run)) }
  }

  /// Whether the action has been run.
  var isDone: Bool { state.withLock { $0.action == nil } }

  func step() {
    let run = state.withLock { state -> (@Sendable () -> Void)? in
      state.calls += 1
      guard let action = state.action, action.at == state.calls else { return nil }
      state.action = nil
      return action.run
    }
    run?()
  }
}
