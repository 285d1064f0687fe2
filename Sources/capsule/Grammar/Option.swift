/// An option that takes one value: `--limit N`.
package struct Option<Value: Sendable>: OptionDeclaration {
  package let spec: OptionSpec
  let type: ValueType<Value>

  /// - Parameters:
  ///   - value: the value's name in help, in capitals.
  ///   - fallback: what holds when the option is not given, as help says it.
  ///   - help: what it does, from a verb in the imperative or a noun, without a full stop.
  package init(
    _ name: String, short: Character? = nil, value: String, _ type: ValueType<Value>,
    default fallback: String? = nil, _ help: String
  ) {
    self.type = type
    spec = OptionSpec(
      name: name, short: short, valueName: value, isRepeatable: false, fallback: fallback,
      completion: type.completion, help: help, check: check(type))
  }
}

/// An option that may be given several times, with a value each: `--tag TAG`.
package struct RepeatableOption<Value: Sendable>: OptionDeclaration {
  package let spec: OptionSpec
  let type: ValueType<Value>

  package init(
    _ name: String, short: Character? = nil, value: String, _ type: ValueType<Value>,
    _ help: String
  ) {
    self.type = type
    spec = OptionSpec(
      name: name, short: short, valueName: value, isRepeatable: true, fallback: nil,
      completion: type.completion, help: help, check: check(type))
  }
}

/// An option without a value: `--reverse`.
package struct Flag: OptionDeclaration {
  package let spec: OptionSpec

  package init(_ name: String, short: Character? = nil, _ help: String) {
    spec = OptionSpec(
      name: name, short: short, valueName: nil, isRepeatable: false, fallback: nil,
      completion: .nothing, help: help, check: { _ in nil })
  }
}

/// Whatever declares an option.
package protocol OptionDeclaration: Sendable {
  var spec: OptionSpec { get }
}

/// What the parser and the reference know of an option.
package struct OptionSpec: OptionDeclaration {
  /// The long name, without its hyphens.
  package let name: String
  package let short: Character?
  /// The name of the value in help; `nil` for a flag.
  package let valueName: String?
  package let isRepeatable: Bool
  package let fallback: String?
  package let completion: Completion
  package let help: String
  /// Why the bytes are no value of this option; `nil` when they are one.
  package let check: @Sendable ([UInt8]) -> ValueProblem?

  package var spec: OptionSpec { self }
}

func check<Value>(_ type: ValueType<Value>) -> @Sendable ([UInt8]) -> ValueProblem? {
  { bytes in
    do throws(ValueProblem) {
      _ = try type.parse(bytes)
      return nil
    } catch {
      return error
    }
  }
}
