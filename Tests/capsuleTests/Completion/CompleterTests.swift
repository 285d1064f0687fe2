import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct CompleterTests {
  private func offer(_ words: String...) -> Completer.Offer {
    Completer(SmallTable.table).offer(words.map { Array($0.utf8) })
  }

  private func values(_ offer: Completer.Offer) -> [String]? {
    if case .candidates(let candidates) = offer { candidates.map(\.value) } else { nil }
  }

  @Test func `the first word is a verb or a noun`() {
    #expect(values(offer("")) == ["list", "create", "delete", "move", "event"])
    #expect(values(offer("de")) == ["delete"])
    #expect(values(offer("-q", "de")) == ["delete"])
    #expect(values(offer("--store", "de", "l")) == ["list"])
  }

  @Test func `a noun has its verbs and help`() {
    #expect(values(offer("event", "")) == ["add", "list", "help"])
  }

  @Test func `options are those of the command that were not given`() throws {
    let all = try #require(values(offer("list", "--")))
    #expect(all.contains("--limit") && all.contains("--json") && all.contains("--store"))
    #expect(values(offer("list", "--re")) == ["--reverse"])
    #expect(values(offer("list", "-r", "--re")) == [])
    #expect(values(offer("list", "--tag", "a", "--ta")) == ["--tag"])
    #expect(values(offer("delete", "x", "--json")) == [])
    #expect(
      values(offer("create", "--", "--")) == nil || offer("create", "--", "x", "--") == .paths)
  }

  @Test func `choices follow an option or its equals sign`() {
    #expect(values(offer("list", "--sort", "")) == ["unlock", "title", "created"])
    #expect(values(offer("list", "--sort=t")) == ["--sort=title"])
    #expect(values(offer("--color", "a")) == ["auto", "always"])
    #expect(values(offer("list", "--limit", "")) == [])
  }

  @Test func `paths are left to the shell, and the store's words to the store`() {
    #expect(offer("create", "T", "") == .paths)
    #expect(offer("create", "T", "-f", "a", "b", "") == .paths)
    #expect(offer("list", "--store", "") == .directories)
    #expect(offer("delete", "ab") == .dynamic(.capsule, prefix: "ab", lead: ""))
    #expect(offer("delete", "x", "y", "") == .dynamic(.capsule, prefix: "", lead: ""))
  }

  @Test func `options are told from operands by their bytes`() {
    #expect(values(offer("list", "--sort=\u{301}x", "--so")) == [])
    #expect(values(offer("list", "--sort=\u{301}")) == [])
    #expect(values(offer("list", "-q\u{301}", "--qu")) == [])
    #expect(values(offer("delete", "-\u{301}")) == [])
  }

  @Test func `what makes no sense offers nothing`() {
    #expect(values(offer("nonsense", "")) == ["list", "create", "delete", "move", "event"])
    #expect(values(offer("list", "x", "")) == [])
    #expect(values(offer("list", "--bogus=")) == [])
    #expect(values(offer()) != nil)
  }
}
