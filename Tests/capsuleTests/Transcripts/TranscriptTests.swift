import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What the program does, told as a terminal shows it: the files in `Tests/Transcripts`.
@Suite struct TranscriptTests {
  private static let folder = "Tests/Transcripts/"
  private static let names = RepositoryFile.names(in: folder).filter(isChosen).sorted()

  /// Whether the variable `CAPSULE_TRANSCRIPT` names a file, as `open,person` does; all are chosen without it.
  private static func isChosen(name: String) -> Bool {
    let chosen =
      getenv("CAPSULE_TRANSCRIPT").map { String(cString: $0).split(separator: ",") } ?? []
    return name.hasSuffix(".txt") && (chosen.isEmpty || chosen.contains(name.dropLast(4)))
  }

  /// The pages of Markdown with commands that are run.
  private static let pages = RepositoryFile.paths(in: "", suffix: ".md")
    .filter { RepositoryFile.content($0)?.contains("\n<!-- transcript") == true }

  @Test(arguments: names)
  func `a transcript shows what the program prints`(name: String) throws {
    try hold(Self.folder + name, as: name) { try Transcript($0) }
  }

  @Test(arguments: pages)
  func `a page shows what a terminal shows`(path: String) throws {
    try hold(path, as: path) { Transcript(page: $0) }
  }

  private func hold(_ path: String, as name: String, parse: (String) throws -> Transcript) throws {
    let text = try require(RepositoryFile.content(path))
    let rewriting = try Rewriting.current
    var transcript = try parse(text)
    let time = try ProcessorTime.seconds {
      let shell = try TranscriptShell(name: name)
      for (place, part) in transcript.parts.enumerated() {
        guard case .step(var step) = part else { continue }
        let check = try TranscriptCheck(step, in: shell)
        if rewriting.allows(check) {
          step.expected = check.printed
          transcript.parts[place] = .step(step)
        } else {
          check.record(in: path)
        }
      }
    }
    expect(time < 2, "\(name) takes \(time) s")
    if transcript.text != text {
      try require(rewriting != .off, "\(name) is not laid out as it is written")
      try RepositoryFile.write(transcript.text, to: path)
    }
  }

  @Test func `there are transcripts`() {
    expect(!Self.names.isEmpty)
    expect(Self.pages.contains("README.md"))
  }
}

/// What the variable `CAPSULE_TRANSCRIPTS` lets the tests write.
enum Rewriting {
  case off
  /// `write`: words that changed.
  case words
  /// `write-all`: whatever changed.
  case all

  static var current: Rewriting {
    get throws {
      guard let value = getenv("CAPSULE_TRANSCRIPTS"), getenv("CI") == nil else { return .off }
      switch String(cString: value) {
      case "write": return .words
      case "write-all": return .all
      case let value:
        throw TestFault("CAPSULE_TRANSCRIPTS is write or write-all, and not '\(value)'")
      }
    }
  }

  func allows(_ check: TranscriptCheck) -> Bool {
    switch self {
    case .off: false
    case .words: check.fault == nil && !check.changesFacts
    case .all: check.fault == nil
    }
  }
}

/// A step of a transcript beside what it printed.
struct TranscriptCheck {
  let step: Transcript.Step
  private(set) var printed: [String] = []
  /// Why the step could not be run as it stands.
  private(set) var fault: String?
  private var showsFacts = false

  init(_ step: Transcript.Step, in shell: TranscriptShell) throws {
    self.step = step
    do {
      let outcome = try shell.run(step)
      printed =
        step.isPlain
        ? TranscriptLines.plain(outcome.said)
        : TranscriptLines.lines(outcome.said, status: outcome.status)
      showsFacts = outcome.showsFacts
      if !outcome.answersLeft.isEmpty {
        fault = "nothing asked for the answer '\(outcome.answersLeft[0])'"
      } else if step.isPlain, outcome.status != 0,
        !printed.contains(where: { $0.contains("error:") })
      {
        fault = "the exit status is \(outcome.status), and nothing shows it"
      }
    } catch let error as TestFault {
      fault = error.description
    }
  }

  /// Whether more than words changed: an exit status, a file, a member of JSON, what is asked for.
  var changesFacts: Bool {
    if printed == step.expected { return false }
    return showsFacts || Self.facts(printed) != Self.facts(step.expected)
  }

  /// What is the same where only words changed: the exit status, the answers, how many questions there are,
  /// and JSON without its messages.
  private static func facts(_ lines: [String]) -> [String] {
    var facts: [String] = []
    var output: [String] = []
    var errors: [String] = []
    for line in lines {
      if TranscriptLines.exitStatus(line) != nil || line == "<" || line.hasPrefix("< ") {
        facts.append(line)
      } else if line == "?" || line.hasPrefix("? ") {
        facts.append("?")
      } else if line.hasPrefix("! ") {
        errors.append(String(line.dropFirst(2)))
      } else {
        output.append(line)
      }
    }
    // JSON is one value, or one a line.
    for text in [output.joined(separator: "\n")] + output + errors {
      guard let value = try? JSON.parse(Array(text.utf8)), value.object != nil || value.array != nil
      else { continue }
      facts.append(String(decoding: withoutWords(value).encoded(.compact), as: UTF8.self))
    }
    return facts
  }

  private static func withoutWords(_ value: JSON) -> JSON {
    switch value {
    case .array(let elements): return .array(elements.map(withoutWords))
    case .object(let object):
      return .object(
        JSONObject(
          object.map { member in
            let isWords = ["message", "hint"].contains(member.key) && member.value.string != nil
            return (member.key, isWords ? "" : withoutWords(member.value))
          }))
    default: return value
    }
  }

  /// Records what differs, at its line in the file.
  func record(in path: String) {
    if let fault {
      Issue.record("\(step.source[0])\n  \(fault)", sourceLocation: location(path, 0))
    } else if printed != step.expected {
      let (lines, first) = difference
      Issue.record(
        "\(step.source.joined(separator: "\n"))\n\(lines.joined(separator: "\n"))",
        sourceLocation: location(path, step.source.count + first))
    }
  }

  private func location(_ path: String, _ offset: Int) -> SourceLocation {
    SourceLocation(
      fileID: "Transcripts/" + path, filePath: BuiltProgram.packageRoot + path,
      line: step.line + offset, column: 1)
  }

  /// The lines of both, `-` before those of the file and `+` before those that were printed, and the number
  /// of the first line in the file that differs.
  private var difference: (lines: [String], first: Int) {
    let changes = printed.difference(from: step.expected)
    let removed = Set(changes.removals.map(Self.offset)),
      added = Set(changes.insertions.map(Self.offset))
    var lines: [String] = []
    var old = 0, new = 0
    while old < step.expected.count || new < printed.count {
      if removed.contains(old) {
        lines.append("- " + step.expected[old])
        old += 1
      } else if added.contains(new) {
        lines.append("+ " + printed[new])
        new += 1
      } else {
        lines.append("  " + printed[new])
        old += 1
        new += 1
      }
    }
    let first = zip(printed, step.expected).prefix { $0 == $1 }.count
    return (lines, min(first, max(step.expected.count - 1, 0)))
  }

  private static func offset(_ change: CollectionDifference<String>.Change) -> Int {
    switch change {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
