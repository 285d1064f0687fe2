import CapsuleCore

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

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let input = invocation[FilterArguments.input]?.bytes ?? Array("-".utf8)
    if input == Array("-".utf8), invocation[TimelockOptions.beacon]?.bytes == input {
      throw Failure.usage(
        "the sealed file and its beacon cannot both come from standard input",
        hint: "name a file for one of them")
    }
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    let passphrase = try PassphraseOptions.given(invocation, session)
    if let passphrase {
      identities.append(
        ScryptIdentity(passphrase, upTo: invocation[PassphraseOptions.maximumWorkFactor]))
    }
    let filter = StreamFilter(session: session, invocation: invocation)
    return try filter.run(isBinary: nil) { source, sink in
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
  }

  /// Opens a timelocked file: by an identity that fits, else by the beacon, given or fetched.
  private static func timelocked(
    _ reader: AgeReader, _ identities: [any Identity], _ invocation: Invocation, _ session: Session
  ) throws -> FileKey {
    do throws(AgeFailure) {
      if !identities.isEmpty { return try reader.unlock(with: identities) }
    } catch {
      guard case .noMatch = error else { throw error }
    }
    let search = BeaconSearch(session: session, invocation: invocation)
    let chains = try TimelockOptions.chains(invocation, session)
    do throws(AgeFailure) {
      return try reader.unlock(with: [TlockIdentity(chains: chains, beacons: [])])
    } catch {
      guard case .unproven(let cause) = error, let cause = cause as? TlockError else { throw error }
      guard case .beaconNeeded(let chain, let round) = cause else {
        throw Failure(cause, source: "", session)
      }
      let beacon =
        try search.given(chain: chain, round: round)
        ?? search.relayed(chain: chain, round: round)
      return try reader.unlock(with: [TlockIdentity(chains: chains, beacons: [beacon])])
    }
  }
}
