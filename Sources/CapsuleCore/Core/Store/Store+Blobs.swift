/// A blob that is written, synchronised and named, but not yet in its place.
package struct StagedBlob: Hashable, Sendable {
  package let name: BlobName
  package let size: Int64
  let temporary: FilePath
}

/// The files that records name by the digests of their bytes.
package struct StoreBlobs: StoreSubject {
  package let store: Store
}

extension StoreBlobs {
  /// Writes a blob into `tmp/`, as `body` produces it, and synchronises it. No lock is held.
  ///
  /// - Parameter isPrepared: whether ``prepareStaging()`` was called for this one and others.
  /// - Throws: the error of `body`, or a ``StoreError``; nothing is left then.
  package func stage(
    isPrepared: Bool = false, _ body: (inout DigestingSink<FileSink>) throws -> Void
  ) throws -> StagedBlob {
    if !isPrepared { try prepareStaging() }
    let temporary = layout.temporary.appending(try environment.temporaryName())
    let file = try storeIO { () throws(FileSystemError) in
      try files.open(temporary, .createExclusive(mode: 0o600))
    }
    let staged: StagedBlob
    do {
      var sink = DigestingSink(FileSink(files, file))
      try body(&sink)
      let name = BlobName(digest: sink.digest())
      try storeIO { () throws(FileSystemError) in
        try files.setMode(file, 0o400)
        try files.synchronize(file)
      }
      staged = StagedBlob(name: name, size: sink.count, temporary: temporary)
    } catch {
      try? files.close(file)
      try? files.unlink(temporary)
      if let error = error as? FileSystemError { throw StoreError.io(error) }
      throw error
    }
    // A close that fails has given the number back all the same.
    do throws(FileSystemError) { try files.close(file) } catch {
      try? files.unlink(temporary)
      throw StoreError.io(error)
    }
    return staged
  }

  /// Looks whether blobs can be staged, once for many.
  package func prepareStaging() throws(StoreError) {
    try store.requireWritable()
    try store.folders.requireTemporary()
  }

  /// Drops blobs that were staged and will not be used.
  package func discard(_ blobs: [StagedBlob]) {
    for blob in blobs { try? files.unlink(blob.temporary) }
  }

  /// Puts staged blobs into their places, for good. Under the lock.
  func place(_ blobs: [StagedBlob]) throws(StoreError) {
    var shards: Set<FilePath> = []
    for blob in blobs {
      let path = layout.blob(blob.name)
      if shards.insert(path.parent).inserted { try store.folders.prepare(path.parent) }
      do throws(FileSystemError) {
        try files.publish(blob.temporary, as: path)
      } catch {
        guard error.condition == .exists else { throw .io(error) }
        // The same bytes are there already, or ought to be.
        if let damage = try damage(of: blob.name) {
          throw .blobDamaged(blob.name, path: path.text, damage)
        }
      }
    }
    try storeIO { () throws(FileSystemError) in
      for shard in shards { try files.synchronizeDirectory(shard) }
    }
  }

  /// Opens a blob for reading; the caller closes it.
  package func open(
    _ name: BlobName
  ) throws(StoreError) -> (file: FileDescriptor, size: Int64) {
    let path = layout.blob(name)
    do throws(FileSystemError) {
      let file = try files.open(path, .read)
      do throws(FileSystemError) {
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
      default: throw .io(error)
      }
    }
  }

  /// Reads a blob whole and compares it with its name.
  ///
  /// - Returns: its damage; `nil` for a blob that is what it should be.
  package func damage(of name: BlobName) throws(StoreError) -> BlobDamage? {
    let file: FileDescriptor
    do throws(StoreError) {
      file = try open(name).file
    } catch {
      if case .blobDamaged(_, _, let damage) = error { return damage }
      throw error
    }
    defer { try? files.close(file) }
    var hash = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      let count = try storeIO { () throws(FileSystemError) in
        try files.read(file, into: buffer)
      }
      if count == 0 { break }
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    return BlobName(digest: hash.finalize()) == name ? nil : .otherBytes
  }
}
