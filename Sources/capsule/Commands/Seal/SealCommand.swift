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
      Example(
        "tar -c photos | capsule seal --passphrase > photos.tar.age",
        "Seal a folder through a pipe, with a passphrase"),
    ],
    exitCodes: [.key, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let filter = StreamFilter(session: session, invocation: invocation)
    let isArmored = invocation[armor]
    var recipients = try KeyOptions.recipients(invocation, session)
    if PassphraseOptions.isGiven(invocation) {
      guard recipients.isEmpty else {
        throw AgeFailure.recipients(.passphraseNotAlone)
      }
      try filter.check(isBinary: !isArmored)
      recipients = [try PassphraseOptions.recipient(invocation, session)]
    }
    if let timelock = try timelock(invocation, session) { recipients.insert(timelock, at: 0) }
    guard !recipients.isEmpty else {
      throw Failure.usage(
        "nobody is named to seal to",
        hint: "give '--recipient age1…', '--recipients-file FILE', '--passphrase' or '--until WHEN'"
      )
    }
    return try filter.run(isBinary: !isArmored) { source, sink in
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
  }

  private static func timelock(
    _ invocation: Invocation, _ session: Session
  ) throws -> TlockRecipient? {
    try invocation.refuse(until, with: [round])
    guard invocation.has(until) || invocation.has(round) else {
      guard !invocation.has(TimelockOptions.chain) else {
        throw Failure.usage("'--chain' goes with '--until' or '--round'", hint: "add one of them")
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
