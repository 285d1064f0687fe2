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
    case .auto where Self.isInMultiplexer(session.environment): return nil
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
    let failure = Failure.failed(command.shortened, to: "show '\(name)'", outcome)
    session.console.warning(failure.message, hint: "'command' in the configuration names it")
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
    do throws(SystemError) { outcome = try session.host.runProcess(request) } catch {
      if error.isNotFound { return false }
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
