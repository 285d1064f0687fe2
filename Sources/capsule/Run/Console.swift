import CapsuleCore

/// The output of the program: the result to standard output, all else to standard error.
final class Console {
  let out: TextOutput
  let err: TextOutput
  let options: RunOptions
  /// The user's zone, for the times in messages.
  private let zone: () -> ZoneRules
  private let host: Host

  init(host: Host, options: RunOptions, zone: @escaping () -> ZoneRules) {
    self.host = host
    self.options = options
    self.zone = zone
    let environment = EnvironmentVariables(host.environment())
    out = Self.output(host.output, options, environment)
    err = Self.output(host.errorOutput, options, environment)
  }

  private static func output(
    _ port: OutputPort, _ options: RunOptions, _ environment: EnvironmentVariables
  ) -> TextOutput {
    let isTerminal = port.isTerminal()
    let columns = environment.text("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    return TextOutput(
      port, isTerminal: isTerminal,
      colors: ColorDepth(options: options, environment: environment, isTerminal: isTerminal),
      forcedWidth: columns)
  }

  /// Something worth knowing that was not asked for; silent with `-q` and in JSON.
  func note(_ text: StyledText) {
    guard !options.isQuiet, options.form == .text else { return }
    err.line(text)
    try? err.flush()
  }

  /// Teaches the name of a command that was called by another.
  func teach(_ name: String, insteadOf typed: String) {
    note("\("capsule: note: '\(typed)' runs 'capsule \(name)'", .dim)")
  }

  /// Something that may need doing.
  func warning(
    _ message: String, hint: String? = nil, details: JSONObject = [:]
  ) {
    let (message, hint) = (SecretMask.masked(message), hint.map { SecretMask.masked($0) })
    if options.form == .text {
      say("warning", .yellow, message, [], hint)
    } else {
      var members = SecretMask.masked(details)
      members["message"] = .string(message)
      members["hint"] = hint.map { .string($0) } ?? .null
      err.jsonLine(["warning": .object(members)])
    }
    try? err.flush()
  }

  /// Warns of something odd about the machine's zone.
  func warning(_ warning: LocalZoneWarning) {
    switch warning {
    case .unresolvedTZ(let value, let used):
      self.warning(
        "the variable TZ is '\(value)', which names no zone; \(used) is used",
        hint: "set TZ to a name such as Europe/Paris")
    case .danglingLocaltime(let target):
      self.warning(
        "the link /etc/localtime leads to '\(target)', where there is no file; UTC is used",
        hint: "install the zones (tzdata), or set TZ to a name such as Europe/Paris")
    case .damagedLocaltime:
      self.warning(
        "the file /etc/localtime cannot be read; UTC is used",
        hint: "set TZ to a name such as Europe/Paris")
    }
  }

  /// Reports an error on standard error: the command goes on, or ends with the code.
  ///
  /// - Returns: the exit code that the error stands for.
  @discardableResult
  func report(_ error: any Error) -> ExitCode {
    let failure = Failure(error)
    if failure.kind == .signal { return failure.kind.exitCode }
    let message = SecretMask.masked(failure.message(in: zone()))
    let hint = failure.hint.map { SecretMask.masked($0) }
    if options.form == .text {
      say("error", .boldRed, message, failure.list.map { SecretMask.masked($0) }, hint)
    } else {
      var members = SecretMask.masked(failure.details)
      members["code"] = .integer(Int64(failure.kind.exitCode.rawValue))
      members["kind"] = .string(failure.kind.rawValue)
      members["message"] = .string(message)
      members["hint"] = hint.map { .string($0) } ?? .null
      err.jsonLine(["error": .object(members)])
    }
    try? err.flush()
    return failure.kind.exitCode
  }

  private func say(
    _ word: String, _ style: Style, _ message: String, _ list: [String], _ hint: String?
  ) {
    err.line("capsule: \(word + ":", style) \(message)")
    for line in list { err.line("  \(line)") }
    if let hint { err.line("capsule: \("hint:", .cyan) \(hint)") }
  }

  /// Whether a question can be asked.
  var canAsk: Bool {
    options.takesInput && host.terminal() != nil
  }

  /// Asks on the terminal; what was typed, without the end of the line.
  ///
  /// - Parameters:
  ///   - question: shown with its space at the end.
  ///   - unanswered: thrown when nothing may be asked, or nothing was answered; its hint names the
  ///     option that answers.
  ///   - echo: `false` for a passphrase.
  func ask(
    _ question: String, echo: Bool = true, unanswered: @autoclosure () -> Failure,
    ended: Failure? = nil
  ) throws -> [UInt8] {
    guard options.takesInput, let terminal = host.terminal() else { throw unanswered() }
    // Earlier output is to be on the screen first.
    try out.flush()
    var question = SafeText.line(question)
    if let columns = err.wrapWidth ?? out.wrapWidth {
      question = WordWrap.question(question, columns: columns)
    }
    let answer = try terminal.ask(question, echo: echo)
    guard let answer else { throw ended ?? unanswered() }
    return answer
  }

  /// Shows a secret on the user's terminal alone, wherever the streams lead: nothing else may keep it.
  ///
  /// - Parameter absent: thrown where there is no terminal.
  func showOnTerminal(
    _ secret: SecretBytes, before: String, after: String, absent: @autoclosure () -> Failure
  ) throws {
    guard let terminal = host.terminal() else { throw absent() }
    // Earlier output is to be on the screen first.
    try out.flush()
    var text: [UInt8] = []
    text.reserveCapacity(before.utf8.count + secret.count + after.utf8.count)
    defer { wipe(&text) }
    text.append(contentsOf: before.utf8)
    secret.withUnsafeBytes { text.append(contentsOf: $0) }
    text.append(contentsOf: after.utf8)
    try terminal.show(text)
  }

  /// Asks for a yes; anything that is not one is a no.
  ///
  /// - Parameter isYesByDefault: whether an empty line is a yes: nothing is lost by one.
  func confirm(
    _ question: String, isYesByDefault: Bool = false, unanswered: @autoclosure () -> Failure,
    ended: Failure? = nil
  ) throws -> Bool {
    let answer = try ask(
      question + (isYesByDefault ? " [Y/n] " : " [y/N] "), unanswered: unanswered(), ended: ended)
    let word = String(decoding: answer, as: UTF8.self).trimmed.lowercased()
    return word.isEmpty ? isYesByDefault : ["y", "yes"].contains(word)
  }
}
