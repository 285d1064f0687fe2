import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A switch that is damaged; the transcripts `switch*.txt` tell the rest.
@Suite struct SwitchTests {
  @Test func `a switch that cannot be read is reported, and is not off`() throws {
    let home = try HostedStore()
    try home.done("beneficiary", "add", "Mia", "--email", "mia@example.org")
    try home.done("switch", "set", "--witness", "Mia")
    // Without the copies from which it would be put right.
    try home.remove(".local/share/capsule/journal")
    try home.replace("P30D", with: "soon", in: ".local/share/capsule/settings.json")
    try expect(home.run("switch", "show").code, is: .damaged)
    try expect(home.run("check").code, is: .partial)
  }
}
