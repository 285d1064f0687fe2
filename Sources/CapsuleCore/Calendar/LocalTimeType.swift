/// The local time of a zone during a stretch of time (RFC 9636 §3, "local time type").
package struct LocalTimeType: Hashable, Sendable {
  /// The seconds east of UTC: local time minus UTC.
  package let seconds: Int
  /// The zone's abbreviation, such as `CEST` or `+0545`: printable ASCII.
  package let abbreviation: String
  /// Whether the zone's rules call it daylight saving time.
  package let isDaylight: Bool

  package init(seconds: Int, abbreviation: String, isDaylight: Bool) {
    self.seconds = seconds
    self.abbreviation = abbreviation
    self.isDaylight = isDaylight
  }
}

/// A moment at which a zone's clocks change.
package struct ZoneTransition: Hashable, Sendable {
  /// The first second of the new type, in seconds since the epoch.
  package let at: Int64
  package let before: LocalTimeType
  package let after: LocalTimeType
}
