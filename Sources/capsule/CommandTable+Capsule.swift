extension CommandTable {
  /// Every command of the program, in the order of help. A group without commands is not shown.
  static let capsule = CommandTable(
    groups: [
      CommandGroup(
        "Capsules",
        [
          CreateCommand.command,
          CapsuleKind.list,
          ShowCommand.command,
          OpenCommand.command,
          ViewCommand.command,
          PlayCommand.command,
          CountdownCommand.command,
          AddCommand.command,
          EditCommand.command,
          CapsuleKind.delete,
        ]),
      CommandGroup(
        "Events", noun: "event", summary: "Count down to dates, and up from them",
        [
          EventKind.add,
          EventImportCommand.command,
          EventKind.list,
          EventKind.show,
          EventKind.edit,
          EventOccurrenceCommands.done,
          EventOccurrenceCommands.skip,
          EventOccurrenceCommands.move,
          EventOccurrenceCommands.end,
          EventImageCommand.command,
          EventKind.delete,
        ]),
      CommandGroup(
        "Items", noun: "item", summary: "Keep an inventory of things and their history",
        [
          ItemKind.add,
          ItemKind.list,
          ItemKind.show,
          ItemKind.edit,
          ItemKind.delete,
          ItemTotalsCommand.command,
          ItemCategoriesCommand.command,
          ItemAttachCommand.command,
          ItemMediaCommand.command,
          ItemExtractCommand.command,
          ItemDetachCommand.command,
          ItemViewCommand.command,
          ItemPlayCommand.command,
          ItemRecordCommand.command,
          ItemLogCommand.command,
          ItemHistoryCommand.command,
          ItemUnlogCommand.command,
          ItemRemindCommand.command,
          ItemImportCommand.command,
          ItemExportCommand.command,
        ]),
      CommandGroup(
        "Beneficiaries", noun: "beneficiary", summary: "Manage the people you leave things to",
        [
          BeneficiaryKind.add,
          BeneficiaryKind.list,
          BeneficiaryKind.show,
          BeneficiaryKind.edit,
          BeneficiaryKind.delete,
          BeneficiaryImportCommand.command,
        ]),
      CommandGroup(
        "Leaving things to people",
        [BequeathCommand.command, DeliverCommand.command, EstateCommand.command]),
      CommandGroup(
        "Bequests", noun: "bequest", summary: "Manage what you leave to each person",
        [
          BequestKind.list,
          BequestKind.show,
          BequestEditCommand.command,
          BequestMarkCommands.mark,
          BequestMarkCommands.revoke,
          BequestKind.delete,
        ]),
      CommandGroup(
        "Drafts", noun: "draft", summary: "Draft texts and suggest people with your own program",
        [
          DraftMessageCommand.command,
          DraftSuggestCommand.command,
          DraftDescribeCommand.command,
        ]),
      PassingCommands.group,
      CommandGroup(
        "Trustees", noun: "trustees", summary: "Let several people together open your capsules",
        [
          TrusteesMakeCommand.command,
          TrusteesKind.list,
          TrusteesKind.show,
          TrusteesCheckCommand.command,
          TrusteesCombineCommand.command,
          TrusteesMarkCommands.confirm,
          TrusteesMarkCommands.lost,
          TrusteesRenewCommand.command,
          TrusteesReplaceCommand.command,
          TrusteesKind.delete,
        ]),
      SwitchCommands.group,
      CommandGroup(
        "Everything together",
        [
          CheckCommand.command,
          SearchCommand.command,
          AgendaCommand.command,
          NextCommand.command,
          OnThisDayCommand.command,
          StatusCommand.command,
          SinceCommand.command,
        ]),
      CommandGroup(
        "Export", noun: "export", summary: "Export a calendar or an archive",
        [ExportCalendarCommand.command, ExportArchiveCommand.command]),
      CommandGroup(
        "Import", noun: "import", summary: "Import an archive",
        [ImportArchiveCommand.command]),
      CommandGroup(
        "Files and dates",
        [
          SealCommand.command,
          UnsealCommand.command,
          KeygenCommand.command,
          DateCommand.command,
        ]),
      CommandGroup(
        "The store",
        [
          UndoCommand.undo,
          UndoCommand.redo,
          LogCommand.command,
          VersionsCommand.command,
          TrashCommand.command,
          RestoreCommand.command,
          PurgeCommand.command,
          VerifyCommand.command,
          RepairCommand.command,
          BackupCommand.command,
        ]),
      StoreCommands.group,
      IdentityCommands.group,
      SyncCommands.group,
      SettingsCommands.group,
      CommandGroup(
        "The program",
        [
          HelpCommand.command,
          ManCommand.command,
          CompletionsCommand.command,
          VersionCommand.command,
          CompleteCommand.command,
          GenerateCommand.command,
        ]),
    ],
    topics: HelpTopic.all, familiar: .capsule)
}
