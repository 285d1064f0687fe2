/// The options that every command has.
enum GlobalOptions {
  static let store = Option(
    "store", value: "DIR", .directory, "Use the store in this directory")
  static let json = Flag("json", "Print JSON")
  static let ndjson = Flag("ndjson", "Print JSON, one object a line")
  static let color = Option(
    "color", value: "WHEN", ValueType<ColorChoice>.choice, default: "auto",
    "When to use color")
  static let noInput = Flag(
    "no-input", "Never ask; fail and report the option that answers")
  static let quiet = Flag("quiet", short: "q", "Print only results, such as the id of a new record")
  static let lockTimeout = Option(
    "lock-timeout", value: "SECONDS", .integer(0...86_400), default: "10",
    "How long to wait while another process changes the store")
  static let help = Flag("help", short: "h", "Show help")
  /// An option that is understood before a command only.
  static let version = Flag("version", "Show the version")

  /// Returns the options that a command with these outputs has.
  static func specs(for outputs: Outputs) -> [OptionSpec] {
    var specs: [OptionSpec] = []
    if outputs.contains(.json) { specs.append(json.spec) }
    if outputs.contains(.ndjson) { specs.append(ndjson.spec) }
    let common: [any OptionDeclaration] = [store, color, noInput, quiet, lockTimeout, help]
    return specs + common.map(\.spec)
  }
}

extension RunOptions {
  /// Reads the options that every command has.
  init(_ invocation: Invocation) {
    self.init()
    if invocation[GlobalOptions.json] { form = .json }
    if invocation[GlobalOptions.ndjson] { form = .ndjson }
    color = invocation[GlobalOptions.color] ?? .auto
    isQuiet = invocation[GlobalOptions.quiet]
    takesInput = !invocation[GlobalOptions.noInput]
    store = invocation[GlobalOptions.store]
    lockTimeout = invocation[GlobalOptions.lockTimeout] ?? 10
  }
}
