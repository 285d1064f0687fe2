import CapsuleCore

/// The switch as it stands: what was decided, how silent the owner is, and who was told of it here.
struct SwitchView {
  private let session: Session
  let settings: StoreSettings
  /// `nil` while it is off.
  let terms: SilenceSwitch?
  /// `nil` while it is off.
  let watch: SilenceWatch?
  /// `nil` while it is off.
  let audience: SilenceAudience?
  private let log: SilenceLog

  /// - Parameter store: `nil` where there is none.
  init(_ store: Store?, _ settings: StoreSettings, in session: Session) throws {
    self.session = session
    self.settings = settings
    guard let store,
      let silence = try SilenceCheck(store, settings, at: session.now, now: session.now)
    else {
      (terms, watch, audience, log) = (nil, nil, nil, SilenceLog())
      return
    }
    terms = silence.terms
    audience = silence.audience
    log =
      try store.stateDirectory.map {
        try Ledger.read(of: store, in: $0, now: session.now).silence
      } ?? SilenceLog()
    watch = silence.watch(log)
  }

  /// The state by its name in JSON.
  var stateName: String { watch?.state.rawValue ?? "off" }

  /// Whether the owner ought to check in.
  var isCheckInWanted: Bool { watch?.isCheckInWanted ?? false }

  /// The messages to others of this silence that this machine handed over.
  var toldToOthers: [SilenceNote] {
    log.notes.filter { $0.person != nil && $0.base == watch?.base }
  }

  /// The name of a person who is told.
  func name(_ id: RecordID) -> String {
    people.first { $0.id == id }?.name ?? id.description
  }

  private var people: [Beneficiary] { (audience?.witnesses ?? []) + (audience?.trustees ?? []) }

  /// The state in one sentence, without a full stop.
  var stateText: String {
    guard let watch, let terms else { return "off" }
    let since = session.dates.text(watch.since)
    switch watch.state {
    case .alive:
      let due =
        watch.next.map { "due \(session.dates.text($0.at)), \(session.dates.relative($0.at))" }
        ?? ""
      return "alive: the next check-in is \(due)"
    case .due: return "due: a check-in has been due since \(since)"
    case .warned:
      return "warned: a warning has been due since \(since), and was not handed over here yet"
    case .grace: return "grace: you were warned \(since), and the \(terms.grace.words) run"
    case .silent: return "silent since \(since)"
    case .paused:
      return "paused until \(terms.pausedUntil.map { session.dates.text($0) } ?? since)"
    case .ended: return "ended: a passing is declared"
    }
  }

  private var nextText: String {
    guard let watch else { return "" }
    guard let next = watch.next else {
      switch watch.state {
      case .warned: return "the grace period begins when 'capsule check' has delivered the warning"
      case .grace: return "when a whole grace period has passed since the contacts were notified"
      default: return ""
      }
    }
    return
      "\(next.state.rawValue) \(session.dates.relative(next.at)), \(session.dates.text(next.at))"
  }

  func write(to out: TextOutput) {
    let sheet = FieldSheet(out, width: 14)
    sheet.field("Switch", StyledText(stateText, isCheckInWanted ? .yellow : .plain))
    guard let watch, let terms, let audience else { return }
    sheet.field("Next", ifAny: nextText)
    if let last = settings.checkIns.latest(asOf: session.now) {
      sheet.field("Last check-in", "\(session.dates.text(last)), \(session.dates.relative(last))")
    }
    sheet.field(
      "Check in", "every \(terms.every.words)\(terms.isByUse ? ", or by using the program" : "")")
    sheet.field("Warning", "\(terms.warn.words) later")
    sheet.field("Grace", terms.grace.words)
    for person in audience.witnesses {
      sheet.field("Witness", "\(person.name), \(person.email)")
    }
    for id in audience.unreachable { sheet.field("Witness", "\(id), who cannot be reached") }
    sheet.field("Trustees", ifAny: audience.trustees.map(\.name).joined(separator: ", "))
    sheet.field("Ring", ifAny: terms.phone)
    for note in log.notes where note.base == watch.base {
      let who = note.person.map { name($0) } ?? "you"
      sheet.field("Told", "\(who), \(session.dates.text(note.at)): \(note.step.rawValue)")
    }
  }

  var members: JSONObject {
    let instants = InstantFields(zone: session.zone)
    var members: JSONObject = [
      "byUse": .bool(terms?.isByUse ?? false), "kind": "switch",
      "state": .string(stateName), "zone": .string(session.localZone.label),
    ]
    members["every"] = terms.map { .string($0.every.iso8601) } ?? .null
    members["grace"] = terms.map { .string($0.grace.iso8601) } ?? .null
    members["warn"] = terms.map { .string($0.warn.iso8601) } ?? .null
    members.member("phone", ifAny: terms?.phone ?? "")
    instants.add(
      terms.flatMap { _ in settings.checkIns.latest(asOf: session.now) }, as: "lastCheckInAt",
      to: &members)
    instants.add(terms?.pausedUntil, as: "pausedUntil", to: &members)
    instants.add(watch?.since, as: "since", to: &members)
    if let next = watch?.next {
      var object: JSONObject = [
        "secondsRemaining": .integer(next.at.seconds(since: session.now)),
        "state": .string(next.state.rawValue),
      ]
      instants.add(next.at, as: "at", to: &object)
      members["next"] = .object(object)
    } else {
      members["next"] = .null
    }
    members["witnesses"] = .array((audience?.witnesses ?? []).map { Self.person($0) })
    members["trustees"] = .array((audience?.trustees ?? []).map { Self.person($0) })
    members["unreachable"] = .array(
      (audience?.unreachable ?? []).map { .string($0.description) })
    members["told"] = .array(
      log.notes.filter { $0.base == watch?.base }.map { note in
        var object: JSONObject = ["step": .string(note.step.rawValue)]
        object.member("person", note.person?.description)
        instants.add(note.at, as: "at", to: &object)
        return .object(object)
      })
    return members
  }

  private static func person(_ person: Beneficiary) -> JSON {
    var object = JSONObject()
    object.member("email", ifAny: person.email)
    object.member("id", person.id)
    object.member("name", person.name)
    object.member("phone", ifAny: person.phone)
    return .object(object)
  }
}
