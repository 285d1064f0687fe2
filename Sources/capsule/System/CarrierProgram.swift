import CapsuleCore

/// A program that reaches carriers: found in `PATH`, started once a batch, with nothing of the terminal's.
struct CarrierProgram: Sendable {
  let name: String
  /// Variables that are set besides those inherited.
  let environment: [String: [UInt8]?]
  private let process: @Sendable (ProcessRequest) throws(SystemError) -> ProcessOutcome

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
  ) throws(CarrierFault) -> ProcessOutcome {
    var request = ProcessRequest(
      program: Array(name.utf8), arguments: arguments, environment: environment,
      input: Array(names.map { "\(root)\($0.path)\n" }.joined().utf8), capturesOutput: true,
      timeLimit: seconds * 1_000_000_000)
    request.endsAtOutputLimit = true
    let outcome: ProcessOutcome
    do throws(SystemError) {
      outcome = try process(request)
    } catch {
      throw error.isNotFound ? .noProgram(name) : .program(name, line: error.reason)
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
  ) throws(CarrierFault) {
    for name in names {
      guard let there = listing[name] else {
        throw .program(program, line: "'\(name.path)' is not there after it was put")
      }
      let size: Int64
      do throws(FileSystemError) {
        size = try files.status(directory.appending(name.path)).size
      } catch {
        throw .io(error)
      }
      guard there == size else { throw .occupied(name.path) }
    }
  }
}

extension FilePath {
  /// The path of a directory, as programs take it that copy what is in one.
  var asFolder: [UInt8] { bytes + [UInt8(ascii: "/")] }
}
