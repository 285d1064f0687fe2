/// A page of help that is about no single command.
struct HelpTopic: Sendable {
  let name: String
  let summary: String
  /// The text, in the same form as a command's discussion.
  let body: String
  /// Terms and their meanings, listed behind the body.
  let definitions: [(term: String, text: String)]

  init(
    _ name: String, summary: String, body: String, definitions: [(term: String, text: String)] = []
  ) {
    self.name = name
    self.summary = summary
    self.body = body
    self.definitions = definitions
  }
}

extension HelpTopic {
  /// Every topic, in the order of help.
  static let all: [HelpTopic] = [
    tutorial, options, dates, repetition, references, json, exitCodes, environment, files,
  ]

  static let tutorial = HelpTopic(
    "tutorial", summary: "Your first capsule, step by step",
    body: """
      Practice with a letter that opens in two minutes:

        capsule create Practice --unlock 'in 2 minutes' --text 'Dear me, it worked.'

      Try to open it. The program refuses, because it is too early:

        capsule open Practice

      With `--wait` it counts down, and then shows the letter:

        capsule open Practice --wait

      Now seal a real one, with files that you have. Without files you write the letter in your editor:

        capsule create 'To Mia' --unlock '15 June 2044' letter.txt photo.jpg

      The answer says how the date was understood, and until when you can take the letter back to correct it:

        capsule undo

      See what you have, and how long it still takes:

        capsule list
        capsule countdown 'To Mia'

      The key of such a letter is in the store, beside it: a promise to yourself. Two locks are stronger, a \
      passphrase, and a timelock, which nobody can open early:

        capsule create 'For later' --unlock '1 January 2040' --passphrase
        capsule create 'For later' --unlock '1 January 2040' --timelock

      A letter that waits for years should not be on one disk only. Copy the store to another one:

        capsule backup /media/usb/capsules

      Let cron or a timer run `capsule check`. It prints what can be opened, and is silent until then.

      `capsule help` shows what else there is: dates and countdowns, an inventory, people who receive things. The \
      folder docs/tutorials has longer tutorials.
      """)

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

        {"error":{"code":4,"fault":"locked","hint":"…","kind":"locked","message":"…","secondsRemaining":86400}}

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

extension HelpTopic {
  static let dates = HelpTopic(
    "dates", summary: "How to write dates, times and durations",
    body: """
      Where a command takes WHEN, it understands the whole text or refuses it. Capitals do not matter. \
      `capsule date WHEN` shows how a text is understood. The setting `timeOfDay` is the time of day of an \
      unlock date without a time. The full list is in docs/reference/dates.md.

        2036-06-15             a day: midnight at its start, here
        2036-06-15 09:00       a time on that day; also T09:00, 9am, 9 p.m., noon, midnight
        … 09:00 Asia/Tokyo     on the clocks of a zone; also Z, UTC, +02:00, +0200
        15 June 2036           a day by name; also June 15th, 2036 and 15-Jun-2036
        15 june, christmas     the next such day after today; the last one, for a date in the past
        25.12.2044, 2044/12/25 if only one day is possible
        2036, 2036-06          the first day of a year or month; also June 2036 and 06/2036
        2036-167, 2036-W24-7   a day of the year; a day of an ISO week
        2036-06-15T07:00:00Z   an instant; also with [Europe/Paris] after its offset
        @2097126000            an instant in seconds since 1970
        09:00, noon, june      the next one; the last one, for a date in the past
        1730                   a time; 1900 to 2999 are years
        now, today, tomorrow   and yesterday; also day after tomorrow
        tomorrow 9am           a time may follow a day or lead it: 3pm tomorrow
        tonight                20:00; also tonight at 9, tomorrow morning, last night
        end of year            of this one; also of the month, of may 2030; start of …
        eod, eow, eom, eoy     the end of this day, week, month, year; sod to soy the start
        friday                 the next one after today
        this friday            that of this ISO week; also next, weekend, and friday next week
        last friday            the one before today
        first monday of may    also last day of february 2028
        easter 2031            also good friday, easter monday, christmas and new year
        in 3 months, +90d      from now; also 2 weeks from now, in a decade, half an hour
        in 3 days at 9am       at a given time of day
        3 months ago           before now
        90d                    from now; before now, for a date in the past
        2 weeks after 2036     from another date; also before, and 5 hours after noon
        2036-06-15 + 18 years  the same; also -

      A duration is `1y6mo`, `1 year and 6 months`, `two weeks`, `3h30min45s` or `P1Y6M2DT3H`. Its units are \
      years (y, yr), months (mo), weeks (w), days (d), hours (h, hr), minutes (min) and seconds (s, sec). \
      Years to days are counted first, on the calendar. In a month that is too short they give its last day: \
      31 January plus a month is 28 or 29 February. Hours, minutes and seconds are exact.

      Limits:

      - A text with two meanings is refused, and both are shown: `5m`, `05/06/2036`, `15 June 36`, zones such \
      as `CST`.
      - A time that the clocks skip moves later by as much. A time that comes twice means the first. Both give \
      a warning.
      - Years are 0001 to 9999.
      """)
}

extension HelpTopic {
  static let repetition = HelpTopic(
    "repeat", summary: "How to write repetitions",
    body: """
      `--repeat` of an event and `--every` of a reminder take one of these. You can begin with `every`. \
      Capitals do not matter.

        daily, weekly, monthly         also yearly and annually
        fortnightly, quarterly         every 2 weeks, every 3 months
        2 weeks, 90 days               a number of days, weeks, months or years; also every 2nd week
        other week                     every 2 weeks

      An event can also repeat on days of the week or of the month:

        weekdays, weekend              Monday to Friday; Saturday and Sunday
        monday and friday, tuesdays    these days of each week
        other tuesday                  every second tuesday
        2 weeks on monday              every second monday
        2nd tuesday of the month       also first to fourth, and last
        last friday of every 3 months  also 3 months on the last friday

      Behind the rule of an event:

        until june 2028                the last day; of a month, a year or a week its last one
        10 times                       the number of dates
        except 2027-12-24, 2027-12-27  dates that are left out

      An event also takes a rule of a calendar (RFC 5545), such as `FREQ=MONTHLY;BYMONTHDAY=-1`. Single dates \
      are left out with `event skip` and moved with `event move`.

      Limits:

      - The number is at most 1000 for an event, and 100000 for a reminder.
      - A reminder also takes minutes, hours and `hourly`, but no days of the week or the month.
      - Each repetition is counted from the first. After the 31st comes the last day of shorter months, and \
      then the 31st again.
      """)
}

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
    definitions: GlobalOptions.leading.map(\.definition))

  static let files = HelpTopic(
    "files", summary: "Where the store and other files are", body: "",
    definitions: [
      ("~/.local/share/capsule", "The store, in `$XDG_DATA_HOME` where that is set."),
      ("~/.config/capsule", "Settings of this device: programs and addresses, such as `mail`."),
      (
        "~/.local/state/capsule",
        "The state of this device: notifications, verification and known keys."
      ),
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
