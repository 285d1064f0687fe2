#if CAPSULE_STATIC && canImport(Glibc) && compiler(>=6.3)

  // A program without shared libraries starts where there is no `/proc` either, and where a call that reads
  // it fails. Two parts of Swift's runtime read it before `main` and abort without it: these functions stand
  // in their place. The names and shapes are those of the runtime (swift: stdlib/public/stubs/CommandLine.cpp
  // and stdlib/public/runtime/Paths.cpp); where one of the names is missing, the linker takes the runtime's
  // part too, and says that it has two.

  /// Returns the words of the command line, for `CommandLine`, which is not used here.
  @c(_swift_stdlib_getUnsafeArgvArgc)
  func runtimeWords(_ count: UnsafeMutablePointer<Int32>) -> StartWords.Vector? {
    count.pointee = StartWords.count
    return StartWords.vector
  }

  /// Does nothing: the words are never others than those of the start.
  @c(_swift_stdlib_overrideUnsafeArgvArgc)
  func overrideRuntimeWords(_ vector: StartWords.Vector?, _ count: Int32) {}

  /// Returns nothing: no program that prints backtraces stands beside this one.
  @c(swift_copyAuxiliaryExecutablePath)
  func runtimeAuxiliaryProgram(_: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? { nil }

  /// Returns nothing: the runtime is in the program.
  @c(swift_getRuntimeLibraryPath)
  func runtimeLibraryPath() -> UnsafePointer<CChar>? { nil }

#endif
