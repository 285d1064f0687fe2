/// That the owner has passed away, as somebody declared it.
package struct Passing: Hashable, Sendable {
  /// When.
  package let at: Instant
  package let declaredAt: Instant
  package let unknown: JSONObject

  package init(at: Instant, declaredAt: Instant) {
    self.at = at
    self.declaredAt = declaredAt
    unknown = [:]
  }
}

extension Passing: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    at = try reader.instant("at")
    declaredAt = try reader.instant("declaredAt")
    unknown = reader.rest
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["at"] = .instant(at)
    fields["declaredAt"] = .instant(declaredAt)
    return fields
  }
}

extension StoreSettings {
  /// The member of `settings.json`; no setting, so that nothing but a declaration sets it.
  package static let passingName = "passing"

  /// The declaration; `nil` where there is none, or none that can be used.
  package var passing: Passing? {
    get {
      var reader = FieldReader(values)
      return try? reader.optionalModel(Self.passingName, as: Passing.self)
    }
    set {
      set(Self.passingName, to: newValue.map { .object($0.fields) })
    }
  }
}
