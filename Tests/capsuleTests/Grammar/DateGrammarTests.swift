import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Every row of docs/reference/dates.md, read.
@Suite struct DateGrammarTests {
  /// The zones of the tests of the library, which do not change with the machine.
  static let zones = ZoneDatabase { name in
    let path = "Tests/CapsuleCoreTests/Vectors/time/zoneinfo/" + name
    return RepositoryFile.bytes(path)
  }

  static func parser(past: Bool) throws -> WhenParser {
    WhenParser(
      now: try require(Instant(rfc3339: DateGrammar.now)),
      zone: try zones.rules(named: "Europe/Paris"), zones: zones,
      preferring: past ? .past : .future)
  }

  @Test func `every text of the table means what stands beside it`() throws {
    var count = 0
    for group in DateGrammar.groups {
      let parser = try Self.parser(past: group.past)
      for row in group.rows {
        let when = try parser.parse(row.text)
        let local = parser.zone.civil(at: when.instant)
        let isDay = when.date == local.date && local.time == .midnight
        let meaning = DateText.local(
          isDay ? Moment.day(local.date) : .instant(when.instant), in: parser.zone)
        expect(meaning, is: row.meaning, "\(group.title): \(row.text)")
        count += 1
      }
    }
    expect(count >= 110)
  }

  @Test func `every refused text offers what stands beside it`() throws {
    let parser = try Self.parser(past: false)
    for row in DateGrammar.refused {
      do throws(WhenError) {
        let when = try parser.parse(row.text)
        Issue.record("\(row.text) is \(when.instant.rfc3339)")
      } catch {
        let offered = error.suggestions.map { "`\($0.expression)`" }.joined(separator: " or ")
        expect(offered, is: row.meaning, "\(row.text)")
      }
    }
  }

  @Test func `no text of the table would break it`() {
    let rows = DateGrammar.groups.flatMap(\.rows) + DateGrammar.refused
    expect(!rows.contains { $0.text.utf8.contains { "|`\n".utf8.contains($0) } })
    expect(Set(DateGrammar.groups.flatMap { $0.rows.map { "\($0)" } }).count > 100)
  }
}
