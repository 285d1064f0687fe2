package import CapsuleCore

/// What the options that every command has were set to.
package struct Settings: Sendable {
  package enum Form: Hashable, Sendable { case text, json, ndjson }

  package var form = Form.text
  package var color = ColorChoice.auto
  package var isQuiet = false
  /// Whether questions may be asked.
  package var takesInput = true
  /// `--store`.
  package var store: FilePath?
  /// `--lock-timeout`, in seconds.
  package var lockTimeout = 10

  package init() {}

  init(_ invocation: Invocation) {
    if invocation[GlobalOptions.json] { form = .json }
    if invocation[GlobalOptions.ndjson] { form = .ndjson }
    color = invocation[GlobalOptions.color] ?? .auto
    isQuiet = invocation[GlobalOptions.quiet]
    takesInput = !invocation[GlobalOptions.noInput]
    store = invocation[GlobalOptions.store]
    lockTimeout = invocation[GlobalOptions.lockTimeout] ?? 10
  }

  /// What can be seen in a command line that is wrong: how its error is to be told.
  init(guessedFrom words: [[UInt8]]) {
    for word in words.prefix(while: { $0 != Array("--".utf8) }) {
      switch String(decoding: word, as: UTF8.self) {
      case "--json": form = .json
      case "--ndjson": form = .ndjson
      case "--color=always": color = .always
      case "--color=never": color = .never
      default: break
      }
    }
  }
}
