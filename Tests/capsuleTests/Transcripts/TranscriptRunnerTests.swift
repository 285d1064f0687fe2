import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The runner of transcripts itself.
@Suite struct TranscriptRunnerTests {
  private func steps(_ text: String) throws -> [Transcript.Step] {
    try Transcript(text).parts.compactMap { if case .step(let step) = $0 { step } else { nil } }
  }

  /// What the last command of a transcript prints.
  private func printed(_ text: String) throws -> [String] {
    let shell = try TranscriptShell(name: "test.txt")
    return try steps(text).map { try TranscriptCheck($0, in: shell) }.last.map(\.printed) ?? []
  }

  // MARK: Files

  @Test func `a file is read as it is written`() throws {
    let text = """
      Prose

        $ capsule create T --unlock 2030 \\
        > --text
        > a line of input
        printed

        after an empty line
        ! refused
        [4]

        $ capsule delete T
        ? Delete it?
        < y
        <
      More prose

      """
    try expect(Transcript(text).text, is: text)
    let steps = try steps(text)
    expect(steps.map(\.line), is: [3, 12])
    expect(steps[0].command, is: "capsule create T --unlock 2030 --text")
    expect(steps[0].input, is: "a line of input\n")
    expect(
      steps[0].expected, is: ["printed", "", "after an empty line", "! refused", "[4]"])
    expect(steps[1].answers == ["y", ""] && steps[1].asks)
  }

  @Test func `an indented line without a command is refused`() {
    expect({ try Transcript("Prose\n  printed\n") }, throws: { "\($0)".contains("line 2") })
  }

  // MARK: Lines

  @Test(arguments: [
    ("a  b", ["a", "b"]), ("'a b' \"c\\\"d\" e\\ f", ["a b", "c\"d", "e f"]),
    ("a'b'c ''", ["abc", ""]),
    (#"$'it\'s\n\x1b'"#, ["it's\n\u{1b}"]),
  ])
  func `words are parted as a shell parts them`(line: String, words: [String]) throws {
    try expect(ShellLine(line).commands, is: [words])
  }

  @Test func `variables, pipes and files are told from words`() throws {
    let line = try ShellLine("TZ=UTC A='b c' capsule list X=1 < in | jq . > out")
    expect(line.commands, is: [["capsule", "list", "X=1"], ["jq", "."]])
    expect(line.variables.map(\.name) == ["TZ", "A"] && line.variables[1].value == "b c")
    expect(line.input == "in" && line.output == "out" && !line.appends)
    try expect(ShellLine("a >> out").appends, is: true)
    let errors = try ShellLine("a 2 2> err")
    expect(errors.errors == "err" && errors.output == nil && errors.commands == [["a", "2"]])
  }

  @Test(arguments: [
    "echo $HOME", "ls ?", "a && b", "a; b", "a `b`", "a \"$b\"", "cat ~/x", "a # b", "'a", "\"a",
    "a |", "a >", "a > b > c", "a\\", "$'a",
  ])
  func `what a shell would understand otherwise is refused`(line: String) {
    expect(throws: TestFault.self) { try ShellLine(line) }
  }

  @Test func `members of JSON are printed by their paths`() throws {
    let json = "  $ printf '{\"a\":[{\"b\":1},{\"b\":\"x\"}],\"c\":null}' | jq "
    try expect(printed(json + "'.a[].b, .c'\n"), is: ["1", "\"x\"", "null"])
    try expect(printed(json + "-r '.a[1].b'\n"), is: ["x"])
    try expect(printed(json + "-c '[.a[].b, .c]'\n"), is: ["[1,\"x\",null]"])
  }

  // MARK: Other programs

  @Test func `a stand-in prints what it was given, and writes where an editor would`() throws {
    let program = """
        $ program notify-send
        > echo "$@" "$2"
        > cat >> got
        > echo "no $CAPSULE" > /dev/stderr
        > exit 3
        > echo more

      """
    let run = "  $ CAPSULE=bus printf 'in\\n' | notify-send a 'b c'\n"
    try expect(printed(program + run), is: ["a b c b c", "! no bus", "[3]"])
    try expect(printed(program + run + run + "  $ cat got\n"), is: ["in", "in"])
    let editor = "  $ program an-editor\n  > printf 'From Ada' > \"$1\"\n"
    let create =
      "  $ EDITOR=an-editor capsule create T --unlock 2020 --allow-past -q --edit\n  < y\n"
    try expect(
      printed(editor + create + "  $ capsule open T -q\n"), is: ["From Ada (no-eol)"])
  }

  @Test func `programs that are not there, are killed, or take too long end so`() throws {
    let hook =
      "  $ clock 2026-01-10T09:00:00Z\n"
      + "  $ capsule create T --unlock 'in 1 second' --text t -q\n  $ sleep 2\n"
    func check(_ program: String, _ words: String) throws -> String {
      try printed(hook + program + "  $ capsule check -q " + words + "\n").joined()
    }
    expect(try check("", "--notify").contains("neither 'notify-send'"))
    let killed = "  $ program notify-send\n  > kill -9 $$\n"
    expect(try check(killed, "--notify").contains("signal 9"))
    expect(try check(killed, "--exec notify-send").contains("exited with status 137"))
    let slow = "  $ program notify-send\n  > sleep 61\n"
    expect(try check(slow, "--notify").contains("took longer"))
    expect(try check(slow, "--exec notify-send").contains("took longer"))
    expect(try check("", "--exec nothing").contains("no such program"))
  }

  @Test func `a word with a star names the files that match it`() throws {
    let files = "  $ mkdir a b\n  $ printf 1 > a/x.json\n  $ printf 2 > b/y.json\n"
    try expect(printed(files + "  $ cat */*.json\n"), is: ["12 (no-eol)"])
    try expect(printed(files + "  $ cp b/* b/y.copy\n  $ ls b\n"), is: ["y.copy", "y.json"])
    try expect(printed(files + "  $ cat < b/*\n"), is: ["2 (no-eol)"])
    let step = try require(steps("  $ ls c*\n").first)
    let shell = try TranscriptShell(name: "test.txt")
    try expect(TranscriptCheck(step, in: shell).fault, is: "no file matches a word with *")
  }

  @Test func `a file is damaged by a bit, and a record is forged with a checksum that fits`() throws
  {
    let file = "  $ printf 'abc' > f\n"
    try expect(printed(file + "  $ damage f\n  $ cat f\n"), is: ["acc (no-eol)"])
    try expect(printed(file + "  $ damage f 0\n  $ cat f\n"), is: ["`bc (no-eol)"])
    let record = """
        $ capsule item add Ring -q
        $ forge .local/share/capsule/items/*/*.json .name Bowl
        $ forge .local/share/capsule/items/*/*.json '.tags[0]' '"x"'
        $ forge .local/share/capsule/items/*/*.json .notes null

      """
    try expect(
      printed(record + "  $ capsule item list --json | jq -c '.[].name, .[].tags'\n"),
      is: ["\"Bowl\"", "[\"x\"]"])
    let shell = try TranscriptShell(name: "test.txt")
    let step = try require(steps("  $ forge f .a 1\n").first)
    try expect(
      TranscriptCheck(step, in: shell).printed,
      is: ["! forge: f: no such file or directory", "[1]"])
  }

  // MARK: Output

  @Test func `bytes that an editor changes or hides are escaped`() {
    let output = Array("a\ttab\t\nend \n$ x\n[4]\n\u{1b}\\\n\u{202e}\nü\nno end".utf8)
    expect(
      TranscriptLines.lines([.output(output), .error([0xc3, 0xbc, 0xff, 10])], status: 4),
      is: [
        "a\ttab\\x09 (esc)", "end\\x20 (esc)", "\\x24 x (esc)", "\\x5b4] (esc)", "\\x1b\\\\ (esc)",
        "\\xe2\\x80\\xae (esc)", "ü", "no end (no-eol)", "! ü\\xff (esc)", "[4]",
      ])
    expect(TranscriptLines.lines([.output([10, 10])], status: 0), is: ["", "(esc)"])
  }

  @Test func `questions stand with their answers, and an answer that nothing asks for is a fault`()
    throws
  {
    let create = "  $ capsule create T --unlock 2030 --text t --quiet\n"
    let lines = try printed(create + "  $ capsule delete T\n  ?\n  < n\n")
    expect(lines.count >= 3 && lines[0].hasPrefix("? ") && lines[1] == "< n", "\(lines)")
    let shell = try TranscriptShell(name: "test.txt")
    let step = try require(steps("  $ capsule list\n  < y\n").first)
    try expect(TranscriptCheck(step, in: shell).fault?.contains("'y'"), is: true)
  }

  @Test func `ids are the same each time, whatever is done before`() throws {
    let store = "  $ capsule create First --unlock 2030 --text t --quiet\n"
    let create = "  $ capsule create T --unlock 2030 --text t --quiet\n"
    let id = try printed(store + create)
    expect(id.count == 1 && id[0].utf8.count == 36, "\(id)")
    try expect(printed(store + create), is: id)
    try expect(printed(store + "  $ capsule event add E --on 2031\n" + create), is: id)
    expect(try printed(store + create + create) != id)
  }

  // MARK: Rewriting

  @Test(arguments: [
    ("capsule show X", "! Other words\n  [5]", true),
    ("capsule show X", "! Other words\n  [4]", false),
    ("capsule show X", "! Other words", false),
    (
      "capsule show X --json",
      "! {\"error\":{\"code\":5,\"fault\":\"noSuchRecord\",\"hint\":\"?\",\"kind\":\"notFound\",\"message\":\"?\",\"reference\":\"X\"}}\n  [5]",
      true
    ),
    (
      "capsule show X --json",
      "! {\"error\":{\"code\":4,\"fault\":\"noSuchRecord\",\"hint\":\"?\",\"kind\":\"notFound\",\"message\":\"?\",\"reference\":\"X\"}}\n  [5]",
      false
    ),
    ("capsule list --json", "[{}]", false), ("ls", "file", false), ("cat < file", "words", false),
  ])
  func `words are rewritten, and what programs rely on is not`(
    command: String, expected: String, isRewritten: Bool
  ) throws {
    let shell = try TranscriptShell(name: "test.txt")
    try shell.write(Array("other\n".utf8), to: "file")
    if command == "ls" { try shell.write([], to: "another") }
    let check = try TranscriptCheck(
      try require(steps("  $ \(command)\n  \(expected)\n").first), in: shell)
    expect(check.printed != check.step.expected && check.fault == nil)
    expect(Rewriting.words.allows(check), is: isRewritten, "\(check.printed)")
    expect(Rewriting.all.allows(check) && !Rewriting.off.allows(check))
  }
}
