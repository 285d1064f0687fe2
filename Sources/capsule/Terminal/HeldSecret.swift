import CapsuleCore

/// A secret that is kept for a while, in a file of `$XDG_RUNTIME_DIR`: memory that goes when the user is gone.
///
///     capsule hold 1
///     <from> <until, Unix seconds> <from> <until, nanoseconds since the machine started> <the name of that start>
///     <the secret, to the end of the file>
struct HeldSecret {
  private let files: any FileSystem
  private let host: Host
  private let now: Instant
  let path: FilePath

  private static let firstLine = "capsule hold 1"
  private static let sizeLimit = 1 << 17

  /// The place of a secret; `nil` where there is no directory of the user's own, which nobody else can enter.
  ///
  /// - Parameter name: the name of its file.
  init?(_ session: Session, named name: String) {
    guard let runtime = session.places.runtime,
      let status = try? session.host.files.statusFollowingLinks(runtime),
      status.kind == .directory, status.mode & 0o077 == 0, status.owner == session.host.user()
    else { return nil }
    files = session.host.files
    host = session.host
    now = session.now
    path = runtime.appending(name)
  }

  /// Keeps a secret for so many seconds, in the place of one that is kept.
  func keep(_ secret: SecretBytes, seconds: Int64) throws {
    let boot = host.bootClock()
    let bootEnd = boot.addingClamped(seconds.multipliedClamped(by: 1_000_000_000))
    let head = "\(Self.firstLine)\n\(now.seconds) \(now.adding(seconds: seconds).seconds) "
    var bytes = Array("\(head)\(boot) \(bootEnd) \(host.bootName())\n".utf8)
    bytes.reserveCapacity(bytes.count + secret.count)
    defer { wipe(&bytes) }
    secret.withUnsafeBytes { bytes.append(contentsOf: $0) }
    let random = try host.random.bytes(8)
    let temporary = FilePath(bytes: path.bytes + Array(".\(Hex.encode(random))".utf8))
    try files.replace(path, bytes, mode: 0o600, by: temporary)
    for part in oldParts { try? files.unlink(part) }
  }

  /// The files of others that are keeping one, or ended while they did: each may hold a secret.
  private var parts: [FilePath] {
    let start = path.lastComponent + [UInt8(ascii: ".")]
    let entries = (try? files.contentsIfPresent(ofDirectory: path.parent)) ?? []
    return entries.filter { $0.name.starts(with: start) }.map {
      path.parent.appending(bytes: $0.name)
    }
  }

  /// Those that nobody is writing any more.
  private var oldParts: [FilePath] {
    let second = Instant(nanoseconds: host.wallClock()).seconds
    return parts.filter { part in
      guard let status = try? files.statusIfPresent(part) else { return false }
      return !(0..<60).contains(second.subtractingClamped(status.modified.seconds))
    }
  }

  /// Returns the secret that is kept; `nil` where there is none, and where its time is over, by the clock
  /// or by how long the machine runs: that one is removed.
  func read() -> SecretBytes? { read(path) }

  private func read(_ path: FilePath) -> SecretBytes? {
    guard var bytes = content(of: path) else { return nil }
    defer { wipe(&bytes) }
    guard let start = secretStart(in: bytes) else {
      try? files.unlink(path)
      return nil
    }
    return bytes.withUnsafeBytes {
      SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
  }

  /// Removes one whose time is over.
  func dropExpired() {
    for file in [path] + oldParts where (try? files.statusIfPresent(file)) ?? nil != nil {
      _ = read(file)
    }
  }

  /// Removes what is kept.
  ///
  /// - Returns: whether there was something.
  @discardableResult
  func remove() -> Bool {
    ([path] + parts).count { (try? files.unlink($0)) != nil } > 0
  }

  /// A file's bytes, where it is the user's own and nobody else's.
  private func content(of path: FilePath) -> [UInt8]? {
    do {
      return try files.withFile(path, .read) { file throws(Fault) in
        let status = try files.status(file)
        guard status.kind == .regular, status.owner == host.user(), status.mode & 0o077 == 0,
          status.links == 1
        else { return [] }
        return try files.readAll(file, limit: Self.sizeLimit)
      }
    } catch {
      return nil
    }
  }

  /// Returns the place where the secret begins; `nil` where its time is over, or has not begun:
  /// a clock that was set back gives it no more time.
  private func secretStart(in bytes: [UInt8]) -> Int? {
    let lines = bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, lines[0].elementsEqual(Self.firstLine.utf8) else { return nil }
    let words = lines[1].split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    let numbers = words.prefix(4).compactMap { Int64($0) }
    // Earlier programs wrote no name.
    guard numbers.count == 4, words.count == 4 || words[4] == host.bootName() else { return nil }
    let boot = host.bootClock()
    guard numbers[0] <= now.seconds, now.seconds < numbers[1], numbers[2] <= boot,
      boot < numbers[3]
    else { return nil }
    return lines[2].startIndex
  }
}
