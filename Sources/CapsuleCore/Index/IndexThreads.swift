internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Work of many parts, done on a few threads.
package enum IndexThreads {
  /// Does every part once, in no particular order, and gives the results in the order of the parts.
  ///
  /// - Parameter threads: The most that run at once; the caller's own is one of them. Fewer where
  ///   the system gives no more.
  package static func map<Part: Sendable, Result: Sendable>(
    _ parts: [Part], threads: Int, _ transform: @escaping @Sendable (Part) -> Result
  ) -> [Result] {
    if threads <= 1 || parts.count < 2 * threads { return parts.map(transform) }
    let work = Work<Part, Result>(parts)
    let run: @Sendable () -> Void = { work.run(transform) }
    let others = (1..<threads).compactMap { _ in Thread(run) }
    run()
    for thread in others { thread.join() }
    return work.results()
  }

  private final class Work<Part: Sendable, Result: Sendable>: Sendable {
    private struct State: Sendable {
      var next = 0
      var results: [Result?]
    }

    private let parts: [Part]
    private let state: Mutex<State>

    init(_ parts: [Part]) {
      self.parts = parts
      state = Mutex(State(results: Array(repeating: nil, count: parts.count)))
    }

    func run(_ transform: (Part) -> Result) {
      while true {
        let position = state.withLock { state in
          state.next += 1
          return state.next - 1
        }
        if position >= parts.count { return }
        let result = transform(parts[position])
        state.withLock { $0.results[position] = result }
      }
    }

    func results() -> [Result] {
      state.withLock { $0.results.compactMap(\.self) }
    }
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  private struct Thread {
    // As much as a main thread has: musl's own is too small for a deep parser.
    private static let stackSize = 8 << 20

    private let handle: pthread_t

    init?(_ run: @escaping @Sendable () -> Void) {
      let body = Unmanaged.passRetained(Body(run))
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      defer { pthread_attr_destroy(&attributes) }
      pthread_attr_setstacksize(&attributes, Self.stackSize)
      #if canImport(Darwin)
        var made: pthread_t?
        let code = pthread_create(&made, &attributes, { Self.start($0) }, body.toOpaque())
      #elseif canImport(Musl)
        var made: pthread_t?
        let code = pthread_create(&made, &attributes, { Self.start($0) }, body.toOpaque())
      #else
        var created = pthread_t()
        let code = pthread_create(&created, &attributes, { Self.start($0) }, body.toOpaque())
        let made: pthread_t? = created
      #endif
      guard code == 0, let made else {
        body.release()
        return nil
      }
      handle = made
    }

    private static func start(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      guard let body else { return nil }
      Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
      return nil
    }

    func join() {
      pthread_join(handle, nil)
    }
  }
}
