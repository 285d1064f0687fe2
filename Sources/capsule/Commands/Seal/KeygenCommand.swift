import CapsuleCore

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

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let filter = StreamFilter(session: session, invocation: invocation, canReplace: false)
    if invocation[recipients] {
      return try filter.run(isBinary: false) { source, sink in
        var bytes = MemorySink()
        try source.copy(to: &bytes, limit: KeyLines.maximumByteCount)
        let path = invocation[FilterArguments.input] ?? FilePath("-")
        let identities = try IdentityFile(bytes.bytes, of: path).identities
        let text = identities.map { "\($0.recipient)\n" }.joined()
        try Array(text.utf8).withUnsafeBytes { try sink.write($0) }
      }
    }
    if let input = invocation[FilterArguments.input] {
      throw Failure.usage(
        "'\(input.text)' is one operand too many", hint: "'-y' reads a file of identities")
    }
    let identity = try AgeIdentity(
      isPostQuantum: invocation[postQuantum], random: session.host.random)
    warnOfReaders(invocation, session)
    let text = IdentityFile.text(
      identity,
      comments: ["created: \(session.now.rfc3339)", "public key: \(identity.recipient)"])
    let code = try filter.write(isBinary: false) { sink in
      try text.withUnsafeBytes { try sink.write($0) }
    }
    if !session.console.out.isTerminal || invocation[FilterArguments.output] != nil {
      session.console.note("Public key: \(identity.recipient.description)")
    }
    return code
  }
  /// Warns where others get to see the secret key, as `age-keygen` does.
  static func warnOfReaders(_ invocation: Invocation, _ session: Session) {
    if let path = invocation[FilterArguments.output], path.bytes != Array("-".utf8) { return }
    let hint = "'--output FILE' writes a file that only its owner can read"
    if session.console.out.isTerminal {
      session.console.warning("writing the secret key to the terminal", hint: hint)
    } else if session.host.output.isReadableByAll() {
      session.console.warning("writing the secret key to a world-readable file", hint: hint)
    }
  }
}
