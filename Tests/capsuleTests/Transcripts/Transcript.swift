import CapsuleCore
import TestSupport

@testable import ProgramTestHelpers

/// A file of prose, commands and what they print, or a page of Markdown with some of them; `Tests/Transcripts/README.md`
/// describes both.
struct Transcript {
  enum Part {
    case prose(String)
    case step(Step)
  }

  /// One command with what stands beneath it.
  struct Step {
    /// The number of the command's line, from 1.
    var line: Int
    /// The lines of the command, as they stand, without their indent.
    var source: [String]
    /// The command, its lines joined.
    var command: String
    /// What the command reads; `nil` where nothing is given.
    var input: String?
    /// What stands beneath it: output, questions, answers, the exit status.
    var expected: [String]
    /// Whether it is on a page of Markdown, as a terminal shows it: without an indent and marks.
    var isPlain = false

    /// The answers that are typed.
    var answers: [String] {
      expected.compactMap { line in
        line == "<" ? "" : line.hasPrefix("< ") ? String(line.dropFirst(2)) : nil
      }
    }

    /// Whether questions or answers stand beneath it, so that there is a terminal.
    var asks: Bool {
      expected.contains { ["?", "<"].contains($0) || ["? ", "< "].contains($0.prefix(2)) }
    }
  }

  var parts: [Part]

  /// - Throws: ``TestFault`` where an indented line belongs to no command.
  init(_ text: String) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    parts = []
    var number = 0
    while number < lines.count {
      let line = lines[number]
      guard line.hasPrefix("  ") else {
        parts.append(.prose(line))
        number += 1
        continue
      }
      guard line.hasPrefix("  $ ") else {
        throw TestFault("line \(number + 1) is indented and belongs to no command")
      }
      let start = number
      var block = [line]
      while true {
        number += 1
        // Empty lines between those of one output are part of it; those that come after it are not.
        let next = lines[number...].firstIndex { !$0.isEmpty } ?? lines.count
        guard next < lines.count, lines[next].hasPrefix("  "), !lines[next].hasPrefix("  $ ") else {
          break
        }
        block += lines[number...next]
        number = next
      }
      parts.append(.step(Step(block.map { String($0.dropFirst(2)) }, line: start + 1)))
    }
  }

  /// A page of Markdown. Its commands are those in the blocks of the language `console` behind a comment that begins
  /// with `transcript`, and those in the comment.
  init(page text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
    if lines.last == "" { lines.removeLast() }
    parts = []
    var number = 0, end: String?, isRead = false
    while let line = lines.popFirst() {
      number += 1
      if line == end {
        end = nil
      } else if line.hasPrefix("<!-- transcript") {
        isRead = true
        if !line.hasSuffix("-->") { end = "-->" }
      } else if end == nil, isRead, line == "```console" {
        end = "```"
      }
      guard let end, line.hasPrefix("$ ") else {
        parts.append(.prose(line))
        continue
      }
      var block = [line]
      while let next = lines.first, next != end, !next.hasPrefix("$ ") {
        block.append(lines.removeFirst())
      }
      // The space between two commands belongs to neither.
      let space = block.reversed().prefix { $0.isEmpty }.count
      parts.append(.step(Step(block.dropLast(space), line: number, isPlain: true)))
      parts += repeatElement(.prose(""), count: space)
      number += block.count - 1
    }
  }

  /// The file's text.
  var text: String {
    parts.map { part in
      switch part {
      case .prose(let line): line + "\n"
      case .step(let step): step.text
      }
    }.joined()
  }
}

extension Transcript.Step {
  /// - Parameter block: the lines from the command on.
  init(_ block: [String], line: Int, isPlain: Bool = false) {
    var rest = block[...]
    source = [rest.removeFirst()]
    command = String(source[0].dropFirst(2))
    while command.hasSuffix("\\"), let next = rest.first, next.hasPrefix("> ") {
      rest.removeFirst()
      source.append(next)
      command = String(command.dropLast()) + next.dropFirst(2)
    }
    while let next = rest.first, next == ">" || next.hasPrefix("> ") {
      rest.removeFirst()
      source.append(next)
      input = (input ?? "") + next.dropFirst(2) + "\n"
    }
    expected = Array(rest)
    self.line = line
    self.isPlain = isPlain
  }

  var text: String {
    (source + expected).map { $0.isEmpty || isPlain ? "\($0)\n" : "  \($0)\n" }.joined()
  }
}

/// What was printed, as lines of a transcript.
enum TranscriptLines {
  static func lines(_ said: [TestHost.Said], status: Int32) -> [String] {
    var result: [String] = []
    var rest = said[...]
    while let first = rest.popFirst() {
      switch first {
      case .output(var bytes):
        while case .output(let more)? = rest.first {
          bytes += more
          rest.removeFirst()
        }
        result += lines(bytes, mark: "")
      case .error(var bytes):
        while case .error(let more)? = rest.first {
          bytes += more
          rest.removeFirst()
        }
        result += lines(bytes, mark: "!")
      case .question(let text): result += terminal(Array(text.utf8))
      case .shown(let bytes): result += terminal(bytes)
      case .answer(let text): result.append(text.isEmpty ? "<" : "< " + text)
      }
    }
    // A line that is empty at the end would be taken for the space to what comes after it.
    if result.last == "" { result[result.count - 1] = "(esc)" }
    return status == 0 ? result : result + ["[\(status)]"]
  }

  /// The same on a page of Markdown: a terminal shows no marks.
  static func plain(_ said: [TestHost.Said]) -> [String] {
    let bytes = said.flatMap { part in
      switch part {
      case .output(let bytes), .error(let bytes), .shown(let bytes): bytes
      case .question(let text), .answer(let text): Array(text.utf8)
      }
    }
    return lines(bytes, mark: "|").map { String($0.dropFirst(2)) }
  }

  /// Text on the terminal itself, where the cursor waits behind a question.
  private static func terminal(_ bytes: [UInt8]) -> [String] {
    var bytes = bytes
    while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    return lines(bytes, mark: "?")
  }

  private static func lines(_ bytes: [UInt8], mark: String) -> [String] {
    if bytes.isEmpty { return [] }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let isWhole = lines.last?.isEmpty == true
    if isWhole { lines.removeLast() }
    return lines.enumerated().map { place, line in
      let end = isWhole || place < lines.count - 1 ? "" : " (no-eol)"
      let text = self.text(Array(line), isMarked: !mark.isEmpty) + end
      return mark.isEmpty ? text : text.isEmpty ? mark : mark + " " + text
    }
  }

  /// A line as text. What an editor would change or hide, or a reader would take for a mark, is escaped.
  private static func text(_ bytes: [UInt8], isMarked: Bool) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    let isAmbiguous =
      !isMarked
      && (["$", ">", "!", "?", "<"].contains { text == $0 || text.hasPrefix($0 + " ") }
        || exitStatus(text) != nil)
    let isSpaced = bytes.last == UInt8(ascii: " ") || bytes.last == UInt8(ascii: "\t")
    if Array(text.utf8) == bytes, !isAmbiguous, !isSpaced,
      !text.unicodeScalars.contains(where: isHidden)
    {
      return text
    }
    var escaped = ""
    func escape(_ bytes: some Sequence<UInt8>) {
      for byte in bytes { escaped += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    }
    var rest = bytes[...]
    while let first = rest.first {
      let isEdge = rest.count == bytes.count && isAmbiguous || rest.count == 1 && isSpaced
      let scalar = leadingScalar(rest)
      let count = scalar.map { UTF8.width($0) } ?? 1
      if first == UInt8(ascii: "\\") {
        escaped += "\\\\"
      } else if let scalar, !isEdge, !isHidden(scalar) {
        escaped.unicodeScalars.append(scalar)
      } else {
        escape(rest.prefix(count))
      }
      rest = rest.dropFirst(count)
    }
    return escaped + " (esc)"
  }

  /// The scalar that bytes begin with; `nil` where they begin with none.
  private static func leadingScalar(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    var decoder = UTF8()
    var bytes = bytes.makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&bytes) else { return nil }
    return scalar
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    let kinds: [Unicode.GeneralCategory] = [
      .control, .format, .lineSeparator, .paragraphSeparator, .unassigned,
    ]
    return scalar != "\t" && kinds.contains(scalar.properties.generalCategory)
  }

  /// The exit status that a line of a transcript stands for; `nil` where it is another line.
  static func exitStatus(_ line: String) -> Int? {
    line.hasPrefix("[") && line.hasSuffix("]") ? Int(line.dropFirst().dropLast()) : nil
  }
}
