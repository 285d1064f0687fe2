import CapsuleCore

/// Writes a capsule's contents into a directory, each whole or not at all.
struct ContentExtraction {
  let session: Session
  let opened: OpenedCapsule
  let directory: FilePath
  let overwrites: Bool

  private var files: any FileSystem { session.host.files }

  /// What became of one content.
  struct Written {
    let path: FilePath
    let digest: [UInt8]
  }

  /// Writes all of them; what fails is told, and the others are written all the same.
  ///
  /// - Returns: for each content where it was written, and the worst that happened.
  func run() throws -> (written: [Written?], code: ExitCode) {
    var names = ContentFileNames()
    let paths = opened.details.enumerated().map { position, details in
      directory.appending(bytes: names.next(details, number: position + 1))
    }
    try files.createDirectories(directory)
    if !overwrites { try refuseExisting(paths) }
    let total = opened.details.reduce(0) { $0.addingClamped($1.size) }
    let progress = session.progress("Opening", total: total)
    defer { progress.end() }
    var written: [Written?] = []
    var code = ExitCode.ok
    for (position, content) in opened.capsule.contents.enumerated() {
      let details = opened.details[position]
      do {
        let digest = try write(content, details, to: paths[position], progress)
        written.append(Written(path: paths[position], digest: digest))
      } catch {
        code = ExitCode.worst(code, session.console.report(error))
        written.append(nil)
      }
    }
    return (written, code)
  }

  /// Nothing is written where a file is in the way.
  private func refuseExisting(_ paths: [FilePath]) throws {
    for path in paths {
      let status = try files.statusIfPresent(path)
      guard status == nil else {
        throw Failure(
          .refused, "'\(path.text)' exists already; nothing was written",
          hint: "'--force' replaces it", details: ["path": .string(path.text)])
      }
    }
  }

  private func write(
    _ content: Content, _ details: ContentDetails, to path: FilePath, _ progress: Progress
  ) throws -> [UInt8] {
    let temporary = directory.appending(
      ".capsule-\(try opened.store.environment.temporaryName()).tmp")
    do {
      let file = try files.open(temporary, .createExclusive(mode: 0o600))
      var digest: [UInt8] = []
      do {
        var sink = DigestingSink(FileSink(files, file))
        try opened.write(content, details, to: &sink) { progress.advance(by: $0) }
        digest = sink.digest()
        if let modified = details.modified { try files.setModified(file, modified) }
        try files.synchronize(file)
      } catch {
        try? files.close(file)
        throw error
      }
      try files.close(file)
      if overwrites {
        try files.rename(temporary, to: path)
      } else {
        try files.publish(temporary, as: path)
      }
      return digest
    } catch {
      try? files.unlink(temporary)
      throw error
    }
  }
}

extension OpenedCapsule {
  /// Writes a content's bytes into a sink.
  ///
  /// - Parameter progress: is told how many more bytes were read.
  func write(
    _ content: Content, _ details: ContentDetails, to sink: inout some ByteSink,
    progress: @escaping (Int64) -> Void = { _ in }
  ) throws {
    if let text = details.text {
      try Array(text.utf8).withUnsafeBytes { try sink.write($0) }
      return
    }
    guard let blob = content.blob else {
      throw Failure(
        .damaged, "content \(number(of: content)) has neither a text nor a file",
        hint: "restore the record from a backup")
    }
    var before: Int64 = 0
    let count = try store.openBlob(blob, key: key, pass: pass, to: &sink) {
      progress($0 - before)
      before = $0
    }
    guard count == details.size else {
      throw Failure(
        .damaged, "content \(number(of: content)) has \(count) bytes instead of \(details.size)",
        hint: "restore its file from a backup")
    }
  }
}
