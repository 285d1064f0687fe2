import CapsuleCalendar
import CapsulePlatform
import RoomTestHelpers
import TestSupport
import Testing

/// Random rules, beside what python-dateutil makes of them.
@Suite struct RecurrenceVectorTests {
  /// Those of the tests, or of the file that `Scripts/check-dates` makes and names.
  @Test func `random rules occur when python-dateutil says`() throws {
    let named = getenv("CAPSULE_RULES").map { String(cString: $0) }
    let path = named ?? TimeFixtures.directory + "../events/calendar-rules.tsv"
    let text = String(decoding: try require(TimeFixtures.read(path)), as: UTF8.self)
    let lines = text.split(separator: "\n")
    let rows = lines.filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: "\t").map(String.init)
    }
    expect(rows.count, is: named == nil ? 60 : 1000)
    for row in rows {
      let rule = try RecurrenceRule(row[0])
      expect(try RecurrenceRule(rule.description), is: rule)
      let zone = row[2] == "-" ? nil : try TimeFixtures.zone(row[2])
      let (anchor, end) = (try Self.local(row[1]), try Self.local(row[3]))
      let set = try require(
        RecurrenceSet(from: anchor, in: zone, occursFirst: true, rules: [rule]))
      let wanted = try require(Int(row[4]))
      var digest: [UInt8] = []
      var walk = set.occurrences()
      var last = ""
      for _ in 0..<wanted {
        guard let next = walk.next() else { break }
        last = "\(next.key) \(next.place.seconds)"
        digest += last.utf8 + [10]
      }
      expect(last, is: row[6], "\(row)")
      expect(Hex.encode(SHA256.hash(digest)), is: row[5], "\(row)")
      let most = try require(lines.first?.split(separator: "most ").last?.prefix { $0.isNumber })
      if wanted < (try require(Int(most))), let next = walk.next() {
        expect(next.key > end, "\(row) \(next.key)")
      }
    }
  }

  private static func local(_ text: String) throws -> CivilDateTime {
    CivilDateTime(secondsAsUTC: try TimeFixtures.instant(text + "Z").seconds)
  }
}
