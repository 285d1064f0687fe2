/// The reason why a sync ended before its end. What was done until then stays; the next one goes on. The name of
/// the remote is open in each: ``Fault/Message/naming(_:)``.
extension Fault {
  /// Returns the same fault, with the name of the remote.
  package func naming(carrier name: String) -> Fault {
    var fault = self
    fault.message = message.naming(name)
    return fault
  }

  /// Another sync of the store is running on this machine.
  package static let syncBusy = Fault(
    .syncBusy, "another sync of this store is running here", hint: "try again when it is done")
  /// There is no directory for the state of this machine.
  package static let noPlace = Fault(
    .usage,
    "no place for the state of this machine: HOME is not set and the account has no home",
    hint: "set XDG_STATE_HOME")
  /// No identity of the store is here: nothing can be sealed or opened.
  package static let noIdentity = Fault(
    .noIdentity, "no identity of the store is here, so nothing can be sealed to its machines",
    hint: "'capsule verify' says what is missing, 'capsule repair' mends it")

  /// There is no `carrier.json`.
  package static func noHeader(hasFiles: Bool) -> Fault {
    hasFiles
      ? Fault(
        .noRemote, "the carrier '\(open: .name)' has lost its 'carrier.json'",
        hint: "put the file back from a copy, or add another, empty directory")
      : Fault(
        .noRemote, "there is no carrier in the place of '\(open: .name)'",
        hint: "is the disk mounted? if it is a new one: capsule sync add NAME PLACE")
  }

  /// The remote and the store lie in one another: the files of one would be taken for the other's.
  package static let nested = Fault(
    .remoteNested, "the carrier '\(open: .name)' and the store lie in one another",
    hint: "give the carrier a directory of its own")
  /// The remote is of another store.
  package static let remoteOfOtherStore = Fault(
    .remoteOfOtherStore, "the carrier '\(open: .name)' is of another store",
    hint: "give each store a carrier of its own")
  /// The header of the remote cannot be read.
  package static let remoteDamaged = Fault(
    .remoteDamaged, "the 'carrier.json' of '\(open: .name)' is not what was written",
    hint: "put the file back from a copy, or add another, empty directory")
  /// The identities in the remote are not what was written.
  package static let identitiesDamaged = Fault(
    .sealedKeysDamaged, "the identities in the carrier '\(open: .name)' are not what was written",
    hint: "on a machine that has the store: capsule sync add NAME PLACE --passphrase")

  package static func newerCarrier(_ format: Int64) -> Fault {
    Fault(
      .newerRemote,
      "the carrier '\(open: .name)' has format \(format), which is newer than this program's",
      hint: "use a newer capsule")
  }

  /// Something in the remote was not taken in: nobody can say what it needs.
  package static let incomplete = Fault(
    .remoteIncomplete,
    "not everything in the carrier '\(open: .name)' could be taken in, so nothing was removed",
    hint: "'capsule sync' says what waits or is damaged")
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
