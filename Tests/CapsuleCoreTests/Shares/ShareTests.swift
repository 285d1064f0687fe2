import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Single shares: their words, and what is wrong with them.
@Suite struct ShareTests {
  private let words = ForeignShares.twoOfThree[0]

  private func fault(_ text: String) -> ShareProblem? {
    cause { () throws(Fault) in try ForeignShares.share(text) }
  }

  /// The words with one of them put through a change.
  private func changed(_ place: Int, _ change: (String) -> String) -> String {
    var list = words.split(separator: " ").map(String.init)
    list[place] = change(list[place])
    return list.joined(separator: " ")
  }

  @Test func `a share says its number and how many are needed`() throws {
    let share = try ForeignShares.share(ForeignShares.threeOfFive[4])
    expect(share.member, is: 4)
    expect(share.threshold, is: 3)
    expect(share.group, is: 0)
    expect(share.common.groupCount, is: 1)
    expect(share.common.isExtendable)
    expect(share.value.count, is: 32)
  }

  @Test(
    arguments: ForeignShares.twoOfThree + ForeignShares.threeOfFive + ForeignShares.grouped)
  func `a share gives back its words`(words: String) throws {
    try expect(ForeignShares.share(words).text.bytes, is: Array(words.utf8))
  }

  @Test(arguments: [(false, 0), (false, 10), (true, 3)])
  func `what a set has in common is in the words of its shares`(
    isExtendable: Bool, exponent: Int
  ) throws {
    let common = Share.Common(
      identifier: 0x5a5a, isExtendable: isExtendable, exponent: exponent, groupThreshold: 2,
      groupCount: 3)
    let share = Share(
      common: common, group: 1, member: 4, threshold: 5, value: SecretBytes(copying: 0..<16))
    try expect(Share(text: share.text).common, is: common)
  }

  @Test func `the digest is that of the words with single spaces and no line end`() throws {
    let share = try ForeignShares.share(words.uppercased() + "\n")
    expect(share.digest, is: SHA256.hash(Array(words.utf8)))
  }

  @Test func `capitals, line numbers and punctuation are taken`() throws {
    let list = words.split(separator: " ").enumerated()
    let retyped = [
      words.uppercased(),
      words.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        .joined(separator: " "),
      list.map { "\($0 + 1). \($1)" }.joined(separator: "\n"),
      list.map { "\($0 + 1))\($1)," }.joined(separator: "\r\n"),
      "\t" + words.replacing(" ", with: "; ") + ".",
      list.map { "[\($1)]" }.joined(separator: " \u{2013} "),
    ]
    for text in retyped {
      try expect(ForeignShares.share(text).text.bytes, is: Array(words.utf8), "\(text)")
    }
  }

  @Test func `the numbers of the words are taken in their place`() throws {
    let numbers = try ForeignShares.share(words).numbers
    let alone = numbers.map(String.init).joined(separator: " ")
    let numbered = numbers.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
    for text in [alone, numbered] {
      try expect(ForeignShares.share(text).text.bytes, is: Array(words.utf8))
    }
  }

  @Test func `of a page only what lies between its lines is read`() throws {
    let page = "A page.\n\n\(Share.firstLine)\n1 \(words)\n\(Share.lastLine)\nKeep it.\n"
    try expect(ForeignShares.share(page).member, is: 0)
  }

  @Test func `a word outside the list is named with its place and the nearest`() {
    expect(
      fault(changed(11) { _ in "axel" }), is: .word("axel", place: 11, nearest: ["axle"]))
    expect(
      fault(changed(0) { _ in "admittance" }), is: .word("admittance", place: 0, nearest: ["admit"])
    )
    expect(
      fault(changed(0) { _ in "xxxxxxxx" }), is: .word("xxxxxxxx", place: 0, nearest: []))
    // More words begin so than are named.
    expect(
      fault(changed(2) { _ in "car" }),
      is: .word("car", place: 2, nearest: ["carbon", "cards", "careful"]))
  }

  @Test func `a number above 1023 is named with its place`() throws {
    var numbers = try ForeignShares.share(words).numbers.map(String.init)
    numbers[7] = "1024"
    expect(fault(numbers.joined(separator: " ")), is: .number("1024", place: 7))
    numbers[7] = String(repeating: "9", count: 400)
    expect(
      fault(numbers.joined(separator: " ")),
      is: .number(String(repeating: "9", count: 32), place: 7))
  }

  @Test func `every single wrong word is named by its place`() {
    // Differences of every weight; all of them at full size.
    let steps = TestScale.isFull ? Array(1..<1024) : [1, 16, 0x155, 1023]
    for place in 0..<33 {
      for step in steps {
        let text = changed(place) { word in
          WordList.words[(WordList.index(of: word.utf8) ?? 0) ^ step]
        }
        expect(fault(text), is: .checksum(.word(place: place)), "place \(place), \(step)")
      }
    }
  }

  @Test func `swapped neighbours are named by their place`() {
    let list = words.split(separator: " ").map(String.init)
    for place in 0..<32 {
      var swapped = list
      swapped.swapAt(place, place + 1)
      expect(fault(swapped.joined(separator: " ")), is: .checksum(.swapped(place: place)))
    }
  }

  @Test func `three wrong words are refused without a guess`() {
    let list = words.split(separator: " ").map(String.init)
    var wrong = list
    for place in [3, 14, 27] { wrong[place] = list[place] == "acid" ? "acne" : "acid" }
    expect(fault(wrong.joined(separator: " ")), is: .checksum(.unknown))
  }

  @Test(arguments: [0, 3, 30])
  func `a row of words that is left out, or stands twice, is a matter of their number`(place: Int) {
    let list = words.split(separator: " ").map(String.init)
    let row = list[place..<(place + 3)]
    expect(fault((list[..<place] + list[(place + 3)...]).joined(separator: " ")), is: .count(30))
    expect(
      fault((list[..<place] + row + list[place...]).joined(separator: " ")), is: .count(36))
  }

  @Test func `too few, too many and no words are refused`() {
    let list = words.split(separator: " ")
    expect(fault(""), is: .empty)
    expect(fault(" .,- \n"), is: .empty)
    expect(fault(list.dropLast().joined(separator: " ")), is: .count(32))
    expect(fault((list + ["acid"]).joined(separator: " ")), is: .count(34))
    expect(fault((list + list).joined(separator: " ")), is: .count(66))
    expect(fault(String(repeating: "a", count: Share.mostTextBytes + 1)), is: .tooLong)
  }

  @Test func `a refusal of a share tells where to look, and never the right word`() throws {
    /// The words, the hint and the details.
    func refusal(_ text: String) -> [String?] {
      let fault = expect(throws: Fault.self) { try ForeignShares.share(text) }
      let details = fault.map { JSON.object($0.details).encoded(.compact) } ?? []
      return [fault?.description, fault?.hint, String(decoding: details, as: UTF8.self)]
    }
    let list = words.split(separator: " ").map(String.init)
    expect(
      refusal(""), is: ["no words given", "type the words of the share, or their numbers", "{}"])
    expect(
      refusal(String(repeating: "a", count: Share.mostTextBytes + 1)),
      is: ["too much text for one share", "enter one share at a time", "{}"])
    expect(
      refusal(changed(0) { _ in "xxxxxxxx" }),
      is: [
        "word 1, 'xxxxxxxx', is not in the list of words", "compare the word with the sheet",
        #"{"nearest":[],"place":1}"#,
      ])
    expect(
      refusal(list.dropLast().joined(separator: " ")),
      is: [
        "a share has 33 words, not 32", "check whether a word or a row is missing",
        #"{"words":32}"#,
      ])
    expect(
      refusal(words + " acid"),
      is: [
        "a share has 33 words, not 34", "check whether a word or a row is repeated",
        #"{"words":34}"#,
      ])
    expect(
      refusal((list[..<4] + [list[5], list[4]] + list[6...]).joined(separator: " ")),
      is: [
        "the checksum does not match: words 5 and 6 are likely swapped",
        "compare the words with the sheet", #"{"place":5}"#,
      ])
    expect(
      refusal((list[20...] + list[..<20]).joined(separator: " ")),
      is: [
        "the checksum does not match: more than one word is wrong",
        "compare every word with the sheet", "{}",
      ])
    let own = try ForeignShares.share(words)
    let grouped = Share(
      common: Share.Common(identifier: 1, groupThreshold: 2), group: 0, member: 0, threshold: 1,
      value: own.value)
    expect(
      refusal(String(decoding: grouped.text.bytes, as: UTF8.self)),
      is: ["the share needs more groups than it has", nil, "{}"])
    expect(Fault(ShareProblem.padding).description, is: "the share is not a SLIP-0039 share")
  }

  @Test func `bytes that are no text are refused`() {
    expect(throws: ShareProblem.empty) {
      try Share(text: SecretBytes(copying: [0xff, 0x00, 0xc0, 0x80]))
    }
  }

  /// What an entry says to some lines: the share's number, the next word, or a fault with the word that it asks for.
  private func entered(_ lines: [String]) -> [String] {
    let entry = Share.Entry()
    return lines.map { line in
      do throws(Fault) {
        if let share = try entry.take(SecretBytes(copying: Array(line.utf8))) {
          return "share \(share.member)"
        }
        return "from \(entry.next)"
      } catch {
        return "\(error.message); \(entry.isOneAgain ? "again" : "from") \(entry.next)"
      }
    }
  }

  private func rows(of size: Int) -> [String] {
    let list = words.split(separator: " ").map(String.init)
    return stride(from: 0, to: list.count, by: size).map {
      list[$0..<min($0 + size, list.count)].joined(separator: " ")
    }
  }

  @Test func `words can be typed a row at a time`() {
    expect(entered([words]), is: ["share 0"])
    expect(entered(rows(of: 11)), is: ["from 12", "from 23", "share 0"])
    expect(entered(["1. \(rows(of: 32)[0])", rows(of: 32)[1]]), is: ["from 33", "share 0"])
    expect(entered(rows(of: 1)).last, is: "share 0")
  }

  @Test func `numbers can be typed a row at a time, and one that no word has is named`() throws {
    let numbers = try ForeignShares.share(words).numbers.map(String.init)
    let rows = [numbers[..<11], numbers[11..<22], numbers[22...]].map { $0.joined(separator: " ") }
    expect(entered(rows), is: ["from 12", "from 23", "share 0"])
    expect(entered([numbers.joined(separator: " ")]), is: ["share 0"])
    expect(
      entered(["7 1024", "70000", "7"]),
      is: [
        "word 2, '1024', is not in the list of words; again 2",
        "word 2, '70000', is not in the list of words; again 2", "from 3",
      ])
  }

  @Test func `more words than any share has are counted, and typing starts over`() {
    expect(
      entered([rows(of: 11)[0], words + " " + words, words]),
      is: ["from 12", "a share has 33 words, not 66; from 1", "share 0"])
  }

  @Test func `only the wrong word is typed again`() {
    let right = words.split(separator: " ").map(String.init)
    expect(
      entered([changed(11) { _ in "axel" }, "axxel", right[11]]),
      is: [
        "word 12, 'axel', is not in the list of words; again 12",
        "word 12, 'axxel', is not in the list of words; again 12", "share 0",
      ])
    // Two of them, in their order.
    var list = right
    (list[3], list[20]) = ("qqqq", "zzzz")
    expect(
      entered([
        list[..<22].joined(separator: " "), right[3], right[20], list[22...].joined(separator: " "),
      ]),
      is: [
        "word 4, 'qqqq', is not in the list of words; again 4",
        "word 21, 'zzzz', is not in the list of words; again 21", "from 23", "share 0",
      ])
    // A word of the list, but another.
    let other = right[11] == "award" ? "axle" : "award"
    expect(
      entered([changed(11) { _ in other }, right[11]]),
      is: ["the checksum does not match: word 12 is likely wrong; again 12", "share 0"])
  }

  @Test func `typing starts over where it is unclear which word is wrong`() {
    var list = words.split(separator: " ").map(String.init)
    list.swapAt(4, 19)
    let mixed = list.joined(separator: " ")
    expect(
      entered([mixed, words]),
      is: ["the checksum does not match: more than one word is wrong; from 1", "share 0"])
    expect(
      entered([rows(of: 11)[0], "", words]), is: ["from 12", "from 12", "share 0"])
    // A wrong word waits for itself alone.
    let right = words.split(separator: " ").map(String.init)
    let wrong = "word 2, 'qqqq', is not in the list of words; again 2"
    expect(
      entered([
        right[0] + " qqqq", right[1] + " " + right[2], "", right[1],
        right[2...].joined(separator: " "),
      ]),
      is: [wrong, wrong, wrong, "from 3", "share 0"])
    expect(
      entered([changed(0) { _ in "qqqq" }, words]),
      is: ["word 1, 'qqqq', is not in the list of words; again 1", "share 0"])
  }
}
