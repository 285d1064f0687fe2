/// The recipients of capsules that this machine has seen, so that one that is put in place of another is
/// noticed: whoever adds to a capsule seals to what its record says.
///
/// One file for each first two digits of the ids, a line for each capsule: its id, a space, and the
/// SHA-256 of its recipient in hexadecimal digits; the last line of an id counts. Nothing waits for it:
/// where it cannot be read nothing is known, and where it cannot be written nothing is kept.
package struct KnownLocks: Sendable {
  private let files: any FileSystem
  private let directory: FilePath?

  /// The most bytes of a file that are read.
  private static let sizeLimit = 16 << 20

  package init(_ store: Store) {
    files = store.files
    directory = store.stateDirectory?.appending("recipients")
  }

  /// Whether a recipient is the one that this machine knows of a capsule; `nil` where it knows none.
  package func knows(_ recipient: String, of id: RecordID) -> Bool? {
    all(shard: id.shard)[id].map { $0 == Self.digest(recipient) }
  }

  /// Keeps a capsule's recipient.
  package func keep(_ recipient: String, of id: RecordID) {
    guard let directory, knows(recipient, of: id) != true,
      (try? files.createDirectories(directory)) != nil
    else { return }
    // A line that was cut off by a crash ends here.
    let line = Array("\n\(id) \(Self.digest(recipient))\n".utf8)
    try? files.withFile(path(id.shard, in: directory), .append(mode: 0o600)) {
      file throws(FileSystemError) in try files.writeAll(file, line)
    }
  }

  /// The digests of the recipients that this machine knows, of the ids with these first two digits.
  package func all(shard: UInt8) -> [RecordID: String] {
    guard let directory,
      let bytes = try? files.readFile(path(shard, in: directory), limit: Self.sizeLimit)
    else { return [:] }
    var known: [RecordID: String] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      guard words.count == 2, words[1].count == 64,
        let id = RecordID(String(decoding: words[0], as: UTF8.self))
      else { continue }
      known[id] = String(decoding: words[1], as: UTF8.self)
    }
    return known
  }

  private func path(_ shard: UInt8, in directory: FilePath) -> FilePath {
    directory.appending(Hex.encode([shard]))
  }

  /// The digest by which a recipient is known.
  package static func digest(_ recipient: String) -> String {
    Hex.encode(SHA256.hash(Array(recipient.utf8)))
  }
}
