extension Fault {
  /// The kinds of fault. The name of one is stable: a program may branch on it.
  public enum Code: String, CaseIterable, Hashable, Sendable {
    // What any part may say; the words say the rest.
    case usage, partial, locked, notFound, ambiguous, key, damaged, busy, unproven, io, version
    case refused, `internal`
    /// The reader of the output is gone.
    case signal

    // Files.
    case unreadableSource, sourceIsDirectory, sourceTooLarge, sourceChanged, exists, placeInStore
    case noRandomness

    // The store.
    case noStore, notAStore, anotherStore, headerDamaged, newerFormat, noMigration
    case recordDamaged, newerRecord, blobDamaged
    case noSuchRecord, severalRecords, gone, nameTaken, missingReference, referenced, twin
    case namedBySetting, settingNamesNothing, invalidSetting
    case noStateDirectory, unreadableReferences, changedMeanwhile, protectionChanged
    case untrusted, unreadableMemory, storeBusy, recordTooLarge
    case ruleBroken, cannotPurge

    // Capsules and what is in them.
    case notAnImage, proof, lockDisagrees, contentDamaged, alreadyOpened, invalidCapsule
    case noSuchContent, unknownContent, ambiguousContent

    // Handing over.
    case noRecipient, noAddress, mailTooLarge, deliveryChanged, deliveryExists, bequestState

    // Keys.
    case noIdentityGiven, wrongPassphrase, wrongStorePassphrase, storeClosed, noSpare

    // Synchronising and backups.
    case syncBusy, noIdentity, noRemote, remoteNested, remoteOfOtherStore, remoteDamaged
    case sealedKeysDamaged, newerRemote, remoteIncomplete, remoteUnreachable, noProgram
    case programFailed, remoteOccupied
    case backupOfOtherStore, notABackup, backupInsideStore, backupNotWhole, backupBusy
  }
}

extension Fault {
  /// The kinds of fault that an exit status tells apart, as JSON names them.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    case usage, partial, locked, notFound, ambiguous, key, damaged, busy, unproven, io, version
    case refused
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
    case .notFound, .noSuchRecord, .noStore, .gone, .unknownContent: .notFound
    case .ambiguous, .severalRecords, .ambiguousContent: .ambiguous
    case .key, .noIdentity, .noIdentityGiven, .wrongPassphrase, .wrongStorePassphrase, .storeClosed:
      .key
    case .damaged, .headerDamaged, .recordDamaged, .blobDamaged, .untrusted, .proof,
      .lockDisagrees, .contentDamaged, .remoteDamaged, .sealedKeysDamaged:
      .damaged
    case .busy, .changedMeanwhile, .protectionChanged, .storeBusy, .syncBusy, .backupBusy,
      .deliveryChanged:
      .busy
    case .unproven: .unproven
    case .io, .unreadableSource, .noRandomness, .unreadableMemory, .remoteUnreachable, .noProgram,
      .programFailed:
      .io
    case .version, .newerFormat, .noMigration, .newerRecord, .newerRemote: .version
    case .refused, .sourceIsDirectory, .sourceTooLarge, .sourceChanged, .exists, .placeInStore,
      .noSpare, .noRecipient, .noAddress, .deliveryExists,
      .bequestState, .notAStore,
      .anotherStore, .nameTaken, .missingReference, .referenced, .twin, .namedBySetting,
      .settingNamesNothing, .unreadableReferences, .recordTooLarge, .ruleBroken, .cannotPurge,
      .notAnImage, .alreadyOpened, .invalidCapsule, .noRemote, .remoteNested, .remoteOfOtherStore,
      .remoteOccupied, .backupOfOtherStore, .notABackup, .backupInsideStore, .backupNotWhole:
      .refused
    case .internal, .noStateDirectory, .noSuchContent: .internal
    case .signal: .signal
    }
  }
}
