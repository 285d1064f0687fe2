import CapsuleCore

/// `capsule sync add`.
enum SyncAddCommand {
  static let name = Operand("NAME", .text, "A name for it here")
  static let place = Operand(
    "PLACE", .directory, "A directory, HOST:PATH through ssh, or rclone:REMOTE:PATH")

  static let command = Command(
    "sync", "add", summary: "Name a place where machines meet",
    discussion: """
      The carrier may be a directory (a stick, a share, a folder that another program carries to other \
      machines), a directory of a host that `ssh` reaches, through `rsync`, or one of the services that \
      `rclone` is configured for. It learns sizes and times, and nothing else: all in it is sealed to the \
      store's identities. `rsync` and `rclone` must be installed where they are used.

      So that a second machine can join, the identities themselves are put there, sealed to a passphrase \
      or to recipients; `capsule sync clone` opens them. A carrier of this store that is there already is \
      only named, unless a passphrase or a recipient is given: then the identities are sealed anew.
      """,
    operands: [name, place],
    options: PassphraseOptions.newOptions + [KeyOptions.recipient, KeyOptions.recipientsFile],
    outputs: .json,
    examples: [
      Example("capsule sync add stick /media/stick/capsule", "Ask for a passphrase, and begin"),
      Example(
        "capsule sync add home ~/Sync/capsule --passphrase-generate",
        "A folder of Syncthing, and a passphrase of words"),
      Example("capsule sync add nas ada@nas:capsule", "A directory of a host, through ssh"),
      Example("capsule sync add cloud rclone:drive:capsule", "A remote of rclone"),
    ],
    exitCodes: [.key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let name = try Carriers.name(try invocation[name])
    let place = try Carriers.place(try invocation[place], session)
    // A store is made only when what it is sealed to is known.
    let early =
      try session.existingStoreQuietly() == nil ? recipients(invocation, session) : nil
    let store = try session.opened(session.storeForChange(), nil)
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
    try session.work(in: store, carrier: name) { work throws(SyncError) in
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
    try session.work(in: store, carrier: carrier.name) { work throws(SyncError) in
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
    try session.render(
      json: .object(["name": .string(carrier.name), "place": .string(carrier.place.text)])
    ) { out in
      guard !session.isQuiet else { return }
      out.line(
        "The carrier '\(carrier.name, .bold)' is '\(carrier.place.text)'. Synchronise: capsule sync"
      )
    }
  }
}
