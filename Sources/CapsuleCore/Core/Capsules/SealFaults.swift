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
    let backup = "restore it from a backup"
    func made(
      _ code: Code, _ message: Message, hint: String? = nil, details: JSONObject = [:]
    ) -> Fault {
      Fault(code, message, hint: hint, details: details, cause: cause)
    }
    switch error {
    case .header(.notAge):
      return made(.damaged, "\(subject) is not an age file", hint: "was it sealed at all?")
    case .header(.workFactor):
      return made(
        .damaged, "\(subject) asks for too much work: its passphrase costs more than 2 to the 22",
        hint: "it was not made by a program that means well")
    case .header(.unsupportedVersion):
      return made(.damaged, "\(subject) is an age file of another version")
    case .header(.carriageReturn(let line)):
      return made(
        .damaged, "\(subject) has a damaged header: line \(line) ends with a carriage return",
        hint: "it was transferred as text; transfer it again as binary")
    case .header(let fault):
      return made(.damaged, "\(subject) has a damaged header: \(fault.words)", hint: backup)
    case .headerMAC:
      return made(
        .damaged, "\(subject) has a damaged header: it was changed after it was made", hint: backup)
    case .payload(.truncated):
      return made(.damaged, "\(subject) is cut off", hint: backup)
    case .payload(.trailing):
      return made(.damaged, "\(subject) has more bytes than were sealed", hint: backup)
    case .payload(.chunk(let number)):
      return made(.damaged, "\(subject) is damaged in chunk \(number)", hint: backup)
    case .payload(.emptyLastChunk):
      return made(.damaged, "\(subject) is damaged at its end", hint: backup)
    case .armor(let fault):
      return made(.damaged, "\(subject) has a damaged armor: \(fault.words)", hint: backup)
    case .noMatch:
      return made(
        .key, "no identity or passphrase fits \(subject)",
        hint: "give the right one with '--identity FILE' or '--passphrase-file FILE'")
    case .tooEarly(let until):
      return made(
        .locked, "\(subject) is timelocked until \(until)",
        details: ["until": .string(until.rfc3339)])
    case .unproven(let cause as TlockError):
      switch cause {
      case .unknownChain(let hash):
        return made(
          .key, "\(subject) is timelocked to the chain \(hash), which is not known here",
          hint: "give the chain's info: '--chain FILE'")
      case .damaged:
        return made(.damaged, "the timelock of \(subject) is damaged", hint: backup)
      case .beaconNeeded(_, let round), .notYet(let round, _), .badSignature(let round),
        .otherRound(let round, _):
        return made(
          .unproven, "\(subject) needs the beacon of round \(round)",
          hint: "give it: '--beacon FILE'")
      }
    case .unproven(let cause):
      return made(.unproven, "the time cannot be proved: \(String(describing: cause))")
    case .recipients(.none):
      return made(.usage, "nobody is named to seal to", hint: "name a recipient or a passphrase")
    case .recipients(.passphraseNotAlone):
      return made(
        .usage, "a passphrase cannot stand beside other recipients",
        hint: "seal to the one or to the others")
    case .recipients(.lowOrder):
      return made(.usage, "a recipient is not a usable key")
    case .recipients(.tooMany):
      return made(.usage, "there are too many recipients for one file")
    case .recipients(.mixed(let hybrid, let others)):
      func list(_ texts: [String]) -> String {
        texts.map { "'\(RecipientText.shortened($0))'" }.joined(separator: ", ")
      }
      return made(
        .usage,
        "recipients of two kinds cannot stand in one file: \(list(hybrid)) "
          + "\(hybrid.count == 1 ? "is" : "are") post-quantum, \(list(others)) "
          + "\(others.count == 1 ? "is" : "are") not",
        hint: "whatever the others open, a quantum computer opens; name recipients of one kind")
    case .source(let cause), .sink(let cause): return stream(cause)
    case .random(let fault): return fault
    case .tooMuchWork(let workFactor, let limit):
      return made(
        .refused,
        "\(subject) has a passphrase with a work factor of \(workFactor) "
          + "(\(ByteSize.text(1 << (workFactor + 10))) of memory), and the limit is \(limit)",
        hint:
          "allow the work if you trust the person who made the file: --max-work-factor \(workFactor)",
        details: ["workFactor": .integer(Int64(workFactor)), "limit": .integer(Int64(limit))])
    case .memory:
      return made(.io, "there is not enough memory for the passphrase's work")
    }
  }
}

extension HeaderFault {
  /// The fault of a header, in words.
  package var words: String {
    switch self {
    case .empty: "there is nothing to read"
    case .notAge: "it does not begin as one"
    case .unsupportedVersion: "it is of another version"
    case .carriageReturn(let line): "line \(line) ends with a carriage return"
    case .truncated: "it ends within the header"
    case .tooLong: "it is longer than a header may be"
    case .unexpectedLine(let line): "line \(line) has no place in a header"
    case .arguments(let line): "line \(line) has wrong arguments"
    case .body(let line): "line \(line) is not canonical base64"
    case .macLine: "its last line is not a MAC"
    case .noStanza: "it names nobody that can open it"
    case .stanza(let kind): "a stanza of the kind '\(kind)' breaks that kind's rules"
    case .fileKeyLength(let kind): "a stanza of the kind '\(kind)' has a body of another length"
    case .scryptNotAlone: "a passphrase stands beside other recipients"
    case .workFactor: "its passphrase asks for too much work"
    case .lowOrderShare: "a share in it is not a usable key"
    case .nonce: "it ends before its payload begins"
    case .otherRecipient: "it is not sealed to this capsule"
    case .timelock: "its timelock was changed"
    }
  }
}

extension ArmorFault {
  /// The fault of an armor, in words.
  package var words: String {
    switch self {
    case .begin(let line): "line \(line) is not its begin line"
    case .line(let line): "line \(line) is not 64 columns of canonical base64"
    case .end(let line): "line \(line) is not its end line"
    case .truncated: "its end line is missing"
    case .trailing: "something follows its end line"
    }
  }
}
