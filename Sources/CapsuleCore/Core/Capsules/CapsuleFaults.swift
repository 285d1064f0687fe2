/// The faults of capsules and of the files that go into them.
extension Fault {
  /// A file that was named cannot be read.
  package static func unreadableSource(_ refusal: Fault) -> Fault {
    guard let file = refusal.file else { return refusal }
    var fault = Fault(file)
    fault.code = .unreadableSource
    return fault
  }

  /// A path that was named is a directory.
  package static func sourceIsDirectory(path: String) -> Fault {
    Fault(
      .sourceIsDirectory, "'\(path)' is a directory",
      hint: "name the files, or pack them first: "
        + "tar -cf files.tar '\(path.quotedForShell)'", path: path)
  }

  /// A file is larger than the setting `maxFileSize` allows; the size is what is known of it.
  package static func sourceTooLarge(path: String, size: Int64, limit: Int64) -> Fault {
    Fault(
      .sourceTooLarge,
      "'\(path)' is larger than the setting 'maxFileSize', \(ByteSize.text(limit))",
      hint: "raise it: capsule settings set maxFileSize \(max(size, limit) / (1 << 30) + 1)GiB",
      details: ["path": .string(path), "size": .integer(size), "limit": .integer(limit)])
  }

  /// A file that was to be sealed changed while it was read.
  package static func sealedSourceChanged(path: String) -> Fault {
    Fault(
      .sourceChanged, "'\(path)' changed while capsule was reading it; nothing was created",
      hint: "try again when the file is complete", path: path)
  }

  /// A file that was to be an event's image is none; its MIME type is named.
  package static func notAnImage(path: String, mediaType: String) -> Fault {
    Fault(
      .notAnImage,
      mediaType == "inode/directory"
        ? "'\(path)' is a directory, not an image" : "'\(path)' is not an image (\(mediaType))",
      hint: "use a JPEG, PNG, GIF, WebP, HEIC, TIFF, BMP or SVG file", path: path)
  }

  /// A file was sealed, and what was read back is not what was read: nothing is kept of it.
  package static func proof(path: String) -> Fault {
    Fault(
      .notVerified, "'\(path)' did not decrypt to the same bytes; nothing was created",
      hint: "test the memory and the disk of this computer before you continue",
      path: path)
  }

  /// The record and the lock of a capsule disagree, or its recipient is another than this machine knows.
  package static func lock(_ problem: LockProblem, path: String) -> Fault {
    Fault(
      .lockDisagrees, "'\(path)': \(problem.words)",
      hint: problem == .otherRecipient
        ? "restore the record from a backup, or somebody else could read what you add; if you made the "
          + "change: capsule add --accept-recipient"
        : "restore the record from a backup",
      path: path, cause: problem)
  }

  /// The details inside a content's seal are not what this program writes.
  package static func details(_ error: FieldError?, path: String) -> Fault {
    Fault(
      .contentDamaged,
      "a sealed part of '\(path)' has an unknown form\(error.map { ": \($0.words)" } ?? "")",
      hint: "restore the record from a backup", path: path)
  }

  /// The capsule was opened before: nothing can be put into it any more.
  package static func alreadyOpened(_ openedAt: Instant, cause: ChangeRule? = nil) -> Fault {
    Fault(
      .alreadyOpened, "cannot add to a capsule that was opened on \(openedAt)",
      hint: "create a new capsule: capsule create",
      details: ["openedAt": .string(openedAt.rfc3339)], cause: cause)
  }

  /// A new capsule has a field that no record can hold.
  package static func invalid(_ error: FieldError) -> Fault {
    Fault(.invalidCapsule, "invalid capsule: \(error.words)")
  }

  /// A content, counted from 1, has neither a text nor a file.
  package static func noBytes(content number: Int) -> Fault {
    Fault(
      .contentDamaged, "part \(number) has neither a text nor a file",
      hint: "restore the record from a backup")
  }

  /// A content, counted from 1, has another size than its details say.
  package static func otherSize(content number: Int, _ size: Int64, expected: Int64) -> Fault {
    Fault(
      .contentDamaged,
      "part \(number) has \(String.counting(size, "byte")) instead of \(expected)",
      hint: "restore the file from a backup")
  }

  /// There is no content at this index.
  package static func noSuchContent(_ index: Int) -> Fault {
    Fault(.noSuchContent, "no part has the number \(index)")
  }

  /// A word means no content of a capsule of this title and with so many.
  package static func unknownContent(_ word: String, title: String, count: Int) -> Fault {
    Fault(
      .unknownContent, "'\(title)' has no part '\(word)'",
      hint: count == 0
        ? nil : "use a number from 1 to \(count); list the parts: capsule show \(title.shellWord)",
      details: ["reference": .string(word)])
  }

  /// A word means several contents, by their numbers from 1.
  package static func ambiguousContent(_ word: String, numbers: [Int]) -> Fault {
    Fault(
      .ambiguousContent,
      "'\(word)' matches several parts: \(numbers.map(String.init).joined(separator: ", "))",
      hint: "use the number", details: ["reference": .string(word)])
  }
}

/// A disagreement between a capsule's record and its lock, as far as can be seen without its keys.
public enum LockProblem: Hashable, Sendable {
  /// The recipient in the record is not valid.
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

extension LockProblem {
  /// The disagreement, behind the name of the record.
  package var words: Fault.Message {
    switch self {
    case .noRecipient: "the recipient is not valid"
    case .otherRecipient: "the recipient was changed after the capsule was created"
    case .otherCapsule(let id): "the lock belongs to another capsule, \(id)"
    case .unlockEarlier(let sealed):
      "the unlock time is earlier than the sealed one, \(sealed)"
    case .otherForm(let sealed): "the lock was sealed as '\(sealed)', and the record says otherwise"
    case .noChain:
      "the drand chain has wrong parameters or the public key of another chain"
    case .otherRound: "the lock is sealed to a different drand round or chain than the record says"
    case .escrows(let sealed, let recorded):
      "the lock has \(String.counting(sealed, "escrow recipient")), but the record lists \(recorded == 0 ? "none" : "\(recorded)")"
    case .unreadable: "the lock cannot be read"
    }
  }
}
