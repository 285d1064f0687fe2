/// Lines that each begin with two checks of the text behind them: 8 digits of the CRC-32 of the
/// rest of the line, a space, 16 digits of the SHA-256 of the text, and a space. Lines that are
/// written together end with a line `C`: lines behind the last of these were interrupted.
///
/// The first check finds the damage of a disk in all lines at the speed of reading them; the second proves a
/// line before what it says is used.
package enum CheckedLines {
  /// The digits and the spaces before the text of a line, in bytes.
  package static let prefixCount = 26

  /// A line of a text, without its end.
  package static func line(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let rest = proof(of: text) + [UInt8(ascii: " ")] + text
    return digits(CRC32.of(rest)) + [UInt8(ascii: " ")] + rest
  }

  private static func digits(_ check: UInt32) -> [UInt8] {
    (0..<8).map { place in
      let digit = UInt8(truncatingIfNeeded: check >> UInt32(28 - 4 * place) & 15)
      return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
  }

  /// The number of 8 digits, as `digits` writes them; `nil` for anything else.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    var number: UInt32 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt32(digit - 48)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt32(digit - 87)
      default: return nil
      }
    }
    return number
  }

  private static func proof(of text: ArraySlice<UInt8>) -> [UInt8] {
    let digest = text.withUnsafeBytes { SHA256.hash($0) }
    return Array(Hex.encode(Array(digest.prefix(8))).utf8)
  }

  /// Whether a line, without its end, has the form and the first check of what was written.
  package static func isIntact(_ line: ArraySlice<UInt8>) -> Bool {
    let start = line.startIndex
    guard line.count > prefixCount, line[start + 8] == UInt8(ascii: " "),
      line[start + 25] == UInt8(ascii: " ")
    else { return false }
    return number(line.prefix(8)) == CRC32.of(line.dropFirst(9))
  }

  /// Whether a line, without its end, is what was written.
  package static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    guard isIntact(line) else { return false }
    return line.dropFirst(9).prefix(16).elementsEqual(proof(of: line.dropFirst(prefixCount)))
  }

  /// The place of the next newline.
  package static func newline(in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { buffer in
      var index = start
      // Eight bytes at once: a byte of zeros in `rest` is a newline.
      while index + 8 <= buffer.count {
        let word = buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let rest = word ^ 0x0a0a_0a0a_0a0a_0a0a
        if (rest &- 0x0101_0101_0101_0101) & ~rest & 0x8080_8080_8080_8080 != 0 { break }
        index &+= 8
      }
      while index < buffer.count {
        if buffer[index] == 0x0A { return index }
        index += 1
      }
      return nil
    }
  }

  /// Whether something ends after a place: a line before it that is not whole was damaged, not interrupted.
  package static func hasEnd(in bytes: [UInt8], after start: Int) -> Bool {
    let text: [UInt8] = [UInt8(ascii: "C")]
    let end = line(text[...])
    var start = start
    while let newline = newline(in: bytes, from: start) {
      if bytes[start..<newline].elementsEqual(end) { return true }
      start = newline + 1
    }
    return false
  }

  /// Whether a line before the last end is not what was written.
  static func areDamaged(_ bytes: [UInt8]) -> Bool {
    var start = 0
    while let newline = newline(in: bytes, from: start) {
      guard isWhole(bytes[start..<newline]) else { return hasEnd(in: bytes, after: start) }
      start = newline + 1
    }
    return false
  }
}

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

/// The memory of a check that left nothing to announce, so that the next one need only look at what
/// became due since then, and not read what was announced in all the years before.
///
/// `checked` in the state directory is a cache: without it, or where it rests on something that has
/// changed, everything is looked at.
package struct LastCheck: Hashable, Sendable {
  /// Everything that was due until then was announced.
  package let through: Instant
  /// The state that this rests on: the ledger's file, the records, the zone and the settings, as
  /// one line.
  package let basis: String

  package init(through: Instant, basis: String) {
    self.through = through
    self.basis = basis
  }

  /// Returns the state that a check rests on; `nil` while there is no ledger.
  ///
  /// - Parameters:
  ///   - indexes: the stamp of the index of each kind that has something to announce.
  ///   - zone: the user's zone, in which dates become instants.
  package static func basis(
    _ directory: FilePath, of store: Store, indexes: [(RecordKind, UInt64)], zone: String
  ) -> String? {
    let files = store.files
    guard let ledger = try? files.status(Ledger.path(directory)) else { return nil }
    var words = ["ledger", text(FileStamp(ledger))]
    let settings = try? files.status(store.layout.settings)
    words += ["settings", settings.map { text(FileStamp($0)) } ?? "-"]
    for (kind, stamp) in indexes {
      words += [kind.rawValue, "\(stamp)"]
    }
    return (words + ["zone", zone]).joined(separator: " ")
  }

  private static func text(_ stamp: FileStamp) -> String {
    let (modified, changed) = (stamp.modified, stamp.changed)
    return "\(stamp.inode) \(stamp.size) \(modified.seconds).\(modified.nanoseconds)"
      + " \(changed.seconds).\(changed.nanoseconds)"
  }
}

extension LastCheck {
  private static func path(_ directory: FilePath) -> FilePath {
    directory.appending("checked")
  }

  private var line: String { "\(through.seconds) \(basis)" }

  /// Reads the one that was kept; `nil` where there is none that is whole.
  package static func read(
    _ directory: FilePath, environment: StoreEnvironment
  ) -> LastCheck? {
    guard
      let bytes = try? environment.fileSystem.readFile(path(directory), limit: 1 << 16),
      bytes.last == UInt8(ascii: "\n"), let line = Ledger.checked(bytes.dropLast()),
      let space = line.firstIndex(of: " "), let seconds = Int64(line[..<space])
    else { return nil }
    return LastCheck(
      through: Instant(seconds: seconds), basis: String(line[line.index(after: space)...]))
  }

  /// Writes it, without synchronising: what a power cut takes is made anew. A failure to write is
  /// no failure of the check.
  package func write(_ directory: FilePath, environment: StoreEnvironment) {
    let files = environment.fileSystem
    guard let name = try? environment.temporaryName() else { return }
    let temporary = directory.appending("checked.\(name)")
    let bytes = Array("\(line) \(Ledger.digits(line))\n".utf8)
    do throws(FileSystemError) {
      try files.withFile(temporary, .createExclusive(mode: 0o600)) { file throws(FileSystemError) in
        try files.writeAll(file, bytes)
      }
      try files.rename(temporary, to: Self.path(directory))
    } catch {
      try? files.unlink(temporary)
    }
  }
}

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
