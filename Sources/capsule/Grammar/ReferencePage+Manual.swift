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
      return [".PP", text.isEmpty ? "" : styled(text)]
    case .prose(.list(let items)):
      return items.flatMap { [#".IP \(bu 2"#, styled($0)] }
    case .prose(.verbatim(let lines)):
      return [".PP", ".RS 4", ".nf"] + lines.map(line) + [".fi", ".RE"]
    case .definitions(let entries):
      return entries.flatMap { [".TP", ".B " + text($0.term), styled($0.text)] }
    case .examples(let examples):
      return examples.flatMap {
        [".PP", styled($0.meaning) + ":", ".PP", ".RS 4", ".nf", line($0.line), ".fi", ".RE"]
      }
    }
  }

  private static func styled(_ text: String) -> String {
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
