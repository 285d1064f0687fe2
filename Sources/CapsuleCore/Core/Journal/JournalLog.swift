import CapsulePlatform

/// One log of a journal: the frames of the records of one shard, in the order in which they were
/// written. One machine writes it, under the store's lock.
package struct JournalLog: Sendable {
  private let files: any FileSystem
  package let path: FilePath

  package init(_ files: any FileSystem, _ path: FilePath) {
    self.files = files
    self.path = path
  }

  /// Reads every whole frame.
  ///
  /// - Returns: the parts of the log that belong to no whole frame; none where there is no log.
  @discardableResult
  package func forEachEntry(
    _ body: (JournalEntry) -> Void
  ) throws(Fault) -> [Range<Int64>] {
    guard try files.statusIfPresent(path) != nil else { return [] }
    return try files.withFile(path, .read) { file throws(Fault) in
      var scanner = try JournalScanner(files, file)
      while let entry = try scanner.next() { body(entry) }
      return scanner.damage
    }
  }

  /// Reads one frame again; `nil` where none is at that place any more.
  package func entry(at offset: Int64) throws(Fault) -> JournalEntry? {
    try files.withFile(path, .read) { file throws(Fault) in
      var scanner = try JournalScanner(files, file)
      return try scanner.entry(at: offset)
    }
  }

  /// Adds frames at the end, after the rest of one that was not written whole is cut off.
  ///
  /// - Parameter synchronising: whether the frames survive a power cut when this returns; the log's
  ///   directory is the caller's to synchronise.
  /// - Returns: the length of the log in bytes, and the bytes that its last compaction kept.
  @discardableResult
  package func append(
    _ frames: [JournalFrame], synchronising: Bool
  ) throws(Fault) -> (size: Int64, kept: Int64) {
    let bytes = frames.flatMap(\.encoded)
    return try files.withFile(path, .append(mode: 0o600)) { file throws(Fault) in
      let status = try files.status(file)
      // A log with a second name is somebody else's file.
      guard status.links == 1 else { throw Fault(.open, path, code: EMLINK) }
      let size = status.size
      var end: (whole: Int64, kept: Int64) = (0, 0)
      if size > 0 {
        end = try files.withFile(path, .read) { other throws(Fault) in
          try tail(other, size)
        }
        if end.whole < size { try files.truncate(file, to: end.whole) }
      }
      try files.writeAll(file, bytes)
      if synchronising { try files.synchronize(file) }
      return (end.whole + Int64(bytes.count), end.kept)
    }
  }

  /// Returns the end of the last whole frame, and the bytes that a compaction kept by the first frame.
  private func tail(
    _ file: FileDescriptor, _ size: Int64
  ) throws(Fault) -> (whole: Int64, kept: Int64) {
    var kept: Int64 = 0
    var head = [UInt8](repeating: 0, count: JournalFrame.headerByteCount + 8)
    if try files.read(file, at: 0, into: &head) == head.count,
      let header = JournalFrameHeader(head[..<JournalFrame.headerByteCount]),
      header.frame.event == .compaction, header.bodyByteCount == 8
    {
      kept = head[JournalFrame.headerByteCount...].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
    // The length at the end leads to the header of the last frame, which says the same.
    var length = [UInt8](repeating: 0, count: 4)
    if size >= 4, try files.read(file, at: size - 4, into: &length) == 4 {
      let count = length.reversed().reduce(0) { $0 << 8 | Int64($1) }
      var bytes = [UInt8](repeating: 0, count: JournalFrame.headerByteCount)
      if count <= size, try files.read(file, at: size - count, into: &bytes) == bytes.count,
        let header = JournalFrameHeader(bytes), Int64(header.frameByteCount) == count
      {
        return (size, kept)
      }
    }
    var scanner = try JournalScanner(files, file)
    while try scanner.next() != nil {}
    if scanner.isExhausted { return (size, kept) }
    // A frame of full length stays although its bytes have changed: the others stand behind it.
    var end = scanner.wholeEnd
    while let length = try scanner.statedLength(at: end) { end += length }
    return (end, kept)
  }

  /// Writes the log anew with some of its frames, and sees to it that this survives a power cut.
  ///
  /// - Parameters:
  ///   - keeps: says for each place in the order of the log whether its frame stays.
  ///   - temporary: a path beside the log that nobody uses.
  package func compact(
    keeping keeps: (Int) -> Bool, at time: Instant, by temporary: FilePath
  ) throws(Fault) {
    var number = 0
    var kept: Int64 = 0
    // The length is written first, so the frames are counted before they are copied.
    try forEachEntry { entry in
      if entry.frame.event != .compaction, keeps(number) { kept += Int64(entry.byteCount) }
      number += 1
    }
    var first = JournalFrame(.compaction, .person, .capsule, .zero, revision: 0, at: time)
    withUnsafeBytes(of: kept.littleEndian) { first.body = Array($0) }
    do {
      try files.withFile(temporary, .createExclusive(mode: 0o600)) {
        output throws(Fault) in
        try files.writeAll(output, first.encoded)
        try forEachKept(keeps) { frame throws(Fault) in
          try files.writeAll(output, frame)
        }
        try files.synchronize(output)
      }
      try files.rename(temporary, to: path)
    } catch {
      try? files.unlink(temporary)
      guard error.condition == .noSpace || error.condition == .quotaExceeded else { throw error }
      return try compactInPlace(keeping: keeps, adding: [], at: time)
    }
    try files.synchronizeDirectory(path.parent)
  }

  /// Writes the log over itself, on a disk without room. A power cut meanwhile loses second copies.
  ///
  /// - Parameter frames: are added at the end.
  package func compactInPlace(
    keeping keeps: (Int) -> Bool, adding frames: [JournalFrame], at time: Instant
  ) throws(Fault) {
    var kept: [UInt8] = []
    try forEachKept(keeps) { frame throws(Fault) in kept += frame }
    var first = JournalFrame(.compaction, .person, .capsule, .zero, revision: 0, at: time)
    withUnsafeBytes(of: Int64(kept.count).littleEndian) { first.body = Array($0) }
    let bytes = first.encoded + kept + frames.flatMap(\.encoded)
    try files.withFile(path, .append(mode: 0o600)) { file throws(Fault) in
      try files.truncate(file, to: 0)
      try files.writeAll(file, bytes)
      try files.synchronize(file)
    }
  }

  private func forEachKept(
    _ keeps: (Int) -> Bool, _ body: ([UInt8]) throws(Fault) -> Void
  ) throws(Fault) {
    try files.withFile(path, .read) { file throws(Fault) in
      var scanner = try JournalScanner(files, file)
      var number = 0
      while let entry = try scanner.next() {
        if entry.frame.event != .compaction, keeps(number) { try body(entry.frame.encoded) }
        number += 1
      }
    }
  }
}

/// A whole frame that was found in a log.
package struct JournalEntry: Sendable {
  package let frame: JournalFrame
  /// The offset of the frame, in bytes from the start of the log.
  package let offset: Int64
  /// The length of the frame.
  package let byteCount: Int
  /// The SHA-256 of the frame's body.
  package let bodyDigest: [UInt8]
}

/// Reads the whole frames of a log, in order. Where one is damaged, it goes on with the next one.
package struct JournalScanner {
  private let files: any FileSystem
  private let file: FileDescriptor
  private let size: Int64
  private var position: Int64 = 0
  private var window: [UInt8] = []
  private var windowStart: Int64 = 0
  /// The bytes that may still be hashed: headers that name more than there is make no work without end.
  private var allowance: Int64

  /// The parts of the log that belong to no whole frame.
  package private(set) var damage: [Range<Int64>] = []
  /// Whether more was to be hashed than a log can ask for: what was not read is not known.
  package private(set) var isExhausted = false
  /// The end of the last whole frame.
  package private(set) var wholeEnd: Int64 = 0

  private static let windowSize = 1 << 18

  package init(_ files: any FileSystem, _ file: FileDescriptor) throws(Fault) {
    self.files = files
    self.file = file
    size = try files.status(file).size
    allowance = size.multipliedClamped(by: 4).addingClamped(1 << 20)
  }

  /// The next whole frame; `nil` at the end.
  package mutating func next() throws(Fault) -> JournalEntry? {
    while position < size {
      if let entry = try entry(at: position) {
        position += Int64(entry.byteCount)
        wholeEnd = position
        return entry
      }
      let next = try positionOfMagic(from: position + 1)
      if let last = damage.last, last.upperBound == position {
        damage[damage.count - 1] = last.lowerBound..<next
      } else {
        damage.append(position..<next)
      }
      position = next
    }
    return nil
  }

  /// The frame at a place, where a whole one is.
  package mutating func entry(at offset: Int64) throws(Fault) -> JournalEntry? {
    guard try fill(from: offset, count: JournalFrame.headerByteCount) else { return nil }
    let start = Int(offset - windowStart)
    guard window[start] == JournalFrame.magic[0],
      let header = JournalFrameHeader(window[start..<(start + JournalFrame.headerByteCount)])
    else { return nil }
    let count = header.frameByteCount
    guard Int64(count) <= size - offset else { return nil }
    guard Int64(count) <= allowance else {
      isExhausted = true
      return nil
    }
    guard try fill(from: offset, count: count)
    else { return nil }
    allowance -= Int64(count)
    let first = Int(offset - windowStart)
    return header.entry(window[first..<(first + count)], offset: offset)
  }

  /// Returns the length that the frame at a place states, where its header is whole and it would fit.
  package mutating func statedLength(at offset: Int64) throws(Fault) -> Int64? {
    guard try fill(from: offset, count: JournalFrame.headerByteCount) else { return nil }
    let start = Int(offset - windowStart)
    let header = JournalFrameHeader(window[start..<(start + JournalFrame.headerByteCount)])
    guard let header, Int64(header.frameByteCount) <= size - offset else { return nil }
    return Int64(header.frameByteCount)
  }

  /// Reads a part of the log into the window.
  ///
  /// - Returns: `false` where the log ends before.
  private mutating func fill(from offset: Int64, count: Int) throws(Fault) -> Bool {
    guard offset >= 0, Int64(count) <= size - offset else { return false }
    if offset >= windowStart, offset + Int64(count) <= windowStart + Int64(window.count) {
      return true
    }
    let wanted = Int(min(Int64(max(count, Self.windowSize)), size - offset))
    var bytes = window.count == wanted ? window : [UInt8](repeating: 0, count: wanted)
    window = []
    windowStart = offset
    let done = try files.read(file, at: offset, into: &bytes)
    if done < wanted { bytes.removeLast(wanted - done) }
    window = bytes
    return done >= count
  }

  private mutating func positionOfMagic(from offset: Int64) throws(Fault) -> Int64 {
    var offset = offset
    while size - offset >= Int64(JournalFrame.magic.count) {
      guard try fill(from: offset, count: JournalFrame.magic.count) else { break }
      let end = window.count - JournalFrame.magic.count
      var index = Int(offset - windowStart)
      while index <= end {
        if window[index] == JournalFrame.magic[0],
          window[index..<(index + JournalFrame.magic.count)].elementsEqual(JournalFrame.magic)
        {
          return windowStart + Int64(index)
        }
        index += 1
      }
      offset = windowStart + Int64(end + 1)
    }
    return size
  }
}

extension JournalFrameHeader {
  /// The frame of which this is the header; `nil` where its bytes are not those that were written.
  fileprivate func entry(_ bytes: ArraySlice<UInt8>, offset: Int64) -> JournalEntry? {
    let content = bytes.dropLast(JournalFrame.trailerByteCount)
    let name = content.dropFirst(JournalFrame.headerByteCount).prefix(nameByteCount)
    let body = content[name.endIndex...]
    let bodyDigest = body.withUnsafeBytes { SHA256.hash($0) }
    let digest = JournalFrame.digest(
      headerAndName: content[..<name.endIndex], bodyDigest: bodyDigest)
    guard bytes[content.endIndex...].prefix(digest.count).elementsEqual(digest),
      bytes.suffix(4).reversed().reduce(0, { $0 << 8 | Int($1) }) == bytes.count
    else { return nil }
    var whole = frame
    whole.name = Array(name)
    whole.body = Array(body)
    return JournalEntry(
      frame: whole, offset: offset, byteCount: bytes.count, bodyDigest: bodyDigest)
  }
}
