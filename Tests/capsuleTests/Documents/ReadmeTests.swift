import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What README shows is what the program does.
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
    run.timeLimit = 120
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
    let readme = try DocumentText("README.md").text
    for picture in ["docs/images/terminal.svg", "docs/images/page.png"] {
      expect(readme.contains(picture), "\(picture)")
    }
  }

  @Test(arguments: ["README.md", "docs/guide.md"])
  func `every command line for a reader parses`(document: String) throws {
    let readme = try DocumentText(document).text
    let parts = readme.split(separator: "```", omittingEmptySubsequences: false)
    // Every second part is inside of a fence.
    let blocks = parts.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    var count = 0
    for block in blocks where block.hasPrefix("sh\n") || block.hasPrefix("crontab\n") {
      for line in block.split(separator: "\n") where !line.hasPrefix("#") {
        guard let start = line.firstRange(of: "capsule ")?.lowerBound else { continue }
        for words in ShellWords.commands(in: String(line[start...])) where words[0] == "capsule" {
          count += 1
          do throws(UsageProblem) {
            _ = try Parser(.capsule).parse(words.dropFirst().map { Array($0.utf8) })
          } catch {
            Issue.record("\(line): \(Failure(error).message)")
          }
        }
      }
    }
    expect(count >= 6)
  }

  @Test(
    .enabled(if: OtherPrograms.areExpected("jq"), "jq is not installed"),
    arguments: [
      "create Next -u tomorrow --empty", "event add Next -o tomorrow", "event add Next -o 3h",
    ])
  func `the lines for jq in the guide run, whatever comes next`(next: String) throws {
    let lines = try DocumentText("docs/guide.md").block(after: "## With jq\n", language: "sh")
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
