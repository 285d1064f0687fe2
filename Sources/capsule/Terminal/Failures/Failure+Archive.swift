import CapsuleCore

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
      "'\(path)' cannot be read, and is not whole in it: \(FileRefusal.reason(of: code))"
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
