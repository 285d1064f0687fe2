/// A record as another one names it.
public struct RecordReference: Hashable, Sendable {
  public let kind: RecordKind
  public let id: RecordID

  package init(_ kind: RecordKind, _ id: RecordID) {
    self.kind = kind
    self.id = id
  }
}
