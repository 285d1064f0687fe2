/// The rules of a zone: a value that gives the local time at every instant.
package struct ZoneRules: Hashable, Sendable {
  // The rules lie behind one reference: a zone is handed on for every row of a list.
  private let table: ZoneTable

  /// The zone's name: an IANA name, `UTC`, an offset as `+02:00`, or a POSIX `TZ` string.
  package var identifier: String { table.identifier }

  /// Coordinated Universal Time.
  package static let utc = ZoneRules(
    identifier: "UTC",
    fixed: LocalTimeType(seconds: 0, abbreviation: "UTC", isDaylight: false))

  /// The rules of a zone file (RFC 9636); `identifier` is the name that it was found under, and
  /// where that is not known the file's own POSIX string stands for it.
  package init(tzif bytes: [UInt8], identifier: String?) throws(TZifError) {
    let file = try TZif(bytes)
    let own = file.footerText.isEmpty ? file.types[0].abbreviation : file.footerText
    table = ZoneTable(
      identifier: identifier ?? own, transitions: file.transitions, typeIndexes: file.typeIndexes,
      types: file.types, rule: file.footer)
  }

  /// The rules of a POSIX `TZ` string, such as `JST-9` or `EST5EDT,M3.2.0,M11.1.0`; `nil` for any
  /// other text.
  package init?(posix text: String) {
    guard let rule = PosixZone(text, defaultRule: true) else { return nil }
    table = ZoneTable(identifier: text, transitions: [], typeIndexes: [], types: [], rule: rule)
  }

  /// A zone whose clocks are always `seconds` ahead of UTC; of an offset of a day or more the nearest
  /// below it.
  package init(offset seconds: Int) {
    let seconds = min(max(seconds, -86_399), 86_399)
    let text = ZoneRules.offsetText(seconds)
    self.init(
      identifier: text,
      fixed: LocalTimeType(seconds: seconds, abbreviation: text, isDaylight: false))
  }

  private init(identifier: String, fixed type: LocalTimeType) {
    table = ZoneTable(
      identifier: identifier, transitions: [], typeIndexes: [], types: [type], rule: nil)
  }

  private init(_ table: ZoneTable) {
    self.table = table
  }

  /// Returns the same rules under another name.
  package func named(_ identifier: String) -> ZoneRules {
    ZoneRules(table.named(identifier))
  }

  /// Returns an offset as `+02:00`, `-09:30` or `+00:00`, with seconds where there are any.
  package static func offsetText(_ seconds: Int) -> String {
    var bytes = [UInt8(ascii: seconds < 0 ? "-" : "+")]
    let magnitude = Int(clamping: seconds.magnitude)
    DecimalDigits.append(magnitude / 3600, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    DecimalDigits.append(magnitude / 60 % 60, width: 2, to: &bytes)
    if !magnitude.isMultiple(of: 60) {
      bytes.append(UInt8(ascii: ":"))
      DecimalDigits.append(magnitude % 60, width: 2, to: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ZoneRules {
  /// Returns the local time of the zone at `instant`.
  package func offset(at instant: Instant) -> LocalTimeType {
    table.type(at: instant.seconds)
  }

  /// Returns the date and time that the zone's clocks show at `instant`.
  package func civil(at instant: Instant) -> CivilDateTime {
    CivilDateTime(secondsAsUTC: instant.adding(seconds: Int64(offset(at: instant).seconds)).seconds)
  }

  /// The difference in seconds between the largest offset from UTC that the zone ever has and the
  /// smallest.
  var offsetSpread: Int { table.offsetSpread }

  /// Returns the offset from UTC in seconds where it is known to be the same from `start` through `end`.
  func offset(throughout start: Int64, _ end: Int64) -> Int? {
    table.offset(throughout: start, end)
  }

  /// Returns the moments after `start` and up to `end` at which the clocks change, in order.
  package func transitions(after start: Int64, through end: Int64) -> [ZoneTransition] {
    table.changes(after: start, through: end)
  }

  /// The changes that hold from the last of the table on, every year; `nil` where the clocks change no
  /// more.
  package var yearlyChanges: (after: Int64?, PosixZone.Daylight)? {
    table.rule?.daylight.map { (table.transitions.last, $0) }
  }
}
