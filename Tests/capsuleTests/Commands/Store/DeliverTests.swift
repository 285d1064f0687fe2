import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What people receive; the page in a browser is `Scripts/check-page`.
@Suite struct DeliverTests {
  private let home: HostedStore

  private static let ring: [UInt8] =
    Array("GIF89a".utf8) + [3, 0, 2, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 3, 0, 2, 0, 0, 2, 1]
    + Array("x".utf8)

  /// Mia and Jonas are there, a ring with a picture, and a house; nothing is left to anybody yet.
  init() throws {
    home = try HostedStore()
    let picture = try home.write(Self.ring, as: "ring.gif")
    try home.done("beneficiary", "add", "Mia")
    try home.done("beneficiary", "add", "Jonas")
    try home.done("settings", "set", "owner", "Anna Berg")
    try home.done(
      "item", "add", "Ring", "--value", "EUR 1200", "--location", "Safe", "--description",
      "From 1912")
    try home.done("item", "attach", "Ring", picture, "--title", "Front")
    try home.done("item", "add", "House")
  }

  private func leaveBoth() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    try home.done("bequeath", "House", "--to", "Jonas")
  }

  /// Delivers into a folder of the test's, and must end with a code.
  @discardableResult
  private func deliver(
    _ code: ExitCode = .ok, to folder: String, _ words: String...,
    file: String = #fileID, line: Int = #line
  ) throws -> TestHost.Run {
    let run = try home.run(["deliver", "-o", home.path + "/" + folder] + words)
    expect(run.code, is: code, "\(run.err)", sourceLocation: SourceLocation(file, line))
    return run
  }

  /// The state of each gift, by whom and what.
  private func states() throws -> [String: String] {
    let list = try require(try home.json("bequest", "list").array)
    return Dictionary(
      uniqueKeysWithValues: list.map { bequest in
        let name = bequest["beneficiary"]?["name"]?.string ?? ""
        let title = bequest["subject"]?["title"]?.string ?? ""
        return ("\(name): \(title)", bequest["state"]?.string ?? "")
      })
  }

  /// Whether any file of a folder has the text.
  private func anyFile(in folder: String, has text: String) throws -> Bool {
    try home.files(below: folder).contains { try home.text(of: folder + "/" + $0).contains(text) }
  }

  // MARK: Texts

  @Test func `text files are read on the page and in the letter, each by its name`() throws {
    try home.createUnlocked(
      "Words", try home.write("First words.\r\n", as: "one.txt"), "--text", "Own words.",
      try home.write("Second <b>words</b>.", as: "two.md"), "--caption", "What came then")
    try home.done("item", "attach", "House", try home.write("The key is below.", as: "key.txt"))
    try home.done("bequeath", "Words", "--to", "Mia")
    try home.done("bequeath", "House", "--to", "Mia")
    try deliver(to: "out")
    let page = try home.text(of: "out/Mia/index.html")
    for words in ["First words.\n", "Own words.", "Second &lt;b&gt;words", "The key is below."] {
      expect(page.contains(words), "\(words)")
    }
    let letter = try home.text(of: "out/Mia/letter.txt")
    expect(
      letter.contains("\none.txt:\n\nFirst words.\n\nOwn words.\n\nWhat came then:\n\nSecond"))
    expect(letter.contains("key.txt:\n\nThe key is below."))
    try expect(home.bytes(of: "out/Mia/files/one.txt"), is: Array("First words.\r\n".utf8))
  }

  // MARK: What would be, and what is

  @Test func `a dry run shows exactly what would go to whom, and makes nothing`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia", "--message", "For you")
    try home.done("bequeath", "House", "--to", "Jonas", "--access-after", "2090-01-01")
    let plan = try deliver(to: "out", "--dry-run").out
    expect(
      plan.contains("'Mia' would receive 1 gift, 1 file, 26 B in '\(home.path)/out/Mia'"), "\(plan)"
    )
    expect(plan.contains("files/ring.gif  image/gif, 26 B, 3 × 2"))
    expect(!plan.contains("Jonas"))
    expect(home.names(in: "out") == nil)
  }

  @Test func `a delivery is what its dry run showed`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia", "--message", "For you")
    func told(_ words: String...) throws -> [JSON] {
      let run = try home.run(
        ["deliver", "-o", home.path + "/out", "--json"] + words)
      return try require(try run.json().array).map { entry in
        var fields = try require(entry.object)
        fields["state"] = nil
        fields["path"] = nil
        return .object(fields)
      }
    }
    let planned = try told("--dry-run")
    let made = try told()
    expect(planned == made && made.count == 1)
    let files = made[0]["gifts"]?.array?.flatMap { $0["files"]?.array ?? [] } ?? []
    expect(files.compactMap { $0["path"]?.string }, is: ["files/ring.gif"])
    expect(home.files(below: "out/Mia").contains("files/ring.gif"))
  }

  @Test func `a folder holds the page, the letter and the files byte for byte`() throws {
    let old = try home.write("old", as: "old.txt")
    let time = Date(timeIntervalSince1970: 1_582_977_600)
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: old)
    try home.done("item", "attach", "Ring", old)
    try home.done("bequeath", "Ring", "--to", "Mia")
    try deliver(to: "deep/out", "Mia")
    expect(
      home.files(below: "deep/out"),
      is: ["Mia/files/old.txt", "Mia/files/ring.gif", "Mia/index.html", "Mia/letter.txt"])
    try expect(home.bytes(of: "deep/out/Mia/files/ring.gif"), is: Self.ring)
    func attribute<Value>(_ key: FileAttributeKey, _ name: String) throws -> Value? {
      try FileManager.default.attributesOfItem(atPath: home.path + "/deep/out/Mia" + name)[key]
        as? Value
    }
    try expect(attribute(.modificationDate, "/files/old.txt"), is: time)
    try expect(attribute(.posixPermissions, ""), is: 0o700)
    try expect(attribute(.posixPermissions, "/files/ring.gif"), is: 0o600)
    // To deliver is not to send.
    try expect(states(), is: ["Mia: Ring": "notSent"])
  }

  @Test func `the page and the letter say what is given, and nothing in them is markup`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia", "--message", "For you, <b>Mia</b>")
    try deliver(to: "out", "Mia")
    let page = try home.text(of: "out/Mia/index.html")
    expect(
      page.contains(
        #"<img src="files/ring.gif" alt="Front" loading="eager" width="3" height="2">"#))
    expect(page.contains("For you, &lt;b&gt;Mia&lt;/b&gt;"))
    let letter = try home.text(of: "out/Mia/letter.txt")
    expect(letter.contains("For you, <b>Mia</b>") && letter.contains("from Anna Berg"))
  }

  @Test func `what a thing is worth is said only when asked`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    try deliver(to: "out", "Mia")
    expect(try !anyFile(in: "out", has: "1200"))
    try deliver(to: "worth", "Mia", "--with-values")
    expect(try home.text(of: "worth/Mia/index.html").contains("EUR 1200.00"))
    expect(try home.text(of: "worth/Mia/letter.txt").contains("Value: EUR 1200.00"))
  }

  // MARK: Honor locks

  private func leaveCapsules() throws {
    try home.create("Later", "-u", "2090-01-01 00:00", "--text", "hidden")
    try home.createUnlocked("Now", "--text", "Read me", home.path + "/ring.gif")
    try home.done("bequeath", "Later", "--to", "Mia")
    try home.done("bequeath", "Now", "--to", "Mia")
  }

  @Test func `what is locked by honor stays sealed, and is named with its date`() throws {
    try leaveCapsules()
    let out = try deliver(to: "out", "--mark-sent").out
    expect(out.contains("Later, not yet: sealed until Sun 1 Jan 2090"))
    let page = try home.text(of: "out/Mia/index.html")
    expect(page.contains("Later</bdi><span> · sealed until Sun 1 Jan 2090"))
    let letter = try home.text(of: "out/Mia/letter.txt")
    expect(letter.contains("- Later: sealed until Sun 1 Jan 2090"))
    expect(try !anyFile(in: "out", has: "hidden"))
    try expect(states(), is: ["Mia: Later": "notSent", "Mia: Now": "sent"])
  }

  @Test func `what is unlocked goes in the clear, and to deliver is not to open`() throws {
    try leaveCapsules()
    try deliver(to: "out")
    expect(try home.text(of: "out/Mia/index.html").contains("Read me"))
    expect(try home.text(of: "out/Mia/letter.txt").contains("Read me"))
    try expect(home.text(of: "out/Mia/files/text-1.txt"), is: "Read me")
    try expect(home.bytes(of: "out/Mia/files/ring.gif"), is: Self.ring)
    try expect(home.json("show", "Now")["openedAt"], is: .null)
  }

  @Test func `where only what is locked is left no folder is made`() throws {
    try leaveCapsules()
    try home.done("bequest", "mark", "Now", "sent")
    expect(try deliver(to: "out").out.contains("Nothing yet for 'Mia'"))
    expect(home.names(in: "out") == nil)
  }

  // MARK: What stands in the way

  @Test func `what exists is never overwritten, and others are served all the same`() throws {
    try leaveBoth()
    try home.write("mine", as: "out/Mia/note")
    let err = try deliver(.partial, to: "out", "--mark-sent").err
    expect(err.contains("out/Mia' exists already; nothing was written for 'Mia'"))
    expect(home.names(in: "out/Mia"), is: ["note"])
    expect(home.files(below: "out/Jonas").contains("index.html"))
    try expect(states(), is: ["Jonas: House": "sent", "Mia: Ring": "notSent"])
    try deliver(.refused, to: "out", "--dry-run")
  }

  @Test func `a file or a link in the way is refused, and left`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    try home.write("file", as: "taken")
    try deliver(.refused, to: "taken")
    try expect(home.text(of: "taken"), is: "file")
    try FileManager.default.createDirectory(
      atPath: home.path + "/out", withIntermediateDirectories: false)
    let link = home.path + "/out/Mia"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "/nonexistent")
    try deliver(.refused, to: "out")
    try expect(FileManager.default.destinationOfSymbolicLink(atPath: link), is: "/nonexistent")
    try home.remove("out/Mia")
    try deliver(to: "out")
  }

  @Test func `what a killed delivery has left is named`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    try home.write("", as: "out/.Mia.partial-0123abcd/x")
    let run = try deliver(to: "out")
    expect((run.out + run.err).contains("out/.Mia.partial-0123abcd' was left by a delivery"))
  }

  // MARK: States and times

  @Test func `sent, accepted, declined and revoked gifts are not delivered again`() throws {
    for thing in ["One", "Two", "Three", "Four"] { try home.done("item", "add", thing) }
    for thing in ["Ring", "House", "One", "Two", "Three", "Four"] {
      try home.done("bequeath", thing, "--to", "Mia")
    }
    for (thing, state) in [
      ("One", "sent"), ("One", "accepted"), ("Two", "sent"), ("Two", "declined"), ("Four", "sent"),
    ] {
      try home.done("bequest", "mark", thing, state)
    }
    try home.done("bequest", "revoke", "Three")
    let made = try deliver(to: "out", "--mark-sent", "--json").json().array ?? []
    let titles = made.flatMap { $0["gifts"]?.array ?? [] }.compactMap { $0["title"]?.string }
    expect(titles.sorted(), is: ["House", "Ring"])
  }

  @Test func `where nothing is to deliver it says so`() throws {
    let none = try deliver(to: "out", "--mark-sent")
    expect((none.out + none.err).contains("There is nothing to deliver now."))
    try deliver(.none, to: "out", "--exit-code")
    try expect(deliver(to: "out", "--json").json(), is: [])
    try deliver(.notFound, to: "out", "Nobody")
    try home.refusal(.usage, "deliver")
  }

  @Test func `upon passing counts from when it is declared, a date from that date`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia", "--access", "upon-passing")
    try home.done("bequeath", "House", "--to", "Jonas", "--access-after", "2090-01-01")
    func receivers() throws -> [String] {
      let made = try deliver(to: "out", "--json", "--dry-run").json().array ?? []
      return made.compactMap { $0["beneficiary"]?["name"]?.string }
    }
    try expect(receivers(), is: [])
    try home.done("passing", "declare", "--owner", "Anna Berg")
    try expect(receivers(), is: ["Mia"])
    home.now = "2090-01-01T00:00:00Z"
    try expect(receivers().sorted(), is: ["Jonas", "Mia"])
  }

  // MARK: Damage

  /// The path of the picture's bytes in the store.
  private func blob() throws -> String {
    let name = try require(home.files(below: ".local/share/capsule/blobs").first)
    let path = home.path + "/.local/share/capsule/blobs/" + name
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return ".local/share/capsule/blobs/" + name
  }

  @Test func `a damaged file is named, and that person's folder is not made`() throws {
    try leaveBoth()
    let blob = try blob()
    try home.write(Array("x".utf8) + Self.ring.dropFirst(), as: blob)
    let run = try deliver(.damaged, to: "out", "--mark-sent")
    expect(run.err.contains("'ring.gif' of 'Ring' is damaged"))
    expect(home.names(in: "out"), is: ["Jonas"])
    try expect(states()["Mia: Ring"], is: "notSent")
  }

  @Test(arguments: ["cut", "gone"])
  func `a file that is cut or gone is damage too`(how: String) throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    let blob = try blob()
    if how == "cut" { try home.write(Array(Self.ring.prefix(3)), as: blob) }
    if how == "gone" { try home.remove(blob) }
    try deliver(.damaged, to: "out", "--mark-sent")
    expect(home.names(in: "out") ?? [], is: [])
    try expect(states()["Mia: Ring"], is: "notSent")
    let key = try home.done("keygen").split(separator: "\n")
      .first { $0.hasPrefix("# public key: ") }?.dropFirst("# public key: ".count)
    try home.done("beneficiary", "edit", "Mia", "--recipient", String(try require(key)))
    try deliver(.damaged, to: "out", "--seal")
    expect(home.names(in: "out") ?? [], is: [])
  }

  @Test func `by a record that was changed by hand nothing is delivered`() throws {
    try leaveBoth()
    let id = try require(try home.json("beneficiary", "show", "Mia")["id"]?.string)
    try home.replace("\"Mia\"", with: "\"Max\"", in: try home.record(id))
    try deliver(.damaged, to: "out")
    expect(home.names(in: "out"), is: ["Jonas"])
  }

  @Test func `by settings that were changed by hand nothing is delivered`() throws {
    // They say whether the owner is alive.
    try leaveBoth()
    try home.replace("Anna", with: "Anne", in: ".local/share/capsule/settings.json")
    try deliver(.damaged, to: "out", "Jonas")
    expect(home.names(in: "out") == nil)
  }

  // MARK: Names

  @Test func `people's names become folders within the one named, each its own`() throws {
    try home.done("bequeath", "Ring", "--to", "Mia")
    for name in ["../escape", "MIA", "con", "/"] {
      let id = try home.done("beneficiary", "add", "-q", "--", name).dropLast()
      try home.done("item", "add", "For \(name)")
      try home.done("bequeath", "For \(name)", "--to", String(id))
    }
    try deliver(to: "out/in", "-q")
    expect(home.names(in: "out"), is: ["in"])
    let names = home.names(in: "out/in")?.map { $0.lowercased() }.sorted()
    expect(names, is: ["_escape", "con_", "mia", "mia-2", "person"])
    // A folder's name does not depend on who else receives something.
    let people = try require(try home.json("beneficiary", "list").array)
    let other = try require(people.first { $0["name"] == "MIA" }?["id"]?.string)
    try deliver(to: "alone", other)
    let name = try require(home.names(in: "alone")?.first)
    let page = try home.text(of: "alone/\(name)/index.html")
    expect(page.contains("For MIA"))
    try expect(home.text(of: "out/in/\(name)/index.html"), is: page)
  }
}

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

  @Test(.enabled(if: OtherPrograms.areExpected("jq", "python3"), "python3 is not installed"))
  func
    `a capsule sealed to a post-quantum key opens with what the page says, and it says what it takes`()
    throws
  {
    try walk(
      """
      $capsule keygen --pq -o id.txt; recipient=$($capsule keygen -y id.txt)
      quietly $capsule create Papers -u 2090-01-01 -r $recipient --text 'The number is 7' ring.gif
      quietly $capsule bequeath Papers --to Mia
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
      test "$(wc -l < commands)" -eq 4
      # The program's own filter for an age of version 1.3.
      sed -i "s#^age -d -i#$capsule unseal -i#" commands
      cp id.txt out/Mia/sealed/Papers/identity.txt
      (cd out/Mia/sealed/Papers; sh -eu ../../../../commands)
      test "$(jq -r .text out/Mia/sealed/Papers/text-1.json)" = 'The number is 7'
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
        # And for an age that knows the post-quantum key of a capsule behind a passphrase.
        test $title != Words || sed -i "s#^age -d -i#$capsule unseal -i#" commands
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
}
