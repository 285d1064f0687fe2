/// A content that was written into a directory.
package struct ExtractedContent: Sendable {
  package let path: FilePath
  /// The SHA-256 of its bytes.
  package let digest: [UInt8]
}

extension OpenedCapsule {
  /// Writes all contents into a directory, which is made where there is none: each whole or not at
  /// all, with its name and time, none outside of the directory.
  ///
  /// - Parameters:
  ///   - overwriting: whether files that are in the way are replaced; otherwise nothing is written
  ///     where there is one.
  ///   - watch: called with the number of bytes before they are written; it ends the work by throwing,
  ///     and what is whole then stays.
  /// - Returns: the place of each content, or the reason why it was not written; the others are
  ///   written all the same.
  /// - Throws: the error of `watch`; ``CapsuleError``: `.nameTaken`, and `.store` where nothing is written,
  ///   or where the names that were written cannot be synchronised.
  package func extract(
    into directory: FilePath, overwriting: Bool,
    watch body: @escaping (Int) throws -> Void = { _ in }
  ) throws -> [Result<ExtractedContent, CapsuleError>] {
    var names = ContentFileNames()
    let paths = details.enumerated().map { position, details in
      directory.appending(bytes: names.next(details, number: position + 1))
    }
    try writingFiles {
      try store.files.createDirectories(directory)
      if !overwriting { for path in paths { try store.files.requireFree(path) } }
      store.files.sweepBeside(in: directory)
    }
    let watch = WorkWatch(body)
    var results: [Result<ExtractedContent, CapsuleError>] = []
    for index in capsule.contents.indices {
      results.append(
        Result { () throws(CapsuleError) in
          try write(
            capsule.contents[index], details[index], to: paths[index], overwriting: overwriting,
            watch)
        })
      if let interruption = watch.interruption { throw interruption }
    }
    try writingFiles { try store.files.synchronizeNames(in: directory) }
    return results
  }

  /// Writes one content to a file that is not there yet, whole or not at all.
  ///
  /// - Parameter index: its place in ``capsule``'s contents.
  /// - Throws: as ``extract(into:overwriting:watch:)``.
  package func write(contentAt index: Int, to path: FilePath) throws(CapsuleError) {
    _ = try write(
      capsule.contents[index], details[index], to: path, overwriting: false, WorkWatch { _ in })
  }

  private func write(
    _ content: Content, _ details: ContentDetails, to path: FilePath, overwriting: Bool,
    _ watch: WorkWatch
  ) throws(CapsuleError) -> ExtractedContent {
    try writingFiles {
      try store.files.writeBeside(
        path, replacing: overwriting, modified: details.modified, isOneOfMany: true,
        random: store.environment.random
      ) { file in
        var sink = DigestingSink(WatchedSink(file, watch: watch))
        try watch.pass(0)
        try write(content, details, to: &sink)
        return ExtractedContent(path: path, digest: sink.digest())
      }
    }
  }
}
