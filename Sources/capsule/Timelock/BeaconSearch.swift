import CapsuleCore

/// Finds the verified beacon of a round: the one given, else what a relay has.
struct BeaconSearch {
  let session: Session
  let invocation: Invocation

  /// The beacon given on the command line, verified; `nil` where none is.
  func given(chain: TlockChain, round: UInt64) throws(Failure) -> VerifiedTlockBeacon? {
    guard let path = invocation[TimelockArguments.beacon] else { return nil }
    let bytes = try read(path)
    let beacon: TlockBeacon
    do throws(TlockBeaconFault) {
      beacon = try TlockBeacon(parsing: bytes)
    } catch {
      throw Failure(
        .unproven, "'\(path.text)' is no beacon",
        hint: "a beacon is drand's JSON, or the 96 hexadecimal digits of its signature")
    }
    do throws(TlockError) {
      return try chain.verify(beacon, round: round)
    } catch {
      throw Failure(error, source: "'\(path.text)'", session)
    }
  }

  /// Asks the relays in turn; the first signature that is verified is taken.
  func fetched(chain: TlockChain, round: UInt64) throws(Failure) -> VerifiedTlockBeacon {
    let relays = try Relays(session).addresses
    let client = RelayClient(session: session)
    let time = chain.time(ofRound: round)
    var saysNotYet = false
    var allUnknown = !relays.isEmpty
    var complaints: [String] = []
    var forged: String?
    for relay in relays {
      switch try client.ask(relay, chain: chain, round: round) {
      case .beacon(let bytes):
        allUnknown = false
        do {
          return try chain.verify(try TlockBeacon(parsing: bytes), round: round)
        } catch TlockError.badSignature, TlockError.otherRound {
          forged = forged ?? relay
          complaints.append("\(relay): not the round's signature")
        } catch {
          complaints.append("\(relay): its answer is no beacon")
        }
      case .notYet: saysNotYet = true
      case .unknownRound: complaints.append("\(relay): it does not have the round")
      case .failed(let words):
        allUnknown = false
        complaints.append("\(relay): \(words)")
      }
    }
    // Right after a round's time a relay may not have it yet.
    let isRecent = time.map { session.now.seconds - $0.seconds < 600 } ?? true
    if saysNotYet || (allUnknown && isRecent) {
      throw Failure(TlockError.notYet(round: round, time: time), source: "", session)
    }
    let details: JSONObject = [
      "round": .integer(Int64(clamping: round)),
      "relays": .array(complaints.map { .string($0) }),
    ]
    if let forged {
      throw Failure(
        .unproven, "the relay '\(forged)' gave a signature that is not that of round \(round)",
        hint: "it is broken or lies; name another in the file 'relays', or give '--beacon FILE'",
        details: details)
    }
    throw Failure(
      .unproven,
      "no relay gave the beacon of round \(round): "
        + (complaints.first ?? "no relay is configured"),
      hint: "try again with a network, or give it: '--beacon FILE'", details: details)
  }

  private func read(_ path: FilePath) throws(Failure) -> [UInt8] {
    var sink = MemorySink()
    do {
      if path.bytes == Array("-".utf8) {
        var source = AnySource(InputSource(port: session.host.input))
        try source.copy(to: &sink, limit: TlockBeacon.maximumByteCount)
      } else {
        let files = session.host.files
        let file = try files.open(path, .readFollowingLinks(streams: true))
        defer { try? files.close(file) }
        var source = AnySource(FileSource(files, file))
        try source.copy(to: &sink, limit: TlockBeacon.maximumByteCount)
      }
    } catch {
      throw Failure.unexpected(error)
    }
    return sink.bytes
  }
}

extension Failure {
  /// A timelock that does not open, in words: each class another exit code.
  init(_ error: TlockError, source: String, _ session: Session) {
    let from = source.isEmpty ? "" : " from \(source)"
    switch error {
    case .beaconNeeded(_, let round):
      self.init(
        .unproven, "the beacon of round \(round) is needed", hint: "give it with '--beacon FILE'")
    case .notYet(let round, let time):
      var details: JSONObject = ["round": .integer(Int64(clamping: round))]
      InstantFields(zone: session.zone).add(time, as: "unlockAt", to: &details)
      if let time {
        details["secondsRemaining"] = .integer(max(0, time.seconds - session.now.seconds))
      }
      self.init(
        .locked,
        "round \(round) is not signed yet"
          + (time.map { "; it will be on \(session.dateTime($0)), \(session.relative($0))" } ?? ""),
        hint: nil, details: details)
    case .badSignature(let round):
      self.init(
        .unproven, "the beacon\(from) is not the signature of round \(round)",
        hint: "fetch it again: CHAIN/public/\(round) of any drand relay")
    case .otherRound(let wanted, let claimed):
      self.init(
        .unproven, "the beacon\(from) is of round \(claimed); round \(wanted) is needed",
        hint: "fetch the right one: CHAIN/public/\(wanted) of any drand relay")
    case .unknownChain(let hash):
      self.init(
        .key, "it is timelocked to the chain \(hash), which is not known here",
        hint: "give the chain's info: '--chain FILE'")
    case .damaged:
      self.init(.damaged, "the timelock is damaged", hint: "restore the file from a backup")
    }
  }

  /// A file that is no description of a chain.
  init(_ error: TlockChainFault, path: FilePath) {
    let reason =
      switch error {
      case .malformed(let key):
        "it is no chain info of drand's" + (key.map { " ('\($0)')" } ?? "")
      case .scheme(let scheme):
        "its scheme is '\(scheme)', and only '\(TlockChain.scheme)' is known"
      case .period: "its period is 0"
      case .genesis: "its genesis is before 1970"
      case .publicKey: "its public key is no point of the group"
      case .hash(let stated, let computed): "it says the hash \(stated), and has \(computed)"
      }
    self.init(
      .usage, "'\(path.text)' cannot be used as a chain: \(reason)",
      hint: "fetch it again: CHAIN/info of any drand relay")
  }
}
