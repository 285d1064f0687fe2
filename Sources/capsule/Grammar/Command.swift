/// One command, declared once: the parser, the help and every reference are made from it.
package struct Command: Sendable {
  /// The words that name it: `["create"]`, `["event", "add"]`.
  package let path: [String]
  /// What it does, in the imperative, at most 60 characters, without a full stop.
  package let summary: String
  /// More about it: paragraphs with an empty line between; lines that start with two spaces are
  /// shown as they stand, words in backquotes as code.
  package let discussion: String
  package let operands: [OperandSpec]
  /// Its own options, without those that every command has.
  package let options: [OptionSpec]
  package let outputs: Outputs
  package let examples: [Example]
  /// The codes it may end with, besides 0, 2, 10 and 13, which every command may.
  package let exitCodes: [ExitCode]
  /// Whether it is left out of help and references.
  package let isHidden: Bool
  package let run: Run

  package typealias Run = @Sendable (Invocation, Session) throws -> ExitCode

  package init(
    _ path: String..., summary: String, discussion: String = "",
    operands: [any OperandDeclaration] = [], options: [any OptionDeclaration] = [],
    outputs: Outputs = [], examples: [Example] = [], exitCodes: [ExitCode] = [],
    isHidden: Bool = false, run: @escaping Run
  ) {
    self.path = path
    self.summary = summary
    self.discussion = discussion
    self.operands = operands.map(\.spec)
    self.options = options.map(\.spec)
    self.outputs = outputs
    self.examples = examples
    self.exitCodes = exitCodes
    self.isHidden = isHidden
    self.run = run
  }

  /// The command as it is typed: `event add`.
  package var name: String { path.joined(separator: " ") }

  /// Every option that may be given to it, its own first.
  package var allOptions: [OptionSpec] {
    options + GlobalOptions.specs(for: outputs)
  }
}

/// The machine-readable forms that a command can answer in.
package struct Outputs: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `--json`: one value.
  package static let json = Outputs(rawValue: 1)
  /// `--ndjson`: one object a line, as they come; lists and live commands have both.
  package static let ndjson = Outputs(rawValue: 2)
}

/// A command line and what it does.
package struct Example: Sendable {
  /// The line as it is typed in a shell, from `capsule` on.
  package let line: String
  /// What it does, without a full stop.
  package let meaning: String

  package init(_ line: String, _ meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}
