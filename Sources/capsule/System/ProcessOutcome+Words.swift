import CapsuleCore

extension ProcessOutcome {
  /// The end of what the program wrote on standard error, on one line behind `: `; empty for nothing.
  var lastWords: String {
    // The reason is seldom in the last line.
    let words = String(decoding: errorOutput.suffix(4096), as: UTF8.self)
      .split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }
      .suffix(5).joined(separator: "; ")
    return words.isEmpty ? "" : ": " + String(words.unicodeScalars.prefix(600))
  }
}
