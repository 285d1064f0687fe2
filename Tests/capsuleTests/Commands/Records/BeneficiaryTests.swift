import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// People, by hand and from vCards.
@Suite struct BeneficiaryTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/Paris") }

  private func card(_ lines: String...) -> String {
    "BEGIN:VCARD\r\nVERSION:3.0\r\n" + lines.map { $0 + "\r\n" }.joined() + "END:VCARD\r\n"
  }

  private func person(_ name: String) throws -> JSON { try home.json("beneficiary", "show", name) }

  private func names() throws -> [String] { try home.strings("name", "beneficiary", "list") }

  /// A recipient of a key that is made for it.
  private func recipient() throws -> String {
    let key = try home.done("keygen")
    let line = try require(key.split(separator: "\n").first { $0.hasPrefix("# public key: ") })
    return String(line.dropFirst("# public key: ".count))
  }

  // MARK: By hand

  @Test func `where there is no store nobody is listed, and none is made`() throws {
    try expect(names(), is: [])
    expect(home.files(below: ".local/share").isEmpty)
  }

  @Test func `an imported card replaces a known recipient only with its option, and it is said`()
    throws
  {
    let (one, two) = (try recipient(), try recipient())
    try home.done("beneficiary", "add", "Zoe", "--recipient", one)
    let cards = try home.write(
      "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Zoe\r\nTEL:+33 1\r\nX-AGE-RECIPIENT:\(two)\r\nEND:VCARD\r\n",
      as: "zoe.vcf")
    let run = try home.run("beneficiary", "import", cards)
    expect(
      run.code == .partial && run.err.contains(two) && run.err.contains("--accept-recipients"))
    try expect(person("Zoe")["recipient"], is: .string(one))
    try expect(person("Zoe")["phone"], is: "+33 1")
    let out = try home.done("beneficiary", "import", cards, "--accept-recipients")
    expect(out.contains("recipient  \(one) → \(two)"))
    try expect(person("Zoe")["recipient"], is: .string(two))
    try home.done("beneficiary", "import", cards)
  }

  /// A file with a card for Zoe that has another mail address.
  private func cardOfZoe(_ address: String) throws -> String {
    try home.write(
      "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Zoe\r\nTEL:+33 1\r\nEMAIL:\(address)\r\nEND:VCARD\r\n",
      as: "zoe.vcf")
  }

  @Test func `an imported card replaces a known mail address only with its option, and it is said`()
    throws
  {
    try home.done("beneficiary", "add", "Zoe", "--email", "zoe@example.org")
    let card = try cardOfZoe("eve@example.com")
    for words in [["--json"], ["--dry-run", "--json"]] {
      let run = try home.run(["beneficiary", "import", card] + words)
      let result = try require(try JSON.parse(Array(run.out.utf8)).array?.first)
      expect(run.code == .partial && result["problem"]?.string?.contains("mail address") == true)
      expect(run.err.contains("eve@example.com") && run.err.contains("--accept-addresses"))
      try expect(person("Zoe")["email"], is: "zoe@example.org")
    }
    try expect(person("Zoe")["phone"], is: "+33 1")
    let out = try home.done("beneficiary", "import", card, "--accept-addresses")
    expect(out.contains("email  zoe@example.org → eve@example.com"))
    try home.done("beneficiary", "import", card)
  }

  @Test(arguments: [("y", true), ("n", false)])
  func `at a terminal a new mail address is asked for, once for all cards`(
    answer: String, isTaken: Bool
  ) throws {
    try home.done("beneficiary", "add", "Zoe", "--email", "zoe@example.org")
    home.answers = [answer]
    let run = try home.run("beneficiary", "import", try cardOfZoe("zoe@example.net"))
    expect(run.code == (isTaken ? .ok : .partial), "\(run.err)")
    try expect(
      person("Zoe")["email"], is: .string(isTaken ? "zoe@example.net" : "zoe@example.org"))
    try expect(person("Zoe")["phone"], is: "+33 1")
  }

  @Test func `an address that differs in case only is no other, and the first one is taken`() throws
  {
    try home.done("beneficiary", "add", "Zoe")
    try home.done("beneficiary", "import", try cardOfZoe("zoe@example.org"))
    try home.done("beneficiary", "import", try cardOfZoe("Zoe@Example.org"))
    try expect(person("Zoe")["email"], is: "Zoe@Example.org")
  }

  @Test(arguments: ["-oQ/tmp@example.org", "|sh@example.org", "/tmp/x@example.org"])
  func `an address that a mail program could take for something else is refused`(
    address: String
  ) throws {
    try home.done("beneficiary", "add", "Zoe")
    let message = try home.refusal(.usage, "beneficiary", "edit", "Zoe", "--email=" + address)
    expect(message.contains("'\(address)' is no email address"))
    try home.done("beneficiary", "import", try cardOfZoe(address))
    let zoe = try person("Zoe")
    expect(zoe["email"] == "" || zoe["email"] == nil || zoe["email"] == .null)
    expect(zoe["contact"]?.string?.contains(address) == true)
  }

  @Test func `a person is found in any spelling, and every field is edited and reported`() throws {
    let (one, two) = (try recipient(), try recipient())
    try home.done(
      "beneficiary", "add", "Zo\u{eb} Martin", "--relationship", "daughter", "--email",
      "zoe@example.org", "--phone", "+33 6 12 34 56 78", "--contact", "Signal, daily",
      "--recipient", one, "--notes", "likes cats")
    let out = try home.done(
      "beneficiary", "edit", "ZOE\u{308} MARTIN", "--name", "Zo", "--relationship", "niece",
      "--email", "z@x.org", "--phone", "0113 496 0000 ext. 5", "--contact", "By post",
      "--recipient", two, "--notes", "likes dogs")
    for line in [
      "  name  Zoë Martin → Zo\n", "  relationship  daughter → niece\n",
      "  email  zoe@example.org → z@x.org\n",
      "  phone  +33 6 12 34 56 78 → 0113 496 0000 ext. 5\n", "  contact  Signal, daily → By post\n",
      "  recipient  \(one) → \(two)\n", "  notes  likes cats → likes dogs\n",
    ] {
      expect(out.contains(line), "\(line) is not in \(out)")
    }
  }

  @Test func `an edit that changes nothing says so, and one without a field is refused`() throws {
    try home.done("beneficiary", "add", "Zo", "--notes", "likes dogs")
    let same = try home.run("beneficiary", "edit", "Zo", "--notes", "likes dogs")
    expect(same.code == .ok && same.err.contains("Nothing changed"))
    try home.refusal(.usage, "beneficiary", "edit", "Zo")
  }

  @Test(arguments: ["relationship", "email", "phone", "contact", "recipient", "notes"])
  func `an empty text takes a field away`(field: String) throws {
    let value =
      switch field {
      case "recipient": try recipient()
      case "email": "zo@example.org"
      case "phone": "+33 6 12 34 56 78"
      default: "as it was"
      }
    try home.done("beneficiary", "add", "Zo", "--\(field)", value)
    expect(try home.done("beneficiary", "show", "Zo").contains(value))
    try home.done("beneficiary", "edit", "Zo", "--\(field)", "", "-q")
    expect(try !home.done("beneficiary", "show", "Zo").contains(value))
    try expect(person("Zo")[field].map { $0 == "" || $0 == .null }, is: true)
  }

  @Test func `who is deleted is gone, and comes back`() throws {
    try home.done("beneficiary", "add", "Zo", "--notes", "likes dogs")
    try home.done("beneficiary", "delete", "Zo", "--yes")
    try home.refusal(.notFound, "beneficiary", "show", "Zo")
    expect(try home.done("restore", "Zo").contains("Restored 'Zo'"))
    try expect(person("Zo")["notes"], is: "likes dogs")
    try home.done("verify", "-q")
  }

  @Test(
    arguments: [
      ("--email", "zoe"), ("--email", "a@b@c"), ("--email", "a b@c"), ("--email", "@c"),
      ("--email", "a@\u{202e}c"), ("--phone", "call me"), ("--phone", "+"), ("--phone", "1 ext. x"),
      ("--phone", "12\n34"), ("--recipient", "age1xyz"),
      ("--recipient", "AGE-SECRET-KEY-1QQQ"), ("--recipient", "ssh-ed25519 AAAA"),
      ("--relationship", String(repeating: "x", count: 1025)), ("--name", " \t "),
    ])
  func `what cannot be kept is refused, and what can be is said`(
    option: String, value: String
  ) throws {
    try home.done("beneficiary", "add", "Zoe")
    let message = try home.refusal(.usage, "beneficiary", "edit", "Zoe", option, value)
    expect(message.contains("hint:") || message.contains("at most 1024"), "\(message)")
  }

  // MARK: Two of one name

  /// Two people of one name: the id of the first.
  private func twins() throws -> String {
    let first = try home.done("beneficiary", "add", "Jo Lee", "-q").dropLast()
    let second = try home.run("beneficiary", "add", "JO LEE", "--relationship", "son")
    expect(second.code, is: .ok)
    // The other is named, so that nobody is added twice unawares.
    expect(second.err.contains(first))
    return String(first)
  }

  @Test func `people of one name are two, and an id tells them apart`() throws {
    let first = try twins()
    let message = try home.refusal(.notFound, "beneficiary", "show", "jo lee", "--json")
    expect(message.contains("\"kind\":\"ambiguous\"") && message.contains(first))
    expect(try home.done("beneficiary", "show", first).contains("Jo Lee"))
    try home.done("beneficiary", "edit", first, "--name", "Jo Lee sen.", "-q")
    expect(try home.done("beneficiary", "show", "jo lee").contains("son"))
  }

  @Test func `the list is searched, sorted and cut`() throws {
    try home.done("beneficiary", "edit", try twins(), "--name", "Jo Lee sen.", "-q")
    try expect(home.strings("name", "beneficiary", "list", "--search", "SON"), is: ["JO LEE"])
    let reversed = try home.strings("name", "beneficiary", "list", "--sort", "name", "--reverse")
    expect(reversed, is: ["Jo Lee sen.", "JO LEE"])
    let one = try home.done("beneficiary", "list", "--sort", "updated", "--limit", "1", "--ndjson")
    expect(one.split(separator: "\n").count, is: 1)
    let plain = try home.done("beneficiary", "list", "--search", "SON", "--plain")
    expect(plain.split(separator: "\t", omittingEmptySubsequences: false)[1], is: "JO LEE")
    try expect(home.run("beneficiary", "list", "--search", "nobody", "--exit-code").code, is: .none)
  }

  // MARK: From vCards

  /// Ann, a card without a name, and Bob.
  private func cards() throws -> String {
    try home.write(
      card("FN:Ann Lee", "UID:1", "EMAIL:ann@x.org", "NOTE:old") + card("EMAIL:nobody@x.org")
        + card("FN:Bob"), as: "a.vcf")
  }

  @Test func `a dry run of an import says who would be added, and makes nothing`() throws {
    let run = try home.run("beneficiary", "import", try cards(), "--dry-run")
    expect(run.code, is: .partial)
    expect(run.lines.contains("Would add 'Ann Lee'"))
    expect(home.files(below: ".local/share").isEmpty)
  }

  @Test func `vCards add people, and a card without a name is reported by its line`() throws {
    let run = try home.run("beneficiary", "import", try cards())
    expect(run.code, is: .partial)
    expect(
      run.err.contains(
        "the card on line 8 is skipped: it names neither a person nor an organisation"))
    expect(run.err.contains("2 added, 0 updated, 0 unchanged, 1 skipped."))
    try expect(Set(names()), is: ["Ann Lee", "Bob"])
  }

  @Test func `the same vCards again change nothing`() throws {
    let path = try cards()
    _ = try home.run("beneficiary", "import", path)
    let before = try person("Bob")
    let again = try home.run("beneficiary", "import", path)
    expect(again.code, is: .partial)
    expect(again.out.isEmpty)
    expect(again.err.contains("0 added, 0 updated, 2 unchanged, 1 skipped"))
    try expect(person("Bob"), is: before)
  }

  @Test func `vCards are read from standard input`() throws {
    let real = try ProgramStore()
    try real.done("beneficiary", "import", "-", input: card("FN:Ann Lee", "UID:1"))
    try expect(real.strings("name", "beneficiary", "list"), is: ["Ann Lee"])
  }

  @Test func `of two cards with one UID the later counts, and what was added by hand stays`() throws
  {
    _ = try home.run("beneficiary", "import", try cards())
    try home.done("beneficiary", "edit", "Ann Lee", "--relationship", "niece", "-q")
    let later = try home.write(
      card("FN:Ann Smith", "UID:1", "TEL:5") + card("FN:Ann Brown", "UID:1", "TEL:6"), as: "b.vcf")
    let run = try home.run("beneficiary", "import", later)
    expect(run.code, is: .ok)
    expect(
      run.err.contains(
        "the card on line 1 is skipped: the card on line 7 has the same UID, and counts"))
    expect(run.out.contains("  name  Ann Lee → Ann Brown\n"))
    expect(run.out.contains("  phone  none → 6\n"))
    let ann = try person("Ann Brown")
    expect(ann["relationship"] == "niece" && ann["revision"] == 3)
    try expect(names().count, is: 2)
    try home.done("verify", "-q")
  }

  @Test func `an empty file of cards is an empty answer`() throws {
    try expect(home.json("beneficiary", "import", try home.write("", as: "empty.vcf")), is: [])
  }

  @Test func `an import that was killed goes on where it stopped`() throws {
    try ProgramStore().walk(
      """
      for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        printf 'BEGIN:VCARD\\nFN:Same\\nTEL:%s\\nEND:VCARD\\n' $number
        printf 'BEGIN:VCARD\\nFN:Same\\nUID:%s\\nEND:VCARD\\n' $number
      done > many.vcf
      for moment in 0.1 0.2 0.4; do
        $capsule beneficiary import many.vcf -q > /dev/null 2>&1 & import=$!
        sleep $moment
        kill -9 $import 2>/dev/null || true
        wait $import 2>/dev/null || true
      done
      $capsule beneficiary import many.vcf -q > /dev/null 2>&1
      test "$($capsule beneficiary list --plain | wc -l)" -eq 40
      $capsule beneficiary import many.vcf 2>&1 | grep -q '0 added, 0 updated, 40 unchanged'
      $capsule verify -q
      """)
  }

  @Test func `a person added by hand is linked to a card by its UID`() throws {
    let id = try home.done("beneficiary", "add", "Ann", "--notes", "mine", "-q").dropLast()
    let path = try home.write(card("FN:Ann", "UID:u-1", "TEL:5"), as: "a.vcf")
    let dry = try home.run("beneficiary", "import", path, "--dry-run")
    expect((dry.out + dry.err).contains("edit \(id) --card-uid UID"))
    let linked = try home.done("beneficiary", "edit", String(id), "--card-uid", "u-1")
    expect(linked.contains("card UID  none → u-1"))
    expect(try home.done("beneficiary", "import", path).contains("Updated 'Ann' \(id)"))
    let ann = try person("Ann")
    expect(ann["notes"] == "mine" && ann["phone"] == "5")
  }

  @Test func `who is deleted does not come back beside another with the card's UID`() throws {
    let id = try home.done("beneficiary", "add", "Ann", "-q").dropLast()
    try home.done("beneficiary", "edit", String(id), "--card-uid", "u-1")
    try home.done("beneficiary", "delete", "Ann", "--yes", "-q")
    try home.done(
      "beneficiary", "import", try home.write(card("FN:Ann", "UID:u-1"), as: "a.vcf"), "-q")
    let refused = try home.run("restore", String(id))
    expect(refused.code != .ok)
    expect(refused.err.contains("another person has the card's UID"))
  }

  @Test func `a card whose UID several people have changes none of them`() throws {
    let path = try home.write(card("FN:Ann", "UID:u-1"), as: "a.vcf")
    try home.done("beneficiary", "import", path, "-q")
    let id = String(try home.done("beneficiary", "add", "Bob", "-q").dropLast())
    try home.done("beneficiary", "edit", id, "--card-uid", "u-1", "-q")
    let several = try home.run("beneficiary", "import", path)
    expect(several.code, is: .partial)
    expect(several.err.contains("several people are linked to its UID"))
    try home.done("beneficiary", "edit", id, "--card-uid", "", "-q")
    expect(try home.run("beneficiary", "import", path).err.contains("1 unchanged"))
  }

  @Test func `a person whose record is damaged is not changed by a card`() throws {
    try home.done(
      "beneficiary", "import", try home.write(card("FN:Ann", "UID:1"), as: "a.vcf"), "-q")
    let id = try require(try person("Ann")["id"]?.string)
    try home.replace("\"notes\": \"\"", with: "\"notes\": \"by hand\"", in: try home.record(id))
    let path = try home.write(card("FN:Bea", "UID:1") + card("FN:Cy"), as: "b.vcf")
    let run = try home.run("beneficiary", "import", path)
    expect(run.code, is: .partial)
    expect(run.err.contains("cannot be changed"))
    expect(try home.text(of: try home.record(id)).contains("by hand"))
    try expect(home.run("beneficiary", "list", "--plain").lines.count, is: 2)
    // Once a repair has accepted what was written by hand, the card counts.
    try home.done("repair", "--accept", id)
    try home.done("beneficiary", "import", path)
    try expect(person("Bea")["notes"], is: "by hand")
  }

  @Test(arguments: [["list"], ["show"]])
  func `whatever a card calls a person, a terminal is only shown it`(words: [String]) throws {
    let hostile = "\u{1b}[2J\u{9b}31m\u{202e}evil\u{7}"
    let text = card("FN:\(hostile)", "EMAIL:\(hostile)", "URL:\(hostile)", "NOTE:\(hostile)")
    try home.done("beneficiary", "import", try home.write(text, as: "hostile.vcf"))
    home.columns = 200
    let screen = try home.run(["beneficiary"] + words + (words == ["show"] ? [hostile] : []))
      .out
    expect(screen.contains(#"\u{1b}[2J\u{9b}31m\u{202e}evil\u{7}"#), "\(screen)")
    expect(!screen.contains("\u{1b}[2J") && !screen.contains("\u{202e}"))
  }
}
