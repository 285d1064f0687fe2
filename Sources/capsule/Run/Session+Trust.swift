import CapsuleCore

extension Session {
  /// Reads a file of the user's own that others must not be able to write: one that they can is refused,
  /// as ssh refuses it. Pipes and the like are taken as they are.
  func readTrusted(_ path: FilePath, streams: Bool, limit: Int) throws -> [UInt8] {
    let files = host.files
    var foreign: FileStatus?
    let bytes = try files.withFile(path, .readFollowingLinks(streams: streams)) {
      file throws(FileSystemError) in
      let status = try files.status(file)
      if status.kind == .regular, !isTrusted(status) {
        foreign = status
        return [UInt8]()
      }
      return try files.readAll(file, limit: limit)
    }
    guard let foreign else { return bytes }
    throw Failure(
      .refused,
      foreign.isWritableByOthers
        ? "others can write to '\(path.text)'" : "'\(path.text)' is another user's",
      hint: "see that it holds what you put into it, then: chmod go-w '\(path.text)'",
      details: ["path": .string(path.text)])
  }

  /// Whether only the user, or the system's administrator, can have written it.
  private func isTrusted(_ status: FileStatus) -> Bool {
    !status.isWritableByOthers && (status.owner == host.user() || status.owner == 0)
  }

  /// Warns of a store that others can write to, or that is another user's: once a day on each machine.
  func warnOfOthers(in store: Store) {
    let root = store.place
    guard root.isWritableByOthers || root.owner != host.user() else { return }
    if let state = store.stateDirectory,
      !LastSeen(state, environment: store.environment).noteWarning(now)
    {
      return
    }
    let path = store.layout.root.text
    console.warning(
      root.isWritableByOthers
        ? "others can write to the store '\(path)'"
        : "the store '\(path)' is another user's",
      hint: root.isWritableByOthers
        ? "if that is not meant: chmod go-w '\(path)'; 'capsule verify' names what else is open"
        : "whoever owns it can change what it holds")
  }
}
