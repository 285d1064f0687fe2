/// One thing that a repair did, or could not do.
public enum RepairAction: Hashable, Sendable {
  /// `store.json` was written anew.
  case rewroteHeader
  /// An identity's file was made again from the copy in `store.json`.
  case restoredIdentity(String)
  /// `settings.json` was accepted as it stands.
  case acceptedSettings
  /// `settings.json` could not be read, and was put aside.
  case resetSettings
  /// A record that was changed by hand, or by a flipped bit that left it readable, was accepted.
  case acceptedRecord(RecordKind, RecordID)
  /// A record was changed, but is not accepted: see ``RepairRefusal``.
  case refusedRecord(RecordKind, RecordID, RepairRefusal)
  /// The trash's twin of a live record was dropped.
  case endedDeletion(RecordKind, RecordID)
  /// A problem that nothing here can mend.
  case cannotMend(StoreProblem)

  /// Whether something is still wrong after it.
  public var isFailure: Bool {
    switch self {
    case .refusedRecord, .cannotMend: true
    default: false
    }
  }
}

/// The reasons for which a changed record is not accepted.
public enum RepairRefusal: Hashable, Sendable {
  /// Its unlock time is earlier than the one inside its seal.
  case unlockEarlierThanSealed(Instant)
  /// Its seal does not belong to it, or is itself damaged.
  case sealDamaged
  /// Its seal cannot be opened here, so the unlock time cannot be compared with the one inside.
  case sealUnreadable
}

extension Store {
  /// Mends what can be mended, after a copy of each file that is changed was put into
  /// `backups/<Unix time>/`; ``repair(with:now:)`` judges by the locks.
  ///
  /// - Parameter judge: returns why a changed capsule must not be accepted; `nil` when it may be.
  /// - Throws: ``StoreError``.
  package func repair(
    now: Instant, judge: (Capsule) -> RepairRefusal?
  ) throws(StoreError) -> [RepairAction] {
    try requireWritable()
    let report = try verify(readingBlobs: false)
    var actions: [RepairAction] = []
    let backup = layout.backups.appending(String(now.seconds))
    for problem in report.problems {
      switch problem {
      case .header: actions.append(try repairHeader(backup))
      case .identity(let recipient, _): actions.append(try repairIdentity(recipient, backup))
      case .settings(let damage): actions.append(try repairSettings(damage, backup))
      case .record(let kind, let id, let path, let damage):
        if damage != .checksum, damage != .noChecksum {
          actions.append(.cannotMend(problem))
        } else if layout.record(kind, id).text == path {
          actions.append(try acceptRecord(kind, id, backup, judge))
        } else {
          actions.append(try acceptTrashed(kind, id, FilePath(path), backup, judge))
        }
      case .interruptedDeletion(let kind, let id, let path):
        try whileLocked { () throws(StoreError) in
          try storeIO { () throws(FileSystemError) in
            guard try files.statusIfPresent(layout.record(kind, id)) != nil else { return }
            try files.unlink(FilePath(path))
            try files.synchronizeDirectory(layout.trash(kind))
          }
        }
        actions.append(.endedDeletion(kind, id))
      case .foreign, .orphan, .missingReference: break
      case .blob, .unreadable: actions.append(.cannotMend(problem))
      }
    }
    return actions
  }

  /// Copies a file into the backup, before it is replaced.
  private func backUp(_ path: FilePath, into backup: FilePath) throws(StoreError) {
    try storeIO { () throws(FileSystemError) in try files.createDirectories(backup) }
    try storeIO { () throws(FileSystemError) in
      let bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
      // Two repairs within a second have the same folder; no copy replaces another.
      var copy = backup.appending(bytes: path.lastComponent)
      var number = 2
      while try files.statusIfPresent(copy) != nil {
        copy = backup.appending(bytes: path.lastComponent + Array(".\(number)".utf8))
        number += 1
      }
      try files.writeTemporary(copy, bytes, mode: 0o600)
      try files.synchronizeDirectory(backup)
    }
  }

  private func rewrite(
    _ path: FilePath, mode: UInt32, backup: FilePath, _ body: () throws(StoreError) -> [UInt8]
  ) throws(StoreError) {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    try whileLocked { () throws(StoreError) in
      let bytes = try body()
      if (try? files.status(path)) != nil { try backUp(path, into: backup) }
      try storeIO { () throws(FileSystemError) in
        try files.replace(path, bytes, mode: mode, by: temporary)
      }
    }
  }

  private func repairHeader(_ backup: FilePath) throws(StoreError) -> RepairAction {
    // The identities are held against their files first: a copy that was changed must not become
    // the truth.
    for identity in header.identities {
      let file = try? files.readFile(layout.identity(identity.recipient), limit: 1 << 16)
      guard file == Array(identity.file.utf8) else {
        return .cannotMend(.header(headerDamage ?? .checksum))
      }
    }
    try rewrite(layout.header, mode: 0o600, backup: backup) { () throws(StoreError) in
      RecordFile.encode(header.fields)
    }
    return .rewroteHeader
  }

  private func repairIdentity(
    _ recipient: String, _ backup: FilePath
  ) throws(StoreError) -> RepairAction {
    // The name becomes a path: nothing but a recipient may be one.
    guard headerDamage == nil, RecipientText.isX25519(recipient),
      let copy = header.identities.first(where: { $0.recipient == recipient })
    else { return .cannotMend(.identity(recipient: recipient, isMissing: true)) }
    try storeIO { () throws(FileSystemError) in try files.createDirectories(layout.identities) }
    try rewrite(layout.identity(recipient), mode: 0o400, backup: backup) {
      () throws(StoreError) in Array(copy.file.utf8)
    }
    return .restoredIdentity(recipient)
  }

  private func repairSettings(
    _ damage: RecordDamage, _ backup: FilePath
  ) throws(StoreError) -> RepairAction {
    if damage == .checksum || damage == .noChecksum {
      try rewrite(layout.settings, mode: 0o600, backup: backup) { () throws(StoreError) in
        RecordFile.encode(try readSettings().settings.values)
      }
      return .acceptedSettings
    }
    try whileLocked { () throws(StoreError) in
      try backUp(layout.settings, into: backup)
      try storeIO { () throws(FileSystemError) in
        try files.unlink(layout.settings)
        try files.synchronizeDirectory(layout.root)
      }
    }
    return .resetSettings
  }

  private func acceptRecord(
    _ kind: RecordKind, _ id: RecordID, _ backup: FilePath, _ judge: (Capsule) -> RepairRefusal?
  ) throws(StoreError) -> RepairAction {
    var refusal: RepairRefusal?
    let path = layout.record(kind, id)
    try backUp(path, into: backup)
    if kind == .capsule {
      let record = try read(Capsule.self, id)
      refusal = judge(record.model)
      if refusal == nil { _ = try update(record, now: record.model.updatedAt) }
    } else {
      try accept(kind.model, id)
    }
    if let refusal { return .refusedRecord(kind, id, refusal) }
    return .acceptedRecord(kind, id)
  }

  /// The same for a record in the trash: it may come back.
  private func acceptTrashed(
    _ kind: RecordKind, _ id: RecordID, _ path: FilePath, _ backup: FilePath,
    _ judge: (Capsule) -> RepairRefusal?
  ) throws(StoreError) -> RepairAction {
    var refusal: RepairRefusal?
    try rewrite(path, mode: 0o600, backup: backup) { () throws(StoreError) in
      let bytes = try storeIO { () throws(FileSystemError) in
        try files.readFile(path, limit: RecordFile.sizeLimit)
      }
      do throws(RecordDamage) {
        if kind == .capsule {
          refusal = judge(try RecordFile.decode(bytes, as: Capsule.self, id: id).model)
        }
        return refusal == nil ? RecordFile.encode(try RecordFile.decode(bytes).fields) : bytes
      } catch {
        throw .damaged(error, path: path.text)
      }
    }
    return refusal.map { .refusedRecord(kind, id, $0) } ?? .acceptedRecord(kind, id)
  }

  private func accept<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID
  ) throws(StoreError) {
    let record = try read(type, id)
    _ = try update(record, now: record.model.header.updatedAt)
  }
}
