import CapsuleCore

/// The program's side of faults: what any error says, and the status that it ends with.
extension Fault {
  /// Translates any error that a command throws: the one place where errors become words.
  init(_ error: any Error) {
    switch error {
    case let fault as Fault: self = fault
    case let error as AgeFailure: self = .seal(error, path: "")
    default: self = .internal("unexpected error: \(String(describing: error))")
    }
  }

  /// Returns the whole message, its instants on the clocks of `zone`.
  func message(in zone: @autoclosure () -> ZoneRules) -> String {
    message.text { seconds, _ in DateText.local(Instant(seconds: seconds), in: zone()) }
  }

  /// The command line is wrong in a way that only the command can know.
  static func usage(_ message: Message, hint: String? = nil) -> Fault {
    Fault(.usage, message, hint: hint)
  }

  @_disfavoredOverload
  static func usage(_ text: String, hint: String? = nil) -> Fault {
    Fault(.usage, text, hint: hint)
  }

  /// The user answered no, or did not answer.
  static func canceled(_ message: Message = "canceled") -> Fault {
    Fault(.canceled, message)
  }

  /// A bug.
  static func `internal`(_ message: Message) -> Fault {
    Fault(
      .internal, message,
      hint: "please report this bug with the command and the output of: capsule version")
  }
}

extension Fault.Kind {
  /// The code that the program ends with.
  var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .partial: .partial
    case .locked: .locked
    case .notFound, .ambiguous: .notFound
    case .key: .key
    case .damaged: .damaged
    case .busy: .busy
    case .unproven: .unproven
    case .io: .io
    case .version: .version
    case .refused: .refused
    case .away: .away
    case .internal: .internal
    case .signal: .brokenPipe
    }
  }
}

extension ExitCode {
  /// The names of the outcomes that share the code, as JSON has them.
  var kinds: [String] {
    switch self {
    case .ok: ["ok"]
    case .none: ["none"]
    case .notFound: ["notFound", "ambiguous"]
    case .interrupted, .brokenPipe, .terminated: ["signal"]
    default: Fault.Kind.allCases.filter { $0.exitCode == self }.map(\.rawValue)
    }
  }
}

extension Fault {
  /// Something has the name of the file that was to be written.
  static func taken(_ path: FilePath, hint: String) -> Fault {
    Fault(
      .refused, "'\(path.text)' already exists", hint: hint,
      details: ["path": path.json])
  }
}

extension Fault {
  /// An unlock time that was to move earlier.
  static func neverEarlier(_ from: String, _ to: String, _ unlockAt: Instant) -> Fault {
    Fault(
      .refused,
      "the unlock time cannot move earlier, from \(from) to \(to)",
      hint: "choose a later time",
      details: ["unlockAt": unlockAt.json])
  }
}

extension Fault {
  /// An invalid recipient, cut where it is long.
  fileprivate init(_ error: KeyFault, recipient text: String) {
    // A secret is not repeated, wherever the message goes.
    if error == .secretKey {
      self = .usage("expected a recipient: \(error.words)", hint: error.hint)
      return
    }
    self = .usage(
      "invalid recipient '\(RecipientText.shortened(text))': \(error.words)", hint: error.hint)
  }
}

extension AgeRecipient {
  /// Reads a recipient that a person named; what fails says which text it was.
  init(named text: String) throws(Fault) {
    do { try self.init(text) } catch { throw Fault(error, recipient: text) }
  }
}

extension Fault {
  /// Returns the fault of a file of keys with the name of the file.
  fileprivate func ofKeys(in path: FilePath) -> Fault {
    var fault = self
    fault.message = message.naming(path.text)
    if (cause as? KeyFileProblem) == .sealed {
      fault.hint = "open it first: capsule unseal -o keys.txt '\(path.text.quotedForShell)'"
    }
    return fault
  }
}

extension RecipientsFile {
  /// Reads the bytes of a file; what fails names the file.
  init(_ bytes: [UInt8], of path: FilePath) throws(Fault) {
    do { try self.init(bytes) } catch { throw error.ofKeys(in: path) }
  }
}

extension IdentityFile {
  /// Reads the bytes of a file; what fails names the file.
  init(_ bytes: [UInt8], of path: FilePath) throws(Fault) {
    do { try self.init(bytes) } catch { throw error.ofKeys(in: path) }
  }
}

extension Fault {
  /// A capsule that did not open, in words.
  init(
    _ fault: Fault, opening capsule: Capsule, in store: Store, _ session: Session
  ) {
    guard let problem = fault.opening else {
      self = fault
      return
    }
    let path = store.layout.record(.capsule, capsule.id).text
    let backup = "restore the record from a backup"
    var details: JSONObject = ["path": path.json, "id": capsule.id.json]
    switch problem {
    case .locked(let until, let remaining):
      details = [
        "id": capsule.id.json, "secondsRemaining": remaining.json,
        "zone": session.localZone.label.json,
      ]
      InstantFields(zone: session.zone).add(until, as: "unlockAt", to: &details)
      self.init(
        .locked,
        "'\(capsule.title)' is locked until \(session.dates.text(until)), \(session.dates.relative(until))",
        hint: "wait until then: --wait", details: details)
    case .unknownChain(let hash, let until):
      details["chain"] = hash.json
      InstantFields(zone: session.zone).add(until, as: "unlockAt", to: &details)
      self.init(
        .unproven,
        "'\(capsule.title)' is locked until \(session.dates.text(until)): this device does not know the drand "
          + "chain '\(hash)', so the beacon proves nothing",
        hint: "if you sealed the capsule with that chain: --chain FILE",
        details: details)
    case .timelock(let error):
      self.init(
        .damaged, "the record of '\(capsule.title)' is damaged: \(error.words)",
        hint: backup)
    case .otherRound:
      self.init(
        .damaged,
        "the lock of '\(capsule.title)' is sealed to a different drand round or chain than the record says",
        hint: backup, details: ["path": path.json])
    case .unrecordedTimelock:
      self.init(
        .damaged, "the lock of '\(capsule.title)' has a timelock that is missing from the record",
        hint: backup)
    case .noKey(.passphrase):
      self.init(.key, "wrong passphrase for '\(capsule.title)'", details: details)
    case .noKey(.shares):
      self.init(
        .key, "these shares do not open '\(capsule.title)'",
        hint: "find the group of a share: capsule trustees verify", details: details)
    case .noKey(.identity) where capsule.lock.kind == .honor:
      self.init(
        .key, "the store's key for '\(capsule.title)' is missing",
        hint: store.sync.hasState
          ? "if it opens on another device, send the key there: capsule sync add NAME PLACE --passphrase; then "
            + "here: capsule sync clone PLACE; otherwise restore 'identities/' from a backup"
          : "restore 'identities/' from a backup, or import the key: capsule identity import FILE",
        details: details)
    case .noKey(.identity):
      self.init(
        .key, "no given identity opens '\(capsule.title)'",
        hint: "use the identity that the capsule was sealed to: --identity FILE", details: details)
    case .lock(let error): self = .seal(error, subject: "the lock of '\(capsule.title)'")
    case .lockFault(.unlockEarlier(let sealed)):
      self.init(
        .damaged,
        "the record of '\(capsule.title)' has an earlier unlock time than the sealed one: "
          + session.dates.text(sealed),
        hint: "restore '\(path)' from a backup, or move the time later: capsule edit",
        details: details)
    case .lockFault(.otherCapsule(let id)):
      self.init(
        .damaged, "the lock of '\(capsule.title)' belongs to another capsule, \(id)", hint: backup,
        details: details)
    case .lockFault(.otherForm(let sealed)):
      self.init(
        .damaged,
        "the lock of '\(capsule.title)' was sealed as '\(sealed)', and the record says otherwise",
        hint: backup, details: details)
    case .lockFault(.otherRecipient), .lockFault(.notKeyFile), .lockFault(.layers):
      self.init(
        .damaged, "the lock of '\(capsule.title)' does not belong to the record", hint: backup,
        details: details)
    }
  }
}

extension Fault {
  /// A timelock that does not open, in words: each class another exit code.
  init(_ error: TlockError, source: String, _ session: Session) {
    let from = source.isEmpty ? "" : " from \(source)"
    switch error {
    case .beaconNeeded(_, let round):
      self.init(
        .unproven, "the drand beacon of round \(round) is needed", hint: "provide it: --beacon FILE"
      )
    case .notYet(let round, let time):
      var details: JSONObject = ["round": Int64(clamping: round).json]
      let written = time.flatMap { $0.isRepresentable ? $0 : nil }
      InstantFields(zone: session.zone).add(written, as: "unlockAt", to: &details)
      if let time {
        details["secondsRemaining"] = max(0, time.seconds(since: session.now)).json
      }
      self.init(
        .locked,
        "drand round \(round) is not published yet" + (time.map { Self.words($0, session) } ?? ""),
        hint: nil, details: details)
    case .badSignature(let round):
      self.init(
        .unproven, "the beacon\(from) is not the signature of drand round \(round)",
        hint:
          "download it again from a drand relay, as https://api.drand.sh/CHAIN-HASH/public/\(round)"
      )
    case .otherRound(let wanted, let claimed):
      self.init(
        .unproven, "the beacon\(from) is for drand round \(claimed), not \(wanted)",
        hint:
          "download the right one from a drand relay, as https://api.drand.sh/CHAIN-HASH/public/\(wanted)"
      )
    case .unknownChain(let hash):
      self.init(
        .key, "the timelock uses an unknown drand chain, \(hash)",
        hint: "provide the chain info: --chain FILE")
    case .damaged:
      self.init(.damaged, "the timelock is damaged", hint: "restore the file from a backup")
    }
  }

  /// Returns the words for the time of a round that no relay has yet.
  private static func words(_ time: Instant, _ session: Session) -> String {
    guard time.isRepresentable else { return "; that will be after the year 9999" }
    let relative = session.dates.relative(time)
    return time > session.now
      ? "; that will be on \(session.dates.text(time)), \(relative)"
      : " according to a relay; by the clock of this computer it was due \(relative)"
  }
}

extension Fault {
  /// A date expression that was not understood.
  ///
  /// - Parameters:
  ///   - text: the whole expression.
  ///   - option: the option or argument that it was given for: `--unlock`, `WHEN`.
  ///   - thing: what was to be read: a date or a duration.
  ///   - zone: the zone that dates are shown in.
  init(
    _ error: WhenError, text: String, option: String, of thing: String = "date", in zone: ZoneRules
  ) {
    var details: JSONObject = [
      "option": option.json, "expression": text.json,
      "position": error.position.json, "word": error.word.json,
      "suggestions": error.suggestions.map(\.expression).json,
    ]
    if !error.suggestions.isEmpty {
      details["readings"] = .array(
        error.suggestions.map {
          [
            "expression": $0.expression.json,
            "at": ($0.instant?.rfc3339).json,
          ]
        })
    }
    self.init(
      .usage, "invalid \(thing) for \(option): '\(text.shortened)': \(error.message)",
      hint: error.hint(in: zone),
      details: details)
  }
}

extension WhenError {
  /// The texts that can be written instead, each with the date that it gives.
  private func offered(in zone: ZoneRules) -> String? {
    let texts = suggestions.map { reading in
      "'\(reading.expression)'"
        + (reading.instant.map { " (\(DateText.local($0, in: zone)))" } ?? "")
    }
    return texts.isEmpty ? nil : texts.joined(separator: " or ")
  }

  /// The way out.
  fileprivate func hint(in zone: ZoneRules) -> String? {
    let offers = self.offered(in: zone)
    let suggested = offers.map { "did you mean \($0)?" }
    let understood = "list all forms of dates: capsule help dates"
    return switch kind {
    case .empty: "write a date such as 2036-06-15, or 'in 3 months'"
    case .unexpected, .unknownWord: suggested ?? understood
    case .ambiguous: offers.map { "write \($0)" } ?? understood
    case .leapSecond: "write :59, or the next minute"
    case .badOffset: suggested ?? "write the offset as +02:00"
    case .noZones: "install the time zones: the package tzdata"
    case .missingUnit: suggested ?? "write days, months or another unit"
    case .fraction: suggested ?? "use a smaller unit"
    case .negative: suggested ?? "for a time before now, write '3 days ago'"
    case .damagedZone, .numberTooLarge, .repeatedUnit, .inThePast, .inTheFuture:
      nil
    default: suggested
    }
  }

}
