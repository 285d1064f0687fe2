/// A blob that is written, synchronised and named, but not yet in its place.
package struct StagedBlob: Hashable, Sendable {
  package let name: BlobName
  package let size: Int64
  let temporary: FilePath
}

/// The files that records name by the digests of their bytes.
package struct StoreBlobs: StoreSubject {
  package let store: Store

  /// Writes a blob into `tmp/`, as `body` produces it, and synchronises it. No lock is held.
  ///
  /// - Parameter isPrepared: whether ``prepareStaging()`` was called for this one and others.
  /// - Throws: the error of `body`, or a ``Fault``; nothing is left then.
  package func stage(
    isPrepared: Bool = false, _ body: (inout DigestingSink<FileSink>) throws -> Void
  ) throws -> StagedBlob {
    if !isPrepared { try prepareStaging() }
    let temporary = layout.temporary.appending(try environment.temporaryName())
    let file = try files.open(temporary, .createExclusive(mode: 0o600))
    let staged: StagedBlob
    do {
      var sink = DigestingSink(FileSink(files, file))
      try body(&sink)
      let name = BlobName(digest: sink.digest())
      try files.protect(file, mode: 0o400)
      try files.synchronize(file)
      staged = StagedBlob(name: name, size: sink.count, temporary: temporary)
    } catch {
      try? files.close(file)
      try? files.unlink(temporary)
      throw error
    }
    // A close that fails has given the number back all the same.
    do { try files.close(file) } catch {
      try? files.unlink(temporary)
      throw error
    }
    return staged
  }

  /// Looks whether blobs can be staged, once for many.
  package func prepareStaging() throws(Fault) {
    try store.requireWritable()
    try store.folders.requireTemporary()
  }

  /// Drops blobs that were staged and will not be used.
  package func discard(_ blobs: [StagedBlob]) {
    for blob in blobs { try? files.unlink(blob.temporary) }
  }

  /// Puts staged blobs into their places, for good. Under the lock.
  func place(_ blobs: [StagedBlob]) throws(Fault) {
    let shards = Set(blobs.map { layout.blob($0.name).parent })
    try store.folders.prepare(shards)
    for blob in blobs {
      let path = layout.blob(blob.name)
      do {
        try files.publish(blob.temporary, as: path)
      } catch {
        guard error.condition == .exists else { throw error }
        // The same bytes are there already, or ought to be.
        if let damage = try damage(of: blob.name) {
          throw .blobDamaged(blob.name, path: path.text, damage)
        }
      }
    }
    for shard in shards { try files.synchronizeDirectory(shard) }
  }

  /// Opens a blob for reading; the caller closes it.
  package func open(
    _ name: BlobName
  ) throws(Fault) -> (file: FileDescriptor, size: Int64) {
    let path = layout.blob(name)
    do throws(Fault) {
      let file = try files.open(path, .read)
      do {
        return (file, try files.status(file).size)
      } catch {
        try? files.close(file)
        throw error
      }
    } catch {
      switch error.condition {
      case .notFound: throw .blobDamaged(name, path: path.text, .missing)
      case .notRegularFile, .loop, .isDirectory:
        throw .blobDamaged(name, path: path.text, .notAFile)
      default: throw error
      }
    }
  }

  /// Reads a blob whole and compares it with its name.
  ///
  /// - Returns: its damage; `nil` for a blob that is what it should be.
  package func damage(of name: BlobName) throws(Fault) -> BlobDamage? {
    let file: FileDescriptor
    do {
      file = try open(name).file
    } catch {
      if let damage = error.blobDamage { return damage }
      throw error
    }
    defer { try? files.close(file) }
    return BlobName(digest: try files.digest(of: file)) == name ? nil : .otherBytes
  }
}

/// A file that was taken in and synchronised, but is not yet named by any record.
package struct StagedAttachment: Sendable {
  package let attachment: Attachment
  package let blob: StagedBlob
  /// The kind that its bytes say.
  package let kind: ContentKind
}

extension StoreBlobs {
  /// Takes in an image of the user's, as ``stageAttachment(_:limit:progress:)`` does.
  ///
  /// - Throws: `.notAnImage` besides.
  package func stageImage(
    _ path: FilePath, limit: Int64
  ) throws(Fault) -> StagedAttachment {
    let staged: StagedAttachment
    do {
      staged = try stageAttachment(path, limit: limit)
    } catch {
      guard error.code == .sourceIsDirectory else { throw error }
      throw .notAnImage(path: path.text, mediaType: MediaType.directory.description)
    }
    guard staged.kind == .image else {
      discard([staged.blob])
      throw .notAnImage(path: path.text, mediaType: staged.attachment.mediaType)
    }
    return staged
  }

  /// Takes in a file of the user's as it is; links are followed. A file that is read from a pipe
  /// has no time.
  ///
  /// The result is given to ``Store/insert(_:blobs:)`` or ``Store/update(_:now:blobs:forgetsOlder:locksAgain:)``, or to
  /// ``discard(_:)``.
  ///
  /// - Parameters:
  ///   - limit: the size in bytes over which it is refused.
  ///   - progress: called with the bytes done and in all; the latter 0 where it is not known.
  /// - Throws: `.unreadableSource`, `.sourceIsDirectory`, `.sourceTooLarge`, `.sourceChanged`,
  ///   `.storeBusy`, `.io`; nothing is left then.
  package func stageAttachment(
    _ path: FilePath, limit: Int64, progress: @escaping (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> StagedAttachment {
    let file: FileDescriptor
    do {
      file = try files.open(path, .readFollowingLinks(streams: true))
    } catch {
      if error.condition == .isDirectory { throw .sourceIsDirectory(path: path.text) }
      throw .unreadableSource(error)
    }
    defer { try? files.close(file) }
    let before = try sourceStatus(file)
    if before.kind == .directory { throw .sourceIsDirectory(path: path.text) }
    let isRegular = before.kind == .regular
    if isRegular, before.size > limit {
      throw .sourceTooLarge(path: path.text, size: before.size, limit: limit)
    }
    var source = FileSource(files, file)
    let head: [UInt8]
    do { head = try source.readHead(MediaType.headSize) } catch {
      throw .unreadableSource(.stream(error))
    }
    let blob = try stage(
      head: head, rest: source, path: path, limit: limit,
      progress: { progress($0, isRegular ? before.size : 0) })
    if isRegular {
      do throws(Fault) {
        // Another writer shows in the size or in one of the two times.
        guard try sourceStatus(file).isUnchanged(since: before), blob.size == before.size else {
          throw .sealedSourceChanged(path: path.text)
        }
      } catch {
        discard([blob])
        throw error
      }
    }
    let type = MediaType(
      head: head, isWhole: head.count < MediaType.headSize, name: path.lastComponent)
    return StagedAttachment(
      attachment: Attachment(
        name: path.lastComponent, mediaType: type.description, size: blob.size,
        modified: isRegular ? before.modified : nil, blob: blob.name),
      blob: blob, kind: type.kind)
  }

  private func stage(
    head: [UInt8], rest: FileSource, path: FilePath, limit: Int64,
    progress: @escaping (Int64) -> Void
  ) throws(Fault) -> StagedBlob {
    do {
      return try stage { sink in
        var source = MeasuredSource(
          head: head, rest: rest,
          limit: (limit, .sourceTooLarge(path: path.text, size: limit + 1, limit: limit)),
          progress: progress)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        while true {
          let count: Int
          do { count = try source.read(into: buffer) } catch let full as Fault
            where full.code == .sourceTooLarge
          {
            throw full
          } catch {
            throw Fault.unreadableSource(.stream(error))
          }
          if count == 0 { break }
          try sink.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
      }
    } catch {
      throw .stream(error)
    }
  }

  private func sourceStatus(_ file: FileDescriptor) throws(Fault) -> FileStatus {
    do { return try files.status(file) } catch {
      throw .unreadableSource(error)
    }
  }

  /// Copies an attachment's bytes to a sink, and sees to it that they are those that were taken in.
  ///
  /// - Throws: `.blobDamaged` when they are not; what precedes was written then.
  package func copy(
    _ attachment: Attachment, to sink: inout some ByteSink
  ) throws(Fault) {
    try copy(attachment.blob, to: &sink)
  }

  /// Copies a blob's bytes as they are, sealed or not, and sees to it that they are those of its name.
  ///
  /// - Throws: `.blobDamaged` when they are not; what precedes was written then.
  package func copy(
    _ name: BlobName, to sink: inout some ByteSink
  ) throws(Fault) {
    let file = try open(name).file
    defer { try? files.close(file) }
    var hash = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      let count: Int
      count = try files.read(file, into: buffer)
      if count == 0 { break }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      hash.update(bytes)
      do { try sink.write(bytes) } catch { throw .stream(error) }
    }
    guard BlobName(digest: hash.finalize()) == name else {
      throw .blobDamaged(name, path: layout.blob(name).text, .otherBytes)
    }
  }
}

extension StoreBlobs {
  /// Writes an attachment to a file of the user's, whole or not at all, with its time.
  ///
  /// - Parameter watch: called with the number of bytes before they are written; it ends the work by
  ///   throwing, and nothing is left then.
  /// - Throws: `.exists` where something has the name and is not to be replaced, `.blobDamaged`,
  ///   `.io`, and the error of `watch`.
  package func write(
    _ attachment: Attachment, to path: FilePath, overwriting: Bool,
    watch: @escaping (Int) throws -> Void = { _ in }
  ) throws(Fault) {
    try writingFiles {
      try files.writeBeside(
        path, replacing: overwriting, modified: attachment.modified, random: environment.random
      ) { file in
        var sink = WatchedSink(file, watch: WorkWatch(watch))
        try copy(attachment, to: &sink)
      }
    }
  }
}

/// Runs a step that writes files of the user's own.
func writingFiles<Value>(_ step: () throws -> Value) throws(Fault) -> Value {
  do {
    return try step()
  } catch {
    throw .stream(error)
  }
}

extension StoreBlobs {
  /// Reads the facts in the header of a file that was taken in just now.
  package func facts(of blob: StagedBlob) -> MediaFacts {
    guard let file = try? files.open(blob.temporary, .read) else { return MediaFacts() }
    defer { try? files.close(file) }
    let files = files
    return MediaProbe(size: blob.size) { offset, count in
      let bytes = try? files.chunk(file, at: offset, count: count)
      return bytes?.count == count ? bytes : nil
    }.facts()
  }

  /// Writes a record that names some blobs no more, and removes those that no record, in the trash
  /// or not, names any longer. They stay where a record cannot be read, which may name them.
  package func update<Model: RecordModel>(
    _ record: StoredRecord<Model>, now: Instant, freeing freed: Set<BlobName>
  ) throws(Fault) -> StoredRecord<Model> {
    let updated = try store.update(record, now: now, forgetsOlder: true)
    var references = try BlobReferences(of: store, excluding: [])
    try store.whileLocked { () throws(Fault) in
      try references.refresh()
      guard references.unreadable.isEmpty, references.foreign.isEmpty else { return }
      for name in freed where !references.contains(name) {
        let path = layout.blob(name)
        do throws(Fault) {
          try files.unlink(path)
          try files.synchronizeDirectory(path.parent)
        } catch {
          if error.condition != .notFound { throw error }
        }
      }
    }
    return updated
  }
}
