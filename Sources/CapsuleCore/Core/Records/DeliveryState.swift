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

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("state", &state)
    try coder.field("at", &at)
    try coder.optional("notes", &notes)
    coder.rest(&unknown)
  }
}
