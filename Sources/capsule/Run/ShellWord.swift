import CapsuleCore

/// A word as a POSIX shell takes it, for command lines that are to be copied.
enum ShellWord {
  /// Returns the word as it stands where the shell reads it so, else in single quotes.
  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_./:@%+,".utf8.contains(byte)
        }
      }
    // A word that begins with a hyphen would be an option.
    if isPlain { return word.utf8.first == UInt8(ascii: "-") ? "-- \(word)" : word }
    return "'" + word.parts(at: "'").joined(separator: "'\\''") + "'"
  }
}
