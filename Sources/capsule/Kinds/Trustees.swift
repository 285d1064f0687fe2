import CapsuleCore

/// A group of trustees as lists and JSON show it.
struct TrusteeView: KindView {
  let summary: Brief<TrusteeGroup>
  let problem: IndexProblem
  let session: Session

  init(_ summary: Brief<TrusteeGroup>, problem: IndexProblem = .none, in session: Session) {
    self.summary = summary
    self.problem = problem
    self.session = session
  }

  init(_ brief: Brief<TrusteeGroup>, problem: IndexProblem, of store: Store, in session: Session) {
    self.init(brief, problem: problem, in: session)
  }

  var isBlank: Bool { summary.record.shares.isEmpty }

  func writeOwnMembers(to writer: inout some MemberWriter) {
    writer.member("recipient", ifAny: summary.record.recipient)
    writer.member("holders", summary.record.shares.map(\.holder))
    writer.member("confirmed", Int64(summary.record.confirmedCount))
    writer.member("lost", Int64(summary.record.lostCount))
  }

  func add(_ group: TrusteeGroup, to members: inout JSONObject) {
    members["earlierIdentifiers"] = group.earlierIdentifiers.json
    members["replaced"] =
      group.withFormer.dropFirst().map { former in
        session.inner(
          [
            "holders": former.shares.map(\.holder).json, "identifier": former.identifier.json,
            "recipient": former.recipient.json, "threshold": former.threshold.json,
          ], at: ["replacedAt": former.replacedAt])
      }.json
    members["shares"] =
      group.shares.enumerated().map { place, share in
        session.inner(
          [
            "digest": share.digest.json, "holder": share.holder.json, "number": (place + 1).json,
            "person": share.person.json,
          ],
          at: [
            "confirmedAt": share.confirmedAt, "lostAt": share.lostAt, "madeAt": share.madeAt,
          ])
      }.json
  }

  /// The name as lists show it.
  var titleText: StyledText {
    problem.mark ?? StyledText(summary.record.name, .bold)
  }

  private var stateText: StyledText {
    let isFew = summary.record.confirmedCount < summary.record.confirmationsWanted
    let text = "\(summary.record.confirmedCount) of \(summary.record.shares.count)"
    return isFew ? StyledText(text, .yellow) : StyledText(text)
  }

  /// The columns of a list.
  static func columns(_ session: Session) -> [RowColumn<TrusteeView>] {
    [
      .id(session), RowColumn("NAME", flexible: true) { $0.titleText },
      .text("NEEDED") { "\($0.summary.record.threshold) of \($0.summary.record.shares.count)" },
      RowColumn("CONFIRMED") { $0.stateText },
      .text("LOST") { $0.summary.record.lostCount == 0 ? "" : String($0.summary.record.lostCount) },
      .text("HOLDERS", flexible: true) {
        $0.summary.record.shares.map(\.holder).joined(separator: ", ")
      },
    ]
  }

  func writePage(of group: TrusteeGroup, _ settings: StoreSettings, to out: TextOutput) {
    let sheet = FieldSheet(out, width: 12)
    out.line("\(group.name, .bold)")
    sheet.field("Id", group.header.id.description)
    sheet.field("Needed", "any \(group.threshold) of \(group.shares.count)")
    sheet.field(
      "Key",
      "\(group.isPostQuantum ? "post-quantum" : "X25519"), \(RecipientText.shortened(group.recipient))"
    )
    sheet.field("Set", String(group.identifier))
    for earlier in group.earlierIdentifiers {
      sheet.field("Earlier set", "\(earlier); it still opens everything")
    }
    sheet.field(
      "Created",
      "\(session.dates.text(group.header.createdAt)), \(session.dates.relative(group.header.createdAt))"
    )
    for former in group.withFormer.dropFirst() {
      let holders = former.shares.map(\.holder).joined(separator: ", ")
      sheet.field(
        "Replaced",
        "\(former.replacedAt.map { session.dates.relative($0) } ?? ""): any \(former.threshold) of "
          + "\(holders), who still open what was sealed before")
    }
    for (place, share) in group.shares.enumerated() {
      sheet.field("Share \(place + 1)", "\(share.holder, .bold), \(state(of: share))")
    }
  }

  private func state(of share: TrusteeShare) -> StyledText {
    if let lost = share.lostAt {
      return StyledText("lost \(session.dates.relative(lost))", .boldRed)
    }
    if let confirmed = share.confirmedAt {
      return StyledText("confirmed \(session.dates.relative(confirmed))")
    }
    return StyledText("never confirmed", .yellow)
  }

  static func warn(of group: TrusteeGroup, _ session: Session) { session.records.warn(of: group) }
}

/// Groups of trustees on the command line.
enum TrusteesKind {
  static let kind = Kind<TrusteeView>(
    "trustees", operand: "TRUSTEES", "A group: an id, the start of one, or its name",
    completing: .trustees)

  private static let search = ListOptions.search("Only groups with this text in a name")

  static let list = kind.list(
    summary: "List groups of trustees by name",
    options: [search, ListOptions.limit, ListOptions.plain, ListOptions.exitCode],
    examples: [
      Example("capsule trustees list", "See all groups of trustees")
    ],
    query: { request, remarks in
      var query = NamedQuery<TrusteeGroup>()
      query.text = request.invocation.search(search)
      query.limit = request.invocation[ListOptions.limit] ?? .max
      if query.text == nil {
        remarks.whenEmpty = "There are no trustees; 'capsule trustees make' gives people shares."
      }
      return query
    },
    columns: { TrusteeView.columns($0.session) },
    view: { TrusteeView($0.summary, problem: $0.problem, in: $1.session) },
    after: { store, session in
      for group in session.records.trusteeGroups(in: store) { session.records.warn(of: group) }
    })

  static let show = kind.show(
    summary: "Show who holds the shares of a group",
    examples: [
      Example("capsule trustees show family", "See who holds a share, and who confirmed it")
    ])

  static let delete = kind.delete(
    summary: "Move groups of trustees to the trash",
    discussion: """
      Only the store's record of the group is deleted. The shares still open everything that was \
      sealed to the group, until they are destroyed. `capsule restore` puts the record back.
      """,
    examples: [
      Example("capsule trustees delete family --yes", "Move a group to the trash")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version])
}

/// The options by which shares of trustees are given: from files, or typed, and never as arguments, where
/// others can see them.
enum ShareOptions {
  static let share = Parameter.options(
    "share", value: "FILE", .path,
    "Read a share from a file, such as a page as plain text; `-` for standard input")

  static let shares = Parameter.flag(
    "shares", "Open with the shares of trustees, typed or from `--share`")

  /// Whether shares are to open something.
  static func isGiven(_ invocation: Invocation) -> Bool {
    invocation[shares] || invocation.has(share)
  }

  /// The number of times that a share may be mistyped.
  private static let tries = 20

  /// Reads one share: from the file that is named, or as it is typed.
  static func one(_ path: FilePath?, _ session: Session) throws -> Share {
    if let path { return try read(path, session) }
    return try asked("The words of the share", session, named: nil) { _ in }
  }

  /// Takes shares one after another, those in files first, until they are enough.
  ///
  /// - Parameter groups: the groups of the store, to say whose a share is.
  static func collect(
    _ paths: [FilePath], of groups: [TrusteeGroup], _ session: Session
  ) throws -> ShareSet {
    var set = ShareSet()
    for path in paths {
      let share = try read(path, session)
      do { try set.add(share) } catch {
        throw error.about("'\(path.text)'")
      }
    }
    if !paths.isEmpty, set.missing > 0, !session.ask.isPossible {
      throw Fault(ShareSet.JoinProblem.missing(set.missing))
    }
    if !set.shares.isEmpty { session.console.note(StyledText(missingWords(set))) }
    while set.missing > 0 {
      let number = set.shares.count + 1
      let share = try asked("Share \(number)", session, named: "share \(number)") {
        try set.add($0)
      }
      session.console.note(
        StyledText("\(words(for: share, of: groups)). \(missingWords(set))"))
    }
    return set
  }

  /// Takes the shares of a group, and joins them to its identity.
  static func identity(
    of group: TrusteeGroup, _ invocation: Invocation, _ session: Session
  ) throws -> AgeIdentity {
    let set = try collect(invocation[share], of: [group], session)
    let (identities, found) = try TrusteeGroup.identities(joining: set, of: [group])
    guard found != nil, let identity = identities.first else {
      throw Fault(
        .key, "the shares do not belong to '\(group.name)'",
        hint: "find the group of a share: capsule trustees verify")
    }
    return identity
  }

  /// Says which share it is, and whose, where that is known.
  static func words(for share: Share, of groups: [TrusteeGroup]) -> String {
    for group in groups {
      if let place = group.place(of: share) {
        let former = group.replacedAt == nil ? "" : " as it was before it was replaced"
        return "Share \(place + 1) of '\(group.name)'\(former), \(group.shares[place].holder)'s"
      }
    }
    let own = "Share \(share.member + 1) of the set \(share.common.identifier)"
    return share.common.groupCount > 1 ? own + ", group \(share.group + 1)" : own
  }

  private static func missingWords(_ set: ShareSet) -> String {
    switch set.missing {
    case 0: "All shares received."
    case 1: "1 more is needed."
    default: "\(set.missing) more are needed."
    }
  }

  /// Asks for a share until one is whole and taken: the words come on as many lines as the sheet has, and a wrong one
  /// is asked for alone.
  ///
  /// - Parameter name: the share, for what is asked; `nil` where there is one alone.
  private static func asked(
    _ question: String, _ session: Session, named name: String?, taking take: (Share) throws -> Void
  ) throws -> Share {
    let unanswered = Fault(
      .key, "no share given", hint: "use --share FILE")
    var attempts = tries
    var entry = Share.Entry()
    while true {
      let place =
        entry.isOneAgain
        ? ", word \(entry.next) again" : entry.next > 1 ? ", from word \(entry.next)" : ""
      var typed = try session.ask.line(
        question + place + ": ", echo: false, unanswered: unanswered)
      do {
        guard let share = try entry.take(SecretBytes(taking: &typed)) else { continue }
        entry = Share.Entry()
        try take(share)
        return share
      } catch {
        let failure = name.map { Fault(error).about($0) } ?? Fault(error)
        attempts -= 1
        guard attempts > 0 else { throw failure }
        session.console.warning(failure.message(in: session.zone), hint: failure.hint)
      }
    }
  }

  private static func read(_ path: FilePath, _ session: Session) throws -> Share {
    let files = session.host.files
    var bytes = try files.withFile(
      try session.files.input(path), .readFollowingLinks(streams: true)
    ) {
      file throws(Fault) in try files.readAll(file, limit: Share.mostTextBytes)
    }
    if let text = ByteOrderMark.utf8(bytes) {
      wipe(&bytes)
      bytes = text
    }
    let subject = path.inputSubject
    let marks = ["age-encryption.org/", "-----BEGIN AGE ENCRYPTED FILE-----"]
    if marks.contains(where: { bytes.starts(with: $0.utf8) }) {
      wipe(&bytes)
      throw Fault(
        .key, "\(subject) is encrypted",
        hint: "open it first: capsule unseal -i key.txt \(subject)")
    }
    if bytes.first == UInt8(ascii: "<") {
      wipe(&bytes)
      throw Fault(
        .damaged, "\(subject) is an HTML page",
        hint: "use the page in plain text, or type the words")
    }
    do { return try Share(text: SecretBytes(taking: &bytes)) } catch {
      throw error.about(subject)
    }
  }
}
