/// The reason why a command line is not understood.
enum UsageProblem: Error, Hashable, Sendable {
  case unknownCommand(String, noun: String?, suggestion: String?)
  case unknownTopic(String, suggestion: String?)
  case unknownOption(String, command: String?, suggestion: String?)
  case valueMissing(option: String, value: String)
  case valueUnwanted(option: String)
  case givenTwice(option: String)
  /// - Parameter other: Another option of the command that the value may have been meant for.
  case wrongValue(option: String, value: String, problem: ValueProblem, other: String? = nil)
  case wrongOperand(String, name: String, problem: ValueProblem)
  case operandMissing(String, command: String)
  case operandUnwanted(String, command: String)
  case contradiction(String, String)
}

/// The reason why a word is not a value of its type.
enum ValueProblem: Error, Hashable, Sendable {
  case notText
  case notInteger(minimum: Int?, maximum: Int?)
  case notAChoice([String])
  case empty
  /// Standard output was meant, where a directory is.
  case hyphen
}
