extension Fault.Message: CustomStringConvertible {
  /// The text, with instants as RFC 3339 has them and control characters escaped.
  public var description: String {
    SafeText.line(text { seconds, _ in Instant(seconds: seconds).rfc3339 })
  }
}

extension Fault.Message.Interpolation {
  /// Appends an instant, shown in the zone of who reads the message.
  package mutating func appendInterpolation(
    _ instant: Instant, as form: Fault.Message.InstantForm = .clock
  ) {
    append(.instant(instant.seconds, form))
  }
}
