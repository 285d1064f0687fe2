import CapsuleCore

extension Session {
  /// Reads a file of the user's own that others must not be able to write: one that they can is refused,
  /// as ssh refuses it. Pipes and the like are taken as they are.
  func readTrusted(_ path: FilePath, streams: Bool, limit: Int) throws -> [UInt8] {
    try read(path, streams: streams, limit: limit) { _ in nil }
  }

  /// Reads a file of this machine's configuration, which names programs and places: nobody but the user and the
  /// system administrator may have it, or be able to write to it or to put another in its place.
  func readConfiguration(_ path: FilePath, limit: Int) throws -> [UInt8] {
    try read(path, streams: false, limit: limit) { status throws(FileSystemError) in
      if isOfOthers(status) { return Distrust(path, "'\(path.text)' is another user's") }
      // Whoever can write where a link lies can replace the link.
      for place in Set([path, try host.files.resolvingLinks(path)]) {
        let directory = place.parent
        if isOfOthers(try host.files.statusFollowingLinks(directory)) {
          return Distrust(
            directory, "'\(directory.text)', which has '\(path.text)', is another user's")
        }
        if let open = try openDirectory(above: place) {
          return Distrust(open, "others can write to '\(open.text)', which has '\(path.text)'")
        }
      }
      return nil
    }
  }

  /// The reason why a file is not read.
  private struct Distrust {
    /// The file or directory that others can change.
    let path: FilePath
    let reason: String

    init(_ path: FilePath, _ reason: String) { (self.path, self.reason) = (path, reason) }
  }

  private func read(
    _ path: FilePath, streams: Bool, limit: Int,
    doubt: (FileStatus) throws(FileSystemError) -> Distrust?
  ) throws -> [UInt8] {
    let files = host.files
    var distrust: Distrust?
    let bytes = try files.withFile(path, .readFollowingLinks(streams: streams)) {
      file throws(FileSystemError) in
      let status = try files.status(file)
      if status.kind == .regular {
        distrust =
          status.isWritableByOthers
          ? Distrust(path, "others can write to '\(path.text)'") : try doubt(status)
      }
      return distrust == nil ? try files.readAll(file, limit: limit) : []
    }
    guard let distrust else { return bytes }
    throw Failure(
      .refused, distrust.reason,
      hint: "see that it holds what you put into it, then make it yours alone: "
        + "chmod go-w \(distrust.path.text.shellWord)",
      details: ["path": .string(distrust.path.text)])
  }

  private func isOfOthers(_ status: FileStatus) -> Bool {
    status.owner != host.user() && status.owner != 0
  }

  /// Returns the first directory above a file, up to the user's home, in which others can put another file or
  /// directory into the place of the one that leads to it. In a sticky one, such as `/tmp`, they cannot.
  private func openDirectory(above path: FilePath) throws(FileSystemError) -> FilePath? {
    let home = places.home.flatMap { try? host.files.statusFollowingLinks($0) }
    let sticky: UInt32 = 0o1000
    // The directories by their names, where links may lie, and those that the links lead through.
    for isByName in [true, false] {
      var directory = path.parent
      var status = try host.files.statusFollowingLinks(directory)
      while true {
        if status.isWritableByOthers, status.mode & sticky == 0 { return directory }
        if home.map({ status.isSameFile(as: $0) }) ?? false { break }
        let next = isByName ? directory.parent : directory.appending("..")
        let nextStatus = try host.files.statusFollowingLinks(next)
        // The root is its own parent.
        if next == directory || !isByName && nextStatus.isSameFile(as: status) { break }
        (directory, status) = (next, nextStatus)
      }
    }
    return nil
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
