import CapsuleCore

/// The members of machine output for an instant: `…At` in UTC and `…AtLocal` beside it, each
/// RFC 3339; the zone stands once in the object.
struct InstantFields {
  let zone: ZoneRules

  /// Returns RFC 3339 with the zone's offset.
  func local(_ instant: Instant) -> String {
    String(plainCount: LocalText.count, LocalText(instant, zone).write)
  }

  /// Adds both members of an instant; `null` for none.
  /// Inlined, so that the second key is made once.
  @inline(__always)
  func add(_ instant: Instant?, as key: String, to writer: inout some MemberWriter) {
    let localKey = key + "Local"
    guard let instant else {
      writer.member(key, JSON.null)
      return writer.member(localKey, JSON.null)
    }
    writer.member(key, plainCount: Instant.rfc3339Count) { instant.writeRFC3339(to: $0) }
    writer.member(localKey, plainCount: LocalText.count, LocalText(instant, zone).write)
  }
}

/// An instant as the clocks of a zone show it, with the zone's offset.
private struct LocalText {
  static let count = 25
  private let local: Instant
  private let minutes: Int

  /// The zone's offset, or `+00:00` in the first and last hours of the years 1 to 9999, where the zone's
  /// clocks show a year that RFC 3339 has no text for.
  init(_ instant: Instant, _ zone: ZoneRules) {
    // RFC 3339 has no seconds in an offset; local mean times of long ago are cut to the minute.
    let offset = zone.offset(at: instant).seconds / 60
    let shown = instant.adding(seconds: Int64(offset * 60))
    (minutes, local) = shown.isRepresentable ? (offset, shown) : (0, instant)
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

// A value is written into JSON as `value.json`, which those that fields of records hold have already.

extension Optional where Wrapped: FieldValue {
  /// The value; `null` for none.
  var json: JSON { self?.json ?? .null }
}

extension String {
  /// The text; `null` for an empty one.
  var jsonIfAny: JSON { isEmpty ? .null : json }
}

extension FilePath {
  var json: JSON { text.json }
}

extension JSONObject? {
  /// The object; `null` for none.
  var json: JSON { map { .object($0) } ?? .null }
}

extension [JSONObject] {
  var json: JSON { .array(map { .object($0) }) }
}

extension Session {
  /// An object with instants, each in UTC and in the user's zone, and with the name of the zone.
  func object(
    _ members: JSONObject, at instants: KeyValuePairs<String, Instant?>
  ) -> JSONObject {
    var object = inner(members, at: instants)
    object["zone"] = localZone.label.json
    return object
  }

  /// An object within one that has the name of the zone.
  func inner(
    _ members: JSONObject, at instants: KeyValuePairs<String, Instant?>
  ) -> JSONObject {
    var object = members
    for (key, instant) in instants { InstantFields(zone: zone).add(instant, as: key, to: &object) }
    return object
  }
}
