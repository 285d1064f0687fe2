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

/// A file of `$XDG_CONFIG_HOME/capsule`, with a line `name = value` each: what is of this machine, and not
/// of a store, which may come from elsewhere.
struct ConfigurationFile {
  let path: FilePath
  private let values: [String: (text: String, line: Int)]
  /// The text of the file as UTF-8; empty without one.
  private let bytes: [UInt8]

  /// Reads it; without a file nothing is set. Empty lines, and those that begin with `#`, say nothing.
  ///
  /// - Parameter names: the names that it may have.
  init(_ name: String, of names: [String], _ session: Session) throws {
    guard let path = session.places.configuration?.appending(name) else {
      throw Fault.usage(
        "no directory for the configuration: HOME is not set and the account has no home directory",
        hint: "set the variable HOME or XDG_CONFIG_HOME")
    }
    self.path = path
    var values: [String: (text: String, line: Int)] = [:]
    let read = try session.files.readConfiguration(path, limit: 1 << 16) ?? []
    bytes = ByteOrderMark.utf8(read) ?? read
    let text = String(decoding: bytes, as: UTF8.self)
    for (index, line) in text.parts(at: "\n").enumerated() {
      let text = line.trimmed
      if text.isEmpty || text.utf8.first == UInt8(ascii: "#") { continue }
      let parts = text.parts(at: "=")
      let name = parts[0].trimmed
      guard parts.count > 1, names.contains(name) else {
        throw Fault.usage(
          "line \(index + 1) of '\(path.text)' has an unknown setting: '\(text)'",
          hint: "use one of these settings: " + names.joined(separator: ", "))
      }
      guard values[name] == nil else {
        throw Fault.usage(
          "line \(index + 1) of '\(path.text)' sets '\(name)' a second time",
          hint: "keep one of the lines")
      }
      values[name] = (parts.dropFirst().joined(separator: "=").trimmed, index + 1)
    }
    self.values = values
  }

  /// The value of a name; `nil` where it is not set, or empty.
  subscript(name: String) -> String? {
    values[name].flatMap { $0.text.isEmpty ? nil : $0.text }
  }

  /// Whether a line has a name, be it without a value.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// Writes a name's value in its line, or in a new line at the end; without a value the line goes. Every other
  /// line stays as it is, and a link to the file stays a link.
  func write(_ name: String, _ value: String?, _ session: Session) throws {
    let newline = UInt8(ascii: "\n")
    var lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
    // What follows the last line end is no line.
    if lines.last?.isEmpty == true { lines.removeLast() }
    let line = value.map { Array("\(name) = \($0)".utf8)[...] }
    if let known = values[name] {
      lines.replaceSubrange(known.line - 1..<known.line, with: line.map { [$0] } ?? [])
    } else if let line {
      lines.append(line)
    }
    let files = session.host.files
    let place = try files.resolvingLinks(path)
    try files.createDirectories(place.parent)
    let temporary = FilePath(
      bytes: place.bytes + Array(".\(try session.stores.environment.temporaryName())".utf8))
    try files.replace(
      place, lines.flatMap { $0 + [newline] },
      mode: try files.statusIfPresent(place).map { $0.mode & 0o777 } ?? 0o600, by: temporary)
  }

  /// Returns the failure for a value that is none of its kind.
  func fault(_ name: String, _ reason: String, hint: String) -> Fault {
    let place = values[name].map { "line \($0.line) of '\(path.text)'" } ?? "'\(path.text)'"
    return Fault.usage(
      "\(place): '\(values[name]?.text ?? "")' \(reason)", hint: hint)
  }
}
