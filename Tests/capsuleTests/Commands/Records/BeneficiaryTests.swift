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

  /// A recipient of a key that is made for it.
  private func recipient() throws -> String {
    let key = try home.done("keygen")
    let line = try require(key.split(separator: "\n").first { $0.hasPrefix("# public key: ") })
    return String(line.dropFirst("# public key: ".count))
  }

  // MARK: By hand

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

  @Test func `a text that is too long is refused`() throws {
    try home.done("beneficiary", "add", "Zoe")
    let long = String(repeating: "x", count: 1025)
    let message = try home.refusal(.usage, "beneficiary", "edit", "Zoe", "--relationship", long)
    expect(message.contains("at most 1024"), "\(message)")
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

  // MARK: From vCards

  @Test func `vCards are read from standard input`() throws {
    let real = try ProgramStore()
    try real.done("beneficiary", "import", "-", input: card("FN:Ann Lee", "UID:1"))
    try expect(real.strings("name", "beneficiary", "list"), is: ["Ann Lee"])
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
}
