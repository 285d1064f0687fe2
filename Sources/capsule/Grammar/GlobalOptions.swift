/// The options that every command has.
package enum GlobalOptions {
  package static let store = Option(
    "store", value: "DIR", .directory, "Use the store in this directory")
  package static let json = Flag("json", "Answer in JSON")
  package static let ndjson = Flag("ndjson", "Answer in JSON, one object a line")
  package static let color = Option(
    "color", value: "WHEN", ValueType<ColorChoice>.choice, default: "auto",
    "When to use colours")
  package static let noInput = Flag(
    "no-input", "Ask nothing; fail and name the option that answers")
  package static let quiet = Flag("quiet", short: "q", "Print only what was asked for")
  package static let lockTimeout = Option(
    "lock-timeout", value: "SECONDS", .integer(0...86_400), default: "10",
    "How long to wait while another process changes the store")
  package static let help = Flag("help", short: "h", "Show help")
  /// Understood before a command only.
  package static let version = Flag("version", "Show the version")

  /// Those of a command with these outputs.
  package static func specs(for outputs: Outputs) -> [OptionSpec] {
    var specs: [OptionSpec] = []
    if outputs.contains(.json) { specs.append(json.spec) }
    if outputs.contains(.ndjson) { specs.append(ndjson.spec) }
    let common: [any OptionDeclaration] = [store, color, noInput, quiet, lockTimeout, help]
    return specs + common.map(\.spec)
  }
}

/// When colours are used.
package enum ColorChoice: String, CaseIterable, Sendable {
  case auto, always, never
}
