/// The reason why a sync ended before its end. What was done until then stays; the next one goes on. The name of
/// the remote is open in each: ``Fault/Message/naming(_:)``.
extension Fault {
  /// Another sync of the store is running on this machine.
  package static let syncBusy = Fault(
    .syncBusy, "another sync of this store is already running", hint: "try again later")
  /// There is no directory for the state of this machine.
  package static let noPlace = Fault(
    .usage,
    "no directory for the state of this device: HOME is not set and the account has no home directory",
    hint: "set the variable XDG_STATE_HOME")
  /// No identity of the store is here: nothing can be sealed or opened.
  package static let noIdentity = Fault(
    .key, "the keys of the store are missing, so nothing can be sealed to its devices",
    hint: "list what is missing: capsule verify; then fix it: capsule repair")

  /// There is no `carrier.json`.
  package static func noHeader(hasFiles: Bool) -> Fault {
    hasFiles
      ? Fault(
        .noRemote, "the remote '\(open: .name)' has lost its file 'carrier.json'",
        hint:
          "restore the file from a copy, or add a new, empty remote: capsule sync add NAME PLACE")
      : Fault(
        .noRemote, "no remote found at the place of '\(open: .name)'",
        hint: "mount the disk; for a new disk: capsule sync add NAME PLACE")
  }

  /// The remote contains the store or is inside it: capsule would confuse their files.
  package static let nested = Fault(
    .remoteInsideStore, "the remote '\(open: .name)' must not be inside the store, or contain it",
    hint: "choose a separate directory for the remote")
  /// The remote is of another store.
  package static let remoteOfOtherStore = Fault(
    .remoteOfOtherStore, "the remote '\(open: .name)' belongs to another store",
    hint: "use one remote for each store")
  /// The header of the remote cannot be read.
  package static let remoteDamaged = Fault(
    .remoteDamaged, "the file 'carrier.json' of the remote '\(open: .name)' is damaged",
    hint: "restore the file from a copy, or add a new, empty remote: capsule sync add NAME PLACE")
  /// The identities in the remote are not what was written.
  package static let identitiesDamaged = Fault(
    .sealedKeysDamaged, "the sealed keys in the remote '\(open: .name)' are damaged",
    hint:
      "write them again on a device that has the store: capsule sync add NAME PLACE --passphrase")

  package static func newerCarrier(_ format: Int64) -> Fault {
    Fault(
      .newerRemote,
      "the remote '\(open: .name)' has format \(format), which is newer than this program's",
      hint: "install a newer version of capsule")
  }

  /// Something in the remote was not taken in: which files it needs is not known.
  package static let incomplete = Fault(
    .remoteIncomplete,
    "nothing was removed: parts of the remote '\(open: .name)' could not be read",
    hint: "list what is waiting or damaged: capsule sync")
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
  /// One of the values, and the device that wrote it last.
  package struct Choice: Hashable, Sendable {
    /// `nil` where it is empty.
    package let value: JSON?
    package let device: SyncDevice
  }

  package let subject: SyncSubject
  /// The record's title or name.
  package let title: String
  /// The name of the part: a member, or several together.
  package let field: String
  package let key: CellKey
  package let shown: Choice
  package let others: [Choice]
}

/// A device of the store.
package struct SyncDevice: Hashable, Sendable {
  package let actor: ActorID
  /// The name of its host; `nil` where it is not known here.
  package let host: String?
  /// Whether it is this one.
  package let isOwn: Bool
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
