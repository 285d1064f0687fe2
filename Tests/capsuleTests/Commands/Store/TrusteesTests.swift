import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Shares of trustees that were forged, and the program of the document; the transcripts `trustees*.txt`
/// tell the rest.
@Suite struct TrusteesTests {
  private let home: HostedStore

  /// A group is there, any two of three, and its pages.
  init() throws {
    home = try HostedStore()
    try home.done(
      "trustees", "make", "family", "-k", "2", "--holder", "Mia", "--holder", "Ben", "--holder",
      "Zoe", "-o", home.path + "/pages")
  }

  private var pages: [String] {
    ["1 Mia", "2 Ben", "3 Zoe"].map { "\(home.path)/pages/\($0).txt" }
  }

  @Test func `a share made up with the number of a group's set is none of its shares`() throws {
    let own = try Share(text: SecretBytes(copying: home.bytes(of: "pages/1 Mia.txt")))
    let forged = try ShareSet.split(
      SecretBytes(copying: 0..<32), threshold: 2, count: 2, identifier: own.common.identifier,
      random: .system)
    let file = try home.write(String(decoding: forged[0].text.bytes, as: UTF8.self), as: "forged")
    let refusal = try home.refusal(.damaged, "trustees", "check", "--share", file)
    expect(refusal.contains("does not belong to 'family'"))
  }

  @Test(.enabled(if: OtherPrograms.areExpected("python3"), "python3 is not installed"))
  func `the program in contrib joins pages to the key that combine writes`() throws {
    let two = ["--share", pages[0], "--share", pages[2]]
    var run = ProgramRun(environment: ["PATH": OtherPrograms.path])
    run.program = "/usr/bin/env"
    let file = BuiltProgram.packageRoot + "contrib/join.py"
    run.arguments = ["python3", file, pages[2], pages[0]].map { Array($0.utf8) }
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
    let lines = result.out.split(separator: "\n").map(String.init)
    let own = try home.done(["trustees", "combine"] + two).split(separator: "\n").last
    expect(lines.count == 2 && lines[0] == own.map(String.init))
    let other = try HostedStore()
    let both = try other.done(["trustees", "combine"] + two).split(separator: "\n")
    expect(both.filter { !$0.hasPrefix("#") }.map(String.init), is: lines)
  }
}
