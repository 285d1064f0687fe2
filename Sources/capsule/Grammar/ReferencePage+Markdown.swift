extension ReferencePage {
  /// Returns the page in Markdown.
  ///
  /// - Parameters:
  ///   - level: the level of its heading.
  ///   - title: the heading, where that is not the command.
  func markdown(level: Int, heading title: String? = nil) -> String {
    let heading = String(repeating: "#", count: level)
    let title = title ?? (name.isEmpty ? "capsule" : "`capsule \(name)`")
    var parts = ["\(heading) \(title)", summary + "."]
    if !usage.isEmpty { parts.append("```\n" + usage.joined(separator: "\n") + "\n```") }
    for section in sections {
      if let title = section.title { parts.append("\(heading)# \(title)") }
      parts += section.blocks.map(Self.text)
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func text(_ block: Block) -> String {
    switch block {
    case .prose(.paragraph(let text)): escaped(text)
    case .prose(.list(let items)):
      items.map { "- " + escaped($0) }.joined(separator: "\n")
    case .prose(.verbatim(let lines)): "```\n" + lines.joined(separator: "\n") + "\n```"
    case .definitions(let entries):
      entries.map { "- `\($0.term)`: \(escaped($0.text))" }.joined(separator: "\n")
    case .examples(let examples):
      examples.map { "\($0.meaning):\n\n```sh\n\($0.line)\n```" }.joined(separator: "\n\n")
    }
  }

  /// Returns text outside of code in which `<`, `*` and `_` stand for themselves.
  private static func escaped(_ text: String) -> String {
    ProseBlock.pieces(of: text).reduce(into: "") { result, piece in
      if piece.isCode {
        result += "`\(piece.text)`"
      } else {
        for character in piece.text {
          if "<*_|".contains(character) { result += "\\" }
          result.append(character)
        }
      }
    }
  }
}
