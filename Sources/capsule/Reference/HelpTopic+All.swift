extension HelpTopic {
  /// Every topic, in the order of help.
  static let all: [HelpTopic] = [
    options, dates, repetition, references, json, exitCodes, environment, files,
  ]

  static let exitCodes = HelpTopic(
    "exit-codes", summary: "What each exit code means",
    body: """
      Every outcome has a code of its own. One that is not listed means failure. Of several \
      outcomes the worst is told: damaged before partial.
      """,
    definitions: ReferencePage.codes(ExitCode.allCases))

  static let environment = HelpTopic(
    "environment", summary: "The variables and directories that are used",
    body: """
      The store is the directory of `--store DIR`, else of `CAPSULE_STORE`, else \
      `$XDG_DATA_HOME/capsule`, else `~/.local/share/capsule`. It is made by the first command \
      that changes something. Relative values of the XDG variables are ignored. Without `HOME`, \
      home is the account's.

      Settings that name a program or an address are of this machine, not of the store: they are \
      in `$XDG_CONFIG_HOME/capsule`. What may be deleted at any time is in \
      `$XDG_CACHE_HOME/capsule`; what this machine remembers, in `$XDG_STATE_HOME/capsule`.
      """,
    definitions: [
      ("CAPSULE_STORE", "The store's directory, where `--store` is not given."),
      ("CLICOLOR_FORCE", "Colours also where the output goes to no terminal, unless `0`."),
      ("COLUMNS", "The width of lines on a terminal."),
      ("NO_COLOR", "No colours, when it is not empty."),
      ("PAGER", "What long pages go through on a terminal; `less` where it is not set."),
      (
        "RSYNC_RSH",
        "The program by which `rsync` reaches another machine; `ssh` where it is not set."
      ),
      ("TERM", "With `dumb`, no colours and nothing drawn in place."),
      ("TZ", "The zone that dates are read and shown in."),
      ("VISUAL, EDITOR", "The editor of `--edit`; `vi` where neither is set."),
      (
        "XDG_RUNTIME_DIR",
        "Where what is edited or shown lies meanwhile, and the passphrase of `store hold`."
      ),
    ])

  static let json = HelpTopic(
    "json", summary: "How scripts read the output",
    body: """
      With `--json` a list is an array and one thing an object, whatever the number of operands; \
      with `--ndjson` each object is a line of its own, as it comes. Keys are sorted and always \
      there, `null` when there is nothing to tell. Instants are in UTC as RFC 3339 has it, beside \
      the local time; sizes are bytes, spans whole seconds. What a locked capsule hides is hidden \
      here too.

      An error is one object on one line of standard error, and standard output is empty:

        {"error":{"code":4,"hint":"…","kind":"locked","message":"…","secondsRemaining":86400}}

      A warning is one too, by the key `warning`. The codes are in `capsule help exit-codes`.
      """)

  static let references = HelpTopic(
    "references", summary: "How a capsule or another record is named",
    body: """
      Where a command takes REF, it is an id, the start of one (at least 4 characters) that no \
      other has, or an exact title or name, in capitals or not. When several records have it, the \
      command lists them and does nothing. A bequest is also meant by the name of what is left or of \
      the person, where nothing else has that name.

      Commands that stand under no noun mean a capsule. Only where no capsule has the title `show` \
      turns to something else that has it, and `status` and `countdown` to an event, then to an item \
      with a reminder or a bequest with a date. `open`, `add`, `edit` and `delete` never do, and say \
      where it is instead.
      """)
}
