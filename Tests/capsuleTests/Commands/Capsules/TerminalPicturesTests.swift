import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Pictures on a terminal: the real program in a pty, at whose other end a terminal answers as others do.
@Suite struct TerminalPicturesTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    home.environment["TERM"] = "xterm-256color"
    home.environment["NO_COLOR"] = "1"
    try home.usePrograms("sh", "cat", "wc")
  }

  private static let kitty = "\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[?62;c"
  private static let iTerm2 = "\u{1b}]1337;ReportCellSize=17.0;8.0\u{1b}\\\u{1b}[?62;4c"
  private static let sixel = "\u{1b}[?63;1;2;4c"
  private static let question = "\u{1b}[c\u{1b}8\u{1b}[K"

  private static func png() throws -> [UInt8] {
    let text =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg"
      + "gg=="
    return try require(Base64.decode(Array(text.utf8), padded: true))
  }

  private static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x04, 0x00, 0x00, 0xff, 0xd9]

  private func addItem(_ picture: [UInt8], as name: String) throws {
    try home.done("item", "add", "Ring")
    try home.done("item", "attach", "Ring", try home.write(picture, as: name))
  }

  /// Makes a program that notes its words, its room and its input, and writes a line.
  private func addProgram(_ name: String) throws {
    try home.writeProgram(
      name,
      """
      echo "$* $COLUMNS $LINES" > "\(home.path)/words"
      cat > "\(home.path)/input"
      echo drawn
      """)
  }

  private func screen(_ words: String..., answering answer: String?) throws -> String {
    let terminal = try TerminalRun(home.program(words))
    if let answer {
      try terminal.wait(for: Self.question)
      terminal.send(answer)
    }
    return String(decoding: terminal.finish().output, as: UTF8.self)
  }

  // MARK: Terminals

  @Test func `kitty draws a PNG, of its own size where that fits`() throws {
    try addItem(try Self.png(), as: "a.png")
    let screen = try screen("item", "view", "Ring", answering: Self.kitty)
    let data = Base64.encode(try Self.png(), padded: true)
    expect(screen.contains("\u{1b}_Ga=T,f=100,q=2,m=0;\(data)\u{1b}\\\r\n"))
  }

  @Test func `iTerm2 draws any picture`() throws {
    try addItem(Self.jpeg, as: "a.jpg")
    let screen = try screen("item", "view", "Ring", answering: Self.iTerm2)
    expect(screen.contains("\u{1b}]1337;File=inline=1;size=10;preserveAspectRatio=1;height=22:"))
  }

  @Test(arguments: [
    (sixel, "a.png", "sixels"), (kitty, "a.jpg", "kitty"), ("\u{1b}[?1;2c", "a.png", "symbols"),
  ])
  func `chafa draws what the terminal does not, from its standard input`(
    answer: String, name: String, format: String
  ) throws {
    let picture = name == "a.png" ? try Self.png() : Self.jpeg
    try addItem(picture, as: name)
    try addProgram("chafa")
    expect(try screen("item", "view", "Ring", answering: answer).contains("drawn\r\n"))
    expect(
      try home.text(of: "words").hasPrefix("--format \(format) --animate off --size 80x22 - "))
    try expect(home.bytes(of: "input"), is: picture)
  }

  @Test func `the program of the configuration comes before chafa`() throws {
    try addItem(try Self.png(), as: "a.png")
    for name in ["chafa", "timg"] { try addProgram(name) }
    try home.write("# mine\ncommand = timg -\n", as: ".config/capsule/pictures")
    expect(try screen("item", "view", "Ring", answering: Self.sixel).contains("drawn\r\n"))
    try expect(home.text(of: "words"), is: "- 80 22\n")
    try expect(home.bytes(of: "input"), is: Self.png())
  }

  @Test func `a terminal that does not answer is not waited for long`() throws {
    try addItem(try Self.png(), as: "a.png")
    try addProgram("chafa")
    let clock = ContinuousClock()
    let start = clock.now
    expect(try screen("item", "view", "Ring", answering: nil).contains("drawn\r\n"))
    expect(clock.now - start < .seconds(5))
    expect(try home.text(of: "words").hasPrefix("--format symbols"))
  }

  @Test func `nothing of the answer is left for the shell, and keys typed ahead stay`() throws {
    try addItem(try Self.png(), as: "a.png")
    try addProgram("chafa")
    let script = """
      sleep 0.3; "\(BuiltProgram.path)" item view Ring; echo shown; read -r line; echo "got [$line]"
      """
    var run = ProgramRun(shell: script, environment: home.environment)
    run.environment["PATH"] = (home.environment["PATH"] ?? "") + ":/usr/bin:/bin"
    let asked = try TerminalRun(run)
    try asked.wait(for: Self.question)
    asked.send(Self.kitty)
    try asked.wait(for: "shown")
    asked.send("next\n")
    expect(String(decoding: asked.finish().output, as: UTF8.self).contains("got [next]"))
    let typed = try TerminalRun(run)
    typed.send("early\n")
    try typed.wait(for: "got [early]")
    expect(!String(decoding: typed.finish().output, as: UTF8.self).contains("\u{1b}_G"))
  }

  @Test func `where nothing can show it, the program to install is named`() throws {
    try addItem(try Self.png(), as: "a.png")
    let terminal = try TerminalRun(home.program(["item", "view", "Ring"]))
    let result = terminal.finish()
    expect(result.end, is: .exited(Int32(ExitCode.io.rawValue)))
    expect(String(decoding: result.output, as: UTF8.self).contains("'chafa' shows pictures"))
  }

  // MARK: Where not

  @Test func `inside tmux nothing is asked, unless the setting says so`() throws {
    try addItem(try Self.png(), as: "a.png")
    home.environment["TMUX"] = "/tmp/tmux-0/default,1,0"
    let before = try screen("item", "view", "Ring", answering: nil)
    expect(!before.contains("\u{1b}_G"))
    let words = before.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    expect(words.contains("capsule settings set pictures always"), "\(words)")
    expect(words.contains("'set -g allow-passthrough on' in tmux.conf"), "\(words)")
    try home.done("settings", "set", "pictures", "always")
    let after = try screen("item", "view", "Ring", answering: Self.kitty)
    expect(after.contains("\u{1b}_Ga=T") && !after.contains("allow-passthrough"))
  }

  @Test
  func `the desktop shows it where that is asked for, or no picture is to be on the terminal`()
    throws
  {
    try addItem(try Self.png(), as: "a.png")
    try addProgram("xdg-open")
    expect(try !screen("item", "view", "Ring", "--desktop", answering: nil).contains("\u{1b}_G"))
    expect(try home.text(of: "words").contains("a.png"))
    try home.remove("words")
    try home.done("settings", "set", "pictures", "off")
    expect(try !screen("item", "view", "Ring", answering: nil).contains("\u{1b}_G"))
    expect(try home.text(of: "words").contains("a.png"))
  }

  @Test func `a pipe gets no picture and the terminal no question`() throws {
    try home.createUnlocked("C", "--text", "words", try home.write(Self.png(), as: "a.png"))
    let terminal = try TerminalRun(home.program(["open", "C", "--json"]), pipedOutput: true)
    let result = terminal.finish()
    expect(!result.output.contains(0x1b) && !result.errorOutput.contains(0x1b))
    let shown = try TerminalRun(home.program(["open", "C", "--json"])).finish()
    expect(!String(decoding: shown.output, as: UTF8.self).contains("\u{1b}_G"))
  }

  @Test func `bytes that are not a picture's go to no program, whatever their record says`() throws
  {
    try addItem(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), as: "a.svg")
    let id = try require(try home.json("item", "show", "Ring")["id"]?.string)
    let path = try home.record(id)
    var fields = try require(try JSON.parse(home.bytes(of: path)).object)
    var media = try require(fields["media"]?.array?.first?.object)
    (media["name"], media["mediaType"]) = (.string("a.png"), .string("image/png"))
    fields["media"] = .array([.object(media)])
    try home.write(RecordFile.encode(fields), as: path)
    for name in ["chafa", "xdg-open"] { try addProgram(name) }
    let screen = try screen("item", "view", "Ring", answering: Self.sixel)
    expect(
      screen.contains("not really image/png") && !screen.contains("drawn"), "\(screen)"
    )
    expect(home.names(in: "")?.contains("words") == false)
  }

  // MARK: open, view and play of a capsule

  @Test func `open shows pictures beneath their names, in half of the screen`() throws {
    try home.createUnlocked(
      "C", "--text", "first words", try home.write(Self.jpeg, as: "a.jpg"), "--text", "last words")
    let screen = try screen("open", "C", answering: Self.iTerm2)
    let places = [
      "first words", "a.jpg", "]1337;File=inline=1;size=10;", ";height=12:", "last words",
    ]
    .map { screen.range(of: $0)?.lowerBound }
    expect(!places.contains(nil) && places.compactMap { $0 } == places.compactMap { $0 }.sorted())
  }

  @Test func `open asks nothing where no picture is in the capsule`() throws {
    try home.createUnlocked("C", "--text", "words")
    expect(try !screen("open", "C", answering: nil).contains("\u{1b}["))
  }

  @Test func `open says how long a sound is`() throws {
    // A second of silence: 8000 samples of a byte.
    func little(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
    }
    let format =
      little(1, 2) + little(1, 2) + little(8000, 4) + little(8000, 4) + little(1, 2) + little(8, 2)
    let sound =
      Array("RIFF".utf8) + little(36 + 8000, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + format
      + Array("data".utf8) + little(8000, 4) + [UInt8](repeating: 0x80, count: 8000)
    try home.createUnlocked("C", try home.write(sound, as: "a.wav"))
    expect(try screen("open", "C", answering: nil).contains("7.8 KiB  1.0 s"))
  }

  @Test func `view takes the content by its option, as by its operand`() throws {
    try home.createUnlocked("C", "--text", "words", try home.write(Self.png(), as: "a.png"))
    for words in [["-c", "2"], ["--content", "a.png"], ["2"]] {
      let terminal = try TerminalRun(home.program(["view", "C"] + words))
      try terminal.wait(for: Self.question)
      terminal.send(Self.kitty)
      expect(String(decoding: terminal.finish().output, as: UTF8.self).contains("\u{1b}_Ga=T"))
    }
    expect(try home.refusal(.usage, "view", "C", "2", "-c", "2").contains("given twice"))
    expect(try home.refusal(.usage, "play", "C", "2", "-c", "2").contains("given twice"))
  }
}
