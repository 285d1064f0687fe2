import CapsuleCore

/// Questions, which are asked on the user's terminal wherever the streams lead.
struct Asker {
  let console: Console

  private var host: Host { console.host }

  /// Whether a question can be asked.
  var isPossible: Bool { console.canAsk }

  /// Whether somebody sits at the terminal: what is typed there is the input, and it may be asked.
  var isInteractive: Bool { isPossible && host.input.isTerminal() }

  /// Whether an answer is read by a person who can be asked.
  var isAtTerminal: Bool {
    isPossible && console.out.isTerminal && !console.options.isPlain
      && console.options.form == .text
  }

  /// Asks on the terminal; what was typed, without the end of the line.
  ///
  /// - Parameters:
  ///   - question: shown with its space at the end.
  ///   - unanswered: thrown when nothing may be asked, or nothing was answered; its hint names the
  ///     option that answers.
  ///   - echo: `false` for a passphrase.
  func line(
    _ question: String, echo: Bool = true, unanswered: @autoclosure () -> Fault,
    ended: Fault? = nil
  ) throws -> [UInt8] {
    guard console.options.takesInput, let terminal = host.terminal() else { throw unanswered() }
    host.cover.end()
    // Earlier output is to be on the screen first.
    try console.out.flush()
    var question = SafeText.line(question)
    if let columns = console.err.wrapWidth ?? console.out.wrapWidth {
      question = WordWrap.question(question, columns: columns)
    }
    let answer = try terminal.ask(question, echo: echo)
    guard let answer else { throw ended ?? unanswered() }
    return answer
  }

  /// Asks until the answer can be read: a wrong one is reported with what was likely meant. The end of the
  /// input leaves.
  ///
  /// - Parameter read: returns what an answer means, or refuses it.
  func until<Value>(
    _ question: String, unanswered: @autoclosure () -> Fault, read: (String) throws -> Value
  ) throws -> Value {
    while true {
      let answer = try line(question, unanswered: unanswered(), ended: .canceled())
      do {
        return try read(ValueType.text.parse(answer).trimmed)
      } catch let fault as Fault where fault.isOfAnswer {
        console.report(fault)
      }
    }
  }

  /// Asks for a yes or a no, until it gets one of them.
  ///
  /// - Parameter isYesByDefault: whether an empty line is a yes: nothing is lost by one.
  func isYes(
    _ question: String, isYesByDefault: Bool = false, unanswered: @autoclosure () -> Fault,
    ended: Fault? = nil
  ) throws -> Bool {
    while true {
      let answer = try line(
        question + (isYesByDefault ? " [Y/n] " : " [y/N] "), unanswered: unanswered(), ended: ended)
      switch String(decoding: answer, as: UTF8.self).trimmed.lowercased() {
      case "": return isYesByDefault
      case "y", "yes": return true
      case "n", "no": return false
      default: console.err.line("Answer with y or n.")
      }
      try console.err.flush()
    }
  }

  /// Asks before something is taken away; `--yes` answers.
  func confirm(_ question: String, unless isAnswered: Bool) throws {
    if isAnswered { return }
    let isConfirmed = try isYes(
      question,
      unanswered: Fault(
        .refused, "confirmation needed: \(question)", hint: "confirm with --yes"),
      ended: .canceled())
    guard isConfirmed else { throw Fault.canceled() }
  }

  /// Shows a secret on the user's terminal alone, wherever the streams lead: nothing else may keep it.
  ///
  /// - Parameter absent: thrown where there is no terminal.
  func show(
    _ secret: SecretBytes, before: String, after: String, absent: @autoclosure () -> Fault
  ) throws {
    guard let terminal = host.terminal() else { throw absent() }
    // Earlier output is to be on the screen first.
    try console.out.flush()
    var text: [UInt8] = []
    text.reserveCapacity(before.utf8.count + secret.count + after.utf8.count)
    defer { wipe(&text) }
    text.append(contentsOf: before.utf8)
    secret.withUnsafeBytes { text.append(contentsOf: $0) }
    text.append(contentsOf: after.utf8)
    try terminal.show(text)
  }
}

extension Fault {
  /// Whether another answer to a question may be better: nothing else went wrong.
  fileprivate var isOfAnswer: Bool {
    code != .canceled && [.usage, .notFound, .ambiguous, .refused].contains(kind)
  }
}
