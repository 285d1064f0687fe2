import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A document of the repository, and what stands in it between marks.
struct DocumentText {
  let text: String

  init(_ path: String) throws {
    text = try #require(RepositoryFile.content(path), "there is no \(path)")
  }

  /// The fenced block that follows a mark.
  func block(after mark: String, language: String) throws -> String {
    let start = try #require(
      text.firstRange(of: mark + "\n```" + language + "\n"), "\(mark) is missing"
    ).upperBound
    let end = try #require(text[start...].firstRange(of: "```\n")).lowerBound
    return String(text[start..<end])
  }
}

/// Programs that some documents are run with.
enum OtherPrograms {
  static var path: String { getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin" }

  /// Whether all of them are there.
  static func exist(_ names: String...) -> Bool {
    names.allSatisfy { name in
      path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
    }
  }

  /// Whether a test that needs some is run: also where they are missing but must not be.
  static func areExpected(_ names: String...) -> Bool {
    getenv("CI") != nil || names.allSatisfy { exist($0) }
  }

  /// Whether a test that needs a module of the system's Python is run: also where it is missing but
  /// must not be.
  static func isExpected(pythonModule name: String) -> Bool {
    if getenv("CI") != nil { return true }
    return (try? ProgramRun(shell: "python3 -c 'import \(name)'").result().end) == .exited(0)
  }
}
