import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The estate, opened by other programs; `Tests/Transcripts/estate.txt` tells the rest.
@Suite struct EstateTests {
  @Test(arguments: [
    "", "[]", "{}", #"{"estate":-1}"#, "{\"estate\":1,\"records\":[[[[", "\u{0}",
  ])
  func `a list that is not one is refused`(text: String) throws {
    let home = try HostedStore()
    try home.insertTrustees()
    try home.done("item", "add", "Ring")
    let file = home.path + "/estate.age"
    try home.done("estate", "--trustees", "family", "-o", file)
    try home.write(text, as: "estate.age.list")
    try home.refusal(.damaged, "estate", "--check", file)
  }

  @Test func `the program beside an estate is the one in contrib`() throws {
    let file = BuiltProgram.packageRoot + "contrib/join.py"
    let bytes = try POSIXFileSystem().readFile(FilePath(file), limit: 1 << 20)
    expect(JoinProgram.source, is: String(decoding: bytes, as: UTF8.self))
    // The line that prints the other kind of key is left out.
    let home = try HostedStore()
    _ = try home.insertTrustees(isPostQuantum: false)
    let store = try home.openedStore()
    let group = try require(
      store.trustees.groups(now: try require(Instant(rfc3339: home.now))).first)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let left = lines.filter { !$0.starts(with: "print(bech32(\"age-secret-key-pq-\"".utf8) }
    expect(left.count, is: lines.count - 1)
    expect(JoinProgram.bytes(for: group), is: Array(left.joined(separator: "\n".utf8)))
  }

  @Test(.enabled(if: OtherPrograms.areExpected("age", "tar", "python3"), "age is not installed"))
  func `the three steps of the page beside an estate open it`() throws {
    let home = try HostedStore()
    try home.done("settings", "set", "owner", "Ada <script>")
    try home.done("settings", "set", "postQuantum", "off")
    try home.done(
      "trustees", "make", "family", "-k", "2", "--classic", "--holder", "Zoe & Co", "--holder",
      "Lena", "--holder", "Dr Okoye", "-o", home.path + "/pages")
    try home.done("item", "add", "Ring")
    let name = "It's an <estate>.age"
    try home.done("estate", "--trustees", "family", "-o", "\(home.path)/\(name)")
    let page = try String(decoding: home.bytes(of: name + ".html"), as: UTF8.self)
    expect(!page.contains("<script") && page.contains("Zoe &amp; Co"))
    let commands = page.matches(of: #/<code class="command">(.*?)</code>/#).map { found in
      [("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&amp;", "&")]
        .reduce(String(found.1)) { $0.replacing($1.0, with: $1.1) }
    }
    expect(commands.count, is: 4)
    for (number, holder) in ["1 Zoe & Co", "3 Dr Okoye"].enumerated() {
      let share = try Share(text: SecretBytes(copying: home.bytes(of: "pages/\(holder).txt")))
      let numbers = share.numbers.map { String($0) }.joined(separator: " ")
      try home.write(numbers, as: "sheet-\(number + 1).txt")
    }
    // The first is for capsule, the second installs the programs.
    var run = ProgramRun(
      shell: "set -eu\n" + commands.dropFirst(2).joined(separator: "\n"),
      environment: ["PATH": OtherPrograms.path, "LC_ALL": "C.UTF-8"])
    run.workingDirectory = home.path
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
    let first = try String(decoding: home.bytes(of: "estate/READ-ME-FIRST.html"), as: UTF8.self)
    expect(first.contains("Ring"))
  }

  @Test(.enabled(if: OtherPrograms.areExpected("age", "tar", "python3"), "age is not installed"))
  func `age, tar and Python open all of it, with nothing of this program`() throws {
    let home = try HostedStore()
    try home.insertTrustees(isPostQuantum: false)
    let mia = try AgeIdentity(isPostQuantum: false, random: .system)
    try home.done("beneficiary", "add", "Mia", "--recipient", mia.recipient.description)
    try home.done("beneficiary", "add", "Jonas")
    try home.done("item", "add", "Ring")
    let picture = try home.write([UInt8](repeating: 7, count: 70_000), as: "ring.gif")
    try home.done("item", "attach", "Ring", picture)
    try home.done("item", "add", "House")
    try home.create("Diary", "--unlock", "2090", "--text", "dear me", picture)
    try home.done("bequeath", "--access", "immediate", "Ring", "--to", "Mia")
    try home.done(
      "bequeath", "--access", "immediate", "House", "--to", "Jonas", "--message", "yours")
    try home.write(IdentityFile.text(mia, comments: []), as: "out/identity.txt")
    try home.done("estate", "--trustees", "family", "-o", home.path + "/out/estate.age")
    let line = """
      set -eu
      cd '\(home.path)/out'
      mkdir opened
      age -d -i ../family.key estate.age | tar -x -C opened
      cd opened/estate
      test -f READ-ME-FIRST.html
      grep -q yours people/Jonas/letter.txt
      age -d -i ../../identity.txt people/Mia.tar.age | tar -x -C people
      cmp people/Mia/files/ring.gif ../../../ring.gif
      cd capsules/Diary
      line='for f in *-[0-9]*.age; do age -d -i key.txt -o "${f%.age}" "$f"; done'
      grep -F "$(echo "$line" | sed 's/"/\\&quot;/g')" READ-ME-FIRST.html
      eval "$line"
      python3 -c 'import json; assert json.load(open("text-1.details"))["text"] == "dear me"'
      cmp other-2 ../../../../../ring.gif
      """
    var run = ProgramRun(
      shell: line, environment: ["PATH": OtherPrograms.path, "LC_ALL": "C.UTF-8"])
    run.workingDirectory = home.path
    let result = try run.result()
    expect(result.end, is: .exited(0), "\(result.err)")
  }
}
