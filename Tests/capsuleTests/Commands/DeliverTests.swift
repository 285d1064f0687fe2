import CapsuleCore
import Foundation
import Testing

/// What people receive, with the real program; the page in a browser is `Scripts/check-page`.
@Suite struct DeliverTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  /// Runs a script that ends with 0 when every step does what it says. Mia and Jonas are there, a ring
  /// with a picture, and a house; nothing is left to anybody yet.
  @discardableResult
  private func walk(_ script: String) throws -> ProgramRun.Result {
    let result = try home.shell(
      """
      set -eu
      quietly() { "$@" > /dev/null 2>&1; }
      # Ends with 0 when the rest ends with the code given.
      ends() { code=$1; shift; got=0; "$@" > told 2>&1 || got=$?; cat told; test $got -eq $code; }
      printf 'GIF89a\\003\\000\\002\\000\\000\\000\\000,\\000\\000\\000\\000\\003\\000\\002\\000\\000\\002\\001x' \\
        > ring.gif
      $capsule beneficiary add Mia -q > mia
      $capsule beneficiary add Jonas -q > jonas
      $capsule settings set owner 'Anna Berg' -q
      quietly $capsule item add Ring --value 'EUR 1200' --location Safe --description 'From 1912'
      quietly $capsule item attach Ring ring.gif --title Front
      quietly $capsule item add House
      \(script)
      """)
    #expect(result.end == .exited(0), "\(result.out)\n\(result.err)")
    return result
  }

  @Test func `a dry run shows exactly what would go to whom, and makes nothing`() throws {
    let result = try walk(
      """
      quietly $capsule bequeath Ring --to Mia --message 'For you'
      quietly $capsule bequeath House --to Jonas --access-after 2090-01-01
      $capsule deliver --dry-run -o out --json > dry.json
      $capsule deliver --dry-run -o out
      test ! -e out
      $capsule deliver -o out --json > made.json
      jq -S 'map(.state = "" | .path = "")' dry.json > a
      jq -S 'map(.state = "" | .path = "")' made.json > b
      cmp a b
      jq -r '.[].gifts[].files[].path' made.json | while read -r file; do test -f "out/Mia/$file"; done
      """)
    #expect(result.out.contains("Mia would receive 1 gift, 1 file, 26 B in 'out/Mia'"))
    #expect(result.out.contains("files/ring.gif  image/gif, 26 B, 3 × 2"))
    #expect(!result.out.contains("Jonas"))
  }

  @Test func `a folder holds the page, the letter and the files byte for byte`() throws {
    try walk(
      """
      quietly $capsule bequeath Ring --to Mia --message 'For you, <b>Mia</b>'
      touch -d 2020-02-29T12:00:00Z old.txt; printf old > old.txt.2; touch -d 2020-02-29T12:00:00Z old.txt.2
      quietly $capsule item attach Ring old.txt.2
      $capsule deliver Mia -o deep/out
      test "$(cd deep/out; find . | sort | tr '\\n' ' ')" \\
        = '. ./Mia ./Mia/files ./Mia/files/old.txt.2 ./Mia/files/ring.gif ./Mia/index.html ./Mia/letter.txt '
      cmp ring.gif deep/out/Mia/files/ring.gif
      test "$(stat -c %Y deep/out/Mia/files/old.txt.2)" = "$(stat -c %Y old.txt.2)"
      test "$(stat -c %a deep/out/Mia)" = 700
      test "$(stat -c %a deep/out/Mia/files/ring.gif)" = 600
      grep -q '<img src="files/ring.gif" alt="Front" loading="eager" width="3" height="2">' deep/out/Mia/index.html
      grep -q 'For you, &lt;b&gt;Mia&lt;/b&gt;' deep/out/Mia/index.html
      grep -q 'For you, <b>Mia</b>' deep/out/Mia/letter.txt
      grep -q 'from Anna Berg' deep/out/Mia/letter.txt
      if grep -r 1200 deep/out; then exit 99; fi
      $capsule deliver Mia -o worth --with-values
      grep -q 'EUR 1200.00' worth/Mia/index.html
      grep -q 'Value: EUR 1200.00' worth/Mia/letter.txt
      test "$($capsule bequest list --json | jq -r '.[].state')" = notSent
      """)
  }

  @Test func `what is locked by honor stays sealed, and is named with its date`() throws {
    try walk(
      """
      quietly $capsule create Later -u '2090-01-01 00:00' --text hidden
      quietly $capsule create Now -u 2020 --allow-past --text 'Read me' ring.gif
      quietly $capsule bequeath Later --to Mia
      quietly $capsule bequeath Now --to Mia
      $capsule deliver -o out --mark-sent > told
      grep -q 'Later, not yet: sealed until Sun 1 Jan 2090' told
      grep -q 'Later</bdi><span> · sealed until Sun 1 Jan 2090' out/Mia/index.html
      grep -q -- '- Later: sealed until Sun 1 Jan 2090' out/Mia/letter.txt
      if grep -r hidden out; then exit 99; fi
      grep -q 'Read me' out/Mia/index.html
      grep -q 'Read me' out/Mia/letter.txt
      test "$(cat out/Mia/files/text-1.txt)" = 'Read me'
      cmp ring.gif out/Mia/files/ring.gif
      # To deliver is not to open.
      test "$($capsule show Now --json | jq .openedAt)" = null
      test "$($capsule bequest list --json | jq -r '.[] | .subject.title + " " + .state' | sort | tr '\\n' ,)" \\
        = 'Later notSent,Now sent,'
      # Only what is locked is left: no folder is made for it.
      $capsule deliver -o again > told
      grep -q 'Nothing yet for Mia' told
      test ! -e again
      """)
  }

  @Test(.enabled(if: OtherPrograms.areExpected("age", "python3"), "age is not installed"))
  func `a capsule sealed to recipients opens with what the page says to type`() throws {
    try walk(
      """
      $capsule keygen -o id.txt; recipient=$($capsule keygen -y id.txt)
      quietly $capsule create 'Bank "papers"' -u 2090-01-01 -r $recipient --text 'The number is 7' ring.gif
      quietly $capsule bequeath 'Bank "papers"' --to Mia
      $capsule deliver -o out
      python3 - out/Mia/index.html <<'P' > commands
      import html, re, sys
      page = open(sys.argv[1]).read()
      for command in re.findall('<code class="command">(.*?)</code>', page): print(html.unescape(command))
      P
      test "$(wc -l < commands)" -eq 4
      grep -F "$(sed -n 1p commands)" out/Mia/letter.txt
      cp id.txt 'out/Mia/sealed/Bank _papers_/identity.txt'
      (cd 'out/Mia/sealed/Bank _papers_'; sh -eu ../../../../commands)
      test "$(jq -r .text 'out/Mia/sealed/Bank _papers_/text-1.json')" = 'The number is 7'
      test "$(jq -r .name 'out/Mia/sealed/Bank _papers_/image-2.json')" = ring.gif
      cmp ring.gif 'out/Mia/sealed/Bank _papers_/image-2'
      # With the identity it goes in the clear, once its time has come.
      quietly $capsule create Due -u 2020 --allow-past -r $recipient --text clear
      quietly $capsule bequeath Due --to Jonas
      $capsule deliver Jonas -o sealed; test -f sealed/Jonas/sealed/Due/key.age
      $capsule deliver Jonas -o clear --identity id.txt; test "$(cat clear/Jonas/files/text-1.txt)" = clear
      $capsule deliver Mia -o still --identity id.txt; test -d still/Mia/sealed
      """)
  }

  @Test(.enabled(if: OtherPrograms.areExpected("age", "python3"), "age is not installed"))
  func `a timelock opens with what the page says, and with a kept beacon goes in the clear`() throws
  {
    let beacon = TimelockFixture.signature
    // A passphrase takes a debug build seconds.
    let isFull = ProcessInfo.processInfo.environment["CAPSULE_TEST_SCALE"] == "full"
    let titles = isFull ? "Alone Both Words" : "Alone Both"
    try walk(
      """
      mkdir -p .config/capsule; echo http://127.0.0.1:1/nobody > .config/capsule/relays
      echo \(beacon) > beacon
      $capsule keygen -o id.txt; recipient=$($capsule keygen -y id.txt)
      at='-u \(TimelockFixture.time) --allow-past --timelock --text secret'
      quietly $capsule create Alone $at
      quietly $capsule create Both $at -r $recipient
      printf 'a long passphrase' > pass
      \(isFull ? "quietly $capsule create Words $at --passphrase-file pass" : "")
      for title in \(titles); do quietly $capsule bequeath $title --to Mia; done
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
        sed -i "s#^age -d -o key.txt#$capsule unseal --passphrase-file $PWD/pass -o key.txt#" commands
        cp id.txt out/Mia/sealed/$title/identity.txt
        (cd out/Mia/sealed/$title; sh -eu ../../../../commands)
        test "$(jq -r .text out/Mia/sealed/$title/text-1.json)" = secret
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
      quietly $capsule bequeath Ring --to Mia; quietly $capsule bequeath House --to Jonas
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

  @Test func `what exists is never overwritten, and others are served all the same`() throws {
    try walk(
      """
      quietly $capsule bequeath Ring --to Mia; quietly $capsule bequeath House --to Jonas
      mkdir -p out/Mia; printf mine > out/Mia/note
      ends 3 $capsule deliver -o out --mark-sent
      grep -q "'out/Mia' exists already; nothing was written for 'Mia'" told
      test "$(ls -A out/Mia)" = note
      test -f out/Jonas/index.html
      test "$($capsule bequest list --json | jq -r '.[] | .beneficiary.name + " " + .state' | sort | tr '\\n' ,)" \\
        = 'Jonas sent,Mia notSent,'
      ends 12 $capsule deliver -o out --dry-run
      printf file > taken
      ends 12 $capsule deliver -o taken
      rm -r out/Mia; ln -s /nonexistent out/Mia
      ends 12 $capsule deliver -o out
      test -h out/Mia
      rm out/Mia; ends 0 $capsule deliver -o out
      """)
  }

  @Test func `sent, accepted, declined and revoked gifts are not delivered again`() throws {
    try walk(
      """
      for thing in One Two Three Four; do quietly $capsule item add $thing; done
      for thing in Ring House One Two Three Four; do
        $capsule bequeath $thing --to Mia -q > id.$thing
      done
      quietly $capsule bequest mark $(cat id.One) sent
      quietly $capsule bequest mark $(cat id.One) accepted
      quietly $capsule bequest mark $(cat id.Two) sent
      quietly $capsule bequest mark $(cat id.Two) declined
      quietly $capsule bequest revoke $(cat id.Three)
      quietly $capsule bequest mark $(cat id.Four) sent
      $capsule deliver -o out --mark-sent --json | jq -r '.[].gifts[].title' | sort | tr '\\n' ' ' > told
      test "$(cat told)" = 'House Ring '
      ends 0 $capsule deliver -o out --mark-sent
      grep -q 'There is nothing to deliver now.' told
      ends 1 $capsule deliver -o out --exit-code
      test "$($capsule deliver -o out --json)" = '[]'
      ends 5 $capsule deliver Nobody -o out
      ends 2 $capsule deliver
      """)
  }

  @Test func `upon passing counts from when it is declared, a date from that date`() throws {
    try walk(
      """
      quietly $capsule bequeath Ring --to Mia --access upon-passing
      quietly $capsule bequeath House --to Jonas --access-after 2090-01-01
      test "$($capsule deliver -o out --json)" = '[]'
      quietly $capsule passing declare --owner 'Anna Berg'
      test "$($capsule deliver -o out --json | jq -r '.[].beneficiary.name')" = Mia
      """)
  }

  @Test func `a damaged file is named, and that person's folder is not made`() throws {
    try walk(
      """
      quietly $capsule bequeath Ring --to Mia; quietly $capsule bequeath House --to Jonas
      blob=$(find '\(home.store)/blobs' -type f); chmod 600 "$blob"; printf x | dd of="$blob" conv=notrunc 2>/dev/null
      ends 7 $capsule deliver -o out --mark-sent
      grep -q "'ring.gif' of 'Ring' is damaged" told
      test "$(ls -A out)" = Jonas
      truncate -s 3 "$blob"
      ends 7 $capsule deliver Mia -o out
      $capsule keygen -o id.txt
      quietly $capsule beneficiary edit Mia --recipient $($capsule keygen -y id.txt)
      ends 7 $capsule deliver Mia -o out --seal
      rm "$blob"
      ends 7 $capsule deliver Mia -o out --mark-sent
      test "$(ls -A out)" = Jonas
      test "$($capsule bequest list --json | jq -r '.[] | select(.beneficiary.name == "Mia").state')" = notSent
      """)
  }

  @Test func `people's names become folders within the one named, each its own`() throws {
    try walk(
      """
      for name in '../escape' MIA 'con' '/'; do
        $capsule beneficiary add -q -- "$name" > id
        quietly $capsule item add "For $name"; quietly $capsule bequeath "For $name" --to $(cat id)
      done
      quietly $capsule bequeath Ring --to $(cat mia)
      $capsule deliver -o out/in -q | sort | tr '\\n' ' ' > told
      test "$(ls -A out)" = in
      test "$(ls -A out/in | tr A-Z a-z | LC_ALL=C sort | tr '\\n' ' ')" = '_escape con_ mia mia-2 person '
      # A folder's name does not depend on who else receives something.
      id=$($capsule beneficiary list --json | jq -r '.[] | select(.name == "MIA").id')
      $capsule deliver "$id" -o alone
      name=$(ls -A alone)
      grep -q 'For MIA' "alone/$name/index.html"
      cmp "alone/$name/index.html" "out/in/$name/index.html"
      """)
  }

  @Test func `of two deliveries at a time one makes the folder, and the other is refused`() throws {
    try walk(
      """
      quietly $capsule bequeath Ring --to Mia
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

  @Test func `by a record that was changed by hand nothing is delivered`() throws {
    try walk(
      """
      quietly $capsule bequeath Ring --to Mia; quietly $capsule bequeath House --to Jonas
      record=$(find '\(home.store)/beneficiaries' -name "$(cat mia).json")
      sed -i 's/"Mia"/"Max"/' "$record"
      ends 7 $capsule deliver -o out
      test "$(ls -A out)" = Jonas
      # Nor by settings that were: they say whether the owner is alive.
      sed -i 's/Anna/Anne/' '\(home.store)/settings.json'
      ends 7 $capsule deliver Jonas -o other
      test ! -e other
      """)
  }

  @Test func `what a killed delivery has left is named`() throws {
    try walk(
      """
      quietly $capsule bequeath Ring --to Mia
      mkdir -p out/.Mia.partial-0123abcd
      ends 0 $capsule deliver -o out
      grep -q "'out/.Mia.partial-0123abcd' is what a delivery left" told
      """)
  }
}
