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

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("at", &at)
    try coder.field("declaredAt", &declaredAt)
    coder.rest(&unknown)
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
