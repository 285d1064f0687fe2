import CapsuleCore

/// The records that a question is about, by kind and title: the first of them, and how many more.
struct ListedNames {
  let text: String

  private static let limit = 5

  init(_ records: [(kind: RecordKind, title: String)]) {
    var names = records.prefix(Self.limit).map { "the \($0.kind.word) '\($0.title)'" }
    if records.count > Self.limit { names.append("\(records.count - Self.limit) more") }
    text = names.isEmpty ? "nothing" : names.listed()
  }
}
