import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Marks and signs of format that join a character of the format: bytes decide, as in the RFCs.
@Suite struct ContactGraphemeTests {
  private func card(_ lines: String...) throws -> ContactCard {
    let text = (["BEGIN:VCARD", "VERSION:3.0", "FN:A"] + lines + ["END:VCARD", ""])
      .joined(separator: "\r\n")
    let entry = try require(ContactFile(Array(text.utf8)).entries.first)
    guard case .card(let card) = entry else { throw NoCard() }
    return card
  }

  private struct NoCard: Error {}

  private func property(_ text: String) throws -> ContentProperty {
    try require(ContentProperty(ContentLine(number: 1, bytes: Array(text.utf8), isCut: false)))
  }

  @Test func `a comma parts the types whatever joins it`() throws {
    try expect(property("TEL;TYPE=\"a\u{600},pager\":1").types, is: ["a\u{600}", "pager"])
    expect(try property("TEL;TYPE=\"\u{600}fax\":1").isFax)
    try expect(property("TEL;TYPE=\" home \":1").types, is: ["home"])
  }

  @Test func `a semicolon behind a sign of format still begins a parameter`() throws {
    let card = try card("NOTE;X=a\u{600};ENCODING=QUOTED-PRINTABLE:caf=C3=", "=A9")
    expect(card.notes, is: "café")
  }

  @Test func `a number of the form tel is taken apart by its bytes`() throws {
    try expect(card("TEL:TEL:+33 6 12 34\u{600};EXT=5").phone, is: "+33 6 12 34 ext. 5")
  }

  @Test func `Apple's brackets are found beside a mark`() throws {
    let card = try card(
      "item1.EMAIL:a@example.org", "item2.EMAIL:b@example.org",
      "item2.X-ABLabel:_$!<\u{301}Home>!$_")
    expect(card.contact, is: "Email (\u{301}home): b@example.org")
  }

  @Test func `a birthday ends at the T of its time`() throws {
    try expect(card("BDAY:1970-05-06T\u{301}").contact, is: "Birthday: 6 May 1970")
  }

  @Test func `a mark behind a space is kept`() throws {
    let name = try card("ORG:x", "TITLE:a \u{301}b").contact
    expect(name.utf8.elementsEqual("Organisation: x\nTitle: a \u{301}b".utf8))
  }

  @Test func `a UUID is one in capitals and behind its prefix, in capitals too`() {
    let uuid = "0a1b2c3d-0000-4000-8000-00000000000f"
    expect(PeopleImport.link("URN:UUID:" + uuid.uppercased()), is: uuid)
    expect(PeopleImport.link("urn:uuid:\u{301}" + uuid), is: "urn:uuid:\u{301}" + uuid)
  }
}
