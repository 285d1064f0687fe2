import CapsuleCore
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct TableTests {
  private func shown(_ table: Table, columns: Int?) -> [String] {
    let record = TestHost.Record()
    var host = TestHost("x")
    host.columns = columns
    let session = Session(
      host: host.host(record), options: RunOptions())
    session.console.out.table(table)
    try? session.console.out.flush()
    return record.state.withLock { String(decoding: $0.output, as: UTF8.self) }
      .split(separator: "\n").map(String.init)
  }

  private var table: Table {
    var table = Table([
      .init("State"), .init("Title", flexible: true), .init("Size", .trailing), .init("Tags"),
    ])
    table.row("locked", StyledText("Letter to myself, in ten years"), "1.4 KiB", "family")
    table.row("open", StyledText("東京"), "20 B", "")
    return table
  }

  @Test func `on a terminal columns are aligned and no line ends with spaces`() {
    let lines = shown(table, columns: 80).map { $0.filter { $0 != "\u{1b}" } }
    expect(lines[1], is: "locked  Letter to myself, in ten years  1.4 KiB  family")
    expect(lines[2], is: "open    東京                               20 B")
  }

  @Test(arguments: [20, 30, 40, 55])
  func `on a narrow terminal the flexible column is cut and no line is wider`(columns: Int) {
    for line in shown(table, columns: columns).dropFirst() {
      expect(TextWidth.of(line) <= columns, "\(line)")
    }
    expect(shown(table, columns: 40)[1], is: "locked  Letter to myse…  1.4 KiB  family")
  }

  @Test func `elsewhere fields are parted by tabs, whole, without a header`() {
    expect(
      shown(table, columns: nil),
      is: [
        "locked\tLetter to myself, in ten years\t1.4 KiB\tfamily", "open\t東京\t20 B\t",
      ])
  }

  @Test func `a title with a line break or a tab does not break its row`() {
    var table = Table([.init("Title")])
    let title = "a\nb\tc"
    table.row("\(title)")
    expect(shown(table, columns: nil), is: [#"a\nb\tc"#])
    expect(shown(table, columns: 40).count, is: 2)
  }
}

@Suite struct ByteSizeTests {
  @Test(arguments: [
    (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_434, "1.4 KiB"), (20_971_520, "20 MiB"),
    (10_239, "9.9 KiB"), (1_073_741_824, "1.0 GiB"), (1_048_575, "1023 KiB"),
    (.max, "8191 PiB"),
  ])
  func `a size has at most three digits and a binary unit`(bytes: Int64, text: String) {
    expect(ByteSize.text(bytes), is: text)
  }
}
