import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct PortableFileNamesTests {
  @Test(
    arguments: [
      ("ring.jpg", "ring.jpg"), ("Grüße an Mia.txt", "Grüße an Mia.txt"),
      ("a/b\\c:d*e?f\"g<h>i|j.txt", "a_b_c_d_e_f_g_h_i_j.txt"),
      ("-rf", "rf"), ("--output=x", "output=x"), (".bashrc", "bashrc"), ("~root", "root"),
      ("...hidden...", "hidden"), ("name. . .", "name"), ("  spaced  ", "spaced"),
      ("CON", "CON_"), ("con.txt", "con_.txt"), ("Aux .tar.gz", "Aux _.tar.gz"),
      ("LPT1", "LPT1_"), ("com¹.log", "com¹_.log"), ("CONSOLE", "CONSOLE"), ("COM", "COM"),
      ("photo\u{202e}gpj.exe", "photogpj.exe"), ("zero\u{200b}\u{feff}width", "zerowidth"),
      ("bell\u{7}\u{1b}[2J\u{9b}m", "bell[2Jm"), ("line\nfeed\ttab", "line_feed_tab"),
      ("👩\u{200d}👩\u{200d}👧.png", "👩\u{200d}👩\u{200d}👧.png"),
      ("a\u{200d}b", "ab"), ("tag\u{e0041}", "tag"), ("א ב.pdf", "א ב.pdf"),
      ("two\u{2028}lines\u{2029}", "two_lines_"), ("\u{378}.txt", "_.txt"),
    ])
  func `a name is what every system takes`(wanted: String, name: String) {
    expect(PortableFileNames.safe(Array(wanted.utf8)), is: name)
  }

  @Test(
    arguments: [
      ("e\u{301}te\u{301}.jpg", "\u{e9}t\u{e9}.jpg"), ("A\u{30a}", "\u{c5}"),
      ("\u{3b1}\u{301}", "\u{3ac}"), ("\u{438}\u{306}", "\u{439}"),
      ("o\u{302}\u{301}", "\u{1ed1}"), ("\u{30ab}\u{3099}", "\u{30ac}"),
      ("\u{1112}\u{1161}\u{11ab}", "\u{d55c}"), ("e\u{301}\u{489}", "\u{e9}\u{489}"),
      ("x\u{301}", "x\u{301}"), ("\u{915}\u{93c}", "\u{915}\u{93c}"),
    ])
  func `a letter and its marks are one character`(wanted: String, name: String) throws {
    let safe = try require(PortableFileNames.safe(Array(wanted.utf8)))
    expect(Array(safe.unicodeScalars), is: Array(name.unicodeScalars))
  }

  @Test(arguments: ["", ".", "..", "...", "   ", "---", "\u{202e}", "///", "\u{0}\u{1}", "?"])
  func `where nothing is left, the fallback is taken`(wanted: String) {
    var names = PortableFileNames()
    expect(names.next(wanted, fallback: "media-1.jpg"), is: "media-1.jpg")
    expect(names.next(wanted, fallback: "media-1.jpg"), is: "media-1-2.jpg")
  }

  @Test(
    arguments: [
      ["a.txt", "A.TXT", "a.Txt"], ["é.txt", "e\u{301}.txt", "É.txt"],
      ["straße", "STRASSE", "strasse"], ["\u{212a}.x", "k.x", "K.x"], ["σς", "ΣΣ", "ςσ"],
      ["x/y", "x:y", "x_y"], ["a", "-a", "a."],
    ])
  func `names that a file system takes for one are numbered`(wanted: [String]) {
    var names = PortableFileNames()
    let given = wanted.map { names.next($0, fallback: "file") }
    expect(given[0], is: PortableFileNames.safe(Array(wanted[0].utf8)))
    expect(UniqueFileNames.parts(Array(given[1].utf8)).stem.suffix(2), is: Array("-2".utf8)[...])
    expect(UniqueFileNames.parts(Array(given[2].utf8)).stem.suffix(2), is: Array("-3".utf8)[...])
    expect(Set(given.map { $0.uppercased().lowercased() }).count, is: 3)
  }

  @Test func `a name made unique is not another's`() {
    var names = PortableFileNames()
    let given = ["a-2", "a", "A", "a-2"].map { names.next($0, fallback: "file") }
    expect(given, is: ["a-2", "a", "A-3", "a-2-2"])
  }

  @Test(
    arguments: [
      String(repeating: "a", count: 10_000) + ".jpeg", String(repeating: "ü", count: 300) + ".jpeg",
      String(repeating: "👩\u{200d}👩\u{200d}👧", count: 99) + ".jpeg",
      "a" + String(repeating: "\u{301}", count: 5_000) + ".jpeg",
    ])
  func `a long name keeps its suffix and ends at a character`(wanted: String) throws {
    let name = try require(PortableFileNames.safe(Array(wanted.utf8)))
    expect(name.utf8.count <= 200)
    expect(name.hasSuffix(".jpeg"))
    expect(!name.unicodeScalars.contains("\u{fffd}"))
    var names = PortableFileNames()
    for _ in 1...3 { expect(names.next(wanted, fallback: "f").utf8.count <= 255) }
  }

  @Test func `any bytes become a name that is one component and nothing else`() {
    var generator = SeededGenerator(seed: 7)
    var names = PortableFileNames()
    let scalars: [UInt8] = Array("./\\-~ \u{202e}\u{0}CON:aé\n".utf8) + [0xff, 0xc3]
    var given: Set<String> = []
    for number in 1...500 {
      let count = Int.random(in: 0...12, using: &generator)
      let wanted = (0..<count).map { _ in scalars.randomElement(using: &generator) ?? 0 }
      let name = names.next(wanted, fallback: "file-\(number)")
      expect(!name.contains("/") && !name.contains("\\") && name != "." && name != "..")
      expect(!name.hasPrefix(".") && !name.hasPrefix("-") && !name.hasSuffix("."))
      expect(name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202e })
      expect(given.insert(name.uppercased().lowercased()).inserted)
    }
  }
}
