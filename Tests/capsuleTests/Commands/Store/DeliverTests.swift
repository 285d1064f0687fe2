import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Deliveries that other programs open, and two at a time, with the real program.
@Suite struct DeliverProgramTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  /// Runs a script that ends with 0 when every step does what it says. Mia and Jonas are there, a ring
  /// with a picture, and a house; nothing is left to anybody yet.
  @discardableResult
  private func walk(_ script: String) throws -> ProgramRun.Result {
    try home.walk(
      """
      quietly() { "$@" > /dev/null 2>&1; }
      # Ends with 0 when the rest ends with the code given.
      ends() { code=$1; shift; got=0; "$@" > told 2>&1 || got=$?; cat told; test $got -eq $code; }
      printf 'GIF89a\\003\\000\\002\\000\\000\\000\\000,\\000\\000\\000\\000\\003\\000\\002\\000\\000\\002\\001x' \\
        > ring.gif
      $capsule beneficiary add Mia -q > mia
      $capsule beneficiary add Jonas -q > jonas
      quietly $capsule item add Ring
      quietly $capsule item attach Ring ring.gif --title Front
      quietly $capsule item add House
      \(script)
      """)
  }

  @Test(.enabled(if: OtherPrograms.areExpected("age", "python3"), "age is not installed"))
  func `a capsule sealed to recipients opens with what the page says to type`() throws {
    try walk(
      """
      $capsule keygen -o id.txt; recipient=$($capsule keygen -y id.txt)
      quietly $capsule create 'Bank "papers"' -u 2090-01-01 -r $recipient --text 'The number is 7' ring.gif
      quietly $capsule bequeath 'Bank "papers"' --to Mia --access immediate
      $capsule deliver -o out
      python3 - out/Mia/index.html <<'P' > commands
      import html, re, sys
      page = open(sys.argv[1]).read()
      for command in re.findall('<code class="command">(.*?)</code>', page): print(html.unescape(command))
      P
      test "$(wc -l < commands)" -eq 1
      grep -F "$(cat commands | sed 's/&/\\&amp;/g; s/"/\\&quot;/g')" 'out/Mia/sealed/Bank _papers_/READ-ME-FIRST.html'
      ! grep -F '<script' 'out/Mia/sealed/Bank _papers_/READ-ME-FIRST.html'
      grep -F "$(sed -n 1p commands)" out/Mia/letter.txt
      cp id.txt 'out/Mia/sealed/Bank _papers_/identity.txt'
      (cd 'out/Mia/sealed/Bank _papers_'; sh -eu ../../../../commands)
      test "$(jq -r .text 'out/Mia/sealed/Bank _papers_/text-1.details')" = 'The number is 7'
      test "$(jq -r .name 'out/Mia/sealed/Bank _papers_/image-2.details')" = ring.gif
      cmp ring.gif 'out/Mia/sealed/Bank _papers_/image-2'
      # With the identity it goes in the clear, once its time has come.
      quietly $capsule create Due -u 2020 --allow-past -r $recipient --text clear
      quietly $capsule bequeath Due --to Jonas --access immediate
      $capsule deliver Jonas -o sealed; test -f sealed/Jonas/sealed/Due/key.age
      $capsule deliver Jonas -o clear --identity id.txt; test "$(cat clear/Jonas/files/text-1.txt)" = clear
      $capsule deliver Mia -o still --identity id.txt; test -d still/Mia/sealed
      """)
  }

  @Test(.enabled(if: OtherPrograms.areExpected("jq", "python3"), "python3 is not installed"))
  func
    `a capsule sealed to a post-quantum key opens with what the page says, and it says what it takes`()
    throws
  {
    try walk(
      """
      $capsule keygen --pq -o id.txt; recipient=$($capsule keygen -y id.txt)
      quietly $capsule create Papers -u 2090-01-01 -r $recipient --text 'The number is 7' ring.gif
      quietly $capsule bequeath Papers --to Mia --access immediate
      $capsule deliver -o out
      for file in index.html letter.txt; do
        tr '\\n' ' ' < out/Mia/$file | tr -s ' ' > said
        grep -F 'version 1.3 or later' said
        grep -F 'AGE-SECRET-KEY-PQ-1' said
        grep -F 'age-plugin-pq -identity -o key.plugin key.txt' said
      done
      python3 - out/Mia/index.html <<'P' > commands
      import html, re, sys
      page = open(sys.argv[1]).read()
      for command in re.findall('<code class="command">(.*?)</code>', page): print(html.unescape(command))
      P
      test "$(wc -l < commands)" -eq 1
      # The program's own filter for an age of version 1.3.
      sed -i "s#age -d -i#$capsule unseal -i#g" commands
      cp id.txt out/Mia/sealed/Papers/identity.txt
      (cd out/Mia/sealed/Papers; sh -eu ../../../../commands)
      test "$(jq -r .text out/Mia/sealed/Papers/text-1.details)" = 'The number is 7'
      cmp ring.gif out/Mia/sealed/Papers/image-2
      """)
  }

  @Test(.enabled(if: OtherPrograms.areExpected("age", "python3"), "age is not installed"))
  func `a timelock opens with what the page says, and with a kept beacon goes in the clear`() throws
  {
    let beacon = TimelockFixture.signature
    // A passphrase takes a debug build seconds.
    let titles = TestScale.isFull ? "Alone Both Words" : "Alone Both"
    try walk(
      """
      mkdir -p .config/capsule; echo http://127.0.0.1:1/nobody > .config/capsule/relays
      echo \(beacon) > beacon
      $capsule keygen -o id.txt; recipient=$($capsule keygen -y id.txt)
      at='-u \(TimelockFixture.time) --allow-past --timelock --text secret'
      quietly $capsule create Alone $at
      quietly $capsule create Both $at -r $recipient
      printf 'a long passphrase' > pass
      \(TestScale.isFull ? "quietly $capsule create Words $at --passphrase-file pass" : "")
      for title in \(titles); do quietly $capsule bequeath $title --to Mia --access immediate; done
      $capsule deliver -o out
      for title in \(titles); do
        python3 - out/Mia/index.html $title <<'P' > commands
      import html, re, sys
      page = open(sys.argv[1]).read()
      article = next(a for a in page.split('<article')[1:] if f'>{sys.argv[2]}</h2>' in a)
      for command in re.findall('<code class="command">(.*?)</code>', article): print(html.unescape(command))
      P
        # The program's own filter for tle, which asks the network, and for age's question.
        sed -i "s#^tle -d#$capsule unseal --beacon $PWD/beacon#" commands
        sed -i "s#age -d -o key.txt#$capsule unseal --passphrase-file $PWD/pass -o key.txt#" commands
        # And for an age that knows the post-quantum key of a capsule behind a passphrase.
        test $title != Words || sed -i "s#age -d -i#$capsule unseal -i#g" commands
        cp id.txt out/Mia/sealed/$title/identity.txt
        (cd out/Mia/sealed/$title; sh -eu ../../../../commands)
        test "$(jq -r .text out/Mia/sealed/$title/text-1.details)" = secret
      done
      quietly $capsule open Alone --beacon beacon
      $capsule deliver -o kept
      test "$(cat kept/Mia/files/text-1.txt)" = secret
      test "$(ls kept/Mia/sealed | tr '\\n' ' ')" = "$(echo '\(titles) ' | cut -c 7-)"
      """)
  }

  @Test(.enabled(if: OtherPrograms.areExpected("age", "python3"), "age is not installed"))
  func `sealed to a person it is one file that age and tar open to the same folder`() throws {
    try walk(
      """
      $capsule keygen -o id.txt; recipient=$($capsule keygen -y id.txt)
      long=$(printf 'n%.0s' $(seq 150))
      printf long > "$long.txt"; printf u > 'Größe \u{2068}שלום.txt'
      quietly $capsule item attach Ring "$long.txt" 'Größe \u{2068}שלום.txt'
      quietly $capsule bequeath Ring --to Mia --access immediate
      quietly $capsule bequeath House --to Jonas --access immediate
      ends 12 $capsule deliver -o none --seal
      grep -q "'Mia' has no age recipient" told; test ! -e none
      quietly $capsule beneficiary edit Mia --recipient $recipient
      ends 3 $capsule deliver -o out --seal
      grep -q "'Jonas' has no age recipient" told
      test "$(ls -A out)" = Mia.tar.age
      $capsule deliver Mia -o plain
      age -d -i id.txt out/Mia.tar.age > Mia.tar
      mkdir gnu py bsd
      tar -xf Mia.tar -C gnu; diff -r plain gnu
      python3 -c 'import tarfile; tarfile.open("Mia.tar").extractall("py", filter="data")' \\
        || python3 -c 'import tarfile; tarfile.open("Mia.tar").extractall("py")'
      diff -r plain py
      if command -v bsdtar > /dev/null; then LC_ALL=C.UTF-8 bsdtar -xf Mia.tar -C bsd; diff -r plain bsd; fi
      tar -tvf Mia.tar --numeric-owner | grep -q '^drwxr-xr-x 0/0 .* Mia/$'
      tar -tvf Mia.tar --numeric-owner | grep -q '^-rw-r--r-- 0/0 .* Mia/index.html$'
      ends 12 $capsule deliver Mia -o out --seal
      """)
  }

  @Test func `of two deliveries at a time one makes the folder, and the other is refused`() throws {
    try walk(
      """
      quietly $capsule bequeath Ring --to Mia --access immediate
      for turn in 1 2 3; do
        $capsule deliver -o out$turn -q > one 2>&1 & first=$!
        $capsule deliver -o out$turn -q > two 2>&1 & second=$!
        codes=0
        wait $first || codes=$((codes + $?))
        wait $second || codes=$((codes + $?))
        test $codes -eq 12
        test "$(ls -A out$turn)" = Mia
        cmp ring.gif out$turn/Mia/files/ring.gif
      done
      """)
  }
}
