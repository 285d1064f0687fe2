import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

@Suite struct ContactFileTests {
  @Test func `cards in the dialects of many programs yield what they say`() throws {
    let cases = try VCardCase.all()
    expect(cases.count >= 60)
    for item in cases {
      let told = ContactFile(item.bytes).entries.map(\.told)
      expect(told, is: item.expected, "\(item.name)")
    }
  }

  @Test func `all of them in one file are the same cards, on other lines`() throws {
    // Those of other line ends and of other encodings have to stand alone.
    let cases = try VCardCase.all().filter {
      !$0.bytes.starts(with: [0xff]) && !$0.name.contains("cut off")
    }
    let entries = ContactFile(cases.flatMap { $0.bytes + [0x0a] }).entries
    let names = { (told: [[String: String]]) in told.compactMap { $0["name"] } }
    expect(names(entries.map(\.told)), is: names(cases.flatMap(\.expected)))
    expect(zip(entries, entries.dropFirst()).allSatisfy { $0.line < $1.line })
  }

  @Test(
    arguments: [
      (
        ["BEGIN:VCARD", "FN:Mia"], "END:VCARD is missing",
        "export the file again; it may be incomplete"
      ),
      (
        ["BEGIN:VCARD", "TEL:", "END:VCARD"], "no name of a person or an organization",
        "add a name in the program that exported the file"
      ),
      (["BEGIN:VCARD", "FN:Choir", "KIND:group", "END:VCARD"], "a group, not a person", nil),
      (
        ["BEGIN:VCARD", "FN:Mia", "nonsense", "END:VCARD"], "line 3 is not a vCard property",
        "write a property as a name, a colon and a value"
      ),
      (
        ["BEGIN:VCARD", "FN;CHARSET=X-OWN;ENCODING=QUOTED-PRINTABLE:=E9", "END:VCARD"],
        "line 2 has the unknown character set 'X-OWN'", "save the file in UTF-8"
      ),
      (
        ["BEGIN:VCARD", "FN:\(String(repeating: "m", count: 1025))", "END:VCARD"],
        "FN has more than 1024 bytes", "shorten the text in the program that exported the file"
      ),
      (["Hello"], "not part of a vCard", "use a file of vCards, which begin with BEGIN:VCARD"),
    ] as [([String], String, String?)])
  func `a card that cannot be read is refused in words that say why`(
    lines: [String], words: String, hint: String?
  ) {
    let bytes = Array(lines.joined(separator: "\n").utf8)
    guard case .fault(let fault)? = ContactFile(bytes).entries.first else {
      return expect(false, "\(lines)")
    }
    expect(Fault(fault.cause).description, is: words)
    expect(fault.cause.hint, is: hint)
  }

  @Test func `an empty file has no card`() {
    for text in ["", "\n\r\n", "\u{FEFF}", "  \n\t"] {
      expect(ContactFile(Array(text.utf8)).entries.isEmpty, "\(text.debugDescription)")
    }
    expect(ContactFile([0xff, 0xfe]).entries.isEmpty)
  }

  @Test func `whatever becomes of a file's bytes, it is read to its end`() throws {
    var random = SeededGenerator(seed: 6350)
    let rounds = TestScale.count(full: 2000, debug: 10)
    for item in try VCardCase.all() {
      for _ in 0..<rounds {
        var bytes = item.bytes
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
        case 1:
          for _ in 0..<Int.random(in: 1...8, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = UInt8.random(in: 0...255, using: &random)
          }
        case 2:
          for _ in 0..<4 {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let byte = Array("\n\r\t :;=\",\\^.".utf8).randomElement(using: &random) ?? 0
            bytes.insert(byte, at: place)
          }
        default:
          let start = Int.random(in: 0..<bytes.count, using: &random)
          bytes.removeSubrange(start..<Int.random(in: start...bytes.count, using: &random))
        }
        let entries = ContactFile(bytes).entries
        let ends = bytes.count { $0 == 0x0a || $0 == 0x0d }
        expect(entries.allSatisfy { (1...(ends + 1)).contains($0.line) }, "\(bytes)")
        expect(zip(entries, entries.dropFirst()).allSatisfy { $0.line < $1.line }, "\(bytes)")
        for case .card(let card) in entries {
          expect(!card.name.isEmpty && !card.name.contains(where: \.isNewline), "\(bytes)")
        }
      }
    }
  }

  @Test(
    arguments: [
      " \n", "  \n", "=\n", " =\n", ";a1,", ";", ",", ":", "\"", "\\", "^", "BEGIN:VCARD\n",
      "AGENT:\nBEGIN:VCARD\n",
      "X:\n",
      "TEL:1\n", "ADR:;;a,b;\n", "NOTE;QUOTED-PRINTABLE:=\n", "END:VCARD\n", "\n", "N:,;\n", "{",
    ])
  func `what is written to take long takes as long as its bytes`(part: String) {
    let count = TestScale.count(full: 16 << 20, debug: 12_000)
    for head in ["", "BEGIN:VCARD\nFN:x\n", "BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:"] {
      var bytes = Array(head.utf8)
      while bytes.count < count { bytes += Array(part.utf8) }
      bytes += Array("\nEND:VCARD\n".utf8)
      var entries: [ContactFile.Entry] = []
      expect(ProcessorTime.seconds { entries = ContactFile(bytes).entries } < 20)
      expect(entries.count <= bytes.count / 10)
    }
  }

  @Test func `a file is read up to its 50,000th card, and that there are more is told`() {
    let bytes = Array(String(repeating: "BEGIN:VCARD\n", count: 50_002).utf8)
    let entries = ContactFile(bytes).entries
    expect(entries.count, is: 50_001)
    expect(entries.dropLast().last?.line, is: 50_000)
    guard case .fault(let fault)? = entries.last else { return expect(false) }
    expect(fault.line, is: 50_001)
    expect(Fault(fault.cause).description, is: "more than 50000 cards")
  }

  @Test func `limits are those that are told`() {
    func entry(_ property: String) -> ContactFile.Entry? {
      ContactFile(Array("BEGIN:VCARD\nFN:x\n\(property)\nEND:VCARD\n".utf8)).entries.first
    }
    func fault(_ property: String) -> VCardFault.Cause? {
      guard case .fault(let fault) = entry(property) else { return nil }
      return fault.cause
    }
    let long = String(repeating: "y", count: 1025)
    expect(fault("UID:\(long.dropLast())") == nil)
    expect(fault("UID:\(long)"), is: .tooLong(property: "UID", limit: 1024))
    expect(fault("FN;PREF=1:\(long.dropLast())") == nil)
    expect(fault("FN;PREF=1:\(long)"), is: .tooLong(property: "FN", limit: 1024))
    let large = String(repeating: "z", count: 1 << 20)
    expect(fault("NOTE:\(large)"), is: .tooLarge(limit: 1 << 20))
    expect(fault("NOTE:\(large.dropLast(1000))") == nil)
    expect(fault("NOTE;\(large):x"), is: .notAProperty(line: 3))
    expect(fault("PHOTO;\(large.dropLast(99)):x") == nil)
    expect(fault("NOTE;\(large.dropLast(99)):x"), is: .tooLarge(limit: 1 << 20))
    expect(fault("PHOTO;ENCODING=b:\(large)\(large)") == nil)
  }
}
