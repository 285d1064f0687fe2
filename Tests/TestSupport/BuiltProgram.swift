import CapsulePlatform

/// The program that was built together with the tests.
package enum BuiltProgram {
  /// Makes writing to a closed pipe an error in the tests, as it is in the program.
  package static let ignoresSIGPIPE: Bool = {
    var action = sigaction()
    _ = signal(SIGPIPE, SIG_IGN)
    return sigaction(SIGPIPE, nil, &action) == 0
  }()

  /// The root of the package, with a slash at its end.
  package static let packageRoot: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/") + "/"
  }()

  /// The path of `capsule`: beside the test bundle, else where the package builds it.
  package static let path: String = {
    let bundle = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false)
    let beside = bundle.dropLast().joined(separator: "/") + "/capsule"
    if bundle.count > 1, access(beside, X_OK) == 0 { return beside }
    #if DEBUG
      return packageRoot + ".build/debug/capsule"
    #else
      return packageRoot + ".build/release/capsule"
    #endif
  }()
}
