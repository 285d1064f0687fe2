/// Commands that help shows together.
package struct CommandGroup: Sendable {
  package let title: String
  /// The first word of all of its commands (`event`); `nil` for verbs of their own.
  package let noun: String?
  /// What the noun's commands do, for a group with a noun.
  package let summary: String
  package let commands: [Command]
  /// The verb that the noun alone stands for; without one it shows help.
  package let defaultVerb: String?

  /// Verbs of their own.
  package init(_ title: String, _ commands: [Command]) {
    self.title = title
    noun = nil
    summary = ""
    defaultVerb = nil
    self.commands = commands
  }

  /// The verbs of a noun.
  package init(
    _ title: String, noun: String, summary: String, default verb: String? = nil,
    _ commands: [Command]
  ) {
    defaultVerb = verb
    self.title = title
    self.noun = noun
    self.summary = summary
    self.commands = commands
  }
}

/// All commands, in the order of help.
package struct CommandTable: Sendable {
  package let groups: [CommandGroup]
  package let topics: [HelpTopic]

  package init(groups: [CommandGroup], topics: [HelpTopic] = []) {
    self.groups = groups
    self.topics = topics
  }

  /// Every command, hidden ones too.
  package var commands: [Command] { groups.flatMap(\.commands) }

  /// Every command that is shown.
  package var visibleCommands: [Command] { commands.filter { !$0.isHidden } }

  /// The groups with something to show, without what is hidden.
  package var visibleGroups: [(group: CommandGroup, commands: [Command])] {
    groups.map { group in (group, group.commands.filter { !$0.isHidden }) }
      .filter { !$0.commands.isEmpty }
  }

  /// The command of exactly this path.
  package func command(_ path: [String]) -> Command? {
    commands.first { $0.path == path }
  }

  /// The group of a noun.
  package func noun(_ name: String) -> CommandGroup? {
    groups.first { $0.noun == name && !$0.commands.isEmpty }
  }

  /// The topic of this name.
  package func topic(_ name: String) -> HelpTopic? {
    topics.first { $0.name == name }
  }

  /// The words that may stand first.
  package var firstWords: [String] {
    var words: [String] = []
    for group in groups {
      if let noun = group.noun {
        if !group.commands.isEmpty { words.append(noun) }
      } else {
        words += group.commands.filter { !$0.isHidden }.compactMap(\.path.first)
      }
    }
    return words
  }
}

/// A page of help that is about no single command.
package struct HelpTopic: Sendable {
  package let name: String
  package let summary: String
  /// In the same form as a command's discussion.
  package let body: String
  /// Terms and what they mean, listed behind the body.
  package let definitions: [(term: String, text: String)]

  package init(
    _ name: String, summary: String, body: String, definitions: [(term: String, text: String)] = []
  ) {
    self.name = name
    self.summary = summary
    self.body = body
    self.definitions = definitions
  }
}
