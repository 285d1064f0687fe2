/// One thing that is announced once on each machine.
public struct Announcement: Hashable, Sendable {
  public let kind: RecordKind
  public let id: RecordID
  /// The thing that became due: `unlock`, an alert's name, …; no spaces.
  public let topic: String
  /// The time at which it became due.
  public let instant: Instant

  package init(kind: RecordKind, id: RecordID, topic: String, instant: Instant) {
    self.kind = kind
    self.id = id
    self.topic = topic
    self.instant = instant
  }

  fileprivate var line: String {
    "\(kind.rawValue) \(id) \(topic) \(instant.seconds)"
  }
}

/// The announcements that this machine made of a store, held by one process at a time.
///
/// `announced` in the state directory is a text file that only grows: each line ends in the first
/// 8 digits of the SHA-256 of what stands before it, so that a torn or flipped line is no
/// announcement; what it stood for is announced again rather than never. The line `first-use` is
/// the machine's first use of the store. The file is written after an announcement was made: a
/// crash between repeats it and loses none.
package struct Ledger {
  /// The content of a ledger's file.
  package struct Known {
    /// The time at which this machine first used the store; `nil` when it has not.
    package fileprivate(set) var firstUse: Instant?
    /// Whether what was due before the first use was summed up.
    package fileprivate(set) var isFirstUseAnnounced = false
    fileprivate var lines: Set<String> = []
    /// Whether the file ends within a line.
    fileprivate var isTorn = false

    /// Whether something was announced on this machine.
    package func contains(_ announcement: Announcement) -> Bool {
      lines.contains(announcement.line)
    }
  }

  private let files: any FileSystem
  private let directory: FilePath
  private let lock: HeldLock
  /// The content of the file, and what was marked since.
  package private(set) var known: Known
  /// The time at which this machine first used the store: what was due before is summed up, not
  /// announced.
  package let firstUse: Instant

  private static let firstUseTopic = "first-use"
  private static let announcedTopic = "first-use-told"

  static func path(_ directory: FilePath) -> FilePath {
    directory.appending("announced")
  }

  /// Opens the ledger and holds it until ``close()``; makes it where there is none.
  ///
  /// - Returns: `nil` while another process holds it.
  /// - Throws: `.io` where it cannot be read or made.
  package static func open(
    _ directory: FilePath, environment: StoreEnvironment, now: Instant
  ) throws(StoreError) -> Ledger? {
    let files = environment.fileSystem
    try storeIO { () throws(FileSystemError) in try files.createDirectories(directory) }
    let lock: HeldLock
    do throws(StoreError) {
      lock = try files.acquireLock(
        directory.appending("lock"), holder: Array(environment.holder.utf8),
        patience: LockPatience(limit: 0, pause: environment.patience.pause))
    } catch {
      if case .busy = error { return nil }
      throw error
    }
    do throws(StoreError) {
      return try Ledger(files, directory, lock: lock, environment, now: now)
    } catch {
      files.release(lock)
      throw error
    }
  }

  /// Reads what was announced, without holding the ledger or making anything.
  ///
  /// - Throws: `.io` where the file cannot be read.
  package static func read(
    _ directory: FilePath, environment: StoreEnvironment
  ) throws(StoreError) -> Known {
    let files = environment.fileSystem
    var known = Known()
    let bytes: [UInt8]
    do throws(FileSystemError) {
      bytes = try files.readFile(path(directory), limit: 1 << 30)
    } catch {
      if error.condition == .notFound { return known }
      throw .io(error)
    }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let body = checked(line) else { continue }
      let words = body.split(separator: " ")
      if words.count == 2, let seconds = Int64(words[1]) {
        let instant = Instant(seconds: seconds)
        if words[0] == firstUseTopic { known.firstUse = min(known.firstUse ?? instant, instant) }
        if words[0] == announcedTopic { known.isFirstUseAnnounced = true }
      } else {
        known.lines.insert(body)
      }
    }
    known.isTorn = !bytes.isEmpty && bytes.last != UInt8(ascii: "\n")
    return known
  }

  private init(
    _ files: any FileSystem, _ directory: FilePath, lock: HeldLock,
    _ environment: StoreEnvironment, now: Instant
  ) throws(StoreError) {
    self.files = files
    self.directory = directory
    self.lock = lock
    known = try Ledger.read(directory, environment: environment)
    firstUse = known.firstUse ?? now
    if known.firstUse == nil {
      try append("\(Ledger.firstUseTopic) \(now.seconds)")
      try storeIO { () throws(FileSystemError) in try files.synchronizeDirectory(directory) }
    }
  }

  /// Throws `.io` where nothing can be kept, so that nothing is announced that would be announced
  /// again.
  package func requireWritable() throws(StoreError) {
    try storeIO { () throws(FileSystemError) in
      try files.withFile(Ledger.path(directory), .append(mode: 0o600)) { _ in }
    }
  }

  /// Keeps that something was announced. When this returns, it survives a power cut.
  package mutating func mark(_ announcement: Announcement) throws(StoreError) {
    try append(announcement.line)
    known.lines.insert(announcement.line)
  }

  /// Keeps that what was due before the first use was summed up.
  package mutating func markFirstUseAnnounced() throws(StoreError) {
    try append("\(Ledger.announcedTopic) \(firstUse.seconds)")
    known.isFirstUseAnnounced = true
  }

  /// Gives the ledger up, so that the next process can open it.
  package func close() {
    files.release(lock)
  }

  private mutating func append(_ body: String) throws(StoreError) {
    // A torn last line is ended first, so that it spoils none of what follows.
    let bytes = Array("\(known.isTorn ? "\n" : "")\(body) \(Ledger.digits(body))\n".utf8)
    known.isTorn = true
    try storeIO { () throws(FileSystemError) in
      try files.withFile(Ledger.path(directory), .append(mode: 0o600)) {
        file throws(FileSystemError) in
        try files.writeAll(file, bytes)
        try files.synchronize(file)
      }
    }
    known.isTorn = false
  }

  static func digits(_ body: String) -> String {
    Hex.encode(SHA256.hash(Array(body.utf8)).prefix(4))
  }

  /// Returns a line without its digits; `nil` where they are not those of what stands before.
  static func checked(_ line: ArraySlice<UInt8>) -> String? {
    guard let space = line.lastIndex(of: UInt8(ascii: " ")),
      let body = String(validating: line[..<space], as: UTF8.self),
      line[(space + 1)...].elementsEqual(digits(body).utf8)
    else { return nil }
    return body
  }
}
