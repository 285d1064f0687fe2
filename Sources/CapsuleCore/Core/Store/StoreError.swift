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

/// The reason why something could not be done with a capsule or with files.
public enum CapsuleError: Error {
  case store(StoreError)
  /// A file that was named cannot be read.
  case unreadableSource(FileSystemError)
  /// A path that was named is a directory.
  case sourceIsDirectory(path: String)
  /// A file is larger than the setting `maxFileSize` allows; the size is what is known of it.
  case sourceTooLarge(path: String, size: Int64, limit: Int64)
  /// A file changed while it was read.
  case sourceChanged(path: String)
  /// A file that was to be an event's image is none; its MIME type is named.
  case notAnImage(path: String, mediaType: String)
  /// Reading a stream failed.
  case streamFailed(any Error)
  /// The seal could not be made or opened; what is opened is named.
  case seal(any Error, path: String)
  /// A file was sealed, and what was read back is not what was read: nothing is kept of it.
  case proof(path: String)
  /// The record and the lock of a capsule disagree, or its recipient is another than this machine knows.
  case lock(LockProblem, path: String)
  /// The details inside a content's seal are not what this program writes.
  case details(FieldError?, path: String)
  /// The capsule was opened before: nothing can be put into it any more.
  case alreadyOpened(Instant)
  /// A new capsule has a field that no record can hold.
  case invalid(FieldError)
  /// A content, counted from 1, has neither a text nor a file.
  case noBytes(content: Int)
  /// A content, counted from 1, has another size than its details say.
  case otherSize(content: Int, Int64, expected: Int64)
  /// There is no content at this index.
  case noSuchContent(Int)
  /// A word means no content of a capsule of this title and with so many.
  case unknownContent(String, title: String, count: Int)
  /// A word means several contents, by their numbers from 1.
  case ambiguousContent(String, numbers: [Int])
  /// Something has the name that a file was to get.
  case nameTaken(path: String)
}

/// A disagreement between a capsule's record and its lock, as far as can be seen without its keys.
public enum LockProblem: Hashable, Sendable {
  /// The recipient in the record is none.
  case noRecipient
  /// Contents that were added would be sealed to another recipient than the one whose key the lock holds.
  case otherRecipient
  /// The lock is that of another capsule.
  case otherCapsule(RecordID)
  /// The record's unlock time is earlier than the one that is sealed.
  case unlockEarlier(sealed: Instant)
  /// The record says another kind of lock, or another chain, than the form that is sealed with its key.
  case otherForm(sealed: String)
  /// The chain in the record is not one: its parameters do not fit each other, or have the public key of a known
  /// chain.
  case noChain
  /// The lock is sealed to another round or chain than the record says, or to none.
  case otherRound
  /// The lock of a timelock can be lifted by so many escrows, and the record names another number.
  case escrows(sealed: Int, recorded: Int)
  /// The lock cannot be read.
  case unreadable
}

/// Names of files that desktops, file systems and synchronisers put into any directory, beside what is
/// there: they say how a folder is shown, or stand for a file that is still open. None of them is a copy
/// of a record.
enum BystanderName {
  private static let whole: Set<String> = [
    ".ds_store", ".localized", "icon\r", ".appledouble", ".metadata_never_index",
    "thumbs.db", "ehthumbs.db", "desktop.ini", ".directory", "@eadir", ".nomedia", ".gitkeep",
    ".stfolder", ".stignore", ".dropbox", ".dropbox.attr",
  ]

  /// `._` is of AppleDouble (what a file has beside its bytes); the others are files that were removed
  /// while a program had them open, on a file system of the network or of a program.
  private static let beginnings: [[UInt8]] = [
    Array("._".utf8), Array(".nfs".utf8), Array(".fuse_hidden".utf8),
  ]

  static func contains(_ name: [UInt8]) -> Bool {
    beginnings.contains { name.starts(with: $0) }
      || whole.contains(String(decoding: name.map(lowercased), as: UTF8.self))
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
