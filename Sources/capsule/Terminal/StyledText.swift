import CapsuleCore

/// The choice of when colours are used.
enum ColorChoice: String, CaseIterable, Sendable {
  case auto, always, never
}

/// The look of a piece of text.
struct Style: Hashable, Sendable {
  var isBold = false
  var isDim = false
  var isUnderlined = false
  var color: Color?

  static let plain = Style()
  static let bold = Style(isBold: true)
  static let dim = Style(isDim: true)
  static let red = Style(color: .red)
  static let green = Style(color: .green)
  static let yellow = Style(color: .yellow)
  static let blue = Style(color: .blue)
  static let cyan = Style(color: .cyan)
  static let boldRed = Style(isBold: true, color: .red)

  /// Returns a style with any colour; terminals without so many show the nearest that they have.
  static func rgb(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Style {
    Style(color: .rgb(red, green, blue))
  }

  /// Returns the sequence that turns it on; empty when the stream has no colours.
  func start(_ depth: ColorDepth) -> String {
    guard depth != .none else { return "" }
    var codes: [String] = []
    if isBold { codes.append("1") }
    if isDim { codes.append("2") }
    if isUnderlined { codes.append("4") }
    if let color { codes.append(color.code(depth)) }
    return codes.isEmpty ? "" : "\u{1b}[" + codes.joined(separator: ";") + "m"
  }

  static let reset = "\u{1b}[0m"
}

/// The number of colours that a stream has.
enum ColorDepth: Comparable, Sendable {
  case none, basic, palette, full
}

/// The colour of text.
enum Color: Hashable, Sendable {
  case red, green, yellow, blue, cyan
  case rgb(UInt8, UInt8, UInt8)

  func code(_ depth: ColorDepth) -> String {
    switch self {
    case .red: "31"
    case .green: "32"
    case .yellow: "33"
    case .blue: "34"
    case .cyan: "36"
    case .rgb(let red, let green, let blue):
      switch Self.isSeen(red, green, blue) ? depth : .basic {
      case .full: "38;2;\(red);\(green);\(blue)"
      case .palette: "38;5;\(Self.palette(red, green, blue))"
      case .basic, .none: String(Self.basic(red, green, blue))
      }
    }
  }

  /// Whether a colour is neither too light for a white background nor too dark for a black one: about 2 to 1 in
  /// contrast. The terminal's own colours are made for its background.
  private static func isSeen(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Bool {
    func square(_ value: UInt8) -> Int { Int(value) * Int(value) }
    let luminance =
      (2126 * square(red) + 7152 * square(green) + 722 * square(blue)) / square(.max)
    return (400...4500).contains(luminance)
  }

  /// Returns the nearest of the 6×6×6 cube of the 256 colours.
  private static func palette(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    func level(_ value: UInt8) -> Int {
      value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40
    }
    return 16 + 36 * level(red) + 6 * level(green) + level(blue)
  }

  /// Returns the nearest of the eight, by which components are strong; the terminal's own colour of text in place
  /// of black and white, of which it has one as background.
  private static func basic(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    let strongest = Int(max(red, green, blue))
    func bit(_ value: UInt8) -> Int { Int(value) * 2 > strongest ? 1 : 0 }
    let color = bit(red) + 2 * bit(green) + 4 * bit(blue)
    return strongest < 40 || color == 7 ? 39 : 30 + color
  }
}

/// One line of text with styles: interpolated text is made harmless.
///
///     out.line("\(title, .bold) is locked until \(date).")
struct StyledText: ExpressibleByStringInterpolation, Sendable {
  struct Run: Sendable {
    var text: String
    var style: Style
    /// The detail of a table that it is; `nil` where a row always has it.
    var detail: TableDetail?

    func write(to bytes: inout [UInt8], _ colors: ColorDepth) {
      let start = style.start(colors)
      if !start.isEmpty { bytes += start.utf8 }
      // A copy of memory, where a view of UTF-8 is gone through.
      let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { bytes += $0 }
      if isCopied == nil { bytes += text.utf8 }
      if !start.isEmpty { bytes += Style.reset.utf8 }
    }
  }

  /// The first run stands by itself: most texts have no other, and take no memory of their own.
  private var first: Run?
  private var rest: [Run] = []

  /// Text of the program's own, as it stands.
  init(stringLiteral value: String) {
    append(value, .plain)
  }

  init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.text
  }

  /// No text.
  init() {}

  /// Text of the program's own that a table on a narrow terminal goes without.
  init(_ text: String, detail: TableDetail?) {
    append(Run(text: text, style: .plain, detail: detail))
  }

  /// Text from anywhere, made harmless.
  init(_ text: String, _ style: Style = .plain) {
    append(SafeText.line(text), style)
  }

  /// The number of columns that it takes.
  var width: Int {
    runs.reduce(0) { $0 + TextWidth.of($1.text) }
  }

  /// The text without styles.
  var plain: String {
    rest.reduce(into: first?.text ?? "") { $0 += $1.text }
  }

  /// Returns a line of it and what must not be cut behind it: this one is where there are too few
  /// columns for both, and goes where there is none left.
  func followed(by end: StyledText, width: Int?) -> StyledText {
    let room = width.map { $0 - 2 - end.width } ?? .max
    return room < 1 ? end : "\(cut(to: room))  \(end)"
  }

  static func + (left: StyledText, right: StyledText) -> StyledText {
    var result = left
    result += right
    return result
  }

  static func += (left: inout StyledText, right: StyledText) {
    guard let first = right.first else { return }
    left.append(first)
    for run in right.rest { left.append(run) }
  }

  private mutating func append(_ text: String, _ style: Style) {
    append(Run(text: text, style: style))
  }

  private mutating func append(_ run: Run) {
    if run.text.isEmpty { return }
    if first == nil { first = run } else { rest.append(run) }
  }

  var isEmpty: Bool { first == nil }

  private var runs: [Run] {
    first.map { [$0] + rest } ?? []
  }

  /// Whether a part of it is a detail.
  var hasDetails: Bool {
    first?.detail != nil || rest.contains { $0.detail != nil }
  }

  /// Returns it without the details that a form of a table does not show.
  func without(_ form: Table.Form) -> StyledText {
    guard hasDetails else { return self }
    var result = StyledText()
    for run in runs where form.shows(run.detail) { result.append(run) }
    return result
  }

  /// Returns the first columns of it, with `…` at the end when something is cut.
  func cut(to columns: Int) -> StyledText {
    guard width > columns else { return self }
    var result = StyledText()
    var left = columns - 1
    var style = Style.plain
    for run in runs where left >= 0 {
      let part = TextWidth.prefix(of: run.text, columns: left)
      if !part.isEmpty { style = run.style }
      result.append(part, style)
      left -= TextWidth.of(part)
      if part != run.text { break }
    }
    if columns > 0 { result.append("…", style) }
    return result
  }

  /// Returns it on lines of at most so many columns, as ``WordWrap`` breaks them.
  ///
  /// - Parameter indent: the columns before each line but the first; without it, two more than the text has.
  func wrapped(to columns: Int, indent: Int? = nil) -> [StyledText] {
    guard width > columns else { return [self] }
    let text = Array(plain.utf8)
    let indent = indent ?? text.prefix { $0 == UInt8(ascii: " ") }.count + 2
    return WordWrap.lines(of: text, columns: columns, rest: WordWrap.spaces(indent)).map { line in
      StyledText(String(decoding: line.indent, as: UTF8.self)) + part(line.bytes)
    }
  }

  /// Returns the part of it between two places of its UTF-8 that are between characters.
  private func part(_ bytes: Range<Int>) -> StyledText {
    var result = StyledText()
    var start = 0
    for run in runs {
      let text = run.text.utf8
      let range = bytes.clamped(to: start..<start + text.count)
      start += text.count
      guard !range.isEmpty else { continue }
      let (lower, upper) = (
        range.lowerBound + text.count - start, range.upperBound + text.count - start
      )
      result.append(
        String(decoding: text.dropFirst(lower).prefix(upper - lower), as: UTF8.self), run.style)
    }
    return result
  }

  func write(to bytes: inout [UInt8], colors: ColorDepth) {
    guard let first else { return }
    first.write(to: &bytes, colors)
    for run in rest { run.write(to: &bytes, colors) }
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = StyledText()

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) {
      text.append(literal, .plain)
    }

    mutating func appendInterpolation(_ value: String, _ style: Style = .plain) {
      text.append(SafeText.line(value), style)
    }

    mutating func appendInterpolation(_ value: StyledText) {
      text += value
    }

    mutating func appendInterpolation(
      _ value: some CustomStringConvertible, _ style: Style = .plain
    ) {
      text.append(SafeText.line(value.description), style)
    }
  }
}

extension ColorDepth {
  /// Decides for one stream: the option, `CLICOLOR_FORCE`, `NO_COLOR`, `TERM=dumb`, then whether it
  /// is a terminal; never in JSON.
  init(options: RunOptions, environment: EnvironmentVariables, isTerminal: Bool) {
    guard options.form == .text, Self.isWanted(options.color, environment, isTerminal) else {
      self = .none
      return
    }
    let truecolor = environment.text("COLORTERM") ?? ""
    if truecolor == "truecolor" || truecolor == "24bit" {
      self = .full
    } else if environment.text("TERM")?.contains(run: "256color") ?? false {
      self = .palette
    } else {
      self = .basic
    }
  }

  private static func isWanted(
    _ choice: ColorChoice, _ environment: EnvironmentVariables, _ isTerminal: Bool
  ) -> Bool {
    switch choice {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if let force = environment.text("CLICOLOR_FORCE"), !force.isEmpty, force != "0" { return true }
    if !(environment.text("NO_COLOR") ?? "").isEmpty { return false }
    if environment.text("TERM") == "dumb" { return false }
    return isTerminal
  }
}
