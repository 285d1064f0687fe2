import CapsuleCore

/// The options by which recipients and identities are named.
enum KeyOptions {
  static let recipient = Parameter.options(
    "recipient", short: "r", value: "RECIPIENT", .text,
    "Seal to this recipient, a public key (`age1…`, `age1pq1…`)")
  static let recipientsFile = Parameter.options(
    "recipients-file", short: "R", value: "FILE", .path, "Seal to the recipients in this file")
  static let identity = Parameter.options(
    "identity", short: "i", value: "FILE", .path,
    "Open with the identities (secret keys) in this file")

  /// Reads every recipient that is named.
  static func recipients(
    _ invocation: Invocation, _ session: Session
  ) throws -> [any Recipient] {
    var recipients: [any Recipient] = try invocation[recipient].map { try AgeRecipient(named: $0) }
    for path in invocation[recipientsFile] {
      recipients += try RecipientsFile(read(path, session), of: path).recipients
    }
    return recipients
  }

  /// Reads every identity that is named.
  static func identities(
    _ invocation: Invocation, _ session: Session
  ) throws -> [AgeIdentity] {
    var identities: [AgeIdentity] = []
    for path in invocation[identity] {
      var bytes = try readTrusted(path, session)
      defer { wipe(&bytes) }
      identities += try IdentityFile(bytes, of: path).identities
    }
    return identities
  }

  private static func read(_ path: FilePath, _ session: Session) throws -> [UInt8] {
    let path = try session.files.input(path)
    return try session.host.files.withFile(path, .readFollowingLinks(streams: true)) {
      file throws(Fault) in
      try session.host.files.readAll(file, limit: KeyLines.maximumByteCount)
    }
  }

  /// Reads a file of secret keys.
  private static func readTrusted(_ path: FilePath, _ session: Session) throws -> [UInt8] {
    try session.files.readTrusted(
      session.files.input(path), streams: true, limit: KeyLines.maximumByteCount)
  }
}

/// The options by which a passphrase is given: never as an argument or in a variable, where others
/// can see it.
enum PassphraseOptions {
  static let ask = Parameter.flag("passphrase", short: "p", "Ask for a passphrase at the terminal")
  static let file = Parameter.option(
    "passphrase-file", value: "FILE", .path,
    "Read the passphrase from a file; one newline at its end is ignored")
  static let command = Parameter.option(
    "passphrase-command", value: "COMMAND", .text,
    "Read the passphrase from the output of a shell command")

  static let generate = Parameter.flag(
    "passphrase-generate", "Make a passphrase of ten words, and show it once at the terminal")

  static let maximumWorkFactor = Parameter.option(
    "max-work-factor", value: "N", .integer(1...ScryptIdentity.highestLimit),
    default: String(ScryptIdentity.foreignLimit),
    "Allow a passphrase with a work factor up to N (20 needs 1 GiB of memory)")

  /// The options that give the passphrase of something sealed.
  static let options: Parameters = [ask, file, command]
  /// The options that choose a new passphrase.
  static let newOptions: Parameters = options + [generate]

  /// The longest passphrase, in bytes.
  private static let limit = 1 << 16

  /// Whether a new one is given, to be asked for, or to be made.
  static func isGiven(_ invocation: Invocation) -> Bool {
    invocation[ask] || invocation[file] != nil || invocation[command] != nil
      || invocation[generate]
  }

  /// Reads the passphrase from a file or a command; `nil` where neither is named.
  static func given(
    _ invocation: Invocation, _ session: Session
  ) throws -> Passphrase? {
    if invocation[file] != nil, invocation[command] != nil {
      throw Fault.usage("'--passphrase-file' and '--passphrase-command' cannot both be given")
    }
    if let path = invocation[file] {
      var bytes = try read(path, session)
      guard let passphrase = Passphrase(fileContents: SecretBytes(taking: &bytes)) else {
        throw Fault(.usage, "the passphrase in '\(path.text)' is empty")
      }
      return passphrase
    }
    if let line = invocation[command] {
      var request = ProcessRequest.shell(Array(line.utf8), capturesOutput: true)
      // It may ask for something itself.
      request.showsMessages = true
      request.outputLimit = limit + 1
      request.endsAtOutputLimit = true
      try session.console.err.flush()
      var outcome = try session.host.runProcess(request)
      defer { wipe(&outcome.output) }
      guard outcome.output.count <= limit else {
        throw Fault(
          .usage,
          "the output of '--passphrase-command' is longer than "
            + ByteSize.text(Int64(limit)))
      }
      guard outcome.succeeded else {
        throw Fault(.key, "'--passphrase-command' failed")
      }
      guard let passphrase = Passphrase(fileContents: SecretBytes(taking: &outcome.output)) else {
        throw Fault(.usage, "'--passphrase-command' printed no passphrase")
      }
      return passphrase
    }
    return nil
  }

  /// Returns the recipient that a new seal has by its passphrase.
  static func recipient(
    _ invocation: Invocation, _ session: Session
  ) throws -> ScryptRecipient {
    ScryptRecipient(
      try chosen(invocation, session), workFactor: session.host.passphraseWorkFactor)
  }

  /// Returns a new passphrase: asked for twice where it is not given, and warned of where it is weak.
  static func chosen(
    _ invocation: Invocation, _ session: Session
  ) throws -> Passphrase {
    if invocation[generate] { return try generated(invocation, session) }
    let passphrase = try given(invocation, session) ?? askedTwice(session)
    let strength = PassphraseStrength(passphrase)
    if strength.isWeak {
      session.console.warning(
        "weak passphrase: about \(strength.bits) bits; \(PassphraseStrength.leastBits) bits "
          + "withstand guessing for decades",
        hint: "use a longer one, or let capsule make one: --passphrase-generate")
    }
    return passphrase
  }

  /// Makes a passphrase and shows it, on the terminal and nowhere else, before anything is sealed with it.
  private static func generated(
    _ invocation: Invocation, _ session: Session
  ) throws -> Passphrase {
    try invocation.refuse(generate, with: options)
    let passphrase = try Passphrase(generatedBy: session.host.random)
    try session.ask.show(
      passphrase.bytes,
      before: "The new passphrase, shown this once and kept nowhere; write it down:\n\n  ",
      after: "\n\n",
      absent: Fault(
        .key, "no terminal to show the generated passphrase on",
        hint: "use --passphrase-file FILE or --passphrase-command COMMAND"))
    return passphrase
  }

  /// Asks for a new passphrase until it is the same twice.
  private static func askedTwice(_ session: Session) throws -> Passphrase {
    let unanswered = Fault(
      .key, "no passphrase given",
      hint: "use --passphrase-file FILE or --passphrase-command COMMAND")
    for _ in 0..<3 {
      var first = try session.ask.line("Passphrase: ", echo: false, unanswered: unanswered)
      guard !first.isEmpty else {
        session.console.warning("empty passphrase, try again")
        continue
      }
      var second = try session.ask.line(
        "The same once more: ", echo: false, unanswered: unanswered)
      let isSame = constantTimeEqual(first, second)
      wipe(&second)
      if isSame, let passphrase = typed(&first, session) { return passphrase }
      wipe(&first)
      session.console.warning("the two passphrases differ, try again")
    }
    throw Fault(.key, "no passphrase given")
  }

  /// Asks for the passphrase of a seal.
  static func asked(_ question: String, _ session: Session) throws -> Passphrase {
    let unanswered = Fault(
      .key, "no passphrase given",
      hint: "use --passphrase-file FILE or --passphrase-command COMMAND")
    var bytes = try session.ask.line(question, echo: false, unanswered: unanswered)
    guard let passphrase = typed(&bytes, session) else {
      throw Fault(.key, "no passphrase given")
    }
    return passphrase
  }

  /// Takes a passphrase that was typed: the terminal hides what is typed until its key is computed, too.
  private static func typed(_ bytes: inout [UInt8], _ session: Session) -> Passphrase? {
    let (cover, terminal) = (session.host.cover, session.host.terminal)
    cover.begin(terminal())
    var passphrase = Passphrase(SecretBytes(taking: &bytes))
    passphrase?.watch = {
      cover.begin(terminal())
      return cover
    }
    return passphrase
  }

  private static func read(_ path: FilePath, _ session: Session) throws -> [UInt8] {
    try session.files.readTrusted(session.files.input(path), streams: true, limit: limit)
  }
}

/// The keys that a person gives: identities in files, and a passphrase from a file, from a command, or
/// from the terminal.
struct InteractiveKeys: KeySource {
  let session: Session
  let invocation: Invocation
  /// The question for the passphrase.
  let question: String
  /// The failure of shares, where no trustees can be among those that it is sealed to.
  var refusalOfShares: Fault? = .notOfTrustees("what was given")

  /// The number of times that a passphrase may be mistyped.
  private static let tries = 3

  var areOfTrustees: Bool { ShareOptions.isGiven(invocation) }

  var maximumWorkFactor: Int { invocation[PassphraseOptions.maximumWorkFactor] }

  func identities() throws -> [any Identity] {
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    guard ShareOptions.isGiven(invocation) else { return identities }
    if let refusalOfShares { throw refusalOfShares }
    let groups = session.records.trusteeKeys(in: try session.stores.existingQuietly())
    let set = try ShareOptions.collect(invocation[ShareOptions.share], of: groups, session)
    identities += try TrusteeGroup.identities(joining: set, of: groups).identities as [any Identity]
    return identities
  }

  func opened(_ store: Store) throws -> Store { try session.passphrases.opened(store, invocation) }

  /// Returns the passphrase that is named, once, or else asks for one.
  func passphrase(attempt: Int) throws -> Passphrase? {
    if invocation[PassphraseOptions.file] != nil || invocation[PassphraseOptions.command] != nil {
      return attempt == 1 ? try PassphraseOptions.given(invocation, session) : nil
    }
    guard attempt <= Self.tries else { return nil }
    if attempt > 1 { session.console.warning("wrong passphrase, try again") }
    return try PassphraseOptions.asked(question, session)
  }
}

extension Fault {
  /// Shares were given, and trustees are none of those that it is sealed to.
  static func notOfTrustees(_ subject: String) -> Fault {
    Fault(
      .key, "no share opens \(subject), which is not sealed to trustees",
      hint: "leave out the shares")
  }

  /// The failure of shares for a lock; `nil` where they may open it.
  static func ofShares(for capsule: Capsule, in store: Store) -> Fault? {
    let lock = capsule.lock
    if lock.canBeOfTrustees { return nil }
    guard lock.kind == .honor, store.keys.hasTrusteesCopy else {
      return .notOfTrustees("'\(capsule.title)'")
    }
    return Fault(
      .key, "the shares open the whole store, but not '\(capsule.title)' alone",
      hint:
        "turn off the protection of the store with the shares: capsule store unprotect --shares")
  }
}
