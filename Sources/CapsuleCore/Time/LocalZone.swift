/// A problem with the machine's settings of its own zone.
package enum LocalZoneWarning: Hashable, Sendable {
  /// The variable `TZ` has this value, which names no zone; `used` is the zone taken instead.
  case unresolvedTZ(String, used: String)
  /// `/etc/localtime` cannot be relied on; UTC is taken instead.
  case damagedLocaltime(TZifError)
}

/// The zone that the user lives in.
package struct LocalZone: Hashable, Sendable {
  package let rules: ZoneRules
  /// The zone's IANA name, where it is known.
  package let name: String?
  /// The problem that the user should know of, if any.
  package let warning: LocalZoneWarning?

  /// The best name for people and machines: the IANA name, else `rules.identifier`.
  package var label: String { name ?? rules.identifier }

  /// The file `/etc/localtime`.
  package struct File: Sendable {
    let bytes: [UInt8]
    let linkTarget: String?

    /// The file's content, and where the link leads if it is one.
    package init(bytes: [UInt8], linkTarget: String?) {
      self.bytes = bytes
      self.linkTarget = linkTarget
    }
  }

  /// Finds the local zone: from `TZ`, then from `/etc/localtime`, then UTC.
  ///
  /// An empty `TZ` is UTC, as everywhere. One that names no zone is warned about, and the rest
  /// decides.
  package static func resolve(
    tz: String?, localtime: File?, database: ZoneDatabase
  ) -> LocalZone {
    guard let tz else { return fromFile(localtime, database: database) }
    if let zone = fromVariable(tz, localtime: localtime, database: database) { return zone }
    let fallback = fromFile(localtime, database: database)
    return LocalZone(
      rules: fallback.rules, name: fallback.name,
      warning: .unresolvedTZ(tz, used: fallback.label))
  }

  private static func fromVariable(
    _ tz: String, localtime: File?, database: ZoneDatabase
  ) -> LocalZone? {
    let value = tz.behind(":") ?? tz
    if value.isEmpty { return LocalZone(rules: .utc, name: "UTC", warning: nil) }
    if value == "/etc/localtime", localtime != nil {
      let zone = fromFile(localtime, database: database)
      return zone.warning == nil ? zone : nil
    }
    let name = value.utf8.first == UInt8(ascii: "/") ? nameOfZone(atPath: value) : value
    if let name, let rules = try? database.rules(named: name) {
      return LocalZone(rules: rules, name: rules.identifier, warning: nil)
    }
    guard let rules = ZoneRules(posix: value) else { return nil }
    return LocalZone(rules: rules, name: nil, warning: nil)
  }

  private static func fromFile(_ file: File?, database: ZoneDatabase) -> LocalZone {
    guard let file else { return LocalZone(rules: .utc, name: "UTC", warning: nil) }
    let name = file.linkTarget.flatMap { nameOfZone(atPath: $0) }
    do throws(TZifError) {
      let rules = try ZoneRules(tzif: file.bytes, identifier: name)
      return LocalZone(rules: rules, name: name, warning: nil)
    } catch {
      return LocalZone(rules: .utc, name: "UTC", warning: .damagedLocaltime(error))
    }
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
