import CapsuleCore
import Testing

/// People on the real program, by hand and from vCards.
@Suite struct BeneficiaryTests {
  /// Runs a script that ends with 0 when every step does what it says.
  private func walk(_ script: String, in folder: TemporaryFolder) throws -> ProgramRun.Result {
    var run = ProgramRun(
      shell: "set -eu\ncd \(folder.path)\n" + script,
      environment: [
        "CAPSULE_STORE": folder.path + "/store", "HOME": folder.path, "TZ": "Europe/Paris",
        "PATH": "/usr/bin:/bin",
      ])
    run.timeLimit = 60
    let result = try run.result()
    #expect(result.end == .exited(0), "\(result.out)\n\(result.err)")
    return result
  }

  @Test func `a person is added, found, edited in every field, deleted and brought back`() throws {
    let folder = try TemporaryFolder()
    let result = try walk(
      """
      test "$($capsule beneficiary list --json)" = '[]'
      test ! -e store
      key() { $capsule keygen 2>/dev/null | sed -n 's/.*public key: //p'; }
      one=$(key); two=$(key)
      $capsule beneficiary add 'Zo\u{eb} Martin' --relationship daughter --email zoe@example.org \\
        --phone '+33 6 12 34 56 78' --contact 'Signal, daily' --recipient $one --notes 'likes cats'
      $capsule beneficiary edit 'ZOE\u{308} MARTIN' --name Zo --relationship niece --email z@x.org \\
        --phone '0113 496 0000 ext. 5' --contact 'By post' --recipient $two --notes 'likes dogs' \\
        > told
      sed "s/$one/ONE/; s/$two/TWO/" told
      $capsule beneficiary edit Zo --notes 'likes dogs' 2>&1 >/dev/null | grep -q 'Nothing changed'
      if $capsule beneficiary edit Zo 2>/dev/null; then exit 99; fi
      for field in email phone contact recipient notes relationship; do
        $capsule beneficiary edit Zo --$field '' -q > /dev/null
      done
      $capsule beneficiary show Zo | sed 1,2d
      $capsule beneficiary delete Zo --yes
      if $capsule beneficiary show Zo 2>/dev/null; then exit 99; fi
      $capsule restore Zo
      $capsule verify -q
      """, in: folder)
    for line in [
      "  name  Zoë Martin → Zo\n", "  relationship  daughter → niece\n",
      "  email  zoe@example.org → z@x.org\n",
      "  phone  +33 6 12 34 56 78 → 0113 496 0000 ext. 5\n", "  contact  Signal, daily → By post\n",
      "  recipient  ONE → TWO\n", "  notes  likes cats → likes dogs\n", "Restored 'Zo'",
    ] {
      #expect(result.out.contains(line), "\(line) is not in \(result.out)")
    }
    // All fields are gone but the name and the id.
    let shown = result.out.split(separator: "\n").filter { $0.hasPrefix("Email ") }
    #expect(shown.isEmpty)
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
    let folder = try TemporaryFolder()
    let environment = ["CAPSULE_STORE": folder.path + "/store"]
    #expect(
      try ProgramRun("beneficiary", "add", "Zoe", environment: environment).result().end
        == .exited(0))
    let result = try ProgramRun(
      "beneficiary", "edit", "Zoe", option, value, environment: environment
    ).result()
    #expect(result.end == .exited(2))
    #expect(result.err.contains("hint:") || result.err.contains("at most 1024"), "\(result.err)")
  }

  @Test func `people of one name are two, and an id tells them apart`() throws {
    let folder = try TemporaryFolder()
    _ = try walk(
      """
      first=$($capsule beneficiary add 'Jo Lee' -q)
      $capsule beneficiary add 'JO LEE' --relationship son 2>&1 >/dev/null | grep -q "$first"
      code=0; $capsule beneficiary show 'jo lee' --json 2> told || code=$?
      test $code -eq 5
      grep -q '"kind":"ambiguous"' told
      grep -q "$first" told
      $capsule beneficiary show $first | grep -q 'Jo Lee'
      $capsule beneficiary edit $first --name 'Jo Lee sen.' -q
      $capsule beneficiary show 'jo lee' | grep -q son
      $capsule beneficiary list --search SON --plain | cut -f2 | grep -qx 'JO LEE'
      test "$($capsule beneficiary list --sort name --reverse --plain | cut -f2 | head -1)" \\
        = 'Jo Lee sen.'
      test "$($capsule beneficiary list --sort updated --limit 1 --ndjson | wc -l)" -eq 1
      code=0; $capsule beneficiary list --search nobody --exit-code || code=$?
      test $code -eq 1
      """, in: folder)
  }

  @Test func `vCards add people once, then update them, and a bad one is told by its line`() throws
  {
    let folder = try TemporaryFolder()
    let result = try walk(
      """
      card() { printf 'BEGIN:VCARD\\r\\nVERSION:3.0\\r\\n%b\\r\\nEND:VCARD\\r\\n' "$1"; }
      card 'FN:Ann Lee\\r\\nUID:1\\r\\nEMAIL:ann@x.org\\r\\nNOTE:old' > a.vcf
      card 'EMAIL:nobody@x.org' >> a.vcf
      card 'FN:Bob' >> a.vcf
      code=0; $capsule beneficiary import a.vcf --dry-run > dry 2>/dev/null || code=$?
      test $code -eq 3
      test ! -e store
      grep -qx 'Would add Ann Lee' dry
      code=0; $capsule beneficiary import a.vcf 2> told || code=$?
      test $code -eq 3
      cat told
      $capsule beneficiary edit 'Ann Lee' --relationship niece -q
      $capsule beneficiary show Bob --json > before
      code=0; $capsule beneficiary import - < a.vcf > again 2> told || code=$?
      test $code -eq 3
      test ! -s again
      grep -q '0 added, 0 updated, 2 unchanged, 1 skipped' told
      $capsule beneficiary show Bob --json | cmp - before
      card 'FN:Ann Smith\\r\\nUID:1\\r\\nTEL:5' > b.vcf
      card 'FN:Ann Brown\\r\\nUID:1\\r\\nTEL:6' >> b.vcf
      $capsule beneficiary import b.vcf 2>&1
      $capsule beneficiary show 'Ann Brown' | grep -q niece
      $capsule beneficiary show 'Ann Brown' --json | grep -q '"revision":3'
      test "$($capsule beneficiary list --plain | wc -l)" -eq 2
      : > empty.vcf
      test "$($capsule beneficiary import empty.vcf --json)" = '[]'
      $capsule verify -q
      """, in: folder)
    for line in [
      "the card on line 8 is skipped: it names neither a person nor an organisation",
      "2 added, 0 updated, 0 unchanged, 1 skipped.",
      "the card on line 1 is skipped: the card on line 7 has the same UID, and counts",
      "  name  Ann Lee → Ann Brown\n", "  phone  none → 6\n",
    ] {
      #expect(result.out.contains(line), "\(line) is not in \(result.out)")
    }
  }

  @Test func `an import that was killed goes on where it stopped`() throws {
    let folder = try TemporaryFolder()
    _ = try walk(
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
      """, in: folder)
  }

  @Test func `a person added by hand is linked to a card by its UID`() throws {
    let folder = try TemporaryFolder()
    _ = try walk(
      """
      id=$($capsule beneficiary add Ann --notes mine -q)
      printf 'BEGIN:VCARD\\nFN:Ann\\nUID:u-1\\nTEL:5\\nEND:VCARD\\n' > a.vcf
      $capsule beneficiary import a.vcf --dry-run 2>&1 | grep -q "edit $id --card-uid UID"
      $capsule beneficiary edit $id --card-uid u-1 | grep -q 'cardUID  none → u-1'
      $capsule beneficiary import a.vcf | grep -q "Updated Ann $id"
      $capsule beneficiary show Ann --json | grep -q '"notes":"mine".*"phone":"5"'
      $capsule beneficiary delete Ann --yes -q
      $capsule beneficiary import a.vcf -q
      if $capsule restore $id 2> told; then exit 99; fi
      grep -q "another person has the card's UID" told
      id=$($capsule beneficiary add Bob -q)
      $capsule beneficiary edit $id --card-uid u-1 -q
      code=0; $capsule beneficiary import a.vcf 2> told || code=$?
      test $code -eq 3
      grep -q 'several people are linked to its UID' told
      $capsule beneficiary edit $id --card-uid '' -q
      $capsule beneficiary import a.vcf 2>&1 | grep -q '1 unchanged'
      """, in: folder)
  }

  @Test func `a person whose record is damaged is not changed by a card`() throws {
    let folder = try TemporaryFolder()
    _ = try walk(
      """
      printf 'BEGIN:VCARD\\nFN:Ann\\nUID:1\\nEND:VCARD\\n' > a.vcf
      $capsule beneficiary import a.vcf -q
      sed -i.bak 's/"notes": ""/"notes": "by hand"/' store/beneficiaries/*/*.json
      rm store/beneficiaries/*/*.bak
      printf 'BEGIN:VCARD\\nFN:Bea\\nUID:1\\nEND:VCARD\\nBEGIN:VCARD\\nFN:Cy\\nEND:VCARD\\n' > b.vcf
      code=0; $capsule beneficiary import b.vcf 2> told || code=$?
      test $code -eq 3
      grep -q "cannot be changed" told
      grep -q 'by hand' store/beneficiaries/*/*.json
      test "$($capsule beneficiary list --plain 2>/dev/null | wc -l)" -eq 2
      $capsule repair --yes > /dev/null 2>&1 || $capsule repair > /dev/null
      $capsule beneficiary import b.vcf 2>/dev/null
      $capsule beneficiary show Bea | grep -q 'by hand'
      """, in: folder)
  }

  @Test func `whatever a card calls a person, a terminal is only shown it`() throws {
    let folder = try TemporaryFolder()
    let environment = ["CAPSULE_STORE": folder.path + "/store", "TERM": "xterm"]
    var run = ProgramRun("beneficiary", "import", "-", environment: environment)
    let hostile = "\u{1b}[2J\u{9b}31m\u{202e}evil\u{7}"
    run.input = Array(
      """
      BEGIN:VCARD
      FN:\(hostile)
      EMAIL:\(hostile)
      URL:\(hostile)
      NOTE:\(hostile)
      END:VCARD
      """.utf8)
    #expect(try run.result().end == .exited(0))
    for words in [["list"], ["show", hostile]] {
      var run = ProgramRun(environment: environment)
      run.arguments = (["beneficiary"] + words).map { Array($0.utf8) }
      let text = try TerminalRun(run, columns: 200).finish().out
      #expect(text.contains(#"\u{1b}[2J\u{9b}31m\u{202e}evil\u{7}"#), "\(text)")
      #expect(!text.contains("\u{1b}[2J") && !text.contains("\u{202e}"))
    }
  }
}
