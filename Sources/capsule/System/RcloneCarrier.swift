import CapsuleCore
import Synchronization

/// A directory of one of rclone's remotes. The remotes, and the ways to reach them, are in rclone's
/// own configuration.
struct RcloneCarrier: Carrier {
  private let program: CarrierProgram
  private let files: any FileSystem
  private let random: RandomSource
  private let remote: [UInt8]
  private let way = Way()

  init(remote: [UInt8], _ session: Session) {
    program = CarrierProgram("rclone", session)
    files = session.host.files
    random = session.host.random
    self.remote = remote
  }

  /// The way in which a file gets its name only when it is whole.
  private enum Putting: Sendable {
    /// Copied: the service, or rclone itself, sees to it.
    case direct
    /// Copied under another name, then moved by the service.
    case moved
  }

  /// The answer of rclone about the service, asked for once.
  private final class Way: Sendable {
    let putting = Mutex<Putting?>(nil)
  }

  /// The code for a directory that is not there (rclone's "Exit code").
  private static let noDirectory: Int32 = 3

  /// A path below the remote's.
  private func place(_ path: String) -> [UInt8] {
    let isBare = remote.last == UInt8(ascii: ":") || remote.last == UInt8(ascii: "/")
    return remote + Array((isBare ? path : "/\(path)").utf8)
  }

  private func run(
    _ verb: [String], _ places: [[UInt8]], _ names: [CarrierName] = [], under root: String = "",
    seconds: Int64
  ) throws(CarrierFault) -> ProcessOutcome {
    // Nobody is there to answer a question for the passphrase of its configuration.
    let common = [
      "--quiet", "--ask-password=false", "--contimeout=20s", "--timeout=\(CarrierProgram.silence)s",
      "--retries=2", "--low-level-retries=3",
    ]
    let outcome = try program.run(
      (verb + common + ["--"]).map { Array($0.utf8) } + places, names, under: root,
      seconds: seconds,
      accepting: [Self.noDirectory])
    guard outcome.succeeded else { throw .unreachable(FilePath(bytes: remote).text) }
    return outcome
  }

  func make(by empty: FilePath) throws(CarrierFault) {
    _ = try run(["mkdir"], [remote], seconds: CarrierProgram.brief)
  }

  func list() throws(CarrierFault) -> CarrierListing {
    try list([
      "--filter=+ /carrier.json", "--filter=+ /identities.age", "--filter=+ /heads/**",
      "--filter=+ /blobs/**", "--filter=- *", "--fast-list",
    ])
  }

  private func list(
    _ options: [String], _ names: [CarrierName] = []
  ) throws(CarrierFault) -> CarrierListing {
    let outcome = try run(
      [
        "lsf", "--recursive", "--files-only", "--format=stp", "--separator= ",
        // To ask a service for the time of each file that its owner gave takes a request a file.
        "--use-server-modtime",
      ] + options, [remote], names, seconds: CarrierProgram.brief)
    var found = CarrierListing()
    for line in outcome.output.split(separator: UInt8(ascii: "\n")) {
      // A line has the size, the date, the time and the name.
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
      guard words.count == 4, let size = Int64(String(decoding: words[0], as: UTF8.self)),
        let name = CarrierName(path: String(decoding: words[3], as: UTF8.self))
      else { continue }
      found.note(
        name, size: size,
        modified: words[1...2].map { String(decoding: $0, as: UTF8.self) }.joined(separator: " "))
    }
    return found
  }

  /// How often as many bytes as may come are taken, with those of attempts that failed, before rclone is ended.
  private static let attempts: Int64 = 3
  /// Bytes that may come besides: of a file that is as small as a header.
  private static let spare: Int64 = 1 << 20

  func get(_ fetches: [CarrierFetch], into directory: FilePath) throws(CarrierFault) {
    do throws(FileSystemError) { try files.createDirectories(directory) } catch { throw .io(error) }
    for (limit, names) in CarrierProgram.batches(fetches) {
      let most = limit.multipliedClamped(by: Int64(names.count) * Self.attempts)
        .addingClamped(Self.spare)
      // A list of files takes no limit; the names have nothing in them that a pattern knows.
      _ = try run(
        ["copy", "--include-from=-", "--max-size=\(limit)b", "--max-transfer=\(most)b"],
        [remote, directory.bytes], names, under: "/", seconds: CarrierProgram.long)
    }
    CarrierProgram.dropLarger(fetches, in: directory, files)
  }

  func put(_ names: [CarrierName], from directory: FilePath) throws(CarrierFault) {
    switch try putting() {
    case .direct: try copy(names, from: directory, to: remote)
    case .moved: try move(names, from: directory)
    }
    // It ends with 0 also where it left files out.
    try CarrierProgram.requireSame(
      names, as: directory, in: try list(["--files-from-raw=-"], names), program.name, files)
  }

  private func copy(
    _ names: [CarrierName], from directory: FilePath, to place: [UInt8]
  ) throws(CarrierFault) {
    let mayBeThere = names.contains(.identities) ? [] : ["--ignore-existing"]
    _ = try run(
      ["copy", "--files-from-raw=-"] + mayBeThere, [directory.bytes, place], names,
      seconds: CarrierProgram.long)
  }

  /// Copies files into a folder of their own, from which the service moves them.
  private func move(_ names: [CarrierName], from directory: FilePath) throws(CarrierFault) {
    let folder: String
    do throws(RandomSource.Failure) {
      folder = "tmp/\(Hex.encode(try random.bytes(8)))"
    } catch {
      throw .random(error)
    }
    try copy(names, from: directory, to: place(folder))
    for part in Set(names.map { String($0.path.parts(at: "/")[0]) }).sorted() {
      let isFile = names.contains { $0.path == part }
      let mayBeThere = part == CarrierName.identities.path ? [] : ["--ignore-existing"]
      _ = try run(
        [isFile ? "moveto" : "move"] + mayBeThere, [place("\(folder)/\(part)"), place(part)],
        seconds: CarrierProgram.long)
    }
    do throws(CarrierFault) {
      _ = try run(["purge"], [place(folder)], seconds: CarrierProgram.brief)
    } catch {
      // If folders are only parts of names, it went with its last file.
      guard case .unreachable = error else { throw error }
    }
  }

  private func putting() throws(CarrierFault) -> Putting {
    if let known = way.putting.withLock({ $0 }) { return known }
    let outcome = try program.run(
      [Array("backend".utf8), Array("features".utf8), Array("--".utf8), remote],
      seconds: CarrierProgram.brief)
    let features = (try? JSON.parse(outcome.output))?["Features"]
    func has(_ feature: String) -> Bool { features?[feature] == .bool(true) }
    let isWhole = has("BucketBased") || has("PartialUploads") || !has("Move")
    let putting: Putting = isWhole ? .direct : .moved
    way.putting.withLock { $0 = putting }
    return putting
  }

  func drop(_ names: [CarrierName], by empty: FilePath) throws(CarrierFault) {
    _ = try run(
      ["delete", "--files-from-raw=-"], [remote], names, seconds: CarrierProgram.brief)
    // Files that interrupted runs left are removed too.
    guard try putting() == .moved else { return }
    do throws(CarrierFault) {
      _ = try run(
        ["delete", "--min-age=7d", "--rmdirs"], [place("tmp")], seconds: CarrierProgram.brief)
    } catch {
      guard case .unreachable = error else { throw error }
    }
  }
}
