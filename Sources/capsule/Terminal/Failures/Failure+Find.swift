import CapsuleCore

extension RecordKind {
  /// The command that lists them.
  var listCommand: String {
    self == .capsule ? "capsule list" : "capsule \(rawValue) list"
  }

  /// Whether they have titles; the others have names.
  fileprivate var isTitled: Bool { self == .capsule || self == .event }

  /// The word for one of them.
  var word: String { self == .trustees ? "trustee group" : rawValue }

  /// The word for several.
  var plural: String { self == .beneficiary ? "beneficiaries" : word + "s" }

  /// The word for one of them, with its article.
  var wordWithArticle: String {
    switch self {
    case .event, .item: "an \(word)"
    case .capsule, .beneficiary, .bequest, .trustees: "a \(word)"
    }
  }

  /// The word for several, as a heading.
  var heading: String {
    switch self {
    case .capsule: "Capsules"
    case .event: "Events"
    case .item: "Items"
    case .beneficiary: "People"
    case .bequest: "Bequests"
    case .trustees: "Trustee groups"
    }
  }

  /// Returns the command of the kind that does what another command does; the one that shows it where
  /// there is none.
  func command(like verb: String) -> String {
    let last = verb.split(separator: " ").last.map(String.init) ?? ""
    let own = ["delete", "edit", "show"].contains(last) ? last : "show"
    return self == .capsule ? "capsule \(own)" : "capsule \(rawValue) \(own)"
  }
}

extension String {
  /// The text as it stands between single quotes of a POSIX shell.
  var quotedForShell: String {
    parts(at: "'").joined(separator: "'\\''")
  }

  /// The text as the last word of a POSIX shell's line; behind `--` where it would be an option.
  var shellWord: String {
    let isPlain = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "/"):
        true
      default: false
      }
    }
    if isPlain, !isEmpty { return self }
    let quoted = "'\(quotedForShell)'"
    return utf8.first == UInt8(ascii: "-") ? "-- \(quoted)" : quoted
  }
}

extension Failure {
  init(_ error: FindError) {
    switch error {
    case .notFound(let reference, let kinds, let hasUnreadable):
      self = .notFound(reference, among: kinds)
      if hasUnreadable {
        hint =
          "some records cannot be read, and it may be one of them: 'capsule verify' says which"
      }
    case .unlisted(let error): self.init(error)
    case .ambiguous(let reference, let found): self = .ambiguous(reference, found)
    }
  }

  static func notFound(
    _ reference: String, among kinds: [RecordKind] = [.capsule]
  ) -> Failure {
    if kinds.count > 2 {
      return Failure(
        .notFound, "nothing has the id, title or name '\(reference)'",
        hint: "capsule search \(reference.shellWord) looks for it in every text",
        details: ["reference": .string(reference)])
    }
    let words = kinds.map(\.word).joined(separator: " or ")
    let isShortID =
      reference.utf8.count < RecordID.shortestPrefix && reference.allSatisfy(\.isHexDigit)
    let lists = kinds.map { "'\($0.listCommand)'" }.listed()
    return Failure(
      .notFound,
      "no \(words) has the id or \(kinds.contains(where: \.isTitled) ? "title" : "name") '\(reference)'",
      hint: isShortID
        ? "an id may be shortened to \(RecordID.shortestPrefix) characters, no less"
        : "\(lists) show\(kinds.count == 1 ? "s" : "") what there is",
      details: ["reference": .string(reference)])
  }

  static func ambiguous(_ reference: String, _ found: [FoundRecord]) -> Failure {
    var failure = Failure(
      .ambiguous, "'\(reference)' means several",
      hint: "give the id, or the start of it",
      details: [
        "reference": .string(reference),
        "candidates": .array(
          found.map {
            .object([
              "id": .string($0.id.description), "kind": .string($0.kind.rawValue),
              "title": .string($0.title),
            ])
          }),
      ])
    failure.list = found.map { "\($0.kind.word)  '\($0.title)'  \($0.id)" }
    return failure
  }
}
