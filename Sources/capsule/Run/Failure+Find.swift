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
    let names = found.prefix(5).map { "\($0.id) '\($0.title)'" }.joined(separator: ", ")
    let more = found.count > 5 ? " and more" : ""
    return Failure(
      .ambiguous, "'\(reference)' means several: \(names)\(more)",
      hint: "give more of the id",
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
  }
}
