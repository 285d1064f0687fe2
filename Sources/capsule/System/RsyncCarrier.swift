import CapsuleCore

/// A directory of another machine, reached by `rsync` over `ssh`. How `ssh` gets there is a matter of its own
/// configuration, or of `RSYNC_RSH`.
struct RsyncCarrier: Carrier {
  private let program: CarrierProgram
  private let files: any FileSystem
  private let place: [UInt8]

  init(host: String, path: [UInt8], _ session: Session) {
    var environment: [String: [UInt8]?] = [:]
    if session.environment["RSYNC_RSH"]?.isEmpty ?? true {
      // There may be nobody to answer: a question is a failure.
      environment["RSYNC_RSH"] = Array("ssh -o BatchMode=yes -o ConnectTimeout=20".utf8)
    }
    program = CarrierProgram("rsync", environment: environment, session)
    files = session.host.files
    var place = Array("\(host):".utf8) + path
    if place.last != UInt8(ascii: "/") { place.append(UInt8(ascii: "/")) }
    self.place = place
  }

  /// The codes of a transfer that left out files which are not there, or cannot be read (`rsync(1)`).
  private static let partial: Set<Int32> = [23, 24]

  private func run(
    _ options: [String], _ places: [[UInt8]], _ names: [CarrierName] = [], seconds: Int64,
    accepting accepted: Set<Int32> = []
  ) throws(CarrierFault) -> ProcessOutcome {
    let common = ["--protect-args", "--timeout=\(CarrierProgram.silence)"]
    return try program.run(
      (common + options + ["--"]).map { Array($0.utf8) } + places, names, seconds: seconds,
      accepting: accepted)
  }

  func make(by empty: FilePath) throws(CarrierFault) {
    do throws(CarrierFault) {
      _ = try run(
        ["--dirs", "--mkpath"], [empty.asFolder, place], seconds: CarrierProgram.brief)
    } catch {
      // An rsync before 3.2.3 makes one directory only.
      guard case .program(_, let line) = error, line.has("mkpath") else { throw error }
      _ = try run(["--dirs"], [empty.asFolder, place], seconds: CarrierProgram.brief)
    }
  }

  func list() throws(CarrierFault) -> CarrierListing {
    try list([
      "--recursive", "--include=/carrier.json", "--include=/identities.age",
      "--include=/heads/***", "--include=/blobs/***", "--exclude=*",
    ])
  }

  private func list(
    _ options: [String], _ names: [CarrierName] = [], to target: [[UInt8]] = []
  ) throws(CarrierFault) -> CarrierListing {
    let outcome = try run(
      ["--list-only", "--no-human-readable"] + options, [place] + target, names,
      seconds: CarrierProgram.brief, accepting: Self.partial)
    guard outcome.succeeded || !outcome.output.isEmpty else {
      throw .unreachable(FilePath(bytes: place).text)
    }
    var found = CarrierListing()
    // A line has the mode, the size, the date, the time and the name.
    for line in outcome.output.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 4)
      guard words.count == 5, line.first == UInt8(ascii: "-"),
        let size = Int64(String(decoding: words[1], as: UTF8.self)),
        let name = CarrierName(path: String(decoding: words[4], as: UTF8.self))
      else { continue }
      found.note(
        name, size: size,
        modified: words[2...3].map { String(decoding: $0, as: UTF8.self) }.joined(separator: " "))
    }
    return found
  }

  func get(_ fetches: [CarrierFetch], into directory: FilePath) throws(CarrierFault) {
    do throws(FileSystemError) { try files.createDirectories(directory) } catch { throw .io(error) }
    for (limit, names) in CarrierProgram.batches(fetches) {
      // The part of a file that is here is compared with it, and written on.
      _ = try run(
        ["--files-from=-", "--inplace", "--max-size=\(limit)"], [place, directory.asFolder], names,
        seconds: CarrierProgram.long, accepting: Self.partial)
    }
    CarrierProgram.dropLarger(fetches, in: directory, files)
  }

  func put(_ names: [CarrierName], from directory: FilePath) throws(CarrierFault) {
    // It writes a file under another name first, and renames it when it is whole. When the
    // connection breaks it keeps the part that has come in a folder beside, and compares it the
    // next time.
    let mayBeThere = names.contains(.identities) ? [] : ["--ignore-existing"]
    _ = try run(
      ["--files-from=-", "--partial-dir=.capsule-part"] + mayBeThere, [directory.asFolder, place],
      names, seconds: CarrierProgram.long)
    // Nothing is copied, but with a list of names it wants to know where to.
    let listed = try list(["--files-from=-"], names, to: [directory.asFolder])
    try CarrierProgram.requireSame(
      names, as: directory, in: listed, program.name, files)
  }

  func drop(_ names: [CarrierName], by empty: FilePath) throws(CarrierFault) {
    // It looks for the folders of the names, and deletes what it does not find in them.
    do throws(FileSystemError) {
      for parent in Set(names.map { empty.appending($0.path).parent }) {
        try files.createDirectories(parent)
      }
    } catch {
      throw .io(error)
    }
    _ = try run(
      ["--files-from=-", "--delete-missing-args"], [empty.asFolder, place], names,
      seconds: CarrierProgram.brief)
  }
}
