import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct ProseTests {
  @Test func `each line that begins with a hyphen is an item of its own`() {
    let text = "It holds\n\n- one\nand more\n- two\n\nand ends."
    expect(
      ProseBlock.blocks(of: text),
      is: [.paragraph("It holds"), .list(["one and more", "two"]), .paragraph("and ends.")])
  }

  @Test func `lines that stand as they are end a list`() {
    expect(ProseBlock.blocks(of: "- one\n  capsule"), is: [.list(["one"]), .verbatim(["capsule"])])
  }

  @Test func `help begins each item of a list on a line of its own`() throws {
    let items = ProseBlock.blocks(of: EstateCommand.command.discussion).flatMap { block in
      if case .list(let items) = block { items } else { [] }
    }
    let lines = try HostedStore().run("help", "estate", "make").out.split(separator: "\n")
    expect(items.count > 1)
    expect(lines.count { $0.hasPrefix("- ") }, is: items.count)
  }
}
