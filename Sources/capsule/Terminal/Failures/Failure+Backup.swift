import CapsuleCore

extension Failure {
  /// The reason why no backup was made, in words.
  init(_ error: BackupError) {
    switch error {
    case .store(let error): self.init(error)
    case .otherStore(let path):
      self.init(
        .refused, "'\(path)' is a generation of another store",
        hint: "give each store a directory of its own")
    case .notABackup(let path):
      self.init(
        .refused, "'\(path)' was made by no backup",
        hint: "name an empty or new directory, which holds nothing else")
    case .notWhole(let path):
      self.init(
        .refused, "'\(path)' is no whole store any more, so that it is not known whose it is",
        hint: "move it away, or name another directory")
    case .insideStore(let path):
      self.init(
        .refused, "'\(path)' and the store lie in one another",
        hint: "name a directory elsewhere, best on another disk")
    case .busy(let path):
      self.init(.busy, "another backup into '\(path)' is being made")
    }
  }
}
