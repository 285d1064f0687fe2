import CapsuleCore
import Foundation
import TestSupport
import Testing

/// A home of a test's own, with a store in it, on which the real program is run.
final class ProgramStore: CommandHome {
  private let folder: TemporaryFolder
  /// The whole environment; nothing is inherited.
  var environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    environment = [
      "HOME": folder.path, "TZ": "Europe/Paris", "PATH": "/usr/bin:/bin",
    ]
  }

  var path: String { folder.path }
  /// The store's directory.
  var store: String { path + "/.local/share/capsule" }

  func run(_ words: [String], input: String) throws -> ProgramRun.Result {
    try program(words, input: input).result()
  }

  /// A run of the program on this home.
  func program(_ words: [String], input: String = "") -> ProgramRun {
    var run = ProgramRun(environment: environment, input: input)
    run.arguments = words.map { Array($0.utf8) }
    run.workingDirectory = path
    return run
  }

  /// Makes `bin` the whole PATH, and puts some of the machine's programs there.
  func usePrograms(_ names: String...) throws {
    let bin = path + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    for name in names {
      let found = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
      try FileManager.default.createSymbolicLink(
        atPath: bin + "/" + name,
        withDestinationPath: try require(found, "there is no \(name)"))
    }
    environment["PATH"] = bin
  }

  /// Runs a line for the shell in the test's folder; `$capsule` is the program.
  @discardableResult
  func shell(_ line: String) throws -> ProgramRun.Result { try script(line).result() }

  private func script(_ line: String) -> ProgramRun {
    var run = ProgramRun(shell: line, environment: environment)
    run.workingDirectory = path
    return run
  }

  /// Runs a script that ends with 0 when every step does what it says.
  @discardableResult
  func walk(
    _ script: String, file: String = #fileID, line: Int = #line
  ) throws -> ProgramRun.Result {
    let result = try shell("set -eu\n" + script)
    expect(
      result.end, is: .exited(0), "\(result.out)\n\(result.err)",
      sourceLocation: SourceLocation(file, line))
    return result
  }
}
