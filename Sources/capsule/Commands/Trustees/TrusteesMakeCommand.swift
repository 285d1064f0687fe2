import CapsuleCore

/// `capsule trustees make`.
enum TrusteesMakeCommand {
  static let name = Operand("NAME", .text, "The group's name, at most 1 KiB; no other may have it")
  static let threshold = Option(
    "threshold", short: "k", value: "K", .integer(2...TrusteeGroup.mostShares),
    "How many holders must come together")
  static let holder = RepeatableOption(
    "holder", value: "HOLDER", .reference(.beneficiary),
    "Who gets a share: a person by id or name, or any other name")
  static let output = Option(
    "output", short: "o", value: "DIR", .directory, "The folder to make, with a page a holder")
  static let seal = Flag("seal", "Seal each page to its holder's recipient")

  static let command = Command(
    "trustees", "make", summary: "Give people shares of a new key",
    discussion: """
      It makes an age identity, splits it into shares of 33 words (SLIP-0039), proves that any K of \
      them give it back, writes a page for each holder, and forgets it. What is sealed to the group \
      (`create --trustees`) is opened by any K holders together, without this program if need be, and \
      by no fewer.

      The folder appears when all pages are whole. Each page is there in HTML, which prints to one \
      sheet of A4, and in plain text. Print them, hand them out, then destroy the files: whoever has \
      K of them opens everything. With `--seal` they are age files that only their holders can open. \
      The folder must not lie in a store.

      The store keeps who holds what, and no share. The key is post-quantum unless the setting \
      `postQuantum` is off.
      """,
    operands: [name], options: [threshold, holder, output, seal], outputs: .json,
    examples: [
      Example(
        "capsule trustees make family -k 2 --holder Mia --holder Ben --holder 'Dr Okoye' -o pages",
        "Let any two of three people open what is sealed to them")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let name = try invocation[name].trimmed
    try RecordFault.check(name: name, of: .trustees)
    let words = invocation[holder]
    guard let given = invocation[threshold] else {
      throw Failure.usage(
        "it is not said how many holders must come together",
        hint: "'--threshold 2' lets any two of them open what is sealed")
    }
    let threshold = try checked(threshold: given, holders: words.count)
    guard let output = invocation[output] else {
      throw Failure.usage(
        "it is not said where to write the pages", hint: "'--output DIR' says it")
    }
    let folder = try folder(output, session)
    // Everything that can be refused is looked at before a store is made.
    let known = try session.existingStoreQuietly()
    let holders = try words.map { try Holder($0, in: known, session) }
    try Holder.requireDifferent(holders)
    let recipients = try invocation[seal] ? holders.map { try $0.recipient() } : []
    let store = try session.storeForChange()
    let settings = session.storeSettings(store)
    if let taken = session.trusteeGroups(in: store).first(where: {
      NameKey($0.name) == NameKey(name)
    }) {
      throw StoreError.nameTaken(.trustees, name: taken.name, taken.id)
    }
    let identity = try AgeIdentity(
      isPostQuantum: settings.sealsPostQuantum, random: session.host.random)
    let shares = try TrusteeShares(
      of: identity, threshold: threshold, count: holders.count, random: session.host.random)
    var group = TrusteeGroup(
      header: try store.newHeader(now: session.now), name: name,
      recipient: shares.recipient.description, identifier: shares.identifier,
      threshold: threshold, shares: kept(holders, shares, session))
    let pages = try TrusteePages(
      of: group, shares, owner: settings.owner, sealedTo: recipients, session)
    group = try keeping(pages, of: group, folder, output, in: store, session) {
      try store.insert(group)
    }
    session.noteFirstUse(of: store)
    return try answer(group, pages, folder, did: "Made", session)
  }

  /// The shares as the record keeps them.
  static func kept(
    _ holders: [Holder], _ shares: TrusteeShares, _ session: Session
  ) -> [TrusteeShare] {
    zip(holders, shares.shares).map { holder, share in
      TrusteeShare(
        person: holder.person?.id, holder: holder.name, digest: share.digest, madeAt: session.now)
    }
  }

  /// Writes the pages, and then the record.
  ///
  /// Pages without a record harm nobody; a record without pages would lose what is sealed to it.
  ///
  /// - Parameter group: the record as `keep` writes it.
  static func keeping<Value>(
    _ pages: TrusteePages, of group: TrusteeGroup, _ folder: TrusteeFolder, _ output: FilePath,
    in store: Store, _ session: Session, _ keep: () throws -> Value
  ) throws -> Value {
    for remains in folder.remains() {
      session.console.warning(
        "'\(remains.text)' is what was left of pages when a program was killed, or one still runs",
        hint: "destroy it if none runs: it may hold shares",
        details: ["path": .string(remains.text)])
    }
    // A signal would leave pages that nothing knows of.
    let signals = session.host.watchSignals()
    defer { signals.end() }
    try write(pages, folder, output)
    do {
      return try keep()
    } catch {
      guard mayName(group, in: store) else {
        folder.remove()
        throw error
      }
      session.console.warning(
        "the pages in '\(output.text)' stay: the store may name their shares already",
        hint: "'capsule trustees show' says whose shares count; destroy the pages that do not")
      throw error
    }
  }

  /// Whether the store has the shares of a group, or cannot say: a record may have its name though making
  /// that safe failed.
  private static func mayName(_ group: TrusteeGroup, in store: Store) -> Bool {
    do throws(StoreError) {
      let known = try store.read(TrusteeGroup.self, group.header.id).model
      return known.recipient == group.recipient && known.identifier == group.identifier
    } catch {
      if case .notFound = error { return false }
      return true
    }
  }

  /// Checks that a group can be of so many holders.
  static func checked(threshold: Int, holders: Int) throws -> Int {
    guard (2...TrusteeGroup.mostShares).contains(holders) else {
      throw Failure.usage(
        "there are \(holders) holders, and a group has 2 to \(TrusteeGroup.mostShares)",
        hint: "name each with '--holder'")
    }
    guard threshold <= holders else {
      throw Failure.usage(
        "\(threshold) holders are to come together, and there are \(holders)",
        hint: "name more holders, or take a smaller '--threshold'")
    }
    return threshold
  }

  static func folder(_ output: FilePath, _ session: Session) throws -> TrusteeFolder {
    do {
      return try TrusteeFolder(output, in: session.host.files)
    } catch is NameTaken {
      throw taken(output)
    }
  }

  static func write(
    _ pages: TrusteePages, _ folder: TrusteeFolder, _ output: FilePath
  ) throws {
    do { try folder.write(pages.files, random: pages.random) } catch is NameTaken {
      throw taken(output)
    }
  }

  private static func taken(_ path: FilePath) -> Failure {
    Failure(
      .refused, "'\(path.text)' exists already", hint: "name a folder that is not there yet",
      details: ["path": .string(path.text)])
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
    return try session.answer(members, group.header.id) { out in
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

/// A holder of a share.
struct Holder {
  /// The person in the store; `nil` for a name alone.
  let person: Beneficiary?
  let name: String

  /// Finds the person that a word means; where there is none the word is a name.
  init(_ word: String, in store: Store?, _ session: Session) throws {
    let word = word.trimmed
    try RecordFault.check(name: word, of: .trustees)
    if let store {
      do throws(FindError) {
        let found = try store.find(word, among: [.beneficiary], now: session.now)
        let person = try? store.readIntact(Beneficiary.self, found.id).model
        self.person = person
        name = person?.name ?? word
        return
      } catch {
        if case .ambiguous = error { throw error }
      }
    }
    person = nil
    name = word
  }

  /// The holder of a share that was made before.
  init(_ share: TrusteeShare, in store: Store) {
    person = share.person.flatMap { try? store.readIntact(Beneficiary.self, $0).model }
    name = person?.name ?? share.holder
  }

  static func requireDifferent(_ holders: [Holder]) throws {
    for (place, holder) in holders.enumerated()
    where holders[..<place].contains(where: { $0.isSame(as: holder) }) {
      throw Failure.usage(
        "'\(holder.name)' is named twice: one person with two shares counts for two",
        hint: "give each share to another person")
    }
  }

  func isSame(as other: Holder) -> Bool {
    if let person, let others = other.person { return person.id == others.id }
    return NameKey(name) == NameKey(other.name)
  }

  /// The recipient to which the holder's page can be sealed.
  func recipient() throws -> AgeRecipient {
    guard let text = person?.recipient, !text.isEmpty, let recipient = try? AgeRecipient(text)
    else {
      throw Failure.usage(
        "'\(name)' has no age recipient to seal a page to",
        hint: person == nil
          ? "add the person first: capsule beneficiary add '\(name.quotedForShell)' --recipient age1…"
          : "add it: capsule beneficiary edit '\(name.quotedForShell)' --recipient age1…")
    }
    return recipient
  }
}

/// The files of all holders' pages.
struct TrusteePages {
  private(set) var files: [(name: String, bytes: SecretBytes)] = []
  /// The holders whose pages are sealed to X25519 recipients.
  private(set) var notPostQuantum: [String] = []
  let areSealed: Bool
  let random: RandomSource

  /// - Parameter recipients: the recipients that each page is sealed to; none for pages in the clear.
  init(
    of group: TrusteeGroup, _ shares: TrusteeShares, owner: String,
    sealedTo recipients: [AgeRecipient],
    _ session: Session
  ) throws {
    areSealed = !recipients.isEmpty
    random = session.host.random
    let date = session.zone.civil(at: session.now).date
    var names = PortableFileNames()
    for (place, share) in shares.shares.enumerated() {
      let holder = group.shares[place].holder
      let page = TrusteePage(
        group: group.name, owner: owner, holders: group.shares.map(\.holder), place: place,
        threshold: group.threshold, recipient: shares.recipient, date: date,
        isRenewed: !group.earlierIdentifiers.isEmpty)
      let stem = names.next("\(place + 1) \(holder.onOneLine)", fallback: "\(place + 1)")
      for (suffix, bytes) in [("html", page.html(of: share)), ("txt", page.text(of: share))] {
        guard areSealed else {
          files.append(("\(stem).\(suffix)", bytes))
          continue
        }
        var plaintext = bytes.bytes
        defer { wipe(&plaintext) }
        do throws(AgeFailure) {
          var sealed = try AgeWriter(to: [recipients[place]], random: random).seal(
            plaintext, armor: false)
          files.append(("\(stem).\(suffix).age", SecretBytes(taking: &sealed)))
        } catch {
          throw Failure(error, subject: "the page of '\(holder)'")
        }
      }
      if areSealed, !recipients[place].isPostQuantum { notPostQuantum.append(holder) }
    }
  }
}
