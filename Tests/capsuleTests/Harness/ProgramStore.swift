import CapsuleCore
import Testing

/// A home of a test's own, with a store in it, on which the real program is run.
final class ProgramStore {
  private let folder: TemporaryFolder
  var environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    environment = [
      "HOME": folder.path, "TZ": "Europe/Paris", "PATH": "/usr/bin:/bin",
    ]
  }

  /// The folder that everything of the test is in.
  var path: String { folder.path }
  /// The store's directory.
  var store: String { path + "/.local/share/capsule" }

  @discardableResult
  func run(_ words: String..., input: String = "") throws -> ProgramRun.Result {
    try run(words, input: input)
  }

  func run(_ words: [String], input: String = "") throws -> ProgramRun.Result {
    var run = ProgramRun(environment: environment, input: input)
    run.arguments = words.map { Array($0.utf8) }
    run.timeLimit = 60
    run.workingDirectory = path
    return try run.result()
  }

  /// A line for the shell in the test's folder; `$capsule` is the program.
  @discardableResult
  func shell(_ line: String) throws -> ProgramRun.Result {
    var run = ProgramRun(shell: line, environment: environment)
    run.workingDirectory = path
    run.timeLimit = 60
    return try run.result()
  }

  /// Makes a capsule and gives its id.
  @discardableResult
  func create(_ title: String, _ words: String...) throws -> String {
    let result = try run(["create", title, "--quiet"] + words)
    try #require(result.end == .exited(0), "\(result.err)")
    return String(result.out.dropLast())
  }

  /// Makes a capsule that is unlocked already.
  @discardableResult
  func createUnlocked(_ title: String, _ words: String...) throws -> String {
    let result = try run(
      ["create", title, "--quiet", "--unlock", "2020-01-01", "--allow-past"] + words)
    try #require(result.end == .exited(0), "\(result.err)")
    return String(result.out.dropLast())
  }

  /// The titles of a list.
  func titles(_ words: String...) throws -> [String] {
    let list = try run(["list", "--json"] + words).json().array ?? []
    return list.compactMap { $0["title"]?.string }
  }
}
