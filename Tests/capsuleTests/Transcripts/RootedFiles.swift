import CapsuleCore
import StoreTestSupport
import TestSupport

/// The machine's files below one folder, which stands for the root: `/home/ada` is a folder in it, and a
/// relative path begins in the working directory. Errors have the path that was asked for.
struct RootedFiles: ForwardingFileSystem {
  let files = UnsynchronizedFileSystem()
  /// The folder that is the root, without a slash at its end.
  let root: String
  /// The working directory, from the root.
  let directory: String
  private static let samples = "/samples/"

  /// The path on the machine. Files in `/samples` are the repository's.
  func real(_ path: FilePath) -> FilePath {
    if path.text.hasPrefix(Self.samples) {
      let name = path.text.dropFirst(Self.samples.utf8.count)
      let isCorpus = ["calendar/", "table/"].contains { name.hasPrefix($0) }
      let folder = isCorpus ? "Fuzz/corpus/" : "Tests/CapsuleCoreTests/Vectors/"
      return FilePath(BuiltProgram.packageRoot + folder + name)
    }
    if path.bytes.first == UInt8(ascii: "/") {
      return FilePath(bytes: Array(root.utf8) + path.bytes)
    }
    return FilePath(root + directory).appending(bytes: path.bytes)
  }

  private func asked<Value>(
    _ path: FilePath, to destination: FilePath? = nil,
    _ body: () throws(Fault) -> Value
  ) throws(Fault) -> Value {
    do throws(Fault) {
      return try body()
    } catch {
      guard let file = error.file else { throw error }
      throw Fault(file.operation, path, to: destination, code: file.errno)
    }
  }

  func openOnce(
    _ path: FilePath, _ access: FileAccess
  ) throws(Fault) -> FileDescriptor {
    let file = try asked(path) { () throws(Fault) in
      try files.openOnce(real(path), access)
    }
    return FileDescriptor(number: file.number, path: path)
  }

  func status(_ path: FilePath) throws(Fault) -> FileStatus {
    try asked(path) { () throws(Fault) in try files.status(real(path)) }
  }

  func statusFollowingLinks(_ path: FilePath) throws(Fault) -> FileStatus {
    try asked(path) { () throws(Fault) in try files.statusFollowingLinks(real(path)) }
  }

  func contents(ofDirectory path: FilePath) throws(Fault) -> [DirectoryEntry] {
    try asked(path) { () throws(Fault) in try files.contents(ofDirectory: real(path)) }
  }

  func createDirectory(_ path: FilePath, mode: UInt32) throws(Fault) {
    try asked(path) { () throws(Fault) in
      try files.createDirectory(real(path), mode: mode)
    }
  }

  func removeDirectory(_ path: FilePath) throws(Fault) {
    try asked(path) { () throws(Fault) in try files.removeDirectory(real(path)) }
  }

  func link(_ from: FilePath, to: FilePath) throws(Fault) {
    try asked(from, to: to) { () throws(Fault) in
      try files.link(real(from), to: real(to))
    }
  }

  func rename(_ from: FilePath, to: FilePath) throws(Fault) {
    try asked(from, to: to) { () throws(Fault) in
      try files.rename(real(from), to: real(to))
    }
  }

  func renameExclusively(_ from: FilePath, to: FilePath) throws(Fault) {
    try asked(from, to: to) { () throws(Fault) in
      try files.renameExclusively(real(from), to: real(to))
    }
  }

  func unlink(_ path: FilePath) throws(Fault) {
    try asked(path) { () throws(Fault) in try files.unlink(real(path)) }
  }

  func readLink(_ path: FilePath) throws(Fault) -> FilePath {
    try asked(path) { () throws(Fault) in try files.readLink(real(path)) }
  }
}
