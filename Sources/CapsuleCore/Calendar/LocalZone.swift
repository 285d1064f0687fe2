/// A problem with the machine's settings of its own zone.
package enum LocalZoneWarning: Hashable, Sendable {
  /// The variable `TZ` has this value, which names no zone; `used` is the zone taken instead.
  case unresolvedTZ(String, used: String)
  /// `/etc/localtime` cannot be relied on; UTC is taken instead.
  case damagedLocaltime(TZifError)
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
    do throws(TZifError) {
      let name = linked ?? database.name(of: bytes, trying: nameInTimezone(file))
      let rules = try ZoneRules(tzif: bytes, identifier: name)
      return LocalZone(rules: rules, name: name, warning: nil)
    } catch {
      return LocalZone(rules: .utc, name: "UTC", warning: .damagedLocaltime(error))
    }
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
