/// One item or capsule left to one beneficiary: under which rule, with which words, and how far the
/// handing over came.
public struct Bequest: Hashable, Sendable {
  package var header = RecordHeader()
  /// The item or capsule.
  public private(set) var subject = RecordReference(.item, .zero)
  public private(set) var beneficiary = RecordID.zero
  public var access = AccessRule.immediate
  /// The personal message; empty for none.
  public var message = ""
  /// Every change of its state, in order.
  public private(set) var delivery: [DeliveryChange] = []
  package private(set) var unknown: JSONObject = [:]

  /// The kinds that can be left to somebody.
  package static let subjectKinds: [RecordKind] = [.item, .capsule]
  /// The longest message, in bytes.
  package static let messageLimit = 1 << 20

  public var state: DeliveryState { delivery.last?.state ?? .notSent }
  /// When the state became what it is.
  public var stateSince: Instant { delivery.last?.at ?? createdAt }
}

extension Bequest {
  package init(
    header: RecordHeader, subject: RecordReference, beneficiary: RecordID,
    access: AccessRule = .immediate, message: String = ""
  ) {
    self.init()
    self.header = header
    self.subject = subject
    self.beneficiary = beneficiary
    self.access = access
    self.message = message
  }

  /// The reason for which a state was not taken.
  package enum MarkProblem: Hashable, Sendable {
    /// It cannot follow the present one.
    case order(from: DeliveryState, to: DeliveryState)
    /// The last change was later.
    case beforeLast(Instant)
  }

  /// Takes the next state.
  ///
  /// The first one may be earlier than the record: what was handed over is written down when it can be.
  ///
  /// - Parameter now: the present; a last change that is still to come was made by a clock that was wrong,
  ///   and holds nothing up.
  /// - Returns: why it cannot be taken; `nil` where it was.
  package mutating func mark(_ change: DeliveryChange, now: Instant) -> MarkProblem? {
    guard state.next.contains(change.state) else {
      return .order(from: state, to: change.state)
    }
    if let last = delivery.last?.at, change.at < min(last, now) { return .beforeLast(last) }
    delivery.append(change)
    return nil
  }

  /// Keeps the delivery of the present version: a bequest that was delivered stays delivered.
  package func edit(of current: Bequest) -> Bequest {
    var model = self
    model.header = current.header
    model.delivery = current.delivery
    return model
  }

  package var digest: BequestDigest { BequestDigest(self) }

  /// A bequest has no name of its own: its twin is found by the thing and the person.
  package var title: String { "" }
  package var indexedName: String? { twinKey }

  /// It falls due only while it is still to be handed over, at a date.
  package var earliestDue: Int64? { state == .notSent ? access.date?.seconds : nil }
}

extension Bequest: RecordModel {
  package static var kind: RecordKind { .bequest }
  package static var blank: Bequest { Bequest() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try header.walk(&walk)
    try walkSubject(&walk)
    try walk.field("beneficiary", &beneficiary, [.listed, .fixed], .siblings)
    try access.walk(&walk)
    try walk.optional("message", &message, .searched, .siblings)
    try walk.optional("delivery", &delivery, .searched, .delivery)
    walk.rest(&unknown)
    var state = DeliveryState.notSent
    for (position, change) in delivery.enumerated() {
      try walk.require(
        state.next.contains(change.state), "delivery[\(position)].state",
        .invalid(change.state.rawValue))
      state = change.state
    }
  }

  /// Names the two fields of which one holds the subject.
  private mutating func walkSubject<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    var item = subject.kind == .item ? subject.id : nil
    var capsule = subject.kind == .capsule ? subject.id : nil
    try walk.optional("item", &item, [.listed, .fixed], .siblings.of("subject"))
    try walk.optional(
      "capsule", &capsule, [.listed, .fixed], .siblings.of("subject"))
    switch (item, capsule) {
    case (let id?, nil): subject = RecordReference(.item, id)
    case (nil, let id?): subject = RecordReference(.capsule, id)
    case (nil, nil): try walk.refuse("item", .missing)
    case (_?, let id?): try walk.refuse("capsule", .invalid(id.description))
    }
  }

  package func checkRules() throws(Fault) {
    try RecordFault.check(message, .message, limit: Self.messageLimit)
    try RecordFault.check(access.date, .accessAt)
  }

  /// The thing and the person; `nil` once it was declined or revoked.
  package var twinKey: String? {
    state == .declined || state == .revoked ? nil : "\(subject.id) \(beneficiary)"
  }

  package var references: [RecordReference] {
    [subject, RecordReference(.beneficiary, beneficiary)]
  }
}

/// A rule that says from when on a beneficiary may have a bequest.
public enum AccessRule: Hashable, Sendable {
  case immediate
  case afterDate(Instant)
  case uponPassing

  /// The name of a rule in records and answers.
  package enum Name: String, CaseIterable, Hashable, Sendable, FieldText {
    case immediate, afterDate, uponPassing
  }

  package var name: Name {
    switch self {
    case .immediate: .immediate
    case .afterDate: .afterDate
    case .uponPassing: .uponPassing
    }
  }

  /// The date of the rule; `nil` for the others.
  package var date: Instant? {
    if case .afterDate(let date) = self { date } else { nil }
  }

  package init?(_ name: Name, date: Instant?) {
    switch (name, date) {
    case (.immediate, nil): self = .immediate
    case (.uponPassing, nil): self = .uponPassing
    case (.afterDate, let date?): self = .afterDate(date)
    default: return nil
    }
  }

  /// Returns the instant from which on the rule lets a bequest go; `nil` while that is not known.
  ///
  /// - Parameters:
  ///   - made: the time at which it was left to the beneficiary.
  ///   - passing: the time at which the owner passed away, where that was declared.
  package func accessible(since made: Instant, passing: Instant?) -> Instant? {
    switch self {
    case .immediate: made
    case .afterDate(let date): date
    case .uponPassing: passing
    }
  }

  /// Names the two fields that hold the rule.
  mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    var (rule, date) = (name, date)
    try walk.field("access", &rule, .listed, .siblings.of("access"))
    try walk.optional("accessAt", &date, .listed, .siblings.of("access"))
    guard let access = AccessRule(rule, date: date) else {
      return try walk.refuse("accessAt", date.map { .invalid($0.rfc3339) } ?? .missing)
    }
    self = access
  }
}

/// The progress of the handing over of a bequest.
public enum DeliveryState: String, CaseIterable, Hashable, Sendable, FieldText {
  case notSent, sent, accepted, declined, revoked

  /// The states that may come next: an accepted, declined or revoked bequest stays so.
  package var next: Set<DeliveryState> {
    switch self {
    case .notSent: [.sent, .revoked]
    case .sent: [.accepted, .declined, .revoked]
    case .accepted, .declined, .revoked: []
    }
  }

  /// How far the handing over came, as a number.
  package var progress: Int {
    switch self {
    case .notSent: 0
    case .sent: 1
    case .revoked: 2
    case .accepted, .declined: 3
    }
  }
}

/// A change of a bequest's state, and its time.
public struct DeliveryChange: Hashable, Sendable {
  public private(set) var state = DeliveryState.notSent
  public private(set) var at = Instant.epoch
  public private(set) var notes = ""
  package private(set) var unknown: JSONObject = [:]
}

extension DeliveryChange: RecordPart {
  package static var blank: DeliveryChange { DeliveryChange() }

  package init(_ state: DeliveryState, at: Instant, notes: String) {
    self.init(state: state, at: at, notes: notes)
  }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("state", &state)
    try walk.member("at", &at)
    try walk.optionalMember("notes", &notes)
    walk.rest(&unknown)
  }

  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {
    fields.append(SearchField(name, notes, at: at))
  }
}

/// What lists show of a bequest's delivery and message.
package struct BequestDigest: RecordDigest {
  package private(set) var state = DeliveryState.notSent
  package private(set) var stateSince = Instant.epoch
  package private(set) var hasMessage = false

  package init() {}

  fileprivate init(_ bequest: Bequest) {
    state = bequest.state
    stateSince = bequest.stateSince
    hasMessage = !bequest.message.isEmpty
  }

  package mutating func code<Coder: BriefCoder>(with coder: inout Coder) throws(Coder.Failure) {
    var place = DeliveryState.allCases.firstIndex(of: state) ?? 0
    try coder.count(&place)
    guard DeliveryState.allCases.indices.contains(place) else { return try coder.refuse() }
    state = DeliveryState.allCases[place]
    try coder.integer(&stateSince.seconds)
    try coder.flag(&hasMessage)
  }
}

extension Brief<Bequest> {
  /// The thing and the person; `nil` once it was declined or revoked.
  package var twinKey: String? {
    isClosed ? nil : "\(record.subject.id) \(record.beneficiary)"
  }

  /// Whether it was declined or revoked.
  package var isClosed: Bool { digest.state == .declined || digest.state == .revoked }

  /// Returns the instant from which on the beneficiary may have it; `nil` while that is not known.
  package func accessible(passing: Instant?) -> Instant? {
    record.access.accessible(since: record.createdAt, passing: passing)
  }
}

extension DeliveryState {
  /// The state for people.
  package var words: String {
    self == .notSent ? "not sent" : rawValue
  }
}
