/// An operand that must be there.
struct Operand<Value: Sendable>: OperandDeclaration {
  let spec: OperandSpec
  let type: ValueType<Value>

  init(_ name: String, _ type: ValueType<Value>, _ help: String) {
    self.type = type
    spec = OperandSpec(
      name: name, minimum: 1, isRepeatable: false, completion: type.completion, help: help,
      check: check(type))
  }
}

/// An operand that may be left out.
struct OptionalOperand<Value: Sendable>: OperandDeclaration {
  let spec: OperandSpec
  let type: ValueType<Value>

  init(_ name: String, _ type: ValueType<Value>, _ help: String) {
    self.type = type
    spec = OperandSpec(
      name: name, minimum: 0, isRepeatable: false, completion: type.completion, help: help,
      check: check(type))
  }
}

/// The last operand, any number of times.
struct RepeatableOperand<Value: Sendable>: OperandDeclaration {
  let spec: OperandSpec
  let type: ValueType<Value>

  init(_ name: String, _ type: ValueType<Value>, minimum: Int = 0, _ help: String) {
    self.type = type
    spec = OperandSpec(
      name: name, minimum: minimum, isRepeatable: true, completion: type.completion, help: help,
      check: check(type))
  }
}

/// A declaration of an operand.
protocol OperandDeclaration: Sendable {
  var spec: OperandSpec { get }
}

/// An operand as the parser and the reference know it.
struct OperandSpec: OperandDeclaration {
  /// The name in help, in capitals.
  let name: String
  /// The number of times that it must be there.
  let minimum: Int
  let isRepeatable: Bool
  let completion: Completion
  let help: String
  /// Returns the reason why bytes are no value of this operand; `nil` when they are one.
  let check: @Sendable ([UInt8]) -> ValueProblem?

  var spec: OperandSpec { self }

  /// Its form in a usage line: `REF`, `[REF]`, `REF…`, `[REF…]`.
  var synopsis: String {
    let core = isRepeatable ? name + "…" : name
    return minimum == 0 ? "[\(core)]" : core
  }
}
