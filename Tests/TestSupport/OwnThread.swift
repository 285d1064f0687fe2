import Foundation
package import Testing

/// Runs each test of a suite on a thread of its own.
///
/// The tests share as many threads as there are processors. One that waits for a clock, a terminal
/// or another program would keep the others waiting, and they it.
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let thread = ThreadExecutor()
    defer { thread.stop() }
    try await withTaskExecutorPreference(thread) { try await function() }
  }
}

extension Trait where Self == OwnThread {
  /// For a test that waits.
  package static var ownThread: Self { Self() }
}

/// One thread that runs what it is given, in order, until it is stopped.
private final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var isStopped = false

  init() {
    Thread { self.run() }.start()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock { jobs.append(job) }
    condition.signal()
  }

  func stop() {
    condition.withLock { isStopped = true }
    condition.signal()
  }

  private func run() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> UnownedJob? {
    condition.withLock {
      while jobs.isEmpty {
        if isStopped { return nil }
        condition.wait()
      }
      return jobs.removeFirst()
    }
  }
}
