/// An operand that must be there.
package struct Operand<Value: Sendable>: OperandDeclaration {
  package let spec: OperandSpec
  let type: ValueType<Value>

  package init(_ name: String, _ type: ValueType<Value>, _ help: String) {
    self.type = type
    spec = OperandSpec(
      name: name, minimum: 1, isRepeatable: false, completion: type.completion, help: help,
      check: check(type))
  }
}

/// An operand that may be left out.
package struct OptionalOperand<Value: Sendable>: OperandDeclaration {
  package let spec: OperandSpec
  let type: ValueType<Value>

  package init(_ name: String, _ type: ValueType<Value>, _ help: String) {
    self.type = type
    spec = OperandSpec(
      name: name, minimum: 0, isRepeatable: false, completion: type.completion, help: help,
      check: check(type))
  }
}

/// The last operand, any number of times.
package struct RepeatableOperand<Value: Sendable>: OperandDeclaration {
  package let spec: OperandSpec
  let type: ValueType<Value>

  package init(_ name: String, _ type: ValueType<Value>, minimum: Int = 0, _ help: String) {
    self.type = type
    spec = OperandSpec(
      name: name, minimum: minimum, isRepeatable: true, completion: type.completion, help: help,
      check: check(type))
  }
}

/// Whatever declares an operand.
package protocol OperandDeclaration: Sendable {
  var spec: OperandSpec { get }
}

/// What the parser and the reference know of an operand.
package struct OperandSpec: OperandDeclaration {
  /// The name in help, in capitals.
  package let name: String
  /// How often it must be there.
  package let minimum: Int
  package let isRepeatable: Bool
  package let completion: Completion
  package let help: String
  package let check: @Sendable ([UInt8]) -> ValueProblem?

  package var spec: OperandSpec { self }

  /// How a usage line shows it: `REF`, `[REF]`, `REF…`, `[REF…]`.
  package var synopsis: String {
    let core = isRepeatable ? name + "…" : name
    return minimum == 0 ? "[\(core)]" : core
  }
}
