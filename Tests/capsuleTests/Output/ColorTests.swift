import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct ColorTests {
  @Test(
    arguments: [
      // option, environment, terminal, coloured
      (ColorChoice.auto, [:], true, true),
      (.auto, [:], false, false),
      (.auto, ["TERM": "dumb"], true, false),
      (.auto, ["NO_COLOR": "1"], true, false),
      (.auto, ["NO_COLOR": ""], true, true),
      (.auto, ["CLICOLOR_FORCE": "1"], false, true),
      (.auto, ["CLICOLOR_FORCE": "0"], false, false),
      (.auto, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1", "TERM": "dumb"], false, true),
      (.auto, ["NO_COLOR": "1", "TERM": "xterm"], true, false),
      (.always, ["NO_COLOR": "1", "TERM": "dumb"], false, true),
      (.never, ["CLICOLOR_FORCE": "1"], true, false),
    ] as [(ColorChoice, [String: String], Bool, Bool)])
  func `colours are decided by the option, then the variables, then the terminal`(
    choice: ColorChoice, environment: [String: String], isTerminal: Bool, isColored: Bool
  ) {
    var settings = RunOptions()
    settings.color = choice
    let variables = EnvironmentVariables(environment.map { Array("\($0.key)=\($0.value)".utf8) })
    let depth = ColorDepth(options: settings, environment: variables, isTerminal: isTerminal)
    expect((depth != .none) == isColored)
  }

  @Test func `there is never colour in JSON`() {
    var settings = RunOptions()
    settings.color = .always
    settings.form = .json
    let depth = ColorDepth(
      options: settings, environment: EnvironmentVariables([]), isTerminal: true)
    expect(depth, is: .none)
  }

  @Test(arguments: [
    (ColorDepth.full, "\u{1b}[38;2;255;136;0m"), (.palette, "\u{1b}[38;5;208m"),
    (.basic, "\u{1b}[33m"), (.none, ""),
  ])
  func `a colour of one's own falls back to what the terminal has`(depth: ColorDepth, code: String)
  {
    expect(Style.rgb(255, 136, 0).start(depth), is: code)
  }

  @Test(
    arguments: [
      // Too light or too dark: yellow, lime, a pale pink, white, navy, black.
      ((255, 255, 0), "33"), ((0, 255, 0), "32"), ((255, 192, 203), "39"), ((255, 255, 255), "39"),
      ((0, 0, 128), "34"), ((0, 0, 0), "39"),
    ] as [((UInt8, UInt8, UInt8), String)])
  func `a colour that a light or a dark background would hide is the terminal's own`(
    color: (UInt8, UInt8, UInt8), code: String
  ) {
    for depth in [ColorDepth.full, .palette, .basic] {
      expect(Style.rgb(color.0, color.1, color.2).start(depth), is: "\u{1b}[\(code)m")
    }
  }

  @Test func `styles are closed after each piece`() {
    var bytes: [UInt8] = []
    let text: StyledText = "a \("b", .boldRed) c"
    text.write(to: &bytes, colors: .basic)
    expect(String(decoding: bytes, as: UTF8.self), is: "a \u{1b}[1;31mb\u{1b}[0m c")
  }
}
