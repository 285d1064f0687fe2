/// The key of a capsule whose time has come: opens what is sealed to the capsule's recipient.
package struct CapsuleKey: Sendable {
  private let identity: X25519Identity

  init(_ identity: X25519Identity) {
    self.identity = identity
  }

  /// The most bytes of a content's description: a text of 1 MiB, every byte of it escaped.
  private static let contentByteLimit = 8 << 20

  /// Opens the description of a content, `contents[].sealed`: the bytes of its JSON.
  package func openContent(_ sealed: String, pass: GatePass) throws(AgeFailure) -> [UInt8] {
    var sink = LimitedSink(limit: Self.contentByteLimit)
    _ = try open(MemorySource(Array(sealed.utf8)), to: &sink, encoding: .armor, threads: 1)
    return sink.take()
  }

  /// Opens a blob into a sink, and says how many bytes it holds.
  ///
  /// On damage everything before it was written: write beside, and rename at the end.
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
      // Nobody gave this key: what it does not fit is damaged.
      if case .noMatch = error { throw .header(.otherRecipient) }
      throw error
    }
    return try reader.open(with: fileKey, to: &sink, threads: threads)
  }
}

extension CapsuleLock {
  /// Seals the description of a content to the capsule: an armored age file.
  package func sealContent(_ json: [UInt8], random: RandomSource) throws(AgeFailure) -> String {
    let sealed = try AgeWriter(to: [recipient], random: random).seal(json, armor: true)
    return String(decoding: sealed, as: UTF8.self)
  }

  /// Seals a blob to the capsule: an age file of exactly the source's bytes, whose number it says.
  ///
  /// With a `HashingSink` the sealed bytes are hashed while the next ones are sealed.
  package func sealBlob(
    from source: inout some ByteSource, to sink: inout some ByteSink, random: RandomSource,
    threads: Int = Workers.processorCount
  ) throws(AgeFailure) -> UInt64 {
    try AgeWriter(to: [recipient], random: random).seal(from: &source, to: &sink, threads: threads)
  }
}
