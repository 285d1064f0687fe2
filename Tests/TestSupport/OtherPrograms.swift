import CapsulePlatform

/// Programs of the machine that some tests need.
package enum OtherPrograms {
  package static let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"

  /// The path of one, where it is there.
  package static func path(of name: String) -> String? {
    path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Whether all of them are there.
  package static func exist(_ names: String...) -> Bool {
    names.allSatisfy { path(of: $0) != nil }
  }

  /// Whether a test that needs some is run: also where they are missing but must not be.
  package static func areExpected(_ names: String...) -> Bool {
    getenv("CI") != nil || names.allSatisfy { exist($0) }
  }
}

/// The machine's Python, for scripts of the repository.
package enum Python {
  /// Whether a test that needs some modules is run: also where they are missing but must not be.
  package static func isExpected(_ modules: String...) -> Bool {
    getenv("CI") != nil || has(modules)
  }

  private static func has(_ modules: [String]) -> Bool {
    (try? run(["-c", "import " + modules.joined(separator: ", ")]))?.end == .exited(0)
  }

  package static func run(_ arguments: [String], input: [UInt8] = []) throws -> ProgramRun.Result {
    var run = ProgramRun(environment: ["PATH": OtherPrograms.path])
    if let home = getenv("HOME") { run.environment["HOME"] = String(cString: home) }
    run.program = "/usr/bin/env"
    run.arguments = (["python3", "-B"] + arguments).map { Array($0.utf8) }
    run.input = input
    run.timeLimit = 120
    return try run.result()
  }
}
