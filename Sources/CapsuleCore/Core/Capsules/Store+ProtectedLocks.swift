// Honor locks, sealed anew.
extension StoreProtection {
  /// The number of records that are written together.
  private static let sealedTogether = 256

  /// The most rounds through the store, while others go on changing it.
  private static let mostRounds = 8

  /// Seals every honor lock that is not sealed to the fresh identity, live or in the trash.
  func sealLocksAnew(
    now: Instant, _ report: inout ProtectionReport
  ) throws(StoreError) {
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
  ) throws(StoreError) {
    var batch = ModelBatch<Capsule>()
    for (shard, directory) in try store.folders.shards(.capsule) {
      let entries = try storeIO { () throws(FileSystemError) in
        try files.contentsIfPresent(ofDirectory: directory)
      }
      for entry in entries {
        guard case .record(let id) = RecordFileName(entry.name, shard: shard) else { continue }
        let path = layout.record(.capsule, id)
        let record: StoredRecord<Capsule>
        do throws(StoreError) {
          record = try store.readIntact(Capsule.self, id)
        } catch {
          if case .notFound = error { continue }
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
  ) throws(StoreError) {
    let updates = batch.updates
    guard !updates.isEmpty else { return }
    do throws(StoreError) {
      report.sealed += try store.write(batch, now: now).count
    } catch {
      switch error {
      case .changedMeanwhile, .notFound:
        // One of them was changed by another process: the next round takes what it wrote.
        isDisturbed = true
      case .newerFormat, .refused, .recordTooLarge:
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
  ) throws(StoreError) {
    var isSealed = false
    var isUnsealed = false
    do throws(StoreError) {
      try store.whileLocked { () throws(StoreError) in
        let bytes = try storeIO { () throws(FileSystemError) in
          try files.readFile(trashed.path, limit: RecordFile.sizeLimit)
        }
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
      switch error {
      case .io(let failure) where failure.condition == .notFound: isDisturbed = true
      case .damaged, .newerFormat, .refused, .recordTooLarge: isUnsealed = true
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
}
