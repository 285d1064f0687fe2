/// What a new capsule is to be.
package struct NewCapsule {
  package var title: String
  package var notes: String
  package var tags: [String]
  package var unlockAt: Instant
  /// The IANA zone that the unlock time was given in.
  package var unlockZone: String
  package var lock: LockRequest
  package var sources: [ContentSource]

  package init(
    title: String, notes: String, tags: [String], unlockAt: Instant, unlockZone: String,
    lock: LockRequest, sources: [ContentSource]
  ) {
    self.title = title
    self.notes = notes
    self.tags = tags
    self.unlockAt = unlockAt
    self.unlockZone = unlockZone
    self.lock = lock
    self.sources = sources
  }
}

/// The lock that a new capsule is to have.
package struct LockRequest {
  package let kind: LockKind
  /// Who opens each layer, the outermost first; none for honor, which is the store's own.
  package let layers: [[any Recipient]]
  package let timelock: Timelock?

  package static let honor = LockRequest(kind: .honor, layers: [])

  package init(kind: LockKind, layers: [[any Recipient]], timelock: Timelock? = nil) {
    self.kind = kind
    self.layers = layers
    self.timelock = timelock
  }
}

extension Store {
  /// The recipients that an honor lock is sealed to: the store's own.
  private func honorRecipients() throws(CapsuleError) -> [any Recipient] {
    var recipients: [any Recipient] = []
    for identity in header.identities {
      do throws(KeyFault) {
        recipients.append(try X25519Recipient(identity.recipient))
      } catch {
        throw .store(.headerDamaged(path: layout.header.text))
      }
    }
    return recipients
  }

  /// The store's own identities: every file in `identities/`, then the copies in `store.json`.
  package func identities() -> [X25519Identity] {
    var texts: [[UInt8]] = []
    for entry in (try? files.contents(ofDirectory: layout.identities)) ?? [] {
      let path = layout.identities.appending(bytes: entry.name)
      if let text = try? files.readFile(path, limit: 1 << 16) { texts.append(text) }
    }
    texts += header.identities.map { Array($0.file.utf8) }
    var identities: [X25519Identity] = []
    for text in texts {
      for identity in (try? IdentityFile(text).identities) ?? []
      where !identities.contains(where: { $0.recipient == identity.recipient }) {
        identities.append(identity)
      }
    }
    return identities
  }

  /// Seals a new capsule's contents and commits it.
  ///
  /// - Parameters:
  ///   - limit: the size in bytes over which a file is refused.
  ///   - progress: is told the bytes done and in all.
  package func createCapsule(
    _ draft: NewCapsule, limit: Int64, now: Instant,
    progress: @escaping (Int64, Int64) -> Void = { _, _ in }
  ) throws(CapsuleError) -> Capsule {
    let id: RecordID
    do throws(RandomSource.Failure) {
      id = try RecordID(random: environment.random)
    } catch {
      throw .store(.random(error))
    }
    let layers = draft.lock.kind == .honor ? [try honorRecipients()] : draft.lock.layers
    let lock: CapsuleLock
    do throws(AgeFailure) {
      lock = try CapsuleLock(
        sealing: .init(id: id, unlock: draft.unlockAt), layers: layers, random: environment.random)
    } catch {
      throw .seal(error, path: "")
    }
    var sealing = ContentSealing(
      store: self, recipient: lock.recipient, now: now, limit: limit, progress: progress)
    let sealed = try sealing.seal(draft.sources)
    let capsule = Capsule(
      header: RecordHeader(id: id, createdAt: now), title: draft.title, notes: draft.notes,
      tags: draft.tags, unlockAt: draft.unlockAt, unlockZone: draft.unlockZone,
      lock: Lock(
        kind: draft.lock.kind, key: lock.key, recipient: lock.recipient.description,
        timelock: draft.lock.timelock),
      contents: sealed.contents)
    do throws(StoreError) {
      try insert(capsule, blobs: sealed.blobs)
    } catch {
      throw .store(error)
    }
    return capsule
  }

  /// Puts more into a capsule that has not been opened; it is not opened for it.
  package func addContents(
    _ sources: [ContentSource], to record: StoredRecord<Capsule>, limit: Int64, now: Instant,
    progress: @escaping (Int64, Int64) -> Void = { _, _ in }
  ) throws(CapsuleError) -> Capsule {
    if let openedAt = record.model.openedAt { throw .alreadyOpened(openedAt) }
    try requireIntact(record)
    let recipient: X25519Recipient
    do throws(KeyFault) {
      recipient = try X25519Recipient(record.model.lock.recipient)
    } catch {
      throw .store(.damaged(.field(recipientFault), path: path(of: record.model).text))
    }
    var sealing = ContentSealing(
      store: self, recipient: recipient, now: now, limit: limit, progress: progress)
    let sealed = try sealing.seal(sources)
    var changed = record
    changed.model.contents += sealed.contents
    do throws(StoreError) {
      return try update(changed, now: now, blobs: sealed.blobs).model
    } catch {
      throw .store(error)
    }
  }

  /// Refuses a record whose bytes are not those that were written.
  package func requireIntact(_ record: StoredRecord<Capsule>) throws(CapsuleError) {
    if let damage = record.integrity {
      throw .store(.damaged(damage, path: path(of: record.model).text))
    }
  }

  /// The lock of a capsule, to be opened layer by layer.
  package func lock(of capsule: Capsule) throws(CapsuleError) -> CapsuleLock {
    do throws(KeyFault) {
      return CapsuleLock(
        key: capsule.lock.key, recipient: try X25519Recipient(capsule.lock.recipient))
    } catch {
      throw .store(.damaged(.field(recipientFault), path: path(of: capsule).text))
    }
  }

  private var recipientFault: FieldError {
    FieldError(path: "lock.recipient", problem: .invalid("not a recipient"))
  }

  private func path(of capsule: Capsule) -> FilePath {
    layout.record(.capsule, capsule.id)
  }

  /// Opens what a content's seal hides but its bytes: its name, type and times, and a text itself.
  package func details(
    of content: Content, in capsule: Capsule, key: CapsuleKey, pass: GatePass
  ) throws(CapsuleError) -> ContentDetails {
    let bytes: [UInt8]
    do throws(AgeFailure) {
      bytes = try key.openContent(content.sealed, pass: pass)
    } catch {
      throw .seal(error, path: path(of: capsule).text)
    }
    do {
      guard case .object(let fields) = try JSON.parse(bytes) else {
        throw CapsuleError.details(nil, path: path(of: capsule).text)
      }
      return try ContentDetails(fields: fields)
    } catch {
      throw .details(error as? FieldError, path: path(of: capsule).text)
    }
  }

  /// Opens a file content's bytes into a sink; on damage, what precedes it was written.
  ///
  /// - Returns: how many bytes there are.
  package func openBlob(
    _ name: BlobName, key: CapsuleKey, pass: GatePass, to sink: inout some ByteSink,
    progress: @escaping (Int64) -> Void = { _ in }
  ) throws(CapsuleError) -> Int64 {
    let file: FileDescriptor
    do throws(StoreError) {
      file = try openBlob(name).file
    } catch {
      throw .store(error)
    }
    defer { try? files.close(file) }
    let source = MeasuredSource(
      head: [], rest: FileSource(files, file), limit: .max, progress: progress)
    do throws(AgeFailure) {
      return Int64(try key.openBlob(from: source, to: &sink, pass: pass))
    } catch {
      if case .source(let cause as FileSystemError) = error { throw .store(.io(cause)) }
      throw .seal(error, path: layout.blob(name).text)
    }
  }

  /// Keeps that a capsule was opened for the first time.
  package func markOpened(
    _ record: StoredRecord<Capsule>, now: Instant, beacon: String? = nil
  ) throws(StoreError) -> Capsule {
    var changed = record
    if changed.model.openedAt == nil { changed.model.openedAt = now }
    if let beacon { changed.model.lock.timelock?.beacon = beacon }
    return try update(changed, now: now).model
  }

  /// Keeps a timelock's verified beacon in the record.
  package func keepBeacon(
    _ beacon: String, in record: StoredRecord<Capsule>, now: Instant
  ) throws(StoreError) {
    var changed = record
    changed.model.lock.timelock?.beacon = beacon
    _ = try update(changed, now: now)
  }
}
