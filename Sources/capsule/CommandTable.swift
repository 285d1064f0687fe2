extension CommandTable {
  /// Every command of the program, in the order of help.
  package static let capsule = CommandTable(
    groups: [
      CommandGroup(
        "Capsules",
        [
          CreateCommand.command,
          ListCommand.command,
          ShowCommand.command,
          OpenCommand.command,
        ]),
      CommandGroup(
        "Program",
        [
          HelpCommand.command,
          ManCommand.command,
          CompletionsCommand.command,
          VersionCommand.command,
          CompleteCommand.command,
          GenerateCommand.command,
        ]),
    ],
    topics: HelpTopic.all)
}
