extension CommandTable {
  /// Every command of the program, in the order of help.
  package static let capsule = CommandTable(
    groups: [
      CommandGroup(
        "Program",
        [
          HelpCommand.command,
          ManCommand.command,
          VersionCommand.command,
        ])
    ],
    topics: HelpTopic.all)
}
