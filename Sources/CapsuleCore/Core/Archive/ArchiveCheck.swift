/// The findings of a reading of a whole archive.
package struct ArchiveReport: Sendable {
  package let description: ArchiveDescription
  package let recordCount: Int
  package let blobCount: Int
  /// Capsules that only the store's own identity opens, where that is not in the archive.
  package let lockedOutCount: Int
  package let problems: [ArchiveProblem]
}

extension ArchiveReport {
  /// Reads an archive and compares all of it with its digests, checksums and names.
  ///
  /// - Parameter body: writes the tar file into the sink.
  package static func check(
    _ body: (inout ArchiveSink) throws -> Void
  ) throws -> ArchiveReport {
    var sink = ArchiveSink(nil)
    try body(&sink)
    return try sink.finish()
  }
}

/// The end of the way of an archive's bytes: what is written into it is taken apart.
package struct ArchiveSink: ByteSink {
  private var splitter: PaxSplitter<ArchiveScanner>
  /// The reason for which it is no archive, once that is known.
  private(set) var fault: ArchiveFault?

  init(_ taker: (any ArchiveTaker)?) {
    splitter = PaxSplitter(ArchiveScanner(taker))
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try splitter.write(bytes)
    } catch {
      throw noted(error)
    }
  }

  private mutating func noted(_ error: any Error) -> any Error {
    let found = (error as? PaxFault).map { ArchiveFault.tar($0) } ?? error as? ArchiveFault
    fault = found
    return found ?? error
  }

  /// Looks at the end, when all was written.
  mutating func finish() throws -> ArchiveReport {
    do {
      try splitter.finish()
      return try splitter.receiver.report()
    } catch {
      throw noted(error)
    }
  }
}
