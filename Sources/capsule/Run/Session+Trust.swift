import CapsuleCore

extension Session {
  /// Reads a file of the user's own that others must not be able to write: one that they can is refused,
  /// as ssh refuses it. Pipes and the like are taken as they are.
  ///
  /// - Parameter isOwn: whether it must be the user's own besides, or the system administrator's.
  func readTrusted(
    _ path: FilePath, streams: Bool, limit: Int, isOwn: Bool = false
  ) throws -> [UInt8] {
    let files = host.files
    let user = host.user()
    var reason: String?
    let bytes = try files.withFile(path, .readFollowingLinks(streams: streams)) {
      file throws(FileSystemError) in
      let status = try files.status(file)
      if status.kind == .regular {
        if status.isWritableByOthers {
          reason = "others can write to '\(path.text)'"
        } else if isOwn, status.owner != user, status.owner != 0 {
          reason = "'\(path.text)' is another user's"
        }
      }
      return reason == nil ? try files.readAll(file, limit: limit) : []
    }
    guard let reason else { return bytes }
    throw Failure(
      .refused, reason,
      hint: "see that it holds what you put into it, then make it yours alone: chmod go-w",
      details: ["path": .string(path.text)])
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
