import CapsuleCore

/// A record that a word on the command line means.
struct FoundRecord: Sendable {
  let kind: RecordKind
  let id: RecordID
  let title: String
}

extension RecordKind {
  /// The command that lists them.
  var listCommand: String {
    self == .capsule ? "capsule list" : "capsule \(rawValue) list"
  }

  /// Whether they have titles; the others have names.
  fileprivate var isTitled: Bool { self == .capsule || self == .event }

  /// The word for one of them.
  var word: String { rawValue }
}

extension Session {
  /// The fewest characters of an id that may stand for it.
  static let shortestPrefix = 4

  /// Finds the one record that a word means: an id, the start of one, or an exact title or name,
  /// whatever its case.
  func find(
    _ reference: String, among kinds: [RecordKind], in store: Store
  ) throws -> FoundRecord {
    var found: [FoundRecord] = []
    var hasUnreadable = false
    for kind in kinds {
      if kind == .bequest {
        found += bequests(meantBy: reference, in: store)
        continue
      }
      var index = store.index(kind, now: now)
      if let id = RecordID(reference.lowercased()), let entry = index.entry(id) {
        return FoundRecord(kind: kind, id: id, title: kind.title(of: entry))
      }
      var entries: [IndexEntry] = []
      if reference.utf8.count >= Self.shortestPrefix {
        entries += index.entries(idPrefix: reference, limit: 20)
      }
      let key = NameKey(reference)
      for entry in index.entries(nameHash: key.hash)
      where NameKey(kind.title(of: entry)) == key && !entries.contains(where: { $0.id == entry.id })
      {
        entries.append(entry)
      }
      found += entries.map { FoundRecord(kind: kind, id: $0.id, title: kind.title(of: $0)) }
      if entries.isEmpty { hasUnreadable = hasUnreadable || !index.problems().isEmpty }
    }
    guard let only = found.first else {
      var failure = Failure.notFound(reference, among: kinds)
      if hasUnreadable {
        failure.hint =
          "some records cannot be read, and it may be one of them: 'capsule verify' says which"
      }
      throw failure
    }
    guard found.count == 1 else { throw Failure.ambiguous(reference, found) }
    return only
  }

  /// Finds a capsule and reads it.
  func capsule(
    _ reference: String, in store: Store
  ) throws -> StoredRecord<Capsule> {
    let found = try find(reference, among: [.capsule], in: store)
    return try store.read(Capsule.self, found.id)
  }
}

extension Failure {
  static func notFound(
    _ reference: String, among kinds: [RecordKind] = [.capsule]
  ) -> Failure {
    let words = kinds.map(\.word).joined(separator: " or ")
    let isShortID =
      reference.utf8.count < Session.shortestPrefix && reference.allSatisfy(\.isHexDigit)
    let lists = kinds.map { "'\($0.listCommand)'" }.joined(separator: " and ")
    return Failure(
      .notFound,
      "no \(words) has the id or \(kinds.contains(where: \.isTitled) ? "title" : "name") '\(reference)'",
      hint: isShortID
        ? "an id may be shortened to \(Session.shortestPrefix) characters, no less"
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
