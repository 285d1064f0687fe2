import TestSupport
import Testing

@testable import ProgramTestHelpers

/// The links of the documents lead somewhere.
@Suite struct LinkTests {
  /// Addresses of the project's pages on its host, seen from a document of the repository.
  private static let hosted = ["../../releases", "../../issues"]

  @Test(arguments: DocumentPage.all)
  func `every relative link leads to a file, and to a heading where it names one`(
    path: String
  ) throws {
    for link in DocumentPage(try DocumentText(path).text).links {
      if link.contains("://") || link.hasPrefix("mailto:") || Self.hosted.contains(link) {
        continue
      }
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        .map(String.init)
      let target = try DocumentPage.resolved(parts[0], from: path)
      guard RepositoryFile.bytes(target) != nil else {
        Issue.record("\(path) links to \(link), which is not there")
        continue
      }
      if parts.count == 2 {
        let anchors = DocumentPage(try DocumentText(target).text).anchors
        expect(anchors.contains(parts[1]), "\(path) links to \(link): no such heading")
      }
    }
  }

  @Test func `every page for users is reached from the map`() throws {
    var reached: Set<String> = ["docs/README.md"]
    var waiting = ["docs/README.md"]
    while let path = waiting.popLast() {
      for link in DocumentPage(try DocumentText(path).text).links where !link.contains("://") {
        let target = try DocumentPage.resolved(String(link.prefix { $0 != "#" }), from: path)
        guard target.hasSuffix(".md"), target.hasPrefix("docs/") else { continue }
        if reached.insert(target).inserted { waiting.append(target) }
      }
    }
    expect(Set(DocumentPage.forUsers).subtracting(reached).sorted(), is: [])
  }

  @Test func `links and anchors are read as a browser shows them`() {
    let page = DocumentPage(
      """
      # The `verify` command, and *more*

      See [one](a.md#x), [two](b.md), <img src="c.png">.

      ## Again
      ## Again
      ```sh
      # not a heading [no](link.md)
      ```
      """)
    expect(page.links, is: ["a.md#x", "b.md", "c.png"])
    expect(page.anchors, is: ["the-verify-command-and-more", "again", "again-1"])
  }
}
