import CapsuleCore

/// `capsule open`.
enum OpenCommand {
  static let reference = Operand(
    "REF", .reference(.capsule), "An id, the start of one, or a title")
  static let output = Option(
    "output", short: "o", value: "DIR", .directory, "Write all contents into a directory")
  static let force = Flag("force", "Replace files that are in the way")
  static let content = Option(
    "content", short: "c", value: "CONTENT", .text,
    "Put the bytes of one content on standard output, by its number, id or name")
  static let page = Flag(
    "page", "Make a page for a browser, with `--output` in a folder of its own; else show it")
  static let raw = Flag("raw", "Show texts as they are, control characters included")
  static let wait = Flag("wait", short: "w", "Wait for the unlock time first")

  /// The options by which a capsule is opened, whatever is done with its contents.
  static let keyOptions: [any OptionDeclaration] = [
    wait, KeyOptions.identity, PassphraseOptions.file, PassphraseOptions.command,
    PassphraseOptions.maximumWorkFactor, TimelockOptions.beacon, TimelockOptions.trustedChain,
    ShareOptions.shares, ShareOptions.share,
  ]

  static let command = Command(
    "open", summary: "Open a capsule and show or write its contents",
    discussion: """
      A locked capsule is refused with exit code 4; nothing opens it before its time but a change \
      of the machine's clock, and not even that where the lock is a timelock.

      On a terminal the texts and the files of text are shown, in order, pictures in at most half of the \
      screen where it can show them (as `capsule help view` says; the setting `pictures`), and the other \
      files listed, sounds with their length; what is longer than the screen goes through `$PAGER`, else \
      `less`, and the pictures come behind it. `--output` writes everything into a \
      directory, each file with its name and time, none outside of it, and none over another. \
      Elsewhere than on a terminal a capsule of one content gives exactly its bytes; of several, \
      say what is wanted: `--content`, `--output` or `--json`. With `--wait` a terminal shows the time \
      that is left, until it has come.

      With `--page` it is a page for a browser, as people receive it by `capsule deliver`: with `--output \
      DIR` in a folder that is new or empty. Without, the desktop shows the page from a folder of yours alone in \
      `$XDG_RUNTIME_DIR`, which is removed when you press Enter; a browser that may not read there (of snap or \
      flatpak) needs `--output`.

      The first opening is kept in the record; from then on nothing can be added.

      With `--shares` trustees open it, from the unlock time on: their shares are typed unseen, one \
      after another, or read with `--share`, and the key is never written. Before that time it ends \
      with 4, and says how they can do it by hand.

      A timelock needs the beacon of its round: the one in the record, the one given with \
      `--beacon`, or what a drand relay answers to `curl`; it is verified, whoever gives it, and kept \
      in the record. No beacon yet is exit code 4; none to be had, or a wrong one, is 9. Before the unlock \
      time by the clock a beacon counts only where its chain is quicknet, one that this device sealed a \
      capsule to, or the one of `--chain`; one of another chain is 9 too.
      """,
    operands: [reference],
    options: [output, page, force, content, raw] + keyOptions,
    outputs: .json,
    examples: [
      Example("capsule open 'To Mia at 18' --output mia", "Write all contents into a directory"),
      Example("capsule open 3f2a --content 2 > photo.jpg", "Take one content out"),
      Example("capsule open 'To Mia at 18' --page", "Look at it in a browser"),
      Example("capsule open Surprise --wait", "Reveal it at the date"),
    ],
    exitCodes: exitCodes,
    run: run)

  static let exitCodes: [ExitCode] = [
    .partial, .locked, .notFound, .key, .damaged, .busy, .unproven, .version, .refused,
  ]

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    if invocation[content] != nil, invocation[output] != nil {
      throw UsageProblem.contradiction("--content", "--output")
    }
    if let directory = invocation[output], let store = try session.existingStoreQuietly() {
      try session.require(directory, outside: store)
    }
    guard !invocation[page] else { return try makePage(invocation, session) }
    let (opened, now) = try open(invocation, session)
    let answer = OpenAnswer(session: session, opened: opened, now: now)
    let code: ExitCode
    if let wanted = invocation[content] {
      code = try answer.bytes(of: wanted, isRaw: invocation[raw])
    } else if let directory = invocation[output] {
      code = try answer.extracted(to: directory, overwriting: invocation[force])
    } else if session.options.form != .text {
      code = try answer.json(written: nil)
    } else if session.console.out.isTerminal {
      code = try answer.shown(isRaw: invocation[raw])
    } else {
      code = try answer.piped()
    }
    // The object says what was kept, and was kept before it was written.
    let isObject = invocation[content] == nil && session.options.form != .text
    if code == .ok, !isObject { keepOpening(of: opened, now, session) }
    return code
  }

  private static func makePage(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    if invocation[content] != nil {
      throw UsageProblem.contradiction("--content", "--page")
    }
    if invocation[force] { throw UsageProblem.contradiction("--force", "--page") }
    if invocation[raw] { throw UsageProblem.contradiction("--raw", "--page") }
    let show = invocation[output] == nil ? try OpenPage.requireTerminal(session) : nil
    let (opened, now) = try open(invocation, session)
    let page = OpenPage(session: session, opened: opened, now: now)
    return try invocation[output].map(page.make) ?? show.map(page.show) ?? .ok
  }

  /// Opens the capsule that is named, after its time has come where that is waited for.
  ///
  /// - Returns: the opened capsule, and the time at which it was.
  static func open(
    _ invocation: Invocation, _ session: Session
  ) throws -> (opened: OpenedCapsule, now: Instant) {
    let reference = try invocation[reference]
    let store = try session.requiredStore(for: reference)
    let waits = invocation[wait]
    var record = try session.capsule(reference, in: store)
    let keys = InteractiveKeys(
      session: session, invocation: invocation,
      question: "Passphrase of '\(record.model.title)': ",
      refusalOfShares: .ofShares(for: record.model.lock, in: store))
    let beacons = BeaconSearch(session: session, invocation: invocation, waits: waits)
    let chains = try TimelockOptions.named(invocation, session)
    do {
      var opening = try CapsuleOpening(record, in: store, trusting: chains)
      // A kept beacon may prove that the time has come though the clock does not say so.
      if waits, (opening.provenTime?.instant ?? .earliest) < record.model.unlockAt {
        record = try session.watchUnlock(of: record, in: store)
        opening = try CapsuleOpening(record, in: store, after: opening)
      }
      let now = waits ? session.currentTime : session.now
      return (try opening.open(with: keys, beacons: beacons, now: now), now)
    } catch let error as OpeningError {
      var failure = Failure(error, opening: record.model, in: store, session)
      if failure.kind == .locked, ShareOptions.isGiven(invocation) {
        let lines = record.model.stepsByHand(in: store)
        failure.details["byHand"] = .array(lines.map { .string($0) })
        for line in lines { session.console.note(StyledText(line)) }
      }
      throw failure
    }
  }

  /// Keeps the first opening; where that cannot be written, it says so and opens all the same.
  ///
  /// - Returns: the capsule as its record says it from now on.
  @discardableResult
  static func keepOpening(
    of opened: OpenedCapsule, _ now: Instant, _ session: Session
  ) -> Capsule {
    var (isFirst, capsule) = (opened.capsule.openedAt == nil, opened.capsule)
    do throws(StoreError) {
      (isFirst, capsule) = try opened.keepOpening(now: now)
    } catch {
      session.console.warning(
        "that it was opened could not be kept: \(Failure(error).message(in: session.zone))",
        hint: "it counts as unopened until the store can be written")
    }
    if isFirst {
      session.console.note(
        "Opened for the first time; \(session.sealedWords(capsule.createdAt, at: now)).")
    }
    return capsule
  }
}

extension Capsule {
  /// The lines by which trustees open it without this program's gate; a sentence where they cannot.
  fileprivate func stepsByHand(in store: Store) -> [String] {
    let (who, field, inner): (String, String, String)
    switch lock.trusteeCopy {
    case .spare: (who, field, inner) = ("Trustees", "spare", "")
    case .key: (who, field, inner) = ("Trustees that it is sealed to", "key", "")
    case .escrow(nil): (who, field, inner) = ("Trustees that are its escrow", "key", "")
    case .escrow(.passphrase?):
      (who, field, inner) = ("Trustees that are its escrow", "key", " | age -d")
    case .escrow:
      (who, field, inner) = ("Trustees that are its escrow", "key", " | age -d -i identity.txt")
    case nil:
      return [
        lock.timelock == nil
          ? "It is not sealed to trustees."
          : "Its timelock opens to nobody before its date, to trustees neither."
      ]
    }
    return [
      "\(who) can open it by hand before:", "  capsule trustees combine -o group.txt",
      "  record='\(store.layout.record(.capsule, id).text.quotedForShell)'",
      "  jq -r .lock.\(field) \"$record\" | age -d -i group.txt\(inner) > key.txt",
      "With key.txt every content opens, as docs/how-to/open-without-capsule.md says.",
    ]
  }
}
