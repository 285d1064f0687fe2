/// One item or capsule left to one beneficiary: under which rule, with which words, and how far the
/// handing over came.
package struct Bequest: Hashable, Identifiable, Sendable {
  package var header: RecordHeader
  /// The item or capsule.
  package let subject: RecordReference
  package let beneficiary: RecordID
  package var access: AccessRule
  /// The personal message; empty for none.
  package var message: String
  /// Every change of its state, in order.
  package private(set) var delivery: [DeliveryChange]
  package let unknown: JSONObject

  package var id: RecordID { header.id }
  package var createdAt: Instant { header.createdAt }
  package var updatedAt: Instant { header.updatedAt }

  package init(
    header: RecordHeader, subject: RecordReference, beneficiary: RecordID,
    access: AccessRule = .immediate, message: String = ""
  ) {
    self.header = header
    self.subject = subject
    self.beneficiary = beneficiary
    self.access = access
    self.message = message
    delivery = []
    unknown = [:]
  }

  /// What can be left to somebody.
  package static let subjectKinds: [RecordKind] = [.item, .capsule]
  /// The longest message, in bytes.
  package static let messageLimit = 1 << 20

  package var state: DeliveryState { delivery.last?.state ?? .notSent }
  /// When the state became what it is.
  package var stateSince: Instant { delivery.last?.at ?? createdAt }

  /// Why a state was not taken.
  package enum MarkProblem: Error, Hashable, Sendable {
    /// It cannot follow the present one.
    case order(from: DeliveryState, to: DeliveryState)
    /// The last change was later.
    case beforeLast(Instant)
  }

  /// Takes the next state.
  package mutating func mark(_ change: DeliveryChange) throws(MarkProblem) {
    guard state.next.contains(change.state) else {
      throw .order(from: state, to: change.state)
    }
    guard change.at >= stateSince else { throw .beforeLast(stateSince) }
    delivery.append(change)
  }
}

extension Bequest: RecordModel {
  package static var kind: RecordKind { .bequest }

  package var references: [RecordReference] {
    [subject, RecordReference(.beneficiary, beneficiary)]
  }

  package var twinKey: String? { summary.twinKey }

  package init(reading reader: inout FieldReader) throws(FieldError) {
    header = try RecordHeader(reading: &reader)
    var subject: RecordReference?
    for kind in Self.subjectKinds {
      guard let text = try reader.optionalString(kind.rawValue) else { continue }
      guard subject == nil, let id = RecordID(text) else {
        throw reader.error(kind.rawValue, .invalid(text))
      }
      subject = RecordReference(kind, id)
    }
    guard let subject else { throw reader.error(RecordKind.item.rawValue, .missing) }
    self.subject = subject
    beneficiary = try reader.id("beneficiary")
    let rule = try reader.choice("access", as: AccessRule.Name.self)
    let date = try reader.optionalInstant("accessAt")
    guard let access = AccessRule(rule, date: date) else {
      throw reader.error("accessAt", date.map { .invalid($0.rfc3339) } ?? .missing)
    }
    self.access = access
    message = try reader.optionalString("message") ?? ""
    delivery = try reader.models("delivery", of: DeliveryChange.self)
    unknown = reader.rest
    var state = DeliveryState.notSent
    for (position, change) in delivery.enumerated() {
      guard state.next.contains(change.state) else {
        throw reader.error("delivery[\(position)].state", .invalid(change.state.rawValue))
      }
      state = change.state
    }
  }

  package var fields: JSONObject {
    var fields = unknown
    header.write(into: &fields)
    for kind in Self.subjectKinds {
      fields[kind.rawValue] = kind == subject.kind ? .string(subject.id.description) : .null
    }
    fields["beneficiary"] = .string(beneficiary.description)
    fields["access"] = .string(access.name.rawValue)
    fields["accessAt"] = access.date.map { .instant($0) } ?? .null
    fields["message"] = .string(message)
    fields["delivery"] = .parts(delivery)
    return fields
  }

  package var blobs: [BlobName] { [] }
}
