import CapsuleCore

/// One line of text with styles: interpolated text is made harmless.
///
///     out.line("\(title, .bold) is locked until \(date).")
struct StyledText: ExpressibleByStringInterpolation, Sendable {
  struct Run: Sendable {
    var text: String
    var style: Style
    /// The detail of a table that it is; `nil` where a row always has it.
    var detail: TableDetail?
  }

  private(set) var runs: [Run] = []

  /// Text of the program's own, as it stands.
  init(stringLiteral value: String) {
    append(value, .plain)
  }

  init(stringInterpolation: StringInterpolation) {
    runs = stringInterpolation.text.runs
  }

  /// No text.
  init() {}

  /// Text of the program's own that a table on a narrow terminal goes without.
  init(_ text: String, detail: TableDetail?) {
    if !text.isEmpty { runs.append(Run(text: text, style: .plain, detail: detail)) }
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
    runs.count == 1 ? runs[0].text : runs.reduce(into: "") { $0 += $1.text }
  }

  /// Returns a line of it and what must not be cut behind it: this one is where there are too few
  /// columns for both, and goes where there is none left.
  func followed(by end: StyledText, width: Int?) -> StyledText {
    let room = width.map { $0 - 2 - end.width } ?? .max
    return room < 1 ? end : "\(cut(to: room))  \(end)"
  }

  static func + (left: StyledText, right: StyledText) -> StyledText {
    var result = left
    result.runs += right.runs
    return result
  }

  static func += (left: inout StyledText, right: StyledText) {
    left.runs += right.runs
  }

  private mutating func append(_ text: String, _ style: Style) {
    if !text.isEmpty { runs.append(Run(text: text, style: style)) }
  }

  /// Whether a part of it is a detail.
  var hasDetails: Bool {
    runs.contains { $0.detail != nil }
  }

  /// Returns it without the details that a form of a table does not show.
  func without(_ form: Table.Form) -> StyledText {
    guard hasDetails else { return self }
    var result = self
    result.runs.removeAll { !form.shows($0.detail) }
    return result
  }

  /// Returns the first columns of it, with `…` at the end when something is cut.
  func cut(to columns: Int) -> StyledText {
    guard width > columns else { return self }
    var result = StyledText()
    var left = columns - 1
    for run in runs where left >= 0 {
      let part = TextWidth.prefix(of: run.text, columns: left)
      result.append(part, run.style)
      left -= TextWidth.of(part)
      if part != run.text { break }
    }
    if columns > 0 { result.append("…", result.runs.last?.style ?? .plain) }
    return result
  }

  func write(to bytes: inout [UInt8], colors: ColorDepth) {
    for run in runs {
      let start = run.style.start(colors)
      bytes += start.utf8
      bytes += run.text.utf8
      if !start.isEmpty { bytes += Style.reset.utf8 }
    }
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
