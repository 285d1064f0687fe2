import CapsuleCore

extension Fault {
  /// A wrong command line, in words.
  init(_ problem: UsageProblem) {
    switch problem {
    case .unknownCommand(let word, let noun, let suggestion):
      let help = noun.map { "capsule help \($0)" } ?? "capsule help"
      self = .usage(
        "there is no command '\(noun.map { $0 + " " } ?? "")\(word)'",
        hint: suggestion.map { "did you mean '\($0)'?" } ?? "'\(help)' lists what there is")
    case .unknownTopic(let word, let suggestion):
      self = .usage(
        "there is no command or topic '\(word)'",
        hint: suggestion.map { "did you mean '\($0)'?" } ?? "'capsule help' lists what there is")
    case .unknownOption(let option, let command, let suggestion):
      let help = command.map { "'capsule help \($0)' lists its options" }
      self = .usage(
        "there is no option '\(option)'" + (command.map { " of 'capsule \($0)'" } ?? ""),
        hint: suggestion.map { "did you mean '\($0)'?" } ?? help
          ?? "'capsule help' lists the options")
    case .valueMissing(let option, let value):
      self = .usage("option '\(option)' needs a value", hint: "write '\(option) \(value)'")
    case .valueUnwanted(let option):
      self = .usage("option '\(option)' takes no value", hint: "write '\(option)' alone")
    case .givenTwice(let option):
      self = .usage("option '\(option)' is given twice", hint: "give it once")
    case .wrongValue(let option, let value, let problem, let other):
      self = .usage(
        "'\(value)' is no value of '\(option)': \(Self.rule(problem))",
        hint: other.map { "did you mean '\($0) \(value)'?" } ?? Self.suggestion(value, problem))
    case .wrongOperand(let value, let name, let problem):
      self = .usage(
        "'\(value)' cannot be \(name): \(Self.rule(problem))", hint: Self.suggestion(value, problem)
      )
    case .operandMissing(let name, let command):
      self = .usage("\(name) is missing", hint: "'capsule help \(command)' shows how it is used")
    case .operandUnwanted(let word, let command):
      let looksLikeDate =
        word.utf8.first.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ?? false
      self = .usage(
        "'\(word)' is one operand too many",
        hint: "'capsule help \(command)' shows how it is used; "
          + (looksLikeDate
            ? "an option takes the date or number" : "quote words that belong together"))
    case .contradiction(let left, let right):
      self = .usage(
        "'\(left)' and '\(right)' cannot be given together", hint: "leave one of them out")
    }
  }

  private static func rule(_ problem: ValueProblem) -> String {
    switch problem {
    case .notText: "it must be text in UTF-8"
    case .notInteger(let minimum?, let maximum?):
      "it must be a whole number from \(minimum) to \(maximum)"
    case .notInteger(let minimum?, nil): "it must be a whole number from \(minimum)"
    case .notInteger(nil, let maximum?): "it must be a whole number up to \(maximum)"
    case .notInteger(nil, nil): "it must be a whole number"
    case .notAChoice(let choices): "it must be one of \(choices.joined(separator: ", "))"
    case .empty: "it must not be empty"
    case .hyphen: "it must be a directory, and one of this name is written './-'"
    }
  }

  private static func suggestion(_ value: String, _ problem: ValueProblem) -> String? {
    guard case .notAChoice(let choices) = problem else { return nil }
    return Suggestion.nearest(to: value, in: choices).map { "did you mean '\($0)'?" }
  }
}
