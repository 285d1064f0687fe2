/// The kind of a content, as far as its bytes show it.
public enum ContentKind: String, CaseIterable, Hashable, Sendable, FieldText {
  case text
  case image
  case audio
  case video
  case document
  case other
}
