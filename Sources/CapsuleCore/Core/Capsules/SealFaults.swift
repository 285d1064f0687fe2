/// The faults of sealing and opening age files.
extension Fault {
  /// What a stream failed with, which may be one of anything: a caller's function reads it.
  package static func stream(_ error: any Error) -> Fault {
    switch error {
    case let fault as Fault: fault
    case let error as AgeFailure: seal(error, subject: "the input")
    default: Fault(.internal, "an unexpected error: \(String(describing: error))", cause: error)
    }
  }

  /// A seal that could not be made or opened.
  ///
  /// - Parameter path: the file that holds it; empty for one that is being made, or a stream.
  package static func seal(_ error: any Error, path: String) -> Fault {
    guard let error = error as? AgeFailure else { return stream(error) }
    return seal(error, subject: path.isEmpty ? "the input" : "'\(path)'")
  }

  /// An age file that could not be made or opened, in words.
  package static func seal(
    _ error: AgeFailure, subject: String, cause: (any Sendable)? = nil
  ) -> Fault {
    let backup = "restore the file from a backup"
    func made(
      _ code: Code, _ message: Message, hint: String? = nil, details: JSONObject = [:]
    ) -> Fault {
      Fault(code, message, hint: hint, details: details, cause: cause)
    }
    switch error {
    case .header(.notAge):
      return made(.damaged, "\(subject) is not an age file")
    case .header(.workFactor):
      return made(
        .damaged, "\(subject) has a passphrase with a work factor above 22",
        hint: "do not trust the file: it may be malicious")
    case .header(.unsupportedVersion):
      return made(
        .damaged, "\(subject) is an age file of an unknown version",
        hint: "install a newer version of capsule")
    case .header(.carriageReturn(let line)):
      return made(
        .damaged, "\(subject) has a damaged header: line \(line) ends with a carriage return",
        hint: "transfer the file again in binary mode")
    case .header(let fault):
      return made(.damaged, "\(subject) has a damaged header: \(fault.words)", hint: backup)
    case .headerMAC:
      return made(
        .damaged, "\(subject) has a damaged header: its checksum does not match", hint: backup)
    case .payload(.truncated):
      return made(.damaged, "\(subject) is incomplete", hint: backup)
    case .payload(.trailing):
      return made(.damaged, "\(subject) has extra bytes at its end", hint: backup)
    case .payload(.chunk):
      return made(.damaged, "\(subject) is damaged", hint: backup)
    case .payload(.emptyLastChunk):
      return made(.damaged, "\(subject) is damaged at its end", hint: backup)
    case .armor(let fault):
      return made(.damaged, "\(subject) has a damaged armor: \(fault.words)", hint: backup)
    case .noMatch:
      return made(
        .key, "no given identity or passphrase opens \(subject)",
        hint: "use the right key: --identity FILE or --passphrase-file FILE")
    case .tooEarly(let until):
      return made(
        .locked, "\(subject) is timelocked until \(until)",
        details: ["until": .string(until.rfc3339)])
    case .unproven(let cause as TlockError):
      switch cause {
      case .unknownChain(let hash):
        return made(
          .key, "\(subject) is timelocked with an unknown drand chain, \(hash)",
          hint: "provide the chain info: --chain FILE")
      case .damaged:
        return made(.damaged, "the timelock of \(subject) is damaged", hint: backup)
      case .beaconNeeded(_, let round), .notYet(let round, _), .badSignature(let round),
        .otherRound(let round, _):
        return made(
          .unproven, "\(subject) needs the drand beacon of round \(round)",
          hint: "provide the beacon: --beacon FILE")
      }
    case .unproven(let cause):
      return made(.unproven, "cannot prove the time: \(String(describing: cause))")
    case .recipients(.none):
      return made(.usage, "no recipient given", hint: "use --recipient age1… or a passphrase")
    case .recipients(.passphraseNotAlone):
      return made(
        .usage, "a passphrase cannot be combined with other recipients",
        hint: "use either the passphrase or the recipients")
    case .recipients(.lowOrder):
      return made(.usage, "a recipient is not a usable key")
    case .recipients(.tooMany):
      return made(.usage, "too many recipients for one file")
    case .recipients(.mixed(let hybrid, let others)):
      func list(_ texts: [String]) -> String {
        texts.map { "'\(RecipientText.shortened($0))'" }.joined(separator: ", ")
      }
      return made(
        .usage,
        "cannot combine post-quantum and classic recipients: \(list(hybrid)) "
          + "\(hybrid.count == 1 ? "is" : "are") post-quantum, \(list(others)) "
          + "\(others.count == 1 ? "is" : "are") not",
        hint: "use recipients of one kind; otherwise a quantum computer could open the file")
    case .source(let cause), .sink(let cause): return stream(cause)
    case .random(let fault): return fault
    case .tooMuchWork(let workFactor, let limit):
      return made(
        .refused,
        "\(subject) has a passphrase with work factor \(workFactor) "
          + "(\(ByteSize.text(1 << (workFactor + 10))) of memory); the limit is \(limit)",
        hint: "if you trust the sender, raise the limit: --max-work-factor \(workFactor)",
        details: ["workFactor": .integer(Int64(workFactor)), "limit": .integer(Int64(limit))])
    case .memory:
      return made(.io, "not enough memory for this passphrase")
    }
  }
}

extension HeaderFault {
  /// The fault of a header, in words.
  package var words: String {
    switch self {
    case .empty: "the file is empty"
    case .notAge: "the first line is not that of an age file"
    case .unsupportedVersion: "unknown version"
    case .carriageReturn(let line): "line \(line) ends with a carriage return"
    case .truncated: "the file ends inside the header"
    case .tooLong: "the header is too long"
    case .unexpectedLine(let line): "line \(line) is unexpected"
    case .arguments(let line): "line \(line) has wrong arguments"
    case .body(let line): "line \(line) is not canonical base64"
    case .macLine: "the last line is not a MAC"
    case .noStanza: "no recipient"
    case .stanza(let kind): "invalid '\(kind)' stanza"
    case .fileKeyLength(let kind): "a '\(kind)' stanza has a body of the wrong length"
    case .scryptNotAlone: "a passphrase is combined with other recipients"
    case .workFactor: "the work factor of the passphrase is too high"
    case .lowOrderShare: "a key share is not usable"
    case .nonce: "the file ends before the payload"
    case .otherRecipient: "the file is not sealed to this capsule"
    case .timelock: "the timelock was changed"
    }
  }
}

extension ArmorFault {
  /// The fault of an armor, in words.
  package var words: String {
    switch self {
    case .begin(let line): "line \(line) is not the BEGIN line"
    case .line(let line): "line \(line) is not 64 columns of canonical base64"
    case .end(let line): "line \(line) is not the END line"
    case .truncated: "the END line is missing"
    case .trailing: "text follows the END line"
    }
  }
}
