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
  static let classic = Parameter.flag(
    "classic", "Make an X25519 key, which every version of age opens; not post-quantum")

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
      - Each page says whose it is: the setting `owner`, asked for at a terminal if it is not set.
      - The key is post-quantum unless the setting `postQuantum` is off. Without this program, \
      opening then needs age 1.3 or later, and many systems have an older one. `--classic` makes a \
      key that every version of age opens. Capsules with a \
      passphrase get a recovery copy for such a group only while `postQuantum` is off.
      """,
    operands: [name], options: [threshold, holder, output, seal, classic], outputs: .json,
    examples: [
      Example(
        "capsule trustees make family -k 2 --holder Zoe --holder Lena --holder 'Dr Okoye' -o pages",
        "Let any two of three people open things together"),
      Example(
        "capsule trustees make family -k 2 --holder Zoe --holder Lena --classic -o pages",
        "Make a key that the age of Debian 12 opens, too"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let name = invocation[name].trimmed
    try RecordFault.check(name: name, of: .trustees)
    guard let threshold = invocation[threshold] else {
      throw Fault.usage(
        "no threshold given",
        hint: "choose how many holders are needed: --threshold 2")
    }
    // Everything that can be refused is looked at before a store is made.
    let known = try session.stores.existingQuietly()
    let holders = try invocation[holder].map {
      try TrusteeHolder($0, in: known, now: session.now)
    }
    let terms = try TrusteeTerms(
      holders: holders, threshold: threshold, sealsPages: invocation[seal],
      isClassic: invocation[classic])
    let folder = try folder(invocation, session)
    let owner = try askedOwner(known, session)
    let store = try session.stores.forChange()
    if let owner { try store.settings.set(.owner, to: .string(owner)) }
    let handout = try store.trustees.new(
      name, terms, session.stores.settings(of: store), in: session.zone, now: session.now)
    let group = try keep(handout, folder, in: store, session)
    session.stores.noteFirstUse(of: store)
    return answer(group, handout.pages, folder, did: "Made", in: store, session)
  }

  /// Asks for the owner's name where none is set: the pages say whose they are.
  ///
  /// - Returns: the name to set; `nil` where one is set, or none is wanted.
  private static func askedOwner(_ store: Store?, _ session: Session) throws -> String? {
    guard session.ask.isInteractive, session.stores.settings(of: store).owner.isEmpty else {
      return nil
    }
    while true {
      let typed = try session.ask.line(
        "Your name, as the holders know it (Enter for none): ", unanswered: .canceled())
      let name = String(decoding: typed, as: UTF8.self).trimmed
      if name.isEmpty { return nil }
      if case .string(let name)? = Setting.owner.value(from: name) { return name }
      session.console.warning("invalid name '\(name.shortened)'", hint: "use one line of text")
    }
  }

  /// The folder to make, where nothing may be yet.
  static func folder(_ invocation: Invocation, _ session: Session) throws -> TrusteeFolder {
    guard let path = invocation[output] else {
      throw Fault.usage(
        "no output directory given", hint: "choose a directory: --output DIR")
    }
    return try folder(at: path, session)
  }

  /// A folder to make, where nothing may be yet.
  static func folder(at path: FilePath, _ session: Session) throws -> TrusteeFolder {
    try naming(path) { try TrusteeFolder(path, in: session.host.files) }
  }

  /// Writes the pages and the record, and says what others left beside the folder.
  static func keep(
    _ handout: TrusteeHandout, _ folder: TrusteeFolder, in store: Store, _ session: Session
  ) throws -> TrusteeGroup {
    for remains in folder.remains() {
      session.console.warning(
        "'\(remains.text)' has pages of an interrupted or running command",
        hint: "if no command is running, destroy the pages: they may contain shares",
        details: ["path": remains.text.json])
    }
    // A signal would leave pages that nothing knows of.
    let signals = session.host.watchSignals()
    defer { signals.end() }
    return try naming(folder.path) {
      try store.trustees.keep(handout, in: folder, now: session.now) {
        session.console.warning(
          "the pages in '\(folder.path.text)' were kept, because the store may already use their shares",
          hint: "list the valid shares: capsule trustees show; destroy pages with other shares")
      }
    }
  }

  private static func naming<Value>(
    _ path: FilePath, _ body: () throws -> Value
  ) throws -> Value {
    do { return try body() } catch let fault as Fault where fault.code == .exists {
      throw Fault(
        .refused, "'\(path.text)' already exists", hint: "choose a new directory",
        details: ["path": path.json])
    }
  }

  static func answer(
    _ group: TrusteeGroup, _ pages: TrusteePages, _ folder: TrusteeFolder, did word: String,
    adding more: JSONObject = [:], in store: Store, _ session: Session
  ) -> Answer {
    if group.threshold == group.shares.count {
      session.console.warning(
        "all \(group.threshold) holders are needed, so one lost share loses everything",
        hint: "make a group with more holders, or with a lower --threshold")
    }
    for holder in pages.notPostQuantum {
      session.console.warning(
        "the page for '\(holder)' is not safe against quantum computers",
        hint:
          "hand the page over in person, or ask the holder for a post-quantum key: capsule keygen --pq"
      )
    }
    if !pages.nameOwner {
      session.console.note(
        "The pages do not say whose they are. Set your name: capsule settings set owner NAME; then "
          + "make new ones: capsule trustees renew \(group.name.shellWord) --output DIR")
    }
    if group.isPostQuantum {
      session.console.note(
        "Without this program, opening needs age 1.3 or later. 'trustees make --classic' makes a key "
          + "that every age opens.")
    }
    var members = more
    members["directory"] = folder.path.json
    members["files"] = pages.files.map(\.name).json
    return TrusteesKind.kind.answer(group, in: store, session, adding: members) { out, _ in
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

/// `capsule trustees confirm` and `capsule trustees lost`.
enum TrusteesMarkCommands {
  static let holders = Parameter.operands(
    "HOLDER", .text, minimum: 1, "A holder's name, or the number of the share")
  static let when = Parameter.option(
    "when", value: "WHEN", .text, otherwise: "now", formerly: "w", "When it happened")

  static let confirm = TrusteesKind.kind.mark(
    "confirm", summary: "Confirm that holders still have their shares",
    discussion: """
      Ask the holders to look at the sheet, not to read it to you. Do this once a year, for at \
      least one holder more than needed. `capsule trustees list` warns if fewer are confirmed.

      Confirming a lost share marks it as found.
      """,
    operands: [holders], options: [when],
    examples: [
      Example("capsule trustees confirm family Zoe Lena", "Note that both looked at their sheets")
    ]
  ) { invocation, session in
    try mark(invocation, session, "Confirmed") { $0.confirm($1, at: $2) }
  }

  static let lost = TrusteesKind.kind.mark(
    "lost", summary: "Mark shares as lost",
    discussion: """
      This revokes nothing. Somebody who finds a lost share can still use it, together with enough \
      others. `capsule trustees replace` gives the group a new key.
      """,
    operands: [holders], options: [when],
    examples: [
      Example("capsule trustees lost family 'Dr Okoye'", "Note that the lawyer's sheet is lost")
    ]
  ) { invocation, session in
    try mark(invocation, session, "Lost") { $0.lose($1, at: $2) }
  }

  private static func mark(
    _ invocation: Invocation, _ session: Session, _ word: String,
    _ body: (inout TrusteeGroup, Int, Instant) -> Void
  ) throws -> Answer {
    let at = try session.dates.readPast(when, invocation)
    var places: [Int] = []
    let (store, change) = try TrusteesKind.kind.change(invocation, session) { group in
      places = try invocation[holders].map { try group.place(ofHolder: $0) }
      for place in places { body(&group, place, at) }
    }
    let group = change.after
    session.records.warn(of: group)
    return TrusteesKind.kind.answer(group, in: store, session) { out, _ in
      for place in places {
        out.line(
          "\(word): share \(place + 1) of '\(group.name, .bold)', \(group.shares[place].holder)'s")
      }
    }
  }
}

/// `capsule trustees verify`.
enum TrusteesCheckCommand {
  static let share = Parameter.option(
    "share", value: "FILE", .path,
    "Read the share from a file, such as a page as plain text; `-` for standard input")

  static let command = Command(
    "trustees", "verify", summary: "Verify one share, without the others",
    discussion: """
      Type the words of the share, all at once or a row at a time. They are not shown and not \
      stored. The answer says whether the share is complete and, if the store knows the group, whose \
      share it is.

      - Capitals, commas and line numbers do not matter. The first four letters of a word are \
      enough. You can also type the numbers of the words, from 0 to 1023.
      - If a word is not in the list, or the checksum does not match, the command reports the \
      place, and asks for that word again. It never shows the right word.
      """,
    options: [share], outputs: .json,
    examples: [
      Example("capsule trustees verify", "Verify the words on your sheet")
    ],
    exitCodes: [.key, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let share = try ShareOptions.one(invocation[share], session)
    let groups = session.records.trusteeKeys(in: try session.stores.existingQuietly())
    let owner = groups.first { $0.place(of: share) != nil }
    let named = owner ?? groups.first { $0.isNamed(by: share) }
    if owner == nil, let named, named.identifier == Int(share.common.identifier) {
      throw Fault(
        .damaged, "the share is valid but does not belong to '\(named.name)'",
        hint: "do not trust the share: it has the number of the group but may be forged")
    }
    let holder = owner.flatMap { group in group.place(of: share).map { group.shares[$0].holder } }
    var members: JSONObject = [
      "exponent": share.common.exponent.json,
      "group": (share.group + 1).json,
      "groupCount": share.common.groupCount.json,
      "groupThreshold": share.common.groupThreshold.json,
      "identifier": Int(share.common.identifier).json,
      "isEarlier": (owner == nil && named != nil).json,
      "number": (share.member + 1).json,
      "threshold": share.threshold.json, "holder": holder.json, "trustees": (named?.name).json,
    ]
    members = session.inner(members, at: ["replacedAt": named?.replacedAt])
    return Answer(members, quiet: .nothing) { out in
      out.line(
        "The share is intact: number \(share.member + 1) of the set "
          + "\(Int(share.common.identifier)), of which \(share.threshold) are needed")
      if let owner, let holder {
        out.line("It is \(holder, .bold)'s of '\(owner.name, .bold)'")
      } else if let named {
        out.line("It is of an earlier set of '\(named.name, .bold)', which still opens everything")
      }
    }
    .noting(named == nil ? "No group in this store has this share." : nil)
    .noting(
      named?.replacedAt.map { replaced in
        "The key of the group was replaced \(session.dates.relative(replaced)): this share only opens what was sealed before."
      })
  }
}

/// `capsule trustees combine`.
enum TrusteesCombineCommand {
  static let command = Command(
    "trustees", "combine", summary: "Combine the shares of trustees into their key",
    discussion: """
      The command reads one share after another, from files or as you type them, unseen. It \
      reports how many are still missing. The key, an age identity, is written to a new file that \
      only its owner can read. Open files with `age -d -i key.txt` or `--identity key.txt`, and \
      destroy the key file when everything is open.

      - `capsule open REF --shares` opens a capsule without ever writing the key.
      - No store is needed. If no store knows the group, the file has two identities, of which one \
      fits.
      """,
    options: [ShareOptions.share, FilterArguments.output],
    examples: [
      Example("capsule trustees combine -o key.txt", "Type the shares, and write the key"),
      Example(
        "capsule trustees combine --share '1 Zoe.txt' --share '2 Lena.txt' -o key.txt",
        "Read the shares from pages as plain text"),
    ],
    exitCodes: [.key, .damaged, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    if let output = invocation[FilterArguments.output], output.bytes != Array("-".utf8),
      try session.host.files.statusIfPresent(output) != nil
    {
      // It is refused before anybody types 66 words.
      throw Fault(
        .refused, "'\(output.text)' already exists", hint: "choose a new file",
        details: ["path": output.text.json])
    }
    let groups = session.records.trusteeKeys(in: try session.stores.existingQuietly())
    let set = try ShareOptions.collect(invocation[ShareOptions.share], of: groups, session)
    let (identities, group) = try TrusteeGroup.identities(joining: set, of: groups)
    let filter = StreamFilter(session: session, invocation: invocation, canReplace: false)
    KeygenCommand.warnOfReaders(invocation, session)
    var text: [UInt8] = []
    for identity in identities {
      var comments = ["public key: \(identity.recipient)"]
      if let group { comments.insert("trustees: \(group.name.onOneLine)", at: 0) }
      text += IdentityFile.text(identity, comments: comments)
    }
    defer { wipe(&text) }
    try filter.write(isBinary: false) { sink in
      try text.withUnsafeBytes { try sink.write($0) }
    }
    return .done
  }
}
