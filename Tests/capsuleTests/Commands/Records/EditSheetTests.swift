import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Records that are changed in an editor, on a real terminal.
@Suite(.ownThread) struct EditSheetTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    try home.done("item", "add", "Ring", "--value", "EUR 1200", "--tag", "gold")
  }

  /// Edits the ring with an editor that is a script: `$1` is the file, and `$n` the number of the time.
  private func edit(_ script: String) throws -> ProgramRun.Result {
    let counting = "n=$(cat n 2>/dev/null || echo 0); n=$((n + 1)); echo $n > n\n"
    try home.write(
      "cp \"$1\" before-$(cat n 2>/dev/null || echo 0)\n\(counting)\(script)\n", as: "ed")
    var run = home.program(["item", "edit", "Ring"])
    run.environment["VISUAL"] = "sh \(home.path)/ed"
    return try TerminalRun(run).finish()
  }

  @Test func `what cannot be done is shown above its line, until it is right`() throws {
    let result = try edit(
      """
      case $n in
      1) sed -i.old 's/^value: .*/value: 1.400 EUR/; s/^quantity: .*/quantity: 2/' "$1" ;;
      2) sed -i.old 's/^value: .*/value: EUR 1400/' "$1" ;;
      esac
      """)
    expect(result.end, is: .exited(0), "\(result.out)")
    let sheet = try home.text(of: "before-1")
    let lines = sheet.split(separator: "\n")
    let error = try require(lines.firstIndex { $0.hasPrefix("# error: ") }, "\(sheet)")
    expect(lines[error].contains("1.400"), "\(sheet)")
    expect(
      lines[error + 1].hasPrefix("# hint: ") && lines[error + 2] == "value: 1.400 EUR", "\(sheet)")
    expect(lines.contains("quantity: 2"), "\(sheet)")
    let shown = try home.json("item", "show", "Ring")
    expect(shown["value"]?["amount"]?.string, is: "1400.00")
    expect(shown["quantity"], is: 2)
    expect(home.files(below: ".local/share/capsule/tmp"), is: [])
  }

  @Test func `whoever leaves the error in the sheet keeps it, and nothing is changed`() throws {
    let result = try edit("[ $n -gt 1 ] || sed -i.old 's/^location:.*/place: Safe/' \"$1\"")
    expect(result.end, is: .exited(2), "\(result.out)")
    expect(result.out.contains("'place: Safe' is not a field"), "\(result.out)")
    expect(result.out.contains("the draft is kept in"), "\(result.out)")
    try expect(home.json("item", "show", "Ring")["revision"], is: 1)
  }

  @Test func `an editor that never gets it right is not opened for ever`() throws {
    let result = try edit("echo \"what $n\" >> \"$1\"")
    expect(result.end, is: .exited(2), "\(result.out)")
    try expect(home.text(of: "n"), is: "20\n")
  }

  @Test func `a line that is taken out is a value that is removed`() throws {
    let result = try edit("sed -i.old '/^value:/d; /^tag:/d' \"$1\"")
    expect(result.end, is: .exited(0), "\(result.out)")
    let shown = try home.json("item", "show", "Ring")
    expect(shown["value"], is: .null)
    expect(shown["tags"], is: [])
  }

  @Test func `an empty file changes nothing`() throws {
    let result = try edit(": > \"$1\"")
    expect(result.end, is: .exited(12), "\(result.out)")
    expect(result.out.contains("nothing was changed"), "\(result.out)")
    try expect(home.json("item", "show", "Ring")["revision"], is: 1)
  }

  @Test func `Windows line ends are no change`() throws {
    let result = try edit("sed -i.old 's/$/\\r/' \"$1\"")
    expect(result.end, is: .exited(0), "\(result.out)")
    expect(result.out.contains("Nothing changed."), "\(result.out)")
  }
}
