import Testing

@testable import CapsuleCore
@testable import capsule

@Suite struct CapsuleViewTests {
  @Test(
    arguments: [
      ("CET-1CEST,M3.5.0,M10.5.0/3", 2_000_000_000), ("<+00>0", 0), ("<-09>9:30", -1),
      ("<+14>-14", 253_402_300_799),
    ] as [(String, Int64)])
  func `a view writes the object that its members are`(zone: String, unlock: Int64) throws {
    var host = TestHost("list")
    host.environment["TZ"] = zone
    host.now = "2026-03-01T12:00:00Z"
    let session = Session(host: host.host(), options: RunOptions())
    let id = try #require(RecordID("3f2a9c1e-0b4d-4c6e-8a7f-001122334455"))
    var capsule = Capsule.blank
    capsule.header = RecordHeader(id: id, createdAt: Instant(seconds: 1_700_000_000))
    capsule.header.updatedAt = Instant(seconds: 1_750_000_000)
    capsule.title = "A \"title\"\n\u{85}"
    capsule.tags = ["one", "zwei/ß"]
    capsule.notes = "notes"
    capsule.unlockAt = Instant(seconds: unlock)
    capsule.unlockZone = "Europe/Paris"
    capsule.openedAt = unlock > 0 ? nil : Instant(seconds: 1_760_000_000)
    for (count, kind) in ContentKind.allCases.enumerated() {
      capsule.contents += (0..<count).map { _ in
        Content(
          id: id, kind: kind, addedAt: capsule.createdAt, sealedSize: 823, sealed: "", blob: nil)
      }
    }
    let summary = capsule.summary
    #expect(CapsuleSummary(id: id, encoded: capsule.indexContribution.summary) == summary)
    for problem in [IndexProblem.none, .altered] {
      let view = CapsuleView(summary, problem: problem, in: session)
      var writer = JSONTextWriter(.compact)
      view.write(to: &writer)
      #expect(writer.takeBytes() == JSON.object(view.members).encoded(.compact))
    }
  }
}
