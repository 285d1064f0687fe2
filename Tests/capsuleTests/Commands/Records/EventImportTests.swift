import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Calendars that are too long for a transcript.
@Suite struct EventImportTests {
  @Test func `components that stand too deep are passed over`() throws {
    let home = try HostedStore()
    let deep = (0..<2000).map { "BEGIN:X\($0)\r\n" }.joined()
    let text =
      "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:u\r\nDTSTART:20360615\r\n\(deep)END:VEVENT\r\n"
      + "END:VCALENDAR\r\n"
    let file = try home.write(text, as: "a.ics")
    let answer = home.run(["event", "import", file], input: "")
    expect(answer.exitCode, is: Int32(ExitCode.partial.rawValue))
    expect(answer.err.contains("1 added"), "\(answer.err)")
    expect(answer.err.contains("has no END line"), "\(answer.err)")
  }
}
