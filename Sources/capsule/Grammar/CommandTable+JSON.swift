import CapsuleCore

extension CommandTable {
  /// Returns the whole table, or the part of it that the subject is about, for programs.
  func json(_ subject: HelpSubject = .overview) -> JSON {
    let shown: [Command]
    var topics: [HelpTopic] = []
    switch subject {
    case .overview, .everything:
      shown = visibleCommands
      topics = self.topics
    case .noun(let group): shown = group.commands.filter { !$0.isHidden }
    case .command(let command): shown = [command]
    case .topic(let topic):
      shown = []
      topics = [topic]
    }
    return [
      "commands": .array(shown.map(\.json)),
      "exitCodes": .array(ExitCode.allCases.map(\.json)),
      "topics": .array(
        topics.map { topic in
          ["name": .string(topic.name), "summary": .string(topic.summary)]
        }),
      "version": .string(Version.text),
    ]
  }
}

extension Command {
  fileprivate var json: JSON {
    let codes = Set(ExitCode.common + exitCodes).map { Int64($0.rawValue) }.sorted()
    return [
      "discussion": .string(discussion),
      "examples": .array(
        examples.map { ["line": .string($0.line), "meaning": .string($0.meaning)] }),
      "exitCodes": .array(codes.map { .integer($0) }),
      "json": .bool(outputs.contains(.json)),
      "name": .string(name),
      "ndjson": .bool(outputs.contains(.ndjson)),
      "operands": .array(operands.map(\.operandJSON)),
      "options": .array(allOptions.map(\.optionJSON)),
      "summary": .string(summary),
    ]
  }
}

extension ParameterDeclaration {
  fileprivate var optionJSON: JSON {
    [
      "choices": completion.json,
      "default": fallback.map { .string($0) } ?? .null,
      "help": .string(help),
      "name": .string("--" + name),
      "repeatable": .bool(isRepeatable),
      "short": short.map { .string("-\($0)") } ?? .null,
      "value": valueName.map { .string($0) } ?? .null,
    ]
  }

  fileprivate var operandJSON: JSON {
    [
      "choices": completion.json,
      "help": .string(help),
      "name": .string(name),
      "repeatable": .bool(isRepeatable),
      "required": .bool(minimum > 0),
    ]
  }
}

extension Completion {
  /// The values that there are, where they are few and known.
  fileprivate var json: JSON {
    if case .choices(let choices) = self { .array(choices.map { .string($0) }) } else { .null }
  }
}

extension ExitCode {
  fileprivate var json: JSON {
    [
      "code": .integer(Int64(rawValue)),
      "kinds": .array(kinds.map { .string($0) }),
      "meaning": .string(meaning),
    ]
  }
}
