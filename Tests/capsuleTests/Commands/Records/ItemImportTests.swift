import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What a transcript cannot show of `item import`.
@Suite struct ItemImportTests {
  /// By the program itself, which would wait without end for whoever writes into the FIFO.
  @Test func `a file that is missing, a directory, a FIFO or too large is a wrong line`() throws {
    let home = try ProgramStore()
    try home.write("12345", as: "large.bin")
    expect(mkfifo(home.path + "/fifo", 0o600), is: 0)
    try home.done("settings", "set", "maxFileSize", "4")
    let lines = ["name,files", "A,missing", "B,.", "C,fifo", "D,large.bin", "E,large.bin/x"]
    try home.write(lines.joined(separator: "\r\n") + "\r\n", as: "t.csv")
    let run = try home.run("item", "import", home.path + "/t.csv")
    expect(run.exitCode == 12 && run.err.contains("5 lines"), "\(run.err)")
    for words in [
      "t.csv:2: 'A': ", "t.csv:3: 'B': ", "t.csv:4: 'C': ", "t.csv:5: 'D': ", "t.csv:6: 'E': ",
      "not a regular file", "is a directory", "the setting 'maxFileSize'",
    ] { expect(run.err.contains(words), "\(words): \(run.err)") }
    try expect(home.json("item", "list"), is: [])
  }

  @Test func `the answer in JSON is as its schema says, for every outcome`() throws {
    let home = try HostedStore()
    try home.write("photo", as: "a.txt")
    try home.done("item", "import", try home.write("name\nSame\nOther\n", as: "t.csv"))
    let file = try home.write(
      "name,quantity,files\nNew,2,a.txt\nSame,1,\nOther,3,\nBad,0,\n", as: "u.csv")
    for more in [["--dry-run"], []] {
      let run = try home.run(["item", "import", file, "--skip-bad", "--json"] + more)
      let json = try JSON.parse(run.output)
      expect(try json.array?.count == 4 && JSONSchema("item-import").problems(of: json).isEmpty)
    }
  }
}
