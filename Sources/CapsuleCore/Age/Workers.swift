#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A few threads that share the pieces of one job after another with the thread that hands them
/// out.
///
/// Between two jobs they sleep. They block all signals, so that signals reach the program's own
/// threads.
package struct Workers: ~Copyable {
  private let team: Team
  private var threads: [SystemThread] = []

  /// How many threads can run at once on this machine, at most 8.
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

  /// Has every piece of a job done, and something else by the calling thread meanwhile; the calling
  /// thread then helps with what is left. All is done when it returns.
  ///
  /// - Parameters:
  ///   - count: how many pieces there are.
  ///   - piece: does the piece of the number it is given, in any order and on any thread. Different
  ///     pieces must not touch the same memory.
  ///   - other: what the calling thread does first.
  package func share(
    _ count: Int, _ piece: (Int) -> Void, while other: () -> Void
  ) {
    withoutActuallyEscaping(piece) { piece in
      team.begin(count: count, piece: piece)
      other()
      team.help()
      team.finish()
    }
  }
}

/// What the threads of a team share; everything in it is guarded by the mutex.
private final class Team {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// There is something to do, or it is time to stop.
  private let called = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// The last piece of the job is done.
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

  /// Does pieces as long as some are not begun.
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

  /// The life of a thread of the team.
  func work() {
    pthread_mutex_lock(mutex)
    while !isStopping {
      doPieces()
      if !isStopping { pthread_cond_wait(called, mutex) }
    }
    pthread_mutex_unlock(mutex)
  }

  /// Called with the mutex locked, which it is not while a piece is being done.
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
  private let thread: pthread_t

  /// Starts a thread that takes over a retained `Team`; `nil` where the system gives none.
  init?(running team: UnsafeMutableRawPointer) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #if canImport(Darwin)
      var created: pthread_t?
      let result = pthread_create(&created, nil, { SystemThread.run($0) }, team)
      guard result == 0, let created else { return nil }
    #else
      var created = pthread_t()
      let result = pthread_create(&created, nil, { SystemThread.run($0) }, team)
      guard result == 0 else { return nil }
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
