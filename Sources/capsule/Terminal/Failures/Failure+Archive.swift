import CapsuleCore

extension Fault {
  /// A failure that says why an archive was not read to its end.
  init(_ fault: ArchiveFault, subject: String) {
    let copy = "make it anew from the store, or take another copy of it"
    switch fault {
    case .tar(.notTar):
      self.init(
        .damaged, "\(subject) is no archive of capsule",
        hint: "'capsule export archive' makes one")
    case .tar(.truncated): self.init(.damaged, "\(subject) is cut off", hint: copy)
    case .tar(.trailing):
      self.init(.damaged, "something follows the end of \(subject)", hint: copy)
    case .tar(.checksum(let block)), .tar(.record(let block)), .tar(.longHeader(let block)):
      self.init(
        .damaged, "\(subject) is damaged: block \(block) is no header of tar", hint: copy)
    case .tar(.number(let path)):
      self.init(
        .damaged, "a number in the header of '\(path)' in \(subject) is none that can be",
        hint: copy)
    case .tar(let fault):
      let (path, words) = fault.refusal
      self.init(
        .damaged, "'\(path)' in \(subject) \(words)",
        hint: "it was not made by 'capsule export archive'; nothing of it was taken")
    case .foreign(let first):
      self.init(
        .damaged,
        first.isEmpty
          ? "\(subject) is no archive of capsule"
          : "\(subject) is no archive of capsule: it begins with '\(first)'",
        hint: "'capsule export archive' makes one")
    case .description(let damage):
      self.init(.damaged, "'archive.json' in \(subject) \(damage.words)", hint: copy)
    case .newer(let format):
      self.init(
        .version, "\(subject) has format \(format), which is newer than this program's",
        hint: "use a newer capsule")
    case .protected:
      self.init(
        .refused, "\(subject) is of a protected store, and the store that is here is another",
        hint: "import it into a place of its own ('--store DIR'), and take its protection off there"
      )
    case .duplicate(let path):
      self.init(.damaged, "'\(path)' is twice in \(subject)", hint: copy)
    case .unexpected(let path):
      self.init(
        .damaged, "'\(path)' in \(subject) has no place in an archive",
        hint: "it was not made by 'capsule export archive'; nothing of it was taken")
    case .tooLarge(let path, let limit):
      self.init(
        .damaged, "'\(path)' in \(subject) is larger than \(ByteSize.text(limit))", hint: copy)
    }
  }
}

extension PaxFault {
  /// The path that is refused, and why.
  fileprivate var refusal: (path: String, words: String) {
    switch self {
    case .link(let path): (path, "is a link, which no archive has")
    case .special(let path): (path, "is a device or a pipe, which no archive has")
    case .sparse(let path): (path, "leaves holes out, as no archive does")
    case .unknownKind(let path, let kind): (path, "is of the unknown kind '\(kind)'")
    case .absolute(let path): (path, "begins at the root of the file system")
    case .upwards(let path): (path, "leads out of the archive")
    case .path(let path), .number(let path): (path, "is no name of a file")
    case .notTar, .checksum, .record, .longHeader, .truncated, .trailing: ("", "is damaged")
    }
  }
}

extension ArchiveProblem {
  /// The problem in words.
  var words: String {
    switch self {
    case .file(let path, let damage): "'\(path)' \(damage.words)"
    case .identity(let recipient): "'identities/\(recipient).txt' does not hold the key of its name"
    case .record(_, _, let path, let damage): "'\(path)' \(damage.words)"
    case .blob(let name): "the content '\(name)' has other bytes than its name says"
    case .missingBlob(let name, let kind, let id):
      "the content '\(name)' of the \(kind.word) '\(id)' is not in it"
    case .unreadable(let path, let code):
      "'\(path)' cannot be read, and is not whole in it: \(SystemError(code: code, action: "").reason)"
    case .seal(let id): "a seal of the capsule '\(id)' is no age file"
    case .missingReference(let kind, let id, let target):
      "the \(kind.word) '\(id)' names the \(target.kind.word) '\(target.id)', which is not in it"
    case .digest(let path): "'\(path)' is not what the list of digests says"
    case .missingFile(let path): "'\(path)' is in the list of digests, and not in the archive"
    case .noDigests: "it has no list of digests"
    case .noHeader: "it is said to be a whole store, and has no 'store.json'"
    }
  }
}

extension ImportReport.HoldReason {
  /// The reason why a record was not taken, in words, and what to do.
  var words: String {
    switch self {
    case .missingBlob(let name): "its content '\(name)' is neither here nor whole in the archive"
    case .missingReference(let target):
      "it names the \(target.kind.word) '\(target.id)', which is not here; if it lies in the trash, "
        + "restore it and run this again"
    case .other(let field): "the two have another '\(field)', which never changes"
    case .unmergeable: "the two cannot be one record"
    case .damagedHere: "the record that is here is not what was written; 'capsule repair' first"
    }
  }
}
