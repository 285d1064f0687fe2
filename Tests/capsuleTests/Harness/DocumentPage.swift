import TestSupport
import Testing

/// A page of the documents in Markdown: its links, its headings, and which pages there are.
struct DocumentPage {
  /// The lines outside of fenced blocks.
  private let lines: [Substring]

  init(_ text: String) {
    var isInside = false
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
      let isFence = line.drop { $0 == " " }.hasPrefix("```")
      if isFence { isInside.toggle() }
      return !isFence && !isInside
    }
  }

  /// The targets of links and pictures, in the order of the page.
  var links: [String] {
    lines.flatMap { line -> [String] in
      var found: [String] = []
      var rest = line
      while let start = ["](", "src=\""].compactMap({ rest.firstRange(of: $0) })
        .min(by: { $0.lowerBound < $1.lowerBound })
      {
        let end: Character = rest[start] == "](" ? ")" : "\""
        rest = rest[start.upperBound...]
        found.append(String(rest.prefix { $0 != end }))
      }
      return found
    }
  }

  /// The anchors of the headings, as GitHub makes them.
  var anchors: [String] {
    var seen: [String: Int] = [:]
    return lines.filter { $0.hasPrefix("#") }.map { line in
      let heading = line.drop { $0 == "#" }.drop { $0 == " " }
      let anchor = String(
        heading.lowercased().compactMap { character -> Character? in
          if character == " " { return "-" }
          let isKept = character.isLetter || character.isNumber || "-_".contains(character)
          return isKept ? character : nil
        })
      let count = seen[anchor, default: 0]
      seen[anchor] = count + 1
      return count == 0 ? anchor : "\(anchor)-\(count)"
    }
  }

  /// The path from the root of what a page's link names.
  static func resolved(_ link: String, from page: String) throws -> String {
    if link.isEmpty { return page }
    var parts = page.split(separator: "/").dropLast().map(String.init)
    for part in link.split(separator: "/") where part != "." {
      if part == ".." {
        try require(!parts.isEmpty, "\(page) links out of the repository: \(link)")
        parts.removeLast()
      } else {
        parts.append(String(part))
      }
    }
    return parts.isEmpty ? "." : parts.joined(separator: "/")
  }

  /// The documents whose links are held.
  static let all =
    ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "Tests/Transcripts/README.md"]
    + pages(in: "docs") + pages(in: "contrib")

  /// The pages for users.
  static let forUsers = all.filter { page in
    page.hasPrefix("docs/") && !page.hasPrefix("docs/internals/") && !page.hasPrefix("docs/schema/")
  }

  private static func pages(in folder: String) -> [String] {
    RepositoryFile.names(in: folder).sorted().flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      return name.hasSuffix(".md") ? [path] : name.contains(".") ? [] : pages(in: path)
    }
  }
}
