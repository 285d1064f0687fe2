import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The words of messages: counts, times, quotes.
@Suite struct MessageWordsTests {
  @Test(arguments: [
    (0, "0 contents"), (1, "1 content"), (2, "2 contents"), (1_000, "1000 contents"),
  ])
  func `a count has the form of its noun`(count: Int, text: String) {
    expect(String.counting(count, "content"), is: text)
  }

  @Test(arguments: [(1, "1 entry"), (3, "3 entries")])
  func `a noun that takes more than an s has its own plural`(count: Int, text: String) {
    expect(String.counting(count, "entry", "entries"), is: text)
  }

  /// The sources of the program that have a word, each with its path.
  private func sources(with word: String) throws -> [(path: String, text: String)] {
    let root = URL(filePath: BuiltProgram.packageRoot + "Sources")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    let found = (files?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" }
    try require(found.count > 300)
    return try found.map {
      (path: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8))
    }
    .filter { $0.text.contains(word) }
  }

  @Test func `no message makes a plural of its own`() throws {
    let own = try sources(with: #"== 1 ? "" : "s""#).map(\.path)
    expect(own, is: [])
  }

  @Test func `no message of the program has a time of UTC in it`() throws {
    let own = try sources(with: "rfc3339").filter { source in
      // The descriptions of the library's errors are read by programs in every zone.
      !source.path.hasSuffix("Error+Description.swift")
        && !source.path.hasSuffix("Fault+Description.swift")
        && source.text.split(separator: "\n").contains { line in
          // The comments of key files are for machines of every zone.
          line.contains(#/".*\\\([^)]*rfc3339\)/#) && !line.contains("created: ")
            && !line.contains(#""unlock \("#)
        }
    }
    expect(own.map(\.path), is: [])
  }

  @Test func `what has been so for a time is not said to be so since then`() throws {
    let own = try sources(with: " since").filter { source in
      source.text.split(separator: "\n").contains {
        $0.contains(#/(is|are) (unlocked|locked|over|due) since/#) && !$0.contains("//")
      }
    }
    expect(own.map(\.path), is: [])
  }
}
