import CapsuleCore

/// Something that became due, as a line for people and as the members of JSON.
struct DueView {
  /// The name of it in the ledger.
  let announcement: Announcement
  let title: String
  /// The line for people.
  let text: StyledText
  /// The object for machines.
  let members: JSONObject
}

/// Makes the views of what became due in a store.
struct DueViewMaker {
  let session: Session
  let settings: StoreSettings
  let calendar: EventCalendar
  let names: RecordNames
  /// The time that is checked for.
  let now: Instant

  func view(of due: DueThing) -> DueView {
    let announcement = due.announcement
    let title: String
    let text: StyledText
    var members: JSONObject
    switch due.matter {
    case .unlock(let capsule): (title, text, members) = unlock(capsule)
    case .event(let event, let found): (title, text, members) = self.event(event.summary, found)
    case .reminder(let item, let reminder): (title, text, members) = self.reminder(reminder, item)
    case .bequest(let bequest): (title, text, members) = self.bequest(bequest.summary)
    }
    members["topic"] = .string(announcement.topic)
    if case .reminder = due.matter {
      members["occurrenceAt"] = .string(announcement.instant.rfc3339)
    } else {
      InstantFields(zone: session.zone).add(announcement.instant, as: "dueAt", to: &members)
    }
    return DueView(announcement: announcement, title: title, text: text, members: members)
  }

  private func unlock(_ capsule: Capsule) -> (String, StyledText, JSONObject) {
    (
      capsule.title,
      "'\(capsule.title, .bold)' is unlocked since \(session.dateTime(capsule.dueAt)); open it with: capsule open \(capsule.id.description)",
      CapsuleView(capsule.summary, in: session, at: now).members
    )
  }

  private func event(
    _ summary: EventSummary, _ found: EventAnnouncement
  ) -> (String, StyledText, JSONObject) {
    let view = EventView(summary, calendar, in: session, at: now)
    var members = view.members
    EventView.add(
      found.moment, dateAs: "nextDate", instantAs: "nextAt", InstantFields(zone: session.zone),
      to: &members)
    switch found.topic {
    case .alert(let alert):
      members["alert"] = .string(alert.description)
      let relative = session.relative(found.moment, at: now, settings)
      let word = found.moment.end(in: session.zone) <= now ? "was" : "is"
      return (
        summary.title,
        "\(view.titleText) \(word) \(relative), \(session.text(of: found.moment))", members
      )
    case .over:
      members["alert"] = .null
      return (
        summary.title,
        "\(view.titleText) is over since \(session.dateTime(found.instant)); when it is met: capsule event done \(summary.id.description)",
        members
      )
    }
  }

  private func reminder(
    _ reminder: Reminder, _ item: Item
  ) -> (String, StyledText, JSONObject) {
    let title = reminder.title(of: item)
    let since = item.history.last.map { last in
      "was last done \(session.relative(.instant(last.at), at: now, settings))"
    }
    return (
      title,
      "\(title, .bold) is due, \(reminder.words); it \(since ?? "was never done"); when it is done: capsule item log \(item.id.description)",
      ItemView(item.summary, in: session, at: now).members
    )
  }

  private func bequest(_ summary: BequestSummary) -> (String, StyledText, JSONObject) {
    let view = BequestView(summary, names: names, passing: settings.passing, in: session)
    let since = session.dateTime(summary.access.date ?? now)
    return (
      view.title,
      "'\(view.subjectText)' is \(view.personName ?? "?", .bold)'s since \(since); hand it over with: capsule deliver \(summary.beneficiary.description) --output DIR",
      view.members
    )
  }
}
