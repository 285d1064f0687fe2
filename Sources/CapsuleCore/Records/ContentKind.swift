/// What a content is, as far as its bytes tell.
public enum ContentKind: String, CaseIterable, Hashable, Sendable {
  case text
  case image
  case audio
  case video
  case document
  case other
}
