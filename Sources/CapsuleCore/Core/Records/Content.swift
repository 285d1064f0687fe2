/// One thing inside a capsule: a text or a file.
///
/// Only what may be seen while the capsule is locked stands here in the clear.
public struct Content: Hashable, Identifiable, Sendable {
  public private(set) var id = RecordID.zero
  public private(set) var kind = ContentKind.other
  public private(set) var addedAt = Instant.epoch
  /// The number of bytes of the sealed form: the blob for a file, the armored `sealed` for a text.
  public private(set) var sealedSize: Int64 = 0
  /// An armored age file to the capsule's recipient; its plaintext is a ``ContentDetails``.
  package private(set) var sealed = ""
  /// The blob that holds a file's bytes; `nil` for a text.
  package private(set) var blob: BlobName?
  package private(set) var unknown: JSONObject = [:]
}

extension Content: RecordPart {
  package static var blank: Content { Content() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("id", &id)
    try coder.field("kind", &kind)
    try coder.field("addedAt", &addedAt)
    try coder.field("sealedSize", &sealedSize)
    try coder.field("sealed", &sealed)
    try coder.optional("blob", &blob)
    coder.rest(&unknown)
  }
}
