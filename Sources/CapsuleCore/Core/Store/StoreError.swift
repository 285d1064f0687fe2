/// The reason why the store could not do something.
public enum StoreError: Error, Sendable {
  /// The system refused.
  case io(FileSystemError)
  /// There is no store, and none was to be made.
  case noStore(path: String)
  /// The directory holds something else.
  case notAStore(path: String)
  /// The directory is another store, and no copy of this one.
  case anotherStore(path: String)
  /// The store's own header is missing or not what was written.
  case headerDamaged(path: String)
  /// The store, or a record in it, is of a newer format than this program's.
  case newerFormat(Int64, path: String)
  /// The store is of an older format that this program has no way from.
  case noMigration(from: Int64, path: String)
  /// A record is not what was written.
  case damaged(RecordDamage, path: String)
  /// Bytes of a content are missing or not what was written.
  case blobDamaged(BlobName, path: String, BlobDamage)
  /// No record has this id.
  case notFound(RecordKind, RecordID)
  /// Another record of the kind has the name, or one that differs only in case or Unicode form.
  case nameTaken(RecordKind, name: String, RecordID)
  /// A record names another one that is not there.
  case missingReference(from: RecordReference, to: RecordReference)
  /// A live record says the same: the thing is left to the person already, or has the card's UID.
  case twin(RecordReference)
  /// A rule about the passing of the owner.
  case passing(PassingProblem)
  /// A rule about the switch.
  case `switch`(SwitchProblem)
  /// The value is none that the setting can have.
  case invalidSetting(Setting, String)
  /// The store was opened without a directory for what this machine remembers.
  case noStateDirectory
  /// Some records cannot be read, so no record can go that they may name.
  case unreadableReferences(paths: [String])
  /// Other records name the one that was to go.
  case referenced(RecordReference, by: [RecordReference])
  /// A setting names the record that was to go.
  case namedBySetting(Setting, name: String)
  /// A setting names a record that is not there.
  case settingNamesNothing(Setting, name: String)
  /// Another process changed the record since it was read.
  case changedMeanwhile(RecordKind, RecordID)
  /// The store was protected, or its protection taken off, since this process opened it.
  case protectionChanged(path: String)
  /// The store would seal to somebody whom this device does not know; the file that says so is named.
  case untrusted(TrustProblem, path: String)
  /// What this device knows of whom stores seal to is there and cannot be read.
  case unreadableMemory(FileSystemError)
  /// Another process holds the store; `holder` is what it left in the lock file.
  case busy(holder: String?)
  /// A record breaks a rule of its kind.
  case refused(RecordFault)
  /// A record would be larger than a record may be.
  case recordTooLarge(bytes: Int)
  /// A source changed while it was read.
  case sourceChanged(path: String)
  /// The system gave no random bytes.
  case random(RandomSource.Failure)
  /// The change of a record is one that a rule does not allow.
  case forbidden(ChangeRule, RecordID)
  /// The purge was not done, because some file may name a blob and cannot be read.
  case cannotPurge(unreadable: [String], missing: [String], conflicts: [String])
}

/// The faults of a blob.
public enum BlobDamage: Hashable, Sendable {
  case missing
  case notAFile
  case otherBytes
}
