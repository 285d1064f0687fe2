import CapsuleCore

/// `capsule store …`: who may use the store.
enum StoreCommands {
  static let group = CommandGroup(
    "Who may use the store", noun: "store", summary: "Protect the store with a passphrase",
    [
      StoreProtectCommand.command,
      StoreUnprotectCommand.command,
      StoreHoldCommand.command,
      StoreReleaseCommand.command,
      StoreAcceptCommand.command,
    ])
}

/// `capsule store protect`.
enum StoreProtectCommand {
  static let trustees = Parameter.option(
    "trustees", value: "TRUSTEES", .reference(.trustees),
    "Let the trustees of this group open the store without the passphrase")

  static let command = Command(
    "store", "protect", summary: "Protect the store's identity with a passphrase",
    discussion: """
      The key to honor capsules, the store's identity, is in the store. Anyone who has the store's directory \
      can open every honor capsule, even before its date.

      `store protect` makes a new identity and seals (encrypts) it with a passphrase. It seals every honor \
      lock to the new identity, and seals the old identity beside it. Then it removes every unencrypted copy \
      from the store: in `identities/`, `store.json`, the journal's headers, `backups/`, `tmp/` and conflict \
      copies.

      If you forget the passphrase, every honor capsule is lost. `--trustees` seals a copy of the identities \
      to trustees, who can then open the store: `capsule store unprotect --shares`.

      `open`, `deliver`, `estate`, `sync` and `identity print` then ask for the passphrase when they need it. \
      They also take it from `--passphrase-file`, `--passphrase-command` or `capsule store remember`. \
      `create`, `add`, `list`, `show`, `check` and `countdown` need none.

      Limits:

      - Copies elsewhere stay readable: other machines, backups, archives, remotes, printed pages, and removed \
      files that are still on the disk.
      - Titles, notes, dates, tags, events, items and their attachments, people, bequests and settings stay \
      unencrypted.
      - Files that you put into the store's directory yourself are listed, not removed (exit status 3).
      - An interrupted command leaves a working store. Run the command again to finish.
      - If the store is protected already, the command protects what was added since, such as an imported \
      identity.
      """,
    options: [trustees] + PassphraseOptions.newOptions, outputs: .json,
    examples: [
      Example("capsule store protect", "Choose a passphrase for the store"),
      Example(
        "capsule store protect --passphrase-generate --trustees family",
        "Generate a passphrase, and let trustees open the store too"),
    ],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let store = try session.stores.existing(
      or: Fault(
        .notFound, "no store to protect", hint: "create a capsule first: capsule create"))
    try store.requireWritable()
    let done: (store: Store, report: ProtectionReport)
    if store.header.isProtected {
      guard !invocation[PassphraseOptions.generate] else {
        throw Fault(
          .refused, "the store already has another passphrase",
          hint: "remove that passphrase first: capsule store unprotect")
      }
      let opened = try session.passphrases.opened(store, invocation)
      let group = try group(invocation, in: store, session)
      done = try opened.protection.protectWholly(copyFor: group, now: session.now)
    } else {
      let group = try group(invocation, in: store, session) ?? offered(store, session)
      session.console.note(
        "If you forget the passphrase, every honor capsule is lost"
          + (group.map { ", unless the trustees of '\($0.group.name)' open their copy." } ?? "."))
      let passphrase = try PassphraseOptions.chosen(invocation, session)
      done = try store.protection.protect(
        with: passphrase, workFactor: session.host.passphraseWorkFactor, copyFor: group,
        now: session.now)
    }
    session.stores.noteLasting(.keys)
    return answer(done.report, done.store, session)
  }

  private static func group(
    _ invocation: Invocation, in store: Store, _ session: Session
  ) throws -> VouchedTrustees? {
    guard let reference = invocation[trustees] else { return nil }
    let group = try session.records.one(TrusteeGroup.self, reference, in: store, intact: true).model
    if group.leftCount < group.threshold { session.records.warn(of: group) }
    return try store.trust.vouched(group)
  }

  /// Offers a copy to the trustees of the store, where somebody sits at the terminal.
  private static func offered(_ store: Store, _ session: Session) throws -> VouchedTrustees? {
    let groups = session.records.trusteeGroups(in: store).filter { $0.leftCount >= $0.threshold }
    guard session.ask.isInteractive, let group = groups.first else { return nil }
    guard groups.count == 1 else {
      session.console.note("To give trustees a copy of the key, use --trustees TRUSTEES.")
      return nil
    }
    let isWanted = try session.ask.isYes(
      "Seal a copy to the trustees of '\(group.name)', any \(group.threshold) of whom open the store "
        + "then?",
      unanswered: Fault.storeClosed)
    return isWanted ? try store.trust.vouched(group) : nil
  }

  private static func answer(
    _ report: ProtectionReport, _ store: Store, _ session: Session
  ) -> Answer {
    for path in report.unsealed {
      session.console.warning(
        "the honor lock in '\(path.text)' was not changed: it is damaged, or its key is missing",
        hint: "find the cause: capsule verify; then run this command again",
        details: ["path": path.json])
    }
    for path in report.left {
      session.console.warning(
        "'\(path.text)' does not belong to the store and may contain a key in the clear",
        hint: "check the file, then remove it", details: ["path": path.json])
    }
    let isWhole = report.unsealed.isEmpty && report.left.isEmpty
    let carriers = ((try? Carriers(session))?.of(store) ?? []).map(\.name)
    return Answer(
      [
        "wasProtected": report.wasProtected.json,
        "sealed": report.sealed.json, "unsealed": report.unsealed.map(\.text).json,
        "removed": report.removed.map(\.text).json, "left": report.left.map(\.text).json,
        "copy": (report.copy?.text).json,
        "carriers": carriers.json,
      ], ending: isWhole ? .ok : .partial, quiet: .nothing
    ) { out in
      out.line(
        report.wasProtected
          ? "The store was protected already: \(words(report))."
          : "The store is protected: \(words(report)).")
      if let copy = report.copy { out.line("The copy for the trustees is '\(copy.text)'.") }
    }
    .noting(
      "Copies elsewhere are not protected: other devices, backups, archives, printed pages, deleted data on the disk, and remotes\(carriers.isEmpty ? "" : " (\(carriers.joined(separator: ", ")))"). They still open what was sealed before."
    )
    .noting("Titles, notes, dates, tags, events, items, people and settings are not encrypted.")
  }

  private static func words(_ report: ProtectionReport) -> String {
    String.counting(report.sealed, "honor lock") + " resealed, "
      + String.counting(report.removed.count, "copy", "copies")
      + " of keys in the clear removed"
  }
}

/// `capsule store unprotect`.
enum StoreUnprotectCommand {
  static let command = Command(
    "store", "unprotect", summary: "Remove the store's passphrase",
    discussion: """
      The identities are then unencrypted again, in `identities/` and in `store.json`. Anyone who has the \
      store's directory can open its honor capsules. To change the passphrase, run `capsule store unprotect`, \
      then `capsule store protect`.

      You can do this without the passphrase in two ways:

      - with enough trustees, if a copy was sealed to them: `--shares`
      - with the store's identity, for example from a printed page: `--identity FILE`
      """,
    options: [
      PassphraseOptions.file, PassphraseOptions.command, KeyOptions.identity, ShareOptions.shares,
      ShareOptions.share,
    ],
    outputs: .json,
    examples: [
      Example("capsule store unprotect", "Remove the passphrase"),
      Example("capsule store unprotect --shares", "Let trustees remove a forgotten passphrase"),
    ],
    exitCodes: [.notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let store = try session.stores.existing(or: Fault(.notFound, "no store found"))
    let opened = try opened(store, invocation, session)
    let report = try opened.protection.unprotect().report
    HeldPassphrase.place(session, of: store)?.remove()
    if report.wasProtected { session.stores.noteLasting(.keys) }
    return Answer(["wasProtected": report.wasProtected.json], quiet: .nothing) { out in
      out.line(
        report.wasProtected
          ? "The store is no longer protected: its keys are in the clear."
          : "The store is not protected.")
    }
  }

  private static func opened(
    _ store: Store, _ invocation: Invocation, _ session: Session
  ) throws -> Store {
    guard store.protection.isClosed else { return store }
    var identities = try KeyOptions.identities(invocation, session)
    if ShareOptions.isGiven(invocation) {
      let groups = session.records.trusteeKeys(in: store)
      let set = try ShareOptions.collect(invocation[ShareOptions.share], of: groups, session)
      identities += try TrusteeGroup.identities(joining: set, of: groups).identities
    }
    return try identities.isEmpty
      ? session.passphrases.opened(store, invocation) : store.protection.opened(with: identities)
  }
}

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

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let seconds = try session.dates.readSeconds(invocation[time], option: "--for")
    guard seconds <= mostSeconds else {
      throw Fault.usage(
        "a passphrase can be kept for at most 24 hours", hint: "use a shorter time: --for 1h")
    }
    let store = try session.stores.existing(or: Fault(.notFound, "no store found"))
    guard store.header.isProtected else {
      throw Fault(
        .refused, "the store has no passphrase",
        hint: "set one: capsule store protect")
    }
    let held = try HeldPassphrase(session, of: store)
    let passphrase = try session.passphrases.checked(of: store, invocation)
    try held.keep(passphrase, seconds: seconds)
    let end = session.now.adding(seconds: seconds)
    let members = session.object(["path": held.path.json], at: ["until": end])
    return Answer(members, quiet: .nothing) { out in
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

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let store = try session.stores.existing(or: Fault(.notFound, "no store found"))
    let wasHeld = HeldPassphrase.place(session, of: store)?.remove() ?? false
    return Answer(["wasHeld": wasHeld.json], quiet: .nothing) { out in
      out.line(wasHeld ? "The passphrase is no longer held." : "No passphrase was held.")
    }
  }
}

/// `capsule store accept`.
enum StoreAcceptCommand {
  static let command = Command(
    "store", "accept", summary: "Accept changed keys and recipients on this device",
    discussion: """
      This device remembers to whom each store seals: its own key, the keys of trustees, the recipients of \
      people, and the settings `trustees` and `postQuantum`. It remembers changes made here at once.

      A change that arrives with a sync, an archive or an edited file could come from someone else. Until you \
      accept the change, `create` and every other command that seals exits with status 7, and `verify` reports \
      it.

      This command lists each change, asks, and accepts all of them, for this store at this path. If you did \
      not make them, answer no, and restore the store from a backup.
      """,
    options: [DeleteCommand.yes], outputs: .json,
    examples: [
      Example("capsule store accept", "Review and accept changes"),
      Example("capsule store accept --yes --json", "Accept changes in a script"),
    ],
    exitCodes: [.notFound, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let store = try session.stores.existing(or: Fault(.notFound, "no store found"))
    let problems = try store.trust.problems()
    for problem in problems { session.console.note(StyledText(problem.words)) }
    if !problems.isEmpty {
      try session.ask.confirm(
        problems.count == 1
          ? "Did you make this change, and should this device accept it?"
          : "Did you make these \(problems.count) changes, and should this device accept them?",
        unless: invocation[DeleteCommand.yes])
    }
    let isKept = try store.trust.accept(problems)
    guard isKept else {
      throw Fault(
        .io, "this device cannot save the answer: its state directory is not writable",
        hint: "set XDG_STATE_HOME to a directory that you own")
    }
    return Answer(["accepted": problems.map(\.members).json], quiet: .nothing) { out in
      out.line(
        problems.isEmpty
          ? "Nothing differs from what this device knows."
          : "Accepted \(String.counting(problems.count, "change")).")
    }
  }
}
