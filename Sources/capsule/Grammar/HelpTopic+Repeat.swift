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

      Limits:

      - The number is at most 1000 for an event, and 100000 for a reminder.
      - A reminder also takes minutes, hours and `hourly`, but no days of the week or the month.
      - Each repetition is counted from the first. After the 31st comes the last day of shorter months, and \
      then the 31st again.
      """)
}
