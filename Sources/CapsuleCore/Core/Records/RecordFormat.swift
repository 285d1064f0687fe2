/// A version of the record format: the number that `schema` has in a record, by which a reader knows that
/// there is something in it that it must understand.
package struct RecordFormat: Sendable {
  package let number: Int64
  /// The program that wrote it first.
  package let program: String
  /// The reason for it, in sentences.
  package let summary: String
  /// The members that the version before does not have, by the kind: those that made the version, and those
  /// that came since without a version of their own, because every reader may pass over them.
  package let members: [RecordKind: [String]]

  /// Every version, the first of them first. A member that comes is named in the last one, or in a new one
  /// where a reader must know it.
  package static let all = [
    RecordFormat(number: 1, program: "0.1.0", summary: "The first.", members: [:]),
    RecordFormat(
      number: 2, program: "0.1.0",
      summary: """
        Post-quantum recipients (`age1pq1…`), and a second sealed copy of a capsule's key. Only a record \
        that has one of them is of this version.
        """,
      members: [.capsule: ["lock.spare"]]),
    RecordFormat(
      number: 3, program: "0.1.0",
      summary: """
        Events repeated on named days of the week. Only a record that has such a rule is of this version. \
        An event may also name the calendar's entry that it came from: every reader may pass over that, and \
        the record stays of the version that it has.
        """,
      members: [
        .event: ["repeat.weekdays", "repeat.nth", "uid", "uidSequence", "uidModified"]
      ]),
  ]

  /// Returns the paths of the members of a kind that only later versions have.
  package func laterMembers(of kind: RecordKind) -> Set<String> {
    Set(Self.all.filter { $0.number > number }.flatMap { $0.members[kind] ?? [] })
  }
}

extension RecordKind {
  /// A thing that no two live records of the kind share; `nil` for none.
  package var uniqueness: String? {
    switch self {
    case .capsule, .event: nil
    case .item, .trustees: "`name`, whatever the case and the Unicode form"
    case .beneficiary: "`cardUID`, where there is one"
    case .bequest: "the item or capsule together with the beneficiary"
    }
  }
}
