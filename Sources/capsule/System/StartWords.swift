#if canImport(Glibc) && compiler(>=6.3)

  /// The command line as the kernel laid it on the stack, kept before `main` begins.
  ///
  /// The C library hands the words to each function in `.init_array` (glibc's `csu/libc-start.c`). The
  /// runtime's own way reads `/proc/self/cmdline` or `/proc/self/maps`, which a bare root does not have.
  enum StartWords {
    typealias Vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    // The two are written once, before any code of the program runs, and only read afterwards.
    nonisolated(unsafe) static var count: Int32 = 0
    nonisolated(unsafe) static var vector: Vector?

    @section(".init_array") @used
    private static let keep: @convention(c) (Int32, Vector?, Vector?) -> Void = { words, at, _ in
      count = words
      vector = at
    }
  }

#else

  /// The command line as the C library keeps it.
  enum StartWords {
    typealias Vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    static var count: Int32 { CommandLine.argc }
    static var vector: Vector? { CommandLine.unsafeArgv }
  }

#endif
