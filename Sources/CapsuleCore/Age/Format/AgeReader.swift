/// A reader of one age file: first of its header, then with a key of its payload.
package struct AgeReader {
  /// The form in which a file is written down.
  package enum Encoding: Hashable, Sendable {
    /// Armor where the first byte is a hyphen or white space, else binary.
    case automatic
    case binary
    case armor
  }

  /// The header; its form is in order, but only `unlock` proves that nobody changed it.
  package let header: AgeHeader
  private var source: any ByteSource

  /// Reads the header.
  ///
  /// - Throws: `.header`, `.armor` or `.source`.
  package init(
    _ source: any ByteSource, encoding: Encoding = .automatic
  ) throws(AgeFailure) {
    var source = BufferedSource(source, capacity: 64 << 10)
    let isArmor: Bool
    switch encoding {
    case .binary: isArmor = false
    case .armor: isArmor = true
    case .automatic:
      do {
        isArmor = try source.peek().map { Armor.isExpected(firstByte: $0) } ?? false
      } catch {
        throw AgeFailure(reading: error)
      }
    }
    if isArmor { source = BufferedSource(ArmorSource(source)) }
    header = try AgeHeader(reading: &source)
    self.source = source
  }

  /// Finds the file key with the first identity that fits, and checks the header with it.
  ///
  /// Nothing is read, so it can be asked again with other identities.
  /// - Throws: `.noMatch`, `.tooEarly`, `.unproven`, `.header`, `.headerMAC`, `.memory` or
  ///   `.tooMuchWork`.
  package func unlock(with identities: [any Identity]) throws(AgeFailure) -> FileKey {
    // The reason of an identity that has to wait is worth more than that of one that does not fit.
    var reason = AgeFailure.noMatch
    for identity in identities {
      switch identity.unwrap(header.stanzas) {
      case .fileKey(let key):
        guard header.isAuthentic(fileKey: key) else { throw .headerMAC }
        return key
      case .noMatch: continue
      case .damaged(let fault): throw .header(fault)
      case .outOfMemory: throw .memory
      case .tooMuchWork(let workFactor, let limit):
        throw .tooMuchWork(workFactor: workFactor, limit: limit)
      case .tooEarly(let instant): reason = .tooEarly(until: instant)
      case .unproven(let why):
        if case .noMatch = reason { reason = .unproven(why) }
      }
    }
    throw reason
  }

  /// Opens the payload into a sink, once.
  ///
  /// Only plaintext that is as it was sealed reaches the sink; on damage, all of it that precedes.
  ///
  /// - Returns: the number of bytes.
  /// - Throws: `.payload`, `.header` for a missing nonce, `.armor`, `.source` or `.sink`.
  package mutating func open(
    with fileKey: FileKey, to sink: inout some ByteSink, threads: Int = Workers.processorCount
  ) throws(AgeFailure) -> UInt64 {
    var nonce = [UInt8](repeating: 0, count: PayloadStream.nonceByteCount)
    do {
      let count = try nonce.withUnsafeMutableBytes { try source.readFully(into: $0) }
      guard count == nonce.count else { throw HeaderFault.nonce }
    } catch let fault as HeaderFault {
      throw .header(fault)
    } catch {
      throw AgeFailure(reading: error)
    }
    return try PayloadStream(fileKey: fileKey, nonce: nonce)
      .open(from: &source, to: &sink, threads: threads)
  }
}

extension AgeFailure {
  /// The failure that a source threw: damage to the armor, or a failure of its own.
  init(reading error: any Error) {
    self = (error as? ArmorFault).map { .armor($0) } ?? .source(error)
  }
}
