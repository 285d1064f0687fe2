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
  package init(tzif bytes: [UInt8], identifier: String?) throws(ZoneError) {
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

  /// The rules of a list of changes, of which each holds from its instant on, in seconds since the epoch.
  ///
  /// - Parameters:
  ///   - first: the time before the first change.
  ///   - rule: holds from the last change on.
  /// - Returns: `nil` for more kinds of time than a zone can have.
  package init?(
    identifier: String, first: LocalTimeType, changes: [(at: Int64, type: LocalTimeType)],
    rule: PosixZone?
  ) {
    let types = ([first] + changes.map(\.type)).unique
    guard types.count <= Int(UInt8.max) else { return nil }
    let places = Dictionary(uniqueKeysWithValues: zip(types, UInt8.min...))
    table = ZoneTable(
      identifier: identifier, transitions: changes.map(\.at),
      typeIndexes: changes.map { places[$0.type] ?? 0 }, types: types, rule: rule)
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

  /// Returns the local time of the zone at `instant`.
  package func offset(at instant: Instant) -> LocalTimeType {
    table.type(at: instant.seconds)
  }

  /// Returns the date and time that the zone's clocks show at `instant`.
  package func civil(at instant: Instant) -> CivilDateTime {
    CivilDateTime(secondsAsUTC: instant.adding(seconds: Int64(offset(at: instant).seconds)).seconds)
  }

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

  /// Returns the instant at which the zone's clocks show `local`: the first of several, and for one
  /// that they skip the instant as far behind the gap as it was into it.
  package func resolve(_ local: CivilDateTime) -> ResolvedTime {
    let seconds = local.secondsAsUTC
    // No offset is larger than 26 hours, so nothing outside this window can show the local time.
    let window = (start: seconds - 26 * 3600, end: seconds + 26 * 3600)
    // Hot, and nearly always without a change in the window.
    if let offset = offset(throughout: window.start, window.end) {
      return ResolvedTime(instant: Instant(seconds: seconds - Int64(offset)), fit: .unique)
    }
    var current = offset(at: Instant(seconds: window.start))
    let changes = transitions(after: window.start, through: window.end)
    var first: Int64?
    var from = Int64.min
    var count = 0
    for index in 0...changes.count {
      let until = index < changes.count ? changes[index].at : Int64.max
      let candidate = seconds - Int64(current.seconds)
      if from <= candidate, candidate < until {
        first = min(first ?? candidate, candidate)
        count += 1
      }
      if index < changes.count {
        current = changes[index].after
        from = until
      }
    }
    if let first {
      return ResolvedTime(instant: Instant(seconds: first), fit: count == 1 ? .unique : .twice)
    }
    let gap = changes.first { change in
      seconds >= change.at + Int64(change.before.seconds)
        && seconds < change.at + Int64(change.after.seconds)
    }
    guard let gap else {
      return ResolvedTime(
        instant: Instant(seconds: seconds - Int64(current.seconds)), fit: .unique)
    }
    return ResolvedTime(
      instant: Instant(seconds: seconds - Int64(gap.before.seconds)),
      fit: .gap(shift: gap.after.seconds - gap.before.seconds))
  }

  /// Returns the first instant of `date` in the zone: its midnight, or where the clocks skip that,
  /// the moment at which they go on.
  package func startOfDay(_ date: CivilDate) -> ResolvedTime {
    let midnight = CivilDateTime(date: date, time: .midnight)
    let resolved = resolve(midnight)
    guard case .gap(let shift) = resolved.fit else { return resolved }
    let near = resolved.instant.seconds
    let change = transitions(after: near - Int64(shift) - 1, through: near).last
    return ResolvedTime(instant: Instant(seconds: change?.at ?? near), fit: resolved.fit)
  }
}

/// The way in which a zone's clocks show a date and time of day.
package enum LocalTimeFit: Hashable, Sendable {
  /// The clocks show it once.
  case unique
  /// The clocks skip it; it was moved forward by `shift` seconds, the length of the gap.
  case gap(shift: Int)
  /// The clocks show it more than once; the first is meant.
  case twice
}

/// The instant that a local time stands for.
package struct ResolvedTime: Hashable, Sendable {
  package let instant: Instant
  package let fit: LocalTimeFit
}

/// A date and time that the clocks of a zone showed, and the instant that they showed it at: `RFC
/// 3339` with the offset of that time, `2031-06-15T09:00:00+12:00`.
package struct LocalTime: Hashable, Sendable {
  package let civil: CivilDateTime
  package let instant: Instant

  /// - Returns: `nil` where the offset is no whole number of minutes, or a day or more.
  package init?(_ civil: CivilDateTime, at instant: Instant) {
    let offset = civil.secondsAsUTC - instant.seconds
    guard offset.magnitude < 86_400, offset.isMultiple(of: 60), civil.date.isRepresentable,
      instant.isRepresentable
    else { return nil }
    (self.civil, self.instant) = (civil, instant)
  }
}

extension LocalTime: LosslessStringConvertible {
  package var description: String {
    "\(civil)" + ZoneRules.offsetText(Int(civil.secondsAsUTC - instant.seconds))
  }

  package init?(_ text: String) {
    let offset = text.unicodeScalars.suffix(6)
    guard text.utf8.count == 25, let instant = Instant(rfc3339: text),
      let asUTC = Instant(rfc3339: String(text.unicodeScalars.dropLast(offset.count)) + "Z")
    else { return nil }
    self.init(CivilDateTime(secondsAsUTC: asUTC.seconds), at: instant)
  }
}

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

/// The parts of a zone's rules: a table of changes, and a rule for the time behind it.
final class ZoneTable: Sendable {
  let identifier: String
  /// The moments at which the clocks change, in seconds since the epoch, in order.
  let transitions: [Int64]
  /// The place in `types` of the time that holds from each of these moments on.
  private let typeIndexes: [UInt8]
  /// The types of local time, not empty where there is no rule; the first holds before all moments.
  private let types: [LocalTimeType]
  let rule: PosixZone?
  private let offsets: PosixZone.Offsets?

  init(
    identifier: String, transitions: [Int64], typeIndexes: [UInt8], types: [LocalTimeType],
    rule: PosixZone?
  ) {
    self.identifier = identifier
    self.transitions = transitions
    self.typeIndexes = typeIndexes
    self.types = types
    self.rule = rule
    offsets = rule.map(PosixZone.Offsets.init)
  }

  /// Returns the same table under another name.
  func named(_ identifier: String) -> ZoneTable {
    ZoneTable(
      identifier: identifier, transitions: transitions, typeIndexes: typeIndexes, types: types,
      rule: rule)
  }

  /// Returns the local time at `seconds` since the epoch.
  func type(at seconds: Int64) -> LocalTimeType {
    guard let first = transitions.first, let last = transitions.last else {
      return rule?.type(at: seconds) ?? types[0]
    }
    if seconds < first { return types[0] }
    if seconds >= last {
      return rule?.type(at: seconds) ?? types[Int(typeIndexes[typeIndexes.count - 1])]
    }
    return types[Int(typeIndexes[indexOfTransition(atOrBefore: seconds)])]
  }

  /// Returns the changes after `start` and up to `end` (seconds since the epoch), in order.
  func changes(after start: Int64, through end: Int64) -> [ZoneTransition] {
    var found: [ZoneTransition] = []
    guard let first = transitions.first, let last = transitions.last else {
      return rule?.transitions(after: start, through: end) ?? []
    }
    if start < last, end >= first {
      var index = start < first ? 0 : indexOfTransition(atOrBefore: start) + 1
      while index < transitions.count, transitions[index] <= end {
        let before = index == 0 ? types[0] : types[Int(typeIndexes[index - 1])]
        let at = transitions[index]
        let after = type(at: at)
        if before != after { found.append(ZoneTransition(at: at, before: before, after: after)) }
        index += 1
      }
    }
    if end > last, let rule {
      found += rule.transitions(after: max(start, last), through: end)
    }
    return found
  }

  /// Returns the offset from UTC that holds from `start` through `end` (seconds since the epoch); `nil`
  /// where the clocks may change after `start`.
  func offset(throughout start: Int64, _ end: Int64) -> Int? {
    guard let first = transitions.first, let last = transitions.last else {
      guard let offsets else { return types[0].seconds }
      return offsets.offset(throughout: start, end)?.seconds
    }
    if start >= last, let offsets { return offsets.offset(throughout: start, end)?.seconds }
    guard start >= first, end < last else { return nil }
    let index = indexOfTransition(atOrBefore: start)
    return transitions[index + 1] > end ? types[Int(typeIndexes[index])].seconds : nil
  }

  // The largest index whose transition is at or before `seconds`, which is not before the first.
  // Hot: every local time is looked up with it.
  @_optimize(speed)
  private func indexOfTransition(atOrBefore seconds: Int64) -> Int {
    transitions.withUnsafeBufferPointer { transitions in
      var (low, high) = (0, transitions.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if transitions[middle] <= seconds { low = middle } else { high = middle }
      }
      return low
    }
  }
}

extension ZoneTable: Hashable {
  static func == (left: ZoneTable, right: ZoneTable) -> Bool {
    left === right
      || left.identifier == right.identifier && left.transitions == right.transitions
        && left.typeIndexes == right.typeIndexes && left.types == right.types
        && left.rule == right.rule
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(transitions.last)
  }
}
