import CapsuleCore

/// The look of a piece of text.
struct Style: Hashable, Sendable {
  var isBold = false
  var isDim = false
  var isUnderlined = false
  var color: Color?

  init(
    isBold: Bool = false, isDim: Bool = false, isUnderlined: Bool = false, color: Color? = nil
  ) {
    self.isBold = isBold
    self.isDim = isDim
    self.isUnderlined = isUnderlined
    self.color = color
  }

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
      switch depth {
      case .full: "38;2;\(red);\(green);\(blue)"
      case .palette: "38;5;\(Self.palette(red, green, blue))"
      case .basic, .none: String(Self.basic(red, green, blue))
      }
    }
  }

  /// Returns the nearest of the 6×6×6 cube of the 256 colours.
  private static func palette(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    func level(_ value: UInt8) -> Int {
      value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40
    }
    return 16 + 36 * level(red) + 6 * level(green) + level(blue)
  }

  /// Returns the nearest of the eight, by which components are strong.
  private static func basic(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    let strongest = Int(max(red, green, blue))
    if strongest < 40 { return 37 }
    func bit(_ value: UInt8) -> Int { Int(value) * 2 > strongest ? 1 : 0 }
    return 30 + bit(red) + 2 * bit(green) + 4 * bit(blue)
  }
}
