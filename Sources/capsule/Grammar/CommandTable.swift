import CapsuleCore

/// All commands, in the order of help.
struct CommandTable: Sendable {
  let groups: [CommandGroup]
  private let makeTopics: @Sendable () -> [HelpTopic]
  private let makeFamiliar: @Sendable () -> FamiliarNames

  init(
    groups: [CommandGroup], topics: @autoclosure @escaping @Sendable () -> [HelpTopic] = [],
    familiar: @autoclosure @escaping @Sendable () -> FamiliarNames = FamiliarNames()
  ) {
    self.groups = groups
    makeTopics = topics
    makeFamiliar = familiar
  }

  var topics: [HelpTopic] { makeTopics() }
  var familiar: FamiliarNames { makeFamiliar() }

  /// The command that a noun alone stands for.
  func defaultCommand(of noun: CommandGroup) -> Command? {
    guard let name = noun.noun, let verb = noun.defaultVerb else { return nil }
    return command([name, verb])
  }

  /// The options that may stand right behind a noun: those of all commands, and of the one that it alone
  /// stands for.
  func leadingOptions(of noun: CommandGroup) -> Parameters {
    let common = GlobalOptions.all(for: [.json, .ndjson])
    guard let command = defaultCommand(of: noun) else { return common }
    let own = command.allOptions
    return own + common.filter { option in !own.contains { $0.name == option.name } }
  }

  /// Every command, hidden ones too.
  var commands: [Command] { groups.flatMap(\.commands) }

  /// Every command that help shows.
  var visibleCommands: [Command] { commands.filter { !$0.isHidden } }

  /// The groups that have a command that help shows.
  var visibleGroups: [CommandGroup] { groups.filter { !$0.visibleCommands.isEmpty } }

  /// Returns the command of exactly this path.
  func command(_ path: [String]) -> Command? {
    let noun = path.count > 1 ? path.first : nil
    for group in groups where group.noun == noun {
      if let command = group.commands.first(where: { $0.path == path }) { return command }
    }
    return nil
  }

  func noun(_ name: String) -> CommandGroup? {
    groups.first { $0.noun == name && !$0.commands.isEmpty }
  }

  func topic(_ name: String) -> HelpTopic? {
    topics.first { $0.name == name }
  }

  /// Returns the command, the noun or both that some words name, where they are a name that is taken for another.
  func realName(of words: [String]) -> [String]? {
    guard let first = words.first else { return nil }
    let isKnown = noun(first) != nil || command([first]) != nil
    // A word may stand for a noun and its verb.
    let real = isKnown ? [first] : familiar.taken(first)?.parts(at: " ") ?? [first]
    var names = real + words.dropFirst()
    if names.count > 1, let noun = noun(names[0]), command(Array(names.prefix(2))) == nil {
      names[1] = familiar.taken(names[1], behind: names[0], among: noun.verbs) ?? names[1]
    }
    return names == words ? nil : names
  }

  /// The words that may stand first.
  var firstWords: [String] {
    groups.flatMap { group in
      group.noun.map { group.commands.isEmpty ? [] : [$0] } ?? group.verbs
    }
  }

  /// Returns what was probably meant by a first word that names nothing: what other programs call
  /// so, a word that is spelled nearly so, or the only verb of a noun.
  func suggestion(for word: String) -> String? {
    if let name = familiar.command(word) ?? Suggestion.nearest(to: word, in: firstWords) {
      return name
    }
    let nouns = groups.filter { $0.verbs.contains(word) }.compactMap(\.noun)
    return nouns.count == 1 ? "\(nouns[0]) \(word)" : nil
  }

  /// Returns what was probably meant by a word behind a noun that is no verb of it.
  func suggestion(for word: String, of noun: CommandGroup) -> String? {
    familiar.command(word, behind: noun.noun ?? "", among: noun.verbs)
      ?? Suggestion.nearest(to: word, in: noun.verbs)
      ?? defaultCommand(of: noun).flatMap { $0.operands.isEmpty ? nil : "\($0.name) \(word)" }
  }
}

extension CommandTable {
  /// Returns the whole table, or the part of it that the subject is about, for programs.
  func members(_ subject: HelpSubject = .overview) -> JSONObject {
    let shown: [Command]
    var topics: [HelpTopic] = []
    switch subject {
    case .overview, .everything:
      shown = visibleCommands
      topics = self.topics
    case .noun(let group): shown = group.visibleCommands
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
          ["name": topic.name.json, "summary": topic.summary.json]
        }),
      "version": Version.text.json,
    ]
  }
}

extension Command {
  fileprivate var json: JSON {
    let codes = Set(ExitCode.common + exitCodes).map { Int64($0.rawValue) }.sorted()
    return [
      "discussion": discussion.json,
      "examples": .array(
        examples.map { ["line": $0.line.json, "meaning": $0.meaning.json] }),
      "exitCodes": codes.map { $0 }.json,
      "json": outputs.contains(.json).json,
      "name": name.json,
      "ndjson": outputs.contains(.ndjson).json,
      "operands": .array(operands.map(\.operandJSON)),
      "options": .array(allOptions.map(\.optionJSON)),
      "summary": summary.json,
    ]
  }
}

extension ParameterDeclaration {
  fileprivate var optionJSON: JSON {
    [
      "choices": completion.json,
      "default": fallback.json,
      "help": help.json,
      "name": ("--" + name).json,
      "repeatable": isRepeatable.json,
      "short": short.map { "-\($0)".json } ?? .null,
      "value": valueName.json,
    ]
  }

  fileprivate var operandJSON: JSON {
    [
      "choices": completion.json,
      "help": help.json,
      "name": name.json,
      "repeatable": isRepeatable.json,
      "required": (minimum > 0).json,
    ]
  }
}

extension Completion {
  /// The values that there are, where they are few and known.
  fileprivate var json: JSON {
    if case .choices(let choices) = self { choices.json } else { .null }
  }
}

extension ExitCode {
  fileprivate var json: JSON {
    [
      "code": Int(rawValue).json,
      "kinds": kinds.json,
      "meaning": meaning.json,
    ]
  }
}
