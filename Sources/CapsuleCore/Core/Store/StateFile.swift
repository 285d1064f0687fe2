/// A small file outside a store in which this machine remembers something about it.
///
/// Nothing is synchronised, and a failure to read or write it fails nothing: it only saves work or
/// makes something known sooner. Each directory has its own, so that a copy of a store that is
/// looked at does not take the store's.
struct StateFile {
  private let environment: StoreEnvironment
  private let path: FilePath

  /// `nil` where this machine has no place for it.
  init?(_ store: Store, _ name: String) {
    guard let directory = store.stateDirectory else { return nil }
    environment = store.environment
    path = directory.appending("\(name)-\(store.place.inode)")
  }

  func bytes() throws(FileSystemError) -> [UInt8] {
    try environment.fileSystem.readFile(path, limit: 1 << 26)
  }

  func read() -> [UInt8]? { try? bytes() }

  /// The time at which it was written; `nil` where it is not there.
  var modified: Instant? {
    (try? environment.fileSystem.statusIfPresent(path)).flatMap { $0 }
      .map { Instant(seconds: $0.modified.seconds) }
  }

  /// Reads an object; `nil` where there is none.
  func readObject() -> JSONObject? {
    read().flatMap { try? JSON.parse($0) }?.object
  }

  /// Puts other bytes in the place of those that are there.
  ///
  /// - Returns: whether that was possible.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    let files = environment.fileSystem
    guard let name = try? environment.temporaryName(),
      (try? files.createDirectories(path.parent)) != nil
    else { return false }
    let temporary = FilePath(bytes: path.bytes + Array(".\(name)".utf8))
    do throws(FileSystemError) {
      try files.withFile(temporary, .createExclusive(mode: 0o600)) { file throws(FileSystemError) in
        try files.writeAll(file, bytes)
      }
      try files.rename(temporary, to: path)
      return true
    } catch {
      try? files.unlink(temporary)
      return false
    }
  }

  func write(_ object: JSONObject) {
    write(JSON.object(object).encoded(.compact) + [UInt8(ascii: "\n")])
  }
}
