/// A file in the state directory, such as `pins`: what this device decided to trust, whatever a store says later.
///
/// Each line is proven (``CheckedLines``) and has words with single spaces between, in which other bytes than
/// letters, digits and `-._/` are written as `%` and two hexadecimal digits. Later lines take precedence. Lines
/// are only added. Where there is no file nothing is known, and where it cannot be written nothing is kept.
package struct DeviceMemory: Sendable {
  private let files: any FileSystem
  private let path: FilePath?

  /// The most bytes of the file that are read.
  private static let sizeLimit = 64 << 20

  package init(_ environment: StoreEnvironment, _ name: String) {
    files = environment.fileSystem
    path = environment.stateHome?.appending(name)
  }

  /// Returns the words of each whole line, the oldest first.
  ///
  /// - Throws: `.unreadableMemory` for a file that is there and cannot be read, or is too large.
  package func lines() throws(StoreError) -> [[String]] {
    guard let path else { return [] }
    let bytes: [UInt8]
    do throws(FileSystemError) { bytes = try files.readFile(path, limit: Self.sizeLimit) } catch {
      // No directory for it is no memory.
      if error.condition == .notFound || error.condition == .notDirectory { return [] }
      throw .unreadableMemory(error)
    }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard CheckedLines.isWhole(line) else { return nil }
      return Self.words(line.dropFirst(CheckedLines.prefixCount))
    }
  }

  /// Adds lines.
  ///
  /// - Returns: whether they are kept; not so where this device has no place for them.
  @discardableResult
  package func add(_ lines: [[String]]) -> Bool {
    do throws(FileSystemError) {
      try append(lines)
      return path != nil || lines.isEmpty
    } catch {
      return false
    }
  }

  /// Adds lines where this device has a place for them.
  package func append(_ lines: [[String]]) throws(FileSystemError) {
    guard let path, !lines.isEmpty else { return }
    try files.createDirectories(path.parent)
    // A line that was cut off by a crash ends here.
    var bytes = [UInt8(ascii: "\n")]
    for line in lines {
      bytes += CheckedLines.line(Self.text(line)[...]) + [UInt8(ascii: "\n")]
    }
    try files.withFile(path, .append(mode: 0o600)) { file throws(FileSystemError) in
      try files.writeAll(file, bytes)
      try files.synchronize(file)
    }
    try files.synchronizeDirectory(path.parent)
  }

  private static func text(_ words: [String]) -> [UInt8] {
    Array(words.map(escaped).joined(separator: [UInt8(ascii: " ")]))
  }

  private static func escaped(_ word: String) -> [UInt8] {
    word.utf8.flatMap { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-")...UInt8(ascii: "/"),
        UInt8(ascii: "_"):
        [byte]
      default: Array("%\(Hex.encode([byte]))".utf8)
      }
    }
  }

  private static func words(_ text: ArraySlice<UInt8>) -> [String] {
    text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map { word in
      var bytes: [UInt8] = []
      var rest = word[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), let decoded = Hex.decode(utf8: rest.prefix(2)),
          decoded.count == 1
        {
          bytes += decoded
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}
