/// Several carriers of a store in one sync.
extension SyncSession {
  /// The failure of one of several carriers.
  package struct CarrierFailure: Sendable {
    /// The place of the carrier among those that were given.
    package let place: Int
    package let error: Fault
  }

  /// Synchronises with several carriers, with all of them whatever happens with one. Changes that come
  /// from a later carrier go to an earlier one in a second round.
  ///
  /// - Parameters:
  ///   - carriers: the carriers, in the order in which they are reached.
  ///   - others: further carriers, as ``sync(_:besides:progress:)`` has them.
  ///   - progress: called with the bytes done and in all.
  /// - Returns: the report on all of it, and the carriers that failed, at most once each.
  /// - Throws: `.storeBusy` while another sync of the store runs.
  package mutating func sync(
    all carriers: [any Carrier], besides others: [any Carrier] = [],
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> (report: SyncReport, failures: [CarrierFailure]) {
    var total = SyncReport()
    var failures: [CarrierFailure] = []
    func each(
      _ body: (any Carrier) throws(Fault) -> Void
    ) throws(Fault) {
      for (place, carrier) in carriers.enumerated()
      where !failures.contains(where: { $0.place == place }) {
        do {
          try body(carrier)
        } catch {
          if error.code == .syncBusy { throw error }
          failures.append(CarrierFailure(place: place, error: error))
        }
      }
    }
    for other in others { try? requireOwnLast(in: other) }
    if carriers.count + others.count > 1 {
      try each { carrier throws(Fault) in try requireOwnLast(in: carrier) }
    }
    for _ in 0..<(carriers.count > 1 ? 2 : 1) {
      try each { carrier throws(Fault) in total.add(try sync(carrier, progress: progress)) }
    }
    return (total, failures)
  }

  /// Looks at all that a carrier holds, and puts there again what is damaged or missing and what this
  /// machine has.
  ///
  /// - Parameters:
  ///   - reads: whether every file is read too.
  ///   - repairs: whether anything is put there.
  ///   - progress: called with the files done and in all.
  /// - Returns: what is there at the end, and what was put there.
  package mutating func verify(
    _ carrier: some Carrier, reads: Bool, repairs: Bool, progress: (Int64, Int64) -> Void
  ) throws(Fault) -> (found: CarrierVerification, mended: CarrierMending) {
    let found = try verify(carrier, reads: reads, progress: progress)
    guard repairs, !found.isSound else { return (found, CarrierMending()) }
    let mended = try mend(carrier, found, progress: progress)
    return (try verify(carrier, reads: reads, progress: progress), mended)
  }
}

extension SyncReport {
  /// Adds the report on a later sync: a record that came is held no longer, and its conflicts are those of
  /// the later one.
  mutating func add(_ other: SyncReport) {
    sentRecords.formUnion(other.sentRecords)
    sentFiles += other.sentFiles
    sentBytes = sentBytes.addingClamped(other.sentBytes)
    takenRecords.formUnion(other.takenRecords)
    takenFiles += other.takenFiles
    for subject in other.takenRecords { held[subject] = nil }
    held.merge(other.held) { $1 }
    conflicts.removeAll { conflict in
      other.takenRecords.contains(conflict.subject)
        || other.conflicts.contains { $0.subject == conflict.subject }
    }
    conflicts += other.conflicts
    for note in other.notes where !notes.contains(note) { notes.append(note) }
    for name in other.damaged where !damaged.contains(name) { damaged.append(name) }
    for name in other.newer where !newer.contains(name) { newer.append(name) }
  }

  /// The things that need a look, the worst first.
  package var troubles: [SyncTrouble] {
    damaged.map { .damaged($0) } + newer.map { .newer($0) }
      + held.sorted { $0.key.text < $1.key.text }.map { .waiting($0.key, $0.value) }
      + notes.map { .note($0) }
  }
}

/// One thing of a report that needs a look.
package enum SyncTrouble: Sendable {
  /// A file in the carrier that no machine of the store wrote so.
  case damaged(CarrierName)
  /// A file of a newer program.
  case newer(CarrierName)
  case waiting(SyncSubject, SyncHold)
  case note(SyncNote)
}
