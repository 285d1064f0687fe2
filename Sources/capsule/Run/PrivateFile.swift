import CapsuleCore

/// A file in a 0700 folder of its own in the store's `tmp/`, for a program that shows, plays or makes
/// it. One that is not removed goes with the store's temporary files after a day.
struct PrivateFile {
  let path: FilePath
  private let directory: FilePath
  private let files: any FileSystem

  /// Makes the folder.
  ///
  /// - Parameter name: the file's, one component of a path.
  init(named name: [UInt8], in store: Store) throws {
    files = store.files
    try store.files.createDirectories(store.layout.temporary)
    directory = store.layout.temporary.appending(try store.environment.temporaryName())
    try files.createDirectory(directory, mode: 0o700)
    path = directory.appending(bytes: name)
  }

  /// Removes the folder with what is in it.
  func remove() {
    files.removeTree(directory)
  }
}
