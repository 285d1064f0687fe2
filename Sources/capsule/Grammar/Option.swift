/// An option that takes one value: `--limit N`.
struct Option<Value: Sendable>: OptionDeclaration {
  let spec: OptionSpec
  let type: ValueType<Value>

  /// - Parameters:
  ///   - value: the value's name in help, in capitals.
  ///   - fallback: the value that holds when the option is not given, as help says it.
  ///   - help: its effect, from a verb in the imperative or a noun, without a full stop.
  init(
    _ name: String, short: Unicode.Scalar? = nil, value: String, _ type: ValueType<Value>,
    default fallback: String? = nil, formerly: String? = nil, _ help: String
  ) {
    self.type = type
    spec = OptionSpec(
      name: name, formerName: formerly, short: short, valueName: value, isRepeatable: false,
      fallback: fallback, completion: type.completion, help: help, check: check(type))
  }
}

/// An option that may be given several times, with a value each: `--tag TAG`.
struct RepeatableOption<Value: Sendable>: OptionDeclaration {
  let spec: OptionSpec
  let type: ValueType<Value>

  init(
    _ name: String, short: Unicode.Scalar? = nil, value: String, _ type: ValueType<Value>,
    formerly: String? = nil, _ help: String
  ) {
    self.type = type
    spec = OptionSpec(
      name: name, formerName: formerly, short: short, valueName: value, isRepeatable: true,
      fallback: nil, completion: type.completion, help: help, check: check(type))
  }
}

/// An option without a value: `--reverse`.
struct Flag: OptionDeclaration {
  let spec: OptionSpec

  init(
    _ name: String, short: Unicode.Scalar? = nil, formerly: String? = nil, _ help: String
  ) {
    spec = OptionSpec(
      name: name, formerName: formerly, short: short, valueName: nil, isRepeatable: false,
      fallback: nil, completion: .nothing, help: help, check: { _ in nil })
  }
}

/// A declaration of an option.
protocol OptionDeclaration: Sendable {
  var spec: OptionSpec { get }
}

/// An option as the parser and the reference know it.
struct OptionSpec: OptionDeclaration {
  /// The long name, without its hyphens.
  let name: String
  /// A name, or a short letter, that it had before: read, and not shown.
  let formerName: String?
  let short: Unicode.Scalar?
  /// The name of the value in help; `nil` for a flag.
  let valueName: String?
  let isRepeatable: Bool
  let fallback: String?
  let completion: Completion
  let help: String
  /// Returns the reason why bytes are no value of this option; `nil` when they are one.
  let check: @Sendable ([UInt8]) -> ValueProblem?

  var spec: OptionSpec { self }
}

/// Returns a function that gives the reason why bytes are no value of a type.
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
