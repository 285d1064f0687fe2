extension ZoneDatabase {
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
    for candidate in names() {
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
