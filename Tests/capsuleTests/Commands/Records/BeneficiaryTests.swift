import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// People, by hand and from vCards.
@Suite struct BeneficiaryTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/Paris") }

  private func card(_ lines: String...) -> String {
    "BEGIN:VCARD\r\nVERSION:3.0\r\n" + lines.map { $0 + "\r\n" }.joined() + "END:VCARD\r\n"
  }

  private func person(_ name: String) throws -> JSON { try home.json("beneficiary", "show", name) }

  // MARK: By hand

  @Test func `a text that is too long is refused`() throws {
    try home.done("beneficiary", "add", "Zoe")
    let long = String(repeating: "x", count: 1025)
    let message = try home.refusal(.usage, "beneficiary", "edit", "Zoe", "--relationship", long)
    expect(message.contains("the limit is 1024"), "\(message)")
  }

  // MARK: From vCards

  @Test func `an import that was killed goes on where it stopped`() throws {
    try ProgramStore().walk(
      """
      for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        printf 'BEGIN:VCARD\\nFN:Same\\nTEL:%s\\nEND:VCARD\\n' $number
        printf 'BEGIN:VCARD\\nFN:Same\\nUID:%s\\nEND:VCARD\\n' $number
      done > many.vcf
      for moment in 0.1 0.2 0.4; do
        $capsule beneficiary import many.vcf -q > /dev/null 2>&1 & import=$!
        sleep $moment
        kill -9 $import 2>/dev/null || true
        wait $import 2>/dev/null || true
      done
      $capsule beneficiary import many.vcf -q > /dev/null 2>&1
      test "$($capsule beneficiary list --plain | wc -l)" -eq 40
      $capsule beneficiary import many.vcf 2>&1 | grep -q '0 added, 0 updated, 40 unchanged'
      $capsule verify -q
      """)
  }

  @Test func `a person whose record is damaged is not changed by a card`() throws {
    try home.done(
      "beneficiary", "import", try home.write(card("FN:Ann", "UID:1"), as: "a.vcf"), "-q")
    let id = try require(try person("Ann")["id"]?.string)
    try home.replace("\"notes\": \"\"", with: "\"notes\": \"by hand\"", in: try home.record(id))
    let path = try home.write(card("FN:Bea", "UID:1") + card("FN:Cy"), as: "b.vcf")
    let run = try home.run("beneficiary", "import", path)
    expect(run.code, is: .partial)
    expect(run.err.contains("of the person cannot be read"), "\(run.err)")
    expect(try home.text(of: try home.record(id)).contains("by hand"))
    try expect(home.run("beneficiary", "list", "--plain").lines.count, is: 2)
    // Once a repair has accepted what was written by hand, the card counts.
    try home.done("repair", "--accept", id)
    try home.done("beneficiary", "import", path)
    try expect(person("Bea")["notes"], is: "by hand")
  }
}
