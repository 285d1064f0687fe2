import CapsuleCore

/// `capsule search`.
enum SearchCommand {
  static let words = Parameter.operands(
    "WORD", .text, minimum: 1, "A word to find; several words must all be found")
  static let kind = Parameter.options(
    "kind", value: "KIND", ValueType<RecordKind>.choice, "Only records of this kind")
  static let inside = Parameter.flag(
    "inside", "Also search capsules that were opened, if that needs no key")
  static let limit = Parameter.option(
    "limit", value: "N", .integer(1...), default: "50", "List at most this many of each kind")
  static let exitCode = ListOptions.exitCode

  static let command = Command(
    "search", summary: "Find words in everything that is not sealed",
    discussion: """
      The search covers titles, names, notes, tags, descriptions, histories, names of attachments, \
      people and bequests. Case and accents do not matter. A word is also found inside longer words. \
      Quote words that must follow each other.

      Several words may be in different texts of one record. Records with all words in the title come \
      first, then the newest.

      Sealed contents are not searched. `--inside` also searches texts, text files, captions and file \
      names in capsules that were opened before and may be opened now.

      - `--inside` asks for nothing and fetches nothing. It counts the capsules that need a key.
      - Texts that it opens are stored nowhere.
      """,
    operands: [words], options: [kind, inside, limit, exitCode], outputs: [.json, .ndjson],
    examples: [
      Example("capsule search piano", "Find everything about a piano"),
      Example("capsule search 'first steps' mia --inside", "Search opened capsules too"),
      Example("capsule search ring --kind item --json", "Look up items in a script"),
    ],
    exitCodes: [.none, .partial],
    run: run)

  /// The most texts of one record that a person is shown.
  private static let matchLimit = 5

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let query = try query(invocation, session)
    var store = try session.stores.existing()
    if let closed = store, invocation[inside] {
      store = try session.passphrases.openedIfGiven(closed, nil)
    }
    var code = ExitCode.ok
    var problems: Set<IndexProblem> = []
    let answer =
      store?.queries.search(query) { index in
        for failure in index.failures {
          session.console.report(failure)
          code = .partial
        }
        problems.formUnion(index.problems().map(\.problem))
      } ?? SearchAnswer()
    if let store {
      for (capsule, error) in answer.failures {
        session.console.report(Fault(error, opening: capsule, in: store, session))
        code = .partial
      }
    }
    if session.records.warn(of: problems, "records") { code = .partial }
    let isEmpty = answer.groups.isEmpty
    if isEmpty, code == .ok, invocation[exitCode] { code = .none }
    let hits = answer.groups.flatMap(\.hits)
    return Answer(rows: hits, ending: code, json: { members($0, session) }) { out in
      for (place, group) in answer.groups.enumerated() {
        if place > 0 { out.line() }
        write(group, session, out)
      }
    }
    .noting(isEmpty ? "Nothing found." : nil)
    .then { code in
      warn(of: answer, session)
      return code
    }
  }

  private static func query(
    _ invocation: Invocation, _ session: Session
  ) throws -> SearchQuery {
    var query = try SearchQuery(invocation[words], now: session.now)
    let kinds = invocation[kind]
    if !kinds.isEmpty { query.kinds = query.kinds.filter(kinds.contains) }
    query.limit = invocation[limit]
    query.looksInside = invocation[inside]
    if let width = session.console.out.width { query.context = min(60, max(10, width / 2 - 18)) }
    return query
  }

  /// Warns of what the answer lacks.
  private static func warn(of answer: SearchAnswer, _ session: Session) {
    for group in answer.groups where group.total > group.hits.count {
      let more = group.total - group.hits.count
      // People see it at the end of the group.
      guard session.options.form != .text else { continue }
      session.console.warning(
        "\(more) more results of kind \(group.kind.rawValue)", hint: "show more: --limit N",
        details: [
          "kind": group.kind.rawValue.json, "total": group.total.json,
        ])
    }
    guard answer.needingKey > 0 else { return }
    let count = answer.needingKey
    session.console.warning(
      count == 1
        ? "1 opened capsule was not searched, because it needs a key"
        : "\(count) opened capsules were not searched, because they need a key",
      hint: "open a capsule to see its contents: capsule open",
      details: ["skipped": count.json])
  }

  // MARK: Text

  private static let indent: StyledText = "  "

  private static func write(_ group: SearchGroup, _ session: Session, _ out: TextOutput) {
    out.line("\(group.kind.heading, .bold)  \(group.total, .dim)")
    for hit in group.hits {
      let title = styled(hit.title, hit.titleMarks, .bold)
      let width = out.width.map { $0 - indent.width }
      out.line(indent + title.followed(by: session.answers.shown(hit.id), width: width))
      for match in hit.matches.prefix(matchLimit) {
        let before = match.isCutBefore ? "…" : ""
        let after = match.isCutAfter ? "…" : ""
        out.line(
          "    \(label(match.field, session), .dim)  \(before)\(styled(match.text, match.marks))\(after)"
        )
      }
      let more = hit.matches.count - matchLimit
      if more > 0 { out.line("    \("and \(more) more of its texts", .dim)") }
    }
    let more = group.total - group.hits.count
    if more > 0 { out.line("  \("and \(more) more: '--limit' shows them", .dim)") }
  }

  /// The name of a text, and where there are several of its kind, which it is.
  private static func label(_ field: SearchField, _ session: Session) -> String {
    if let at = field.at {
      return "\(field.name.rawValue) \(session.zone.civil(at: at).date)"
    }
    return field.number.map { "\(field.name.rawValue) \($0)" } ?? field.name.rawValue
  }

  /// The text with what was found in it marked.
  private static func styled(
    _ text: String, _ marks: [Range<Int>], _ style: Style = .plain
  ) -> StyledText {
    let scalars = Array(text.unicodeScalars)
    func part(_ range: Range<Int>) -> String {
      String(String.UnicodeScalarView(scalars[range]))
    }
    var styled = StyledText()
    var end = 0
    for mark in marks {
      styled += StyledText(part(end..<mark.lowerBound), style)
      styled += StyledText(part(mark), Style(isBold: true, isUnderlined: true, color: .yellow))
      end = mark.upperBound
    }
    return styled + StyledText(part(end..<scalars.count), style)
  }

  // MARK: JSON

  private static func members(_ hit: SearchHit, _ session: Session) -> JSONObject {
    [
      "id": hit.id.json, "kind": hit.kind.rawValue.json,
      "title": hit.title.json, "titleMarks": json(hit.titleMarks),
      "matches": hit.matches.map { members($0, session) }.json,
      "zone": session.localZone.label.json,
    ]
  }

  private static func members(_ match: SearchMatch, _ session: Session) -> JSONObject {
    session.inner(
      [
        "field": match.field.name.rawValue.json, "text": match.text.json,
        "marks": json(match.marks), "cutBefore": match.isCutBefore.json,
        "cutAfter": match.isCutAfter.json, "number": match.field.number.json,
      ], at: ["at": match.field.at])
  }

  private static func json(_ marks: [Range<Int>]) -> JSON {
    .array(
      marks.map {
        ["start": $0.lowerBound.json, "length": $0.count.json]
      })
  }
}
