/// The key of a capsule whose time has come: it opens files sealed to the capsule's recipient.
package struct CapsuleKey: Sendable {
  private let identity: AgeIdentity

  init(_ identity: AgeIdentity) {
    self.identity = identity
  }

  /// The most bytes of a content's description: a text of 1 MiB, every byte of it escaped.
  private static let contentByteLimit = 8 << 20

  /// Opens the description of a content, `contents[].sealed`.
  ///
  /// - Returns: the bytes of its JSON.
  /// - Throws: `.header`, `.headerMAC`, `.payload`, `.armor`, or `.sink` for more than 8 MiB.
  package func openContent(_ sealed: String, pass: GatePass) throws(AgeFailure) -> [UInt8] {
    var sink = LimitedSink(limit: Self.contentByteLimit)
    _ = try open(MemorySource(Array(sealed.utf8)), to: &sink, encoding: .armor, threads: 1)
    return sink.take()
  }

  /// Opens a blob into a sink.
  ///
  /// On damage everything before it was written: write beside, and rename at the end.
  ///
  /// - Returns: the number of bytes.
  /// - Throws: `.header`, `.headerMAC`, `.payload`, `.source` or `.sink`.
  package func openBlob(
    from source: any ByteSource, to sink: inout some ByteSink, pass: GatePass,
    threads: Int = Workers.processorCount
  ) throws(AgeFailure) -> UInt64 {
    try open(source, to: &sink, encoding: .binary, threads: threads)
  }

  private func open(
    _ source: any ByteSource, to sink: inout some ByteSink, encoding: AgeReader.Encoding,
    threads: Int
  ) throws(AgeFailure) -> UInt64 {
    var reader = try AgeReader(source, encoding: encoding)
    let fileKey: FileKey
    do throws(AgeFailure) {
      fileKey = try reader.unlock(with: [identity])
    } catch {
      // The key came out of the lock: a file that it does not fit is damaged.
      if case .noMatch = error { throw .header(.otherRecipient) }
      throw error
    }
    return try reader.open(with: fileKey, to: &sink, threads: threads)
  }
}
