/// A file of a carrier. No other name in it is looked at, and none is made, so nothing leads out of it.
package enum CarrierName: Hashable, Sendable {
  /// `carrier.json`
  case header
  /// `identities.age`: the store's identities, sealed to a passphrase or to recipients.
  case identities
  case segment(SegmentName)
  /// The file of a blob, by 64 digits.
  case blob(String)

  /// The path in the carrier.
  package var path: String {
    switch self {
    case .header: "carrier.json"
    case .identities: "identities.age"
    case .segment(let name): "heads/\(name.actor)/\(name.number)-\(name.digest).age"
    case .blob(let digits): "blobs/\(digits.prefix(2))/\(digits)"
    }
  }

  /// Reads a path; `nil` for one that this program does not make.
  package init?(path: String) {
    let parts = path.parts(at: "/").map { String($0) }
    switch (parts.first, parts.count) {
    case ("carrier.json", 1): self = .header
    case ("identities.age", 1): self = .identities
    case ("heads", 3):
      guard let name = SegmentName(actor: parts[1], file: parts[2]) else { return nil }
      self = .segment(name)
    case ("blobs", 3):
      guard parts[2].utf8.count == 64, let bytes = Hex.decode(parts[2]),
        Hex.encode(bytes) == parts[2], parts[1] == String(parts[2].prefix(2))
      else { return nil }
      self = .blob(parts[2])
    default: return nil
    }
  }
}

/// The name of a segment: who wrote it, the how-many-eth it is, and the first 16 digits of the SHA-256 of
/// its bytes.
package struct SegmentName: Hashable, Comparable, Sendable {
  package let actor: ActorID
  package let number: Int64
  package let digest: String

  package init(actor: ActorID, number: Int64, digest: [UInt8]) {
    self.actor = actor
    self.number = number
    self.digest = String(Hex.encode(digest).prefix(16))
  }

  init?(actor: String, file: String) {
    let parts = file.parts(at: ".").map { String($0) }
    guard parts.count == 2, parts[1] == "age", let actor = ActorID(actor) else { return nil }
    let words = parts[0].parts(at: "-").map { String($0) }
    guard words.count == 2, let number = Int64(words[0]), number > 0, number < 1 << 53,
      String(number) == words[0], words[1].utf8.count == 16, let bytes = Hex.decode(words[1]),
      Hex.encode(bytes) == words[1]
    else { return nil }
    self.actor = actor
    self.number = number
    digest = words[1]
  }

  package static func < (left: SegmentName, right: SegmentName) -> Bool {
    (left.actor, left.number, left.digest) < (right.actor, right.number, right.digest)
  }
}

/// The files of a carrier, as it lists them.
package struct CarrierListing: Sendable {
  private struct File: Sendable {
    var size: Int64
    /// The time of its last change, in the carrier's own words; `nil` where nothing is known of it.
    var modified: String?
  }

  private var files: [CarrierName: File] = [:]

  package init() {}

  /// The size of a file in bytes; `nil` where it is not there.
  package subscript(name: CarrierName) -> Int64? {
    get { files[name]?.size }
    set { files[name] = newValue.map { File(size: $0, modified: nil) } }
  }

  package mutating func note(_ name: CarrierName, size: Int64, modified: String) {
    files[name] = File(size: size, modified: modified)
  }

  package var isEmpty: Bool { files.isEmpty }
  package var keys: some Collection<CarrierName> { files.keys }
  package var sizes: [(name: CarrierName, size: Int64)] { files.map { ($0.key, $0.value.size) } }

  /// The size and the time of the last change of a file: another file of that name has others.
  func mark(_ name: CarrierName) -> String? {
    guard let file = files[name], let modified = file.modified else { return nil }
    return "\(file.size) \(modified)"
  }
}

/// A file that is to be fetched from a carrier.
package struct CarrierFetch: Hashable, Sendable {
  package let name: CarrierName
  /// The most bytes that it may have.
  package let limit: Int64

  package init(_ name: CarrierName, limit: Int64) {
    self.name = name
    self.limit = limit
  }
}

/// The reason why a carrier did not do something. Nothing is lost by it: the next sync tries again.
extension Fault {
  /// It is not there now: a disk that is not mounted, a host without an answer.
  package static func unreachable(_ place: String) -> Fault {
    Fault(
      .remoteUnreachable, "cannot reach the remote '\(open: .name)': '\(place)'",
      hint: "mount the disk or connect to the network, then try again; nothing is lost")
  }

  /// The program that reaches it is not installed.
  package static func noProgram(_ program: String) -> Fault {
    Fault(
      .noProgram, "cannot reach the remote '\(open: .name)': '\(program)' is not installed",
      hint: "install it ('apt install \(program)' or 'brew install \(program)'), then try again; "
        + "nothing is lost")
  }

  /// The program failed, with the line in which it says why.
  package static func program(_ program: String, line: String) -> Fault {
    Fault(
      .programFailed,
      "'\(program)' failed for the remote '\(open: .name)': \(line)",
      hint: "fix the cause, then try again; nothing is lost", cause: line)
  }

  /// The program did not end in time, in seconds.
  package static func timedOut(_ program: String, seconds: Int64) -> Fault {
    Fault(
      .programFailed,
      "'\(program)' took longer than \(DurationUnit.second.text(Int(seconds))) for the remote '\(open: .name)'",
      hint: "try again; nothing is lost")
  }

  /// Something else stands where it is to have a directory: a link leads out of it.
  package static func notDirectory(_ path: String) -> Fault {
    Fault(
      .remoteConflict, "'\(path)' in the remote '\(open: .name)' is not a directory",
      hint: "replace a link with the directory itself, and move any other file away",
      details: ["path": .string(path)])
  }

  /// It has a file of that name already, of another size.
  package static func occupied(_ path: String) -> Fault {
    Fault(
      .remoteConflict, "the remote '\(open: .name)' already has a different '\(path)'",
      hint: "remove that file from the remote, then try again")
  }
}

/// A place that several machines reach, in batches: a program that is started for it is started once a
/// batch.
///
/// Nothing that a carrier says is trusted: files are looked at when they are here.
package protocol Carrier: Sendable {
  /// The directory that it is on this machine; `nil` where it is elsewhere.
  var directory: FilePath? { get }

  /// Makes the place, where there is none.
  ///
  /// - Parameter empty: a directory without files.
  func make(by empty: FilePath) throws(Fault)

  func list() throws(Fault) -> CarrierListing

  /// Copies files below a directory, under their paths. A file that is not there, not whole, or larger than its
  /// limit may be missing afterwards, or short. One whose beginning is in the directory is continued where the
  /// carrier can.
  func get(_ files: [CarrierFetch], into directory: FilePath) throws(Fault)

  /// Copies files from below a directory, each whole or not at all. An interrupted copy of the same
  /// bytes is continued where the carrier can.
  func put(_ names: [CarrierName], from directory: FilePath) throws(Fault)

  /// Removes files that nobody needs any more; those that are gone already are gone.
  ///
  /// - Parameter empty: a directory without files.
  func drop(_ names: [CarrierName], by empty: FilePath) throws(Fault)
}

extension Carrier {
  package var directory: FilePath? { nil }
}
