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
  ///   - progress: called with the number of bytes that were read since the last call.
  /// - Returns: for each content where it is, or why it was not written: the others are all the same.
  /// - Throws: `.nameTaken`, `.store`; nothing is written then.
  package func extract(
    into directory: FilePath, overwriting: Bool, progress: @escaping (Int64) -> Void = { _ in }
  ) throws(CapsuleError) -> [Result<ExtractedContent, CapsuleError>] {
    var names = ContentFileNames()
    let paths = details.enumerated().map { position, details in
      directory.appending(bytes: names.next(details, number: position + 1))
    }
    try writingFiles {
      try store.files.createDirectories(directory)
      if !overwriting { for path in paths { try store.files.requireFree(path) } }
    }
    return capsule.contents.indices.map { index in
      Result { () throws(CapsuleError) in
        try write(
          capsule.contents[index], details[index], to: paths[index], overwriting: overwriting,
          progress)
      }
    }
  }

  private func write(
    _ content: Content, _ details: ContentDetails, to path: FilePath, overwriting: Bool,
    _ progress: @escaping (Int64) -> Void
  ) throws(CapsuleError) -> ExtractedContent {
    try writingFiles {
      try store.files.writeBeside(
        path, replacing: overwriting, modified: details.modified, random: store.environment.random
      ) { file in
        var sink = DigestingSink(file)
        try write(content, details, to: &sink, progress: progress)
        return ExtractedContent(path: path, digest: sink.digest())
      }
    }
  }
}
