import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What of typing an identity no transcript tells.
@Suite struct IdentityImportTests {
  @Test func `lines that give no identity together may be typed nineteen times`() throws {
    let right = [
      "1 AGE-SECRET-KEY-1 FA38", "2 66PU TJMP H49G MYME C9B5", "3 XPXL PYNU HVFU UNCH 2AFC",
      "4 3VUT 6QTC 5WTT 923C 62F4", "5 049Q G396 Y4 9841",
    ]
    let wrong = right.dropLast() + ["5 049Q G396 Y5 1051"]
    for count in [19, 20] {
      let home = try HostedStore()
      try home.createUnlocked("Letter", "--text", "dear me")
      home.answers = Array(repeatElement(wrong, count: count).joined()) + right
      let answer = home.run(["identity", "import"], input: "")
      expect(answer.err.ranges(of: "do not make a key").count, is: count)
      expect(answer.err.contains("capsule: error: the lines do not"), is: count == 20)
    }
  }
}
