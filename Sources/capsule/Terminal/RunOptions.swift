import CapsuleCore

/// The values of the options that every command has.
struct RunOptions: Sendable {
  enum Form: Hashable, Sendable { case text, json, ndjson }

  var form = Form.text
  var color = ColorChoice.auto
  var isQuiet = false
  /// Whether a list is for a program although it goes to a terminal.
  var isPlain = false
  /// Whether questions may be asked.
  var takesInput = true
  /// `--store`.
  var store: FilePath?
  /// `--lock-timeout`, in seconds.
  var lockTimeout = 10

  init() {}

  /// The options that a wrong command line shows: they decide how its error is reported.
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
