import CapsuleCore

/// The directories that the program uses.
struct UserDirectories: Hashable, Sendable {
  /// The store; `nil` when there is neither a name for it nor a home.
  var store: FilePath?
  /// Whether the user named the store, by `--store` or `CAPSULE_STORE`.
  var storeIsNamed: Bool
  /// `$XDG_CACHE_HOME/capsule`.
  var cache: FilePath?
  /// `$XDG_STATE_HOME/capsule`.
  var state: FilePath?
  /// `$XDG_CONFIG_HOME/capsule`.
  var configuration: FilePath?
  /// The user's home; `nil` where neither `HOME` nor the account has one.
  var home: FilePath?
  /// `$XDG_RUNTIME_DIR`, when it is set.
  var runtime: FilePath?

  /// Finds them by the XDG Base Directory Specification: relative values are ignored.
  ///
  /// - Parameters:
  ///   - workingDirectory: returns the directory that a relative `--store` or `CAPSULE_STORE`
  ///     starts from.
  ///   - accountHome: the home to use where `HOME` is not set to an absolute path.
  init(
    named store: FilePath?, environment: EnvironmentVariables,
    workingDirectory: () -> [UInt8]?, accountHome: () -> [UInt8]?
  ) {
    let home = environment.absolutePath("HOME") ?? accountHome().map { FilePath(bytes: $0) }
    self.home = home
    func base(_ variable: String, _ fallback: String) -> FilePath? {
      (environment.absolutePath(variable) ?? home?.appending(fallback))?.appending("capsule")
    }
    cache = base("XDG_CACHE_HOME", ".cache")
    state = base("XDG_STATE_HOME", ".local/state")
    configuration = base("XDG_CONFIG_HOME", ".config")
    runtime = environment.absolutePath("XDG_RUNTIME_DIR")

    let variable = environment["CAPSULE_STORE"].flatMap { $0.isEmpty ? nil : FilePath(bytes: $0) }
    if let named = store ?? variable {
      storeIsNamed = true
      let isAbsolute = named.bytes.first == UInt8(ascii: "/")
      self.store =
        isAbsolute
        ? named : workingDirectory().map { FilePath(bytes: $0).appending(bytes: named.bytes) }
    } else {
      storeIsNamed = false
      self.store = base("XDG_DATA_HOME", ".local/share")
    }
  }
}
