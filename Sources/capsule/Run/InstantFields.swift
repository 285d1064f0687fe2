import CapsuleCore

/// The members of machine output for an instant: `…At` in UTC and `…AtLocal` beside it, each RFC
/// 3339; the zone stands once in the object.
struct InstantFields {
  private let zone: ZoneRules

  init(zone: ZoneRules) {
    self.zone = zone
  }

  /// Returns RFC 3339 with the zone's offset.
  func local(_ instant: Instant) -> String {
    // RFC 3339 has no seconds in an offset; local mean times of long ago are cut to the minute.
    let offset = zone.offset(at: instant).seconds / 60 * 60
    let local = instant.adding(seconds: Int64(offset))
    // In the last hours of 9999 clocks may show a year that RFC 3339 has no text for.
    guard local.isRepresentable else { return instant.rfc3339 }
    return local.rfc3339.dropLast() + ZoneRules.offsetText(offset)
  }

  /// Writes both members of an instant; `null` for none. Later members must sort behind them.
  func write(
    _ instant: Instant?, as key: String, local localKey: String, to writer: inout JSONTextWriter
  ) {
    writer.key(key)
    if let instant {
      writer.value(plainCount: Instant.rfc3339Count) { instant.writeRFC3339(to: $0) }
    } else {
      writer.null()
    }
    writer.key(localKey)
    if let instant { writeLocal(instant, to: &writer) } else { writer.null() }
  }

  /// Writes the text of ``local(_:)``.
  private func writeLocal(_ instant: Instant, to writer: inout JSONTextWriter) {
    let minutes = zone.offset(at: instant).seconds / 60
    let local = instant.adding(seconds: Int64(minutes * 60))
    guard local.isRepresentable else { return writer.value(instant.rfc3339) }
    writer.value(plainCount: 25) { buffer in
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

  /// Adds both members of an instant; `null` for none.
  func add(_ instant: Instant?, as key: String, to object: inout JSONObject) {
    object[key] = instant.map { .string($0.rfc3339) } ?? .null
    object[key + "Local"] = instant.map { .string(local($0)) } ?? .null
  }
}
