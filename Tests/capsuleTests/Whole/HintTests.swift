import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The ways out that the transcripts show.
@Suite struct HintTests {
  private static let table = CommandTable.capsule

  /// The hints of all transcripts, each with the command line it belongs to.
  private static let hints: [(text: String, command: String, file: String)] = {
    var hints: [(String, String, String)] = []
    let folder = "Tests/Transcripts/"
    for name in RepositoryFile.names(in: folder).sorted() where name.hasSuffix(".txt") {
      var command = ""
      for line in (RepositoryFile.content(folder + name) ?? "").split(separator: "\n") {
        if line.hasPrefix("  $ ") { command = String(line.dropFirst(4)) }
        guard let found = line.firstRange(of: "  ! capsule: hint: ") else { continue }
        hints.append((String(line[found.upperBound...]), command, name))
      }
    }
    return hints
  }()

  /// The command lines in a hint: after `capsule`, up to what ends one.
  private static func lines(in hint: String) -> [String] {
    hint.matches(of: /(?:^|[:;'"(] ?|, then )capsule ([^;"]+)/).map { String($0.output.1) }
  }

  private static func command(_ words: [String]) -> Command? {
    table.command(Array(words.prefix(2))) ?? table.command(Array(words.prefix(1)))
  }

  @Test func `a hint names commands that exist, with options that they have`() {
    var count = 0
    for hint in Self.hints {
      for line in Self.lines(in: hint.text) {
        var words = line.split(separator: " ").map { $0.filter { !"'(),".contains($0) } }
        if words.first == "--store" { words.removeFirst(2) }
        guard let command = Self.command(words) else {
          Issue.record("no command '\(line)': \(hint.file): \(hint.text)")
          continue
        }
        count += 1
        for word in words where word.wholeMatch(of: /--[a-z-]+/) != nil {
          expect(
            command.allOptions.contains { "--\($0.name)" == word },
            "'\(command.name)' has no \(word): \(hint.file): \(hint.text)")
        }
      }
    }
    expect(count > 200, "\(count)")
  }
}
