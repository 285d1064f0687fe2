import CapsuleCore

/// The number of times that a parameter is given.
enum Arity: Hashable, Sendable {
  /// Given or not, without a value.
  case flag
  /// Once, or not at all.
  case optional
  case once
  /// Any number of times, from the smallest on.
  case repeated(from: Int)
}

/// A parameter of whatever type, as the parser and the reference know it.
protocol ParameterDeclaration: Sendable {
  /// The long name of an option, without its hyphens; the name of an operand in help, in capitals.
  var name: String { get }
  var arity: Arity { get }
  /// The name of an option's value in help, in capitals; `nil` for a flag and for an operand.
  var valueName: String? { get }
  var short: Unicode.Scalar? { get }
  /// A name, or a short letter, that it had before: read, and not shown.
  var formerName: String? { get }
  /// The value that holds when it is not given, as help says it.
  var fallback: String? { get }
  var completion: Completion { get }
  /// Its effect, from a verb in the imperative or a noun, without a full stop.
  var help: String { get }
  /// Returns the reason why bytes are no value of it; `nil` when they are one.
  var check: @Sendable ([UInt8]) -> ValueProblem? { get }
}

typealias Parameters = [any ParameterDeclaration]

extension ParameterDeclaration {
  var isOperand: Bool { valueName == nil && arity != .flag }

  /// How a sentence names it: `--limit`, `REF`.
  var term: String { isOperand ? name : "--" + name }

  var isRepeatable: Bool { if case .repeated = arity { true } else { false } }

  /// The number of times that it must be given.
  var minimum: Int {
    switch arity {
    case .flag, .optional: 0
    case .once: 1
    case .repeated(let least): least
    }
  }
}

/// An option, a flag or an operand of a command, declared once: `invocation[parameter]` is what was given for it.
struct Parameter<Value: Sendable>: ParameterDeclaration {
  let name: String
  let arity: Arity
  private(set) var valueName: String?
  private(set) var short: Unicode.Scalar?
  private(set) var formerName: String?
  private(set) var fallback: String?
  let completion: Completion
  let help: String
  let check: @Sendable ([UInt8]) -> ValueProblem?
  /// Returns what the words that were given for it mean; `nil` where one must be there and none is.
  let value: @Sendable ([[UInt8]]) -> Value?

  private init<Element>(
    _ name: String, _ arity: Arity, _ type: ValueType<Element>, _ help: String,
    value: @escaping @Sendable ([Element]) -> Value?
  ) {
    self.name = name
    self.arity = arity
    self.help = help
    completion = type.completion
    check = { bytes in
      do throws(Fault) {
        _ = try type.parse(bytes)
        return nil
      } catch {
        return error.cause as? ValueProblem
      }
    }
    self.value = { words in value(words.compactMap { try? type.parse($0) }) }
  }

  private func named(
    short: Unicode.Scalar?, value: String? = nil, fallback: String? = nil, formerly: String?
  ) -> Parameter {
    var option = self
    option.short = short
    option.valueName = value
    option.fallback = fallback
    option.formerName = formerly
    return option
  }
}

extension Parameter {
  /// An option without a value: `--reverse`.
  static func flag(
    _ name: String, short: Unicode.Scalar? = nil, formerly: String? = nil, _ help: String
  ) -> Parameter where Value == Bool {
    Parameter(name, .flag, .bytes, help) { !$0.isEmpty }.named(short: short, formerly: formerly)
  }

  /// An option that takes one value: `--limit N`.
  ///
  /// - Parameters:
  ///   - value: the value's name in help, in capitals.
  ///   - fallback: what holds when the option is not given, in words.
  static func option<Element>(
    _ name: String, short: Unicode.Scalar? = nil, value: String, _ type: ValueType<Element>,
    otherwise fallback: String? = nil, formerly: String? = nil, _ help: String
  ) -> Parameter where Value == Element? {
    Parameter(name, .optional, type, help) { .some($0.first) }
      .named(short: short, value: value, fallback: fallback, formerly: formerly)
  }

  /// An option that takes one value, and has that of the word `fallback` when it is not given.
  static func option(
    _ name: String, short: Unicode.Scalar? = nil, value: String, _ type: ValueType<Value>,
    default fallback: String, formerly: String? = nil, _ help: String
  ) -> Parameter {
    let standing = try? type.parse(Array(fallback.utf8))
    precondition(standing != nil, "the default '\(fallback)' is not a value of --\(name)")
    return Parameter(name, .optional, type, help) { $0.first ?? standing }
      .named(short: short, value: value, fallback: fallback, formerly: formerly)
  }

  /// An option that may be given several times, with a value each: `--tag TAG`.
  static func options<Element>(
    _ name: String, short: Unicode.Scalar? = nil, value: String, _ type: ValueType<Element>,
    formerly: String? = nil, _ help: String
  ) -> Parameter where Value == [Element] {
    Parameter(name, .repeated(from: 0), type, help) { $0 }
      .named(short: short, value: value, formerly: formerly)
  }

  /// An operand that must be there.
  static func operand(_ name: String, _ type: ValueType<Value>, _ help: String) -> Parameter {
    Parameter(name, .once, type, help) { $0.first }
  }

  /// An operand that may be left out.
  static func optionalOperand<Element>(
    _ name: String, _ type: ValueType<Element>, _ help: String
  ) -> Parameter where Value == Element? {
    Parameter(name, .optional, type, help) { .some($0.first) }
  }

  /// An operand that is given any number of times.
  static func operands<Element>(
    _ name: String, _ type: ValueType<Element>, minimum: Int = 0, _ help: String
  ) -> Parameter where Value == [Element] {
    Parameter(name, .repeated(from: minimum), type, help) { $0 }
  }
}

/// A kind of value: the words that can be given for it, and the value that they become.
struct ValueType<Value: Sendable>: Sendable {
  /// Turns the bytes of one word into the value.
  let parse: @Sendable ([UInt8]) throws(Fault) -> Value
  /// The words that a shell may offer for it.
  let completion: Completion

  init(
    completion: Completion = .nothing,
    parse: @escaping @Sendable ([UInt8]) throws(Fault) -> Value
  ) {
    self.parse = parse
    self.completion = completion
  }
}

extension ValueType<String> {
  /// Text in UTF-8.
  static let text = ValueType { bytes throws(Fault) in
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Fault(ValueProblem.notText)
    }
    return text
  }

  /// Returns the type of text in UTF-8 that names a record: an id, the start of one, a title or a
  /// name.
  static func reference(_ kind: Completion.Source) -> ValueType {
    ValueType(completion: .dynamic(kind)) { bytes throws(Fault) in
      let text = try ValueType.text.parse(bytes)
      guard !text.isEmpty else { throw Fault(ValueProblem.empty) }
      return text
    }
  }

  /// Returns the type of text in UTF-8 for which a shell offers words of the store.
  static func text(completing source: Completion.Source) -> ValueType {
    ValueType(completion: .dynamic(source), parse: text.parse)
  }
}

extension ValueType<[UInt8]> {
  /// Bytes in no particular encoding.
  static let bytes = ValueType { bytes throws(Fault) in bytes }
}

extension ValueType<FilePath> {
  /// A path, of whatever bytes.
  static let path = path(.path)
  /// A path of a directory, or a hyphen for standard output.
  static let directoryOrOutput = path(.directory)
  /// A path of a directory. One that is called as standard output is elsewhere is meant by nobody.
  static let directory = path(.directory, takesHyphen: false)

  private static func path(_ completion: Completion, takesHyphen: Bool = true) -> ValueType {
    ValueType(completion: completion) { bytes throws(Fault) in
      guard !bytes.isEmpty else { throw Fault(ValueProblem.empty) }
      guard takesHyphen || bytes != Array("-".utf8) else { throw Fault(ValueProblem.hyphen) }
      return FilePath(bytes: bytes)
    }
  }
}

extension ValueType<Int> {
  /// Returns the type of a whole number of the range, in ASCII digits, without a plus sign.
  static func integer(_ range: ClosedRange<Int>) -> ValueType {
    integer(minimum: range.lowerBound, maximum: range.upperBound)
  }

  /// Returns the type of a whole number from the bound on.
  static func integer(_ range: PartialRangeFrom<Int>) -> ValueType {
    integer(minimum: range.lowerBound, maximum: nil)
  }

  private static func integer(minimum: Int, maximum: Int?) -> ValueType {
    ValueType { bytes throws(Fault) in
      guard let first = bytes.first, first != UInt8(ascii: "+"),
        let text = String(validating: bytes, as: UTF8.self), let number = Int(text),
        number >= minimum, maximum.map({ number <= $0 }) ?? true
      else { throw Fault(ValueProblem.notInteger(minimum: minimum, maximum: maximum)) }
      return number
    }
  }
}

extension ValueType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the cases, by its raw value.
  static var choice: ValueType { choice(among: Array(Value.allCases)) }

  /// One of some cases, by its raw value.
  static func choice(among values: [Value]) -> ValueType {
    let choices = values.map(\.rawValue)
    return ValueType(completion: .choices(choices)) { bytes throws(Fault) in
      let word = String(decoding: bytes, as: UTF8.self)
      guard choices.contains(word), let value = Value(rawValue: word) else {
        throw Fault(ValueProblem.notAChoice(choices))
      }
      return value
    }
  }
}

/// The words that a shell may offer where a value stands.
enum Completion: Hashable, Sendable {
  case nothing
  case path
  case directory
  case choices([String])
  case dynamic(Source)

  /// A source of words that only a run of the program knows.
  enum Source: String, CaseIterable, Hashable, Sendable {
    case capsule, event, item, beneficiary, bequest, trustees
    /// The records that can be left to somebody.
    case bequeathable
    /// The records of all kinds.
    case record
    /// The records that can be counted down to.
    case dated
    /// The records in the trash.
    case trash
    case tag
    /// The categories of items.
    case category
    /// The values of the setting that stands before.
    case settingValue
    /// Commands and help topics.
    case topic
  }
}
