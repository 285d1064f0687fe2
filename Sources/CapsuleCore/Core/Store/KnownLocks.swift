/// The recipients of capsules that this machine has seen, so that one that is put in place of another is
/// noticed: whoever adds to a capsule seals to what its record says.
///
/// One file for each first two digits of the ids, with three kinds of lines, of which the last of an id
/// counts: its id, a space, and the SHA-256 of its recipient in hexadecimal digits; its id, ` opened `,
/// and the beginning of the SHA-256 of a record whose lock was opened and found to fit; and its id, ` spare `,
/// and the beginnings of the SHA-256 of its spare and of the recipient that it is sealed to. Nothing waits for
/// it: where it cannot be read nothing is known, and where it cannot be written nothing is kept.
package struct KnownLocks: Sendable {
  /// The capsules of one shard that are known.
  package struct Shard: Sendable {
    fileprivate var recipients: [RecordID: String] = [:]
    fileprivate var opened: [RecordID: String] = [:]
    fileprivate var spares: [RecordID: (spare: String, recipient: String)] = [:]

    /// Whether a recipient is the one that this machine knows of a capsule; `nil` where it knows none.
    package func knows(_ recipient: String, of id: RecordID) -> Bool? {
      recipients[id].map { $0 == KnownLocks.digest(recipient) }
    }

    /// Whether the lock in a record with this digest was opened before, and found to fit.
    func wasOpened(_ id: RecordID, _ digest: [UInt8]?) -> Bool {
      guard let digest, let known = opened[id] else { return false }
      return known == KnownLocks.beginning(of: digest)
    }
  }

  private let files: any FileSystem
  private let directory: FilePath?

  private static let openedWord = "opened"
  private static let spareWord = "spare"

  /// The most bytes of a file that are read.
  private static let sizeLimit = 16 << 20

  package init(_ store: Store) {
    files = store.files
    directory = store.stateDirectory?.appending("recipients")
  }

  /// Whether a recipient is the one that this machine knows of a capsule; `nil` where it knows none.
  package func knows(_ recipient: String, of id: RecordID) -> Bool? {
    all(shard: id.shard).knows(recipient, of: id)
  }

  /// Keeps a capsule's recipient.
  package func keep(_ recipient: String, of id: RecordID) {
    guard knows(recipient, of: id) != true else { return }
    append("\(id) \(Self.digest(recipient))\n", shard: id.shard)
  }

  /// Whether a spare is sealed to a recipient; `nil` where this machine has not made it.
  func knows(spare: String, for recipient: String, of id: RecordID) -> Bool? {
    guard let known = all(shard: id.shard).spares[id], known.spare == Self.beginning(of: spare)
    else { return nil }
    return known.recipient == Self.beginning(of: recipient)
  }

  /// Keeps for whom a spare is.
  func keep(spare: String, for recipient: String, of id: RecordID) {
    guard knows(spare: spare, for: recipient, of: id) != true else { return }
    let words = [Self.spareWord, Self.beginning(of: spare), Self.beginning(of: recipient)]
    append("\(id) \(words.joined(separator: " "))\n", shard: id.shard)
  }

  /// Keeps that the locks in these records of one shard were opened, and fit.
  func keep(opened records: [(id: RecordID, digest: [UInt8])], shard: UInt8) {
    guard !records.isEmpty else { return }
    append(
      records.map { "\($0.id) \(Self.openedWord) \(Self.beginning(of: $0.digest))\n" }.joined(),
      shard: shard)
  }

  private func append(_ lines: String, shard: UInt8) {
    guard let directory else { return }
    try? files.addLines(
      Array(lines.utf8), to: path(shard, in: directory), synchronizing: false)
  }

  /// Returns what this machine knows of the capsules whose ids have these first two digits.
  package func all(shard: UInt8) -> Shard {
    var known = Shard()
    guard let directory,
      let bytes = try? files.readFile(path(shard, in: directory), limit: Self.sizeLimit)
    else { return known }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      guard let first = words.first, let id = RecordID(utf8: first) else { continue }
      switch words.count {
      case 2 where words[1].count == 64:
        known.recipients[id] = String(decoding: words[1], as: UTF8.self)
      case 3 where words[1].elementsEqual(Self.openedWord.utf8):
        known.opened[id] = String(decoding: words[2], as: UTF8.self)
      case 4 where words[1].elementsEqual(Self.spareWord.utf8):
        known.spares[id] = (
          String(decoding: words[2], as: UTF8.self), String(decoding: words[3], as: UTF8.self)
        )
      default: continue
      }
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

  private static func beginning(of text: String) -> String {
    beginning(of: SHA256.hash(Array(text.utf8)))
  }

  private static func beginning(of digest: [UInt8]) -> String {
    Hex.encode(Array(digest.prefix(16)))
  }
}
