import CapsulePlatform

/// The numbers of columns and rows of a terminal.
struct TerminalSize: Hashable, Sendable {
  var columns: Int
  var rows: Int
  /// The pixels of all columns and of all rows; 0 where the terminal does not say.
  var pixels = Pixels()

  struct Pixels: Hashable, Sendable {
    var width = 0
    var height = 0
  }

  /// The pixels of a character; `nil` where the terminal does not say.
  var cell: (width: Double, height: Double)? {
    guard pixels.width > 0, pixels.height > 0, columns > 0, rows > 0 else { return nil }
    return (Double(pixels.width) / Double(columns), Double(pixels.height) / Double(rows))
  }

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// Reads the size of the descriptor's terminal, if it has one.
  static func of(_ descriptor: Int32) -> TerminalSize? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    var found = TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    found.pixels = Pixels(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel))
    return found
  }
}
