import CapsuleCore

/// A carrier as this machine knows it: by a name of the user's.
struct NamedCarrier {
  let name: String
  let store: RecordID
  let place: CarrierPlace

  /// Opens the way to it.
  func carrier(_ session: Session) -> any Carrier { place.carrier(session) }
}

/// `$XDG_CONFIG_HOME/capsule/carriers`, a line each: a name, the id of the store, and the place. It is this
/// machine's: a store that is synchronised must not be able to name a place.
struct Carriers {
  private(set) var all: [NamedCarrier] = []
  private let path: FilePath

  init(_ session: Session) throws {
    guard let directory = session.places.configuration else {
      throw Fault(
        .usage,
        "no directory for the list of remotes: HOME is not set and the account has no home directory",
        hint: "set the variable XDG_CONFIG_HOME")
    }
    path = directory.appending("carriers")
    let bytes = try session.files.readConfiguration(path, limit: 1 << 20) ?? []
    for (number, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      if line.first == UInt8(ascii: "#") { continue }
      let words = line.split(
        separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
      let wrong = Fault.usage(
        "invalid remote on line \(number + 1) of '\(path.text)'",
        hint: "write a name, the id of the store, and a place")
      guard words.count == 3, let store = RecordID(String(decoding: words[1], as: UTF8.self)) else {
        throw wrong
      }
      let place = try CarrierPlace(Array(words[2])) { word in
        guard word.first == UInt8(ascii: "/") else { throw wrong }
        return FilePath(bytes: word)
      }
      all.append(
        NamedCarrier(
          name: String(decoding: words[0], as: UTF8.self), store: store, place: place))
    }
  }

  func of(_ store: Store) -> [NamedCarrier] {
    all.filter { $0.store == store.header.id }
  }

  /// The carriers of a store besides some, as far as they are directories: it costs next to nothing to look at
  /// them.
  func directories(of store: Store, besides carriers: [NamedCarrier]) -> [NamedCarrier] {
    of(store).filter { other in
      guard case .directory = other.place else { return false }
      return !carriers.contains { $0.place == other.place }
    }
  }

  /// Sees that the name of a carrier is not that of another one.
  func requireFree(_ carrier: NamedCarrier) throws {
    let others = all.filter { $0.store == carrier.store && $0.name == carrier.name }
    guard let other = others.first(where: { $0.place != carrier.place }) else { return }
    throw Fault(
      .refused, "another remote is called '\(carrier.name)': '\(other.place.text)'",
      hint: "choose another name")
  }

  mutating func add(_ carrier: NamedCarrier, _ session: Session) throws {
    all.removeAll { $0.name == carrier.name && $0.store == carrier.store }
    all.append(carrier)
    try write(session)
  }

  mutating func remove(_ carrier: NamedCarrier, _ session: Session) throws {
    all.removeAll {
      $0.name == carrier.name && $0.store == carrier.store && $0.place == carrier.place
    }
    try write(session)
  }

  private func write(_ session: Session) throws {
    let files = session.host.files
    try files.createDirectories(path.parent)
    let temporary = FilePath(
      bytes: path.bytes + Array(".\(try session.stores.environment.temporaryName())".utf8))
    let lines = all.flatMap {
      Array("\($0.name) \($0.store) ".utf8) + $0.place.bytes + [UInt8(ascii: "\n")]
    }
    try files.replace(path, lines, mode: 0o600, by: temporary)
  }

  /// Checks a name that the user chose.
  static func name(_ text: String) throws -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
    }
    guard !text.isEmpty, text.utf8.count <= 64, isPlain else {
      throw Fault.usage(
        "invalid remote name '\(text)'",
        hint: "use letters, digits, hyphens, underscores and points")
    }
    return text
  }

  /// The place that a word means.
  static func place(_ word: FilePath, _ session: Session) throws -> CarrierPlace {
    try CarrierPlace(word.bytes) { word in
      if word.first == UInt8(ascii: "/") { return FilePath(bytes: word) }
      guard let working = session.host.workingDirectory() else {
        throw Fault(.io, "the working directory no longer exists", hint: "use an absolute path")
      }
      return FilePath(bytes: working).appending(bytes: word)
    }
  }
}

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
  /// - Throws: ``Fault``.
  init(_ word: [UInt8], directory: ([UInt8]) throws -> FilePath) throws {
    guard !word.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw Fault.usage("the place of a remote cannot contain control characters")
    }
    if word.starts(with: Self.rclonePrefix) {
      let remote = Array(word.dropFirst(Self.rclonePrefix.count))
      guard remote.first != UInt8(ascii: "-"), remote.contains(UInt8(ascii: ":")) else {
        throw Fault.usage(
          "'\(FilePath(bytes: word).text)' is not an rclone remote",
          hint: "write rclone:REMOTE:PATH; list the remotes: rclone listremotes")
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
      throw Fault.usage(
        "rsync daemons are not supported",
        hint: "write HOST:PATH to use ssh")
    }
    let isHost = host.utf8.first != UInt8(ascii: "-") && host.utf8.allSatisfy(Self.isOfHost)
    guard isHost, !path.isEmpty else {
      throw Fault.usage(
        "'\(FilePath(bytes: word).text)' is not a directory on a host",
        hint: "write HOST:PATH; for a local directory with a colon, write ./NAME")
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
    case .rsync(let host, let path): ProgramCarrier(host: host, path: path, session)
    case .rclone(let remote): ProgramCarrier(rclone: remote, session)
    }
  }
}
