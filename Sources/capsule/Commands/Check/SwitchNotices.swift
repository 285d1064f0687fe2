import CapsuleCore

/// The messages of the dead man's switch: to the owner, and to others.
///
/// A message to others names no title of anything. It says that a false alarm is likely, and whom to call.
struct SwitchNotices {
  private let session: Session
  private let terms: SilenceSwitch
  private let audience: SilenceAudience

  init(_ silence: SilenceCheck, _ session: Session) {
    self.session = session
    terms = silence.terms
    audience = silence.audience
  }

  func notice(of silence: SilenceMessage) -> Notice {
    let (step, watch, person) = (silence.step, silence.watch, silence.person)
    let title = person.map { _ in titleForOthers(watch) } ?? titleForOwner(step)
    let paragraphs =
      person.map { messageForOthers(step, watch, $0) } ?? [messageForOwner(step, watch)]
    let message = paragraphs.joined(separator: " ")
    let role = silence.role.rawValue
    let shownRole = silence.role == .witness ? "emergency contact" : role
    let text: StyledText =
      person.map { "To \($0.name, .bold) <\($0.email)>, \(shownRole): \(message)" }
      ?? StyledText(message)
    let zone = session.zone
    let label = session.localZone.label
    return Notice(
      id: "", kind: "switch", title: title, text: text,
      letter: (
        name: person?.name ?? "", address: person?.email ?? "",
        message: message, paragraphs: paragraphs
      )
    ) {
      var members: JSONObject = [
        "kind": "switch", "message": .string(message), "state": .string(watch.state.rawValue),
        "title": .string(title), "topic": .string(step.rawValue), "zone": .string(label),
      ]
      var to: JSONObject = ["role": .string(role)]
      to.member("email", ifAny: person?.email ?? "")
      to.member("id", person?.id.description)
      to.member("name", ifAny: person?.name ?? "")
      to.member("phone", ifAny: person?.phone ?? "")
      members["to"] = .object(to)
      let instants = InstantFields(zone: zone)
      instants.add(watch.since, as: "dueAt", to: &members)
      instants.add(watch.base, as: "silentFrom", to: &members)
      return members
    }
  }
}

// The words.
extension SwitchNotices {
  private var owner: String {
    audience.owner.isEmpty ? "the owner of this store" : audience.owner
  }

  private func titleForOwner(_ step: SilenceStep) -> String {
    switch step {
    case .due: "A check-in is due"
    case .warned: "Check in, or others will be notified"
    case .grace: "Your emergency contacts are being notified"
    case .silent, .resumed: "Your dead man's switch is active again"
    }
  }

  private func titleForOthers(_ watch: SilenceWatch) -> String {
    "No check-in from \(owner) since \(day(watch.base)), probably a false alarm"
  }

  private func messageForOwner(_ step: SilenceStep, _ watch: SilenceWatch) -> String {
    let way = "Check in with: capsule switch checkin"
    let since = session.dates.text(watch.base)
    switch step {
    case .due:
      let next = watch.next.map { " You will get a warning on \(day($0.at))." } ?? ""
      return "A check-in is due: your last one was on \(since).\(next) \(way)"
    case .warned:
      let last = audience.trustees.isEmpty ? "again" : "your trustees"
      return
        "You have not checked in since \(since). Unless you check in, "
        + "\(Self.list(audience.witnesses.map(\.name))) will be notified soon, and \(last) in "
        + "\(terms.grace.words). \(way)"
    case .grace:
      let last =
        audience.trustees.isEmpty
        ? "they will be notified again" : "your trustees will be notified"
      return
        "You have not checked in since \(since), and your emergency contacts are being notified. "
        + "Unless you check in, \(last) \(end(watch)). \(way)"
    case .silent, .resumed:
      let next = watch.next.map { " The next check-in is due on \(day($0.at))." } ?? ""
      return "Your dead man's switch is active again, because its pause is over.\(next) \(way)"
    }
  }

  /// The message to a person who is not the owner, in paragraphs: the fact, then what to do.
  private func messageForOthers(
    _ step: SilenceStep, _ watch: SilenceWatch, _ person: Beneficiary
  ) -> [String] {
    let role =
      step != .grace && audience.isTrustee(person) ? "a trustee" : "an emergency contact"
    let fact =
      "Dear \(person.name), you are \(role) for \(owner), who has not checked in since "
      + "\(day(watch.base)) and has not answered reminders."
    let nothing = "Nothing was opened or sent because of this, and nothing will be."
    if step == .grace {
      let next =
        audience.trustees.isEmpty ? "you will be notified again" : "the trustees will be notified"
      return [
        "\(fact) This is probably a false alarm: a trip, an illness, a computer that was off.",
        callFirst(for: person),
        "If all is well, ask \(owner) to run 'capsule switch checkin', which ends this alarm.",
        "\(nothing) Without a check-in, \(next) \(end(watch)).",
      ]
    }
    return [
      "\(fact) The time to answer has passed, but this may still be a false alarm.",
      callFirst(for: person), nothing, onTheDay,
    ]
  }

  private var onTheDay: String {
    let groups = audience.groups.map { group in
      "any \(group.threshold) of \(Self.list(group.shares.map(\.holder)))"
    }
    let meeting =
      groups.isEmpty
      ? ""
      : " The trustees meet with their sheets, which say what to do: \(Self.list(groups))."
    return
      "Only if you know that \(owner) has died, ask somebody to run 'capsule passing declare' on the "
      + "computer of \(owner).\(meeting)"
  }

  private func callFirst(for person: Beneficiary) -> String {
    var numbers = terms.phone.isEmpty ? [] : ["\(terms.phone) (\(owner))"]
    for contact in audience.witnesses where contact.id != person.id && !contact.phone.isEmpty {
      numbers.append("\(contact.phone) (\(contact.name), an emergency contact)")
    }
    return numbers.isEmpty
      ? "Before you do anything else, please call \(owner)."
      : "Before you do anything else, please call \(numbers.joined(separator: ", then "))."
  }

  private func end(_ watch: SilenceWatch) -> String {
    watch.next.map { "on \(day($0.at))" } ?? "\(terms.grace.words) from now"
  }

  /// The day, for people who may live in other zones.
  private func day(_ instant: Instant) -> String {
    session.zone.civil(at: instant).date.longText
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "nobody" : names.map(\.onOneLine).listed()
  }
}
