import CapsuleCore

/// The ways by which terminals draw pictures.
enum TerminalGraphics: Hashable, Sendable {
  /// The graphics protocol of kitty, which takes PNG.
  case kitty
  /// OSC 1337 of iTerm2, which takes every file that the system can show.
  case iTerm2
  /// Sixel (DEC STD 070), drawn by another program.
  case sixel

  /// Asks for each of them, and for the device attributes behind, which every terminal answers.
  ///
  /// The text that an old terminal may print for it is erased: the cursor is kept before and comes
  /// back.
  static let question = Array(
    ("\u{1b}7" + "\u{1b}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1b}\\"
      + "\u{1b}]1337;ReportCellSize\u{1b}\\" + "\u{1b}[>q" + "\u{1b}[c" + "\u{1b}8\u{1b}[K").utf8)

  /// The longest time, in nanoseconds, that an answer is waited for.
  static let patience: Int64 = 400_000_000

  /// Finds the best way that a terminal answered to have; `nil` for none.
  init?(answers: [[UInt8]]) {
    if answers.contains(where: Self.isYesOfKitty) {
      self = .kitty
    } else if answers.contains(where: { answer in
      ["\u{1b}]1337;ReportCellSize=", "\u{1b}P>|iTerm2"].contains { answer.starts(with: $0.utf8) }
    }) {
      self = .iTerm2
    } else if answers.contains(where: Self.hasSixel) {
      self = .sixel
    } else {
      return nil
    }
  }

  private static func isYesOfKitty(_ answer: [UInt8]) -> Bool {
    guard answer.starts(with: "\u{1b}_G".utf8) else { return false }
    let parts = String(decoding: answer.dropFirst(3), as: UTF8.self).parts(at: ";")
    return parts.count == 2 && parts[0].parts(at: ",").contains("i=31") && parts[1] == "OK"
  }

  /// Whether device attributes have a 4; the first number is the terminal's class.
  private static func hasSixel(_ answer: [UInt8]) -> Bool {
    guard answer.starts(with: "\u{1b}[?".utf8), answer.last == UInt8(ascii: "c") else {
      return false
    }
    let numbers = String(decoding: answer.dropFirst(3).dropLast(), as: UTF8.self).parts(at: ";")
    return numbers.dropFirst().contains("4")
  }

  /// The room of a picture on the screen.
  enum Extent: Hashable, Sendable {
    /// Its own size.
    case own
    case columns(Int)
    case rows(Int)

    /// Fits a picture into a box, no larger than it is.
    ///
    /// - Parameters:
    ///   - facts: its pixels; without them it takes all rows.
    ///   - cell: the pixels of a character.
    init(_ facts: MediaFacts, in box: TerminalSize, cell: (width: Double, height: Double)) {
      guard let width = facts.width, let height = facts.height, width > 0, height > 0 else {
        self = .rows(box.rows)
        return
      }
      let columns = Double(width) / cell.width / Double(max(box.columns, 1))
      let rows = Double(height) / cell.height / Double(max(box.rows, 1))
      if columns <= 1, rows <= 1 {
        self = .own
      } else {
        self = columns > rows ? .columns(box.columns) : .rows(box.rows)
      }
    }
  }

  /// The first bytes of a PNG (RFC 2083 §3.1).
  private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  /// Returns the bytes by which the terminal itself draws a picture; `nil` where another program has to.
  func drawing(_ picture: [UInt8], _ extent: Extent) -> [UInt8]? {
    switch self {
    case .kitty: picture.starts(with: Self.png) ? Self.kitty(picture, extent) : nil
    case .iTerm2: Self.iTerm2(picture, extent)
    case .sixel: nil
    }
  }

  /// Sends a PNG in pieces of at most 4096 characters; `q=2` keeps the terminal from answering.
  private static func kitty(_ picture: [UInt8], _ extent: Extent) -> [UInt8] {
    let data = Array(Base64.encode(picture, padded: true).utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(data.count + data.count / 256 + 64)
    let size =
      switch extent {
      case .own: ""
      case .columns(let count): ",c=\(count)"
      case .rows(let count): ",r=\(count)"
      }
    for start in stride(from: 0, to: data.count, by: 4096) {
      let end = min(start + 4096, data.count)
      let first = start == 0 ? "a=T,f=100,q=2\(size)," : "q=2,"
      bytes += "\u{1b}_G\(first)m=\(end < data.count ? 1 : 0);".utf8
      bytes += data[start..<end]
      bytes += "\u{1b}\\".utf8
    }
    return bytes
  }

  private static func iTerm2(_ picture: [UInt8], _ extent: Extent) -> [UInt8] {
    let size =
      switch extent {
      case .own: ""
      case .columns(let count): ";width=\(count)"
      case .rows(let count): ";height=\(count)"
      }
    return Array(
      "\u{1b}]1337;File=inline=1;size=\(picture.count);preserveAspectRatio=1\(size):".utf8)
      + Base64.encode(picture, padded: true).utf8 + [0x07]
  }

  /// The name that `chafa` has for the form; characters without any.
  static func chafaFormat(_ graphics: TerminalGraphics?) -> String {
    switch graphics {
    case .kitty: "kitty"
    case .iTerm2: "iterm"
    case .sixel: "sixels"
    case nil: "symbols"
    }
  }
}
