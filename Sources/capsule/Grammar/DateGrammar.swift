/// The table of docs/reference/dates.md: what can be written as a date, and what each text means.
///
/// The meanings are written down here, not computed: a test reads every row and compares.
enum DateGrammar {
  struct Row: Hashable, Sendable {
    let text: String
    /// A date where no time of day is meant, else a date and a time; of a refused text, what is
    /// offered instead.
    let meaning: String

    init(_ text: String, _ meaning: String) {
      self.text = text
      self.meaning = meaning
    }
  }

  struct Group: Sendable {
    let title: String
    /// Whether the texts stand where something that has happened is meant.
    let past: Bool
    let rows: [Row]

    init(_ title: String, past: Bool = false, _ rows: [Row]) {
      self.title = title
      self.past = past
      self.rows = rows
    }
  }

  /// The time at which the rows are read: Tuesday 10 March 2026, 13:00 in Paris.
  static let now = "2026-03-10T12:00:00Z"

  static let groups = [
    Group(
      "Days",
      [
        Row("2036-06-15", "Sun 15 Jun 2036"),
        Row("2036-6-5", "Thu 5 Jun 2036"),
        Row("20360615", "Sun 15 Jun 2036"),
        Row("15 June 2036", "Sun 15 Jun 2036"),
        Row("June 15th, 2036", "Sun 15 Jun 2036"),
        Row("15th of June 2036", "Sun 15 Jun 2036"),
        Row("Jun. 15 2036", "Sun 15 Jun 2036"),
        Row("15-Jun-2036", "Sun 15 Jun 2036"),
        Row("2030", "Tue 1 Jan 2030"),
        Row("2036-06", "Sun 1 Jun 2036"),
        Row("June 2036", "Sun 1 Jun 2036"),
        Row("August, 2036", "Fri 1 Aug 2036"),
        Row("08/2036", "Fri 1 Aug 2036"),
        Row("2036-167", "Sun 15 Jun 2036"),
        Row("2036-W24-7", "Sun 15 Jun 2036"),
        Row("25.12.2044 18:00", "Sun 25 Dec 2044 18:00 CET"),
        Row("15/06/2036", "Sun 15 Jun 2036"),
        Row("2036/06/05", "Thu 5 Jun 2036"),
        Row("03/03/2044", "Thu 3 Mar 2044"),
        Row("Sunday 15 June 2036", "Sun 15 Jun 2036"),
        Row("2036–06–15", "Sun 15 Jun 2036"),
        Row("“15 June 2036”", "Sun 15 Jun 2036"),
      ]),
    Group(
      "The next such day",
      [
        Row("June 15", "Mon 15 Jun 2026"),
        Row("15 June", "Mon 15 Jun 2026"),
        Row("29 february", "Tue 29 Feb 2028"),
        Row("10 march", "Wed 10 Mar 2027"),
        Row("june", "Mon 1 Jun 2026"),
        Row("christmas", "Fri 25 Dec 2026"),
        Row("christmas eve", "Thu 24 Dec 2026"),
        Row("new year", "Fri 1 Jan 2027"),
        Row("new year's eve", "Thu 31 Dec 2026"),
        Row("new year’s eve", "Thu 31 Dec 2026"),
        Row("good friday", "Fri 3 Apr 2026"),
        Row("easter", "Sun 5 Apr 2026"),
        Row("easter monday", "Mon 6 Apr 2026"),
        Row("friday", "Fri 13 Mar 2026"),
        Row("fri. 9am", "Fri 13 Mar 2026 09:00 CET"),
        Row("monday 15 june", "Mon 15 Jun 2026"),
      ]),
    Group(
      "Days named from today",
      [
        Row("today", "Tue 10 Mar 2026"),
        Row("tomorrow", "Wed 11 Mar 2026"),
        Row("Yesterday", "Mon 9 Mar 2026"),
        Row("day after tomorrow", "Thu 12 Mar 2026"),
        Row("the day after tomorrow", "Thu 12 Mar 2026"),
        Row("day before yesterday", "Sun 8 Mar 2026"),
        Row("next day", "Wed 11 Mar 2026"),
        Row("this friday", "Fri 13 Mar 2026"),
        Row("next friday", "Fri 20 Mar 2026"),
        Row("friday next week", "Fri 20 Mar 2026"),
        Row("tuesday of next week", "Tue 17 Mar 2026"),
        Row("next week friday", "Fri 20 Mar 2026"),
        Row("last fri", "Fri 6 Mar 2026"),
        Row("last monday", "Mon 9 Mar 2026"),
        Row("monday last week", "Mon 2 Mar 2026"),
        Row("this weekend", "Sat 14 Mar 2026"),
        Row("next weekend", "Sat 21 Mar 2026"),
      ]),
    Group(
      "Parts of the calendar",
      [
        Row("eod", "Tue 10 Mar 2026 23:59:59 CET"),
        Row("eow", "Sun 15 Mar 2026 23:59:59 CET"),
        Row("eom", "Tue 31 Mar 2026 23:59:59 CEST"),
        Row("eoy", "Thu 31 Dec 2026 23:59:59 CET"),
        Row("sod", "Tue 10 Mar 2026 00:00 CET"),
        Row("sow", "Mon 9 Mar 2026 00:00 CET"),
        Row("som", "Sun 1 Mar 2026 00:00 CET"),
        Row("soy", "Thu 1 Jan 2026 00:00 CET"),
        Row("end of day tomorrow", "Wed 11 Mar 2026 23:59:59 CET"),
        Row("friday eod", "Fri 13 Mar 2026 23:59:59 CET"),
        Row("end of month", "Tue 31 Mar 2026 23:59:59 CEST"),
        Row("end of the month", "Tue 31 Mar 2026 23:59:59 CEST"),
        Row("end of year", "Thu 31 Dec 2026 23:59:59 CET"),
        Row("start of next month", "Wed 1 Apr 2026 00:00 CEST"),
        Row("end of february 2028", "Tue 29 Feb 2028 23:59:59 CET"),
        Row("last day of february 2028", "Tue 29 Feb 2028"),
        Row("first monday of may 2030", "Mon 6 May 2030"),
        Row("3rd friday of may 2030", "Fri 17 May 2030"),
        Row("last friday of the year", "Fri 25 Dec 2026"),
        Row("easter 2031", "Sun 13 Apr 2031"),
        Row("easter monday 2031", "Mon 14 Apr 2031"),
        Row("christmas 2030", "Wed 25 Dec 2030"),
      ]),
    Group(
      "Times",
      [
        Row("2036-06-15 09:00", "Sun 15 Jun 2036 09:00 CEST"),
        Row("2036-06-15T09:00", "Sun 15 Jun 2036 09:00 CEST"),
        Row("2036-06-15 at 9pm", "Sun 15 Jun 2036 21:00 CEST"),
        Row("2036-06-15 noon", "Sun 15 Jun 2036 12:00 CEST"),
        Row("14:30", "Tue 10 Mar 2026 14:30 CET"),
        Row("at 3pm", "Tue 10 Mar 2026 15:00 CET"),
        Row("9 p.m.", "Tue 10 Mar 2026 21:00 CET"),
        Row("1:00:00 PM", "Wed 11 Mar 2026 13:00 CET"),
        Row("0730", "Wed 11 Mar 2026 07:30 CET"),
        Row("1730", "Tue 10 Mar 2026 17:30 CET"),
        Row("tomorrow at 0730", "Wed 11 Mar 2026 07:30 CET"),
        Row("24:00", "Wed 11 Mar 2026 00:00 CET"),
        Row("2036-06-15 24:00", "Mon 16 Jun 2036 00:00 CEST"),
        Row("20260310 130000", "Tue 10 Mar 2026 13:00 CET"),
        Row("noon", "Wed 11 Mar 2026 12:00 CET"),
        Row("tomorrow 9am", "Wed 11 Mar 2026 09:00 CET"),
        Row("tomorrow, 9am", "Wed 11 Mar 2026 09:00 CET"),
        Row("3pm tomorrow", "Wed 11 Mar 2026 15:00 CET"),
        Row("friday, 9am", "Fri 13 Mar 2026 09:00 CET"),
        Row("3pm on friday", "Fri 13 Mar 2026 15:00 CET"),
        Row("tonight", "Tue 10 Mar 2026 20:00 CET"),
        Row("tonight at 9pm", "Tue 10 Mar 2026 21:00 CET"),
        Row("tonight at 8", "Tue 10 Mar 2026 20:00 CET"),
        Row("at 8 tonight", "Tue 10 Mar 2026 20:00 CET"),
        Row("this evening", "Tue 10 Mar 2026 18:00 CET"),
        Row("tomorrow morning", "Wed 11 Mar 2026 09:00 CET"),
        Row("tomorrow morning at 8", "Wed 11 Mar 2026 08:00 CET"),
        Row("last night", "Mon 9 Mar 2026 20:00 CET"),
      ]),
    Group(
      "Zones and instants",
      [
        Row("2036-06-15 09:00 Asia/Tokyo", "Sun 15 Jun 2036 02:00 CEST"),
        Row("2036-06-15 09:00 +0200", "Sun 15 Jun 2036 09:00 CEST"),
        Row("2036-06-15 09:00 +02:00", "Sun 15 Jun 2036 09:00 CEST"),
        Row("tomorrow 9am Europe/London", "Wed 11 Mar 2026 10:00 CET"),
        Row("fri 3pm UTC", "Fri 13 Mar 2026 16:00 CET"),
        Row("15:00Z", "Tue 10 Mar 2026 16:00 CET"),
        Row("friday UTC", "Fri 13 Mar 2026 01:00 CET"),
        Row("2036-06-15T07:00:00Z", "Sun 15 Jun 2036 09:00 CEST"),
        Row("20360615T070000Z", "Sun 15 Jun 2036 09:00 CEST"),
        Row("2036-06-15T09:00:00+02:00[Europe/Paris]", "Sun 15 Jun 2036 09:00 CEST"),
        Row("@2097126000", "Sun 15 Jun 2036 09:00 CEST"),
        Row("Sun Jun 15 09:00:00 CEST 2036", "Sun 15 Jun 2036 09:00 CEST"),
        Row("Sun Jun 15 09:00:00 2036", "Sun 15 Jun 2036 09:00 CEST"),
        Row("Sun Jun 15 09:00:00 PM CEST 2036", "Sun 15 Jun 2036 21:00 CEST"),
        Row("Thu  5 Jun 09:05:09 CEST 2036", "Thu 5 Jun 2036 09:05:09 CEST"),
        Row("Sun 15 Jun 2036 09:00:00 CEST", "Sun 15 Jun 2036 09:00 CEST"),
        Row("Sun 15 Jun 2036 09:00:00 PM CEST", "Sun 15 Jun 2036 21:00 CEST"),
        Row("Sunday, June 15, 2036 PM09:00:00 CEST", "Sun 15 Jun 2036 21:00 CEST"),
        Row("Sunday, 15 June, 2036 09:00:00 PM CEST", "Sun 15 Jun 2036 21:00 CEST"),
        Row("2036-06-15T09:00:00 CEST", "Sun 15 Jun 2036 09:00 CEST"),
        Row("Sun, 15 Jun 2036 09:00:00 +0200", "Sun 15 Jun 2036 09:00 CEST"),
      ]),
    Group(
      "Counted",
      [
        Row("in 3 months", "Wed 10 Jun 2026 13:00 CEST"),
        Row("in two weeks", "Tue 24 Mar 2026 13:00 CET"),
        Row("in a year", "Wed 10 Mar 2027 13:00 CET"),
        Row("an hour from now", "Tue 10 Mar 2026 14:00 CET"),
        Row("half an hour", "Tue 10 Mar 2026 13:30 CET"),
        Row("in half an hour", "Tue 10 Mar 2026 13:30 CET"),
        Row("an hour and a half", "Tue 10 Mar 2026 14:30 CET"),
        Row("in 1.5 hours", "Tue 10 Mar 2026 14:30 CET"),
        Row("in a decade", "Mon 10 Mar 2036 13:00 CET"),
        Row("a fortnight", "Tue 24 Mar 2026 13:00 CET"),
        Row("within two weeks", "Tue 24 Mar 2026 13:00 CET"),
        Row("2 days later", "Thu 12 Mar 2026 13:00 CET"),
        Row("right now", "Tue 10 Mar 2026 13:00 CET"),
        Row("in 18 years and 5 months", "Wed 10 Aug 2044 13:00 CEST"),
        Row("in 5 mins", "Tue 10 Mar 2026 13:05 CET"),
        Row("3h30min45s", "Tue 10 Mar 2026 16:30:45 CET"),
        Row("P1Y6M2DT3H", "Sun 12 Sep 2027 16:00 CEST"),
        Row("+90d", "Mon 8 Jun 2026 13:00 CEST"),
        Row("2 weeks ago", "Tue 24 Feb 2026 13:00 CET"),
        Row("in 3 days at 9am", "Fri 13 Mar 2026 09:00 CET"),
        Row("2 weeks from friday", "Fri 27 Mar 2026"),
        Row("5 hours after noon", "Tue 10 Mar 2026 17:00 CET"),
        Row("2 hours before midnight", "Tue 10 Mar 2026 22:00 CET"),
        Row("2 weeks after 2036-06-15", "Sun 29 Jun 2036"),
        Row("1 month after 2027-01-31", "Sun 28 Feb 2027"),
        Row("now + two weeks", "Tue 24 Mar 2026 13:00 CET"),
        Row("2036-06-15 + 18 years", "Mon 15 Jun 2054"),
        Row("2036-06-15 +2h", "Sun 15 Jun 2036 02:00 CEST"),
        Row("tomorrow +1d", "Thu 12 Mar 2026"),
      ]),
    Group(
      "Where the past is meant", past: true,
      [
        Row("90d", "Wed 10 Dec 2025 13:00 CET"),
        Row("friday", "Fri 6 Mar 2026"),
        Row("june", "Sun 1 Jun 2025"),
        Row("15 June", "Sun 15 Jun 2025"),
        Row("14:30", "Mon 9 Mar 2026 14:30 CET"),
        Row("5 hours after noon", "Mon 9 Mar 2026 17:00 CET"),
        Row("last monday", "Mon 9 Mar 2026"),
        Row("christmas", "Thu 25 Dec 2025"),
        Row("this morning", "Tue 10 Mar 2026 09:00 CET"),
        Row("last night", "Mon 9 Mar 2026 20:00 CET"),
      ]),
  ]

  /// Texts that are refused, and what is offered in their place.
  static let refused = [
    Row("05/06/2036", "`2036-06-05` or `2036-05-06`"),
    Row("15 June 36", "`15 June 2036` or `15 June 1936`"),
    Row("25/12", "`2026-12-25`"),
    Row("25/12/44", "`2044-12-25` or `1944-12-25`"),
    Row("2359", "`23:59` or `2359-01-01`"),
    Row("5m", "`5min` or `5mo`"),
    Row("1,5 hours", "`1.5 hours`"),
    Row("1.5 weeks", ""),
    Row("next month", "`2026-04-01` or `in 1 month`"),
    Row("2036-06-15 09:00 CET", "`2036-06-15 09:00 Europe/Paris` or `2036-06-15 09:00 +01:00`"),
    Row("2036-06-15 09:00 GMT+2", "`2036-06-15 09:00 +02:00`"),
    Row("june 31", ""),
    Row("june 36", "`June 2036`"),
    Row("this monday", "`next monday`"),
    Row("this morning", "`tomorrow morning`"),
    Row("in 3 hours at 9am", "`in 3 hours`"),
    Row("09:00 +3 days", "`in 3 days at 09:00`"),
    Row("easter 1582", ""),
    Row("sunday 15 june", ""),
  ]

  /// The page for the reader.
  static var markdown: String {
    var text = introduction
    for group in groups {
      text += "\n## \(group.title)\n\n| written | means |\n| --- | --- |\n"
      for row in group.rows { text += "| `\(row.text)` | \(row.meaning) |\n" }
    }
    text += "\n## Refused\n\n| written | offered instead |\n| --- | --- |\n"
    for row in refused {
      text += "| `\(row.text)` | \(row.meaning.isEmpty ? "nothing" : row.meaning) |\n"
    }
    return text
  }

  private static let introduction = """
    <!-- Made from the table of dates by Scripts/generate. -->

    # Dates

    Many commands take a date or a time, WHEN in their help. `capsule date WHEN` shows how a text is read. A text is
    understood as a whole, or refused. Tests read every row below on Tuesday 10 March 2026 at 13:00 in Paris.

    ## Rules

    - **Words** are English, and capitals do not matter. Digits are ASCII; dashes and quotes copied from a web page are
      read as plain ones. Years have four digits, 0001 to 9999. A number from 1 to 31 before or after a month is a day.
    - **A day without a time** begins at midnight. Something in the future begins at the time in the setting `timeOfDay`.
    - **A day that comes again** (`june 15`, `friday`, `christmas`) is the first one after today, with or without a time.
      Where a command asks for the past, it is the last one up to now. On the day itself a note suggests `today`.
    - **A time alone** is its next occurrence. 24:00 is the midnight after its day.
    - **Four digits alone** are a year from 1900 to 2999, and otherwise a time if a clock shows it. A year more than a
      hundred years ahead that a clock shows too is refused with both readings. After `at` four digits are a time.
    - **`this` and `next`** count ISO weeks, which begin on Monday, as `friday last week` does. `this friday` is refused once
      it is over. **`last friday`** is the Friday before today.
    - **Morning, afternoon, evening and night** are 09:00, 15:00, 18:00 and 20:00. `tonight` is refused once it is over. A
      time may follow, and needs no `pm`: `tonight at 8`.
    - **Numeric dates** are accepted if they can mean one day only. Four digits first are the year; the month follows.
    - **A zone after a day** means the day in that zone: `tomorrow Asia/Tokyo`.
    - **A sign** before digits alone is an offset (`+02`, `+0200`, `+02:00`). Before a number with a unit it is a duration
      (`+2h`).
    - **Durations** add years and months first, together, and stay in the last month; then weeks and days; then hours,
      minutes and seconds, which are exact. After years to days, a time replaces that of the clock: `in 3 days at 9am`.
    - **Units** are years (y, yr, yrs), months (mo, mos), weeks (w, wk, wks), days (d), hours (h, hr, hrs), minutes (min,
      mins) and seconds (s, sec, secs); a fortnight, a decade and a century are 2 weeks, 10 and 100 years. Numbers are
      digits, or words up to `nine hundred`; `a` is one. A part of one (`1.5`, `half a`, `and a half`) is counted in whole
      smaller units: a year has 12 months, a week 7 days, a day 24 hours.
    - **Hours before or after a time** (`5 hours after noon`) are the next such time.
    - **Easter** is that of the western churches, for the years 1583 to 9999.
    - **Abbreviations of zones** are refused, because `CET` has no place and changes in summer. After a date with a time
      to the second, as `date` prints them, one that the local zone has at that time is accepted.
    - **Changes of the clock**: a time that is skipped is moved later by as much. If a time comes twice, the first one
      counts. Both give a warning.

    """
}
