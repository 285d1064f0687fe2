import CapsuleCore

/// `capsule identity …`: the store's identity on paper, and back.
enum IdentityCommands {
  static let group = CommandGroup(
    "The identity", noun: "identity", summary: "Print the store's identity on paper, or restore it",
    [IdentityPrintCommand.command, IdentityImportCommand.command])
}

/// `capsule identity print`.
enum IdentityPrintCommand {
  static let output = Parameter.option(
    "output", short: "o", value: "FILE", .path,
    "The file to make: HTML if its name ends in `.html`, else plain text; `-` for standard output"
  )

  static let command = Command(
    "identity", "print", summary: "Make a page with the store's identity to print",
    discussion: """
      The identity is the secret key that opens the store's honor capsules. The page has it in five lines, \
      each with its own check. It is an A4 sheet in HTML, or plain text that is an age identity file too. \
      `capsule identity import` reads the lines back as you type them. Print the page, then destroy the file.

      Limits:

      - Anyone who has the page can open every honor capsule.
      - For a protected store, the command needs the passphrase, but the page opens honor capsules without it.
      - Only the owner can read the file, and the file cannot be inside a store.
      - `--identity` makes a page with the keys in a file instead, including post-quantum keys.
      """,
    options: [output, KeyOptions.identity, PassphraseOptions.file, PassphraseOptions.command],
    outputs: .json,
    examples: [
      Example("capsule identity print -o identity.html", "Make a page to print"),
      Example("capsule identity print -o - | lpr", "Print the page at once"),
    ],
    exitCodes: [.notFound, .key, .damaged, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    guard let path = invocation[output] else {
      throw Fault.usage(
        "no output file given", hint: "choose a file: --output FILE")
    }
    let isOutput = path.bytes == Array("-".utf8)
    if isOutput, session.options.form != .text {
      throw Fault.usage(
        "the page and the answer cannot both go to standard output",
        hint: "choose a file: --output FILE")
    }
    let store = try session.stores.existing()
    let given = try KeyOptions.identities(invocation, session)
    guard store != nil || !given.isEmpty else {
      throw Fault(
        .notFound, "no store found, so there is no identity to print",
        hint: "choose a store: --store DIR")
    }
    let identities = try given.isEmpty ? own(store, invocation, session) : given
    guard !identities.isEmpty else {
      throw Fault(
        .damaged, "the store's identity is missing",
        hint:
          "type it from paper: capsule identity import; or look for copies: capsule repair")
    }
    let page = IdentityPage(
      owner: session.stores.settings(of: store).owner, store: store?.header.id ?? .zero,
      identities: identities, honorCount: given.isEmpty ? honorCount(store, session) : nil,
      date: session.zone.civil(at: session.now).date)
    let isHTML = [".html", ".htm"].contains {
      String(decoding: path.bytes, as: UTF8.self).hasSuffix($0)
    }
    let bytes = isHTML ? page.html : page.text
    if isOutput {
      return Answer { out in bytes.withUnsafeBytes { out.bytes($0) } }
    }
    try session.host.files.requireOutsideStores(path.parent, for: path)
    do {
      try session.host.files.writeBeside(path, replacing: false, random: session.host.random) {
        file in try bytes.withUnsafeBytes { try file.write($0) }
      }
    } catch let fault as Fault where fault.code == .exists {
      throw Fault.taken(path, hint: "name a file that is not there yet")
    }
    return Answer([
      "path": path.json, "format": (isHTML ? "html" : "text").json,
      "recipients": identities.map(\.recipient.description).json,
    ]) { out in
      out.line("Wrote '\(path.text)'. Print it, put it away, and destroy the file.")
    }
  }

  private static func own(
    _ store: Store?, _ invocation: Invocation, _ session: Session
  ) throws -> [AgeIdentity] {
    if let store, store.header.isProtected {
      return try session.passphrases.opened(store, invocation).keys.all()
    }
    return try (store?.keys.own() ?? []).flatMap {
      try IdentityFile(
        Array($0.file.utf8), of: FilePath("identities/\($0.recipient).txt")
      ).identities
    }
  }

  private static func honorCount(_ store: Store?, _ session: Session) -> Int {
    guard let store else { return 0 }
    var count = 0
    var index = store.index.open(.capsule, now: session.now)
    index.forEach(.ascending) { entry in
      if Brief<Capsule>(entry)?.record.lock.kind == .honor { count += 1 }
      return true
    }
    return count
  }
}

/// `capsule identity import`.
enum IdentityImportCommand {
  static let file = Parameter.optionalOperand(
    "FILE", .path, "The page in plain text, or its lines as typed; `-` for standard input"
  )
  static let output = Parameter.option(
    "output", short: "o", value: "FILE", .path,
    "Write an identity file instead of changing the store")

  static let command = Command(
    "identity", "import", summary: "Restore the store's identity from paper",
    discussion: """
      The command asks for the five lines of the page and reports at once if one is wrong. Capitals, spaces, \
      numbers and checks are optional. With FILE it reads the page in plain text, an identity file, or a file \
      of typed lines.

      The identity goes into `identities/` of the store, where every identity is tried. So a lost identity is \
      back, and an identity of another store opens that store's honor capsules here. In a protected store it \
      is sealed.

      If `store.json` and its copies are lost, the command makes `store.json` from the identity. Then run \
      `capsule repair`.
      """,
    operands: [file], options: [output], outputs: .json,
    examples: [
      Example("capsule identity import", "Type the identity from paper"),
      Example("capsule identity import page.txt -o key.txt", "Make an identity file for age"),
    ],
    exitCodes: [.notFound, .key, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let identities = try invocation[file].map { try read($0, session) } ?? [asked(session)]
    if let path = invocation[output] { return try write(identities, to: path, session) }
    // All of them are looked at before one is put there.
    if let hybrid = identities.first(where: \.recipient.isPostQuantum) {
      throw Fault(
        .refused,
        "cannot add a post-quantum identity to the store: \(RecipientText.shortened(hybrid.recipient.description)) "
          + "",
        hint: "save it as a file: --output key.txt")
    }
    var members: [JSONObject] = []
    var lines: [StyledText] = []
    for key in identities {
      guard
        let back = try StoreKeys.restore(
          key, at: session.stores.path(), environment: session.stores.environment, now: session.now)
      else {
        throw Fault(
          .notFound, "no store to add the identity to",
          hint: "restore the store first, or save the identity as a file: --output key.txt")
      }
      members.append([
        "recipient": back.recipient.json, "path": back.path.json,
        "isNew": back.isNew.json, "isOwn": back.isOwn.json,
      ])
      lines.append(
        back.isNew
          ? "Put '\(back.path.text)' there\(back.isOwn ? "" : ", which is of another store")."
          : "'\(back.path.text)' is there already.")
    }
    session.stores.noteLasting(.keys)
    return Answer(rows: members, json: \.self) { out in
      for line in lines { out.line(line) }
    }
  }

  private static func write(
    _ identities: [AgeIdentity], to path: FilePath, _ session: Session
  ) throws -> Answer {
    var text: [UInt8] = []
    defer { wipe(&text) }
    for identity in identities {
      text += IdentityFile.text(identity, comments: ["public key: \(identity.recipient)"])
    }
    do {
      try session.host.files.writeBeside(path, replacing: false, random: session.host.random) {
        file in try text.withUnsafeBytes { try file.write($0) }
      }
    } catch let fault as Fault where fault.code == .exists {
      throw Fault.taken(path, hint: "name a file that is not there yet")
    }
    return Answer(rows: identities) {
      [
        "recipient": $0.recipient.description.json, "path": path.json,
        "isNew": true, "isOwn": false,
      ]
    } text: {
      $0.line("Wrote '\(path.text)'.")
    }
  }

  private static func read(_ path: FilePath, _ session: Session) throws -> [AgeIdentity] {
    var bytes = try session.files.readTrusted(
      session.files.input(path), streams: true, limit: IdentityLines.textLimit)
    defer { wipe(&bytes) }
    let subject = path.inputSubject
    if bytes.first == UInt8(ascii: "<") {
      throw Fault(
        .key, "\(subject) is an HTML page",
        hint: "use the page in plain text, or type the lines")
    }
    do {
      return try IdentityLines.read(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw error.about(subject)
    }
  }

  /// The number of times that a line may be mistyped.
  private static let tries = 20

  private static func asked(_ session: Session) throws -> AgeIdentity {
    let unanswered = Fault(
      .key, "no identity given",
      hint: "use a file with the lines, or - for standard input")
    var attempts = tries
    var lines: [String] = []
    while true {
      do {
        if lines.count == IdentityLines.count { return try IdentityLines.joined(lines) }
      } catch {
        lines = []
        attempts -= 1
        guard attempts > 0 else { throw error }
        session.console.warning(error.message(in: session.zone), hint: error.hint)
      }
      let number = lines.count + 1
      var typed = try session.ask.line("Line \(number): ", echo: false, unanswered: unanswered)
      defer { wipe(&typed) }
      do {
        lines.append(try IdentityLines.line(number, of: String(decoding: typed, as: UTF8.self)))
      } catch {
        attempts -= 1
        guard attempts > 0 else { throw error }
        session.console.warning(error.message(in: session.zone), hint: error.hint)
      }
    }
  }
}
