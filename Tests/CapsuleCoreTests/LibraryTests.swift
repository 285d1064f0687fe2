import Foundation
import Testing

@Suite struct LibraryTests {
  private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  @Test func `the example in the library's documentation is the one that is compiled here`() throws
  {
    let page = try String(
      contentsOf: folder.appending(path: "../../docs/library.md"), encoding: .utf8)
    let example = try String(
      contentsOf: folder.appending(path: "LibraryExample.swift"), encoding: .utf8)
    #expect(page.contains("<!-- example -->\n```swift\n\(example)```\n<!-- /example -->"))
  }

  @Test func `the example seals, is refused, and opens`() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: place) }
    #expect(try example(directory: place.path) == #"["To Mia at 18"] 200000000 Hello, Mia."#)
  }
}
