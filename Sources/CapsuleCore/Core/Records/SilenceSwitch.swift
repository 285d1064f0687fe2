/// The owner's decision about being silent: how often to check in, and who hears of it when that
/// does not happen. It is a member of the store's settings.
package struct SilenceSwitch: Hashable, Sendable {
  /// The span from a check-in until the next one is due.
  package var every = CalendarDuration(days: 30)
  /// The span from then until the owner is warned.
  package var warn = CalendarDuration(days: 7)
  /// The span from the warning until the others are to act.
  package var grace = CalendarDuration(days: 21)
  /// The people who hear of it first.
  package var witnesses: [RecordID] = []
  /// The number that others are to ring; empty where it is not known.
  package var phone = ""
  /// Whether each command at a terminal is a check-in.
  package var isByUse = false
  /// The end of the time in which nothing is counted; `nil` where that was never asked for.
  package var pausedUntil: Instant?
  package private(set) var unknown: JSONObject = [:]

  package init() {}

  /// The longest span, in years.
  private static let longestSpan = 10

  /// Whether a span can be one of the three: longer than no time, and ten years at most.
  package static func isSpan(_ span: CalendarDuration) -> Bool {
    guard !span.isZero, let end = span.added(to: .epoch, in: .utc)?.instant,
      let limit = CalendarDuration(years: longestSpan).added(to: .epoch, in: .utc)?.instant
    else { return false }
    return end <= limit
  }

  /// The most bytes of the number to ring, by ``Beneficiary/isPhoneNumber(_:)``.
  private static let phoneLimit = 100
}

extension SilenceSwitch: RecordPart {
  package static var blank: SilenceSwitch { SilenceSwitch() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("every", &every)
    try walk.member("warn", &warn)
    try walk.member("grace", &grace)
    try walk.member("witnesses", &witnesses)
    try walk.optionalMember("phone", &phone)
    try walk.optionalMember("byUse", &isByUse)
    try walk.optionalMember("pausedUntil", &pausedUntil, writesNull: false)
    walk.rest(&unknown)
    try walk.limit("phone", phone, to: Self.phoneLimit)
  }
}

/// A duration is ISO 8601, and no time at all is none.
extension CalendarDuration: FieldText {
  package init?(fieldText: String) {
    guard let duration = try? DurationParser.parse(fieldText), !duration.isZero else { return nil }
    self = duration
  }

  package var fieldText: String { iso8601 }
}

/// The times at which the owner checked in. A few are kept, so that one of a clock that was wrong does
/// not take the place of those that were right.
package struct CheckIns: Hashable, Sendable {
  /// The times from the earliest, each once.
  package private(set) var times: [Instant]

  /// The most check-ins that are kept of those before the newest, and of those that are still to come.
  private static let most = 8
  /// The most seconds by which the clocks of two machines may differ.
  package static let clockSlack: Int64 = 86_400

  package init(_ times: [Instant] = []) {
    self.times = Set(times).sorted()
  }

  /// The latest that can have been; those that are to come are of a clock that was ahead. `nil` where
  /// there is none.
  package func latest(asOf now: Instant) -> Instant? {
    times.last { $0 <= now.adding(seconds: Self.clockSlack) }
  }

  /// Adds one of now.
  package mutating func add(_ now: Instant) {
    let past = times.filter { $0 < now }.suffix(Self.most - 1)
    let future = times.filter { $0 > now }.prefix(Self.most)
    times = past + [now] + future
  }
}

extension StoreSettings {
  /// The members of `settings.json`; no settings, so that only `switch` sets them.
  package static let switchName = "switch"
  package static let checkInsName = "checkIns"

  /// The switch; `nil` while it is off.
  ///
  /// - Throws: ``FieldError`` where it cannot be read: nobody may take it for off then.
  package func silenceSwitch() throws(FieldError) -> SilenceSwitch? {
    guard let json = values[Self.switchName], json != .null else { return nil }
    do { return try SilenceSwitch(json: json) } catch {
      throw error.inside(Self.switchName)
    }
  }

  /// The check-ins; those that cannot be read are left out.
  package var checkIns: CheckIns {
    CheckIns((values[Self.checkInsName]?.array ?? []).compactMap { try? Instant(json: $0) })
  }

  mutating func set(_ silenceSwitch: SilenceSwitch?, _ checkIns: CheckIns?) {
    set(Self.switchName, to: silenceSwitch?.json)
    set(Self.checkInsName, to: checkIns?.times.json)
  }
}

/// The owner's death, as somebody declared it.
public struct Passing: Hashable, Sendable {
  /// The time of it.
  public private(set) var at = Instant.epoch
  public private(set) var declaredAt = Instant.epoch
  package private(set) var unknown: JSONObject = [:]

  package init(at: Instant = .epoch, declaredAt: Instant = .epoch) {
    self.at = at
    self.declaredAt = declaredAt
  }
}

extension Passing: RecordPart {
  package static var blank: Passing { Passing() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("at", &at)
    try walk.member("declaredAt", &declaredAt)
    walk.rest(&unknown)
  }
}

extension StoreSettings {
  /// The member of `settings.json`; no setting, so that nothing but a declaration sets it.
  package static let passingName = "passing"

  /// The declaration; `nil` where there is none, or none that can be used.
  package var passing: Passing? {
    get { values[Self.passingName].flatMap { try? Passing(json: $0) } }
    set { set(Self.passingName, to: newValue?.json) }
  }
}
