/// The reason why a zone cannot be found.
package enum ZoneError: Error, Hashable, Sendable {
  /// The text is no name of a zone: a name is parts of letters, digits, `_`, `+`, `-` between `/`.
  case badName(String)
  /// There is no such zone; `similar` holds some that there are.
  case unknown(String, similar: [String])
  /// The text is an abbreviation, which names no place; `readings` holds zones that may be meant.
  case abbreviation(String, readings: [String])
  /// The zone's file cannot be relied on.
  case damaged(String, TZifError)
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

  /// Finds the rules of a zone, whatever the case of its name.
  ///
  /// - Throws: `.badName`, `.unknown` or `.damaged`.
  package func rules(named name: String) throws(ZoneError) -> ZoneRules {
    if let rules = try knownRules(named: name, listed: catalogName) { return rules }
    throw .unknown(name, similar: similarNames(to: name))
  }

  /// Finds the rules of a zone as ``rules(named:)`` does; `nil` where there is no such zone. It looks for no
  /// similar names, which takes far longer.
  ///
  /// - Parameter listed: the name of a zone as the lists have it, whatever the case of the one given; who
  ///   looks for many zones reads the lists once.
  /// - Throws: `.badName` or `.damaged`.
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

  /// Finds the rules of a zone that a person typed: abbreviations such as `CET` are refused, although
  /// the machine may have files of such names.
  ///
  /// - Throws: as `rules(named:)`, and `.abbreviation`.
  package func rules(typed name: String) throws(ZoneError) -> ZoneRules {
    let upper = String(decoding: name.utf8.map(\.asciiUppercased), as: UTF8.self)
    if let readings = ZoneAbbreviation.readings[upper] {
      throw .abbreviation(name, readings: readings)
    }
    do throws(ZoneError) {
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
    do throws(TZifError) {
      return try ZoneRules(tzif: bytes, identifier: name)
    } catch .notTZif {
      return nil  // the directory holds tables and lists too
    } catch {
      throw .damaged(name, error)
    }
  }

  // A file system that ignores case would find `europe/paris` and keep that name for ever, so a name
  // that IANA would not have written is looked up in the list of names first.
  private static func looksCanonical(_ name: String) -> Bool {
    let first = name.split(separator: "/").allSatisfy { $0.first?.isLowercase == false }
    return first && (!name.contains("/") || name.contains { $0.isLowercase } || name.count < 8)
  }
}
