import CapsuleCore
import Synchronization

/// A program that reaches carriers: found in `PATH`, started once a batch, with nothing of the terminal's.
struct CarrierProgram: Sendable {
  let name: String
  /// Variables that are set besides those inherited.
  let environment: [String: [UInt8]?]
  private let process: @Sendable (ProcessRequest) throws(Fault) -> ProcessOutcome

  init(_ name: String, environment: [String: [UInt8]?] = [:], _ session: Session) {
    self.name = name
    // Its words are read.
    self.environment = environment.merging(["LC_ALL": Array("C".utf8)]) { own, _ in own }
    process = session.host.runProcess
  }

  /// The seconds after which a connection without a byte is given up; the programs see to that
  /// themselves.
  static let silence: Int64 = 60
  /// The seconds for a command that copies no files.
  static let brief: Int64 = 600
  /// The seconds for a command that copies files: how long depends on them, and a silent connection
  /// ends sooner.
  static let long: Int64 = 7 * 86_400

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - names: files, a line each.
  ///   - root: stands before each of them.
  ///   - accepted: codes with which it may end besides 0.
  func run(
    _ arguments: [[UInt8]], _ names: [CarrierName] = [], under root: String = "", seconds: Int64,
    accepting accepted: Set<Int32> = []
  ) throws(Fault) -> ProcessOutcome {
    var request = ProcessRequest(
      program: Array(name.utf8), arguments: arguments, environment: environment,
      input: Array(names.map { "\(root)\($0.path)\n" }.joined().utf8), capturesOutput: true,
      timeLimit: seconds * 1_000_000_000)
    request.endsAtOutputLimit = true
    let outcome: ProcessOutcome
    do {
      outcome = try process(request)
    } catch {
      throw error.isNoProgram ? .noProgram(name) : .program(name, line: error.reason)
    }
    switch outcome.end {
    case .exited(let code) where code == 0 || accepted.contains(code): return outcome
    case .timedOut: throw .timedOut(name, seconds: seconds)
    case .signalled where outcome.output.count >= request.outputLimit:
      throw .program(name, line: "it says more than can be read")
    case .exited, .signalled:
      throw .program(name, line: Self.reason(outcome.errorOutput) ?? "it failed")
    }
  }

  /// The line in which a program says why it failed: the first that is not a mere warning.
  private static func reason(_ output: [UInt8]) -> String? {
    let lines = String(decoding: output.prefix(1 << 14), as: UTF8.self).parts(at: "\n")
      .map { $0.trimmed }.filter { !$0.isEmpty && !$0.hasPrefix("Warning:") }
    return lines.first.map { withoutTime(String($0.prefix(300))) }
  }

  /// A line without the date, the time and the level that rclone puts before each.
  private static func withoutTime(_ line: String) -> String {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0].utf8.count == 10, words[1].utf8.count == 8,
      words[0].utf8.allSatisfy({ $0 == UInt8(ascii: "/") || (0x30...0x39).contains($0) })
    else { return line }
    return String(words[2])
  }

  /// Files that are fetched by one start of a program, which knows one limit for all of them: those of which
  /// the limits are nearly the same.
  static func batches(_ fetches: [CarrierFetch]) -> [(limit: Int64, names: [CarrierName])] {
    let least: Int64 = 1 << 20
    return Dictionary(grouping: fetches) { max(least, $0.limit).leadingZeroBitCount }
      .sorted { $0.key > $1.key }
      .map { ($0.value.map(\.limit).max() ?? 0, $0.value.map(\.name)) }
  }

  /// Removes what was fetched and is larger than its limit.
  static func dropLarger(
    _ fetches: [CarrierFetch], in directory: FilePath, _ files: any FileSystem
  ) {
    for fetch in fetches {
      let path = directory.appending(fetch.name.path)
      guard let size = try? files.status(path).size, size > fetch.limit else { continue }
      try? files.unlink(path)
    }
  }

  /// Compares what was put with what is there.
  static func requireSame(
    _ names: [CarrierName], as directory: FilePath, in listing: CarrierListing,
    _ program: String, _ files: any FileSystem
  ) throws(Fault) {
    for name in names {
      guard let there = listing[name] else {
        throw .program(program, line: "'\(name.path)' is not there after it was put")
      }
      let size = try files.status(directory.appending(name.path)).size
      guard there == size else { throw .occupied(name.path) }
    }
  }
}

/// The words with which a program does what a carrier does. Options come after the verb, where there is one.
struct CarrierWords: Sendable {
  let program: String
  /// Options of every run.
  let common: [String]
  let make: [String]
  let list: [String]
  /// Options for a list of all that is a store's.
  let all: [String]
  /// The option for names on the input.
  let named: String
  /// The number of words in a line of a list: the last ones are the size, the date, the time and the name.
  let columns: Int
  /// The first byte of a line that names a file; `nil` where no line names anything else.
  let fileMark: UInt8?
  /// The options to fetch files of a size up to a limit, and no more than some bytes of all of them.
  let get: @Sendable (_ limit: Int64, _ most: Int64) -> [String]
  /// Stands before each name that is fetched.
  let root: String
  let put: [String]
  let drop: [String]
  /// The code for a directory that is not there.
  let noDirectory: Int32?
  /// The codes of a transfer that left out files which are not there, or cannot be read.
  let partial: Set<Int32>
  /// Whether it only copies: what it makes, lists and drops is told by a directory here.
  let onlyCopies: Bool

  /// How `ssh` gets there is a matter of its own configuration, or of `RSYNC_RSH`.
  static let rsync = CarrierWords(
    program: "rsync", common: ["--protect-args", "--timeout=\(CarrierProgram.silence)"],
    make: ["--dirs", "--mkpath"], list: ["--list-only", "--no-human-readable"],
    all: [
      "--recursive", "--include=/carrier.json", "--include=/identities.age",
      "--include=/heads/***", "--include=/blobs/***", "--exclude=*",
    ], named: "--files-from=-", columns: 5, fileMark: UInt8(ascii: "-"),
    // The part of a file that is here is compared with it, and written on.
    get: { limit, _ in ["--files-from=-", "--inplace", "--max-size=\(limit)"] }, root: "",
    // It writes a file under another name first, and renames it when it is whole. When the
    // connection breaks it keeps the part that has come in a folder beside, and compares it the
    // next time.
    put: ["--files-from=-", "--partial-dir=.capsule-part"],
    // It looks for the folders of the names, and deletes what it does not find in them.
    drop: ["--files-from=-", "--delete-missing-args"],
    // `rsync(1)`, "EXIT VALUES".
    noDirectory: nil, partial: [23, 24], onlyCopies: true)

  /// The remotes, and the ways to reach them, are in rclone's own configuration.
  static let rclone = CarrierWords(
    program: "rclone",
    // Nobody is there to answer a question for the passphrase of its configuration.
    common: [
      "--quiet", "--ask-password=false", "--contimeout=20s", "--timeout=\(CarrierProgram.silence)s",
      "--retries=2", "--low-level-retries=3",
    ],
    make: ["mkdir"],
    // To ask a service for the time of each file that its owner gave takes a request a file.
    list: [
      "lsf", "--recursive", "--files-only", "--format=stp", "--separator= ", "--use-server-modtime",
    ],
    all: [
      "--filter=+ /carrier.json", "--filter=+ /identities.age", "--filter=+ /heads/**",
      "--filter=+ /blobs/**", "--filter=- *", "--fast-list",
    ], named: "--files-from-raw=-", columns: 4, fileMark: nil,
    // A list of files takes no limit; the names have nothing in them that a pattern knows.
    get: { ["copy", "--include-from=-", "--max-size=\($0)b", "--max-transfer=\($1)b"] }, root: "/",
    put: ["copy", "--files-from-raw=-"], drop: ["delete", "--files-from-raw=-"],
    // rclone's "Exit code".
    noDirectory: 3, partial: [], onlyCopies: false)
}

/// A directory that a program reaches: one of another machine, or of one of rclone's remotes.
struct ProgramCarrier: Carrier {
  private let program: CarrierProgram
  private let words: CarrierWords
  private let files: any FileSystem
  private let random: RandomSource
  private let remote: [UInt8]
  private let way = Way()

  init(rclone remote: [UInt8], _ session: Session) {
    self.init(.rclone, remote, [:], session)
  }

  init(host: String, path: [UInt8], _ session: Session) {
    var environment: [String: [UInt8]?] = [:]
    if session.environment["RSYNC_RSH"]?.isEmpty ?? true {
      // There may be nobody to answer: a question is a failure.
      environment["RSYNC_RSH"] = Array("ssh -o BatchMode=yes -o ConnectTimeout=20".utf8)
    }
    var place = Array("\(host):".utf8) + path
    if place.last != UInt8(ascii: "/") { place.append(UInt8(ascii: "/")) }
    self.init(.rsync, place, environment, session)
  }

  private init(
    _ words: CarrierWords, _ remote: [UInt8], _ environment: [String: [UInt8]?],
    _ session: Session
  ) {
    (self.words, self.remote) = (words, remote)
    program = CarrierProgram(words.program, environment: environment, session)
    files = session.host.files
    random = session.host.random
  }

  /// The way in which a file gets its name only when it is whole.
  private enum Putting: Sendable {
    /// Copied: the service, or the program itself, sees to it.
    case direct
    /// Copied under another name, then moved by the service.
    case moved
  }

  /// The answer of rclone about the service, asked for once.
  private final class Way: Sendable {
    let putting = Mutex<Putting?>(nil)
  }

  /// A path below the remote's.
  private func place(_ path: String) -> [UInt8] {
    let isBare = remote.last == UInt8(ascii: ":") || remote.last == UInt8(ascii: "/")
    return remote + Array((isBare ? path : "/\(path)").utf8)
  }

  /// A directory here as the program takes it: one that only copies means what is in it by a slash.
  private func local(_ directory: FilePath) -> [UInt8] {
    directory.bytes + (words.onlyCopies ? [UInt8(ascii: "/")] : [])
  }

  private func run(
    _ options: [String], _ places: [[UInt8]], _ names: [CarrierName] = [], under root: String = "",
    seconds: Int64 = CarrierProgram.brief, accepting accepted: Set<Int32> = []
  ) throws(Fault) -> ProcessOutcome {
    let outcome = try program.run(
      (options + words.common + ["--"]).map { Array($0.utf8) } + places, names, under: root,
      seconds: seconds, accepting: accepted.union([words.noDirectory].compactMap(\.self)))
    if case .exited(let code) = outcome.end, code == words.noDirectory {
      throw .unreachable(FilePath(bytes: remote).text)
    }
    return outcome
  }

  func make(by empty: FilePath) throws(Fault) {
    let places = words.onlyCopies ? [local(empty), remote] : [remote]
    do {
      _ = try run(words.make, places)
    } catch {
      // An rsync before 3.2.3 makes one directory only.
      guard words.onlyCopies, let line = error.cause as? String, line.has("mkpath") else {
        throw error
      }
      _ = try run(words.make.filter { $0 != "--mkpath" }, places)
    }
  }

  func list() throws(Fault) -> CarrierListing { try list(words.all, [remote]) }

  private func list(
    _ options: [String], _ places: [[UInt8]], _ names: [CarrierName] = []
  ) throws(Fault) -> CarrierListing {
    let outcome = try run(words.list + options, places, names, accepting: words.partial)
    guard outcome.succeeded || !outcome.output.isEmpty else {
      throw .unreachable(FilePath(bytes: remote).text)
    }
    var found = CarrierListing()
    for line in outcome.output.split(separator: UInt8(ascii: "\n")) {
      if let mark = words.fileMark, line.first != mark { continue }
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: words.columns - 1)
        .map { String(decoding: $0, as: UTF8.self) }
      guard parts.count == words.columns, let size = Int64(parts[words.columns - 4]),
        let name = CarrierName(path: parts[words.columns - 1])
      else { continue }
      found.note(
        name, size: size, modified: "\(parts[words.columns - 3]) \(parts[words.columns - 2])")
    }
    return found
  }

  /// How often as many bytes as may come are taken, with those of attempts that failed, before rclone is ended.
  private static let attempts: Int64 = 3
  /// Bytes that may come besides: of a file that is as small as a header.
  private static let spare: Int64 = 1 << 20

  func get(_ fetches: [CarrierFetch], into directory: FilePath) throws(Fault) {
    try files.createDirectories(directory)
    for (limit, names) in CarrierProgram.batches(fetches) {
      let most = limit.multipliedClamped(by: Int64(names.count) * Self.attempts)
        .addingClamped(Self.spare)
      _ = try run(
        words.get(limit, most), [remote, local(directory)], names, under: words.root,
        seconds: CarrierProgram.long, accepting: words.partial)
    }
    CarrierProgram.dropLarger(fetches, in: directory, files)
  }

  func put(_ names: [CarrierName], from directory: FilePath) throws(Fault) {
    switch try putting() {
    case .direct: try copy(names, from: directory, to: remote)
    case .moved: try move(names, from: directory)
    }
    // rclone ends with 0 also where it left files out. rsync copies nothing here, but with a list of names
    // it wants to know where to.
    let places = words.onlyCopies ? [remote, local(directory)] : [remote]
    try CarrierProgram.requireSame(
      names, as: directory, in: try list([words.named], places, names), program.name, files)
  }

  private func copy(
    _ names: [CarrierName], from directory: FilePath, to place: [UInt8]
  ) throws(Fault) {
    let mayBeThere = names.contains(.identities) ? [] : ["--ignore-existing"]
    _ = try run(
      words.put + mayBeThere, [local(directory), place], names, seconds: CarrierProgram.long)
  }

  /// Copies files into a folder of their own, from which the service moves them.
  private func move(_ names: [CarrierName], from directory: FilePath) throws(Fault) {
    let folder = "tmp/\(Hex.encode(try random.bytes(8)))"
    try copy(names, from: directory, to: place(folder))
    for part in Set(names.map { String($0.path.parts(at: "/")[0]) }).sorted() {
      let isFile = names.contains { $0.path == part }
      let mayBeThere = part == CarrierName.identities.path ? [] : ["--ignore-existing"]
      _ = try run(
        [isFile ? "moveto" : "move"] + mayBeThere, [place("\(folder)/\(part)"), place(part)],
        seconds: CarrierProgram.long)
    }
    // If folders are only parts of names, it went with its last file.
    try unlessGone { () throws(Fault) in try run(["purge"], [place(folder)]) }
  }

  private func putting() throws(Fault) -> Putting {
    if words.onlyCopies { return .direct }
    if let known = way.putting.withLock({ $0 }) { return known }
    let outcome = try program.run(
      ["backend", "features", "--"].map { Array($0.utf8) } + [remote],
      seconds: CarrierProgram.brief)
    let features = (try? JSON.parse(outcome.output))?["Features"]
    func has(_ feature: String) -> Bool { features?[feature] == .bool(true) }
    let isWhole = has("BucketBased") || has("PartialUploads") || !has("Move")
    let putting: Putting = isWhole ? .direct : .moved
    way.putting.withLock { $0 = putting }
    return putting
  }

  func drop(_ names: [CarrierName], by empty: FilePath) throws(Fault) {
    if words.onlyCopies {
      for parent in Set(names.map { empty.appending($0.path).parent }) {
        try files.createDirectories(parent)
      }
    }
    _ = try run(words.drop, words.onlyCopies ? [local(empty), remote] : [remote], names)
    // Files that interrupted runs left are removed too.
    guard try putting() == .moved else { return }
    try unlessGone { () throws(Fault) in
      try run(["delete", "--min-age=7d", "--rmdirs"], [place("tmp")])
    }
  }

  /// Runs what does nothing where the directory is not there.
  private func unlessGone(_ body: () throws(Fault) -> ProcessOutcome) throws(Fault) {
    do { _ = try body() } catch { guard error.code == .remoteUnreachable else { throw error } }
  }
}
