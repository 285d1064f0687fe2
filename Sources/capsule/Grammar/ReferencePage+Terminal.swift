import CapsuleCore

extension ReferencePage {
  /// Returns the page as lines for a terminal of so many columns.
  func lines(columns: Int) -> [StyledText] {
    var lines: [StyledText] = [StyledText(summary + ".")]
    if !usage.isEmpty { lines.append("") }
    for (index, line) in usage.enumerated() {
      let label: StyledText = index == 0 ? "\("Usage:", .bold) " : "       "
      lines.append(label + StyledText(line))
    }
    for section in sections {
      lines.append("")
      if let title = section.title { lines.append("\(title + ":", .bold)") }
      for (index, block) in section.blocks.enumerated() {
        if index > 0 { lines.append("") }
        lines += Self.lines(block, columns: columns)
      }
    }
    return lines
  }

  private static func lines(_ block: Block, columns: Int) -> [StyledText] {
    switch block {
    case .prose(.paragraph(let text)):
      return ProseBlock.wrap(text, columns: columns).map(styled)
    case .prose(.list(let items)):
      return items.flatMap { item in
        ProseBlock.wrap(item, columns: columns - 2).enumerated().map { place, line in
          StyledText(place == 0 ? "- " : "  ") + styled(line)
        }
      }
    case .prose(.verbatim(let lines)):
      return lines.map { StyledText("  " + $0) }
    case .definitions(let entries):
      return definitions(entries, columns: columns)
    case .examples(let examples):
      return examples.flatMap { example in
        [StyledText("  " + example.line, .bold), StyledText("      " + example.meaning + ".")]
      }
    }
  }

  private static func definitions(
    _ entries: [(term: String, text: String)], columns: Int
  ) -> [StyledText] {
    // Options with a short form stand under those without.
    let hasShort = entries.contains { $0.term.hasPrefix("-") && !$0.term.hasPrefix("--") }
    let terms = entries.map { hasShort && $0.term.hasPrefix("--") ? "    " + $0.term : $0.term }
    let indent = min(28, (terms.map { TextWidth.of($0) }.max() ?? 0) + 4)
    var lines: [StyledText] = []
    for (term, entry) in zip(terms, entries) {
      let texts = ProseBlock.wrap(entry.text, columns: max(24, columns - indent)).map(styled)
      let start = StyledText("  ") + StyledText(term, .bold)
      if start.width + 2 <= indent, let first = texts.first {
        lines.append(
          start + StyledText(String(repeating: " ", count: indent - start.width)) + first)
      } else {
        lines.append(start)
        if let first = texts.first {
          lines.append(StyledText(String(repeating: " ", count: indent)) + first)
        }
      }
      for text in texts.dropFirst() {
        lines.append(StyledText(String(repeating: " ", count: indent)) + text)
      }
    }
    return lines
  }

  private static func styled(_ text: String) -> StyledText {
    ProseBlock.pieces(of: text).reduce(into: StyledText()) { result, piece in
      result += StyledText(piece.text, piece.isCode ? .cyan : .plain)
    }
  }
}
