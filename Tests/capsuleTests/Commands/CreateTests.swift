import CapsuleCore
import Testing

@Suite struct CreateTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  @Test func `contents come back in the order given, byte for byte, with names and types`() throws {
    try home.shell("printf '\\211PNG\\r\\n\\032\\nrest' > p.png; printf 'plain' > n.txt")
    let id = try home.createUnlocked("Box", "--text", "first", "p.png", "--file", "n.txt")
    let items = try #require(try home.run("open", id, "--json").json()["items"]?.array)
    #expect(items.map { $0["text"] } == ["first", .null, .null])
    #expect(items.map { $0["name"] } == [.null, "p.png", "n.txt"])
    #expect(items.map { $0["mediaType"] } == ["text/plain", "image/png", "text/plain"])
    try home.run("open", id, "--output", "out")
    #expect(
      try home.shell("cmp p.png out/p.png && cmp n.txt out/n.txt && cat out/text-1.txt").out
        == "first")
  }

  @Test func `standard input is a text where it is text, and a file where it is not`() throws {
    let text = try home.run(
      "create", "T", "-u", "2020", "--allow-past", "-q", "-", input: "Grüße\n")
    #expect(text.end == .exited(0))
    #expect(try home.run("open", "T").out == "Grüße\n")
    try home.shell("head -c 70000 /dev/zero | $capsule create Z -u 2020 --allow-past -")
    #expect(try home.shell("$capsule open Z | wc -c | tr -d ' '").out == "70000\n")
  }

  @Test func `a file name that is not UTF-8 is kept as it is`() throws {
    try home.shell(
      "n=$(printf 'caf\\351.txt'); printf x > \"$n\"; "
        + "$capsule create N -u 2020 --allow-past \"$n\" && $capsule open N -o out")
    #expect(try home.shell("ls out | od -An -tx1 | tr -d ' \\n'").out == "636166e92e7478740a")
  }

  @Test(arguments: [
    (["missing.txt"], Int32(10), "missing.txt"), (["folder"], 12, "is a directory"),
    (["big"], 12, "maxFileSize"),
  ])
  func `what cannot be taken is refused by name, and nothing is made`(
    contents: [String], code: Int32, words: String
  ) throws {
    try home.shell("mkdir folder; truncate -s 2G big")
    let result = try home.run(["create", "X", "--unlock", "2090", "--text", "t"] + contents)
    #expect(result.end == .exited(code))
    #expect(result.err.contains(words))
    #expect(try home.shell("ls -A .local 2>/dev/null").out == "")
  }

  @Test func `an unlock time in the past is refused, but for imports`() throws {
    let refused = try home.run("create", "P", "--unlock", "1999-12-31")
    #expect(refused.end == .exited(2))
    #expect(refused.err.contains("--allow-past"))
    #expect(try home.run("create", "P", "--unlock", "1999-12-31", "--allow-past").end == .exited(0))
  }

  @Test func `without an unlock time and without a terminal it says which option answers`() throws {
    let result = try home.run("create", "X", "--json")
    #expect(result.end == .exited(2))
    #expect(try result.errorJSON()["error"]?["hint"]?.string?.contains("--unlock") == true)
    #expect(result.out == "")
  }

  @Test(arguments: ["", "   ", String(repeating: "x", count: 1025)])
  func `a title that is empty or too long is refused`(title: String) throws {
    #expect(try home.run("create", title, "--unlock", "2090").end == .exited(2))
  }

  @Test func `a text in the editor is sealed, and its draft is gone`() throws {
    home.environment["EDITOR"] = "printf 'From the editor.' >"
    #expect(try home.run("create", "E", "-u", "2020", "--allow-past", "--edit").end == .exited(0))
    #expect(try home.run("open", "E").out == "From the editor.")
    #expect(try home.shell("find . -name '*draft*' -o -name text.txt").out == "")
  }

  @Test func `an editor that fails keeps the draft and names it`() throws {
    home.environment["EDITOR"] = "sh -c 'printf words > \"$0\"; exit 1'"
    let result = try home.run("create", "E", "-u", "2090", "--edit")
    #expect(result.end == .exited(12))
    let path = try #require(result.err.split(separator: "'").first { $0.hasSuffix("text.txt") })
    #expect(try home.shell("cat '\(path)'").out == "words")
  }

  @Test func `a store is private whatever the umask`() throws {
    try home.shell("umask 000; $capsule create X -u 2090 --text t")
    let modes = try home.shell(
      "cd '\(home.store)' && find . -type d ! -perm 700; find . -type f ! -perm 600 ! -perm 400")
    #expect(modes.out == "")
  }

  @Test func `nothing of what is sealed lies in the store in the clear`() throws {
    try home.shell("printf 'the secret words' > secret-name.txt")
    try home.create("Open title", "-u", "2090", "--text", "the secret words", "secret-name.txt")
    let found = try home.shell("grep -rl -e 'secret words' -e secret-name '\(home.store)'")
    #expect(found.out == "")
  }

  @Test func `a directory that holds something else is not made a store`() throws {
    try home.shell("mkdir other && touch other/file")
    let result = try home.run("create", "X", "-u", "2090", "--store", "other")
    #expect(result.end == .exited(12))
    #expect(try home.shell("ls other").out == "file\n")
  }
}
