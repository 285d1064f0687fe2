extension OpenedCapsule {
  /// The largest text file, in bytes, that is shown to a reader and not only named.
  package static let readLimit: Int64 = 16 << 20

  /// Returns a content as something to be read: a text, or a file of text in UTF-8.
  ///
  /// - Parameters:
  ///   - index: its place in ``capsule``'s contents.
  ///   - limit: the size in bytes over which a file is not read.
  ///   - isExact: whether it is given as it is; otherwise without a byte order mark, and each line ended by
  ///     a line feed alone.
  /// - Returns: `nil` for a content that is no text, or is larger.
  /// - Throws: as ``write(_:_:to:progress:)`` does.
  package func readableText(
    at index: Int, limit: Int64 = OpenedCapsule.readLimit, isExact: Bool = false
  ) throws(CapsuleError) -> String? {
    let details = details[index]
    if let text = details.text { return isExact ? text : text.asRead }
    guard MediaType(details.mediaType).kind == .text, details.size <= limit,
      let size = Int(exactly: details.size)
    else { return nil }
    var sink = LimitedSink(limit: size)
    try write(capsule.contents[index], details, to: &sink)
    let text = String(validating: sink.take(), as: UTF8.self)
    return isExact ? text : text?.asRead
  }

  /// Returns all bytes of a content; `nil` where it has more than the limit.
  ///
  /// - Throws: as ``write(_:_:to:progress:)`` does.
  package func bytes(at index: Int, limit: Int64) throws(CapsuleError) -> [UInt8]? {
    let details = details[index]
    guard details.size <= limit, let size = Int(exactly: details.size) else { return nil }
    var sink = LimitedSink(limit: size)
    try write(capsule.contents[index], details, to: &sink)
    return sink.take()
  }
}

extension StoreBlobs {
  /// Returns all bytes of an attachment; `nil` where it has more than the limit.
  ///
  /// - Throws: as ``copy(_:to:)`` does.
  package func bytes(
    of attachment: Attachment, limit: Int64
  ) throws(CapsuleError) -> [UInt8]? {
    guard attachment.size <= limit, let size = Int(exactly: attachment.size) else { return nil }
    var sink = LimitedSink(limit: size)
    try copy(attachment, to: &sink)
    return sink.take()
  }

  /// Returns an attachment as something to be read, as a text file of a capsule is.
  ///
  /// - Parameter limit: the size in bytes over which it is not read.
  /// - Returns: `nil` for one that is no text in UTF-8, or is larger.
  /// - Throws: as ``copy(_:to:)`` does.
  package func readableText(
    of attachment: Attachment, limit: Int64
  ) throws(CapsuleError) -> String? {
    guard MediaType(attachment.mediaType).kind == .text, attachment.size <= limit,
      let size = Int(exactly: attachment.size)
    else { return nil }
    var sink = LimitedSink(limit: size)
    try copy(attachment, to: &sink)
    return String(validating: sink.take(), as: UTF8.self)?.asRead
  }
}

extension String {
  /// The text as people read it: without a byte order mark at its start, and with line feeds in place of
  /// the line ends of other systems.
  fileprivate var asRead: String {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    guard utf8.contains(UInt8(ascii: "\r")) || utf8.starts(with: mark) else { return self }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    var rest = utf8[...]
    if rest.starts(with: mark) { rest = rest.dropFirst(mark.count) }
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\r"), rest.first == UInt8(ascii: "\n") { continue }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
