import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

/// An empty directory on the machine's disk or in memory, removed when it is no longer used.
final class TestDirectory: Sendable {
  enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case posix, simulated

    var testDescription: String { rawValue }
  }

  struct Failure: Error {
    var code: Int32
  }

  let files: any FileSystem
  let path: FilePath
  private let simulated: SimulatedFileSystem?
  private let folder: TemporaryFolder?

  init(_ kind: Kind) throws {
    switch kind {
    case .posix:
      let made = try TemporaryFolder()
      files = POSIXFileSystem()
      path = FilePath(made.path)
      simulated = nil
      folder = made
    case .simulated:
      let system = SimulatedFileSystem()
      files = system
      simulated = system
      path = FilePath("/here")
      folder = nil
      try system.createDirectory(path, mode: 0o755)
    }
  }

  /// The path of a name in the directory.
  subscript(name: String) -> FilePath {
    path.appending(name)
  }

  /// Makes a file with these bytes.
  func write(_ name: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws {
    let file = try files.open(self[name], .createExclusive(mode: mode))
    defer { try? files.close(file) }
    try files.writeAll(file, bytes)
  }

  func read(_ name: String) throws -> [UInt8] {
    try files.readFile(self[name], limit: 1 << 24)
  }

  func makeSymbolicLink(_ name: String, to target: String) throws {
    if let simulated {
      try simulated.makeSymbolicLink(self[name].text, to: target)
    } else if symlink(target, self[name].text) != 0 {
      throw Fault.random(errno)
    }
  }

  func makeFIFO(_ name: String) throws {
    if let simulated {
      try simulated.makeFIFO(self[name].text)
    } else if mkfifo(self[name].text, 0o600) != 0 {
      throw Fault.random(errno)
    }
  }
}
