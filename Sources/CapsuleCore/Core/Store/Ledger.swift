/// One thing that is announced once on each machine.
package struct Announcement: Hashable, Sendable {
  package let kind: RecordKind
  package let id: RecordID
  /// The thing that became due: `unlock`, an alert's name, …; no spaces.
  package let topic: String
  /// The time at which it became due.
  package let instant: Instant
  /// What it is known by in another zone, where its instant is another one; `nil` of what has an instant of
  /// its own.
  package let elsewhere: Elsewhere?
  /// What is announced with it.
  package let passed: [Announcement]

  package init(
    kind: RecordKind, id: RecordID, topic: String, instant: Instant, elsewhere: Elsewhere? = nil,
    passed: [Announcement] = []
  ) {
    self.kind = kind
    self.id = id
    self.topic = topic
    self.instant = instant
    self.elsewhere = elsewhere
    self.passed = passed
  }

  /// The lines that mark it, and what is announced with it.
  var marks: [String] { lines + passed.flatMap(\.lines) }

  /// What is the same in every zone.
  package enum Elsewhere: Hashable, Sendable {
    /// The date and time that the clocks show.
    case local(CivilDateTime)
    /// The number of an occurrence, and the instant that it is counted from.
    case counted(Int, from: Instant)
  }

  /// The lines of it in the ledger, before their digits: each alone says that it was announced.
  var lines: [String] {
    var lines = ["\(kind.rawValue) \(id) \(topic) \(instant.seconds)"]
    switch elsewhere {
    case .local(let time)?:
      lines.append("\(kind.rawValue) \(id) \(Self.localTopic)\(topic) \(time.secondsAsUTC)")
    case .counted(let number, let anchor)?:
      lines.append("\(kind.rawValue) \(id) \(Self.countedTopic)\(number) \(anchor.seconds)")
    case nil: break
    }
    return lines
  }

  /// What begins the topic of a line whose time is not that at which something became due.
  private static let localTopic = "local:"
  private static let countedTopic = "counted:"

  /// Whether a line of this topic says what is the same in every zone.
  static func isElsewhere(_ topic: ArraySlice<UInt8>) -> Bool {
    [localTopic, countedTopic].contains { topic.starts(with: $0.utf8) }
  }
}

/// The announcements that this machine made of a store, held by one process at a time.
///
/// `announced` in the state directory is a text file that only grows: each line ends in the first
/// 8 digits of the SHA-256 of what stands before it, so that a torn or flipped line is no
/// announcement; what it stood for is announced again rather than never. The line `first-use` is
/// the machine's first use of the store. Room for a line is secured before the announcement is made,
/// as empty lines at the end, and the line is written into it afterwards: a crash between repeats
/// the announcement and loses none, and a full disk repeats none.
package struct Ledger {
  private let files: any FileSystem
  private let directory: FilePath
  private let lock: HeldLock
  /// The content of the file, and what was marked since.
  package private(set) var known: Known
  /// The time from which on things are announced: what was due before is summed up.
  package let firstUse: Instant

  fileprivate static let firstUseTopic = "first-use"
  fileprivate static let announcedTopic = "first-use-told"
  fileprivate static let newline = UInt8(ascii: "\n")

  static func path(_ directory: FilePath) -> FilePath {
    directory.appending("announced")
  }

  /// Opens the ledger of a store and holds it until ``close()``; makes it where there is none.
  ///
  /// - Parameters:
  ///   - now: the real time.
  ///   - isPatient: whether another process is waited for, as long as the store's patience goes.
  /// - Returns: `nil` while another process holds it.
  /// - Throws: `.io` where it cannot be read or made.
  package static func open(
    of store: Store, in directory: FilePath, now: Instant, isPatient: Bool = false
  ) throws(Fault) -> Ledger? {
    let files = store.files
    let environment = store.environment
    try files.createDirectories(directory)
    let lock: HeldLock
    do {
      lock = try files.acquireLock(
        directory.appending("lock"), holder: Array(environment.holder.utf8),
        patience: isPatient
          ? environment.patience : LockPatience(limit: 0, pause: environment.patience.pause))
    } catch {
      if error.code == .storeBusy { return nil }
      throw error
    }
    do {
      return try Ledger(store, directory, lock: lock, now: now)
    } catch {
      files.release(lock)
      throw error
    }
  }

  /// Reads what was announced of a store, without holding the ledger or making anything.
  ///
  /// - Parameter now: the real time.
  /// - Throws: `.io` where the file cannot be read.
  package static func read(
    of store: Store, in directory: FilePath, now: Instant
  ) throws(Fault) -> Known {
    var reading = LedgerReading(now: now)
    do {
      try reading.read(path(directory), in: store.files)
    } catch {
      guard error.condition == .notFound else { throw error }
    }
    return reading.result(storeCreated: store.header.createdAt)
  }

  private init(
    _ store: Store, _ directory: FilePath, lock: HeldLock, now: Instant
  ) throws(Fault) {
    files = store.files
    self.directory = directory
    self.lock = lock
    known = try Ledger.read(of: store, in: directory, now: now)
    firstUse = known.firstUse ?? now
    if known.firstUse == nil {
      try append(["\(Ledger.firstUseTopic) \(now.seconds)"])
      try files.synchronizeDirectory(directory)
    }
  }

  /// Secures the room for marking these, so that what is announced can be marked, on a full disk too.
  /// (A file system that writes elsewhere what is written again, as APFS and Btrfs do, may need a
  /// little more room all the same.)
  ///
  /// - Parameter firstUse: whether ``markFirstUseAnnounced()`` is called besides.
  /// - Throws: `.io` where nothing can be kept: nothing is to be announced then, for it would be
  ///   announced again.
  package mutating func reserve(
    _ announcements: [Announcement] = [], _ notes: [SilenceNote] = [], firstUse: Bool = false
  ) throws(Fault) {
    try reserve(
      lines: announcements.flatMap(\.marks) + notes.map(SilenceLog.line)
        + (firstUse ? [firstUseAnnounced] : []))
  }

  /// Keeps that these were announced. When this returns, it survives a power cut.
  package mutating func mark(_ announcements: [Announcement]) throws(Fault) {
    let lines = announcements.flatMap(\.marks)
    try append(lines)
    for line in lines { known.marks.insert(LedgerMark(line)) }
  }

  /// Keeps that a message about the owner's silence was handed over.
  package mutating func mark(_ note: SilenceNote) throws(Fault) {
    try append([SilenceLog.line(note)])
    known.silence.add(note)
  }

  /// Keeps that this machine looked while a grace went on.
  package mutating func mark(_ look: SilenceLog.Look) throws(Fault) {
    try append([SilenceLog.line(look)])
    known.silence.add(look)
  }

  /// Keeps that a try to hand mail over begins, and secures the room for its end. When this returns, it
  /// survives a power cut.
  package mutating func begin(
    _ attempt: MailAttempt, of bequests: [RecordID], at: Instant
  ) throws(Fault) {
    let entry = MailLog.Entry(attempt: attempt, state: .begun, at: at)
    let end = MailLog.Entry(attempt: attempt, state: .refused, at: at)
    let lines = bequests.map { MailLog.line(entry, of: $0) }
    try reserve(lines: lines + bequests.map { MailLog.line(end, of: $0) })
    try note(entry, of: bequests)
  }

  /// Keeps how the program that carries mail ended.
  package mutating func end(
    _ attempt: MailAttempt, as state: MailAttempt.State, of bequests: [RecordID], at: Instant
  ) throws(Fault) {
    try note(MailLog.Entry(attempt: attempt, state: state, at: at), of: bequests)
  }

  private mutating func note(
    _ entry: MailLog.Entry, of bequests: [RecordID]
  ) throws(Fault) {
    try append(bequests.map { MailLog.line(entry, of: $0) })
    for bequest in bequests { known.mail.add(entry, of: bequest) }
  }

  /// Keeps that what was due before the first use was summed up.
  package mutating func markFirstUseAnnounced() throws(Fault) {
    try append([firstUseAnnounced])
    known.isFirstUseAnnounced = true
  }

  /// Gives the ledger up, so that the next process can open it.
  package func close() {
    if known.size > known.end {
      // The room at the end was not needed; whoever finds it uses it, or ends it here.
      try? files.withFile(Self.path(directory), .readWriteCreate(mode: 0o600)) {
        file throws(Fault) in
        try files.truncate(file, to: known.end)
      }
    }
    files.release(lock)
  }

  private var firstUseAnnounced: String { "\(Ledger.announcedTopic) \(firstUse.seconds)" }

  private mutating func reserve(lines: [String]) throws(Fault) {
    let count = lines.reduce(0) { $0 + Self.bytes(of: $1).count }
    let missing = known.end + Int64(count) - known.size
    guard missing > 0 else { return }
    try files.withFile(Self.path(directory), .append(mode: 0o600)) {
      file throws(Fault) in
      try files.writeAll(file, [UInt8](repeating: Self.newline, count: Int(missing)))
      try files.synchronize(file)
    }
    known.size += missing
  }

  /// Writes lines behind the last one, into the room that is secured as far as there is such.
  private mutating func append(_ lines: [String]) throws(Fault) {
    var bytes = lines.flatMap(Self.bytes)
    // A torn last line is ended first, so that it spoils none of what follows.
    let isTorn = known.end > known.size
    if isTorn { bytes.insert(Self.newline, at: 0) }
    let start = isTorn ? known.size : known.end
    try files.withFile(Self.path(directory), .readWriteCreate(mode: 0o600)) {
      file throws(Fault) in
      try files.writeAll(file, bytes, at: start)
      try files.synchronize(file)
    }
    known.end = start + Int64(bytes.count)
    known.size = max(known.size, known.end)
  }

  private static func bytes(of line: String) -> [UInt8] {
    Array("\(line) \(digits(SHA256.hash(Array(line.utf8))))\n".utf8)
  }

  private static func digits(_ hash: [UInt8]) -> String {
    Hex.encode(hash.prefix(4))
  }

  /// Returns the bytes of a line without its digits, and their SHA-256; `nil` where the digits are not
  /// those of it.
  static func checked(
    _ line: ArraySlice<UInt8>
  ) -> (body: ArraySlice<UInt8>, hash: [UInt8])? {
    guard let space = line.lastIndex(of: UInt8(ascii: " ")), line.endIndex - space == 9 else {
      return nil
    }
    let body = line[..<space]
    let hash = SHA256.hash(Array(body))
    return line[(space + 1)...].elementsEqual(digits(hash).utf8) ? (body, hash) : nil
  }
}

extension Ledger {
  /// The content of a ledger's file.
  package struct Known {
    /// The time from which on things are announced on this machine; `nil` where it has not used the
    /// store.
    package fileprivate(set) var firstUse: Instant?
    /// Whether what was due before the first use was summed up.
    package fileprivate(set) var isFirstUseAnnounced = false
    fileprivate var marks: Set<LedgerMark> = []
    /// The log of what was done about the owner's silence.
    package fileprivate(set) var silence = SilenceLog()
    /// The log of what was done about mail.
    package fileprivate(set) var mail = MailLog()
    /// The size in bytes; of an end within a line one byte is missing.
    fileprivate var size: Int64 = 0
    /// The place where the next line begins: behind the last, and before room that nobody used.
    fileprivate var end: Int64 = 0

    /// Whether something was announced on this machine.
    package func contains(_ announcement: Announcement) -> Bool {
      !marks.isEmpty && announcement.lines.contains { marks.contains(LedgerMark($0)) }
    }
  }
}

/// A line of a ledger, by half of its SHA-256: of a hundred thousand announcements a few megabytes
/// are held.
private struct LedgerMark: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  init(_ line: String) {
    self.init(hash: SHA256.hash(Array(line.utf8)))
  }

  init(hash: [UInt8]) {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
      bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
    high = number(hash[..<8])
    low = number(hash[8..<16])
  }
}

/// A ledger's file while it is read, a piece at a time.
private struct LedgerReading {
  /// The real time: a first use after it is none, for a clock was ahead then.
  let now: Instant
  private var known = Ledger.Known()
  private var firstUse: Instant?
  private var firstUseTold: Instant?
  /// The earliest time at which something was due that was announced.
  private var earliest: Instant?

  /// The most bytes of a line.
  private static let lineLimit = 4096

  init(now: Instant) {
    self.now = now
  }

  mutating func read(_ path: FilePath, in files: any FileSystem) throws(Fault) {
    let file = try files.open(path, .read)
    defer { try? files.close(file) }
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = try files.read(file, into: &buffer)
      if count == 0 { break }
      for (place, byte) in buffer[..<count].enumerated() {
        if byte == Ledger.newline {
          note(line[...])
          line.removeAll(keepingCapacity: true)
        } else {
          known.end = known.size + Int64(place) + 2
          if line.count <= Self.lineLimit { line.append(byte) }
        }
      }
      known.size += Int64(count)
    }
    note(line[...])
  }

  private mutating func note(_ line: ArraySlice<UInt8>) {
    guard line.count <= Self.lineLimit, let (body, hash) = Ledger.checked(line) else {
      return
    }
    let words = body.split(separator: UInt8(ascii: " "))
    guard words.count > 1, let last = words.last,
      let seconds = Int64(String(decoding: last, as: UTF8.self))
    else { return }
    let instant = Instant(seconds: seconds)
    if words[0].elementsEqual(SilenceLog.word.utf8) {
      known.silence.read(String(decoding: body, as: UTF8.self))
    } else if words[0].elementsEqual(MailLog.word.utf8) {
      known.mail.read(String(decoding: body, as: UTF8.self))
    } else if words.count > 2 {
      known.marks.insert(LedgerMark(hash: hash))
      if !Announcement.isElsewhere(words[2]) {
        earliest = min(earliest ?? instant, instant)
      }
    } else if words[0].elementsEqual(Ledger.firstUseTopic.utf8) {
      if instant <= now { firstUse = min(firstUse ?? instant, instant) }
    } else if words[0].elementsEqual(Ledger.announcedTopic.utf8) {
      known.isFirstUseAnnounced = true
      if instant <= now { firstUseTold = min(firstUseTold ?? instant, instant) }
    }
  }

  /// Returns the content.
  ///
  /// If a file says nothing of the first use that can be, things are announced again rather than
  /// never: from the store's creation on, or from before the first thing that was announced.
  func result(storeCreated created: Instant) -> Ledger.Known {
    var known = known
    known.firstUse = firstUse ?? firstUseTold
    if known.firstUse == nil, known.end > 0 {
      let starts = [created, earliest?.adding(seconds: -1)].compactMap { $0 }
      known.firstUse = starts.filter { $0 <= now }.min() ?? .epoch
    }
    return known
  }
}
