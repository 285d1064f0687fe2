import CapsuleCore
import TestSupport
import Testing

/// An identity on a sheet of paper.
@Suite struct IdentityPageTests {
  private static func identity(isPostQuantum: Bool) throws -> AgeIdentity {
    let seed = SecretBytes(copying: (0..<32).map { UInt8($0 &* 7 &+ 3) })
    return try require(AgeIdentity(seed: seed, isPostQuantum: isPostQuantum))
  }

  @Test func `a page in plain text is an identity file of age`() throws {
    let identities = [
      try Self.identity(isPostQuantum: false), try Self.identity(isPostQuantum: true),
    ]
    let page = IdentityPage(
      owner: "Anna\nBerg", store: .zero, identities: identities, honorCount: 3,
      date: try require(CivilDate(year: 2026, month: 3, day: 1)))
    try expect(
      IdentityFile(page.text.bytes).identities.map(\.secretText), is: identities.map(\.secretText))
    let text = String(decoding: page.text.bytes, as: UTF8.self)
    try expect(IdentityLines.read(text).map(\.secretText), is: identities.map(\.secretText))
    for (place, line) in IdentityLines(identities[0]).lines.enumerated() {
      expect(text.contains(IdentityLines.grouped(line, place + 1)))
      expect(text.contains(IdentityLines.check(line, place + 1)))
      expect(
        String(decoding: page.html.bytes, as: UTF8.self)
          .contains("<td class=\"k\">\(IdentityLines.grouped(line, place + 1))</td>"))
    }
  }
}
