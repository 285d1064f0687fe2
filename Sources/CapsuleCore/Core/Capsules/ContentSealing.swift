/// Something that is to be put into a capsule.
public struct ContentSource {
  package enum Origin {
    /// A text, at most ``ContentDetails/textLimit`` bytes; a longer one is sealed as a file.
    case text(String)
    /// A file of the user's, by its path; links are followed.
    case file(FilePath)
    /// Standard input, or anything else that is read to its end: text where it is text, else a file.
    case stream(any ByteSource, name: [UInt8])
  }

  package let origin: Origin
  package let caption: String?

  package init(_ origin: Origin, caption: String? = nil) {
    self.origin = origin
    self.caption = caption
  }
}

/// Contents that are sealed, synchronised and named, but not yet in any record.
package struct SealedContents: Sendable {
  package var contents: [Content] = []
  package var blobs: [StagedBlob] = []
}

/// Puts sources under the seal of a capsule's recipient, one after the other.
package struct ContentSealing {
  private let store: Store
  private let recipient: AgeRecipient
  private let now: Instant
  private let limit: Int64
  private let isProven: Bool
  private let progress: (Int64, Int64) -> Void
  private var sealed = SealedContents()
  private var done: Int64 = 0
  private var total: Int64 = 0

  /// - Parameters:
  ///   - limit: the size, in bytes, over which a file is refused.
  ///   - isProven: whether each sealed file is read back, and opened against a digest of what was
  ///     read: what a fault of the memory changed is not sealed in for decades.
  ///   - progress: called with the bytes done, and those of the files in all: a stream's are not known.
  package init(
    store: Store, recipient: AgeRecipient, now: Instant, limit: Int64, isProven: Bool = true,
    progress: @escaping (Int64, Int64) -> Void = { _, _ in }
  ) {
    self.store = store
    self.recipient = recipient
    self.now = now
    self.limit = limit
    self.isProven = isProven
    self.progress = progress
  }

  /// Looks at every source before anything is written: a file that cannot be taken is refused by
  /// name.
  ///
  /// - Returns: the bytes of all of them, as far as they are known.
  @discardableResult
  package static func check(
    _ sources: [ContentSource], limit: Int64, in files: any FileSystem
  ) throws(Fault) -> Int64 {
    var total: Int64 = 0
    for source in sources {
      guard case .file(let path) = source.origin else { continue }
      let status: FileStatus
      do {
        status = try files.statusFollowingLinks(path)
      } catch {
        throw .unreadableSource(error)
      }
      if status.kind == .directory { throw .sourceIsDirectory(path: path.text) }
      guard status.kind == .regular else { continue }
      if status.size > limit {
        throw .sourceTooLarge(path: path.text, size: status.size, limit: limit)
      }
      total += status.size
    }
    return total
  }

  /// Seals all of them.
  ///
  /// - Throws: ``Fault``; nothing is left then.
  package mutating func seal(_ sources: [ContentSource]) throws(Fault) -> SealedContents {
    do {
      total = try ContentSealing.check(sources, limit: limit, in: store.files)
      try store.blobs.prepareStaging()
      for source in sources { try seal(source) }
      return sealed
    } catch {
      store.blobs.discard(sealed.blobs)
      throw error
    }
  }

  private mutating func seal(_ source: ContentSource) throws(Fault) {
    switch source.origin {
    case .text(let text):
      if text.utf8.count <= ContentDetails.textLimit {
        try appendText(text, name: [], caption: source.caption)
      } else {
        try appendFile(
          MemorySource(Array(text.utf8)), name: Array("text.txt".utf8), modified: nil,
          path: "text", caption: source.caption)
      }
    case .stream(var stream, let name):
      // Text is a text, whatever it came through, unless it is too long for one.
      let head: [UInt8]
      do {
        head = try stream.readHead(ContentDetails.textLimit + 1)
      } catch {
        throw .stream(error)
      }
      if head.count <= ContentDetails.textLimit, name.isEmpty,
        MediaType(head: head, isWhole: true, name: []) == .plainText,
        let text = String(validating: head, as: UTF8.self)
      {
        try appendText(text, name: [], caption: source.caption)
      } else {
        try appendFile(
          stream, head: head, name: name, modified: nil, path: "standard input",
          caption: source.caption)
      }
    case .file(let path): try sealFile(path, caption: source.caption)
    }
  }

  private mutating func sealFile(_ path: FilePath, caption: String?) throws(Fault) {
    let files = store.files
    let file: FileDescriptor
    let before: FileStatus
    do {
      file = try files.open(path, .readFollowingLinks(streams: true))
    } catch {
      if error.condition == .isDirectory { throw .sourceIsDirectory(path: path.text) }
      throw .unreadableSource(error)
    }
    defer { try? files.close(file) }
    do { before = try files.status(file) } catch {
      throw .unreadableSource(error)
    }
    let isRegular = before.kind == .regular
    let count = try appendFile(
      FileSource(files, file), name: path.lastComponent,
      modified: isRegular ? before.modified : nil,
      path: path.text, caption: caption)
    guard isRegular else { return }
    let after: FileStatus
    do { after = try files.status(file) } catch {
      throw .unreadableSource(error)
    }
    // Another writer shows in the size or in one of the two times.
    guard after.isUnchanged(since: before), count == before.size else {
      throw .sealedSourceChanged(path: path.text)
    }
  }

  private mutating func appendText(
    _ text: String, name: [UInt8], caption: String?
  ) throws(Fault) {
    let details = ContentDetails(
      name: name, mediaType: MediaType.plainText.description, size: Int64(text.utf8.count),
      modified: nil, caption: caption, text: text)
    let armored = try seal(details)
    try append(
      kind: .text, sealedSize: Int64(armored.utf8.count), sealed: armored, blob: nil)
  }

  @discardableResult
  private mutating func appendFile(
    _ stream: some ByteSource, head given: [UInt8] = [], name: [UInt8], modified: FileTime?,
    path: String, caption: String?
  ) throws(Fault) -> Int64 {
    var rest: any ByteSource = stream
    var head = given
    let (before, total, progress) = (done, total, progress)
    let count: Int64
    let blob: StagedBlob
    do {
      if head.isEmpty {
        do { head = try rest.readHead(MediaType.headSize) } catch {
          throw Fault.unreadableSource(.stream(error))
        }
      }
      let key = isProven ? try StreamDigest.Key(random: store.environment.random) : nil
      var source = MeasuredSource(
        head: head, rest: rest,
        limit: (limit, .sourceTooLarge(path: path, size: limit + 1, limit: limit)),
        digest: key.map { StreamDigest(key: $0) },
        progress: { progress(before + $0, total) })
      let writer = try AgeWriter(to: [recipient], random: store.environment.random)
      let fileKey = writer.fileKey
      blob = try store.blobs.stage(isPrepared: true) { sink in
        _ = try writer.seal(from: &source, to: &sink)
      }
      // From here on a failure leaves nothing.
      sealed.blobs.append(blob)
      count = source.count
      if let key, let digest = source.digest {
        try prove(blob, fileKey, StreamDigestSink(key: key), digest, path: path)
      }
    } catch AgeFailure.source(let error as Fault) where error.code == .sourceTooLarge {
      throw error
    } catch AgeFailure.source(let error) {
      throw .unreadableSource(.stream(error))
    } catch AgeFailure.sink(let error as Fault) {
      throw error
    } catch {
      throw .seal(error, path: path)
    }
    done += count
    let isWhole = head.count < MediaType.headSize
    let type = MediaType(
      head: Array(head.prefix(MediaType.headSize)), isWhole: isWhole, name: name)
    let details = ContentDetails(
      name: name, mediaType: type.description, size: count, modified: modified, caption: caption,
      text: nil)
    try append(
      kind: type.kind, sealedSize: blob.size, sealed: try seal(details), blob: blob.name)
    return count
  }

  /// Reads a sealed file back, and compares what opens with what was read.
  ///
  /// - Throws: `.notVerified` where they differ, and where the file does not open.
  private func prove(
    _ blob: StagedBlob, _ fileKey: FileKey, _ sink: StreamDigestSink, _ digest: StreamDigest,
    path: String
  ) throws {
    let files = store.files
    var sink = sink
    let file = try files.open(blob.temporary, .read)
    defer { try? files.close(file) }
    do throws(AgeFailure) {
      var reader = try AgeReader(FileSource(files, file), encoding: .binary)
      guard reader.header.isAuthentic(fileKey: fileKey) else { throw .headerMAC }
      _ = try reader.open(with: fileKey, to: &sink)
    } catch {
      if case .source(let error as Fault) = error { throw error }
      throw Fault.proof(path: path)
    }
    guard sink.digest.count == digest.count, sink.digest.digest() == digest.digest() else {
      throw Fault.proof(path: path)
    }
  }

  private func seal(_ details: ContentDetails) throws(Fault) -> String {
    let plaintext = JSON.object(details.fields).encoded(.compact)
    do {
      let writer = try AgeWriter(to: [recipient], random: store.environment.random)
      return String(decoding: try writer.seal(plaintext, armor: true), as: UTF8.self)
    } catch {
      throw .seal(error, path: "")
    }
  }

  private mutating func append(
    kind: ContentKind, sealedSize: Int64, sealed armored: String, blob: BlobName?
  ) throws(Fault) {
    sealed.contents.append(
      Content(
        id: try RecordID(random: store.environment.random), kind: kind, addedAt: now,
        sealedSize: sealedSize, sealed: armored, blob: blob))
  }
}

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
  /// - Throws: the error of `watch`; ``Fault``: `.exists`, and `.io` where nothing is written,
  ///   or where the names that were written cannot be synchronised.
  package func extract(
    into directory: FilePath, overwriting: Bool,
    watch body: @escaping (Int) throws -> Void = { _ in }
  ) throws -> [Result<ExtractedContent, Fault>] {
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
    var results: [Result<ExtractedContent, Fault>] = []
    for index in capsule.contents.indices {
      results.append(
        Result { () throws(Fault) in
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
  package func write(contentAt index: Int, to path: FilePath) throws(Fault) {
    _ = try write(
      capsule.contents[index], details[index], to: path, overwriting: false, WorkWatch { _ in })
  }

  private func write(
    _ content: Content, _ details: ContentDetails, to path: FilePath, overwriting: Bool,
    _ watch: WorkWatch
  ) throws(Fault) -> ExtractedContent {
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
