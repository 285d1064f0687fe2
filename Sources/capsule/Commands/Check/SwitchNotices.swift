import CapsuleCore

/// The messages about the owner's silence: to the owner, and to others.
///
/// A message to others names no title of anything, says that a false alarm is likely, and whom to ring.
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
    let message = person.map { messageForOthers(step, watch, $0) } ?? messageForOwner(step, watch)
    let role = silence.role.rawValue
    let text: StyledText =
      person.map { "To \($0.name, .bold) <\($0.email)>, \(role): \(message)" }
      ?? StyledText(message)
    let zone = session.zone
    let label = session.localZone.label
    return Notice(
      id: "", kind: "switch", title: title, text: text,
      letter: (name: person?.name ?? "", address: person?.email ?? "", message: message)
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

  /// The words for those who are told when the grace is over.
  private var lastToBeTold: String {
    audience.trustees.isEmpty ? "they again" : "your trustees"
  }

  private func titleForOwner(_ step: SilenceStep) -> String {
    switch step {
    case .due: "A check-in is due"
    case .warned: "Check in, or others will be told"
    case .grace: "Your witnesses are being told of your silence"
    case .silent, .resumed: "The pause of the switch is over"
    }
  }

  private func titleForOthers(_ watch: SilenceWatch) -> String {
    "No sign of \(owner) since \(day(watch.base)), most likely a false alarm"
  }

  private func messageForOwner(_ step: SilenceStep, _ watch: SilenceWatch) -> String {
    let way = "Check in with: capsule switch checkin"
    let since = session.dateTime(watch.base)
    switch step {
    case .due:
      let next = watch.next.map { " On \(day($0.at)) you are warned." } ?? ""
      return "A check-in is due: the last sign of you is of \(since).\(next) \(way)"
    case .warned:
      return
        "There has been no sign of you since \(since). \(Self.list(audience.witnesses.map(\.name))) "
        + "will be told soon, and \(lastToBeTold) in \(terms.grace.words), unless you check in. \(way)"
    case .grace:
      return
        "There has been no sign of you since \(since): your witnesses are being told, and "
        + "\(lastToBeTold) \(end(watch)), unless you check in. \(way)"
    case .silent, .resumed:
      let next = watch.next.map { " The next check-in is due on \(day($0.at))." } ?? ""
      return "The pause of the switch is over, and silence counts again.\(next) \(way)"
    }
  }

  private func messageForOthers(
    _ step: SilenceStep, _ watch: SilenceWatch, _ person: Beneficiary
  ) -> String {
    let ring = ringWords(for: person)
    let opening =
      "The computer of \(owner) has had no sign of use since \(day(watch.base)), and warnings were "
      + "not answered."
    let nothing = "Nothing was opened or sent because of this, and nothing will be by itself."
    if step == .grace {
      return
        "\(person.name), you are named as a witness. \(opening) This is most likely a false alarm: "
        + "a journey, an illness, a computer that was off. \(ring) If all is well, ask for "
        + "'capsule switch checkin' on that computer, which ends this. \(nothing) Without a "
        + "check-in \(audience.trustees.isEmpty ? "you are told again" : "the trustees are told") "
        + "\(end(watch))."
    }
    return
      "\(person.name), you are told as a \(audience.isTrustee(person) ? "trustee" : "witness"). "
      + "\(opening) The time to answer is over; a false alarm is likely all the same. \(ring) "
      + "\(nothing) \(onTheDay)"
  }

  private var onTheDay: String {
    let groups = audience.groups.map { group in
      "any \(group.threshold) of \(Self.list(group.shares.map(\.holder)))"
    }
    let meeting =
      groups.isEmpty
      ? "" : ", and the trustees meet with their sheets, which say how: \(Self.list(groups))"
    return
      "Only if you know that \(owner) has died: somebody at that computer declares it with "
      + "'capsule passing declare'\(meeting)."
  }

  private func ringWords(for person: Beneficiary) -> String {
    var numbers = terms.phone.isEmpty ? [] : ["\(terms.phone) (\(owner))"]
    for witness in audience.witnesses where witness.id != person.id && !witness.phone.isEmpty {
      numbers.append("\(witness.phone) (\(witness.name), a witness)")
    }
    return numbers.isEmpty
      ? "Ring \(owner) before you do anything else."
      : "Before you do anything else, ring \(numbers.joined(separator: ", then "))."
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
