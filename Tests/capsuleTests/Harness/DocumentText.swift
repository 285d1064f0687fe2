import TestSupport
import Testing

/// A document of the repository, and what stands in it between marks.
struct DocumentText {
  let text: String

  init(_ path: String) throws {
    text = try require(RepositoryFile.content(path), "there is no \(path)")
  }

  /// The fenced block that follows a mark.
  func block(after mark: String, language: String) throws -> String {
    let start = try require(
      text.firstRange(of: mark + "\n```" + language + "\n"), "\(mark) is missing"
    ).upperBound
    let end = try require(text[start...].firstRange(of: "```\n")).lowerBound
    return String(text[start..<end])
  }
}
