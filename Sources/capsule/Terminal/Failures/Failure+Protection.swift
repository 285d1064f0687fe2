import CapsuleCore

extension Failure {
  /// The passphrase of a protected store is needed, and may not be asked for.
  static let storePassphraseNeeded = Failure(
    .key, "the store is protected: its passphrase is needed, and none may be asked for",
    hint:
      "give it with '--passphrase-file FILE' or '--passphrase-command COMMAND' where the command has "
      + "them, or keep it for a while: 'capsule store remember'")

  /// A failure that says why a store cannot be protected, or why a protected one does not open.
  init(_ fault: ProtectionFault) {
    switch fault {
    case .wrongPassphrase:
      self.init(.key, "the passphrase is not that of the store")
    case .wrongIdentity:
      self.init(
        .key, "no identity that was given opens the store",
        hint: "its own does, or that of the trustees to whom a copy was sealed")
    case .closed: self = .storePassphraseNeeded
    case .damaged(let path):
      self.init(
        .damaged, "'\(path)' is not what was written",
        hint: "'capsule repair' looks for a copy; else restore the file from a backup",
        details: ["path": .string(path)])
    case .lostIdentity(let path):
      self.init(
        .damaged, "'\(path)' is lost or damaged, and what it opens would be lost with it",
        hint: "'capsule repair' looks for a copy; 'capsule identity import' types it from paper",
        details: ["path": .string(path)])
    case .seal(let error): self = .seal(error, path: "")
    case .store(let error): self.init(error)
    }
  }
}
