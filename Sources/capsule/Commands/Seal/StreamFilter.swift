import CapsuleCore

/// The operand and options of the filters.
enum FilterArguments {
  static let input = Parameter.optionalOperand(
    "INPUT", .path, "The file to read; `-` or nothing for standard input")
  static let output = Parameter.option(
    "output", short: "o", value: "FILE", .path,
    "Write to this file, which appears when it is complete")
  static let force = Parameter.flag("force", "Replace an existing file")
}

/// A program that reads bytes from a file or standard input and writes others to a file or standard
/// output.
struct StreamFilter {
  let session: Session
  let invocation: Invocation
  /// Whether the command has `--force`, which replaces a file that is in the way.
  private let canReplace: Bool
  private let signals = FilterSignals()

  init(session: Session, invocation: Invocation, canReplace: Bool = true) {
    self.session = session
    self.invocation = invocation
    self.canReplace = canReplace
  }

  /// Holds signals back from here to the end of the output, so that one leaves no part of a file. All
  /// questions were asked before. Not where a pipe is read, which may be silent for long: a part that a
  /// signal leaves then is removed when a file is next written there.
  func holdSignals() {
    signals.begin(session)
  }

  /// Refuses an input and an output that ``run(isBinary:_:)`` would refuse, before anything is asked.
  func check(isBinary: Bool) throws {
    let files = session.host.files
    if let path = invocation[FilterArguments.input], path.bytes != Array("-".utf8),
      // A pipe that is opened for a look would lose its writer.
      (try? files.statusFollowingLinks(path))?.kind != .fifo
    {
      try files.close(files.open(path, .readFollowingLinks(streams: true)))
    }
    if let path = outputFile {
      if !replaces, try files.statusIfPresent(path) != nil { throw taken(path) }
    } else {
      try requireFit(isBinary: isBinary)
    }
  }

  /// The file that is written; `nil` for standard output.
  private var outputFile: FilePath? {
    guard let path = invocation[FilterArguments.output], path.bytes != Array("-".utf8) else {
      return nil
    }
    return path
  }

  private var replaces: Bool { canReplace && invocation[FilterArguments.force] }

  private func taken(_ path: FilePath) -> Failure {
    Failure.taken(
      path, hint: canReplace ? "'--force' replaces it" : "name a file that is not there yet")
  }

  /// Refuses binary for a terminal.
  private func requireFit(isBinary: Bool?) throws {
    guard session.console.out.isTerminal, isBinary == true else { return }
    throw Failure(
      .refused, "binary is not written to a terminal",
      hint: "redirect the output, give '--output FILE', or '--armor'")
  }

  typealias Body = (inout AnySource, inout AnySink) throws -> Void

  /// Runs it from the input to the output.
  ///
  /// - Parameter isBinary: whether the output is none for a terminal; `nil` when only its bytes
  ///   show it.
  func run(isBinary: Bool?, _ body: Body) throws -> ExitCode {
    let path = invocation[FilterArguments.input]
    guard let path, path.bytes != Array("-".utf8) else {
      return try write(isBinary: isBinary) { sink in
        var source = AnySource(try session.files.standardInput())
        try body(&source, &sink)
      }
    }
    let file = try session.host.files.open(path, .readFollowingLinks(streams: true))
    defer { try? session.host.files.close(file) }
    signals.mayBegin = try session.host.files.status(file).kind == .regular
    return try write(isBinary: isBinary) { sink in
      var source = AnySource(FileSource(session.host.files, file))
      try body(&source, &sink)
    }
  }

  /// Runs a body that only writes.
  func write(
    isBinary: Bool?, _ body: (inout AnySink) throws -> Void
  ) throws -> ExitCode {
    if let path = outputFile {
      defer { signals.end() }
      return try writeFile(path, body)
    }
    signals.mayBegin = false
    let out = session.console.out
    try requireFit(isBinary: isBinary)
    var sink = AnySink(TerminalSafeSink(out: out, refusesBinary: out.isTerminal && isBinary == nil))
    do {
      try body(&sink)
    } catch {
      // All that was whole is out before the failure is reported.
      try out.flush()
      throw failure(error)
    }
    try out.flush()
    return .ok
  }

  private func writeFile(
    _ path: FilePath, _ body: (inout AnySink) throws -> Void
  ) throws -> ExitCode {
    do {
      try session.host.files.writeBeside(path, replacing: replaces, random: session.host.random) {
        file in
        var sink = AnySink(WatchedSink(file, watch: WorkWatch(signals.pass)))
        try body(&sink)
      }
      return .ok
    } catch is NameTaken {
      throw taken(path)
    } catch {
      if let code = signals.code { return code }
      throw failure(error)
    }
  }

  private func failure(_ error: any Error) -> Failure {
    if let error = error as? AgeFailure {
      let input = invocation[FilterArguments.input].map { "'\($0.text)'" } ?? "standard input"
      return Failure(error, subject: input)
    }
    return Failure(error)
  }
}

/// The signals that a filter holds back while it writes a file.
private final class FilterSignals {
  var mayBegin = false
  private var signals: WorkSignals?

  var code: ExitCode? { signals?.code }

  func begin(_ session: Session) {
    guard mayBegin, signals == nil else { return }
    signals = WorkSignals(session, "Writing", total: nil)
  }

  func pass(_ count: Int) throws {
    try signals?.pass(count)
  }

  func end() {
    signals?.end()
    signals = nil
  }
}

/// Standard output as a sink, which refuses what a terminal should not get.
private struct TerminalSafeSink: ByteSink {
  let out: TextOutput
  let refusesBinary: Bool

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    if refusesBinary {
      guard MediaType.isText(Array(bytes), isWhole: false) else {
        throw Failure(
          .refused, "binary is not written to a terminal",
          hint: "redirect the output, or give '--output FILE'")
      }
      out.block(String(decoding: bytes, as: UTF8.self))
      return
    }
    out.bytes(bytes)
    if out.isBroken { try out.flush() }
  }
}
