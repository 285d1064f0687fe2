import CapsuleCore

extension Session {
  /// The path from the root that a path means here; the same where the working directory is not known.
  func absolute(_ path: FilePath) -> FilePath {
    if path.bytes.first == UInt8(ascii: "/") { return path }
    return host.workingDirectory().map { FilePath(bytes: $0).appending(bytes: path.bytes) } ?? path
  }
}
