/// A command line that was understood: the values, checked against their types.
struct Invocation: Sendable {
  /// The words in the order in which they were given.
  private(set) var arguments: [Argument] = []
  /// The words of each operand of the command, by its name.
  var operands: [String: [[UInt8]]] = [:]
  /// The name that was typed for the command, where it is taken for the command's own.
  var typedName: String?
  /// Whether no command stood on the line, and help was not asked for.
  var isBare = false

  /// The commands that there are.
  let table: CommandTable

  init(table: CommandTable) {
    self.table = table
  }

  /// One word, or an option with its value.
  enum Argument: Hashable, Sendable {
    case flag(String)
    case option(String, [UInt8])
    case operand([UInt8])

    /// The name of the option; `nil` for an operand.
    var optionName: String? {
      switch self {
      case .flag(let name), .option(let name, _): name
      case .operand: nil
      }
    }
  }

  mutating func append(_ argument: Argument) {
    arguments.append(argument)
  }

  /// The words that are operands, in the order in which they were given.
  var words: [[UInt8]] {
    arguments.compactMap { if case .operand(let bytes) = $0 { bytes } else { nil } }
  }

  /// What was given for a parameter: its value, its values, or whether a flag was given.
  ///
  /// An operand that must be there is one that the command declares.
  subscript<Value>(_ parameter: Parameter<Value>) -> Value {
    let words =
      operands[parameter.name]
      ?? arguments.compactMap { argument in
        switch argument {
        case .flag(parameter.name): []
        case .option(parameter.name, let bytes): bytes
        default: nil
        }
      }
    guard let value = parameter.value(words) else {
      preconditionFailure("the operand \(parameter.name) is not declared")
    }
    return value
  }

  /// Whether the option or flag was given at all.
  func has(_ option: any ParameterDeclaration) -> Bool {
    arguments.contains { $0.optionName == option.name }
  }
}
