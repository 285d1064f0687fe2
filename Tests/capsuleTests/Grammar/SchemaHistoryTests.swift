import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The pages about the versions of the record format. `GeneratedFilesTests` compares the files with them.
@Suite struct SchemaHistoryTests {
  /// The SHA-256 of the pages of versions that others followed. Such a version stays as it is: a new member
  /// is named in the last entry of `RecordFormat.all`, or in a new one.
  private static let locked: [Int64: String] = [
    1: "3dd8b0abb5e7e58be8dadb625da0a1db02c5ac98438578d4f760a1ca86fe6331",
    2: "34cd62fe9b3c63d32594c384bd3d154788fd9cdc54e40fd842716196446f8790",
    3: "1e92ddbeeaed6e996a4e0dfa5af0fa7da512119172d67b7ac7a14de659beef03",
  ]

  @Test func `the page of a version that another one followed stays as it is`() {
    for version in RecordFormat.all.dropLast() {
      expect(
        Hex.encode(SHA256.hash(Array(version.page.utf8))), is: Self.locked[version.number],
        "version \(version.number)")
    }
  }

  @Test func `the folder has a page for each version and nothing else`() {
    let names = RepositoryFile.names(in: "docs/schema/history").map { "docs/schema/history/" + $0 }
    expect(Set(names), is: Set(RecordFormat.all.map(\.path)))
  }

  @Test func `a page shows the members of its version and of none that follows`() throws {
    let (first, last) = (
      try require(RecordFormat.all.first), try require(RecordFormat.all.last)
    )
    expect(last.page.contains("    string spare\n") && !first.page.contains("    string spare\n"))
    expect(last.page.contains("    array weekdays\n") && !first.page.contains("weekdays"))
    expect(last.page.contains("    array moved\n") && !first.page.contains("moved"))
    expect(first.page.contains("BEQUEST }o--o| BENEFICIARY : names"))
    expect(first.page.contains("A record of `capsules` stays as long as a live one of `bequests`"))
  }
}
