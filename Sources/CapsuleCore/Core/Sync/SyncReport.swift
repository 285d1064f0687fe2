/// The reason why a sync ended before its end. What was done until then stays; the next one goes on.
package enum SyncError: Error, Sendable {
  case store(StoreError)
  case carrier(CarrierFault)
  /// The system refused something outside the store.
  case io(FileSystemError)
  /// Another sync of the store is running on this machine.
  case busy(holder: String?)
  /// There is no directory for the state of this machine.
  case noPlace
  /// No identity of the store is here: nothing can be sealed or opened.
  case noIdentity
  /// There is no `carrier.json`.
  case noHeader(hasFiles: Bool)
  /// The carrier and the store lie in one another: the files of one would be taken for the other's.
  case nested
  /// The carrier is of another store.
  case otherStore
  /// The header of the carrier cannot be read.
  case headerDamaged
  /// The identities in the carrier are not what was written.
  case identitiesDamaged
  case newerCarrier(Int64)
  /// Something in the carrier was not taken in: nobody can say what it needs.
  case incomplete
  case seal(AgeFailure)
  case random(RandomSource.Failure)
}

/// The reason why one record waits.
package enum SyncHold: Error, Hashable, Sendable {
  /// It is of a newer program.
  case newer(Int64)
  /// A file that it names is not in the carrier yet, or not whole.
  case missingFile
  /// The file here is not what was written: a change by hand, or damage.
  case damaged
  /// It was changed while the sync was at work.
  case changedMeanwhile
  /// A rule does not let what came take the place of what is here.
  case forbidden(ChangeRule)
  /// The file here was changed by hand, in a way that a rule does not allow: what it should say cannot take its place
  /// without its owner.
  case brokenHere(ChangeRule)
  /// The values of both sides together give no record.
  case unreadable(FieldError)
}

/// Something that a sync brought about and that somebody may want to look at; nothing waits for it.
package enum SyncNote: Hashable, Sendable {
  /// Several items have one name, which were made on several machines.
  case sameName(String, [SyncSubject])
  /// A capsule was opened on one machine, and something was added to it on another that had not seen that.
  case addedToOpened(title: String, SyncSubject, count: Int)
}

/// A part of a record that has several values.
package struct SyncConflict: Hashable, Sendable {
  package let subject: SyncSubject
  /// The record's title or name.
  package let title: String
  /// The name of the part: a member, or several together.
  package let field: String
  package let key: CellKey
  /// `nil` where it is empty.
  package let shown: JSON?
  package let others: [JSON?]
}

/// The report on a sync with one carrier.
package struct SyncReport: Sendable {
  package var sentRecords: Set<SyncSubject> = []
  package var sentFiles = 0
  package var sentBytes: Int64 = 0
  package var takenRecords: Set<SyncSubject> = []
  package var takenFiles = 0
  package var held: [SyncSubject: SyncHold] = [:]
  package var conflicts: [SyncConflict] = []
  package var notes: [SyncNote] = []
  /// The segments that are not what a machine of this store wrote.
  package var damaged: [CarrierName] = []
  /// The segments of a newer program.
  package var newer: [CarrierName] = []

  package init() {}
}

extension SyncError {
  /// The sync's error for one that was thrown while a file was written here.
  init(writing error: any Error) {
    switch error {
    case let error as FileSystemError: self = .io(error)
    case let error as AgeFailure: self = .seal(error)
    case let error as StoreError: self = .store(error)
    case let error as RandomSource.Failure: self = .random(error)
    default: self = .seal(.sink(error))
    }
  }
}
