import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// An identity on paper, and as people type it back.
@Suite struct IdentityLinesTests {
  private static func identity(isPostQuantum: Bool) throws -> AgeIdentity {
    let seed = SecretBytes(copying: (0..<32).map { UInt8($0 &* 7 &+ 3) })
    return try require(AgeIdentity(seed: seed, isPostQuantum: isPostQuantum))
  }

  private static func typed(_ identity: AgeIdentity) -> [String] {
    IdentityLines(identity).lines.enumerated().map { place, line in
      "\(place + 1)  \(IdentityLines.grouped(line, place + 1))  \(IdentityLines.check(line, place + 1))"
    }
  }

  @Test(arguments: [false, true])
  func `what is on the page is read back`(isPostQuantum: Bool) throws {
    let identity = try Self.identity(isPostQuantum: isPostQuantum)
    let lines = Self.typed(identity)
    expect(lines.count, is: IdentityLines.count)
    let read = try IdentityLines.read(lines.joined(separator: "\n"))
    expect(read.map(\.secretText), is: [identity.secretText])
    expect(IdentityLines(identity).lines.joined(), is: identity.secretText)
  }

  @Test(
    arguments: [
      { $0.lowercased() }, { $0.filter { $0 != " " } }, { String($0.dropFirst(3)) },
      { String($0.dropLast(6)) }, { String($0.dropFirst(3).dropLast(6)) },
      { "  " + $0.split(separator: " ").joined(separator: "\t") + "\r" },
      { String($0.prefix(1)) + ". " + $0.dropFirst(3) },
    ] as [@Sendable (String) -> String])
  func `capitals, spaces, numbers and checks do not matter`(
    change: @Sendable (String) -> String
  ) throws {
    let identity = try Self.identity(isPostQuantum: false)
    let text = Self.typed(identity).map(change).joined(separator: "\n\n")
    try expect(IdentityLines.read(text).map(\.secretText), is: [identity.secretText])
  }

  @Test func `letters that are in no key are read as what they look like`() throws {
    let identity = try Self.identity(isPostQuantum: false)
    let lines = Self.typed(identity).enumerated().map { place, line in
      place == 0
        ? line
        : "\(place + 1)"
          + line.dropFirst().replacing("0", with: "O").replacing("L", with: "I")
    }
    try expect(
      IdentityLines.read(lines.joined(separator: "\n")).map(\.secretText), is: [identity.secretText]
    )
  }

  @Test func `every other character in a line is found, and the line is named`() throws {
    let identity = try Self.identity(isPostQuantum: false)
    for (place, line) in IdentityLines(identity).lines.enumerated().dropFirst() {
      let check = IdentityLines.check(line, place + 1)
      for position in line.indices {
        let other: Character = line[position] == "Q" ? "P" : "Q"
        var wrong = line
        wrong.replaceSubrange(position...position, with: [other])
        expect(throws: IdentityLineProblem.check(line: place + 1)) {
          try IdentityLines.line(place + 1, of: wrong + " " + check)
        }
      }
    }
  }

  @Test func `lines that are missing, swapped, short or strange are named`() throws {
    let lines = Self.typed(try Self.identity(isPostQuantum: false))
    func fault(_ lines: [String]) -> IdentityLineProblem? {
      cause { () throws(Fault) in try IdentityLines.read(lines.joined(separator: "\n")) }
    }
    expect(fault(Array(lines.prefix(3))), is: .missing(count: 2))
    expect(fault([]), is: .missing(count: 5))
    expect(fault([lines[0], lines[2], lines[1]]), is: .number(line: 2, found: "3"))
    expect(fault([lines[1]]), is: .beginning)
    expect(fault([lines[0], "2 ABC"]), is: .length(line: 2, expected: 16, found: 4))
    expect(fault([lines[0], lines[1] + "é"]), is: .character(line: 2, "é"))
    let bare = lines.map { String($0.dropFirst(3).dropLast(6)) }
    expect(fault([bare[0], bare[2], bare[1], bare[3], bare[4]]), is: .whole)
    expect(fault([String(repeating: "x", count: 70_000)]), is: .tooLong)
  }

  @Test func `a wrong line is refused with what to type again`() throws {
    let lines = Self.typed(try Self.identity(isPostQuantum: false))
    func refusal(_ lines: [String]) -> [String?] {
      let fault = expect(throws: Fault.self) {
        try IdentityLines.read(lines.joined(separator: "\n"))
      }
      return [fault?.description, fault?.hint]
    }
    let again = "compare the line with the page, then type it again"
    for (count, words) in [(3, "2 lines are missing"), (4, "1 line is missing")] {
      expect(
        refusal(Array(lines.prefix(count))), is: [words, "type all five lines of an identity"])
    }
    expect(
      refusal([lines[0], lines[2]]),
      is: ["expected line 2, but the typed line begins with '3'", again])
    expect(
      refusal([lines[0], "2 ABC"]),
      is: ["line 2 needs 16 characters, or four more with the check; 4 were typed", again])
    expect(
      refusal([lines[0], lines[1] + "é"]), is: ["invalid character 'é' on line 2", again])
    expect(
      refusal([lines[1]]),
      is: ["line 1 is not 'AGE-SECRET-KEY-1' or 'AGE-SECRET-KEY-PQ-1'", again])
    let bare = lines.map { String($0.dropFirst(3).dropLast(6)) }
    expect(
      refusal([bare[0], bare[2], bare[1], bare[3], bare[4]]),
      is: [
        "the lines do not make a key: one without a check is wrong",
        "type the lines with their checks",
      ])
    expect(
      refusal(["Dear me, here is the key that I have kept for the store on the laptop:"]),
      is: ["invalid key on line 1", "compare the key with the page, or type its five lines"])
    expect(
      refusal([String(repeating: "x", count: 70_000)]),
      is: ["the text is too long for a page of identities", nil])
  }

  @Test func `a key with an error in it is named beside one that is whole`() throws {
    let keys = try [false, true].map { try Self.identity(isPostQuantum: $0) }
    let (first, second) = (keys[0].secretText, keys[1].secretText)
    let wrong = first.dropLast() + (first.hasSuffix("Q") ? "P" : "Q")
    for (text, line) in [
      ("# a page\n\(wrong)\n\(second)", 2), ("\(second)\n\n\(wrong.lowercased())", 3),
      ("X\(first)", 1),
    ] {
      expect(throws: IdentityLineProblem.key(line: line)) { try IdentityLines.read(text) }
    }
    let both = second + "\n" + Self.typed(keys[0]).joined(separator: "\n")
    try expect(IdentityLines.read(both).map(\.secretText), is: [second, first])
  }

  @Test func `a whole key stands in a mail`() throws {
    let identity = try Self.identity(isPostQuantum: false)
    let words = "Dear me, here is the key that I have kept for the store on the laptop:"
    try expect(
      IdentityLines.read("\(words)\n\n\(identity.secretText)\n").map(\.secretText),
      is: [identity.secretText])
    expect(throws: IdentityLineProblem.key(line: 1)) { try IdentityLines.read(words) }
  }
}
