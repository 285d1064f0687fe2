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
        2036, 2036-06          the first day of a year or month; also June 2036
        2036-167, 2036-W24-7   a day of the year; a day of an ISO week
        2036-06-15T07:00:00Z   an instant; also with [Europe/Paris] after its offset
        @2097126000            an instant in seconds since 1970
        09:00, noon, june      the next one; the last one, for a date in the past
        now, today, tomorrow   and yesterday; also day after tomorrow
        tomorrow 9am           a time may follow a day or lead it: 3pm tomorrow
        tonight                20:00; also this evening, tomorrow morning, last night
        end of year            of this one; also of the month, of may 2030; start of …
        eod, eow, eom, eoy     the end of this day, week, month, year; sod to soy the start
        friday                 the next one after today
        this friday            that of this ISO week; also next and last, and weekend
        first monday of may    also last day of february 2028
        easter 2031            also christmas and new year
        in 3 months, +90d      from now; also 2 weeks from now, in a year
        in 3 days at 9am       at a given time of day
        3 months ago           before now
        90d                    from now; before now, for a date in the past
        2 weeks after 2036     from another date; also before, and 2 weeks from friday
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
