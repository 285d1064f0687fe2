extension HelpTopic {
  /// Every topic, in the order of help.
  static let all: [HelpTopic] = [
    options, dates, repetition, references, json, exitCodes, environment, files,
  ]

  static let exitCodes = HelpTopic(
    "exit-codes", summary: "What each exit status means",
    body: """
      The exit status says how a command ended. A status that is not listed means failure. If several \
      outcomes apply, the status is that of the worst one: damage comes before other failures, and partial \
      success after them.
      """,
    definitions: ReferencePage.codes(ExitCode.allCases))

  static let environment = HelpTopic(
    "environment", summary: "Environment variables and directories",
    body: """
      The store is in the first of these directories that is set:

      - `--store DIR`
      - `CAPSULE_STORE`
      - `$XDG_DATA_HOME/capsule`
      - `~/.local/share/capsule`

      The first command that changes something creates the store. This device also has other directories:

      - `$XDG_CONFIG_HOME/capsule`: settings that are not in the store, because they name a program or an \
      address
      - `$XDG_STATE_HOME/capsule`: facts that this device remembers
      - `$XDG_CACHE_HOME/capsule`: files that you can delete at any time

      Relative values of the XDG variables are ignored. Without `HOME`, the home directory is that of the \
      account.
      """,
    definitions: [
      ("CAPSULE_STORE", "The store's directory, unless `--store` is given."),
      (
        "CLICOLOR_FORCE", "Use color even if the output is not a terminal, unless the value is `0`."
      ),
      ("COLUMNS", "The width of lines at a terminal."),
      ("NO_COLOR", "Use no color, unless the value is empty."),
      ("PAGER", "The program that shows long pages at a terminal. Default: `less`."),
      (
        "RSYNC_RSH",
        "The program that `rsync` uses to reach another machine. Default: `ssh`."
      ),
      ("TERM", "With `dumb`, use no color and redraw no lines."),
      ("TZ", "The time zone in which dates are read and shown."),
      ("VISUAL, EDITOR", "The editor for `--edit`. Default: `vi`."),
      (
        "XDG_RUNTIME_DIR",
        "The directory for data while you edit or view it, and for the passphrase of `store remember`."
      ),
    ])

  static let json = HelpTopic(
    "json", summary: "JSON output for scripts",
    body: """
      With `--json` a list is an array and a single thing is an object, whatever the number of operands. With \
      `--ndjson` each object is on its own line, printed as it comes.

      - Keys are sorted and always present. A value that does not apply is `null`.
      - Times are in UTC (RFC 3339), next to the local time. Sizes are in bytes, and durations in whole \
      seconds.
      - Data that a locked capsule hides is hidden here too.

      An error is one object on one line of standard error, and standard output is empty:

        {"error":{"code":4,"hint":"…","kind":"locked","message":"…","secondsRemaining":86400}}

      A warning is such an object too, with the key `warning`. `capsule help exit-codes` lists the codes.
      """)

  static let references = HelpTopic(
    "references", summary: "How to refer to a capsule or another record",
    body: """
      Where a command takes REF, give one of these:

      - an id
      - the start of an id: at least 4 characters, and of no other id
      - an exact title or name, in upper or lower case

      If several records match, the command lists them and does nothing. For a bequest, the name of the person or of the thing works too, if no other record has it.

      Commands without a noun, such as `open`, take a capsule. If no capsule has the title:

      - `show` shows another record that has it.
      - `status` and `countdown` take an event, then an item with a reminder or a bequest with a date.
      - `open`, `add`, `edit` and `delete` refuse, and report where the title is.
      """)
}
