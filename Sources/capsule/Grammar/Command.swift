import CapsuleCore

/// One command, declared once: the parser, the help and every reference are made from it.
struct Command: Sendable {
  /// The words that name it: `["create"]`, `["event", "add"]`.
  let path: [String]
  /// Its purpose, in the imperative, at most 60 characters, without a full stop.
  let summary: String
  /// More about it: paragraphs with an empty line between; lines that start with two spaces are
  /// shown as they stand, words in backquotes as code.
  let discussion: String
  let operands: Parameters
  /// Its own options, without those that every command has.
  let options: Parameters
  let outputs: Outputs
  let examples: [Example]
  /// The codes it may end with, besides 0, 2, 10 and 13, which every command may.
  let exitCodes: [ExitCode]
  /// Whether it is left out of help and references.
  let isHidden: Bool
  let run: Run
  /// The records that it offers where its operand is missing; `nil` for a plain question.
  private(set) var offers: Offers?

  /// Returns the records that are likely meant, the first ones first.
  typealias Offers = @Sendable (Store, Session) throws -> [FoundRecord]

  typealias Run = @Sendable (Invocation, Session) throws -> Answer

  init(
    _ path: [String], summary: String, discussion: String = "", operands: Parameters = [],
    options: Parameters = [], outputs: Outputs = [], examples: [Example] = [],
    exitCodes: [ExitCode] = [], isHidden: Bool = false, run: @escaping Run
  ) {
    self.path = path
    self.summary = summary
    self.discussion = discussion
    self.operands = operands
    self.options = options
    self.outputs = outputs
    self.examples = examples
    self.exitCodes = exitCodes
    self.isHidden = isHidden
    self.run = run
  }

  init(
    _ path: String..., summary: String, discussion: String = "", operands: Parameters = [],
    options: Parameters = [], outputs: Outputs = [], examples: [Example] = [],
    exitCodes: [ExitCode] = [], isHidden: Bool = false, run: @escaping Run
  ) {
    self.init(
      path, summary: summary, discussion: discussion, operands: operands, options: options,
      outputs: outputs, examples: examples, exitCodes: exitCodes, isHidden: isHidden, run: run)
  }

  /// The command as it is typed: `event add`.
  var name: String { path.joined(separator: " ") }

  /// Whether it changes no record: it never waits for the store. A countdown keeps a beacon at most.
  var isReading: Bool { !exitCodes.contains(.busy) || path == ["countdown"] }

  /// Returns the command with records that it offers where its operand is missing.
  func offering(_ offers: @escaping Offers) -> Command {
    var command = self
    command.offers = offers
    return command
  }

  /// Every option that may be given to it, its own first.
  var allOptions: Parameters { options + GlobalOptions.all(for: outputs) }
}

/// The machine-readable forms that a command can answer in.
struct Outputs: OptionSet, Sendable {
  let rawValue: UInt8
  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `--json`: one value.
  static let json = Outputs(rawValue: 1)
  /// `--ndjson`: one object a line, as they come; lists and live commands have both.
  static let ndjson = Outputs(rawValue: 2)
}

/// A command line and its purpose.
struct Example: Sendable {
  /// The line as it is typed in a shell, from `capsule` on.
  let line: String
  /// Its purpose, without a full stop.
  let meaning: String

  init(_ line: String, _ meaning: String) {
    self.line = line
    self.meaning = meaning
  }
}

/// Commands that help shows together.
///
/// They are made when they are first asked for: a command line needs a few of the program's hundred.
struct CommandGroup: Sendable {
  let title: String
  /// The first word of all of its commands (`event`); `nil` for verbs of their own.
  let noun: String?
  /// The purpose of the noun's commands, for a group with a noun.
  let summary: String
  /// The verb that the noun alone stands for; without one it shows help.
  let defaultVerb: String?
  private let make: @Sendable () -> [Command]

  var commands: [Command] { make() }

  /// The commands that help shows.
  var visibleCommands: [Command] { commands.filter { !$0.isHidden } }

  /// What these are called, behind the noun where there is one.
  var verbs: [String] { visibleCommands.compactMap(\.path.last) }

  /// Verbs of their own.
  init(_ title: String, _ commands: @autoclosure @escaping @Sendable () -> [Command]) {
    self.title = title
    noun = nil
    summary = ""
    defaultVerb = nil
    make = commands
  }

  /// The verbs of a noun.
  init(
    _ title: String, noun: String, summary: String, default verb: String? = nil,
    _ commands: @autoclosure @escaping @Sendable () -> [Command]
  ) {
    defaultVerb = verb
    self.title = title
    self.noun = noun
    self.summary = summary
    make = commands
  }
}
