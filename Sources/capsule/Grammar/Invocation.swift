import CapsuleCore

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

  /// Gives an operand the word that was asked for.
  mutating func set(_ operand: any ParameterDeclaration, to word: String) {
    append(.operand(Array(word.utf8)))
    operands[operand.name] = [Array(word.utf8)]
  }

  /// Takes the only word of an operand for the value of an option.
  mutating func take(
    _ operand: any ParameterDeclaration, as option: any ParameterDeclaration
  ) {
    guard let word = operands[operand.name]?.first,
      let place = arguments.lastIndex(of: .operand(word))
    else { return }
    arguments[place] = .option(option.name, word)
    operands[operand.name] = []
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

  /// Whether anything was given for a parameter.
  func has(_ parameter: any ParameterDeclaration) -> Bool {
    operands[parameter.name].map { !$0.isEmpty }
      ?? arguments.contains { $0.optionName == parameter.name }
  }

  /// Refuses a parameter together with any of some others.
  func refuse(
    _ parameter: any ParameterDeclaration, with others: Parameters
  ) throws(Fault) {
    guard has(parameter), let other = others.first(where: has) else { return }
    throw Fault(UsageProblem.contradiction(parameter.term, other.term))
  }
}

/// The options that every command has.
enum GlobalOptions {
  static let store = Parameter.option(
    "store", value: "DIR", .directory, "Use the store in this directory")
  static let newStore = Parameter.flag(
    "new-store", "Create a new store even if an earlier one is missing from this path")
  static let json = Parameter.flag("json", "Print JSON")
  static let ndjson = Parameter.flag("ndjson", "Print JSON, one object a line")
  static let color = Parameter.option(
    "color", value: "WHEN", ValueType<ColorChoice>.choice, default: "auto",
    "When to use color")
  static let noInput = Parameter.flag(
    "no-input", "Never ask; fail and report the option that answers")
  static let quiet = Parameter.flag(
    "quiet", short: "q", "Print only results, such as the id of a new record")
  static let lockTimeout = Parameter.option(
    "lock-timeout", value: "SECONDS", .integer(0...86_400), default: "10",
    "How long to wait while another process changes the store")
  static let help = Parameter.flag("help", short: "h", "Show help")
  /// An option that is understood before a command only.
  static let version = Parameter.flag("version", "Show the version")

  /// The options that may stand before a command.
  static var leading: Parameters { all(for: [.json, .ndjson]) + [version] }

  /// Returns the options that a command with these outputs has.
  static func all(for outputs: Outputs) -> Parameters {
    (outputs.contains(.json) ? [json] : []) + (outputs.contains(.ndjson) ? [ndjson] : [])
      + [store, newStore, color, noInput, quiet, lockTimeout, help]
  }
}

extension RunOptions {
  /// Reads the options that every command has.
  init(_ invocation: Invocation) {
    self.init()
    if invocation[GlobalOptions.json] { form = .json }
    if invocation[GlobalOptions.ndjson] { form = .ndjson }
    color = invocation[GlobalOptions.color]
    isQuiet = invocation[GlobalOptions.quiet]
    takesInput = !invocation[GlobalOptions.noInput]
    store = invocation[GlobalOptions.store]
    makesNewStore = invocation[GlobalOptions.newStore]
    lockTimeout = invocation[GlobalOptions.lockTimeout]
  }
}
