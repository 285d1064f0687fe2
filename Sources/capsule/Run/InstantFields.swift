import CapsuleCore

/// The members of machine output for an instant: `…At` in UTC and `…AtLocal` beside it, each
/// RFC 3339; the zone stands once in the object.
struct InstantFields {
  private let zone: ZoneRules

  init(zone: ZoneRules) {
    self.zone = zone
  }

  /// Returns RFC 3339 with the zone's offset.
  func local(_ instant: Instant) -> String {
    guard let local = LocalText(instant, zone) else { return instant.rfc3339 }
    return String(plainCount: LocalText.count, local.write)
  }

  /// Adds both members of an instant; `null` for none.
  ///
  /// - Parameter local: The key of the second member; without it `key` and `Local`.
  func add(
    _ instant: Instant?, as key: String, local localKey: String? = nil,
    to writer: inout some MemberWriter
  ) {
    let localKey = localKey ?? key + "Local"
    guard let instant else {
      writer.member(key, JSON.null)
      return writer.member(localKey, JSON.null)
    }
    writer.member(key, plainCount: Instant.rfc3339Count) { instant.writeRFC3339(to: $0) }
    if let local = LocalText(instant, zone) {
      writer.member(localKey, plainCount: LocalText.count, local.write)
    } else {
      writer.member(localKey, instant.rfc3339)
    }
  }
}

/// An instant as the clocks of a zone show it, with the zone's offset.
private struct LocalText {
  static let count = 25
  private let local: Instant
  private let minutes: Int

  /// `nil` in the last hours of 9999, where clocks may show a year that RFC 3339 has no text for.
  init?(_ instant: Instant, _ zone: ZoneRules) {
    // RFC 3339 has no seconds in an offset; local mean times of long ago are cut to the minute.
    minutes = zone.offset(at: instant).seconds / 60
    local = instant.adding(seconds: Int64(minutes * 60))
    guard local.isRepresentable else { return nil }
  }

  @_optimize(speed)
  func write(to buffer: UnsafeMutableRawBufferPointer) {
    local.writeRFC3339(to: buffer)
    func put(_ value: Int, at index: Int) {
      buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
      buffer[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
    }
    buffer[19] = UInt8(ascii: minutes < 0 ? "-" : "+")
    put(abs(minutes) / 60, at: 20)
    buffer[22] = UInt8(ascii: ":")
    put(abs(minutes) % 60, at: 23)
  }
}
