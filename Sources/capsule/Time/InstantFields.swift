package import CapsuleCore

/// The members by which machine output tells an instant: `…At` in UTC and `…AtLocal` beside it, each
/// RFC 3339; the zone stands once in the object.
package struct InstantFields {
  private let zone: ZoneRules

  package init(zone: ZoneRules) {
    self.zone = zone
  }

  /// RFC 3339 with the zone's offset.
  package func local(_ instant: Instant) -> String {
    // RFC 3339 has no seconds in an offset; local mean times of long ago are cut to the minute.
    let offset = zone.offset(at: instant).seconds / 60 * 60
    let local = instant.adding(seconds: Int64(offset))
    // In the last hours of 9999 clocks may show a year that RFC 3339 has no text for.
    guard local.isRepresentable else { return instant.rfc3339 }
    return local.rfc3339.dropLast() + ZoneRules.offsetText(offset)
  }

  /// Adds both members of an instant; `null` for none.
  package func add(_ instant: Instant?, as key: String, to object: inout JSONObject) {
    object[key] = instant.map { .string($0.rfc3339) } ?? .null
    object[key + "Local"] = instant.map { .string(local($0)) } ?? .null
  }
}
