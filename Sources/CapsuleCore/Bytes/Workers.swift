import CapsulePlatform

/// A few threads that share the pieces of one job after another with the thread that hands them
/// out.
///
/// Between two jobs they sleep. They block all signals, so that signals reach the program's own
/// threads.
package struct Workers: ~Copyable {
  private let team: Team
  private var threads: [SystemThread] = []

  /// The number of threads that can run at once on this machine, at most 8.
  package static var processorCount: Int {
    min(max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1), 8)
  }

  /// A team of `count` threads, the calling one among them; fewer where the system gives no more.
  package init(count: Int) {
    team = Team()
    while threads.count < count - 1 {
      let context = Unmanaged.passRetained(team)
      guard let thread = SystemThread(running: context.toOpaque()) else {
        context.release()
        break
      }
      threads.append(thread)
    }
  }

  deinit {
    team.stop()
    for thread in threads { thread.join() }
  }

  /// Does every piece of a job, and something else by the calling thread meanwhile; the calling
  /// thread then helps with the pieces that are left. All is done when it returns.
  ///
  /// - Parameters:
  ///   - count: the number of pieces.
  ///   - piece: does the piece of the number it is given, in any order and on any thread. Different
  ///     pieces must not touch the same memory.
  ///   - other: the work that the calling thread does first.
  package func share(
    _ count: Int, _ piece: @escaping (Int) -> Void, while other: () -> Void = {}
  ) {
    team.begin(count: count, piece: piece)
    other()
    team.help()
    team.finish()
  }

  /// Transforms every part once, in no particular order.
  ///
  /// - Parameters:
  ///   - threads: the most that run at once, the calling one among them.
  ///   - transform: runs on any thread.
  /// - Returns: the results in the order of the parts.
  package static func map<Part: Sendable, Result: Sendable>(
    _ parts: [Part], threads: Int, _ transform: @escaping @Sendable (Part) -> Result
  ) -> [Result] {
    if threads <= 1 || parts.count < 2 * threads { return parts.map(transform) }
    let workers = Workers(count: threads)
    return [Result](unsafeUninitializedCapacity: parts.count) { results, count in
      let results = UnsafeMutableBufferPointer(rebasing: results[..<parts.count])
      workers.share(parts.count) { results.initializeElement(at: $0, to: transform(parts[$0])) }
      count = parts.count
    }
  }
}

/// The job that the threads of a team share; everything in it is guarded by the mutex.
private final class Team {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Signals that there is something to do, or that it is time to stop.
  private let called = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Signals that the last piece of the job is done.
  private let finished = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var piece: ((Int) -> Void)?
  /// The pieces from `next` to `count` are not begun; `undone` are not done.
  private var next = 0
  private var count = 0
  private var undone = 0
  private var isStopping = false

  init() {
    mutex.initialize(to: pthread_mutex_t())
    called.initialize(to: pthread_cond_t())
    finished.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(called, nil)
    pthread_cond_init(finished, nil)
  }

  deinit {
    pthread_cond_destroy(finished)
    pthread_cond_destroy(called)
    pthread_mutex_destroy(mutex)
    finished.deallocate()
    called.deallocate()
    mutex.deallocate()
  }

  func begin(count: Int, piece: @escaping (Int) -> Void) {
    pthread_mutex_lock(mutex)
    self.piece = piece
    next = 0
    self.count = count
    undone = count
    pthread_cond_broadcast(called)
    pthread_mutex_unlock(mutex)
  }

  /// Does pieces by the calling thread.
  func help() {
    pthread_mutex_lock(mutex)
    doPieces()
    pthread_mutex_unlock(mutex)
  }

  /// Waits for the pieces that others have begun.
  func finish() {
    pthread_mutex_lock(mutex)
    while undone > 0 { pthread_cond_wait(finished, mutex) }
    piece = nil
    pthread_mutex_unlock(mutex)
  }

  func stop() {
    pthread_mutex_lock(mutex)
    isStopping = true
    pthread_cond_broadcast(called)
    pthread_mutex_unlock(mutex)
  }

  /// Does pieces of one job after another until it is time to stop: the life of a thread.
  func work() {
    pthread_mutex_lock(mutex)
    while !isStopping {
      doPieces()
      if !isStopping { pthread_cond_wait(called, mutex) }
    }
    pthread_mutex_unlock(mutex)
  }

  /// Does pieces as long as some are not begun. It is called with the mutex locked, which it is not
  /// while a piece is being done.
  private func doPieces() {
    while next < count, let piece {
      let number = next
      next += 1
      pthread_mutex_unlock(mutex)
      piece(number)
      pthread_mutex_lock(mutex)
      undone -= 1
      if undone == 0 { pthread_cond_signal(finished) }
    }
  }
}

/// A thread of the system that works for a team; the one place where the systems differ.
private struct SystemThread {
  /// The bytes of a stack, as many as a main thread has: musl's own is too small for a deep parser.
  private static let stackSize = 8 << 20

  private let thread: pthread_t

  /// Starts a thread that takes over a retained `Team`; `nil` where the system gives none.
  init?(running team: UnsafeMutableRawPointer) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, Self.stackSize)
    #if canImport(Glibc)
      var created = pthread_t()
      let result = pthread_create(&created, &attributes, { SystemThread.run($0) }, team)
      guard result == 0 else { return nil }
    #else
      var created: pthread_t?
      let result = pthread_create(&created, &attributes, { SystemThread.run($0) }, team)
      guard result == 0, let created else { return nil }
    #endif
    thread = created
  }

  func join() {
    pthread_join(thread, nil)
  }

  private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Team>.fromOpaque(context).takeRetainedValue().work()
    return nil
  }
}
