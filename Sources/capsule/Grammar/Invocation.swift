/// A command line that was understood: the values, checked against their types.
struct Invocation: Sendable {
  /// The words in the order in which they were given.
  private(set) var arguments: [Argument] = []
  /// The name of the command's operand that each operand word belongs to, in order.
  var operandNames: [String] = []
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

  /// The option's value; `nil` when it was not given.
  subscript<Value>(_ option: Option<Value>) -> Value? {
    values(of: option.spec.name, option.type).first
  }

  /// The option's values, in the order given.
  subscript<Value>(_ option: RepeatableOption<Value>) -> [Value] {
    values(of: option.spec.name, option.type)
  }

  /// Whether the flag was given.
  subscript(_ flag: Flag) -> Bool {
    arguments.contains(.flag(flag.spec.name))
  }

  /// The operand's value.
  ///
  /// - Throws: a failure of kind `internal` where the command does not declare the operand, which is
  ///   a bug.
  subscript<Value>(_ operand: Operand<Value>) -> Value {
    get throws {
      guard let value = values(of: operand.spec, operand.type).first else {
        throw Failure.internal("the operand \(operand.spec.name) is not declared")
      }
      return value
    }
  }

  /// The operand's value; `nil` when it was not given.
  subscript<Value>(_ operand: OptionalOperand<Value>) -> Value? {
    values(of: operand.spec, operand.type).first
  }

  /// The operand's values.
  subscript<Value>(_ operand: RepeatableOperand<Value>) -> [Value] {
    values(of: operand.spec, operand.type)
  }

  /// Whether the option or flag was given at all.
  func has(_ option: any OptionDeclaration) -> Bool {
    let name = option.spec.name
    return arguments.contains { argument in
      switch argument {
      case .flag(name), .option(name, _): true
      default: false
      }
    }
  }

  private func values<Value>(of name: String, _ type: ValueType<Value>) -> [Value] {
    arguments.compactMap { argument in
      guard case .option(name, let bytes) = argument else { return nil }
      return try? type.parse(bytes)
    }
  }

  private func values<Value>(of spec: OperandSpec, _ type: ValueType<Value>) -> [Value] {
    let words = arguments.compactMap { argument -> [UInt8]? in
      if case .operand(let bytes) = argument { bytes } else { nil }
    }
    return zip(operandNames, words).compactMap { name, bytes in
      name == spec.name ? try? type.parse(bytes) : nil
    }
  }
}
