extension HelpTopic {
  /// What the program is, for the first page of the manual.
  static let description = """
    `capsule` keeps letters, photos and other files closed until a date. It seals (encrypts) them in the \
    `age` format, and tells you when the date comes.

    It also counts down to events, keeps an inventory of your things, and hands over what you leave to people.

    `capsule` without a command shows what is due, what can be opened and what comes next.
    """

  static let options = HelpTopic(
    "options", summary: "The options that every command takes", body: "",
    definitions: GlobalOptions.leading.map(ReferencePage.definition))

  static let files = HelpTopic(
    "files", summary: "Where the store and other files are", body: "",
    definitions: [
      ("~/.local/share/capsule", "The store, in `$XDG_DATA_HOME` where that is set."),
      ("~/.config/capsule", "Settings of this machine: programs and addresses, as `mail`."),
      ("~/.local/state/capsule", "What this machine has reported, verified and pinned."),
      ("~/.cache/capsule", "The index, which you may delete at any time."),
    ])

  /// The files of a store, by their paths in it.
  static let storeFiles: [(term: String, text: String)] = [
    ("store.json", "The store's id, format and recipients."),
    ("settings.json", "The settings that are not at their default."),
    (
      "capsules/, events/, items/, beneficiaries/, bequests/, trustees/",
      "A JSON file for each record, by its kind and id."
    ),
    ("blobs/", "Sealed contents, and unencrypted images and attachments, by their SHA-256."),
    ("identities/", "The key that opens honor locks; sealed where the store is protected."),
    ("journal/", "Earlier versions of each record, and the changes for `capsule sync`."),
    ("trash/", "Deleted records until `capsule purge`."),
    ("backups/", "Files that a repair or an import replaced."),
    ("lock, tmp/", "Used by running commands."),
  ]
}
