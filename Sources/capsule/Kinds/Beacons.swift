import CapsuleCore

/// Finds the verified beacon of a round: the one given, else what a relay has.
struct BeaconSearch: BeaconSource {
  let session: Session
  let invocation: Invocation
  /// Whether a beacon that is not there yet is waited for.
  var waits = false

  /// Returns the beacon given on the command line, verified; `nil` where none is.
  func given(chain: TlockChain, round: UInt64) throws -> VerifiedTlockBeacon? {
    guard let path = invocation[TimelockOptions.beacon] else { return nil }
    let bytes = try read(path)
    guard let beacon = TlockBeacon(parsing: bytes) else {
      throw Fault(
        .unproven, (path.text == "-" ? "standard input" : "'\(path.text)'") + " is not a beacon",
        hint: "use drand's JSON, or the 96 hexadecimal digits of a signature")
    }
    do {
      return try chain.verify(beacon, round: round)
    } catch {
      throw Fault(error, source: "'\(path.text)'", session)
    }
  }

  /// Returns the round's beacon from a relay. Where the command waits for the unlock time, it waits for the
  /// relays too, which have a beacon some seconds after its round's time.
  func relayed(chain: TlockChain, round: UInt64) throws -> VerifiedTlockBeacon {
    let end = chain.time(ofRound: round)?.adding(seconds: Self.patience)
    while true {
      do {
        return try asked(chain: chain, round: round)
      } catch {
        let now = session.currentTime
        guard waits, Fault(error).kind == .locked, let end, now < end else { throw error }
        session.host.wait(.max, Self.pause)
      }
    }
  }

  func fetched(chain: TlockChain, round: UInt64) throws -> VerifiedTlockBeacon? {
    try relayed(chain: chain, round: round)
  }

  /// The seconds after a round's time for which its beacon may not be there yet.
  private static let patience: Int64 = 600
  /// The nanoseconds between two questions for a beacon that is not there yet.
  private static let pause: Int64 = 2_000_000_000

  /// Asks the relays in turn; the first signature that is verified is taken.
  private func asked(chain: TlockChain, round: UInt64) throws -> VerifiedTlockBeacon {
    let relays = try Relays(session).addresses
    let client = RelayClient(session: session)
    let time = chain.time(ofRound: round)
    var saysNotYet = false
    var isUnknown = false
    var complaints: [String] = []
    var forged: String?
    for relay in relays {
      switch try client.ask(relay, chain: chain, round: round) {
      case .beacon(let bytes):
        guard let beacon = TlockBeacon(parsing: bytes) else {
          complaints.append("\(relay): its answer is not a beacon")
          continue
        }
        if let verified = try? chain.verify(beacon, round: round) { return verified }
        forged = forged ?? relay
        complaints.append("\(relay): not the round's signature")
      case .notYet: saysNotYet = true
      case .unknownRound:
        isUnknown = true
        complaints.append("\(relay): it does not have that round")
      case .failed(let words): complaints.append("\(relay): \(words)")
      }
    }
    // Before a round's time, and right after it, a relay does not have it yet.
    let isRecent = time.map { session.currentTime.seconds(since: $0) < Self.patience } ?? true
    if saysNotYet || (isUnknown && isRecent && forged == nil) {
      throw Fault(TlockError.notYet(round: round, time: time), source: "", session)
    }
    // A check takes no beacon from a file.
    let takesBeacon = session.verb != "check"
    let details: JSONObject = [
      "round": Int64(clamping: round).json,
      "relays": complaints.json,
    ]
    if let forged {
      throw Fault(
        .unproven, "the relay '\(forged)' sent a wrong signature for round \(round)",
        hint: "use another relay in the file 'relays'"
          + (takesBeacon ? ", or provide the beacon: --beacon FILE" : ""),
        details: details)
    }
    throw Fault(
      .unproven,
      "no relay sent the beacon of round \(round): "
        + (complaints.first ?? "no relay is configured"),
      hint: "connect to the network and try again"
        + (takesBeacon ? ", or provide the beacon: --beacon FILE" : ""),
      details: details)
  }

  private func read(_ path: FilePath) throws -> [UInt8] {
    var sink = MemorySink()
    if path.bytes == Array("-".utf8) {
      var source = AnySource(try session.files.standardInput())
      try source.copy(to: &sink, limit: TlockBeacon.maximumByteCount)
    } else {
      let files = session.host.files
      let file = try files.open(path, .readFollowingLinks(streams: true))
      defer { try? files.close(file) }
      var source = AnySource(FileSource(files, file))
      try source.copy(to: &sink, limit: TlockBeacon.maximumByteCount)
    }
    return sink.bytes
  }
}

/// Fetches the beacons that records of timelocked capsules lack, as soon as their rounds' time has come.
struct BeaconFetch {
  let session: Session
  let invocation: Invocation
  /// Whether it only prints which would be fetched.
  let isDryRun: Bool

  /// - Parameter now: the time by which a round counts as due.
  /// - Returns: the worst that happened; failures are reported, and the others are fetched all the same.
  func run(_ store: Store, at now: Instant) -> ExitCode {
    var code = ExitCode.ok
    for id in store.capsules.timelocked(dueBy: now, now: session.now) {
      do {
        try fetch(id, store)
      } catch {
        code = ExitCode.worst(code, session.console.report(error))
      }
    }
    return code
  }

  private func fetch(_ id: RecordID, _ store: Store) throws {
    let record: StoredRecord<Capsule>
    do { record = try store.read(Capsule.self, id) } catch {
      if error.code == .recordGone { return }
      throw error
    }
    let missing: MissingBeacon?
    do { missing = try store.capsules.missingBeacon(of: record) } catch {
      throw Fault(error, opening: record.model, in: store, session)
    }
    guard let missing else { return }
    let title = record.model.title
    if isDryRun {
      return session.console.note(
        "Would download the beacon of round \(missing.round) for '\(title)'.")
    }
    let search = BeaconSearch(session: session, invocation: invocation)
    let beacon = try search.relayed(chain: missing.chain, round: missing.round)
    try store.capsules.keep(beacon, for: missing, now: session.now)
    session.console.note("Saved the beacon of round \(missing.round) for '\(title)'.")
  }
}
