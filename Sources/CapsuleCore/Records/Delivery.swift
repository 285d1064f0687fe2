/// How far the handing over of a bequest came.
package enum DeliveryState: String, CaseIterable, Hashable, Sendable {
  case notSent, sent, accepted, declined, revoked

  /// The states that may come next: what is accepted, declined or revoked stays so.
  package var next: Set<DeliveryState> {
    switch self {
    case .notSent: [.sent, .revoked]
    case .sent: [.accepted, .declined, .revoked]
    case .accepted, .declined, .revoked: []
    }
  }
}

/// One step of a delivery: what it came to, and when.
package struct DeliveryChange: Hashable, Sendable {
  package let state: DeliveryState
  package let at: Instant
  package let notes: String
  package let unknown: JSONObject

  package init(_ state: DeliveryState, at: Instant, notes: String) {
    self.state = state
    self.at = at
    self.notes = notes
    unknown = [:]
  }
}

extension DeliveryChange: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    state = try reader.choice("state", as: DeliveryState.self)
    at = try reader.instant("at")
    notes = try reader.optionalString("notes") ?? ""
    unknown = reader.rest
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["state"] = .string(state.rawValue)
    fields["at"] = .instant(at)
    fields["notes"] = .string(notes)
    return fields
  }
}
