/// One thing that is announced once on each machine.
package struct Announcement: Hashable, Sendable {
  package let kind: RecordKind
  package let id: RecordID
  /// What became due: `unlock`, an alert's name, …; no spaces.
  package let topic: String
  /// When it became due.
  package let instant: Instant

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

/// What this machine has announced of a store, held by one process at a time.
///
/// `announced` in the state directory is a text file that only grows: each line ends in the first
/// 8 digits of the SHA-256 of what stands before it, so that a torn or flipped line is no
/// announcement; what it stood for is announced again rather than never. Its first line is the
/// machine's first use of the store. The file is written after an announcement was made: a crash
/// between repeats it and loses none.
package struct Ledger {
  private let files: any FileSystem
  private let directory: FilePath
  private let lock: FileDescriptor
  private var known: Set<String>
  /// When this machine first used the store: what was due before is summed up, not announced.
  package let firstUse: Instant
  /// Whether this run is the first to use the store on this machine.
  package let isNew: Bool

  private static let firstUseTopic = "first-use"

  private static func path(_ directory: FilePath) -> FilePath {
    directory.appending("announced")
  }

  /// Opens the ledger and holds it until ``close()``; makes it where there is none.
  ///
  /// - Returns: `nil` while another process holds it.
  package static func open(
    _ directory: FilePath, environment: StoreEnvironment, now: Instant
  ) throws(StoreError) -> Ledger? {
    let files = environment.fileSystem
    try files.createDirectories(directory)
    let lock: FileDescriptor
    do throws(StoreError) {
      lock = try files.acquireLock(
        directory.appending("lock"), holder: Array(environment.holder.utf8),
        patience: LockPatience(limit: 0, pause: environment.patience.pause))
    } catch {
      if case .busy = error { return nil }
      throw error
    }
    do throws(StoreError) {
      return try Ledger(files, directory, lock: lock, now: now)
    } catch {
      try? files.close(lock)
      throw error
    }
  }

  private init(
    _ files: any FileSystem, _ directory: FilePath, lock: FileDescriptor, now: Instant
  ) throws(StoreError) {
    self.files = files
    self.directory = directory
    self.lock = lock
    var bytes: [UInt8] = []
    do throws(FileSystemError) {
      bytes = try files.readFile(Ledger.path(directory), limit: 1 << 30)
    } catch {
      guard error.condition == .notFound else { throw .io(error) }
    }
    known = []
    var first: Instant?
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let body = Ledger.checked(line) else { continue }
      let words = body.split(separator: " ")
      if words.count == 2, words[0] == Ledger.firstUseTopic, let seconds = Int64(words[1]) {
        first = min(first ?? Instant(seconds: seconds), Instant(seconds: seconds))
      } else {
        known.insert(body)
      }
    }
    isNew = first == nil
    firstUse = first ?? now
    // A torn last line is ended first, so that it spoils none of what follows.
    let start: [UInt8] = bytes.isEmpty || bytes.last == UInt8(ascii: "\n") ? [] : Array("\n".utf8)
    if isNew {
      try append(start + Ledger.encoded("\(Ledger.firstUseTopic) \(now.seconds)"))
      try storeIO { () throws(FileSystemError) in try files.synchronizeDirectory(directory) }
    } else if !start.isEmpty {
      try append(start)
    }
  }

  /// Whether something was announced on this machine.
  package func contains(_ announcement: Announcement) -> Bool {
    known.contains(announcement.line)
  }

  /// Keeps that something was announced. When this returns, it survives a power cut.
  package mutating func mark(_ announcement: Announcement) throws(StoreError) {
    try append(Ledger.encoded(announcement.line))
    known.insert(announcement.line)
  }

  /// Lets the next process have it.
  package func close() {
    try? files.close(lock)
  }

  private func append(_ bytes: [UInt8]) throws(StoreError) {
    try storeIO { () throws(FileSystemError) in
      try files.withFile(Ledger.path(directory), .append(mode: 0o600)) {
        file throws(FileSystemError) in
        try files.writeAll(file, bytes)
        try files.synchronize(file)
      }
    }
  }

  private static func encoded(_ body: String) -> [UInt8] {
    Array("\(body) \(digits(body))\n".utf8)
  }

  private static func digits(_ body: String) -> String {
    Hex.encode(SHA256.hash(Array(body.utf8)).prefix(4))
  }

  private static func checked(_ line: ArraySlice<UInt8>) -> String? {
    guard let space = line.lastIndex(of: UInt8(ascii: " ")),
      let body = String(validating: line[..<space], as: UTF8.self),
      line[(space + 1)...].elementsEqual(digits(body).utf8)
    else { return nil }
    return body
  }
}
