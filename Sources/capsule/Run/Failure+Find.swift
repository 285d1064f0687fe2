import CapsuleCore

extension RecordKind {
  /// The command that lists them.
  var listCommand: String {
    self == .capsule ? "capsule list" : "capsule \(rawValue) list"
  }

  /// Whether they have titles; the others have names.
  fileprivate var isTitled: Bool { self == .capsule || self == .event }

  /// The word for one of them.
  var word: String { rawValue }

  /// The article of the word.
  var article: String { self == .event || self == .item ? "an" : "a" }

  /// The word for several.
  var plural: String { self == .beneficiary ? "beneficiaries" : word + "s" }

  /// The word for several, as a heading.
  var heading: String {
    switch self {
    case .capsule: "Capsules"
    case .event: "Events"
    case .item: "Items"
    case .beneficiary: "People"
    case .bequest: "Bequests"
    }
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
    case .ambiguous(let reference, let found): self = .ambiguous(reference, found)
    }
  }

  static func notFound(
    _ reference: String, among kinds: [RecordKind] = [.capsule]
  ) -> Failure {
    if kinds.count > 2 {
      return Failure(
        .notFound, "nothing has the id, title or name '\(reference)'",
        hint: "capsule search \(ShellWord.quoted(reference)) looks for it in every text",
        details: ["reference": .string(reference)])
    }
    let words = kinds.map(\.word).joined(separator: " or ")
    let isShortID =
      reference.utf8.count < RecordID.shortestPrefix && reference.allSatisfy(\.isHexDigit)
    let lists = kinds.map { "'\($0.listCommand)'" }.joined(separator: " and ")
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
