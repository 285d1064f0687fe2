extension Fault {
  /// The kinds of fault. The name of one is stable: a program may branch on it.
  public enum Code: String, CaseIterable, Hashable, Sendable {
    // What any part may say; the words say the rest.
    case usage, partial, locked, notFound, ambiguous, key, damaged, busy, unproven, io, version
    case refused, `internal`
    /// The user answered no.
    case canceled
    /// The reader of the output is gone.
    case signal

    // Files.
    case unreadableSource, sourceIsDirectory, sourceTooLarge, sourceChanged, exists, insideStore
    case noRandomness

    // The store.
    case noStore, storeAway, notAStore, anotherStore, headerDamaged, newerFormat, noMigration
    case recordDamaged, newerRecord, blobDamaged
    case noSuchRecord, severalRecords, recordGone, nameTaken, missingReference, referenced,
      duplicate
    case namedBySetting, settingNamesNothing, invalidSetting
    case noStateDirectory, unreadableReferences, changedMeanwhile, protectionChanged
    case keyNotAccepted, knownKeysUnreadable, storeBusy, recordTooLarge
    case changeNotAllowed, cannotPurge, cannotUndo

    // Capsules and what is in them.
    case notAnImage, notVerified, lockDisagrees, contentDamaged, alreadyOpened, invalidCapsule
    case noSuchContent, unknownContent, ambiguousContent

    // Handing over.
    case noRecipient, noAddress, mailTooLarge, deliveryChanged, deliveryExists, bequestState

    // Keys.
    case noIdentityGiven, wrongPassphrase, wrongStorePassphrase, storeClosed, noRecoveryCopy

    // Synchronising and backups.
    case syncBusy, noRemote, remoteInsideStore, remoteOfOtherStore, remoteDamaged
    case sealedKeysDamaged, newerRemote, remoteIncomplete, remoteUnreachable, noProgram
    case programFailed, remoteConflict
    case backupOfOtherStore, notABackup, backupInsideStore, backupNotWhole, backupBusy
  }
}

extension Fault {
  /// The kinds of fault that an exit status tells apart, as JSON names them.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    case usage, partial, locked, notFound, ambiguous, key, damaged, busy, unproven, io, version
    case refused, away
    case `internal`
    /// A closed pipe; no message is printed for it.
    case signal
  }

  /// The kind of the code.
  public var kind: Kind { code.kind }
}

extension Fault.Code {
  /// The kind that JSON names, and the exit status goes by.
  public var kind: Fault.Kind {
    switch self {
    case .usage, .invalidSetting: .usage
    case .partial, .remoteIncomplete, .mailTooLarge: .partial
    case .locked: .locked
    case .notFound, .noSuchRecord, .noStore, .recordGone, .unknownContent: .notFound
    case .ambiguous, .severalRecords, .ambiguousContent: .ambiguous
    case .key, .noIdentityGiven, .wrongPassphrase, .wrongStorePassphrase, .storeClosed:
      .key
    case .damaged, .headerDamaged, .recordDamaged, .blobDamaged, .keyNotAccepted, .notVerified,
      .lockDisagrees, .contentDamaged, .remoteDamaged, .sealedKeysDamaged:
      .damaged
    case .busy, .changedMeanwhile, .protectionChanged, .storeBusy, .syncBusy, .backupBusy,
      .deliveryChanged:
      .busy
    case .unproven: .unproven
    case .io, .unreadableSource, .noRandomness, .knownKeysUnreadable, .remoteUnreachable,
      .noProgram,
      .programFailed:
      .io
    case .version, .newerFormat, .noMigration, .newerRecord, .newerRemote: .version
    case .refused, .canceled, .sourceIsDirectory, .sourceTooLarge, .sourceChanged, .exists,
      .insideStore,
      .noRecoveryCopy, .noRecipient, .noAddress, .deliveryExists,
      .bequestState, .notAStore,
      .anotherStore, .nameTaken, .missingReference, .referenced, .duplicate, .namedBySetting,
      .settingNamesNothing, .unreadableReferences, .recordTooLarge, .changeNotAllowed, .cannotPurge,
      .cannotUndo,
      .notAnImage, .alreadyOpened, .invalidCapsule, .noRemote, .remoteInsideStore,
      .remoteOfOtherStore,
      .remoteConflict, .backupOfOtherStore, .notABackup, .backupInsideStore, .backupNotWhole:
      .refused
    case .storeAway: .away
    case .internal, .noStateDirectory, .noSuchContent: .internal
    case .signal: .signal
    }
  }
}
