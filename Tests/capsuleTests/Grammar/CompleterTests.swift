import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct CompleterTests {
  private func offer(_ words: String...) -> Completer.Offer {
    Completer(SmallTable.table, words.map { Array($0.utf8) }).offer
  }

  private func values(_ offer: Completer.Offer) -> [String]? {
    if case .candidates(let candidates) = offer { candidates.map(\.value) } else { nil }
  }

  @Test func `the first word is a verb or a noun`() {
    expect(values(offer("")), is: ["list", "create", "delete", "move", "event"])
    expect(values(offer("de")), is: ["delete"])
    expect(values(offer("-q", "de")), is: ["delete"])
    expect(values(offer("--store", "de", "l")), is: ["list"])
  }

  @Test func `a noun has its verbs and help`() {
    expect(values(offer("event", "")), is: ["add", "list", "help"])
  }

  @Test func `options are those of the command that were not given`() throws {
    let all = try require(values(offer("list", "--")))
    expect(all.contains("--limit") && all.contains("--json") && all.contains("--store"))
    expect(values(offer("list", "--re")), is: ["--reverse"])
    expect(values(offer("list", "-r", "--re")), is: [])
    expect(values(offer("list", "--tag", "a", "--ta")), is: ["--tag"])
    expect(values(offer("delete", "x", "--json")), is: [])
    expect(
      values(offer("create", "--", "--")) == nil || offer("create", "--", "x", "--") == .paths)
  }

  @Test func `choices follow an option or its equals sign`() {
    expect(values(offer("list", "--sort", "")), is: ["unlock", "title", "created"])
    expect(values(offer("list", "--sort=t")), is: ["--sort=title"])
    expect(values(offer("--color", "a")), is: ["auto", "always"])
    expect(values(offer("list", "--limit", "")), is: [])
  }

  @Test func `paths are left to the shell, and the store's words to the store`() {
    expect(offer("create", "T", ""), is: .paths)
    expect(offer("create", "T", "-f", "a", "b", ""), is: .paths)
    expect(offer("list", "--store", ""), is: .directories)
    expect(offer("delete", "ab"), is: .dynamic(.capsule, prefix: "ab", lead: ""))
    expect(offer("delete", "x", "y", ""), is: .dynamic(.capsule, prefix: "", lead: ""))
  }

  @Test func `options are told from operands by their bytes`() {
    expect(values(offer("list", "--sort=\u{301}x", "--so")), is: [])
    expect(values(offer("list", "--sort=\u{301}")), is: [])
    expect(values(offer("list", "-q\u{301}", "--qu")), is: [])
    expect(values(offer("delete", "-\u{301}")), is: [])
  }

  @Test(arguments: [
    (["ls", "--sor"], ["--sort"]), (["event", "rm", "--y"], ["--yes"]),
    (["person", "sh"], ["show"]), (["person", "ls", "--lim"], ["--limit"]),
    (["sync", "join", "--na"], ["--name"]), (["ls", "--sort", "ti"], ["title"]), (["li"], ["list"]),
  ])
  func `a name that is taken for another is completed like that, and not offered`(
    words: [String], found: [String]
  ) {
    expect(values(Completer(.capsule, words.map { Array($0.utf8) }).offer), is: found)
  }

  @Test func `an option is completed by the name that it had before`() {
    let words = ["switch", "set", "--witness", ""].map { Array($0.utf8) }
    expect(
      Completer(.capsule, words).offer, is: .dynamic(.beneficiary, prefix: "", lead: ""))
  }

  @Test func `the words of the store are those of the store that is named before`() {
    let words = ["--store", "/a", "show", "x"].map { Array($0.utf8) }
    expect(Completer(.capsule, words).store, is: FilePath("/a"))
    expect(Completer(.capsule, ["show", "--store", "/a"].map { Array($0.utf8) }).store == nil)
  }

  @Test func `what makes no sense offers nothing`() {
    expect(values(offer("nonsense", "")), is: ["list", "create", "delete", "move", "event"])
    expect(values(offer("list", "x", "")), is: [])
    expect(values(offer("list", "--bogus=")), is: [])
    expect(values(offer()) != nil)
  }

  @Test func `a name is found behind hundreds of others, where there is time`() throws {
    let home = try HostedStore()
    let names = ["Zither"] + (1...300).map { "Cup \($0)" }
    try home.write("name\n" + names.joined(separator: "\n") + "\n", as: "cups.csv")
    try home.done("item", "import", home.path + "/cups.csv", "-q")
    try home.done("item", "edit", "Zither", "--name", "Aeolian", "-q")
    for name in ["Aeolian", "Cup 1", "Cup 300"] {
      let typed = String(name.dropLast())
      try expect(home.done("__complete", "--", "item", "show", typed).contains(name))
    }
  }
}
