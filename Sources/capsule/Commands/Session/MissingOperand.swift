import CapsuleCore

/// An operand that a command line lacks, and that somebody at a terminal is asked for.
struct MissingOperand {
  let command: Command
  let operand: any ParameterDeclaration
  let session: Session

  /// Returns the word that was typed, an id where it names a record; `nil` where nobody can be asked.
  func ask() throws -> [UInt8]? {
    guard session.ask.isInteractive, session.options.form == .text else { return nil }
    guard case .dynamic(let source) = operand.completion, !source.kinds.isEmpty else {
      return try text()
    }
    guard let store = try session.stores.existingQuietly() else { return nil }
    return try reference(among: source.kinds, in: store)
  }

  private var unanswered: Fault {
    Fault(UsageProblem.operandMissing(operand.name, command: command.name))
  }

  /// Asks for a word of the operand's type.
  private func text() throws -> [UInt8] {
    let name = operand.name.lowercased().parts(at: "|").map(\.self).listed("or")
    var choices = ""
    if case .choices(let words) = operand.completion { choices = " (\(words.listed("or")))" }
    let question = "\(name.prefix(1).uppercased())\(name.dropFirst())\(choices)? "
    return try session.ask.until(question, unanswered: unanswered) { answer in
      let word = Array(answer.utf8)
      guard !word.isEmpty else {
        throw Fault(UsageProblem.wrongOperand("", name: operand.name, problem: .empty))
      }
      if let problem = operand.check(word) {
        throw Fault(UsageProblem.wrongOperand(answer, name: operand.name, problem: problem))
      }
      return word
    }
  }

  /// Asks for a record, by the number of one that is offered or by its title.
  private func reference(among kinds: [RecordKind], in store: Store) throws -> [UInt8] {
    let offered = try command.offers?(store, session) ?? []
    for (position, record) in offered.enumerated() {
      session.console.err.line("\(String(position + 1), .cyan)  \(record.title, .bold)")
    }
    try session.console.err.flush()
    let thing = kinds.count > 2 ? "record" : kinds.map(\.word).listed("or")
    let question = offered.isEmpty ? "Which \(thing)? " : "Which \(thing)? Number or title: "
    return try session.ask.until(question, unanswered: unanswered) { answer in
      guard !answer.isEmpty else {
        throw Fault(UsageProblem.wrongOperand("", name: operand.name, problem: .empty))
      }
      if let number = Int(answer), number > 0, number <= offered.count {
        return Array(offered[number - 1].id.description.utf8)
      }
      let found = try session.records.find(answer, among: kinds, in: store)
      return Array(found.id.description.utf8)
    }
  }
}
