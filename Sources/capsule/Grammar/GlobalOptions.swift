/// The options that every command has.
enum GlobalOptions {
  static let store = Parameter.option(
    "store", value: "DIR", .directory, "Use the store in this directory")
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
  static var leading: [any ParameterDeclaration] { all(for: [.json, .ndjson]) + [version] }

  /// Returns the options that a command with these outputs has.
  static func all(for outputs: Outputs) -> [any ParameterDeclaration] {
    (outputs.contains(.json) ? [json] : []) + (outputs.contains(.ndjson) ? [ndjson] : [])
      + [store, color, noInput, quiet, lockTimeout, help]
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
    lockTimeout = invocation[GlobalOptions.lockTimeout]
  }
}
