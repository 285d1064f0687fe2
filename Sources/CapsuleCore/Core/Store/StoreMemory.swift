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

  /// The texts of the lines that are what was written, the oldest first.
  static func texts(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: UInt8(ascii: "\n")).filter(isWhole).map { $0.dropFirst(prefixCount) }
  }

  /// Whole lines of texts.
  static func lines(_ texts: [[UInt8]]) -> [UInt8] {
    texts.flatMap { line($0[...]) + [UInt8(ascii: "\n")] }
  }
}

/// What this machine remembers about a store, apart from what it announced and whom it trusts. It only saves work,
/// or makes something known sooner.
///
/// `memory` in the state directory is a file of checked lines (``CheckedLines``), each a name, a space and JSON. The last
/// line of a name counts. Lines are added without synchronizing, and a failure to read or write the file fails
/// nothing. What is of one directory has its inode in the name: a copy of a store does not take the store's.
package struct StoreMemory: StoreSubject {
  package let store: Store

  /// The names of what is remembered.
  enum Name: String, CaseIterable {
    /// Of all directories of the store.
    case seen, warned, away, checked, places, absent
    /// Of one directory.
    case verified
    case backedUp = "backed-up"
    case reminded, missed, others
  }

  /// The most bytes that are read.
  private static let sizeLimit = 1 << 26
  /// The size from which on the file is written again without the lines that no longer count.
  private static let compactionSize: Int64 = 1 << 16

  /// The name of the file in the state directory of a store.
  static let fileName = "memory"

  private var path: FilePath? {
    store.stateDirectory?.appending(Self.fileName)
  }

  /// Returns the value of a name; `nil` where none is known.
  func read(_ name: Name) -> JSON? {
    guard let path else { return nil }
    return formerValue(name) ?? Self.read(text(name), in: path, files)
  }

  /// Returns the value of a name in a file; `nil` where none is known.
  static func read(_ name: String, in path: FilePath, _ files: any FileSystem) -> JSON? {
    guard let bytes = try? files.readFile(path, limit: sizeLimit) else { return nil }
    let word = Array("\(name) ".utf8)
    let line = bytes.split(separator: UInt8(ascii: "\n")).last { line in
      line.dropFirst(CheckedLines.prefixCount).starts(with: word) && CheckedLines.isWhole(line)
    }
    return line.flatMap {
      try? JSON.parse(Array($0.dropFirst(CheckedLines.prefixCount + word.count)))
    }
  }

  /// Keeps a value in the place of the one before.
  ///
  /// - Returns: whether that was possible.
  @discardableResult
  func keep(_ name: Name, _ value: JSON) -> Bool { keep([(name, value)]) }

  private func keep(_ news: [(Name, JSON)]) -> Bool {
    guard let path, let suffix = try? environment.temporaryName() else { return false }
    var values = Name.allCases.compactMap { other in formerValue(other).map { (other, $0) } }
    values += news
    let texts = values.map { word($0.0) + $0.1.encoded(.compact) }
    do {
      if let live = try liveLines(path) {
        try files.replace(
          path, CheckedLines.lines(live + texts), mode: 0o600,
          by: FilePath(bytes: path.bytes + Array(".\(suffix)".utf8)))
      } else {
        try files.addLines(CheckedLines.lines(texts), to: path, synchronizing: false)
      }
    } catch {
      return false
    }
    for name in Name.allCases {
      if let path = formerPath(name) { try? files.unlink(path) }
    }
    return true
  }

  /// The name in a line; an earlier program had a file of this name in the place of the line.
  private func text(_ name: Name) -> String {
    switch name {
    case .seen, .warned, .away, .checked, .places, .absent: name.rawValue
    case .verified, .backedUp, .reminded, .missed, .others:
      "\(name.rawValue)-\(store.place.inode)"
    }
  }

  private func word(_ name: Name) -> [UInt8] { Array("\(text(name)) ".utf8) }

  /// The texts that count, where the file is large and most of it does not count; else `nil`.
  ///
  /// Names of a newer program are among them. What another process adds while the file is written again is lost,
  /// as it was where two wrote the same file.
  private func liveLines(_ path: FilePath) throws(Fault) -> [[UInt8]]? {
    guard let size = try files.statusIfPresent(path)?.size, size > Self.compactionSize else {
      return nil
    }
    // It is not read either.
    if size > Int64(Self.sizeLimit) { return [] }
    var live: [ArraySlice<UInt8>: ArraySlice<UInt8>] = [:]
    for text in CheckedLines.texts(in: try files.readFile(path, limit: Self.sizeLimit)) {
      live[text.prefix { $0 != UInt8(ascii: " ") }] = text
    }
    guard size / 4 > live.values.reduce(0, { $0 + Int64($1.count) }) else { return nil }
    return live.values.map { Array($0) }
  }
}

// Each name was a file of its own in earlier programs. All of them are taken over and removed when a value is kept;
// where one is there, an earlier program wrote it since, and it counts.
extension StoreMemory {
  private func formerPath(_ name: Name) -> FilePath? {
    store.stateDirectory?.appending(text(name))
  }

  private func formerValue(_ name: Name) -> JSON? {
    // A check that knows no earlier one looks at everything.
    guard name != .checked, let path = formerPath(name),
      let bytes = try? files.readFile(path, limit: Self.sizeLimit)
    else { return nil }
    guard name == .missed else { return try? JSON.parse(bytes) }
    return .object(
      JSONObject(
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { line -> (String, JSON)? in
          let words = String(decoding: line, as: UTF8.self).split(separator: " ")
          guard words.count == 2, let seconds = Int64(words[1]) else { return nil }
          return (String(words[0]), .integer(seconds))
        }))
  }
}

// The last time that this machine saw while it used a store: it moves no gate, it only shows that a clock went back.
extension StoreMemory {
  private func time(_ name: Name) -> Instant? {
    read(name)?.integer.map { Instant(seconds: $0) }
  }

  /// Compares the clock with the last time seen, and keeps the new time.
  ///
  /// It is a courtesy: where the time cannot be read or kept, there is no warning. A first use also keeps what the
  /// journals of other machines are then.
  ///
  /// - Parameter place: the path that the store is used by, which is kept with the time.
  /// - Returns: the time seen before, when the clock stands before it: once a jump.
  package func noteTime(_ now: Instant, at place: FilePath) -> Instant? {
    let seen = time(.seen)
    // The time is written at most once a minute: it need not be exact.
    if let seen, now >= seen, now.seconds(since: seen) < 60 { return nil }
    var news: [(Name, JSON)] = [(.seen, .integer(now.seconds))]
    news += newPlaces(place, now).map { (.places, $0) }
    if keptOthers == nil { news.append((.others, OtherJournals(store.journal).json)) }
    _ = keep(news)
    guard let seen, now < seen else { return nil }
    return seen
  }

  /// Keeps that a warning is given now.
  ///
  /// - Returns: `false` where one was given within a day.
  package func noteWarning(_ now: Instant) -> Bool { note(.warned, now) }

  /// Keeps that `check` reports records that are away now; as ``noteWarning(_:)``.
  package func noteAway(_ now: Instant) -> Bool { note(.away, now) }

  private func note(_ name: Name, _ now: Instant) -> Bool {
    if let last = time(name), (0..<86_400).contains(now.seconds(since: last)) { return false }
    keep(name, .integer(now.seconds))
    return true
  }
}

// The paths that the store was used by on this device, each with the time; see ``KnownStores``.
extension StoreMemory {
  /// The paths of a store that are kept, those used last.
  private static let placeLimit = 16

  /// A path as it is kept.
  static func text(ofPlace path: FilePath) -> String { path.withoutEndingSlash.text }

  /// The paths with one that the store is used by now; none where that was kept within a day.
  private func newPlaces(_ path: FilePath, _ now: Instant) -> [JSON] {
    let text = Self.text(ofPlace: path)
    var places = read(.places)?.object ?? [:]
    if let last = places[text]?.integer, (0..<86_400).contains(now.seconds.subtractingClamped(last))
    {
      return []
    }
    places[text] = .integer(now.seconds)
    let newest = places.sorted { ($0.value.integer ?? 0) > ($1.value.integer ?? 0) }
    return [.object(JSONObject(newest.prefix(Self.placeLimit).map { ($0.key, $0.value) }))]
  }
}

// The times since which this machine misses records that only others' journals name.
extension StoreMemory {
  var missed: [RecordID: Instant] {
    var times: [RecordID: Instant] = [:]
    for member in read(.missed)?.object ?? [:] {
      guard let id = RecordID(member.key), let seconds = member.value.integer else { continue }
      times[id] = Instant(seconds: seconds)
    }
    return times
  }

  /// Keeps the times; where that fails, the week begins anew with the next verification.
  func keepMissed(_ times: [RecordID: Instant]) {
    guard times != missed else { return }
    let members = times.sorted { $0.key < $1.key }
    keep(
      .missed,
      .object(JSONObject(members.map { ($0.key.description, .integer($0.value.seconds)) })))
  }
}

/// The memory of a check that left nothing to announce, so that the next one need only look at what
/// became due since then, and not read what was announced in all the years before.
///
/// It is a cache: without it, or where it rests on something that has changed, everything is looked at.
package struct LastCheck: Hashable, Sendable {
  /// Everything that was due until then was announced.
  package let through: Instant
  /// The state that this rests on: the ledger's file, the records, the zone and the settings, as
  /// one line.
  package let basis: String

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
    var words = ["ledger", FileStamp(ledger).text]
    let settings = try? files.status(store.layout.settings)
    words += ["settings", settings.map { FileStamp($0).text } ?? "-"]
    for (kind, stamp) in indexes { words += [kind.rawValue, "\(stamp)"] }
    return (words + ["zone", zone]).joined(separator: " ")
  }
}

extension LastCheck {
  /// Reads the one that was kept; `nil` where there is none.
  package init?(of store: Store) {
    guard let value = store.memory.read(.checked), let through = value["through"]?.integer,
      let basis = value["basis"]?.string
    else { return nil }
    self.init(through: Instant(seconds: through), basis: basis)
  }

  /// Keeps it. A failure is no failure of the check.
  package func keep(for store: Store) {
    store.memory.keep(
      .checked, ["through": .integer(through.seconds), "basis": .string(basis)])
  }
}
