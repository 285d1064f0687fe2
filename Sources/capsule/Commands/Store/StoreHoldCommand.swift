import CapsuleCore

/// `capsule store remember`.
enum StoreHoldCommand {
  static let time = Parameter.option(
    "for", value: "DURATION", .text, default: "1 hour",
    "How long, in hours, minutes and seconds, at most 24 hours")

  /// The longest time, in seconds.
  private static let mostSeconds: Int64 = 86_400

  static let command = Command(
    "store", "remember", summary: "Remember the store's passphrase for a while",
    discussion: """
      Commands that need the passphrase of a protected store then do not ask for it. It is in a file in \
      `$XDG_RUNTIME_DIR` that only you can read. That directory is in memory and goes when you log out. \
      `capsule store forget` removes the passphrase at once.

      Limits:

      - Every program that runs as you can read a remembered passphrase.
      - An expired passphrase is never used, even if the clock was set back or the machine slept. The next \
      command removes it.
      - Without `$XDG_RUNTIME_DIR` the passphrase cannot be remembered.
      """,
    options: [time, PassphraseOptions.file, PassphraseOptions.command], outputs: .json,
    examples: [
      Example("capsule store remember", "Type the passphrase once for the next hour"),
      Example(
        "capsule store remember --for '10 minutes'",
        "Type the passphrase once for the next ten minutes"),
    ],
    exitCodes: [.notFound, .key, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let seconds = try session.dates.readSeconds(invocation[time] ?? "1 hour", option: "--for")
    guard seconds <= mostSeconds else {
      throw Failure.usage("a passphrase is held for at most 24 hours", hint: "say less")
    }
    guard let store = try session.stores.existing() else {
      throw Failure(.notFound, "there is no store")
    }
    guard store.header.isProtected else {
      throw Failure(
        .refused, "the store is not protected: it has no passphrase",
        hint: "'capsule store protect' gives it one")
    }
    let held = try HeldPassphrase(session, of: store)
    let passphrase = try session.passphrases.checked(of: store, invocation)
    try held.keep(passphrase, seconds: seconds)
    let end = session.now.adding(seconds: seconds)
    var members: JSONObject = [
      "path": .string(held.path.text), "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(end, as: "until", to: &members)
    return try session.console.render(json: .object(members)) { out in
      guard !session.isQuiet else { return }
      out.line("The passphrase is held until \(session.dates.text(end)).")
    }
  }
}

/// `capsule store forget`.
enum StoreReleaseCommand {
  static let command = Command(
    "store", "forget", summary: "Forget the remembered passphrase",
    discussion: """
      Removes the passphrase that `capsule store remember` keeps. If none is remembered, the command does \
      nothing.
      """,
    outputs: .json,
    examples: [Example("capsule store forget", "Forget the passphrase now")],
    exitCodes: [.notFound, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    guard let store = try session.stores.existing() else {
      throw Failure(.notFound, "there is no store")
    }
    let wasHeld = HeldPassphrase.place(session, of: store)?.remove() ?? false
    return try session.console.render(json: .object(["wasHeld": .bool(wasHeld)])) { out in
      guard !session.isQuiet else { return }
      out.line(wasHeld ? "The passphrase is no longer held." : "No passphrase was held.")
    }
  }
}
