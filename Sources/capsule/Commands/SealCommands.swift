import CapsuleCore

/// `capsule seal`.
enum SealCommand {
  static let armor = Parameter.flag("armor", short: "a", "Write text (PEM) instead of binary")

  static let until = Parameter.option(
    "until", value: "WHEN", .text, "Timelock the file: nobody can open it before this time")
  static let round = Parameter.option(
    "round", value: "N", .integer(1...), "Timelock the file to this round of the drand chain")

  static let command = Command(
    "seal", summary: "Seal a file or a pipe as an age file, without a store",
    discussion: """
      This filter is compatible with `age`. It reads a file or standard input, seals (encrypts) it, and writes \
      an age file. An output file appears only when it is complete.

      At a terminal, `capsule seal FILE` asks for a passphrase if you name neither a recipient nor a date. It \
      writes `FILE.age` beside the file, unless you name another output. The file itself stays.

      `--until` and `--round` timelock the file, as `tle` does: it opens with the beacon that the drand \
      network publishes then. Recipients that you also give can open it earlier.
      """,
    operands: [FilterArguments.input],
    options: [KeyOptions.recipient, KeyOptions.recipientsFile] + PassphraseOptions.newOptions
      + [until, round, TimelockOptions.chain]
      + [armor, FilterArguments.output, FilterArguments.force],
    examples: [
      Example(
        "capsule seal -r age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p -o letter.age letter.txt",
        "Seal a file to a recipient"),
      Example("capsule seal letter.txt", "Seal a file with a passphrase, as 'letter.txt.age'"),
      Example(
        "tar -c photos | capsule seal --passphrase > photos.tar.age",
        "Seal a folder through a pipe, with a passphrase"),
    ],
    exitCodes: [.key, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let isArmored = invocation[armor]
    let filter = StreamFilter(
      session: session, invocation: invocation, ending: isArmored ? nil : ".age")
    if let place = filter.placeBeside {
      try session.host.files.requireOutsideStores(place.parent, for: place)
    }
    var recipients = try KeyOptions.recipients(invocation, session)
    let namesNobody =
      recipients.isEmpty && !invocation.has(until) && !invocation.has(round)
    if PassphraseOptions.isGiven(invocation)
      || namesNobody && filter.isOfFile && session.ask.isInteractive
    {
      guard recipients.isEmpty else {
        throw AgeFailure.recipients(.passphraseNotAlone)
      }
      try filter.check(isBinary: !isArmored)
      recipients = [try PassphraseOptions.recipient(invocation, session)]
    }
    if let timelock = try timelock(invocation, session) { recipients.insert(timelock, at: 0) }
    guard !recipients.isEmpty else {
      throw Fault.usage(
        "no recipient given",
        hint: "use --recipient age1…, --recipients-file FILE, --passphrase or --until WHEN"
      )
    }
    try filter.run(isBinary: !isArmored) { source, sink in
      filter.holdSignals()
      let writer = try AgeWriter(to: recipients, random: session.host.random)
      if isArmored {
        var armored = try ArmorSink(sink)
        _ = try writer.seal(from: &source, to: &armored)
        try armored.finish()
        sink = armored.target
      } else {
        _ = try writer.seal(from: &source, to: &sink)
      }
    }
    if let path = filter.placeBeside {
      session.console.note("Sealed in '\(path.text)'.")
    }
    return .done
  }

  private static func timelock(
    _ invocation: Invocation, _ session: Session
  ) throws -> TlockRecipient? {
    try invocation.refuse(until, with: [round])
    guard invocation.has(until) || invocation.has(round) else {
      guard !invocation.has(TimelockOptions.chain) else {
        throw Fault.usage(
          "'--chain' needs '--until' or '--round'", hint: "add --until WHEN or --round N")
      }
      return nil
    }
    guard !PassphraseOptions.isGiven(invocation) else {
      throw AgeFailure.recipients(.passphraseNotAlone)
    }
    let chain = try TimelockOptions.chain(invocation, session)
    let hasEscrow =
      invocation.has(KeyOptions.recipient) || invocation.has(KeyOptions.recipientsFile)
    if let number = invocation[round] {
      let recipient = TlockRecipient(chain: chain, round: UInt64(number))
      if let time = chain.time(ofRound: recipient.round) {
        TimelockOptions.warn(until: time, hasEscrow: hasEscrow, naming: "--recipient", session)
      }
      return recipient
    }
    guard let text = invocation[until] else { return nil }
    let when = try session.dates.read(text, option: "--until", requiring: .notPast)
    let time = try chain.roundTime(at: when.instant)
    session.console.note("Opens \(StyledText(session.dates.echo(when, kept: time)))")
    TimelockOptions.warn(until: time, hasEscrow: hasEscrow, naming: "--recipient", session)
    return TlockRecipient(chain: chain, until: when.instant)
  }
}

/// `capsule unseal`.
enum UnsealCommand {
  static let command = Command(
    "unseal", summary: "Open an age file, without a store",
    discussion: """
      This filter is compatible with `age -d` and reads binary and armored files. It never uses the store's \
      own identity by itself: give the identity with `--identity`, for example to open an honor capsule by \
      hand.

      Limits:

      - If the file is damaged, no output file appears, and a pipe gets only the intact beginning. The command \
      then exits with status 7.
      - The author of a file with a passphrase chooses the work and memory of each try. A work factor above 20 \
      (1 GiB) is refused at once (exit status 12); `--max-work-factor` raises the limit.
      - A timelocked file needs the beacon of its round, from `--beacon` or from the drand relays. The command \
      exits with status 4 if it is too early, and with status 9 without a beacon or with a wrong one.
      """,
    operands: [FilterArguments.input],
    options: [KeyOptions.identity] + PassphraseOptions.options
      + [PassphraseOptions.maximumWorkFactor, TimelockOptions.beacon, TimelockOptions.chain]
      + [FilterArguments.output, FilterArguments.force],
    examples: [
      Example(
        "capsule unseal -i key.txt -o photo.jpg photo.jpg.age", "Open a file with an identity"),
      Example(
        "capsule unseal --passphrase-file p.txt < letter.age",
        "Open standard input with a passphrase"),
    ],
    exitCodes: [.locked, .key, .damaged, .unproven, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let input = invocation[FilterArguments.input]?.bytes ?? Array("-".utf8)
    if input == Array("-".utf8), invocation[TimelockOptions.beacon]?.bytes == input {
      throw Fault.usage(
        "the sealed file and its beacon cannot both come from standard input",
        hint: "use a file for one of them")
    }
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    let passphrase = try PassphraseOptions.given(invocation, session)
    if let passphrase {
      identities.append(
        ScryptIdentity(passphrase, upTo: invocation[PassphraseOptions.maximumWorkFactor]))
    }
    let filter = StreamFilter(session: session, invocation: invocation)
    try filter.run(isBinary: nil) { source, sink in
      var reader = try AgeReader(source)
      let isTimelocked = reader.header.stanzas.contains { $0.kind == TlockStanza.kind }
      let key =
        if isTimelocked {
          try timelocked(reader, identities, invocation, session)
        } else if identities.isEmpty || passphrase == nil && reader.header.asksForPassphrase {
          try InteractiveKeys(session: session, invocation: invocation, question: "Passphrase: ")
            .fileKey(of: reader)
        } else {
          try reader.unlock(with: identities)
        }
      filter.holdSignals()
      _ = try reader.open(with: key, to: &sink)
    }
    return .done
  }

  /// Opens a timelocked file: by an identity that fits, else by the beacon, given or fetched.
  private static func timelocked(
    _ reader: AgeReader, _ identities: [any Identity], _ invocation: Invocation, _ session: Session
  ) throws -> FileKey {
    do {
      if !identities.isEmpty { return try reader.unlock(with: identities) }
    } catch {
      guard case .noMatch = error else { throw error }
    }
    let search = BeaconSearch(session: session, invocation: invocation)
    let chains = try TimelockOptions.chains(invocation, session)
    do {
      return try reader.unlock(with: [TlockIdentity(chains: chains, beacons: [])])
    } catch {
      guard case .unproven(let cause) = error, let cause = cause as? TlockError else { throw error }
      guard case .beaconNeeded(let chain, let round) = cause else {
        throw Fault(cause, source: "", session)
      }
      let beacon =
        try search.given(chain: chain, round: round)
        ?? search.relayed(chain: chain, round: round)
      return try reader.unlock(with: [TlockIdentity(chains: chains, beacons: [beacon])])
    }
  }
}

/// `capsule keygen`.
enum KeygenCommand {
  static let recipients = Parameter.flag(
    "recipients", formerly: "y", "Print the recipients of the identities in INPUT instead")

  static let postQuantum = Parameter.flag("pq", "Make a post-quantum key, for long-term secrets")

  static let command = Command(
    "keygen", summary: "Make an age identity, or print its recipient",
    discussion: """
      An identity is a secret key; its recipient is the public key. The identity goes to standard output or \
      into a new file that only its owner can read, in the format of `age-keygen`. The command prints the \
      recipient on standard error.

      Limits:

      - A terminal, or a file that everybody can read, gives a warning.
      - `--pq` makes a hybrid of ML-KEM-768 and X25519, which protects against quantum computers. Its \
      recipient has 1959 characters. Other programs need age 1.3 or later, or age's plugin for such keys.
      """,
    operands: [FilterArguments.input],
    options: [postQuantum, recipients, FilterArguments.output],
    examples: [
      Example("capsule keygen -o key.txt", "Make an identity file"),
      Example(
        "capsule keygen --pq -o key.txt", "Make an identity that is safe against quantum computers"),
      Example("capsule keygen --recipients key.txt", "Print the recipient of an identity file"),
    ],
    exitCodes: [.key, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let filter = StreamFilter(session: session, invocation: invocation, canReplace: false)
    if invocation[recipients] {
      try filter.run(isBinary: false) { source, sink in
        var bytes = MemorySink()
        try source.copy(to: &bytes, limit: KeyLines.maximumByteCount)
        let path = invocation[FilterArguments.input] ?? FilePath("-")
        let identities = try IdentityFile(bytes.bytes, of: path).identities
        let text = identities.map { "\($0.recipient)\n" }.joined()
        try Array(text.utf8).withUnsafeBytes { try sink.write($0) }
      }
      return .done
    }
    if let input = invocation[FilterArguments.input] {
      throw Fault.usage(
        "unexpected operand '\(input.text)'", hint: "to read a file of identities, add --recipients"
      )
    }
    let identity = try AgeIdentity(
      isPostQuantum: invocation[postQuantum], random: session.host.random)
    warnOfReaders(invocation, session)
    let text = IdentityFile.text(
      identity,
      comments: ["created: \(session.now.rfc3339)", "public key: \(identity.recipient)"])
    try filter.write(isBinary: false) { sink in
      try text.withUnsafeBytes { try sink.write($0) }
    }
    if !session.console.out.isTerminal || invocation[FilterArguments.output] != nil {
      session.console.note("Public key: \(identity.recipient.description)")
    }
    return .done
  }

  /// Warns where others get to see the secret key, as `age-keygen` does.
  static func warnOfReaders(_ invocation: Invocation, _ session: Session) {
    if let path = invocation[FilterArguments.output], path.bytes != Array("-".utf8) { return }
    let hint = "'--output FILE' writes a file that only its owner can read"
    if session.console.out.isTerminal {
      session.console.warning("the secret key is printed on the terminal", hint: hint)
    } else if session.host.output.isReadableByAll() {
      session.console.warning("the file with the secret key can be read by everyone", hint: hint)
    }
  }
}

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
  /// What is added to the name of the input, at a terminal where no output is named.
  private let ending: String?
  private let signals = FilterSignals()

  init(
    session: Session, invocation: Invocation, canReplace: Bool = true, ending: String? = nil
  ) {
    self.session = session
    self.invocation = invocation
    self.canReplace = canReplace
    self.ending = ending
  }

  /// Whether a file is named for the input.
  var isOfFile: Bool {
    invocation[FilterArguments.input].map { $0.bytes != Array("-".utf8) } ?? false
  }

  /// The output beside the input; `nil` where another is named, the input is no file, or somebody else takes it.
  var placeBeside: FilePath? {
    guard let ending, isOfFile, let input = invocation[FilterArguments.input],
      !invocation.has(FilterArguments.output), session.console.out.isTerminal,
      (try? session.host.files.statusFollowingLinks(input))?.kind == .regular
    else { return nil }
    return FilePath(bytes: input.bytes + ending.utf8)
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
    guard let path = invocation[FilterArguments.output] else { return placeBeside }
    return path.bytes == Array("-".utf8) ? nil : path
  }

  private var replaces: Bool { canReplace && invocation[FilterArguments.force] }

  private func taken(_ path: FilePath) -> Fault {
    Fault.taken(
      path, hint: canReplace ? "'--force' replaces it" : "name a file that is not there yet")
  }

  /// Refuses binary for a terminal.
  private func requireFit(isBinary: Bool?) throws {
    guard session.console.out.isTerminal, isBinary == true else { return }
    throw Fault(
      .refused, "refusing to write binary data to the terminal",
      hint: "redirect the output, or use --output FILE or --armor")
  }

  typealias Body = (inout AnySource, inout AnySink) throws -> Void

  /// Runs it from the input to the output.
  ///
  /// - Parameter isBinary: whether the output is none for a terminal; `nil` when only its bytes
  ///   show it.
  func run(isBinary: Bool?, _ body: Body) throws {
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
  ) throws {
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
  }

  private func writeFile(
    _ path: FilePath, _ body: (inout AnySink) throws -> Void
  ) throws {
    do {
      try session.host.files.writeBeside(path, replacing: replaces, random: session.host.random) {
        file in
        var sink = AnySink(WatchedSink(file, watch: WorkWatch(signals.pass)))
        try body(&sink)
      }
    } catch let fault as Fault where fault.code == .exists {
      throw taken(path)
    } catch {
      throw signals.code.map { WorkSignals.Interrupted(code: $0) } ?? failure(error)
    }
  }

  private func failure(_ error: any Error) -> Fault {
    if let error = error as? AgeFailure {
      let input = invocation[FilterArguments.input].map { "'\($0.text)'" } ?? "standard input"
      return Fault.seal(error, subject: input)
    }
    return Fault(error)
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
        throw Fault(
          .refused, "refusing to write binary data to the terminal",
          hint: "redirect the output, or choose a file: --output FILE")
      }
      out.block(String(decoding: bytes, as: UTF8.self))
      return
    }
    out.bytes(bytes)
    if out.isBroken { try out.flush() }
  }
}
