import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What README and the pages for users show is what the program does.
@Suite struct ReadmeTests {
  /// Darwin lets no program change the clock of another.
  private static var areDrawn: Bool {
    #if canImport(Darwin)
      false
    #else
      OtherPrograms.areExpected("python3", "faketime")
    #endif
  }

  @Test(.enabled(if: areDrawn, "python3 or faketime is not installed"))
  func `the pictures in README are what the program shows`() throws {
    var run = ProgramRun(BuiltProgram.path, environment: ["PATH": OtherPrograms.path])
    run.program = BuiltProgram.packageRoot + "Scripts/pictures"
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
    let readme = try DocumentText("README.md").text
    for picture in ["docs/images/terminal.svg", "docs/images/page.png"] {
      expect(readme.contains(picture), "\(picture)")
    }
  }

  /// The pages with command lines of their own. The reference's examples are held by its table.
  private static let pages =
    ["README.md"] + DocumentPage.forUsers.filter { !$0.hasPrefix("docs/reference/commands") }

  @Test(arguments: pages)
  func `every command line for a reader parses`(document: String) throws {
    for line in Self.commandLines(try DocumentText(document).text) {
      guard let start = line.firstRange(of: "capsule ")?.lowerBound else { continue }
      for words in ShellWords.commands(in: String(line[start...])) where words[0] == "capsule" {
        do {
          _ = try Parser(.capsule).parse(words.dropFirst().map { Array($0.utf8) })
        } catch {
          Issue.record("\(line): \(error.message)")
        }
      }
    }
  }

  @Test func `command lines are found in a document`() throws {
    let document = """
      ```sh
      # capsule no
      capsule list \\
        --json  # capsule no
      ```
      ```console
      $ capsule next
      capsule: error: no
      ```
      """
    expect(Self.commandLines(document), is: ["capsule list   --json", "capsule next"])
    let count = try Self.pages.reduce(0) {
      try $0 + Self.commandLines(DocumentText($1).text).count { $0.contains("capsule ") }
    }
    expect(count >= 25)
  }

  /// The lines that are typed, in blocks for a shell, for cron and for a terminal.
  private static func commandLines(_ text: String) -> [String] {
    let parts = text.split(separator: "```", omittingEmptySubsequences: false)
    // Every second part is inside of a fence.
    return parts.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      .flatMap { block -> [String] in
        let isTerminal = block.hasPrefix("console\n")
        guard isTerminal || block.hasPrefix("sh\n") || block.hasPrefix("crontab\n") else {
          return []
        }
        let joined = block.split(separator: "\\\n", omittingEmptySubsequences: false)
          .joined(separator: "")
        return joined.split(separator: "\n").dropFirst().compactMap { line in
          if line.hasPrefix("#") || isTerminal && !line.hasPrefix("$ ") { return nil }
          let typed = isTerminal ? line.dropFirst(2) : line
          return String(typed[..<(typed.firstRange(of: "  #")?.lowerBound ?? typed.endIndex)])
        }
      }
  }

  @Test(
    .enabled(if: OtherPrograms.areExpected("jq"), "jq is not installed"),
    arguments: [
      "create Next -u tomorrow --empty", "event add Next -o tomorrow", "event add Next -o 3h",
    ])
  func `the lines for jq run, whatever comes next`(next: String) throws {
    let lines = try DocumentText("docs/how-to/scripts.md").block(
      after: "<!-- jq -->", language: "sh")
    let script = """
      set -eu
      place=$(mktemp -d)
      trap 'rm -rf "$place"' EXIT
      export CAPSULE_STORE="$place/store" HOME="$place"
      cd "$place"
      capsule() { "$capsule" "$@"; }
      capsule create 'To Mia at 18' -u 2999 -q --tag t --text x > /dev/null
      capsule create Old -u 2020 --allow-past -q --text x > /dev/null
      capsule \(next) -q > /dev/null
      {
      \(lines)
      } > answers
      grep -q '^Next: [01] d$' answers
      test "$(tail -n 1 answers)" -gt 1000
      """
    let result = try ProgramRun(shell: script, environment: ["PATH": OtherPrograms.path]).result()
    expect(result.end, is: .exited(0), "\(result.err)\(result.out)")
  }
}
