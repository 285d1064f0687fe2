/// The reason why a zone cannot be found.
package enum ZoneError: Error, Hashable, Sendable {
  /// The text is no name of a zone: a name is parts of letters, digits, `_`, `+`, `-` between `/`.
  case badName(String)
  /// There is no such zone; `similar` holds some that there are.
  case unknown(String, similar: [String])
  /// The text is an abbreviation, which names no place; `readings` holds zones that may be meant.
  case abbreviation(String, readings: [String])
  /// The zone's file cannot be relied on.
  case damaged(TZifProblem)
}

/// The zones of the machine, by their IANA names.
package struct ZoneDatabase: Sendable {
  /// The content of a file below the zoneinfo directory, or `nil` when there is none.
  private let read: @Sendable (String) -> [UInt8]?

  /// The directories in which systems keep their zones; the first that has one counts.
  package static let directories = [
    "/usr/share/zoneinfo", "/var/db/timezone/zoneinfo", "/usr/lib/zoneinfo",
    "/usr/share/lib/zoneinfo", "/etc/zoneinfo",
  ]

  /// A database on `read`, which is given checked relative names only: no `..`, no leading `/`.
  package init(read: @escaping @Sendable (String) -> [UInt8]?) {
    self.read = read
  }

  /// Whether the machine has no zones at all, as a container without the package tzdata.
  package var isEmpty: Bool {
    ["Etc/UTC", "UTC", "Europe/Paris", "tzdata.zi", "zone.tab"].allSatisfy { read($0) == nil }
  }

  /// Finds the rules of a zone, whatever the case of its name.
  package func rules(named name: String) throws(ZoneError) -> ZoneRules {
    if let rules = try knownRules(named: name, listed: catalogName) { return rules }
    throw .unknown(name, similar: similarNames(to: name))
  }

  /// Finds the rules of a zone as ``rules(named:)`` does; `nil` where there is no such zone. It looks for no
  /// similar names, which takes far longer.
  ///
  /// - Parameter listed: the name of a zone as the lists have it, whatever the case of the one given; who
  ///   looks for many zones reads the lists once.
  package func knownRules(
    named name: String, listed: (String) -> String?
  ) throws(ZoneError) -> ZoneRules? {
    guard ZoneDatabase.isName(name) else { throw .badName(name) }
    let isCanonical = ZoneDatabase.looksCanonical(name)
    if isCanonical, let rules = try rules(exactly: name) { return rules }
    let other = listed(name)
    if !isCanonical || other != nil, let rules = try rules(exactly: other ?? name) {
      return rules
    }
    let isUTC = ["utc", "etc/utc", "gmt", "zulu", "universal"].contains(name.lowercased())
    return isUTC ? .utc : nil
  }

  /// Finds the rules of a place, `Europe/Paris`, by its name exactly as IANA writes it.
  package func rules(ofPlace name: String) -> ZoneRules? {
    guard name.utf8.contains(UInt8(ascii: "/")), Self.looksCanonical(name) else { return nil }
    return try? knownRules(named: name) { _ in nil }
  }

  /// Finds the rules of a zone that a person typed: abbreviations such as `CET` are refused, although
  /// the machine may have files of such names.
  package func rules(typed name: String) throws(ZoneError) -> ZoneRules {
    let upper = String(decoding: name.utf8.map(\.asciiUppercased), as: UTF8.self)
    if let readings = ZoneAbbreviation.readings[upper] {
      throw .abbreviation(name, readings: readings)
    }
    do {
      return try rules(named: name)
    } catch {
      guard case .unknown = error, let offset = ZoneAbbreviation.offset(upper) else { throw error }
      throw .unknown(name, similar: [offset])
    }
  }

  /// Whether `name` may be looked for: nothing that leaves the directory or means the system's own
  /// file.
  package static func isName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard (1...64).contains(bytes.count), !notZones.contains(name.lowercased()) else {
      return false
    }
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      guard let first = part.first, first != UInt8(ascii: "-") else { return false }
      return part.allSatisfy { byte in
        byte.isASCIILetter || byte.isASCIIDigit || "_+-".utf8.contains(byte)
      }
    }
  }

  /// Files of the directory that are no zones of their own: the machine's, and a model for rules.
  private static let notZones = ["localtime", "posixrules"]

  /// Reads one of the lists in the directory.
  package func contents(of list: String) -> [UInt8]? {
    read(list)
  }

  private func rules(exactly name: String) throws(ZoneError) -> ZoneRules? {
    guard let bytes = read(name) else { return nil }
    do {
      return try ZoneRules(tzif: bytes, identifier: name)
    } catch .damaged(.notTZif) {
      return nil  // the directory holds tables and lists too
    }
  }

  // A file system that ignores case would find `europe/paris` and keep that name for ever, so a name
  // that IANA would not have written is looked up in the list of names first.
  private static func looksCanonical(_ name: String) -> Bool {
    let first = name.split(separator: "/").allSatisfy { $0.first?.isLowercase == false }
    return first && (!name.contains("/") || name.contains { $0.isLowercase } || name.count < 8)
  }

  /// Reads the names of the machine's zones from the lists that come with the files; empty when there
  /// are none.
  package func names() -> [String] {
    if let list = contents(of: "tzdata.zi") {
      return lines(of: list).compactMap { fields in
        switch fields.first {
        case "Z": fields.count > 1 ? fields[1] : nil
        case "L": fields.count > 2 ? fields[2] : nil
        default: nil
        }
      }
    }
    let table = contents(of: "zone1970.tab") ?? contents(of: "zone.tab")
    return table.map { lines(of: $0) }?.compactMap { fields in
      fields.count > 2 ? fields[2] : nil
    } ?? []
  }

  /// Finds the name as the lists write it, whatever its case here.
  func catalogName(of name: String) -> String? {
    let lowered = name.lowercased()
    return names().first { $0.lowercased() == lowered }
  }

  /// Finds the name of the zone whose file has these bytes: the one expected, else the first of the
  /// lists, which have the names of today before those of old.
  func name(of bytes: [UInt8], trying expected: String?) -> String? {
    guard bytes.starts(with: "TZif".utf8) else { return nil }
    if let expected, Self.isName(expected), contents(of: expected) == bytes { return expected }
    return names().first { contents(of: $0) == bytes }
  }

  /// Finds at most three names that someone who wrote `name` may have meant: with the same last part,
  /// or a letter or two away.
  func similarNames(to name: String) -> [String] {
    let wanted = name.lowercased()
    let city = lastPart(of: wanted)
    var scored: [(distance: Int, name: String)] = []
    // Two letters are a slip of any others: `GB` is not meant by `PM`.
    guard wanted.utf8.count > 2 else { return [] }
    for candidate in names() where candidate.utf8.count > 2 {
      let lowered = candidate.lowercased()
      let distance = min(
        EditDistance.between(wanted, lowered, limit: 3),
        EditDistance.between(city, lastPart(of: lowered), limit: 2)
          + (city.utf8.count < 4 ? 2 : 0))
      if distance < 3 { scored.append((distance, candidate)) }
    }
    return scored.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .prefix(3).map(\.name)
  }

  /// Returns the part of a name behind its last slash.
  private func lastPart(of name: String) -> String {
    name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? name
  }

  /// Splits each line into its fields, which are separated by spaces or tabs.
  private func lines(of bytes: [UInt8]) -> [[String]] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      // Only the first three fields matter, and of the rules and continuation lines none.
      guard let first = line.first, first != UInt8(ascii: "R"), first != UInt8(ascii: "#") else {
        return nil
      }
      return line.split(maxSplits: 3) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        .prefix(3).map { String(decoding: $0, as: UTF8.self) }
    }
  }
}

/// Zone abbreviations, which name no zone: most are in use in several places, and even the others
/// leave open whether the place's daylight saving time is meant.
package enum ZoneAbbreviation {
  /// The zones that can be written instead of each abbreviation.
  static let readings: [String: [String]] = [
    "ACDT": ["Australia/Adelaide", "+10:30"],
    "ACST": ["Australia/Darwin", "Australia/Adelaide"],
    "ADT": ["America/Halifax", "-03:00"],
    "AEDT": ["Australia/Sydney", "+11:00"],
    "AEST": ["Australia/Sydney", "Australia/Brisbane"],
    "AKDT": ["America/Anchorage", "-08:00"],
    "AKST": ["America/Anchorage", "-09:00"],
    "AMT": ["America/Manaus", "Asia/Yerevan"],
    "AST": ["America/Halifax", "Asia/Riyadh"],
    "AWST": ["Australia/Perth", "+08:00"],
    "BST": ["Europe/London", "Asia/Dhaka"],
    "CDT": ["America/Chicago", "America/Havana"],
    "CEST": ["Europe/Paris", "+02:00"],
    "CET": ["Europe/Paris", "+01:00"],
    "CST": ["America/Chicago", "Asia/Shanghai"],
    "CT": ["America/Chicago", "-06:00"],
    "ECT": ["America/Guayaquil", "America/Puerto_Rico"],
    "EDT": ["America/New_York", "-04:00"],
    "EEST": ["Europe/Athens", "+03:00"],
    "EET": ["Europe/Athens", "+02:00"],
    "EST": ["America/New_York", "America/Panama"],
    "ET": ["America/New_York", "-05:00"],
    "GST": ["Asia/Dubai", "Atlantic/South_Georgia"],
    "HDT": ["America/Adak", "-09:00"],
    "HKT": ["Asia/Hong_Kong", "+08:00"],
    "HST": ["Pacific/Honolulu", "-10:00"],
    "IST": ["Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"],
    "JST": ["Asia/Tokyo", "+09:00"],
    "KST": ["Asia/Seoul", "+09:00"],
    "MDT": ["America/Denver", "-06:00"],
    "MEST": ["Europe/Berlin", "+02:00"],
    "MESZ": ["Europe/Berlin", "+02:00"],
    "MET": ["Europe/Berlin", "+01:00"],
    "MEZ": ["Europe/Berlin", "+01:00"],
    "MSK": ["Europe/Moscow", "+03:00"],
    "MST": ["America/Denver", "America/Phoenix"],
    "MT": ["America/Denver", "-07:00"],
    "NZDT": ["Pacific/Auckland", "+13:00"],
    "NZST": ["Pacific/Auckland", "+12:00"],
    "PDT": ["America/Los_Angeles", "-07:00"],
    "PKT": ["Asia/Karachi", "+05:00"],
    "PST": ["America/Los_Angeles", "Asia/Manila"],
    "PT": ["America/Los_Angeles", "-08:00"],
    "SGT": ["Asia/Singapore", "+08:00"],
    "SST": ["Pacific/Pago_Pago", "Asia/Singapore"],
    "WEST": ["Europe/Lisbon", "+01:00"],
    "WET": ["Europe/Lisbon", "+00:00"],
    "WIB": ["Asia/Jakarta", "+07:00"],
    "WST": ["Australia/Perth", "Pacific/Apia"],
  ]

  /// Whether a text may be an abbreviation: letters alone, other than `UTC` and `Z`, which are zones.
  static func isOne(_ text: String) -> Bool {
    text.utf8.count > 2 && text.utf8.allSatisfy(\.isASCIILetter) && text.uppercased() != "UTC"
  }

  /// Returns the offset that `UTC+2` or `GMT-5:30` means to people, as `+02:00`; `nil` for another text.
  ///
  /// The zones `Etc/GMT+2` have the opposite sign, by a rule of POSIX.
  package static func offset(_ upper: String) -> String? {
    guard let rest = upper.behind("UTC") ?? upper.behind("GMT"), let sign = rest.utf8.first,
      sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
    else { return nil }
    var scanner = WhenScanner(String(Substring(rest.utf8.dropFirst())))
    let number = scanner.takeNumber()
    var (hours, minutes) =
      number.count > 2
      ? (number.value / 100, number.value % 100)
      : (number.value, 0)
    if number.count <= 2, scanner.take(":") { minutes = scanner.takeNumber().value }
    guard scanner.atEnd, (1...4).contains(number.count), hours < 24, minutes < 60 else {
      return nil
    }
    hours = sign == UInt8(ascii: "-") ? -hours : hours
    return ZoneRules.offsetText(hours * 3600 + (hours < 0 ? -minutes : minutes) * 60)
  }
}

/// A problem with the machine's settings of its own zone.
package enum LocalZoneWarning: Hashable, Sendable {
  /// The variable `TZ` has this value, which names no zone; `used` is the zone taken instead.
  case unresolvedTZ(String, used: String)
  /// `/etc/localtime` cannot be relied on; UTC is taken instead.
  case damagedLocaltime
  /// `/etc/localtime` is a link to this path, where there is no file; UTC is taken instead.
  case danglingLocaltime(String)
}

/// The zone that the user lives in.
package struct LocalZone: Hashable, Sendable {
  package let rules: ZoneRules
  /// The zone's IANA name, where it is known.
  package let name: String?
  /// The problem that the user should know of, if any.
  package let warning: LocalZoneWarning?

  package init(rules: ZoneRules, name: String?, warning: LocalZoneWarning?) {
    self.rules = rules
    self.name = name
    self.warning = warning
  }

  /// The best name for people and machines: the IANA name, else `rules.identifier`.
  package var label: String { name ?? rules.identifier }

  /// A file that may hold a zone, such as `/etc/localtime`.
  package struct File: Sendable {
    let bytes: [UInt8]?
    let linkTarget: String?

    /// The file's content, `nil` for a link that leads nowhere, and where the link leads if it is one.
    package init(bytes: [UInt8]?, linkTarget: String?) {
      self.bytes = bytes
      self.linkTarget = linkTarget
    }
  }

  /// The file of the machine's own zone.
  private static let localtime = "/etc/localtime"

  /// Finds the local zone: from `TZ`, then from `/etc/localtime`, then UTC.
  ///
  /// An empty `TZ` is UTC, as everywhere. One that names no zone is warned about, and the rest
  /// decides.
  ///
  /// - Parameter file: returns a file by its absolute path, `nil` where there is none.
  package static func resolve(
    tz: String?, database: ZoneDatabase, file: (String) -> File?
  ) -> LocalZone {
    guard let tz else { return ofMachine(database, file) }
    if let zone = fromVariable(tz, database, file) { return zone }
    let fallback = ofMachine(database, file)
    return LocalZone(
      rules: fallback.rules, name: fallback.name,
      warning: .unresolvedTZ(tz, used: fallback.label))
  }

  private static func fromVariable(
    _ tz: String, _ database: ZoneDatabase, _ file: (String) -> File?
  ) -> LocalZone? {
    let value = tz.behind(":") ?? tz
    if value.isEmpty { return LocalZone(rules: .utc, name: "UTC", warning: nil) }
    if value == localtime || value == "localtime" {
      guard file(localtime) != nil else { return nil }
      let zone = ofMachine(database, file)
      return zone.warning == nil ? zone : nil
    }
    if value.utf8.first == UInt8(ascii: "/") { return atPath(value, database, file) }
    if let rules = try? database.rules(named: value) {
      return LocalZone(rules: rules, name: rules.identifier, warning: nil)
    }
    guard let rules = ZoneRules(posix: value) else { return nil }
    return LocalZone(rules: rules, name: nil, warning: nil)
  }

  /// Reads the zone of a file; where it cannot be read, that of the name in its path.
  private static func atPath(
    _ path: String, _ database: ZoneDatabase, _ file: (String) -> File?
  ) -> LocalZone? {
    let named = nameOfZone(atPath: path)
    if let bytes = file(path)?.bytes {
      let name = database.name(of: bytes, trying: named)
      guard let rules = try? ZoneRules(tzif: bytes, identifier: name) else { return nil }
      return LocalZone(rules: rules, name: name, warning: nil)
    }
    guard let named, let rules = try? database.rules(named: named) else { return nil }
    return LocalZone(rules: rules, name: rules.identifier, warning: nil)
  }

  private static func ofMachine(
    _ database: ZoneDatabase, _ file: (String) -> File?
  ) -> LocalZone {
    guard let found = file(localtime) else {
      return LocalZone(rules: .utc, name: "UTC", warning: nil)
    }
    let linked = found.linkTarget.flatMap { nameOfZone(atPath: $0) }
    guard let bytes = found.bytes else {
      if let linked, let rules = try? database.rules(named: linked) {
        return LocalZone(rules: rules, name: linked, warning: nil)
      }
      return LocalZone(
        rules: .utc, name: "UTC", warning: .danglingLocaltime(found.linkTarget ?? localtime))
    }
    let name = linked ?? database.name(of: bytes, trying: nameInTimezone(file))
    guard let rules = try? ZoneRules(tzif: bytes, identifier: name) else {
      return LocalZone(rules: .utc, name: "UTC", warning: .damagedLocaltime)
    }
    return LocalZone(rules: rules, name: name, warning: nil)
  }

  /// Returns the name in `/etc/timezone`, which some systems keep beside a copied zone.
  private static func nameInTimezone(_ file: (String) -> File?) -> String? {
    let line = file("/etc/timezone")?.bytes?.prefix { $0 > 0x20 && $0 < 0x7f }
    return line.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns `Europe/Paris` for `/usr/share/zoneinfo/Europe/Paris` and its kind.
  private static func nameOfZone(atPath path: String) -> String? {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"))
    guard let directory = parts.lastIndex(where: { $0.starts(with: "zoneinfo".utf8) }) else {
      return nil
    }
    var rest = parts[(directory + 1)...].map { String(Substring($0)) }[...]
    if rest.first == "posix" { rest = rest.dropFirst() }
    let name = rest.joined(separator: "/")
    return ZoneDatabase.isName(name) ? name : nil
  }
}
