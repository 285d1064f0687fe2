import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What the repository keeps of the table. `Scripts/generate` writes it again.
@Suite struct GeneratedFilesTests {
  static let files = GeneratedFiles(.capsule)

  @Test(arguments: files.paths)
  func `a generated file is what the table makes`(path: String) throws {
    let kept = RepositoryFile.content(path)
    expect(kept, is: Self.files.content(path), "run Scripts/generate")
  }

  @Test(arguments: ["man", "completions"])
  func `no generated file is left over`(folder: String) {
    let kept = RepositoryFile.names(in: folder).map { folder + "/" + $0 }
    expect(Set(kept).subtracting(Self.files.paths).isEmpty, "run Scripts/generate")
  }

  @Test func `each command is on one page of the manual, and a page has one name`() {
    let pages = ManualPage.all(.capsule)
    let explained = pages.flatMap(\.commands)
    expect(explained.sorted(), is: CommandTable.capsule.visibleCommands.map(\.name).sorted())
    expect(Set(pages.map(\.fileName)).count, is: pages.count)
  }

  @Test func `the manual names the files that a store has`() throws {
    let layout = try DocumentText("docs/reference/format.md").block(
      after: "## Layout\n", language: "")
    let first = layout.split(separator: "\n").dropFirst().compactMap { line in
      line.split(separator: " ").first?.split(separator: "/").first.map(String.init)
    }
    let named = HelpTopic.storeFiles.flatMap { $0.term.split(separator: ", ") }
      .map { String($0.hasSuffix("/") ? $0.dropLast() : $0) }
    expect(Set(named), is: Set(first))
  }

  @Test func `the first screen of help is 80 columns and 24 lines`() throws {
    let lines = try HostedStore().run("help").out.split(separator: "\n")
    expect(lines.count <= 23)
    for line in lines { expect(line.count <= 80, "\(line)") }
  }

  @Test func `a page of the manual has no line that roff would take for a request`() throws {
    let topic = HelpTopic("x", summary: "Show 'a' \\ b", body: ".SH not a request\n\n  .TH\n  'x")
    let page = ReferencePage(topic).manual(version: "1")
    let known = [".\\\"", ".TH ", ".SH ", ".PP", ".RS", ".RE", ".nf", ".fi", ".TP", ".B ", ".BR "]
    for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      expect(known.contains { line.hasPrefix($0) }, "\(line)")
    }
    expect(page.contains(#"\&.SH not a request"#))
    expect(page.contains(#"\- Show \(aqa\(aq \e b"#))
  }
}
