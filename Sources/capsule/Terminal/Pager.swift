import CapsuleCore

/// Shows what is longer than the screen through another program.
struct Pager {
  let console: Console

  private var out: TextOutput { console.out }

  /// Writes an answer for a person: what is longer than the screen goes through the pager.
  ///
  /// - Parameter isRaw: whether it goes to the terminal as it is, without a pager.
  /// - Returns: whether a pager showed it.
  @discardableResult
  func show(isRaw: Bool = false, _ body: (TextOutput) throws -> Void) throws -> Bool {
    if !isRaw, let program, try isLongerThanScreen(body) {
      if try show(out.collect(colors: program.colors, body), in: program) { return true }
    }
    try body(out)
    try out.flush()
    return false
  }

  /// A program that shows a long text, and the colours that it lets through.
  private struct Program {
    let line: String
    let colors: ColorDepth
    let environment: [String: [UInt8]?]
  }

  /// The program that `PAGER` names, else `less`; `nil` where none can be used.
  private var program: Program? {
    guard console.canDraw, console.canAsk else { return nil }
    let environment = console.environment
    let line = environment.text("PAGER") ?? "command -v less >/dev/null || exit 127; less"
    guard !line.trimmed.isEmpty, line.trimmed != "cat" else { return nil }
    // As git has it: less ends at once where all fits, lets colours through, and leaves the text there.
    let less = environment.text("LESS")
    let passesColors = less?.contains("R") ?? true
    return Program(
      line: line, colors: passesColors ? out.colors : .none,
      environment: less == nil ? ["LESS": Array("FRX".utf8)] : [:])
  }

  /// Whether a text takes more rows than the terminal has.
  private func isLongerThanScreen(_ body: (TextOutput) throws -> Void) rethrows -> Bool {
    guard let width = out.width, let height = out.height else { return false }
    let bytes = try out.collect(colors: .none, body)
    var rows = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      // A line that cannot need two rows is not measured.
      let columns =
        line.count <= width ? 0 : TextWidth.of(String(decoding: line, as: UTF8.self))
      rows += max(1, (columns + width - 1) / width)
      if rows > height { return true }
    }
    return false
  }

  /// Lets the pager show a text.
  ///
  /// - Returns: whether it did: where there is none, or it fails, nothing was shown.
  private func show(_ text: [UInt8], in program: Program) throws -> Bool {
    let outcome = try run(program.line, environment: program.environment, with: text)
    switch outcome.end {
    case .exited(0): return true
    case .exited(126), .exited(127): return false
    case .exited(let code): console.warning("the pager exited with status \(code)", hint: nil)
    case .signalled(let number):
      // Ctrl-C was for the pager.
      if outcome.interruption != nil { return true }
      console.warning("signal \(number) ended the pager", hint: nil)
    case .timedOut: break
    }
    return false
  }
  /// Lets a command line of the shell show a text on the terminal.
  ///
  /// - Throws: `WorkSignals.Interrupted` for a signal that ends this program too.
  func run(
    _ line: String, environment: [String: [UInt8]?] = [:], with text: [UInt8]
  ) throws -> ProcessOutcome {
    try out.flush()
    var request = ProcessRequest.shell(
      Array(line.utf8), environment: environment, input: text)
    request.isForeground = true
    let outcome = try console.host.runProcess(request)
    if let code = outcome.interruption, code == .terminated {
      throw WorkSignals.Interrupted(code: code)
    }
    return outcome
  }
}
