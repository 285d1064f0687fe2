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

extension ReferencePage {
  /// Returns the page in the `man` macros of roff.
  ///
  /// - Parameter section: the section of the manual: 1 commands, 5 files, 7 conventions.
  func manual(section: Int = 1, version: String) -> String {
    let title = name.isEmpty ? "capsule" : "capsule-" + name
    var lines = [
      #".\" Made from the table of commands by Scripts/generate."#,
      ".TH \"\(title.uppercased())\" \(section) \"\" \"capsule \(version)\" \"Capsule Manual\"",
      ".SH NAME",
      Self.text(title) + #" \- "# + Self.text(summary),
    ]
    if !usage.isEmpty {
      lines.append(".SH SYNOPSIS")
      lines += usage.flatMap { [".B " + Self.text($0), ".br"] }.dropLast()
    }
    for (index, section) in sections.enumerated() {
      if let title = section.title {
        lines.append(
          section.isNested ? ".SS " + Self.text(title) : ".SH " + Self.text(title.uppercased()))
      } else {
        lines.append(index == 0 ? ".SH DESCRIPTION" : ".PP")
      }
      for block in section.blocks { lines += Self.lines(block) }
    }
    if !related.isEmpty {
      lines.append(".SH SEE ALSO")
      for (index, name) in related.enumerated() {
        let parts = name.split(separator: "(")
        lines.append(
          ".BR \(Self.text(String(parts[0]))) (\(parts[1])" + (index < related.count - 1 ? "," : "")
        )
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ block: Block) -> [String] {
    switch block {
    case .prose(.paragraph(let text)):
      return [".PP", text.isEmpty ? "" : withBoldCode(text)]
    case .prose(.list(let items)):
      return items.flatMap { [#".IP \(bu 2"#, withBoldCode($0)] }
    case .prose(.verbatim(let lines)):
      return [".PP", ".RS 4", ".nf"] + lines.map(line) + [".fi", ".RE"]
    case .definitions(let entries):
      return entries.flatMap { [".TP", ".B " + text($0.term), withBoldCode($0.text)] }
    case .examples(let examples):
      return examples.flatMap {
        [".PP", withBoldCode($0.meaning) + ":", ".PP", ".RS 4", ".nf", line($0.line), ".fi", ".RE"]
      }
    }
  }

  private static func withBoldCode(_ text: String) -> String {
    line(
      ProseBlock.pieces(of: text)
        .map { $0.isCode ? #"\fB"# + Self.text($0.text) + #"\fR"# : Self.text($0.text) }.joined(),
      isEscaped: true)
  }

  /// Returns a line of text, with a guard in front of a dot or quote that would begin a request.
  private static func line(_ text: String, isEscaped: Bool) -> String {
    text.hasPrefix(".") || text.hasPrefix("'") ? #"\&"# + text : text
  }

  private static func line(_ text: String) -> String {
    line(Self.text(text), isEscaped: true)
  }

  /// Returns text with escapes for the characters that mean something to roff.
  private static func text(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "\\": result += #"\e"#
      case "-": result += #"\-"#
      case "…": result += #"\[u2026]"#
      case "'": result += #"\(aq"#
      case "`": result += #"\(ga"#
      case "^": result += #"\(ha"#
      case "~": result += #"\(ti"#
      default:
        if let scalar = character.unicodeScalars.first, scalar.value > 0x7e {
          for scalar in character.unicodeScalars {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            result +=
              #"\[u"# + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
          }
        } else {
          result.append(character)
        }
      }
    }
  }
}

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

/// `capsule help`: the commands of every day and the nouns, on one screen of 80 columns and 24 lines.
enum FirstScreen {
  private static let everyday = [
    "create", "list", "show", "open", "add", "edit", "delete", "agenda", "countdown", "search",
    "check",
  ]

  /// What else there is, a line each.
  private static let others = [
    ("event", "dates to count down to, deadlines, calendars"),
    ("item", "things you own or look after, and their history"),
    ("beneficiary", "people: who inherits, and who gets letters"),
    ("bequest", "what each person receives: bequeath, deliver, estate"),
    ("trustees", "people who can open things together after your death"),
    ("switch", "dead man's switch: tell people when you stop checking in"),
    ("sync", "one store on several devices"),
    ("store", "keep it safe: protect, accept; verify, repair, backup, trash"),
    ("settings", "how dates, lists and pictures are shown"),
  ]

  static func lines(_ table: CommandTable, columns: Int) -> [StyledText] {
    let width = others.map(\.0.count).max() ?? 0
    func line(_ name: String, _ text: String) -> StyledText {
      let padding = String(repeating: " ", count: width - name.count)
      let line: StyledText = "  \(name, .bold)\(padding)  \(text)"
      return line.cut(to: columns)
    }
    var lines: [StyledText] = ["\("Usage:", .bold) capsule COMMAND [OPTION…] [OPERAND…]"]
    lines += everyday.compactMap { name in
      table.command([name]).map { line(name, $0.summary) }
    }
    lines.append("\("More:", .bold)")
    lines += others.map { line($0, $1) }
    lines.append("Learn more: capsule help COMMAND. Everything: capsule help --all.")
    return lines
  }
}
