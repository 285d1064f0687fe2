import CapsuleCore

/// A file in the clear for another program, which writes, shows, plays or records it: in a 0700 folder of
/// its own.
///
/// The folder lies in `$XDG_RUNTIME_DIR`, which is memory, where that is the user's own and nobody else can
/// enter it (XDG Base Directory Specification); else in the store's `tmp/`, from where what a killed
/// program left goes after a day; before there is a store, near its place.
struct PrivateFile {
  /// The use that is made of it, which its folder's name says.
  enum Use: String {
    case draft, copy, recording
  }

  private(set) var path: FilePath
  private let use: Use
  private let directory: FilePath
  private let files: any FileSystem

  /// Makes the folder.
  ///
  /// - Parameters:
  ///   - name: the file's, one component of a path.
  ///   - store: the store, where there is one yet.
  ///   - isLarge: whether it is too much for memory: it lies in the store then.
  init(
    named name: [UInt8], as use: Use, _ session: Session, isLarge: Bool = false,
    in store: Store?
  ) throws {
    self.use = use
    files = session.host.files
    let folder = "capsule-\(use.rawValue)-" + (try session.stores.environment.temporaryName())
    let runtime = isLarge ? nil : Self.makeDirectory(folder, use, session)
    directory =
      try runtime ?? store.map { try Self.makeDirectory(folder, in: $0) }
      ?? Self.makeDirectory(folder, session)
    path = directory.appending(bytes: name)
  }

  private static func makeDirectory(_ name: String, _ use: Use, _ session: Session) -> FilePath? {
    guard let runtime = session.places.runtime else { return nil }
    let files = session.host.files
    let directory = runtime.appending(name)
    if let status = try? files.statusFollowingLinks(runtime), status.kind == .directory,
      status.mode & 0o077 == 0, (try? files.createDirectory(directory, mode: 0o700)) != nil
    {
      // A folder just made is the user's, so one of another owner lies in somebody else's.
      if (try? files.status(directory))?.owner == status.owner { return directory }
      try? files.removeDirectory(directory)
    }
    session.console.warning(
      "'\(runtime.text)', which XDG_RUNTIME_DIR names, is not a directory of yours alone; the "
        + "\(use.rawValue) lies with the store")
    return nil
  }

  private static func makeDirectory(_ name: String, in store: Store) throws -> FilePath {
    try store.files.createDirectories(store.layout.temporary)
    let directory = store.layout.temporary.appending(name)
    try store.files.createDirectory(directory, mode: 0o700)
    return directory
  }

  /// Makes the folder where the store is to be, in the nearest directory above that is there and the
  /// user's own: no store is made for it.
  private static func makeDirectory(_ name: String, _ session: Session) throws -> FilePath {
    let files = session.host.files
    var place = try session.stores.path()
    while place.parent != place {
      place = place.parent
      guard let status = try? files.statusFollowingLinks(place), status.kind == .directory else {
        continue
      }
      guard status.owner == session.host.user() else { break }
      let directory = place.appending("." + name)
      try files.createDirectory(directory, mode: 0o700)
      return directory
    }
    throw Failure(
      .refused, "there is no place of yours alone for it", hint: "set XDG_RUNTIME_DIR to one")
  }

  /// The first bytes of the file.
  func head(_ count: Int) throws(FileSystemError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    let read = try files.withFile(path, .read) { file throws(FileSystemError) in
      try files.read(file, at: 0, into: buffer)
    }
    return Array(buffer.prefix(read))
  }

  /// Gives the file another name.
  mutating func rename(to name: [UInt8]) throws {
    let renamed = directory.appending(bytes: name)
    try files.rename(path, to: renamed)
    path = renamed
  }

  /// Removes the folder with all that is in it: editors leave backups beside their file.
  func remove() {
    files.removeTree(directory)
  }

  /// Says where it is kept, after the work that it was for failed.
  func nameKept(_ session: Session) {
    session.console.warning("the \(use.rawValue) is kept in '\(path.text)'")
  }
}

extension [PrivateFile] {
  /// Runs a body that seals them: they are removed afterwards, or kept and named.
  func keeping<Value>(_ session: Session, _ body: () throws -> Value) throws -> Value {
    do {
      let value = try body()
      for file in self { file.remove() }
      return value
    } catch {
      for file in self { file.nameKept(session) }
      throw error
    }
  }
}
