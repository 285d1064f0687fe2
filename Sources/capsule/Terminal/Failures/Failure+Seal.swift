import CapsuleCore

extension Failure {
  /// An operation on capsules or files that failed, in words.
  init(_ error: CapsuleError) {
    switch error {
    case .store(let error): self.init(error)
    case .unreadableSource(let error):
      self.init(error)
      if error.condition == .notFound { hint = "quote words that belong together" }
    case .sourceIsDirectory(let path):
      self.init(
        .refused, "'\(path)' is a directory",
        hint: "name its files, or pack it into one first: "
          + "tar -cf files.tar '\(path.quotedForShell)'",
        details: ["path": .string(path)])
    case .sourceTooLarge(let path, let size, let limit):
      self.init(
        .refused,
        "'\(path)' is larger than \(ByteSize.text(limit)), the setting 'maxFileSize'",
        hint: "raise it: capsule settings set maxFileSize \(max(size, limit).roundedUpToGiB)GiB",
        details: [
          "path": .string(path), "size": .integer(size), "limit": .integer(limit),
        ])
    case .sourceChanged(let path):
      self.init(
        .refused, "'\(path)' changed while it was read; nothing was made",
        hint: "try again when it is finished", details: ["path": .string(path)])
    case .notAnImage(let path, let mediaType):
      self.init(
        .refused, "'\(path)' is no image; it is \(mediaType)",
        hint: "it takes a JPEG, PNG, GIF, WebP, HEIC, TIFF, BMP or SVG file",
        details: ["path": .string(path)])
    case .streamFailed(let error): self = Failure(error)
    case .seal(let error, let path): self = Failure.seal(error, path: path)
    case .proof(let path):
      self.init(
        .damaged, "'\(path)' was sealed, and does not open as what was read; nothing was made",
        hint: "the memory or the disk of this machine may be faulty: test it before you go on",
        details: ["path": .string(path)])
    case .lock(let problem, let path): self.init(problem, path: path)
    case .details(let error, let path):
      self.init(
        .damaged,
        "what is inside a seal of '\(path)' is not a content"
          + (error.map { ": \($0.words)" } ?? ""),
        hint: "restore the record from a backup", details: ["path": .string(path)])
    case .alreadyOpened(let instant):
      self.init(
        .refused, "nothing can be added any more: the capsule was opened on", instant,
        hint: "make a new capsule",
        details: ["openedAt": .string(instant.rfc3339)])
    case .invalid(let error):
      self.init(.refused, "the capsule cannot be kept: \(error.words)", hint: nil)
    case .noBytes(let number):
      self.init(
        .damaged, "content \(number) has neither a text nor a file",
        hint: "restore the record from a backup")
    case .otherSize(let number, let size, let expected):
      self.init(
        .damaged, "content \(number) has \(String.counting(size, "byte")) instead of \(expected)",
        hint: "restore its file from a backup")
    case .noSuchContent(let index): self = .internal("there is no content \(index)")
    case .unknownContent(let word, let title, let count):
      self.init(
        .notFound, "'\(title)' has no content '\(word)'",
        hint: count == 0
          ? "it holds nothing"
          : "its contents have the numbers 1 to \(count); 'capsule open REF' shows their names",
        details: ["reference": .string(word)])
    case .ambiguousContent(let word, let numbers):
      self.init(
        .ambiguous,
        "'\(word)' means several: \(numbers.map(String.init).joined(separator: ", "))",
        hint: "give the number", details: ["reference": .string(word)])
    case .nameTaken(let path):
      self.init(
        .refused, "'\(path)' exists already; nothing was written", hint: "'--force' replaces it",
        details: ["path": .string(path)])
    }
  }

  /// A seal that could not be made or opened.
  ///
  /// - Parameter path: the file that holds it; empty for one that is being made, or a stream.
  static func seal(_ error: any Error, path: String) -> Failure {
    guard let error = error as? AgeFailure else { return Failure(error) }
    return Failure(error, subject: path.isEmpty ? "the input" : "'\(path)'")
  }

  /// An age file that could not be made or opened, in words.
  init(_ error: AgeFailure, subject: String) {
    let backup = "restore it from a backup"
    switch error {
    case .header(.notAge):
      self.init(.damaged, "\(subject) is not an age file", hint: "was it sealed at all?")
    case .header(.workFactor):
      self.init(
        .damaged, "\(subject) asks for too much work: its passphrase costs more than 2 to the 22",
        hint: "it was not made by a program that means well")
    case .header(.unsupportedVersion):
      self.init(.damaged, "\(subject) is an age file of another version", hint: nil)
    case .header(.carriageReturn(let line)):
      self.init(
        .damaged, "\(subject) has a damaged header: line \(line) ends with a carriage return",
        hint: "it was transferred as text; transfer it again as binary")
    case .header(let fault):
      self.init(.damaged, "\(subject) has a damaged header: \(fault.words)", hint: backup)
    case .headerMAC:
      self.init(
        .damaged, "\(subject) has a damaged header: it was changed after it was made", hint: backup)
    case .payload(.truncated):
      self.init(.damaged, "\(subject) is cut off", hint: backup)
    case .payload(.trailing):
      self.init(.damaged, "\(subject) has more bytes than were sealed", hint: backup)
    case .payload(.chunk(let number)):
      self.init(.damaged, "\(subject) is damaged in chunk \(number)", hint: backup)
    case .payload(.emptyLastChunk):
      self.init(.damaged, "\(subject) is damaged at its end", hint: backup)
    case .armor(let fault):
      self.init(.damaged, "\(subject) has a damaged armor: \(fault.words)", hint: backup)
    case .noMatch:
      self.init(
        .key, "no identity or passphrase fits \(subject)",
        hint: "give the right one with '--identity FILE' or '--passphrase-file FILE'")
    case .tooEarly(let until):
      self.init(
        .locked, "\(subject) is timelocked until", until, hint: nil,
        details: ["until": .string(until.rfc3339)])
    case .unproven(let cause as TlockError):
      switch cause {
      case .unknownChain(let hash):
        self.init(
          .key, "\(subject) is timelocked to the chain \(hash), which is not known here",
          hint: "give the chain's info: '--chain FILE'")
      case .damaged:
        self.init(.damaged, "the timelock of \(subject) is damaged", hint: backup)
      case .beaconNeeded(_, let round), .notYet(let round, _), .badSignature(let round),
        .otherRound(let round, _):
        self.init(
          .unproven, "\(subject) needs the beacon of round \(round)",
          hint: "give it: '--beacon FILE'")
      }
    case .unproven(let cause):
      self.init(.unproven, "the time cannot be proved: \(cause)", hint: nil)
    case .recipients(.none):
      self.init(.usage, "nobody is named to seal to", hint: "name a recipient or a passphrase")
    case .recipients(.passphraseNotAlone):
      self.init(
        .usage, "a passphrase cannot stand beside other recipients",
        hint: "seal to the one or to the others")
    case .recipients(.lowOrder):
      self.init(.usage, "a recipient is not a usable key", hint: nil)
    case .recipients(.tooMany):
      self.init(.usage, "there are too many recipients for one file", hint: nil)
    case .recipients(.mixed(let hybrid, let others)):
      func list(_ texts: [String]) -> String {
        texts.map { "'\(RecipientText.shortened($0))'" }.joined(separator: ", ")
      }
      self.init(
        .usage,
        "recipients of two kinds cannot stand in one file: \(list(hybrid)) "
          + (hybrid.count == 1 ? "is" : "are") + " post-quantum, \(list(others)) "
          + (others.count == 1 ? "is" : "are") + " not",
        hint: "whatever the others open, a quantum computer opens; name recipients of one kind")
    case .source(let cause), .sink(let cause): self = Failure(cause)
    case .random(let failure):
      self.init(.io, "the system gave no random bytes (errno \(failure.code))")
    case .tooMuchWork(let workFactor, let limit):
      self.init(
        .refused,
        "\(subject) has a passphrase with a work factor of \(workFactor) "
          + "(\(ByteSize.text(1 << (workFactor + 10))) of memory), and the limit is \(limit)",
        hint:
          "allow the work if you trust the person who made the file: --max-work-factor \(workFactor)",
        details: ["workFactor": .integer(Int64(workFactor)), "limit": .integer(Int64(limit))])
    case .memory:
      self.init(.io, "there is not enough memory for the passphrase's work", hint: nil)
    }
  }
}

extension Int64 {
  /// Whole GiB, more than this.
  fileprivate var roundedUpToGiB: Int64 {
    self / (1 << 30) + 1
  }
}
