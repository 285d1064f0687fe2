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

  package init(_ files: any FileSystem, _ file: FileDescriptor) throws(FileSystemError) {
    self.files = files
    self.file = file
    size = try files.status(file).size
    allowance = size.multipliedClamped(by: 4).addingClamped(1 << 20)
  }

  /// The next whole frame; `nil` at the end.
  package mutating func next() throws(FileSystemError) -> JournalEntry? {
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
  package mutating func entry(at offset: Int64) throws(FileSystemError) -> JournalEntry? {
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
  package mutating func statedLength(at offset: Int64) throws(FileSystemError) -> Int64? {
    guard try fill(from: offset, count: JournalFrame.headerByteCount) else { return nil }
    let start = Int(offset - windowStart)
    let header = JournalFrameHeader(window[start..<(start + JournalFrame.headerByteCount)])
    guard let header, Int64(header.frameByteCount) <= size - offset else { return nil }
    return Int64(header.frameByteCount)
  }

  /// Reads a part of the log into the window.
  ///
  /// - Returns: `false` where the log ends before.
  private mutating func fill(from offset: Int64, count: Int) throws(FileSystemError) -> Bool {
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

  private mutating func positionOfMagic(from offset: Int64) throws(FileSystemError) -> Int64 {
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
