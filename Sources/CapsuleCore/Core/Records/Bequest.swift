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
  public enum MarkProblem: Error, Hashable, Sendable {
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
  package mutating func mark(_ change: DeliveryChange, now: Instant) throws(MarkProblem) {
    guard state.next.contains(change.state) else {
      throw .order(from: state, to: change.state)
    }
    if let last = delivery.last?.at, change.at < min(last, now) { throw .beforeLast(last) }
    delivery.append(change)
  }
}

extension Bequest: RecordModel {
  package static var kind: RecordKind { .bequest }
  package static var blank: Bequest { Bequest() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try header.code(with: &coder)
    try codeSubject(with: &coder)
    try coder.field("beneficiary", &beneficiary)
    try access.code(with: &coder)
    try coder.optional("message", &message)
    try coder.optional("delivery", &delivery)
    coder.rest(&unknown)
    var state = DeliveryState.notSent
    for (position, change) in delivery.enumerated() {
      guard state.next.contains(change.state) else {
        return try coder.refuse(
          "delivery[\(position)].state", .invalid(change.state.rawValue))
      }
      state = change.state
    }
  }

  /// Names the two fields of which one holds the subject.
  private mutating func codeSubject<Coder: FieldCoder>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    var item = subject.kind == .item ? subject.id : nil
    var capsule = subject.kind == .capsule ? subject.id : nil
    try coder.optional("item", &item)
    try coder.optional("capsule", &capsule)
    switch (item, capsule) {
    case (let id?, nil): subject = RecordReference(.item, id)
    case (nil, let id?): subject = RecordReference(.capsule, id)
    case (nil, nil): try coder.refuse("item", .missing)
    case (_?, let id?): try coder.refuse("capsule", .invalid(id.description))
    }
  }

  package func checkRules() throws(RecordFault) {
    try RecordFault.check(message, .message, limit: Self.messageLimit)
    try RecordFault.check(access.date, .accessAt)
  }

  package var twinKey: String? { summary.twinKey }

  package var references: [RecordReference] {
    [subject, RecordReference(.beneficiary, beneficiary)]
  }
}

extension Bequest {
  /// Keeps the delivery of the present version: a bequest that was delivered stays delivered.
  package func edit(of current: Bequest) -> Bequest {
    var model = self
    model.header = current.header
    model.delivery = current.delivery
    return model
  }
}
