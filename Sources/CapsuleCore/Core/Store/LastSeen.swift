/// The last time that this machine saw while it used a store: it moves no gate, it only shows that a
/// clock went back.
package struct LastSeen: Sendable {
  private let files: any FileSystem
  private let directory: FilePath
  private let environment: StoreEnvironment

  package init(_ directory: FilePath, environment: StoreEnvironment) {
    files = environment.fileSystem
    self.directory = directory
    self.environment = environment
  }

  private var path: FilePath { directory.appending("seen") }

  /// Compares the clock with the last time seen, and keeps the new time.
  ///
  /// It is a courtesy: where the time cannot be read or kept, there is no warning.
  ///
  /// - Returns: the time seen before, when the clock stands before it: once a jump.
  package func note(_ now: Instant) -> Instant? {
    let bytes = (try? files.readFile(path, limit: 64)) ?? []
    let seen = Int64(String(decoding: bytes, as: UTF8.self).trimmed)
      .map { Instant(seconds: $0) }
    // The time is written at most once a minute: it need not be exact.
    if let seen, now >= seen, now.seconds(since: seen) < 60 { return nil }
    keep(now, in: path)
    guard let seen, now < seen else { return nil }
    return seen
  }

  /// Keeps that a warning is given now.
  ///
  /// - Returns: `false` where one was given within a day.
  package func noteWarning(_ now: Instant) -> Bool {
    let path = directory.appending("warned")
    let bytes = (try? files.readFile(path, limit: 64)) ?? []
    if let last = Int64(String(decoding: bytes, as: UTF8.self).trimmed),
      (0..<86_400).contains(now.seconds(since: Instant(seconds: last)))
    {
      return false
    }
    keep(now, in: path)
    return true
  }

  private func keep(_ now: Instant, in path: FilePath) {
    guard let name = try? environment.temporaryName(),
      (try? files.createDirectories(directory)) != nil
    else { return }
    let temporary = directory.appending(
      "\(String(decoding: path.lastComponent, as: UTF8.self)).\(name)")
    if (try? write(now, temporary, path)) == nil { try? files.unlink(temporary) }
  }

  private func write(
    _ now: Instant, _ temporary: FilePath, _ path: FilePath
  ) throws(FileSystemError) {
    try files.withFile(temporary, .createExclusive(mode: 0o600)) { file throws(FileSystemError) in
      try files.writeAll(file, Array("\(now.seconds)\n".utf8))
    }
    try files.rename(temporary, to: path)
  }
}
