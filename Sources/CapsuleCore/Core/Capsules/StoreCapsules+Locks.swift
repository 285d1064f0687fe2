extension StoreCapsules {
  /// Makes the lock of a new capsule, and keeps its chain as one that this device knows.
  ///
  /// - Throws: `.usage` for recipients that cannot be in one lock, `.invalidCapsule` for a chain that has the public
  ///   key of another.
  func newLock(
    of id: RecordID, for draft: NewCapsule, layers: [[any Recipient]], isPostQuantum: Bool
  ) throws(Fault) -> CapsuleLock {
    if let timelock = draft.lock.timelock {
      let chains = KnownChains(environment)
      do { chains.keep(try chains.chain(of: timelock)) } catch {
        throw .invalid(error)
      }
    }
    do {
      return try CapsuleLock(
        sealing: .init(id: id, unlock: draft.unlockAt, form: LockForm(draft.lock)), layers: layers,
        spareLayers: draft.lock.spareLayers, isPostQuantum: isPostQuantum,
        random: environment.random)
    } catch {
      throw .seal(error, path: "")
    }
  }

  /// Compares a capsule's record with its lock as far as that can be done without the owner's keys:
  /// the header of a timelock, and all of an honor lock.
  ///
  /// - Parameter identities: open an honor lock; with none only timelocks are looked at.
  /// - Returns: `nil` where nothing disagrees.
  package func lockProblem(
    of capsule: Capsule, with identities: [any Identity] = []
  ) -> LockProblem? {
    let chains = KnownChains(environment)
    guard case .disagrees(let problem) = compareLock(of: capsule, with: identities, chains) else {
      return nil
    }
    return problem
  }

  private func compareLock(
    of capsule: Capsule, with identities: [any Identity], _ chains: KnownChains
  ) -> LockComparison {
    // A whole store is gone through without keys in seconds.
    if capsule.lock.timelock == nil, capsule.lock.usableSpare == nil, identities.isEmpty {
      return .unopened
    }
    guard let lock = try? lock(of: capsule) else { return .disagrees(.noRecipient) }
    guard let layer = try? lock.outerLayer() else { return .disagrees(.unreadable) }
    if let timelock = capsule.lock.timelock {
      guard (try? chains.chain(of: timelock)) != nil else { return .disagrees(.noChain) }
      let problem = problem(of: layer, timelock) ?? spareProblem(of: lock, timelock)
      return problem.map { .disagrees($0) } ?? .unopened
    }
    if layer.isTimelocked { return .disagrees(.otherRound) }
    if let problem = spareProblem(of: lock, nil) { return .disagrees(problem) }
    guard capsule.lock.kind == .honor, !identities.isEmpty else { return .unopened }
    do {
      try lock.requireFit(.init(of: capsule), with: identities)
      return .opened
    } catch {
      switch error {
      // A missing identity is a problem of its own.
      case .file(.noMatch): return .unopened
      case .file: return .disagrees(.unreadable)
      case .damaged(let fault): return .disagrees(LockProblem(fault))
      }
    }
  }

  /// Compares a layer that ought to be a record's timelock with the record.
  private func problem(of layer: LockLayer, _ timelock: Timelock) -> LockProblem? {
    guard layer.fits(timelock) else { return .otherRound }
    let sealed = layer.escrowCount
    let recorded = timelock.escrow.count
    return sealed == recorded ? nil : .escrows(sealed: sealed, recorded: recorded)
  }

  /// Compares a spare with the record: it must not weaken the date.
  private func spareProblem(of lock: CapsuleLock, _ timelock: Timelock?) -> LockProblem? {
    guard let spare = lock.spareLock else { return nil }
    guard let layer = try? spare.outerLayer() else { return .unreadable }
    if let timelock { return problem(of: layer, timelock) }
    return layer.isTimelocked ? .otherRound : nil
  }
}

extension StoreCare {
  /// Reads every record and blob, and compares what is sealed with what the records say; a verification
  /// that leaves nothing out is remembered.
  ///
  /// - Parameter now: the real time.
  package func verifyAll(
    _ plan: VerificationPlan = .whole, now: Instant,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> Verification {
    var plan = plan
    // To open each honor lock takes longer than all else but the blobs.
    let identities = plan.readsBlobs ? store.keys.all() as [any Identity] : []
    let countsUnproven = plan.readsBlobs && store.protection.isClosed
    var unproven = 0
    plan.lockProblems = store.capsules.lockProblems(with: identities) { capsule in
      if countsUnproven, capsule.lock.kind == .honor { unproven += 1 }
    }
    var report = try verify(plan, now: now, progress: progress)
    report.unprovenLocks = unproven
    if plan.readsBlobs, plan.readsJournals { remember(report, from: plan.start, now: now) }
    return report
  }
}

extension StoreCapsules {
  /// Returns a comparison of capsules with their locks; what was opened once is remembered.
  ///
  /// - Parameter unopened: called for each lock that none of the identities opens.
  func lockProblems(
    with identities: [any Identity], unopened: @escaping (Capsule) -> Void = { _ in }
  ) -> ([CapsuleReading], UInt8) -> [LockProblem?] {
    let locks = KnownLocks(store)
    let chains = KnownChains(environment)
    return { readings, shard in
      let known = locks.all(shard: shard)
      // Without keys the comparison is done before another thread would have begun.
      let threads = identities.isEmpty ? 1 : Workers.processorCount
      // The same bytes open again; a record is compared with its checksum before.
      let new = readings.filter { !known.wasOpened($0.capsule.id, $0.digest) }
      let comparisons = Workers.map(new, threads: threads) {
        compareLock(of: $0.capsule, with: identities, chains)
      }
      var problems: [RecordID: LockProblem] = [:]
      var opened: [(RecordID, [UInt8])] = []
      for (reading, comparison) in zip(new, comparisons) {
        switch comparison {
        case .disagrees(let problem): problems[reading.capsule.id] = problem
        case .opened: if let digest = reading.digest { opened.append((reading.capsule.id, digest)) }
        case .unopened: unopened(reading.capsule)
        }
      }
      locks.keep(opened: opened, shard: shard)
      return readings.map { reading in
        let capsule = reading.capsule
        if let problem = problems[capsule.id] { return problem }
        let isKnown = known.knows(capsule.lock.recipient, of: capsule.id)
        return isKnown == false ? .otherRecipient : nil
      }
    }
  }

  /// Refuses to seal to a recipient that is not the capsule's own: another than the one that this machine
  /// knows, or than the one whose key the lock holds, where the lock can be looked into.
  ///
  /// - Parameter isAccepted: whether the user vouches for a recipient that this machine does not know.
  func requireOwnRecipient(of capsule: Capsule, isAccepted: Bool) throws(Fault) {
    if let problem = lockProblem(of: capsule, with: store.keys.all()) {
      throw .lock(problem, path: layout.record(.capsule, capsule.id).text)
    }
    let known = KnownLocks(store)
    if known.knows(capsule.lock.recipient, of: capsule.id) == false, !isAccepted {
      throw .lock(.otherRecipient, path: layout.record(.capsule, capsule.id).text)
    }
    known.keep(capsule.lock.recipient, of: capsule.id)
  }
}

/// The result of a look at a lock.
private enum LockComparison: Hashable, Sendable {
  /// It was opened, and all of it is as its record says.
  case opened
  /// Nothing that can be seen without its keys disagrees.
  case unopened
  case disagrees(LockProblem)
}

extension LockProblem {
  /// The problem that a lock's fault is.
  init(_ fault: LockFault) {
    self =
      switch fault {
      case .notKeyFile, .layers: .unreadable
      case .otherCapsule(let id): .otherCapsule(id)
      case .unlockEarlier(let sealed): .unlockEarlier(sealed: sealed)
      case .otherForm(let sealed): .otherForm(sealed: sealed)
      case .otherRecipient: .otherRecipient
      }
  }
}

extension StoreCare {
  /// Mends what can be mended: ``repair(_:now:lockProblems:putBack:judge:)``, and a changed capsule is accepted where its
  /// unlock time is not earlier than the one in its lock, and all of it that can be opened opens.
  ///
  /// - Parameter keys: open locks, so that what is sealed in them can be compared; the store's own
  ///   identities are added.
  package func repair(
    _ request: RepairRequest = RepairRequest(), with keys: [any Identity] = [], now: Instant
  ) throws(Fault) -> [RepairAction] {
    let identities = keys + (store.keys.all() as [any Identity])
    return try repair(
      request, now: now, lockProblems: store.capsules.lockProblems(with: store.keys.all()),
      putBack: { earlier, today throws(Fault) in
        try store.capsules.puttingBack(earlier, into: today)
      },
      judge: { capsule, twin in refusal(of: capsule, twin, identities) })
  }

  /// Returns why a changed capsule must not be accepted; `nil` where it may be.
  ///
  /// - Parameter twin: the version that a journal holds.
  private func refusal(
    of capsule: Capsule, _ twin: Capsule?, _ identities: [any Identity]
  ) -> RepairRefusal? {
    guard
      capsule.contents.allSatisfy({ content in
        content.blob.map { (try? files.status(layout.blob($0))) != nil } ?? true
      })
    else { return .sealDamaged }
    if let timelock = capsule.lock.timelock {
      return refusal(of: capsule, timelock) ?? refusal(of: capsule, comparedWith: twin)
    }
    do {
      let key = try store.capsules.lock(of: capsule).sealedKey(with: identities)
      guard key.opens(capsule.contents.map(\.sealed), sealedTo: capsule.lock.recipient) else {
        return .sealDamaged
      }
      try key.terms.requireFit(.init(of: capsule))
      return nil
    } catch LockFailure.damaged(.unlockEarlier(let sealed)) {
      return .unlockEarlierThanSealed(sealed)
    } catch LockFailure.file(.noMatch), LockFailure.file(.tooEarly), LockFailure.file(.unproven),
      LockFailure.file(.tooMuchWork)
    {
      guard let twin else { return .sealUnreadable }
      return refusal(of: capsule, comparedWith: twin)
    } catch {
      return .sealDamaged
    }
  }

  /// Returns the reason to refuse a capsule, if there is one: the parts that cannot be opened must
  /// be those of the journal, byte for byte.
  private func refusal(of capsule: Capsule, comparedWith twin: Capsule?) -> RepairRefusal? {
    guard let twin else { return .sealUnreadable }
    if capsule.unlockAt < twin.unlockAt { return .unlockEarlierThanSealed(twin.unlockAt) }
    let isSame =
      capsule.lock.key == twin.lock.key && capsule.lock.recipient == twin.lock.recipient
      && capsule.contents.map(\.sealed) == twin.contents.map(\.sealed)
    return isSame ? nil : .sealDamaged
  }

  /// The seal of a timelock cannot be looked into, but its round says the same to the period.
  private func refusal(of capsule: Capsule, _ timelock: Timelock) -> RepairRefusal? {
    guard let layer = try? store.capsules.lock(of: capsule).outerLayer(), layer.fits(timelock),
      (try? KnownChains(environment).chain(of: timelock)) != nil
    else { return .sealDamaged }
    let earliest = timelock.roundTime.adding(seconds: 1 - timelock.period)
    return capsule.unlockAt < earliest ? .unlockEarlierThanSealed(earliest) : nil
  }
}
