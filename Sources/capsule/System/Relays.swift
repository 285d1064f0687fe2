import CapsuleCore

/// The relays that are asked for a round's beacon. Nobody trusts them: what they answer is verified.
struct Relays {
  let addresses: [String]

  /// The public relays of the drand network.
  static let standard = [
    "https://api.drand.sh", "https://api2.drand.sh", "https://api3.drand.sh",
    "https://drand.cloudflare.com",
  ]

  /// The relays in `$XDG_CONFIG_HOME/capsule/relays`, one a line, else the public ones. The list is
  /// this machine's: a store that is synchronised must not be able to name an address.
  init(_ session: Session) throws {
    guard let path = session.places.configuration?.appending("relays"),
      let bytes = try session.files.readConfiguration(path, limit: 1 << 16)
    else {
      addresses = Relays.standard
      return
    }
    var addresses: [String] = []
    for (number, line) in String(decoding: bytes, as: UTF8.self).parts(at: "\n").enumerated() {
      var text = line.trimmed[...]
      if text.isEmpty || text.utf8.first == UInt8(ascii: "#") { continue }
      guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
        throw Fault.usage(
          "invalid relay address on line \(number + 1) of '\(path.text)': '\(text)'",
          hint: "use an address that begins with https:// or http://")
      }
      while text.last == "/" { text = text.dropLast() }
      addresses.append(String(text))
    }
    self.addresses = addresses
  }
}

enum RelayAnswer {
  case beacon([UInt8])
  /// 425: the round is not signed yet.
  case notYet
  /// 404: it does not have the round.
  case unknownRound
  /// Anything else, in words.
  case failed(String)
}

/// Asks relays by `curl`, one after the other.
struct RelayClient {
  let session: Session

  /// The time limit in seconds.
  private static let timeLimit = 15
  /// The most bytes of an answer with its status behind it: one with more is no beacon's, and curl
  /// itself does not limit an answer that does not state its length.
  private static let outputLimit = 2 * TlockBeacon.maximumByteCount

  func ask(_ relay: String, chain: TlockChain, round: UInt64) throws -> RelayAnswer {
    let address = "\(relay)/\(Hex.encode(chain.hash))/public/\(round)"
    let outcome: ProcessOutcome
    do {
      outcome = try session.host.runProcess(request(address))
    } catch {
      guard error.isNoProgram else { throw error }
      throw Fault(
        .unproven, "cannot download the beacon: 'curl' is not installed",
        hint: "install curl, or provide the beacon: --beacon FILE")
    }
    guard outcome.output.count < Self.outputLimit else {
      return .failed("its answer is too long for a beacon")
    }
    guard outcome.succeeded else {
      let words = String(decoding: outcome.errorOutput.prefix(200), as: UTF8.self)
        .split(whereSeparator: \.isNewline).first.map(String.init)
      switch outcome.end {
      case .timedOut:
        return .failed("no answer within \(DurationUnit.second.text(Int(Self.timeLimit)))")
      case .exited, .signalled: return .failed(words ?? "curl failed")
      }
    }
    // The status is the last line, behind the body.
    guard let end = outcome.output.lastIndex(of: UInt8(ascii: "\n")) else {
      return .failed("no answer")
    }
    let status = String(decoding: outcome.output[(end + 1)...], as: UTF8.self)
    switch status {
    case "200": return .beacon(Array(outcome.output[..<end]))
    case "404": return .unknownRound
    case "425": return .notYet
    default: return .failed(Int(status) == nil ? "no answer" : "HTTP status \(status)")
    }
  }

  private func request(_ address: String) -> ProcessRequest {
    var request = ProcessRequest(
      "curl",
      [
        // No configuration file of the user's, no scheme but HTTP, no redirects, no surprises in the
        // address, and an end to time and size.
        "-q", "--silent", "--show-error", "--globoff", "--proto", "=http,https",
        "--max-redirs", "0", "--connect-timeout", "5", "--max-time", String(Self.timeLimit),
        "--max-filesize", String(TlockBeacon.maximumByteCount),
        "--write-out", "\n%{http_code}", "--url", address,
      ],
      input: [], capturesOutput: true, timeLimit: Int64(Self.timeLimit + 5) * 1_000_000_000)
    request.outputLimit = Self.outputLimit
    request.endsAtOutputLimit = true
    return request
  }
}
