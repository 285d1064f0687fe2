import CapsuleCore

extension Session {
  /// Warns of what a file system refused while the work went on without it, once a run. What a power cut may
  /// undo `verify` reports.
  func warnOfPoorFileSystem() {
    guard let passed = host.files.passed else { return }
    let facts: [(FileRefusal.Operation, String, hint: String?)] = [
      (.setModified, "does not let the times of files be set; the files are complete", nil),
      (
        .setMode, "does not let files be protected, so others may read them",
        "mount it with the options uid= and umask=077, or make a sealed copy: capsule export archive"
      ),
      (.lock, "has no locks", "never run two backups to this directory at the same time"),
    ]
    for (operation, fact, hint) in facts {
      guard let refusal = passed[operation] else { continue }
      console.warning(
        "the file system of '\(refusal.path.parent.text)' \(fact)", hint: hint,
        details: refusal.details)
    }
  }
}
