extension HelpTopic {
  static let repetition = HelpTopic(
    "repeat", summary: "How often a thing comes again",
    body: """
      Where an event takes RULE, with `--repeat`, and a reminder with `--every`, it is one of these; \
      `every` may stand in front. Capitals do not matter.

        daily, weekly, monthly         also yearly and annually
        fortnightly, quarterly         every 2 weeks, every 3 months
        2 weeks, 90 days               so many days, weeks, months or years; also every 2nd week
        other week                     every 2 weeks

      An event is repeated on days of the week and the month too:

        weekdays, weekend              Monday to Friday; Saturday and Sunday
        monday and friday, tuesdays    these days of each week
        other tuesday                  each second one
        2 weeks on monday              likewise
        2nd tuesday of the month       also first to fourth, and last
        last friday of every 3 months  also 3 months on the last friday

      An event takes a number up to 1000. A reminder takes one up to 100000, minutes, hours and \
      `hourly`, and no days of the week. Each occurrence is counted from the first one: what is on the \
      31st is on the last day of shorter months, and on the 31st again afterwards.
      """)
}
