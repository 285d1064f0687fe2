import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What of the trust in a store no command tells.
@Suite struct StoreTrustTests {
  @Test func `an acceptance is of what was shown, and the library seals to nobody else either`()
    throws
  {
    let home = try HostedStore()
    try home.create("Letter", "--unlock", "2050-01-01", "--text", "dear me")
    try home.insertTrustees()
    let settings = ".local/share/capsule/settings.json"
    try home.write(RecordFile.encode(["trustees": "family"]), as: settings)
    let store = try home.openedStore()
    #expect(throws: Fault.self) {
      try store.seal(
        NewCapsule(title: "T", unlockAt: Instant(seconds: 2_000_000_000), contents: [.text("x")]))
    }
    let shown = try store.trust.problems()
    try home.remove(settings)
    try home.write(
      RecordFile.encode(["trustees": "family", "postQuantum": "off"]), as: settings)
    expect(try store.trust.accept(shown))
    let words = try home.refusal(
      .damaged, "create", "New", "--unlock", "2050-01-01", "--text", "hello")
    expect(words.contains("postQuantum"), "\(words)")
  }
}
