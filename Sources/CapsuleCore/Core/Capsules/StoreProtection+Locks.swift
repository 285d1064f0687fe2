// Honor locks, sealed anew.
extension StoreProtection {
  /// The number of records that are written together.
  private static let sealedTogether = 256

  /// The most rounds through the store, while others go on changing it.
  private static let mostRounds = 8

  /// Seals every honor lock that is not sealed to the fresh identity, live or in the trash.
  func sealLocksAnew(
    now: Instant, _ report: inout ProtectionReport
  ) throws(Fault) {
    let all = openedIdentities()
    guard let own = all.first else { return }
    for _ in 0..<Self.mostRounds {
      report.unsealed = []
      let before = report.sealed
      var isDisturbed = false
      try sealLive(to: own, with: all, now: now, &report, &isDisturbed)
      for record in try store.trash.records(.capsule) {
        try sealTrashed(record, to: own, with: all, now: now, &report, &isDisturbed)
      }
      // The next round finds the records that came during this one; the last round finds none.
      if report.sealed == before, !isDisturbed { return }
    }
  }

  private func sealLive(
    to own: AgeIdentity, with all: [AgeIdentity], now: Instant,
    _ report: inout ProtectionReport, _ isDisturbed: inout Bool
  ) throws(Fault) {
    var batch = ModelBatch<Capsule>()
    for (shard, directory) in try store.folders.shards(.capsule) {
      let entries = try files.contentsIfPresent(ofDirectory: directory)
      for entry in entries {
        guard case .record(let id) = RecordFileName(entry.name, shard: shard) else { continue }
        let path = layout.record(.capsule, id)
        let record: StoredRecord<Capsule>
        do {
          record = try store.readIntact(Capsule.self, id)
        } catch {
          if error.code == .recordGone { continue }
          report.unsealed.append(path)
          continue
        }
        switch sealedAnew(record.model, to: own, with: all) {
        case .stays: continue
        case .cannot: report.unsealed.append(path)
        case .key(let key):
          var changed = record
          changed.model.lock.take(keySealedAnew: key)
          batch.update(changed)
          if batch.updates.count == Self.sealedTogether {
            try write(&batch, now: now, &report, &isDisturbed)
          }
        }
      }
    }
    try write(&batch, now: now, &report, &isDisturbed)
  }

  private func write(
    _ batch: inout ModelBatch<Capsule>, now: Instant, _ report: inout ProtectionReport,
    _ isDisturbed: inout Bool
  ) throws(Fault) {
    let updates = batch.updates
    guard !updates.isEmpty else { return }
    do {
      report.sealed += try store.write(batch, now: now).count
    } catch {
      switch error.code {
      case .changedMeanwhile, .recordGone:
        // One of them was changed by another process: the next round takes what it wrote.
        isDisturbed = true
      case .newerFormat, .newerRecord, .recordTooLarge,
        _ where error.cause is RecordFault:
        // One that this program must not write keeps none of the others back.
        if updates.count == 1 {
          report.unsealed.append(layout.record(.capsule, updates[0].model.id))
        } else {
          for update in updates {
            var one = ModelBatch<Capsule>()
            one.update(update)
            try write(&one, now: now, &report, &isDisturbed)
          }
        }
      default: throw error
      }
    }
    batch = ModelBatch()
  }

  private func sealTrashed(
    _ trashed: TrashedRecord, to own: AgeIdentity, with all: [AgeIdentity], now: Instant,
    _ report: inout ProtectionReport, _ isDisturbed: inout Bool
  ) throws(Fault) {
    var isSealed = false
    var isUnsealed = false
    do {
      try store.whileLocked { () throws(Fault) in
        let bytes = try files.readFile(trashed.path, limit: RecordFile.sizeLimit)
        var record = try StoredRecord<Capsule>(bytes, id: trashed.id, path: trashed.path)
        guard record.integrity == nil else {
          isUnsealed = true
          return
        }
        switch sealedAnew(record.model, to: own, with: all) {
        case .stays: return
        case .cannot: isUnsealed = true
        case .key(let key):
          record.model.lock.take(keySealedAnew: key)
          try store.trash.rewrite(trashed, as: record, now: now)
          isSealed = true
        }
      }
    } catch {
      switch error.code {
      case .io where error.condition == .notFound: isDisturbed = true
      case .recordDamaged, .newerRecord, .newerFormat, .recordTooLarge,
        _ where error.cause is RecordFault:
        isUnsealed = true
      default: throw error
      }
    }
    if isSealed { report.sealed += 1 }
    if isUnsealed { report.unsealed.append(trashed.path) }
  }

  private enum Resealing {
    case stays
    case key(String)
    case cannot
  }

  /// Seals the key file in an honor lock once more, as it is. Nothing of it comes out.
  private func sealedAnew(
    _ capsule: Capsule, to own: AgeIdentity, with all: [AgeIdentity]
  ) -> Resealing {
    guard capsule.lock.kind == .honor else { return .stays }
    guard let lock = try? store.capsules.lock(of: capsule) else { return .cannot }
    if (try? lock.sealedKey(with: [own])) != nil { return .stays }
    guard let key = try? lock.sealedKey(with: all),
      let sealed = try? key.sealedAgain(to: [[own.recipient]], random: environment.random)
    else { return .cannot }
    return .key(sealed)
  }

  // To take the protection off.

  /// Puts the identities of an opened store back in the clear; `store.json` commits it. Of a store that is
  /// not protected what an interrupted run left is removed.
  ///
  /// Locks stay as they are: the identity that they are sealed to is one of those that are put back.
  package func unprotect() throws(Fault) -> (store: Store, report: ProtectionReport) {
    var report = ProtectionReport()
    report.wasProtected = header.isProtected
    if isClosed { throw .storeClosed }
    let after = try store.whileLocked { () throws(Fault) in
      if header.isProtected {
        try store.trust.recipients()
        let own = store.keys.shared.map { StoreIdentity($0) }
        try putBack(openedIdentities(), own: own.map(\.recipient))
        let next = header.unprotected(with: own)
        try store.trust.vouch(forNext: next)
        try write(next)
      }
      guard let after = try Store.open(at: layout.root, environment: environment) else {
        throw .headerDamaged(path: layout.header.text)
      }
      try after.protection.removeSealedIdentities()
      _ = try? after.trust.recipients()
      after.copies.keep()
      return after
    }
    return (after, report)
  }

  /// Writes identities in the clear, and reads them back.
  ///
  /// - Parameter own: the recipients of those that the store had before; the others came with archives.
  private func putBack(
    _ identities: [AgeIdentity], own: [String]
  ) throws(Fault) {
    for identity in identities {
      let known = StoreIdentity(OpenedIdentity(identity))
      let isOwn =
        own.contains(known.recipient)
        || known.recipient == header.identities.first?.recipient
      let file = isOwn ? known : known.imported(from: header.id)
      // Every file in the folder is tried, whatever its name; a post-quantum recipient is too long for one.
      let path =
        RecipientText.isX25519(file.recipient)
        ? layout.identity(file.recipient)
        : layout.identities.appending("\(KnownLocks.digest(file.recipient).prefix(32)).key.txt")
      let bytes = Array(file.file.utf8)
      let temporary = layout.temporary.appending(try environment.temporaryName())
      try files.createDirectories(layout.identities)
      try files.replace(path, bytes, mode: 0o400, by: temporary)
      try files.synchronizeDirectory(layout.root)
      let written = try files.readFile(path, limit: KeyLines.maximumByteCount)
      guard written == bytes else { throw .headerDamaged(path: path.text) }
    }
  }

  /// Removes sealed identities from a store that is not protected: those whose keys lie beside them in the
  /// clear, and no other, which may be what something is sealed to. Under the lock.
  private func removeSealedIdentities() throws(Fault) {
    let clear = store.keys.stored().filter(\.holdsKey).map(\.recipient)
    var isChanged = false
    for entry in try files.contentsIfPresent(ofDirectory: layout.identities) {
      let name = String(decoding: entry.name, as: UTF8.self)
      guard clear.contains(where: { name == "\($0).age" || name == "\($0).trustees.age" }) else {
        continue
      }
      try files.unlink(layout.identities.appending(bytes: entry.name))
      isChanged = true
    }
    if isChanged { try files.synchronizeDirectory(layout.identities) }
    // Copies of a protected header would be taken for the newer ones.
    for machine in try store.journal.machines()
    where machine != store.journal.own(creating: false)?.name {
      let path = layout.headerCopy(machine)
      guard let copy = HeaderCopies.one(layout, files, machine),
        let text = copy.files["store.json"], let header = StoreHeader(bytes: Array(text.utf8)),
        header.isProtected, let own = header.identities.first, clear.contains(own.recipient)
      else { continue }
      try files.unlink(path)
      try files.synchronizeDirectory(path.parent)
    }
  }
}
