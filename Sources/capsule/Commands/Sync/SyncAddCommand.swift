import CapsuleCore

/// `capsule sync add`.
enum SyncAddCommand {
  static let name = Parameter.operand("NAME", .text, "A name for the remote")
  static let place = Parameter.operand(
    "PLACE", .directory, "A directory, HOST:PATH over ssh, or rclone:REMOTE:PATH")

  static let command = Command(
    "sync", "add", summary: "Add a remote where devices exchange changes",
    discussion: """
      A remote can be one of these:

      - a directory: a stick, a network share, or a folder that another program synchronizes
      - a directory on a host, through `rsync` and `ssh`
      - a service that `rclone` is configured for

      Everything in a remote is sealed (encrypted) to the store's identities. Someone who has only the remote \
      sees sizes and times, nothing else.

      The remote also has the identities themselves, sealed with a passphrase or to recipients. `capsule sync \
      clone` on another device opens them.

      Limits:

      - Each device that uses `rsync` or `rclone` must have it installed.
      - If the place is a remote of this store already, the command only names it. With a passphrase or a \
      recipient it also seals the identities again.
      """,
    operands: [name, place],
    options: PassphraseOptions.newOptions + [KeyOptions.recipient, KeyOptions.recipientsFile],
    outputs: .json,
    examples: [
      Example("capsule sync add stick /media/stick/capsule", "Use a stick as a remote"),
      Example(
        "capsule sync add home ~/Sync/capsule --passphrase-generate",
        "Use a Syncthing folder, with a generated passphrase"),
      Example("capsule sync add nas ada@nas:capsule", "Use a directory on a host, over ssh"),
      Example("capsule sync add cloud rclone:drive:capsule", "Use a cloud service, through rclone"),
    ],
    exitCodes: [.key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let name = try Carriers.name(invocation[name])
    let place = try Carriers.place(invocation[place], session)
    // A store is made only when what it is sealed to is known.
    let early =
      try session.stores.existingQuietly() == nil ? recipients(invocation, session) : nil
    let store = try session.passphrases.opened(session.stores.forChange(), nil)
    var carriers = try Carriers(session)
    let carrier = NamedCarrier(name: name, store: store.header.id, place: place)
    try carriers.requireFree(carrier)
    let isGiven =
      PassphraseOptions.isGiven(invocation) || invocation.has(KeyOptions.recipient)
      || invocation.has(KeyOptions.recipientsFile)
    if !isGiven, early == nil, try isOwn(carrier, store, session) {
      try carriers.add(carrier, session)
      return try answer(carrier, session)
    }
    _ = try store.vouchedRecipients()
    let sealed = try SealedStoreHeader.seal(
      store, to: early ?? recipients(invocation, session))
    try session.sync.work(in: store, carrier: name) { work throws(SyncError) in
      _ = try work.add(carrier.carrier(session), identities: sealed)
    }
    try carriers.add(carrier, session)
    return try answer(carrier, session)
  }

  /// Whether the place is a carrier of this store already; refuses one that is another's before anything
  /// is asked.
  private static func isOwn(
    _ carrier: NamedCarrier, _ store: Store, _ session: Session
  ) throws -> Bool {
    try session.sync.work(in: store, carrier: carrier.name) { work throws(SyncError) in
      do throws(SyncError) {
        _ = try work.header(of: carrier.carrier(session))
        return true
      } catch {
        switch error {
        case .noHeader(false), .carrier(.unreachable): return false
        default: throw error
        }
      }
    }
  }

  /// Returns those to whom the store's header is sealed, which has the identities.
  private static func recipients(
    _ invocation: Invocation, _ session: Session
  ) throws -> [any Recipient] {
    let recipients = try KeyOptions.recipients(invocation, session)
    if recipients.isEmpty { return [try PassphraseOptions.recipient(invocation, session)] }
    guard !PassphraseOptions.isGiven(invocation) else {
      throw Failure.usage(
        "a passphrase and recipients cannot seal the identities together", hint: "choose one")
    }
    return recipients
  }

  private static func answer(_ carrier: NamedCarrier, _ session: Session) throws -> ExitCode {
    try session.console.render(
      json: .object(["name": .string(carrier.name), "place": .string(carrier.place.text)])
    ) { out in
      guard !session.isQuiet else { return }
      out.line(
        "The carrier '\(carrier.name, .bold)' is '\(carrier.place.text)'. Synchronise: capsule sync"
      )
    }
  }
}
