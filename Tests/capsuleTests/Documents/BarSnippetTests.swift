import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The snippets for status bars in `contrib/bars`, run as the bars run them.
@Suite struct BarSnippetTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    try home.done(
      "event", "add", "A & <b> %{F#f00} #[x]", "--on", "2090-01-01", "--text-color", "red")
  }

  private func snippet(_ name: String) throws -> String {
    try String(
      contentsOfFile: BuiltProgram.packageRoot + "contrib/bars/" + name, encoding: .utf8)
  }

  /// What the shell prints for a command line of a snippet, with the program in its PATH.
  private func run(_ line: Substring) throws -> String {
    expect(line.hasPrefix("capsule status --format "))
    let result = try home.shell("capsule() { $capsule \"$@\"; }; " + line)
    expect(result.exitCode, is: 0, "\(result.err)")
    return result.out
  }

  @Test func `the module of Waybar prints an object with text, tooltip and class`() throws {
    let text = try snippet("waybar.jsonc").split(separator: "\n").filter { !$0.hasPrefix("//") }
    let config = try JSON.parse(Array(text.joined(separator: "\n").utf8))
    let module = try require(config["custom/capsule"])
    expect(module["return-type"], is: "json")
    let line = try require(module["exec"]?.string)
    let object = try JSON.parse(Array(try run(Substring(line)).utf8))
    expect(object["text"]?.string?.hasPrefix("A &amp; &lt;b&gt;"), is: true)
    expect(object["tooltip"] != nil && object["class"]?.string == "upcoming")
  }

  @Test func `the line of tmux has its signs doubled`() throws {
    let match = try require(try snippet("tmux.conf").firstMatch(of: /#\((capsule [^)]*)\)/))
    expect(try run(match.1).hasPrefix("A & <b> %%{F##f00} ##[x] in "))
  }

  @Test func `the block of i3blocks has the text, a short text and a colour`() throws {
    let match = try require(try snippet("i3blocks.conf").firstMatch(of: /command=(.*)/))
    let lines = try run(match.1).split(separator: "\n")
    expect(lines.count, is: 3)
    expect(lines[0].hasPrefix("A & <b> ") && lines[1].hasPrefix("in "))
    expect(lines[2].wholeMatch(of: /#[0-9a-f]{6}/) != nil)
  }

  @Test func `the module of polybar has no tag of a title's`() throws {
    let match = try require(try snippet("polybar.ini").firstMatch(of: /exec = (.*)/))
    let line = try run(match.1)
    expect(line.hasPrefix("A & <b> ") && !line.contains("%{") && line.contains("F#f00"))
  }

  @Test func `the plugin of SwiftBar has a line, a menu and a colour`() throws {
    let bin = home.path + "/bin"
    let program = try home.shell("printf %s \"$capsule\"").out
    try home.writeProgram("capsule", "exec '\(program)' \"$@\"")
    let path = BuiltProgram.packageRoot + "contrib/bars/capsule.1m.sh"
    let result = try home.shell("PATH=\(bin):$PATH sh '\(path)'")
    let lines = result.out.split(separator: "\n")
    expect(lines.count == 3 && lines[0].contains(" | color=#") && lines[1] == "---", "\(result)")
  }
}
