import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The text that a program answers with, and the people that it names.
@Suite struct DraftReplyTests {
  private static func text(_ words: String) throws -> String {
    try DraftReply(Array(words.utf8)).text
  }

  @Test(arguments: [
    ("plain", "plain"), ("a\r\nb\rc\n", "a\nb\nc"), ("\n\n  a  \n\n", "  a"), ("a\tb", "a\tb"),
    ("\u{1b}[31;1mred\u{1b}[0m", "red"), ("\u{1b}]0;title\u{7}words", "words"),
    ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"), ("a\u{1b}", "a"),
    ("a\u{1b}[", "a"), ("\u{1b}Pq\u{1b}\\b", "b"), ("a\u{0}\u{7}\u{8}\u{9b}b", "ab"),
    ("\u{202e}abc\u{202c}", "abc"), ("\u{600}|", "\u{600}|"), ("a\u{2028}b", "a\nb"),
    ("\u{feff}a", "a"), ("\u{1b}]0;title\nDear Mia", "Dear Mia"), ("\u{1b}(Bwords", "words"),
    ("\u{1b}]0;x\u{1b}[1mbold", "bold"), ("\u{1b}\na", "a"), ("\u{1b}=a\u{1b}7", "a"),
    ("a\u{200b}\u{2060}b", "ab"),
    ("e\u{301}\u{1b}[0m\u{301}", "e\u{301}\u{301}"), ("a\u{a0}\nb", "a\nb"),
  ])
  func `what comes back is text, without what acts on a terminal`(given: String, kept: String)
    throws
  {
    try expect(Self.text(given), is: kept)
  }

  @Test func `more than 64 KiB, other bytes and nothing are no reply`() {
    let most = [UInt8](repeating: 97, count: DraftReply.limit)
    expect((try? DraftReply(most))?.text.utf8.count, is: DraftReply.limit)
    expect(throws: DraftReply.Problem.tooLong) { try DraftReply(most + [97]) }
    expect(throws: DraftReply.Problem.notText) { try DraftReply([0xff]) }
    for nothing in ["", "\u{a0}\u{3000}", "\n \t\n", "\u{1b}[0m\u{0}"] {
      expect(throws: DraftReply.Problem.empty) { try DraftReply(Array(nothing.utf8)) }
    }
  }

  @Test func `attachments of over 32 MiB are not sent, and an item's tags are`() throws {
    let store = try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(SimulatedFileSystem(), seed: 1),
      now: StoreScenario.now)
    var item = try RecordSamples.item
    let file = CapsuleCore.Attachment(
      name: [0x61], mediaType: "image/jpeg", size: (32 << 20) + 1,
      modified: FileTime(seconds: 1, nanoseconds: 2), blob: BlobName(digest: SHA256.hash([1])))
    item.media = [Media(file: file, title: "", addedAt: .epoch, facts: MediaFacts())]
    let fault = expect(throws: Fault.self) {
      try DraftRequest.describe(item, in: store.blobs, including: [.media])
    }
    expect(fault?.description, is: "the attachments of 'Ring' are larger than 32 MiB")
    let request = try DraftRequest.describe(item, in: store.blobs, including: [])
    let sent = try JSON.parse(request.bytes)["input"]?["item"]
    expect(sent?["tags"], is: ["t"])
    expect(sent?["media"] == nil && sent?["notes"] == nil)
  }

  private static func person(_ number: UInt64, _ name: String) -> Beneficiary {
    Beneficiary(
      header: RecordHeader(id: RecordID(high: 1, low: number), createdAt: .epoch), name: name)
  }

  @Test func `only people that are there are suggested, each once`() throws {
    let people = [
      Self.person(1, "Mia"), Self.person(2, "Dr: No"), Self.person(3, "Bo"), Self.person(4, "bo"),
    ]
    let reply = try DraftReply(
      Array("1. mia: she wore it\n- Dr: No: likes: rings\nEve: a stranger\nMia\n* Bo\n\n".utf8))
    let found = DraftSuggestions(reply, among: people)
    expect(found.people.map(\.person.name), is: ["Mia", "Dr: No"])
    expect(found.people.map(\.reason), is: ["she wore it", "likes: rings"])
    expect(found.unknown, is: ["Eve: a stranger"])
    expect(found.ambiguous, is: ["Bo"])
  }

  @Test func `a reply of nothing but colons is read at once`() throws {
    let reply = try DraftReply([UInt8](repeating: UInt8(ascii: ":"), count: DraftReply.limit))
    expect(DraftSuggestions(reply, among: [Self.person(1, "Mia")]).unknown.count, is: 1)
  }

  @Test(arguments: [
    ("Category: Jewellery\nvalue: EUR 5\n\nA ring.\nGold.", "Jewellery", "EUR 5", "A ring.\nGold."),
    ("A ring.\nValue: none of it", "", "", "A ring.\nValue: none of it"),
    ("\nValue:EUR 5\nA ring.", "", "EUR 5", "A ring."), ("Category:\n\nx", "", "", "x"),
    ("Category\nA ring.", "", "", "Category\nA ring."),
  ])
  func `a description begins with the category and the value where it says them`(
    text: String, category: String, value: String, description: String
  ) {
    let found = DraftDescription(text)
    expect([found.category, found.value, found.description], is: [category, value, description])
    expect(DraftDescription(found.text), is: found)
  }
}
