import CapsuleCore

/// `capsule store remember`.
enum StoreHoldCommand {
  static let time = Option(
    "for", value: "DURATION", .text, default: "1 hour",
    "How long it is held: hours, minutes and seconds, at most 24 hours")

  /// The longest time, in seconds.
  private static let mostSeconds: Int64 = 86_400

  static let command = Command(
    "store", "remember", summary: "Remember the store's passphrase for a while",
    discussion: """
      Commands that need the passphrase of a protected store take it from there, and do not ask. It is \
      kept in `$XDG_RUNTIME_DIR`, which is memory that goes when you log out, in a file that only you can \
      read; where there is no such directory it is refused. After its time it is never used, also where \
      the clock is set back or the machine slept, and the next command removes it. `capsule store forget` \
      removes it at once.

      As long as it is held, every program that runs as you can read it.
      """,
    options: [time, PassphraseOptions.file, PassphraseOptions.command], outputs: .json,
    examples: [
      Example("capsule store remember", "Ask for it, and keep it for an hour"),
      Example("capsule store remember --for '10 minutes'", "Keep it for ten minutes"),
    ],
    exitCodes: [.notFound, .key, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let seconds = try session.exactSeconds(invocation[time] ?? "1 hour", option: "--for")
    guard seconds <= mostSeconds else {
      throw Failure.usage("a passphrase is held for at most 24 hours", hint: "say less")
    }
    guard let store = try session.existingStore() else {
      throw Failure(.notFound, "there is no store")
    }
    guard store.header.isProtected else {
      throw Failure(
        .refused, "the store is not protected: it has no passphrase",
        hint: "'capsule store protect' gives it one")
    }
    let held = try HeldPassphrase(session, of: store)
    let passphrase = try session.checkedPassphrase(of: store, invocation)
    try held.keep(passphrase, seconds: seconds)
    let end = session.now.adding(seconds: seconds)
    var members: JSONObject = [
      "path": .string(held.path.text), "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(end, as: "until", to: &members)
    return try session.render(json: .object(members)) { out in
      guard !session.isQuiet else { return }
      out.line("The passphrase is held until \(session.dateTime(end)).")
    }
  }
}

/// `capsule store forget`.
enum StoreReleaseCommand {
  static let command = Command(
    "store", "forget", summary: "Forget the remembered passphrase",
    discussion: """
      Removes what `capsule store remember` keeps. Where nothing is held, nothing is to be done.
      """,
    outputs: .json,
    examples: [Example("capsule store forget", "Forget it now")],
    exitCodes: [.notFound, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    guard let store = try session.existingStore() else {
      throw Failure(.notFound, "there is no store")
    }
    let wasHeld = HeldPassphrase.place(session, of: store)?.remove() ?? false
    return try session.render(json: .object(["wasHeld": .bool(wasHeld)])) { out in
      guard !session.isQuiet else { return }
      out.line(wasHeld ? "The passphrase is no longer held." : "No passphrase was held.")
    }
  }
}
