import CapsuleCore
import CapsulePlatform
import TestSupport

/// Files of the repository.
enum RepositoryFile {
  /// The text of a file by its path from the root; `nil` when there is none.
  static func content(_ path: String) -> String? {
    bytes(path).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes of a file by its path from the root; `nil` when there is none.
  static func bytes(_ path: String) -> [UInt8]? {
    guard let file = fopen(BuiltProgram.packageRoot + path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
      bytes += chunk[..<count]
    }
    return bytes
  }

  /// Replaces the text of a file.
  static func write(_ text: String, to path: String) throws {
    let files = POSIXFileSystem()
    try files.withFile(FilePath(BuiltProgram.packageRoot + path), .readWriteCreate(mode: 0o644)) {
      file throws(Fault) in
      try files.truncate(file, to: 0)
      try files.writeAll(file, Array(text.utf8))
    }
  }

  /// The names in a folder, without those that begin with a dot.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(BuiltProgram.packageRoot + folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  /// The paths of the files below a folder that end so, from the root and in their order; not in what begins with a dot.
  static func paths(in folder: String, suffix: String) -> [String] {
    names(in: folder).sorted().flatMap { name in
      name.hasSuffix(suffix)
        ? [folder + name] : paths(in: folder + name + "/", suffix: suffix)
    }
  }
}
