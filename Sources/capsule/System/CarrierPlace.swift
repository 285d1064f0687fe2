import CapsuleCore

/// The place of a carrier, as it is named on the command line and in the list of carriers.
enum CarrierPlace: Hashable {
  /// An absolute path.
  case directory(FilePath)
  /// A directory of another machine, through `rsync` over `ssh`.
  case rsync(host: String, path: [UInt8])
  /// A directory of one of rclone's remotes, as rclone names it.
  case rclone([UInt8])

  private static let rclonePrefix = Array("rclone:".utf8)

  /// The place in the list of carriers.
  var bytes: [UInt8] {
    switch self {
    case .directory(let path): path.bytes
    case .rsync(let host, let path): Array("\(host):".utf8) + path
    case .rclone(let remote): Self.rclonePrefix + remote
    }
  }

  var text: String { FilePath(bytes: bytes).text }

  /// Reads a place.
  ///
  /// - Parameter directory: makes a path absolute.
  /// - Throws: `Failure`, in words.
  init(_ word: [UInt8], directory: ([UInt8]) throws -> FilePath) throws {
    guard !word.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw Failure.usage("the place of a carrier has no control characters in its name")
    }
    if word.starts(with: Self.rclonePrefix) {
      let remote = Array(word.dropFirst(Self.rclonePrefix.count))
      guard remote.first != UInt8(ascii: "-"), remote.contains(UInt8(ascii: ":")) else {
        throw Failure.usage(
          "'\(FilePath(bytes: word).text)' names no remote of rclone",
          hint: "write rclone:REMOTE:PATH; 'rclone listremotes' lists the remotes")
      }
      self = .rclone(remote)
      return
    }
    guard let colon = word.firstIndex(of: UInt8(ascii: ":")),
      !word[..<colon].contains(UInt8(ascii: "/")), colon > 0
    else {
      self = .directory(try directory(word))
      return
    }
    let host = String(decoding: word[..<colon], as: UTF8.self)
    let path = Array(word[(colon + 1)...])
    guard path.first != UInt8(ascii: ":"), !(host == "rsync" && path.starts(with: Array("//".utf8)))
    else {
      throw Failure.usage(
        "a carrier is not reached through an rsync daemon",
        hint: "write HOST:PATH, which goes through ssh")
    }
    let isHost = host.utf8.first != UInt8(ascii: "-") && host.utf8.allSatisfy(Self.isOfHost)
    guard isHost, !path.isEmpty else {
      throw Failure.usage(
        "'\(FilePath(bytes: word).text)' names no directory of a host",
        hint: "write HOST:PATH; for a directory here with a colon in its name './NAME'")
    }
    self = .rsync(host: host, path: path)
  }

  /// Letters, digits and what else stands in names of hosts and users.
  private static func isOfHost(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || Array("-_.@%".utf8).contains(byte)
  }

  /// Opens the way to it.
  func carrier(_ session: Session) -> any Carrier {
    switch self {
    case .directory(let path):
      DirectoryCarrier(path, session.host.files, session.host.random)
    case .rsync(let host, let path): RsyncCarrier(host: host, path: path, session)
    case .rclone(let remote): RcloneCarrier(remote: remote, session)
    }
  }
}
