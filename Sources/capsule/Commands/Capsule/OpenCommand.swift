import CapsuleCore

/// `capsule open`.
enum OpenCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.capsule), "An id, the start of one, or a title")
  static let output = Parameter.option(
    "output", short: "o", value: "DIR", .directory, "Save all contents in a directory")
  static let force = Parameter.flag("force", "Replace existing files")
  static let content = Parameter.option(
    "content", short: "c", value: "CONTENT", .text,
    "Print the bytes of one part, by its number, id or name")
  static let page = Parameter.flag(
    "page", "Make a page for a browser: in the folder of `--output`, or shown on the desktop")
  static let raw = Parameter.flag(
    "raw", "Show texts unchanged: long lines whole, with control characters")
  static let wait = Parameter.flag("wait", short: "w", "Wait for the unlock time, then open")

  /// The options by which a capsule is opened, whatever is done with its contents.
  static let keyOptions: Parameters = [
    wait, KeyOptions.identity, PassphraseOptions.file, PassphraseOptions.command,
    PassphraseOptions.maximumWorkFactor, TimelockOptions.beacon, TimelockOptions.trustedChain,
    ShareOptions.shares, ShareOptions.share,
  ]

  static let command = Command(
    "open", summary: "Open a capsule and show or save its contents",
    discussion: """
      On a terminal, `open` shows texts, text files and pictures in order. It lists other files, sounds \
      with their length. Anything longer than the screen goes through `$PAGER`, or else `less`; the \
      pictures follow it. Pictures take at most half of the screen, if the terminal can show them (see \
      `capsule help view` and the setting `pictures`).

      `--output` saves everything in a directory, each file with its name and time. No file is written \
      outside of the directory or over another. Elsewhere than on a terminal, a capsule with one part \
      prints exactly its bytes. For several parts, use `--content`, `--output` or `--json`.

      The first opening is recorded. After it, nothing can be added.

      A locked capsule is refused with exit status 4. Before the unlock time, only a change of the \
      machine's clock opens it, and for a timelock not even that. With `--wait`, a terminal shows the \
      time left until the capsule opens.

      `--page` makes a page for a browser, like the one that `capsule deliver` gives to people:

      - With `--output DIR`, the page is in that folder, which must be new or empty.
      - Without `--output`, the desktop shows the page from a private folder in `$XDG_RUNTIME_DIR`. \
      Press Enter to remove it. A browser from snap or flatpak may not read that folder and needs \
      `--output`.

      `--shares` lets trustees open the capsule from the unlock time on. They type their shares unseen, \
      one after another, or `--share` reads them. The key is never written. Before the unlock time, the \
      command exits with status 4 and prints how to open the capsule by hand.

      A timelock needs the beacon of its round. `open` takes it from the record, from `--beacon`, or \
      with `curl` from a drand relay. Every beacon is verified, then kept in the record.

      - If the beacon is not published yet, the exit status is 4.
      - If no beacon can be fetched, or the beacon is wrong, the exit status is 9.
      - Before the unlock time by the clock, only known chains count: quicknet, chains that \
      this device sealed a capsule to, and that of `--chain`. For any other chain the exit status is 9.
      """,
    operands: [reference],
    options: [output, page, force, content, raw] + keyOptions,
    outputs: .json,
    examples: [
      Example("capsule open 'To Mia at 18' --output mia", "Save all contents in a directory"),
      Example("capsule open 3f2a --content 2 > photo.jpg", "Save one photo"),
      Example("capsule open 'To Mia at 18' --page", "Read a capsule in a browser"),
      Example("capsule open 'To Mia at 18' --wait", "Open a capsule as soon as it unlocks"),
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
    if let directory = invocation[output], let store = try session.stores.existingQuietly() {
      try session.host.files.requireOutsideStores(directory, and: store.layout.root)
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
    for other in [content, force, raw] as Parameters { try invocation.refuse(other, with: [page]) }
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
    let store = try session.stores.required(for: reference)
    let waits = invocation[wait]
    var record = try session.records.one(Capsule.self, reference, in: store)
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
        record = try session.waiting.forUnlock(of: record, in: store)
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
        "Opened for the first time; \(session.dates.sealed(capsule.createdAt, at: now)).")
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
