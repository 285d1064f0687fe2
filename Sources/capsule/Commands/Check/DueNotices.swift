import CapsuleCore

/// Something that is announced, as a line for people and as the members of JSON.
struct Notice {
  /// The id of the record; empty for what is no record's.
  let id: String
  let kind: String
  let title: String
  /// The line for people.
  let text: StyledText
  /// The message, and the name and the address that it is to go to, where it is for one person; both are
  /// empty for the owner.
  var letter: (name: String, address: String, message: String, paragraphs: [String])?
  /// Returns the object for machines; made when it is asked for.
  let members: () -> JSONObject
}

/// Makes the notices of what became due in a store.
struct DueNotices {
  let session: Session
  let settings: StoreSettings
  let calendar: EventCalendar
  let names: RecordNames
  /// The time that is checked for.
  let now: Instant

  /// The title, the line for people, and what makes the object for machines.
  private typealias Parts = (String, StyledText, () -> JSONObject)

  func notice(of due: DueThing) -> Notice {
    let announcement = due.announcement
    let title: String
    let text: StyledText
    let own: () -> JSONObject
    switch due.matter {
    case .unlock(let capsule): (title, text, own) = unlock(capsule)
    case .event(let event, let found): (title, text, own) = self.event(event.summary, found)
    case .reminder(let item, let reminder):
      (title, text, own) = self.reminder(reminder, item)
    case .bequest(let bequest): (title, text, own) = self.bequest(bequest.summary)
    }
    let zone = session.zone
    return Notice(
      id: announcement.id.description, kind: announcement.kind.rawValue, title: title, text: text
    ) {
      var members = own()
      members["topic"] = .string(announcement.topic)
      if announcement.kind == .item {
        members["occurrenceAt"] = .string(announcement.instant.rfc3339)
      } else {
        InstantFields(zone: zone).add(announcement.instant, as: "dueAt", to: &members)
      }
      return members
    }
  }

  private func unlock(_ capsule: Capsule) -> Parts {
    let (session, now, summary) = (session, now, capsule.summary)
    let rest: StyledText =
      capsule.openedAt.map { "it was opened \(session.dates.text($0))" }
      ?? "open it with: capsule open \(summary.id.description)"
    return (
      summary.title,
      "'\(summary.title, .bold)' has been unlocked since \(session.dates.text(capsule.dueAt)); \(rest)",
      { CapsuleView(summary, in: session, at: now).members }
    )
  }

  private func event(_ summary: EventSummary, _ found: EventAnnouncement) -> Parts {
    let view = EventView(summary, calendar, in: session, at: now)
    let (instants, moment) = (InstantFields(zone: session.zone), found.moment)
    func members(alert: JSON) -> JSONObject {
      var members = view.members
      EventView.add(moment, dateAs: "nextDate", instantAs: "nextAt", instants, to: &members)
      members["years"] =
        summary.timing.schedule(in: calendar).years(at: moment).map { .integer(Int64($0)) } ?? .null
      members["alert"] = alert
      return members
    }
    switch found.topic {
    case .alert(let alert):
      let relative = session.dates.announced(moment, at: now, settings)
      // A moment at this very second is not over.
      let word = moment.end(in: session.zone) < now ? "was" : "is"
      let years = summary.timing.schedule(in: calendar).years(at: moment)
        .map { ", \(DurationUnit.year.text($0))" }
      return (
        summary.title,
        "'\(view.titleText)' \(word) \(relative), \(session.dates.text(moment))\(years ?? "")",
        { members(alert: .string(alert.description)) }
      )
    case .over:
      return (
        summary.title,
        "'\(view.titleText)' has been over since \(session.dates.text(found.instant)); when it is met: capsule event done \(summary.id.description)",
        { members(alert: .null) }
      )
    }
  }

  private func reminder(_ reminder: Reminder, _ item: Item) -> Parts {
    let (session, now) = (session, now)
    let title = reminder.title(of: item)
    let since = item.history.last.map { last in
      "was last done \(session.dates.announced(.instant(last.at), at: now, settings))"
    }
    let summary = item.summary
    return (
      title,
      "'\(title, .bold)' is due, \(reminder.words); it \(since ?? "was never done"); when it is done: capsule item log \(summary.id.description)",
      { ItemView(summary, in: session, at: now).members }
    )
  }

  private func bequest(_ summary: BequestSummary) -> Parts {
    let view = BequestView(summary, names: names, passing: settings.passing, in: session)
    let since = session.dates.text(summary.access.date ?? now)
    return (
      view.title,
      "'\(view.subjectText)' is for '\(view.personName ?? "?", .bold)' since \(since); hand it over with: capsule deliver \(summary.beneficiary.description) --output DIR",
      { view.members }
    )
  }
}
