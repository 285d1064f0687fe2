/// The rules of a zone: a value that gives the local time at every instant.
package struct ZoneRules: Hashable, Sendable {
  /// The zone's name: an IANA name, `UTC`, an offset as `+02:00`, or a POSIX `TZ` string.
  package let identifier: String

  private let transitions: [Int64]
  private let typeIndexes: [UInt8]
  private let types: [LocalTimeType]
  private let rule: PosixZone?

  /// Coordinated Universal Time.
  package static let utc = ZoneRules(
    identifier: "UTC",
    fixed: LocalTimeType(seconds: 0, abbreviation: "UTC", isDaylight: false))

  /// The rules of a zone file (RFC 9636); `identifier` is the name that it was found under, and
  /// where that is not known the file's own POSIX string stands for it.
  package init(tzif bytes: [UInt8], identifier: String?) throws(TZifError) {
    let file = try TZif(bytes)
    let own = file.footerText.isEmpty ? file.types[0].abbreviation : file.footerText
    self.identifier = identifier ?? own
    transitions = file.transitions
    typeIndexes = file.typeIndexes
    types = file.types
    rule = file.footer
  }

  /// The rules of a POSIX `TZ` string, such as `JST-9` or `EST5EDT,M3.2.0,M11.1.0`; `nil` for any
  /// other text.
  package init?(posix text: String) {
    guard let rule = PosixZone(text, defaultRule: true) else { return nil }
    self.init(identifier: text, transitions: [], typeIndexes: [], types: [], rule: rule)
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
    self.init(
      identifier: identifier, transitions: [], typeIndexes: [], types: [type], rule: nil)
  }

  private init(
    identifier: String, transitions: [Int64], typeIndexes: [UInt8], types: [LocalTimeType],
    rule: PosixZone?
  ) {
    self.identifier = identifier
    self.transitions = transitions
    self.typeIndexes = typeIndexes
    self.types = types
    self.rule = rule
  }

  /// Returns the same rules under another name.
  package func named(_ identifier: String) -> ZoneRules {
    ZoneRules(
      identifier: identifier, transitions: transitions, typeIndexes: typeIndexes, types: types,
      rule: rule)
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
    let seconds = instant.seconds
    guard let first = transitions.first, let last = transitions.last else {
      return rule?.type(at: seconds) ?? types[0]
    }
    if seconds < first { return types[0] }
    if seconds >= last {
      return rule?.type(at: seconds) ?? types[Int(typeIndexes[typeIndexes.count - 1])]
    }
    return types[Int(typeIndexes[indexOfTransition(atOrBefore: seconds)])]
  }

  /// Returns the date and time that the zone's clocks show at `instant`.
  package func civil(at instant: Instant) -> CivilDateTime {
    CivilDateTime(secondsAsUTC: instant.adding(seconds: Int64(offset(at: instant).seconds)).seconds)
  }

  /// Returns the moments after `start` and up to `end` at which the clocks change, in order.
  package func transitions(after start: Int64, through end: Int64) -> [ZoneTransition] {
    var found: [ZoneTransition] = []
    guard let first = transitions.first, let last = transitions.last else {
      return rule?.transitions(after: start, through: end) ?? []
    }
    if start < last, end >= first {
      var index = start < first ? 0 : indexOfTransition(atOrBefore: start) + 1
      while index < transitions.count, transitions[index] <= end {
        let before = index == 0 ? types[0] : types[Int(typeIndexes[index - 1])]
        let at = transitions[index]
        let after = offset(at: Instant(seconds: at))
        if before != after { found.append(ZoneTransition(at: at, before: before, after: after)) }
        index += 1
      }
    }
    if end > last, let rule {
      found += rule.transitions(after: max(start, last), through: end)
    }
    return found
  }

  /// The changes that hold from the last of the table on, every year; `nil` where the clocks change no
  /// more.
  package var yearlyChanges: (after: Int64?, PosixZone.Daylight)? {
    rule?.daylight.map { (transitions.last, $0) }
  }

  // The largest index whose transition is at or before `seconds`, which is not before the first.
  private func indexOfTransition(atOrBefore seconds: Int64) -> Int {
    var (low, high) = (0, transitions.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if transitions[middle] <= seconds { low = middle } else { high = middle }
    }
    return low
  }
}
