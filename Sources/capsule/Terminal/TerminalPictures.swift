import CapsuleCore

/// Shows pictures on the user's terminal: by the terminal itself where it answered that it can, else by the
/// program of the configuration, else by `chafa`. They get the bytes on standard input, and no file.
struct TerminalPictures {
  /// The most bytes of a picture that is shown so.
  static let limit: Int64 = 32 << 20

  private let session: Session
  private let graphics: TerminalGraphics?
  private let command: String?
  private let box: TerminalSize
  private let cell: (width: Double, height: Double)

  /// Asks the terminal what it can; `nil` where pictures are not to be shown: elsewhere than on a terminal, in
  /// JSON, by the setting, and inside tmux or screen unless the setting says so.
  ///
  /// - Parameter isHalf: whether a picture takes at most half of the screen, rather than all of it.
  init?(_ session: Session, _ settings: StoreSettings, isHalf: Bool) throws {
    let out = session.console.out
    let term = session.environment.text("TERM") ?? "dumb"
    guard out.isTerminal, session.options.form == .text, term != "dumb",
      let columns = out.width, let rows = out.height
    else { return nil }
    switch settings.pictures {
    case .off: return nil
    case .auto where Self.isInMultiplexer(session.environment):
      if !isHalf { Self.sayWhatToSet(session) }
      return nil
    case .auto, .always: break
    }
    self.session = session
    command = try Self.command(session)
    // The prompt that follows is seen too.
    box = TerminalSize(columns: columns, rows: max(1, isHalf ? rows / 2 : rows - 2))
    cell = session.host.output.size()?.cell ?? (8, 16)
    graphics = try Self.graphics(session, term: term)
  }

  private static func graphics(_ session: Session, term: String) throws -> TerminalGraphics? {
    // The console of Linux draws none, and prints the question.
    guard term != "linux", session.ask.isPossible, let terminal = session.host.terminal(),
      terminal.isForeground
    else { return nil }
    try session.console.out.flush()
    let answers = try terminal.query(TerminalGraphics.question, within: TerminalGraphics.patience)
    return answers.flatMap { TerminalGraphics(answers: $0) }
  }

  /// Whether another program stands between this one and the terminal, and keeps the screen itself.
  private static func isInMultiplexer(_ environment: EnvironmentVariables) -> Bool {
    let term = environment.text("TERM") ?? ""
    return ["TMUX", "STY"].contains { !(environment[$0] ?? []).isEmpty }
      || ["tmux", "screen"].contains { term.utf8.starts(with: $0.utf8) }
  }

  /// Says what pictures take inside tmux, which lets a program's own drawing through only where it is told to.
  private static func sayWhatToSet(_ session: Session) {
    guard !(session.environment["TMUX"] ?? []).isEmpty else { return }
    session.console.note(
      "Show pictures inside tmux: capsule settings set pictures always. A program such as timg or kitten "
        + "icat also needs 'set -g allow-passthrough on' in tmux.conf.")
  }

  /// The program of `$XDG_CONFIG_HOME/capsule/pictures`, where one is named.
  private static func command(_ session: Session) throws -> String? {
    guard session.places.configuration != nil else { return nil }
    return try ConfigurationFile("pictures", of: ["command"], session)["command"]
  }

  /// Whether it is a picture that may be shown so. A drawing (SVG) may load others.
  static func isPicture(_ mediaType: String) -> Bool {
    mediaType.utf8.starts(with: "image/".utf8) && mediaType != "image/svg+xml"
  }

  /// Shows a picture, with the end of a line behind it. Bytes that are not a picture's go to no program, whatever
  /// their record says.
  ///
  /// - Parameter name: the picture's, for messages.
  /// - Returns: whether it was shown.
  func show(_ picture: [UInt8], name: String) throws -> Bool {
    let head = Array(picture.prefix(MediaType.headSize))
    guard
      let type = MediaType(
        shownBy: head, isWhole: head.count == picture.count, name: Array(name.utf8)),
      Self.isPicture(type.description)
    else { return false }
    let out = session.console.out
    let extent = TerminalGraphics.Extent(MediaProbe(picture).facts(), in: box, cell: cell)
    if let drawing = graphics?.drawing(picture, extent) {
      out.bytes(drawing)
      out.line()
      try out.flush()
      return true
    }
    return try command.map { try show(picture, name: name, by: $0) } ?? showByChafa(picture)
  }

  private func show(_ picture: [UInt8], name: String, by command: String) throws -> Bool {
    try session.console.out.flush()
    var request = ProcessRequest.shell(
      Array(command.utf8),
      environment: [
        "COLUMNS": Array(String(box.columns).utf8), "LINES": Array(String(box.rows).utf8),
      ], input: picture)
    request.isForeground = true
    let outcome = try session.host.runProcess(request)
    if outcome.succeeded || outcome.wasInterrupted { return true }
    let failure = Fault.failed(command.shortened, to: "show '\(name)'", outcome)
    session.console.warning(
      failure.message(in: session.zone), hint: "'command' in the configuration names it")
    return false
  }

  private func showByChafa(_ picture: [UInt8]) throws -> Bool {
    var request = ProcessRequest(
      "chafa",
      [
        "--format", TerminalGraphics.chafaFormat(graphics), "--animate", "off", "--size",
        "\(box.columns)x\(box.rows)", "-",
      ], input: picture, capturesOutput: true)
    request.isForeground = true
    let outcome: ProcessOutcome
    do { outcome = try session.host.runProcess(request) } catch {
      if error.isNoProgram { return false }
      throw error
    }
    if outcome.wasInterrupted { return true }
    guard outcome.succeeded, !outcome.output.isEmpty else { return false }
    let out = session.console.out
    out.bytes(outcome.output)
    if outcome.output.last != UInt8(ascii: "\n") { out.line() }
    try out.flush()
    return true
  }
}

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
