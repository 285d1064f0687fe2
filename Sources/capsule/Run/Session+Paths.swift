import CapsuleCore

extension Session {
  /// Refuses a file that would lie in a store or a carrier of one.
  func requireOutsideStores(_ path: FilePath) throws {
    do {
      try host.files.requireOutsideStores(path.parent)
    } catch let refusal as PlaceInStore {
      throw Failure(refusal, path: path)
    }
  }

  /// The path from the root that a path means here; the same where the working directory is not known.
  func absolute(_ path: FilePath) -> FilePath {
    if path.bytes.first == UInt8(ascii: "/") { return path }
    return host.workingDirectory().map { FilePath(bytes: $0).appending(bytes: path.bytes) } ?? path
  }
}
