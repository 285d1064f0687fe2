import CapsuleCore

/// What the reference says about each fault: the meaning, and the way out.
extension Fault.Code {
  var reference: (meaning: String, remedy: String) {
    switch self {
    case .usage:
      ("The command line is invalid.", "Correct it; `capsule help COMMAND` shows the options.")
    case .partial:
      ("Some items failed, the others succeeded.", "Fix what the message names, and run it again.")
    case .locked:
      ("A capsule or an age file is locked until a date.", "Wait; `capsule open --wait` does.")
    case .notFound: ("Nothing has this name.", "Check the name; `capsule list` and its like help.")
    case .ambiguous: ("Several things match.", "Use an id, or more of the name.")
    case .key:
      ("A key, share or answer is missing or wrong.", "Give the right one with the named option.")
    case .damaged: ("Something read is damaged.", "Take another copy, or restore a backup.")
    case .busy: ("Another process works on the same thing.", "Run the command again later.")
    case .unproven:
      (
        "Nothing proves that the time has come.",
        "Connect to the network, or give the beacon: `--beacon FILE`."
      )
    case .io:
      ("The system, or a program called, refused.", "Fix what the message names: space, rights.")
    case .version: ("A newer program wrote this.", "Install a newer version of capsule.")
    case .refused:
      ("A safety rule does not allow it.", "The hint has the option that does, if there is one.")
    case .canceled: ("You answered no.", "Run the command again if you meant yes.")
    case .internal: ("A bug in capsule.", "Report it with the output of `capsule version`.")
    case .signal: ("The reader of the output stopped reading.", "Nothing to do.")

    case .unreadableSource: ("A named file cannot be read.", "Check the path and permissions.")
    case .sourceIsDirectory:
      ("A directory was given instead of a file.", "Name its files, or pack it with `tar`.")
    case .sourceTooLarge:
      ("A file is larger than allowed.", "Raise the limit: `capsule settings set maxFileSize`.")
    case .sourceChanged: ("A file changed while it was read.", "Wait until it is complete.")
    case .exists: ("A file or directory already has this name.", "Choose another name.")
    case .insideStore:
      ("The output path is inside a store or a remote.", "Choose a path outside of it.")
    case .noRandomness: ("The system gave no random bytes.", "Restart the computer; try again.")

    case .noStore: ("There is no store here.", "Check `--store` and `CAPSULE_STORE`.")
    case .storeAway:
      (
        "A store that this device used, or that you named, is not at its path, or only in iCloud.",
        "Mount the disk, check the path, or download or restore the store."
      )
    case .notAStore: ("The directory is not a store, nor empty.", "Choose an empty directory.")
    case .anotherStore: ("It is the copy of a different store.", "Use an archive instead.")
    case .headerDamaged:
      ("A file of the store's own is missing or damaged.", "Run `capsule repair`, or restore it.")
    case .newerFormat: ("The store has a newer format.", "Install a newer version of capsule.")
    case .noMigration: ("The store's format is too old.", "Upgrade it with an older version first.")
    case .recordDamaged: ("A record is damaged.", "Run `capsule verify`, then `capsule repair`.")
    case .newerRecord: ("A newer program wrote the record.", "Install a newer version of capsule.")
    case .blobDamaged:
      ("A file's content is missing or damaged.", "Restore it: `capsule repair --from COPY`.")
    case .noSuchRecord: ("No record has this id, title or name.", "List them; check the trash.")
    case .severalRecords: ("Several records match.", "Use one of the listed ids.")
    case .recordGone: ("The record was deleted.", "Restore it: `capsule restore`.")
    case .nameTaken: ("The name is in use.", "Choose another name.")
    case .missingReference: ("It refers to a deleted record.", "Restore that record first.")
    case .referenced: ("Bequests refer to it.", "Delete them too: `--with-bequests`.")
    case .duplicate: ("Another record says the same.", "Edit or delete that one.")
    case .namedBySetting: ("A setting uses the record.", "Change the setting first.")
    case .settingNamesNothing: ("A setting names a deleted record.", "Change the setting.")
    case .invalidSetting:
      ("The setting does not take this value.", "`capsule settings list` shows what it takes.")
    case .noStateDirectory:
      ("The store was opened without a state directory.", "Library only: give `state`.")
    case .unreadableReferences:
      ("A record that may use this one is unreadable.", "Run `capsule verify` and `repair`.")
    case .changedMeanwhile: ("Another process changed the record.", "Run the command again.")
    case .protectionChanged:
      ("Another process turned protection on or off.", "Run the command again.")
    case .keyNotAccepted:
      (
        "The store would seal to a key that this device does not know.",
        "If you made the change: `capsule store accept`. Otherwise do not seal here."
      )
    case .knownKeysUnreadable:
      ("The list of known keys cannot be read.", "Restore the named file from a backup.")
    case .storeBusy: ("Another process is using the store.", "Wait, or raise `--lock-timeout`.")
    case .recordTooLarge: ("The record would be too large.", "Put long texts into files.")
    case .changeNotAllowed:
      ("The change is not allowed, such as an earlier unlock time.", "The hint names what is.")
    case .cannotUndo:
      (
        "An operation cannot be taken back, or nothing of it is left to take back.",
        "Look at the operations: `capsule log`."
      )
    case .cannotPurge:
      ("A damaged record may still need the files.", "Run `capsule verify` and `repair` first.")

    case .notAnImage: ("The file is not an image.", "Use a JPEG, PNG or another listed format.")
    case .notVerified:
      ("The written bytes do not read back the same.", "Test this computer's memory and disk.")
    case .lockDisagrees: ("A capsule's record and lock differ.", "Restore the record.")
    case .contentDamaged: ("A part of a capsule is damaged.", "Restore the record or its file.")
    case .alreadyOpened: ("The capsule was opened already.", "Create a new capsule.")
    case .invalidCapsule: ("A field of the new capsule is invalid.", "Change the named field.")
    case .noSuchContent: ("No part has this index.", "Library only: ask `contents.count`.")
    case .unknownContent: ("The capsule has no such part.", "`capsule show` lists its parts.")
    case .ambiguousContent: ("Several parts match.", "Use the number.")

    case .noRecipient:
      ("The person has no age recipient.", "Add one: `capsule beneficiary edit --recipient`.")
    case .noAddress:
      ("The person has no usable email address.", "Add one: `capsule beneficiary edit --email`.")
    case .mailTooLarge: ("The mail is larger than allowed.", "Deliver a folder: `--output DIR`.")
    case .deliveryChanged: ("Something changed during the delivery.", "Run the command again.")
    case .deliveryExists: ("The delivery's folder already exists.", "Move it, or mark it sent.")
    case .bequestState:
      ("A bequest cannot go from its state to this one.", "`capsule bequest show` has its state.")

    case .noIdentityGiven: ("No identity was given.", "Use `--identity FILE`.")
    case .wrongPassphrase: ("The passphrase is wrong.", "Try again.")
    case .wrongStorePassphrase: ("The store's passphrase is wrong.", "Try again.")
    case .storeClosed:
      ("The protected store needs its passphrase.", "Use `--passphrase-file`, or a terminal.")
    case .noRecoveryCopy:
      ("Trustees cannot get a recovery copy of this lock.", "The message says why.")

    case .syncBusy: ("Another sync is running.", "Wait until it ends.")
    case .noRemote: ("There is no remote here.", "Mount it, or `capsule sync add NAME PLACE`.")
    case .remoteInsideStore: ("The remote and the store overlap.", "Use separate directories.")
    case .remoteOfOtherStore: ("The remote belongs to another store.", "Use one for each store.")
    case .remoteDamaged: ("The remote's own file is damaged.", "Restore it, or add a new remote.")
    case .sealedKeysDamaged:
      ("The sealed keys in the remote are damaged.", "`capsule sync add … --passphrase` again.")
    case .newerRemote: ("A newer program wrote the remote.", "Install a newer version.")
    case .remoteIncomplete:
      ("Parts of the remote are unreadable; nothing was removed.", "Run `capsule sync`.")
    case .remoteUnreachable: ("The remote cannot be reached.", "Mount the disk, or connect.")
    case .noProgram: ("A program for the remote is not installed.", "Install it.")
    case .programFailed: ("A program for the remote failed.", "Fix the cause it printed.")
    case .remoteConflict: ("The remote has something else in this place.", "Move it away.")
    case .backupOfOtherStore:
      ("The directory has backups of another store.", "Use one directory for each store.")
    case .notABackup: ("The directory is not a backup, nor empty.", "Choose an empty directory.")
    case .backupInsideStore: ("The backup and the store overlap.", "Use separate directories.")
    case .backupNotWhole:
      ("The newest snapshot there is unreadable.", "Move it away, or use another directory.")
    case .backupBusy: ("Another backup is running.", "Wait until it ends.")
    }
  }
}
