import CapsuleCore

/// `capsule trustees make`.
enum TrusteesMakeCommand {
  static let name = Parameter.operand("NAME", .text, "The group's name, unique, at most 1 KiB")
  static let threshold = Parameter.option(
    "threshold", short: "k", value: "K", .integer(2...TrusteeGroup.mostShares),
    "How many holders are needed to open something")
  static let holder = Parameter.options(
    "holder", value: "HOLDER", .reference(.beneficiary),
    "A person who gets a share, by id or name, or any other name")
  static let output = Parameter.option(
    "output", short: "o", value: "DIR", .directory,
    "The folder to make, with a page for each holder")
  static let seal = Parameter.flag("seal", "Seal each page to its holder's recipient")

  static let command = Command(
    "trustees", "make", summary: "Split a new key into shares for people you trust",
    discussion: """
      The command makes a key, an age identity, and splits it into shares of 33 words (SLIP-0039). \
      It verifies that any K shares give the key back, writes a page for each holder, and forgets \
      the key. Any K holders together open what is sealed to the group (`create --trustees`), also \
      without this program. Fewer cannot.

      Each page is there in HTML, which prints on one sheet of A4, and in plain text. Print the \
      pages, hand them out, and destroy the files: K of them open everything. With `--seal` the \
      pages are age files that only their holders can open.

      - The folder must not be in a store. It appears when all pages are complete.
      - The store keeps the names of the holders, but no share.
      - The key is post-quantum unless the setting `postQuantum` is off.
      """,
    operands: [name], options: [threshold, holder, output, seal], outputs: .json,
    examples: [
      Example(
        "capsule trustees make family -k 2 --holder Zoe --holder Lena --holder 'Dr Okoye' -o pages",
        "Let any two of three people open things together")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let name = invocation[name].trimmed
    try RecordFault.check(name: name, of: .trustees)
    guard let threshold = invocation[threshold] else {
      throw Failure.usage(
        "it is not said how many holders must come together",
        hint: "'--threshold 2' lets any two of them open what is sealed")
    }
    // Everything that can be refused is looked at before a store is made.
    let known = try session.stores.existingQuietly()
    let holders = try invocation[holder].map {
      try TrusteeHolder($0, in: known, now: session.now)
    }
    let terms = try TrusteeTerms(
      holders: holders, threshold: threshold, sealsPages: invocation[seal])
    let folder = try folder(invocation, session)
    let store = try session.stores.forChange()
    let handout = try store.newTrustees(
      name, terms, session.stores.settings(of: store), in: session.zone, now: session.now)
    let group = try keep(handout, folder, in: store, session)
    session.stores.noteFirstUse(of: store)
    return try answer(group, handout.pages, folder, did: "Made", session)
  }

  /// The folder to make, where nothing may be yet.
  static func folder(_ invocation: Invocation, _ session: Session) throws -> TrusteeFolder {
    guard let path = invocation[output] else {
      throw Failure.usage(
        "it is not said where to write the pages", hint: "'--output DIR' says it")
    }
    return try naming(path) { try TrusteeFolder(path, in: session.host.files) }
  }

  /// Writes the pages and the record, and says what others left beside the folder.
  static func keep(
    _ handout: TrusteeHandout, _ folder: TrusteeFolder, in store: Store, _ session: Session
  ) throws -> TrusteeGroup {
    for remains in folder.remains() {
      session.console.warning(
        "'\(remains.text)' is what was left of pages when a program was killed, or one still runs",
        hint: "destroy it if none runs: it may hold shares",
        details: ["path": .string(remains.text)])
    }
    // A signal would leave pages that nothing knows of.
    let signals = session.host.watchSignals()
    defer { signals.end() }
    return try naming(folder.path) {
      try store.keep(handout, in: folder, now: session.now) {
        session.console.warning(
          "the pages in '\(folder.path.text)' stay: the store may name their shares already",
          hint: "'capsule trustees show' says whose shares count; destroy the pages that do not")
      }
    }
  }

  private static func naming<Value>(
    _ path: FilePath, _ body: () throws -> Value
  ) throws -> Value {
    do { return try body() } catch is NameTaken {
      throw Failure(
        .refused, "'\(path.text)' exists already", hint: "name a folder that is not there yet",
        details: ["path": .string(path.text)])
    }
  }

  static func answer(
    _ group: TrusteeGroup, _ pages: TrusteePages, _ folder: TrusteeFolder, did word: String,
    adding more: JSONObject = [:], _ session: Session
  ) throws -> ExitCode {
    if group.threshold == group.shares.count {
      session.console.warning(
        "all \(group.threshold) holders are needed: one share lost is everything lost",
        hint: "take more holders than are needed")
    }
    for holder in pages.notPostQuantum {
      session.console.warning(
        "the page of '\(holder)' is sealed to a recipient that is not post-quantum",
        hint: "hand it over in person, or have the holder make a key with 'capsule keygen --pq'")
    }
    var members = TrusteeView(group.summary, in: session).members(of: group)
    members["directory"] = .string(folder.path.text)
    members["files"] = .array(pages.files.map { .string($0.name) })
    for member in more { members[member.key] = member.value }
    return try session.answers.changed(members, group.header.id) { out in
      out.line(
        "\(word) '\(group.name, .bold)' \(group.header.id.description): any \(group.threshold) of "
          + "\(group.shares.count) holders")
      out.line(
        pages.areSealed
          ? "The pages are in '\(folder.path.text)', sealed. Send each to its holder, then destroy them here."
          : "The pages are in '\(folder.path.text)'. Print them, hand them out, then destroy the files."
      )
    }
  }
}
