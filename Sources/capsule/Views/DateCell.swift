import CapsuleCore

extension Session {
  /// Returns an instant for a list: `Sun 15 Jun 2036 09:00 CEST`, of which a narrow terminal shows
  /// less.
  func dateCell(_ instant: Instant) -> StyledText {
    // Elsewhere nothing is left out: one text is cheaper than four.
    guard isForPeople else { return StyledText(dateTime(instant)) }
    let civil = zone.civil(at: instant)
    return dateCell(civil.date)
      + StyledText(" \(civil.time.shortText)", detail: .timeOfDay)
      + StyledText(" \(zone.offset(at: instant).abbreviation)", detail: .weekdayAndZone)
  }

  /// Returns a date, with its time where it has one, for a list.
  func dateCell(_ moment: Moment) -> StyledText {
    switch moment {
    case .day(let date): isForPeople ? dateCell(date) : StyledText(date.longText)
    case .instant(let instant): dateCell(instant)
    }
  }

  private func dateCell(_ date: CivilDate) -> StyledText {
    StyledText("\(date.weekday.shortName) ", detail: .weekdayAndZone) + StyledText(date.shortText)
  }
}
